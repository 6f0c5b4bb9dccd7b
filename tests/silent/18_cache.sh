#!/bin/sh
# Compiled kernels are executed from the cache, so nobody else may have put them there: owner and mode of the
# directory, of each entry and of the directories above. Otherwise the cache is not used, which is said once.
set -eu
. "$(dirname "$0")/support.sh"
cd "$scratch"
"$pdec" -o plain.so "$cases/plain.pde"
short="--iterations 1 --width 4 --depth 2 --points 8 --test-points 8 --no-report"

run() {
    rm -rf run
    status=0
    "$pderun" --effort none plain.so $short --out run "$@" >out.txt 2>&1 || status=$?
    [ "$status" = 0 ] || { bad "exit $status:"; cat out.txt; }
}
at() { export XDG_CACHE_HOME="$PWD/$1"; }
# compiled, cached, silent, told: what the last run did and said
compiled() { if grep -q 'kernels compiled' out.txt; then good; else bad "$1: the cache was used"; fi; }
cached() { if grep -q 'kernels from the cache' out.txt; then good; else bad "$1: the cache was not used:"; cat out.txt; fi; }
silent() { if grep -q 'is not used' out.txt; then bad "$1:"; cat out.txt; else good; fi; }
told() {
    n=$(grep -c 'is not used' out.txt || true)
    if [ "$n" = 1 ] && grep -qF "$2" out.txt; then good; else bad "$1: said $n times, wanted \"$2\":"; cat out.txt; fi
}
mode() { if [ "$(stat -c %a "$2")" = "$1" ]; then good; else bad "$2 has mode $(stat -c %a "$2"), wanted $1"; fi; }

run
if grep -q 'is not used' out.txt; then echo "this folder itself is not safe"; exit 77; fi
compiled "at first"
run
cached "then"
"$pderun" --info plain.so >/dev/null
rm -rf cache
"$pderun" --info plain.so >/dev/null
if [ -e cache ]; then bad "--info made a cache"; else good; fi

# whatever the umask
rm -rf cache
umask 000
run
umask 022
mode 700 cache/pderun
for entry in cache/pderun/*; do mode 600 "$entry"; done
run
cached "of an open umask"

# entries that others may write to, or that are links
chmod 666 cache/pderun/*
run
compiled "entries for everybody"
run
cached "new entries"
mkdir elsewhere
for entry in cache/pderun/*; do mv "$entry" elsewhere; ln -s "$PWD/elsewhere/${entry##*/}" "$entry"; done
run
compiled "entries that are links"

# the directory, and those above it
chmod 777 cache/pderun
run
compiled "a directory for everybody"
told "a directory for everybody" "can be written to by others"
run --no-cache
silent "--no-cache"
"$pderun" --selftest plain.so >out.txt 2>&1
told "a self-test" "can be written to by others"
rm -r cache
mkdir cache
chmod 777 cache
run
compiled "above it a directory for everybody"
told "above it a directory for everybody" "can be written to by everybody"
chmod 1777 cache
run
run
cached "above it a sticky directory"
silent "above it a sticky directory"
mkdir -p open/real
chmod 777 open
ln -s "$PWD/open/real" link
at link
run
run
compiled "a link into a directory for everybody"
told "a link into a directory for everybody" "can be written to by everybody"

# a cache that cannot be made is no trouble
: >file
at file
run
silent "a file in place of the cache"
compiled "a file in place of the cache"
at cache

# other users
if [ "$(id -u)" = 0 ]; then
    rm -rf cache
    run
    chown 65534 cache/pderun/*
    run
    compiled "another's entries"
    chown 65534 cache/pderun
    run
    compiled "another's directory"
    told "another's directory" "belongs to another user"
    chown 0 cache/pderun
    chown 65534 cache
    run
    told "a directory of ours in another's" "belongs to another user"
    chown 65534 cache
    rm -r cache/pderun
    run
    told "another's, still empty" "belongs to another user"
    if [ -e cache/pderun ]; then bad "root put a directory in another's"; else good; fi
    mkdir -m 1777 shared
    mkdir shared/his
    chown 65534 shared/his
    at shared/his
    run
    told "another's in a sticky directory" "belongs to another user"
fi
finish
