# awk -f named.awk LIST FILES: files that a page or a comment of C names and that are not among those of LIST, one
# path a line. Words in capitals (NAME.c) stand for a name.
FNR == NR {
    n = split($0, part, "/")
    path = ""
    for (k = n; k >= 1; k--) {
        path = path == "" ? part[k] : part[k] "/" path
        known[path] = 1
    }
    next
}
FNR == 1 {
    inside = 0
    page = FILENAME ~ /\.md$/
}
{
    line = page ? $0 : comment_of($0)
    while (match(line, /[A-Za-z0-9_.\/-]*[A-Za-z0-9_]\.(c|h|def|re|cuh|cu|sh|py|awk|cmake)($|[^A-Za-z0-9_.(])/)) {
        name = substr(line, RSTART, RLENGTH)
        sub(/[^A-Za-z0-9_]$/, "", name)
        gsub(/^(\.\.?\/)+/, "", name)
        if (!(name in known) && name !~ /[A-Z][A-Z]|^_/)
            print FILENAME ":" FNR ": " name
        line = substr(line, RSTART + RLENGTH)
    }
}

# comment_of(TEXT): what of a line of C is comment
function comment_of(line,    at, text) {
    if (!inside)
        gsub(/"([^"\\]|\\.)*"/, "", line)
    while (line != "") {
        at = index(line, inside ? "*/" : "/*")
        if (inside)
            text = text " " (at ? substr(line, 1, at - 1) : line)
        if (!at)
            break
        inside = !inside
        line = substr(line, at + 2)
    }
    return text
}
