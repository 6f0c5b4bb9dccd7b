#!/bin/sh
# What a run does when its directory cannot be used: it says so, ends with the documented code (3: the
# environment, 2: usage; see runtime/files/status.def), and what an earlier run wrote stays as it was.
# usage: faults.sh PDERUN MODULE SCRATCH
set -u
pderun=$1 module=$2 scratch=$3
mountpoint -q "$scratch/small" 2>/dev/null && umount "$scratch/small"
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
passed=0 failed=0

note() { # 0 or not, TEXT
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi
}

run() { # OUT OPTIONS...: exit code in $code, what was said in $scratch/text
    out=$1
    shift
    code=0
    "$pderun" --effort none "$module" --set d=20 --width 32 --points 16 --terms 4 --test-points 20 --no-report \
        --log-every 10 --checkpoint-every 10 --iterations 50 --out "$out" "$@" >"$scratch/text" 2>&1 ||
        code=$?
}

expect() { # CODE WORDS TEXT
    said=0
    grep -q "$2" "$scratch/text" || said=1
    [ "$code" -eq "$1" ] || said=1
    note $said "$3: exit code $code, said: $(tail -n 3 "$scratch/text")"
}

digest() { (cd "$1" && find . -type f ! -name '*lock*' -exec sha256sum {} + | sort); }

run "$scratch/good"
note "$code" "an ordinary run"
before=$(digest "$scratch/good")

# rolling back to a state from which no step is possible ends
run "$scratch/hopeless" --non-finite rollback --rate 1e35 --checkpoint-every 1
expect 1 "not finite" "steps that are never finite"

# a second run, while a first one holds the directory
"$pderun" --effort none "$module" --set d=20 --points 16 --terms 4 --iterations 100000000 --quiet --no-report \
    --test-points 0 --out "$scratch/busy" >/dev/null 2>&1 &
pid=$!
tries=0
while [ ! -e "$scratch/busy/log.jsonl" ] && [ "$tries" -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
run "$scratch/busy"
expect 3 "another run" "two runs on one directory"
kill -INT "$pid"
wait "$pid" || true
[ -e "$scratch/busy/model.safetensors" ]
note $? "the first run was not disturbed"

# a directory that cannot be written, and one that cannot be made; root may write anywhere, hence a
# file in its way
: >"$scratch/file"
run "$scratch/file/run"
expect 3 "Not a directory" "a directory below a file"
if [ "$(id -u)" -ne 0 ]; then
    chmod -R a-w "$scratch/good"
    run "$scratch/good" --resume --iterations 100
    expect 3 "good" "a read-only directory"
    chmod -R u+w "$scratch/good"
    [ "$(digest "$scratch/good")" = "$before" ]
    note $? "a read-only directory stays as it was"
fi

# a file system that is read-only, and one that is full
mkdir "$scratch/small"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=256k tmpfs "$scratch/small" 2>/dev/null; then
    run "$scratch/small/run" --iterations 10
    note "$code" "a run on a small disk"
    before=$(digest "$scratch/small/run/checkpoints")
    dd if=/dev/zero of="$scratch/small/filler" bs=1k count=256 2>/dev/null || true
    run "$scratch/small/run" --resume --iterations 40
    expect 3 "o space left" "a full disk"
    [ "$(digest "$scratch/small/run/checkpoints")" = "$before" ]
    note $? "a full disk: the checkpoint of before is whole"
    rm "$scratch/small/filler"
    run "$scratch/small/run" --resume --iterations 40
    note "$code" "with space again the run goes on"
    mount -o remount,ro "$scratch/small"
    run "$scratch/small/run" --resume --iterations 80
    expect 3 "ead-only" "a read-only file system"
    umount "$scratch/small"
else
    echo "no file system of its own: a full disk is not tried"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
