# awk -f repeated.awk FILES: blocks of 12 lines that stand twice. Blank lines, comments, includes and white space
# do not count. Prints each place as FILE:LINE: where the same lines stand first, and how many they are.

FNR == 1 {
    report()
    filled = 0
    in_comment = 0
    hashes = FILENAME ~ /\.(sh|py|txt|cmake|pde)$/
}

{
    line = code_of($0)
    if (line == "" || line ~ /^# *include/)
        next
    text[filled % SIZE] = line
    place[filled % SIZE] = FNR
    if (++filled < SIZE)
        next
    block = ""
    for (k = filled; k < filled + SIZE; k++)
        block = block "\n" text[k % SIZE]
    if (block in first) {
        if (!length_of_run) {
            at = FILENAME ":" place[filled % SIZE]
            of = first[block]
            length_of_run = SIZE - 1
        }
        length_of_run++
    } else {
        report()
        first[block] = FILENAME ":" place[filled % SIZE]
    }
}

END { report() }

BEGIN { SIZE = 12 }

function report() {
    if (length_of_run)
        print at ": the same " length_of_run " lines as " of
    length_of_run = 0
}

# code_of(TEXT): what counts of a line
function code_of(line, end) {
    if (hashes) {
        sub(/^[ \t]*#.*/, "", line)
    } else {
        if (in_comment) {
            if (!(end = index(line, "*/")))
                return ""
            line = substr(line, end + 2)
            in_comment = 0
        }
        gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
        sub(/[ \t]\/\/.*|^\/\/.*/, "", line)
        if ((end = index(line, "/*")) && line !~ /"[^"]*\/\*[^"]*"/) {
            line = substr(line, 1, end - 1)
            in_comment = 1
        }
    }
    gsub(/[ \t]+/, " ", line)
    sub(/^ /, "", line)
    sub(/ $/, "", line)
    return line
}
