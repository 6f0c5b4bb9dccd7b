# awk -f named.awk LIST PAGES: files that a page names and that are not among those of LIST (one path a line).
FNR == NR {
    n = split($0, part, "/")
    path = ""
    for (k = n; k >= 1; k--) {
        path = path == "" ? part[k] : part[k] "/" path
        known[path] = 1
    }
    next
}
{
    line = $0
    while (match(line, /[A-Za-z0-9_.\/-]*[A-Za-z0-9_]\.(c|h|def|re|y|cuh|cu|sh|py|awk|cmake)($|[^A-Za-z0-9_.(])/)) {
        name = substr(line, RSTART, RLENGTH)
        sub(/[^A-Za-z0-9_]$/, "", name)
        gsub(/^(\.\.?\/)+/, "", name)
        if (!(name in known) && name !~ /(CLASS|NAME|NN)/)
            print FILENAME ":" FNR ": " name
        line = substr(line, RSTART + RLENGTH)
    }
}
