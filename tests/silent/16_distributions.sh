# ./go and CMake on distributions other than the one this was written on: which LLVM is chosen.
set -eu
. "$(dirname "$0")/support.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

# The functions of go that choose, on a distribution whose apt has the versions $1 and whose own is $2.
sed -n '/^llvm_packages()/,/^missing_packages()/p' "$root/go" | sed '$d' >"$scratch/choose.sh"
chosen() {
    bash -c '
        . "$1"
        has=" $2 " own=$3
        command() { false; }
        apt-cache() {
            case $2 in
            llvm-dev) echo "  Candidate: 1:$own.0-63" ;;
            *) n=${2#clang-} n=${n#llvm-} n=${n%-dev}
               case $has in *" $n "*) echo "  Candidate: 1:$n.0" ;; *) echo "  Candidate: (none)" ;; esac ;;
            esac
        }
        llvm_packages | tr "\n" " "' choose "$scratch/choose.sh" "$1" "$2"
}
wants() {
    got=$(chosen "$1" "$2")
    if [ "$got" = "clang-$3 llvm-$3-dev " ]; then good; else bad "apt has $1, own $2: $got, wanted $3"; fi
}
wants "13 14 15 16 19" 14 14 # Debian 12
wants "17 18 19" 19 19       # Debian 13
wants "14 15 16 17 18" 18 14 # Ubuntu 24.04
wants "17 18 19 20" 20 19
wants "15 16 17 18" 17 17

# CMake: -Werror is a choice that CI makes, and SYSTEM is no folder.
if grep -q 'PDE_WERROR=ON' "$root/.ci/run"; then good; else bad ".ci/run does not set PDE_WERROR"; fi
if grep -q '^option(PDE_WERROR .* OFF)' "$root/CMakeLists.txt"; then good; else bad "no option PDE_WERROR"; fi
if grep -qE 'PUBLIC.* SYSTEM ' "$root/CMakeLists.txt"; then bad "SYSTEM as a folder"; else good; fi

# Every clang that is here, the newest alone in the short tests, has nothing to say of any file: their front ends,
# on what CMake compiles. (What CMake itself uses has proven it by building.)
: "${compilers:=$(for n in 19 18 17 16 15 14; do command -v clang-$n; done | head -n 1)}"
commands=$(dirname "$pdec")/compile_commands.json
flags=$(sed -n 's/^PDE_CLANG_FLAGS:INTERNAL=//p' "$(dirname "$pdec")/CMakeCache.txt")
if grep -q 'fsanitize' "$commands"; then compilers=; fi
for compiler in $compilers; do
    # one shell command for each file; JSON's escapes undone, nothing is written
    sed -n 's/^ *"command": "\(.*\)",*$/\1/p' "$commands" |
        sed 's/\\\\/\x01/g; s/\\"/"/g; s/\x01/\\/g; s/^[^ ]*ccache //' |
        sed "s|^[^ ]*|$compiler -fsyntax-only -Werror|; s| -o [^ ]*||; s|\$| $flags \|\| echo failed|" >"$scratch/commands.sh"
    (cd "$(dirname "$pdec")" && sh "$scratch/commands.sh") >"$scratch/said.txt" 2>&1
    if [ -s "$scratch/commands.sh" ] && [ ! -s "$scratch/said.txt" ]; then good; else
        bad "$compiler:"; grep -E 'error:|failed' "$scratch/said.txt" | sort -u | head -n 30
    fi
done

finish
