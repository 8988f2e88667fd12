# Reads what gcov wrote of devcloth_impl.h, one file NAME.gcov for each scene of hash.c, and prints which
# chapter is executed by which scenes, and which functions with arithmetic by none.
BEGIN { FS = ":" }

FNR == 1 {
    scene = FILENAME
    sub(/.*\//, "", scene)
    sub(/[.]gcov$/, "", scene)
    scene_name[++scene_count] = scene
}

# count:line:source; the count is - where there is no code, and # or = where it was not executed.
{
    count = $1
    line = $2 + 0
    gsub(/[ *]/, "", count)
}

line == 0 { next }

scene_count == 1 {
    source = $0
    sub(/^[^:]*:[^:]*:/, "", source)
    if (previous ~ /^\/\* ====/ && source ~ /^ \* [0-9]+ [A-Z]/) {
        chapter = substr(source, 4) + 0
        title[chapter] = substr(source, 4)
        sub(/  +.*/, "", title[chapter])
    }
    previous = source
    chapter_of[line] = chapter
    if (source ~ /^[a-zA-Z].*[(]/ && count != "-") {
        start = line
        name = source
        sub(/[(].*/, "", name)
        sub(/.*[ *]/, "", name)
        function_name[start] = name
    }
    if (start && source ~ /dc_real|dc_vec3|dci_vec|dci_pack/) has_arithmetic[start] = 1
    if (source ~ /^}/) start = 0
    if (count != "-") {
        lines[chapter]++
        lines_of_function[start]++
    }
}

count != "-" && count !~ /^[#=]/ {
    executed[scene_count, line] = 1
    if (line > last) last = line
    if (!any[line]++) reached[chapter_of[line]]++
}

# The scenes that execute a chapter, first the one with most lines, then what each adds.
function scenes_of(chapter, text, best, best_count, i, k, line, added, is_done, chosen)
{
    text = ""
    for (k = 0; k < scene_count; k++) {
        best_count = 0
        for (i = 1; i <= scene_count; i++) {
            added = 0
            for (line = first_line[chapter]; line <= last_line[chapter]; line++)
                added += (i, line) in executed && !((chapter, line) in is_done)
            if (added > best_count) {
                best_count = added
                best = i
            }
        }
        if (best_count == 0) break
        for (line = first_line[chapter]; line <= last_line[chapter]; line++)
            if ((best, line) in executed) is_done[chapter, line] = 1
        text = text sprintf("%s%s %.1f", k ? ", " : "", scene_name[best],
                            100 * best_count / lines[chapter])
    }
    return text
}

# Breaks a text between words and prints it, all but its first line after some blanks.
function print_wrapped(text, indent, width, words, n, i, column)
{
    n = split(text, words, ", ")
    column = indent
    for (i = 1; i <= n; i++) {
        if (i > 1 && column + length(words[i]) + 2 > width) {
            printf ",\n%" indent "s", ""
            column = indent
        } else if (i > 1) {
            printf ", "
            column += 2
        }
        printf "%s", words[i]
        column += length(words[i])
    }
    printf "\n"
}

END {
    for (line in chapter_of) {
        c = chapter_of[line]
        if (!(c in first_line) || line + 0 < first_line[c]) first_line[c] = line + 0
        if (!(c in last_line) || line + 0 > last_line[c]) last_line[c] = line + 0
    }
    printf "%-30s %6s %8s  %s\n", "chapter", "lines", "executed", "by scenes: the best, then what others add"
    for (c = 1; c <= chapter; c++) {
        if (!lines[c]) continue
        total += lines[c]
        total_reached += reached[c]
        printf "%-30s %6d %7.1f%%  ", title[c], lines[c], 100 * reached[c] / lines[c]
        print_wrapped(scenes_of(c), 48, 100)
    }
    printf "%-30s %6d %7.1f%%\n", "all", total, 100 * total_reached / total
    print ""
    print "Functions with arithmetic that no scene executes, and their lines:"
    for (line = 1; line <= last_line[chapter]; line++)
        if (function_name[line] != "" && has_arithmetic[line] && !any[line])
            printf "    %-40s %d\n", function_name[line], lines_of_function[line]
}
