# devcloth_impl.h as one page of HTML. Given the file twice: the first pass finds what is linked to,
# the second prints. A line of the source becomes a line of the page, so that nothing can get lost.
#
#     awk -f tests/book/book.awk devcloth_impl.h devcloth_impl.h >out/book.html
#
# Comments that begin a line are text, and what is indented in them stays as it is drawn; comments
# within code are code. Links lead from "chapter 9" to #c9, from (9.3) to #e9.3, from [Dav06] to
# #r-Dav06, and from a call to #f-name.

function escaped(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    return text
}

function trimmed(text) {
    gsub(/^ +| +$/, "", text)
    return text
}

# 9 SPARSE -> Sparse
function lowered(title) {
    return substr(title, 1, 1) tolower(substr(title, 2))
}

# ---- Links ----

function chapter_link(text, number) {
    return number in title ? "<a href=\"#c" number "\">" text "</a>" : text
}

# Each number of "chapters 10, 11 and 13" is a link, the first one together with the word.
function chapter_links(text, done, number, before) {
    while (match(text, /[0-9]+/)) {
        number = substr(text, RSTART, RLENGTH)
        before = substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        if (before ~ /^[Cc]/) done = done chapter_link(before number, number)
        else done = done before chapter_link(number, number)
    }
    return done text
}

# An equation of the thesis may have the number of none here.
function equation_link(name) {
    if (!(name in equation)) return "(" name ")"
    if (equation[name] == FNR && !printed[name]++) return "<b id=\"e" name "\">(" name ")</b>"
    return "<a href=\"#e" name "\">(" name ")</a>"
}

function reference_link(name) {
    if (!(name in reference)) return "[" name "]"
    if (reference[name] == FNR) return "<b id=\"r-" name "\">[" name "]</b>"
    return "<a href=\"#r-" name "\">[" name "]</a>"
}

# Links of a line of a comment. `unfinished` is a list of chapters that goes on in its next line.
function linked(text, done, found) {
    text = escaped(text)
    if (unfinished && match(text, /^ *((and|to|or) )?[0-9]+((, and |, | and | to | or )[0-9]+)*/)) {
        found = substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
        done = chapter_links(found)
    }
    unfinished = text ~ /[Cc]hapters?( [0-9]+((, and |, | and | to | or )[0-9]+)*(,|,? and| to| or)?)?$/
    while (match(text, LINK)) {
        found = substr(text, RSTART, RLENGTH)
        done = done substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        if (found ~ /^[Cc]/) done = done chapter_links(found)
        else if (found ~ /^\(/) done = done equation_link(substr(found, 2, length(found) - 2))
        else done = done reference_link(substr(found, 2, length(found) - 2))
    }
    return done text
}

function call_links(code, done, name) {
    code = escaped(code)
    while (match(code, /dci?_[a-z0-9_]+\(/)) {
        name = substr(code, RSTART, RLENGTH - 1)
        done = done substr(code, 1, RSTART - 1)
        if (!(name in defined)) done = done name
        else if (defined[name] == FNR) done = done "<b id=\"f-" name "\">" name "</b>"
        else done = done "<a href=\"#f-" name "\">" name "</a>"
        code = substr(code, RSTART + RLENGTH - 1)
    }
    return done code
}

# ---- Blocks: p, pre and code, of which one is open ----

function shut() {
    if (block == "p") print "</p>"
    else if (block != "") print "</pre>"
    block = ""
    blanks = 0
}

# A line of a block of this kind; blank lines are kept within, and left out at its end.
function put(kind, html) {
    if (block != kind || kind == "p" && blanks) {
        shut()
        printf "%s", kind == "p" ? "<p>" : "<pre class=" kind ">"
    }
    for (; blanks > 0; blanks--) print ""
    print html
    block = kind
}

function put_heading(text) {
    shut()
    print "<h3>" linked(text) "</h3>"
}

function put_chapter(text, tag) {
    shut()
    tag = text
    sub(/  .*/, "", text)
    tag = trimmed(substr(tag, length(text) + 1))
    print "</section>\n<section id=c" chapter ">"
    print "<h2>" chapter " " lowered(title[chapter]) " <code>" tag "</code></h2>"
}

# ---- Text ----

# A line of a comment that begins a line, without its signs.
function text_line(text, is_end, is_first, style) {
    is_first = !in_text
    is_end = text ~ /\*\/$/
    sub(/ *\*\/$/, "", text)
    if (is_first) sub(/^\/\* ?/, "", text)
    else if (text ~ /^ \*/) sub(/^ \* ?/, "", text)
    else sub(/^   /, "", text)
    in_text = !is_end
    if (text ~ /^=+$/) banner = is_first
    else if (banner && text ~ /^[0-9]+ [A-Z]/) chapter_line(text)
    else if (pass == 2) text_put(text)
    if (text !~ /^=+$/) banner = 0
    if (pass == 1) find_places(text)
    if (is_end && pass == 2) {
        unfinished = 0
        shut()
    }
}

function chapter_line(text) {
    chapter = text + 0
    if (pass == 2) {
        put_chapter(text)
        return
    }
    sub(/^[0-9]+ /, "", text)
    sub(/  .*/, "", text)
    title[chapter] = text
    chapters = chapter
}

function text_put(text) {
    if (text ~ /^ *$/) blanks++
    else if (text ~ /^---- .*[a-z]/) {
        gsub(/^-+ | -+$/, "", text)
        put_heading(text)
    } else if (text ~ /^[A-Z][A-Z ]+[A-Z]$/ && !chapter) put_heading(lowered(text))
    else if (text !~ /^   /) put("p", linked(text))
    else if (text ~ /^    .*  [0-9,]+  [0-9 ]+$/ && !chapter) put("drawn", chapter_row(text))
    else put("drawn", linked(text))
}

# A path of "How to read this": its chapters are the numbers after the lines.
function chapter_row(text) {
    match(text, /  [0-9,]+  /)
    return substr(text, 1, RSTART + RLENGTH - 1) chapter_links(substr(text, RSTART + RLENGTH))
}

# Equations stand where they are indented in their own chapter, or where they are first spoken of.
function find_places(text, name, drawn) {
    drawn = text ~ /^   /
    if (!chapter && match(text, /^    *\[[A-Z][A-Za-z]*[0-9][0-9]\]/)) {
        name = text
        gsub(/^ *\[|\].*/, "", name)
        reference[name] = FNR
    }
    while (match(text, /\([0-9]+\.[0-9]+\)/)) {
        name = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        if (int(name) != chapter || is_drawn[name]) continue
        if (drawn || !(name in equation)) equation[name] = FNR
        is_drawn[name] = drawn
    }
}

# ---- Code ----

function code_line(text, done, at) {
    if (text == "") {
        blanks++
        return
    }
    while (text != "") {
        at = index(text, in_comment ? "*/" : "/*")
        if (in_comment) {
            if (at) at += 2
            else at = length(text) + 1
            done = done "<i>" linked(substr(text, 1, at - 1)) "</i>"
            if (substr(text, at - 2, 2) == "*/") in_comment = unfinished = 0
        } else {
            if (!at) at = length(text) + 1
            done = done call_links(substr(text, 1, at - 1))
            in_comment = at <= length(text)
        }
        text = substr(text, at)
    }
    put("code", done)
}

# A definition begins at the left, and is no declaration.
function find_definition(text, name) {
    if (text !~ /^[A-Za-z].*[ *]dci?_[a-z0-9_]+\(/ || text ~ /;$|^typedef|^#/) return
    match(text, /dci?_[a-z0-9_]+\(/)
    name = substr(text, RSTART, RLENGTH - 1)
    if (!(name in defined)) defined[name] = FNR
}

# ---- The page ----

function begin_page(c) {
    print "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>"
    print "<meta name=viewport content=\"width=device-width, initial-scale=1\">"
    print "<title>devcloth: how inextensible cloth is simulated</title>"
    print "<style>"
    while ((getline c < STYLE) > 0) print c
    close(STYLE)
    print "</style>\n</head>\n<body>\n<nav>\n<ol>"
    for (c = 1; c <= chapters; c++)
        print "<li value=" c "><a href=\"#c" c "\">" lowered(title[c]) "</a></li>"
    print "</ol>\n</nav>\n<main>\n<section>"
    print "<h1>devcloth</h1>"
}

BEGIN {
    LINK = "[Cc]hapters? [0-9]+((, and |, | and | to | or )[0-9]+)*" \
        "|\\([0-9]+\\.[0-9]+\\)|\\[[A-Z][A-Za-z]*[0-9][0-9]\\]"
    if (STYLE == "") STYLE = "tests/book/book.css"
}

FNR == 1 {
    pass++
    chapter = in_text = in_comment = banner = 0
    if (pass == 2) begin_page()
}
in_text || /^\/\*.*\*\/$/ || /^\/\*/ && !/\*\// { text_line($0); next }
pass == 1 { find_definition($0); next }
{ code_line($0) }

END {
    shut()
    print "</section>\n</main>\n</body>\n</html>"
}
