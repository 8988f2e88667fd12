# Prints "function STATUS" for every status that the comment above a public function names, and for
# DC_OK. "Errors as dc_x()" and "Others as dc_x()" stand for those of a function declared before.
# A comment counts for all declarations up to an empty line. A function that takes the number of a
# body, pin and so on has DC_BAD_ARGUMENT, as the head of the header says.

function add(name, status)
{
    if ((name, status) in seen) return
    seen[name, status] = 1
    statuses[name] = statuses[name] " " status
    print name, status
}

function add_words(name, text, is_status,    count, word, i)
{
    count = split(text, word, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= count; i++)
        if (word[i] in is_status) add(name, word[i])
}

/^typedef enum dc_status/ { in_enum = 1 }
in_enum && match($0, /^ +DC_[A-Z_]+/) {
    split($0, field, /[ ,=]+/)
    is_status[field[2]] = 1
}
/^} dc_status;/ { in_enum = 0 }

/^$/ && !in_comment { comment = "" }
/^\/\*/ { comment = ""; in_comment = 1 }
in_comment { comment = comment " " $0 }
/\*\/$/ { in_comment = 0 }

/^DC_API dc_status / {
    name = $3
    sub(/\(.*/, "", name)
    add(name, "DC_OK")
    add_words(name, comment, is_status)
    gsub(/ +/, " ", comment)
    if (match(comment, /(Errors|Others) as dc_[a-z_]+\(\)/)) {
        same = substr(comment, RSTART + 10, RLENGTH - 12)
        add_words(name, statuses[same], is_status)
    }
    in_declaration = 1
}
in_declaration && /dc_index (body|pin|clamp|vertex|attachment|anchor|curve)[,)]/ {
    add(name, "DC_BAD_ARGUMENT")
}
/;$/ { in_declaration = 0 }
