#!/usr/bin/env bash
# go: the two commands of README.md, on a fresh Debian or Ubuntu machine.
#
#   ./go               install what is missing, build, compile an example, train it, show the result
#   ./go test          install what is missing, build, run the tests (minutes); ends with a count
#   ./go test --all    the long tests too
#   ./go gpu           install what is missing, build, try everything on this machine's NVIDIA GPU; writes build/gpu.txt
#   ./go wheel         install what is missing, build, make build/pde-*.whl, which needs only Python and numpy
#   ./go paper         the same, then the tables of the SDGD paper into build/paper; goes on where it stopped
#                      (--plan prints the hours; --quick takes 15 minutes; --full leaves out no step)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

say() { printf '== %s\n' "$*"; }
die() { printf 'go: %s\n' "$*" >&2; exit 3; }

# What CMakeLists.txt needs: a program, header or library that shows that it is there, then its package.
needs='
cmake              cmake
ninja              ninja-build
gcc                gcc
re2c               re2c
bison              bison
llvm               llvm
stdio.h            libc6-dev
sha2.h             libmd-dev
jansson.h          libjansson-dev
libopenblas.so     libopenblas-dev
'

# Clang and LLVM of one version, 14 to 19: nothing if a pair is installed; otherwise 14 where apt has it, then
# the distribution's own version, then the newest that it has.
llvm_packages() {
    local n
    for n in 14 19 18 17 16 15; do
        ! { command -v "clang-$n" && command -v "llvm-config-$n"; } >/dev/null || return 0
    done
    for n in 14 "$(own_llvm)" 19 18 17 16 15; do
        case $n in 1[4-9]) ! has_package "clang-$n" || ! has_package "llvm-$n-dev" || break ;; esac
        n=
    done
    n=${n:-14}
    printf '%s\n' "clang-$n" "llvm-$n-dev"
}

# All of the output is read: grep -q would end apt-cache by SIGPIPE, which pipefail takes for "no".
has_package() { apt-cache policy "$1" 2>/dev/null | grep 'Candidate: [^(]' >/dev/null; }
# 1:19.0-63 -> 19
own_llvm() { apt-cache policy llvm-dev 2>/dev/null | sed -n 's/.*Candidate: \([0-9]*:\)\{0,1\}\([0-9]*\).*/\2/p'; }

missing_packages() {
    while read -r thing package; do
        case $thing in
        '') continue ;;
        llvm) llvm_packages ;;
        *.h) [ -e "/usr/include/$thing" ] || [ -e "/usr/local/include/$thing" ] || echo "$package" ;;
        *.so) compgen -G "/usr/lib/*/$thing" >/dev/null || [ -e "/usr/local/lib/$thing" ] || echo "$package" ;;
        *) command -v "$thing" >/dev/null || echo "$package" ;;
        esac
    done <<<"$needs"
}

install_missing() {
    local missing as_root=''
    missing=$(missing_packages | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null ||
        die "these are missing, and there is no apt-get to install them: $missing"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "run as root, or ask someone to install: $missing"
        as_root=sudo
    fi
    # Which LLVM there is, is known only after the lists of packages have come.
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update >/dev/null || die "apt-get update failed"
    missing=$(missing_packages | tr '\n' ' ')
    say "installing $missing"
    # shellcheck disable=SC2086
    { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing; } \
        >/dev/null || die "apt-get could not install: $missing"
    missing=$(missing_packages | tr '\n' ' ')
    [ -z "$missing" ] || die "still missing after installing: $missing"
}

build() {
    mkdir -p build
    say "building into build/ (its messages: build/build.log)"
    { cmake -G Ninja -S . -B build -DCMAKE_BUILD_TYPE=Release "-DPDE_WERROR=${PDE_WERROR:-OFF}" && cmake --build build; } >build/build.log 2>&1 || {
        tail -n 40 build/build.log
        die "the build failed: build/build.log has all of it"
    }
}

run_example() {
    local file=examples/elliptic_sine_gordon.pde
    say "build/pdec --emit=terms $file"
    build/pdec --emit=terms --set d=1000 "$file" | grep -v '^source '
    if [ ! -x build/pderun ]; then
        say "build/pdec --emit=plan $file   (there is no build/pderun yet: nothing is trained)"
        build/pdec --emit=plan --set d=1000 "$file"
        return
    fi
    say "build/pdec $file -o build/sine_gordon.so"
    build/pdec "$file" -o build/sine_gordon.so
    say "build/pderun build/sine_gordon.so --set d=1000 --iterations 2000 --out build/sine_gordon.run"
    rm -rf build/sine_gordon.run
    build/pderun build/sine_gordon.so --set d=1000 --iterations 2000 --out build/sine_gordon.run
    say "the report, for a browser: build/sine_gordon.run/report.html"
}

# ctest -V, one line for each test; then the sum of the counts that the tests print, where a test that
# prints none counts as one.
run_tests() {
    local log=build/tests.log label=(-LE long)
    [ "${1:-}" != --all ] || label=()
    say "testing (all that is printed: $log)"
    ctest --test-dir build -V -j2 "${label[@]}" 2>&1 | tee "$log" | grep --line-buffered -E 'Test +#[0-9]+: ' || true
    awk '
        /^[0-9]+: [0-9]+ passed, [0-9]+ failed/ { id = $1 + 0; p[id] = $2; f[id] = $4; s[id] = $6 + 0 }
        /^[0-9]+: Pass: [0-9]+, fail: [0-9]+/ { id = $1 + 0; p[id] = $3 + 0; f[id] = $5 + 0; s[id] = $7 + 0 }
        match($0, /Test +#[0-9]+: /) {
            id = substr($0, RSTART, RLENGTH); gsub(/[^0-9]/, "", id); id += 0
            if ($0 ~ /\*\*\*Skipped/ || $0 ~ /Not Run/) { skipped++; next }
            good = $0 ~ / Passed /
            if (!good) broken[id] = 1
            if (!(id in p)) { p[id] = good; f[id] = !good }
            if (!good && f[id] == 0) f[id] = 1
            passed += p[id]; failed += f[id]; skipped += s[id]; seen++
        }
        { line[NR] = $0 }
        END {
            for (n = 1; n <= NR; n++)
                if (match(line[n], /^[0-9]+: /) && (line[n] + 0) in broken) print line[n]
            if (!seen) { print "no test ran"; failed++ }
            printf "%d passed, %d failed", passed, failed
            if (skipped) printf ", %d skipped", skipped
            printf "\n"
            exit (failed > 0)
        }' "$log"
}

usage() { sed -n '2,10s/^# \{0,1\}//p' go; }

if [ "${1:-}" = paper ]; then
    shift
    install_missing
    build
    command -v python3 >/dev/null || die "the tables are made by python3, which is not there"
    exec python3 study/paper/paper.py build/pdec build/pderun build/paper "$@"
fi
case "$*" in
'' | test | 'test --all')
    install_missing
    build
    if [ "${1:-}" = test ]; then run_tests "${2:-}"; else run_example; fi
    ;;
gpu)
    install_missing
    build
    say "kernels, steps and times on the GPU: build/gpu.txt is the file to send back"
    exec sh tests/cuda/gpu.sh build/pdec build/pderun build/run_generated build/test_cuda_step . build/gpu build/gpu.txt
    ;;
wheel)
    install_missing
    build
    command -v python3 >/dev/null || die "a wheel is made by python3, which is not there"
    say "python3 library/python/wheel.py build build"
    python3 library/python/wheel.py build build
    ;;
help | --help | -h | 'test --help' | 'test -h') usage ;;
*) usage >&2 && exit 2 ;;
esac
