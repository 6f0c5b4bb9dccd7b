#!/bin/sh
# Text of others that steers a terminal or turns a line round: escape sequences, C1 controls as bytes and as
# UTF-8, marks and overrides of the direction, in titles, file names, values of options, keys of a
# configuration. Whatever is printed shows them by their numbers, and a report does too.
set -eu
. "$(dirname "$0")/support.sh"
cd "$scratch"

hidden='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|(^|[\x00-\x7f])[\x80-\xbf]'
# clean WHAT FILE: nothing hidden is in the file
clean() {
    if LC_ALL=C grep -aqP "$hidden" "$2"; then bad "hidden characters in $1:"; LC_ALL=C grep -aP "$hidden" "$2" | od -c | head; else good; fi
}
# shown COMMAND...: whatever the command prints, nothing in it is hidden, and the override is visible
shown() {
    timeout -k 1 20 "$@" >out.txt 2>&1 </dev/null || [ $? -lt 100 ] || bad "it died: $*"
    clean "$*" out.txt
    if [ -s out.txt ]; then good; else bad "nothing printed: $*"; fi
}
evil=$(printf 'a\033]0;pwn\007\302\233\233\342\200\256\342\201\246\342\200\217\330\234z')

cp "$cases/17_escape.pde" "$evil.pde"
short="--iterations 2 --width 4 --depth 2 --points 8 --test-points 8"
for stage in tokens ast resolve check expanded terms plan c latex mathml; do
    shown "$pdec" --emit=$stage "$evil.pde"
    shown "$pdec" --emit=$stage --format=json "$evil.pde"
done
shown "$pdec" --check "$evil.pde" --set "$evil=1"
shown "$pdec" --check "$evil.pde" --set "d=$evil"
shown "$pdec" --check "$evil.none"
shown "$pdec" --check "$evil.pde" "--$evil"
shown "$pdec" --emit "$evil" "$evil.pde"
shown "$pdec" "--emit=$evil" "$evil.pde"
shown "$pdec" "--explain=$evil"
shown "$pdec" --eval "$evil" "$evil.pde"
shown "$pdec" --eval u --at "$evil.npy" "$evil.pde"
shown "$pdec" --eval u --out "none/$evil.npy" "$evil.pde"
shown "$pdec" -o "none/$evil.so" "$evil.pde"
for format in text short json; do
    printf 'dim d = 2\ndomain x in ball(d, 1)\nfield u(x)\nequation lap(u) = q # %s\n' "$evil" >wrong.pde
    shown "$pdec" --check --diagnostics=$format wrong.pde
    printf 'problem "%s"\ndim d = 2 %s\n' "$evil" "$evil" >wrong.pde
    shown "$pdec" --check --diagnostics=$format wrong.pde
done

# a file name with escapes compiles: it stands in the kernels as a string of C
"$pdec" -o "$evil.so" "$evil.pde" && good || bad "the name of the file is not compiled"
shown "$pderun" --info "$evil.so"
says 'onerror=alert(2)> \x9B31m \u202E evil' out.txt
shown "$pderun" --plan "$evil.so"
shown "$pderun" --selftest "$evil.so"
shown "$pderun" --effort none "$evil.so" $short --out "$evil.run"
says 'files: a\x1B]0;pwn\x07' out.txt
for file in "$evil.run"/*.json* "$evil.run"/report.html; do clean "$file" "$file"; done
says 'evil &amp;lt; %s%n' "$evil.run/report.html"
shown "$pderun" --effort none "$evil.so" $short --iterations 4 --out "$evil.run" --resume
shown "$pderun" --effort none "$evil.so" --set "$evil=1"
shown "$pderun" --effort none "$evil.so" --set "d=$evil"
shown "$pderun" --effort none "$evil.so" "--$evil"
shown "$pderun" --effort none "$evil.so" --rate "$evil"
shown "$pderun" --effort none "$evil.so" --device "$evil"
shown "$pderun" --effort none "$evil.so" --config "$evil.json"
printf '{"%s": 1}' "$evil" >key.json
shown "$pderun" --effort none "$evil.so" --config key.json
printf '{"it\\u001b]0;pwn\\u0007\\u202e\\u009b": 1}' >key.json
shown "$pderun" --effort none "$evil.so" --config key.json
says 'it\x1B]0;pwn\x07\u202E\x9B' out.txt
printf '{"rate": "\\u001b]0;pwn\\u0007\\u202e\\u009b"}' >key.json
shown "$pderun" --effort none "$evil.so" --config key.json
shown "$pderun" --effort none "$evil.so" --predict "$evil.npy" --model "$evil.run"
shown "$pderun" --effort none "$evil.so" --predict key.json --model "$evil.run" --what "$evil"
shown "$pderun" "--explain=$evil"
shown "$pderun" --effort none "$evil"

# a value that is not finite is shown in its line, which may hold anything
printf 'dim d = 2\ndomain x in ball(d, 1)\nfield u(x)\nequation lap(u) = log(x_1 - 9) # %s\nboundary u = 0 exactly\n' \
    "$(printf '%s' "$evil" | iconv -c -f UTF-8 -t UTF-8)" >"$evil.pde"
"$pdec" -o "$evil.so" "$evil.pde"
shown "$pderun" --effort none "$evil.so" $short --quiet --no-report --out nan
says 'log(x_1 - 9) # a\x1B]0;pwn\x07' out.txt
says '^^^^^^^^^^^^ ' out.txt

# what cannot be written is told, and a closed standard output is not a file that is opened later
status=0
"$pderun" --help >/dev/full 2>out.txt || status=$?
[ "$status" = 3 ] && good || bad "exit $status for a full standard output"
says 'cannot write standard output' out.txt
status=0
"$pdec" --help >/dev/full 2>out.txt || status=$?
[ "$status" = 3 ] && good || bad "exit $status of pdec for a full standard output"
"$pdec" -o plain.so "$cases/plain.pde"
"$pderun" --effort none plain.so $short --out closed <&- >&- 2>&- || true
if head -1 closed/log.jsonl | grep -q '^{'; then good; else bad "the header went into a file"; fi
finish
