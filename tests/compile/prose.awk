# Sentences of a document in Markdown that are longer than `most` words (25), a line each. Code, tables,
# headings, pictures and the addresses of links do not count; code within a line is a word.

function words(sentence, part, count, i, n) {
    n = split(sentence, part, /[ \t]+/)
    count = 0
    for (i = 1; i <= n; i++) if (part[i] ~ /[A-Za-z0-9]/) count++
    return count
}

# The paragraph so far, sentence by sentence.
function judge(end, sentence) {
    gsub(/`[^`]*`/, "code", text)
    gsub(/!\[[^]]*\]\([^)]*\)/, "", text)
    gsub(/\]\([^)]*\)/, "", text)
    gsub(/[][*_"]/, "", text)
    text = text " "
    while (match(text, /[.!?][)]?[ \t]/)) {
        end = RSTART + RLENGTH
        sentence = substr(text, 1, end - 1)
        text = substr(text, end)
        complain(sentence)
    }
    complain(text)
    text = ""
}

function complain(sentence) {
    if (words(sentence) > most)
        printf "%s:%d: %d words: %s\n", file, begun, words(sentence), substr(sentence, 1, 60)
}

BEGIN { if (!most) most = 25 }
FNR == 1 { judge(); fenced = 0; file = FILENAME }
/^```/ { judge(); fenced = !fenced; next }
fenced { next }
/^(    |\t)[^ ]/ && text == "" { next }
/^[ \t]*$/ || /^#/ || /^\|/ { judge(); next }
/^ *([-*]|[0-9]+\.) / { judge() }
{
    if (text == "") begun = FNR
    text = text " " $0
}
END { judge() }
