# Reads a C file of the library and prints what breaks the rules of its form:
#   a function of more than 75 lines; a function declared ahead of its definition; a variable that is
#   not constant outside functions, or static and not constant inside; private names without dci_ or
#   DCI_, public ones without dc_ or DC_; a public function with an error record that does not begin
#   by entering its name into it; a private one that wipes the record, or hands it to a public one.
#   With -v header=1 declarations are what the file is for.
# It knows the layout that clang-format gives this code, not all of C.

function complain(line, text)
{
    print FILENAME ":" line ": " text
}

# The line without comments, strings and characters.
function bare(line,    at)
{
    if (in_comment) {
        at = index(line, "*/")
        if (!at) return ""
        line = substr(line, at + 2)
        in_comment = 0
    }
    gsub(/\\./, "", line)
    gsub(/"[^"]*"/, "\"\"", line)
    gsub(/'[^']*'/, "0", line)
    while ((at = index(line, "/*")) > 0) {
        if (index(substr(line, at + 2), "*/"))
            line = substr(line, 1, at - 1) " " substr(line, at + 3 + index(substr(line, at + 2), "*/"))
        else {
            line = substr(line, 1, at - 1)
            in_comment = 1
        }
    }
    return line
}

# The last word before the first parenthesis.
function function_name(text)
{
    sub(/[ ]*\(.*/, "", text)
    sub(/.*[ *]/, "", text)
    return text
}

function check_function(text, line,    name)
{
    name = function_name(text)
    if (name !~ /^dci?_/ || (text ~ /^(static|DCI_INLINE) /) != (name ~ /^dci_/))
        complain(line, "function " name " has the wrong prefix")
}

# A whole statement outside functions, without what stood in its braces.
function check_statement(text, line,    name)
{
    if (text ~ /^typedef /) {
        name = text
        gsub(/__attribute__ *\(.*\)/, "", name)
        if (name ~ /\( *\*/) sub(/.*\( *\*/, "", name)
        sub(/[ ]*[\[;)].*/, "", name)
        sub(/.*[ *}]/, "", name)
        if (name !~ /^(dci|dc)_/ || (header && name ~ /^dci_/))
            complain(line, "type " name " has the wrong prefix")
    } else if (text ~ /^(struct|enum|union)/) {
        name = text
        sub(/^[a-z]+ */, "", name)
        if (name !~ /^[{;]/ && name !~ /^dci?_[a-z0-9_]* *[{;]/)
            complain(line, "tag or variable without prefix: " text)
    } else if (text ~ /\(/ && text !~ /=/) {
        if (!header) complain(line, "declared ahead of its definition: " function_name(text))
        else if (text !~ /^DC_API /) complain(line, "not DC_API: " function_name(text))
        else if (function_name(text) !~ /^dc_/) complain(line, "wrong prefix: " function_name(text))
    } else if (text !~ /^static const / || text ~ /\*[ a-z_]*[=\[;]/ && text !~ /\* *const /) {
        complain(line, "variable that is not constant: " text)
    } else {
        name = text
        sub(/ *[=\[].*/, "", name)
        sub(/.*[ *]/, "", name)
        if (name !~ /^dci_/) complain(line, "constant " name " has the wrong prefix")
    }
}

{ line = bare($0) }

# The preprocessor: names of macros; what is for C++ only is passed over.
continued { continued = line ~ /\\$/; next }
line ~ /^#/ {
    if (line ~ /^# *ifdef __cplusplus/) for_cxx = 1
    if (line ~ /^# *endif/) for_cxx = 0
    if (line ~ /^# *define/) {
        name = line
        sub(/^# *define */, "", name)
        sub(/[^A-Za-z0-9_].*/, "", name)
        if (name !~ /^(DC_|DCI_|DEVCLOTH_|dc_)/ || (header && name ~ /^DCI_/))
            complain(FNR, "macro " name " has the wrong prefix")
    }
    continued = $0 ~ /\\$/
    next
}
for_cxx { next }

{
    n = length(line)
    for (i = 1; i <= n; i++) {
        c = substr(line, i, 1)
        if (c == "{") {
            if (depth == 0) {
                gsub(/ +/, " ", text)
                is_function = text ~ /\) *$/ && text !~ /=/
                is_enum = text ~ /(^| )enum( [a-z_]+)? *$/
                if (is_function) {
                    check_function(text, first)
                    public_name = text !~ /^(static|DCI_INLINE) / && text ~ /dc_error \*error/ ? function_name(text) : ""
                    must_enter = public_name
                }
                body = ""
                text = text "{"
            }
            depth++
        } else if (c == "}") {
            depth--
            if (depth < 0) complain(FNR, "more braces are closed than opened")
            if (depth == 0) {
                if (is_enum) {
                    count = split(body, names, ",")
                    for (k = 1; k <= count; k++) {
                        name = names[k]
                        gsub(/[ ]|=.*/, "", name)
                        if (name != "" && (name !~ /^DCI?_/ || (header && name ~ /^DCI_/)))
                            complain(FNR, "enumerator " name " has the wrong prefix")
                    }
                }
                if (is_function) {
                    functions++
                    if (FNR - first + 1 > 75)
                        complain(first, "function " function_name(text) " has " FNR - first + 1 " lines")
                    text = ""
                } else
                    text = text "}"
                is_function = is_enum = 0
            }
        } else if (depth > 0) {
            if (is_enum) body = body c
        } else if (c == ";") {
            gsub(/ +/, " ", text)
            check_statement(text ";", first)
            text = ""
        } else if (text != "" || c != " ") {
            if (text == "") first = FNR
            text = text c
        }
    }
    if (depth > 0 && must_enter && line !~ /^\{/) {
        if (index($0, "dci_enter(error, \"" must_enter "\");") == 0)
            complain(FNR, must_enter " does not begin with dci_enter()")
        must_enter = ""
    }
    if (depth > 0 && !public_name && line ~ /dci_succeed\(error\)|dci_leave\(error, status\)/)
        complain(FNR, "dci_succeed() and dci_leave() are for public functions: they wipe the name")
    if (depth > 0 && line ~ /[^a-z_]dc_[a-z_]*\(.*[ (]error\)/)
        complain(FNR, "an error record is handed to a public function")
    if (text != "") text = text " "
    if (is_function && depth > 0 && line ~ /(^|[^a-z_])static / && line !~ /static const /)
        complain(FNR, "static variable inside a function")
}

END {
    if (depth != 0) complain(FNR, "a brace is left open")
    if (!header && functions < 300) complain(FNR, "only " functions + 0 " functions were recognised")
}
