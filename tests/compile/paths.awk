# The paths of "How to read this" in devcloth_impl.h, of lines such as
#
#      *     hanging sheet     3,700  5 7 9 15
#
# Complains about a chapter that is not there or stands before a higher one, and about lines that are
# more than a tenth off what the chapters have. Given the file twice: chapters may come after.

FNR == 1 { pass++ }
/^\/\* =+$/ { banner = FNR + 1 }
FNR == banner && $2 ~ /^[0-9]+$/ {
    chapter = $2
    if (pass == 1) last = chapter
}
pass == 1 { lines[chapter]++ }
/^ \* HOW TO READ THIS$/ { inside = 1; next }
/^ \* THE / { inside = 0 }
pass == 2 && inside && match($0, /  [0-9][0-9,]*  [0-9 ]+$/) {
    name = substr($0, 1, RSTART - 1)
    sub(/^ \* +/, "", name)
    count = split(substr($0, RSTART), field)
    told = field[1]
    gsub(/,/, "", told)
    total = 0
    for (i = 2; i <= count; i++) {
        if (!(field[i] in lines)) print name ": no chapter " field[i]
        if (i > 2 && field[i] + 0 <= field[i - 1] + 0) print name ": " field[i] " is out of order"
        total += lines[field[i]]
    }
    if (told < 0.9 * total || told > 1.1 * total)
        print name ": " told " lines; " int(total / 100 + 0.5) * 100 " should stand there"
    paths++
}
END { if (paths != 6 || last < 40) print paths + 0 " paths and " last + 0 " chapters were found" }
