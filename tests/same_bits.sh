#!/usr/bin/env bash
# same_bits.sh [-p PARTS] [-f PATTERN] OLD_BUILD NEW_BUILD [SCRATCH]: do two builds do the same, bit for bit?
#
# For a change that is meant to change nothing. Keep the build of the tree before it (its pdec and pderun are
# enough), then compare it with the build after it; both read the .pde files of the tree that this script is in.
#
# PARTS is a list with commas between; all are compared unless it is given:
#   printed   what pdec prints of each stage of every .pde file of examples/ and tests/ (syntax tree, terms, plan,
#             kernels, mathematics ..., as text and as JSON), its messages and its exit code
#   modules   the sections of each file's module
#   runs      every example in a few dimensions, with each algorithm and each optimiser, in float32 and float64, and
#             in some further ways (WAYS below): parameters, optimiser state and log after ten steps, or the refusal;
#             the other files that compile: two ways
#   reports   every example: what a run prints, its log and configuration, report.html, --info, --selftest
#   help      the texts of --help
# PATTERN selects files by their path: -f '*wave*'.
#
# Prints a line for each difference, "DIFFERS: PART FILE WHAT", with the first lines that differ, and ends with a
# count. Exit code 0: no difference; 1: some; 2: wrong use. The outputs stay in SCRATCH/old and SCRATCH/new for diff.
# With the same SCRATCH, a second call takes the old build's outputs from there, as long as that build, the .pde files
# and this script are the same. Times are taken out of what is compared, and nothing else.
#
# Differences that a change means to make stand, one "PART FILE WHAT" a line ('*' matches, # comments), in the file
# that SAME_BITS_MEANT names; they are printed as "meant" and not counted, and a line that nothing matched is printed.
#
# Where both modules and both pderuns are the same files, runs and reports are not made: they count as the same.
# The device (CUDA) is not compared; tests/cuda compares it with the processor.
#
# What was compared with it by hand, since no machine does all of it in an hour: the trees before and after every file
# moved into a room (ef797d5, c8f8642): the modules of twelve examples, the same but for the name of a test's file in a
# comment of `src`; --help, and elliptic_sine_gordon by each algorithm and optimiser and in every way of WAYS and RESUMED:
# 35 comparisons, no difference. Later trees change scales, sums over coordinates, options and modules on purpose.
set -u

usage() {
    sed -n '2,/^set -u/p' "${BASH_SOURCE[0]}" | sed -n 's/^# \{0,1\}//p'
    exit 2
}

STAGES="tokens ast resolve check expanded terms plan c cuda latex mathml terms:json plan:json"
STAGES_OF_LANG="ast plan terms:json" # many small files about messages
ALGORITHMS="full 1 2 3 exact"
OPTIMISERS="adamw sgd natural lbfgs"
# a label and options for each further way of an example, in float32
WAYS='
rademacher   --algorithm 2 --accumulate 2 --estimator rademacher
normal       --algorithm 1 --estimator normal --clip 0.1
per-point    --algorithm 3 --index-sets per-point --fresh 3
balance      --weights balance --balance-every 3
average      --average 0.5 --held-out 8 --log-every 2
mixed        --optimiser natural --algorithm 3 --adam-first 4
blocks       --optimiser natural --jacobian-memory 1 --width 96 --points 64
attack       --attack-steps 2 --attack-terms 3
slices       --slices 4 --index-sets slice
no-scale     --scale none --activation sin --init xavier --depth 3
alternate    --solver alternate --solve-every 3 --nodes 8 --rank 2
gradient     --solver gradient --nodes 8
'
# the same, stopped after five steps and gone on with
RESUMED='
resumed-adam       --optimiser adam --average 0.5
resumed-natural    --optimiser natural
resumed-lbfgs      --optimiser lbfgs
'

# ---- one side ----

# name FILE: its path as one word
name() { local path=${1%.pde}; echo "${path//\//__}"; }

# printed BUILD FILE STAGE[:json]: what pdec says
printed() {
    local -a format=()
    [ "$3" = "${3%:json}" ] || format=(--format=json)
    "$1/pdec" --emit="${3%:json}" ${format[@]+"${format[@]}"} "$2" 2>&1
    echo "exit code $?"
}

# tensors FILE: the numbers of a safetensors file, without its header, which has times and the module's digest
tensors() { tail -c "+$((9 + $(od -An -t u8 -N 8 "$1")))" "$1" | sha256sum; }

# timeless: without what differs from one run of a program to the next
timeless() {
    sed -E -e '/aria-label="shares"/d' -e '/^ *(.*, measured now|all iterations) /d' -e '/"module":/d' \
        -e 's/"(seconds|cpu_seconds|ms_per_iteration)":[-+.e0-9]+/"\1":0/g' -e 's/[.e0-9-]+ it\/s .*//' \
        -e 's/iterations and .* \([-+.e0-9]+ ms per iteration\)/iterations/' -e 's/in [0-9.]+ m?s$//' \
        -e 's/kernels (compiled|from the cache)/kernels/' -e '/ms per iteration/d' -e '/&thinsp;(ms|s) /d'
}

# ten BUILD OPTIONS...: ten steps of ./m.so
ten() {
    local build=$1
    shift
    "$build/pderun" m.so --width 16 --points 16 --terms 4 --threads 2 --test-points 0 --quiet --no-report --out run \
        --iterations 10 "$@" 2>&1
}

# outcome EXIT_CODE: what a run left in ./run
outcome() {
    echo "exit code $1"
    [ "$1" = 0 ] || return
    echo "parameters $(tensors run/model.safetensors)"
    for file in run/checkpoints/checkpoint-*.safetensors; do
        [ -e "$file" ] && echo "${file#run/checkpoints/} $(tensors "$file")"
    done
    timeless <run/log.jsonl
}

# train BUILD DIRECTORY resumed|once OPTIONS...
train() (
    build=$1 way=$3
    cd "$2" || exit 2
    shift 3
    rm -rf run
    if [ "$way" = resumed ]; then
        ten "$build" "$@" --checkpoint-every 5 --keep 9 | timeless
        rm -f run/checkpoints/best.safetensors run/checkpoints/*10.safetensors run/model.safetensors
        set -- --resume "$@"
    fi
    ten "$build" "$@" >said
    code=$?
    timeless <said
    outcome $code
)

# report BUILD DIRECTORY D
report() (
    cd "$2" || exit 2
    rm -rf run
    "$1/pderun" m.so --set "d=$3" --width 16 --points 16 --terms 4 --iterations 10 --log-every 2 --test-points 50 \
        --threads 2 --color never --out run >said 2>&1
    echo "exit code $?"
    for file in said run/log.jsonl run/config.json run/report.html; do
        echo "== $file"
        [ -e $file ] && timeless <$file
    done
    for command in --info --plan "--selftest --set d=$3"; do
        echo "== $command"
        # shellcheck disable=SC2086
        "$1/pderun" $command m.so 2>&1 | timeless
    done
)

# ---- two sides ----

is_meant() { # PART FILE WHAT
    local part file what line=0
    while read -r part file what; do
        line=$((line + 1))
        # shellcheck disable=SC2053
        if [[ $part != \#* && $1 == $part && $2 == $file && $3 == $what ]]; then
            echo $line >>"$SCRATCH/matched"
            return 0
        fi
    done <"$MEANT"
    return 1
}

# compare PART FILE WHAT COMMAND...: COMMAND BUILD SIDE_DIRECTORY prints what is compared
compare() {
    local part=$1 file=$2 what=$3 at
    shift 3
    at=$(name "$file").$part.${what//\//_}
    [ -e "$SCRATCH/old/$at" ] || { "$@" old >"$SCRATCH/old/$at.made" && mv "$SCRATCH/old/$at.made" "$SCRATCH/old/$at"; }
    "$@" new >"$SCRATCH/new/$at"
    if cmp -s "$SCRATCH/old/$at" "$SCRATCH/new/$at"; then
        echo passed
    elif is_meant "$part" "$file" "$what"; then
        echo "meant: $part $file $what"
    else
        echo "DIFFERS: $part $file $what"
        diff -a "$SCRATCH/old/$at" "$SCRATCH/new/$at" | cut -c1-160 | head -4 | sed 's/^/    /'
    fi
}

build_of() { [ "$1" = old ] && echo "$OLD" || echo "$NEW"; }
folder_of() { echo "$SCRATCH/$1/$(name "$2").run"; }

one_stage() { printed "$(build_of "$3")" "$1" "$2"; }                         # FILE STAGE SIDE
one_section() { objcopy -O binary --only-section="$2" "$(folder_of "$3" "$1")/m.so" /dev/stdout; } # FILE SECTION SIDE
one_help() { "$(build_of "$2")/$1" --help 2>&1; }                             # PROGRAM SIDE
one_report() { report "$(build_of "$3")" "$(folder_of "$3" "$1")" "$2"; true; } # FILE D SIDE
one_run() { # FILE resumed|once OPTIONS... SIDE
    local file=$1 side=${*: -1}
    train "$(build_of "$side")" "$(folder_of "$side" "$file")" "${@:2:$#-2}"
    true
}

# make_modules FILE: m.so of both sides; false if one cannot be made (what pdec says to that is printed's)
make_modules() {
    local side
    for side in old new; do
        mkdir -p "$(folder_of $side "$1")"
        [ $side = old ] && [ -e "$(folder_of old "$1")/m.so" ] && continue
        "$(build_of $side)/pdec" "$1" -o "$(folder_of $side "$1")/m.so" >/dev/null 2>&1
    done
    [ -e "$(folder_of old "$1")/m.so" ] && [ -e "$(folder_of new "$1")/m.so" ]
}

# dimension FILE: few, but as many as the problem needs
dimension() {
    case $1 in
    *kdv_2d*) echo 2 ;;
    *_1d.pde) echo 1 ;;
    *biharmonic.pde) echo 4 ;;
    *) echo 7 ;;
    esac
}

runs_of_example() { # FILE
    local d real way label options
    d=$(dimension "$1")
    for real in float32 float64; do
        for way in $ALGORITHMS; do
            compare runs "$1" "$way/$real" one_run "$1" once --set "d=$d" --precision $real --algorithm "$way" \
                --optimiser adam
        done
        for way in $OPTIMISERS; do
            compare runs "$1" "$way/$real" one_run "$1" once --set "d=$d" --precision $real --optimiser "$way"
        done
    done
    while read -r label options; do
        # shellcheck disable=SC2086
        [ -n "$label" ] && compare runs "$1" "$label" one_run "$1" once --set "d=$d" $options
    done <<<"$WAYS"
    while read -r label options; do
        # shellcheck disable=SC2086
        [ -n "$label" ] && compare runs "$1" "$label" one_run "$1" resumed --set "d=$d" $options
    done <<<"$RESUMED"
}

wants() { [[ ,$PARTS, == *,$1,* ]]; }

# one_file FILE: all that is compared of it
one_file() {
    local stage section stages=$STAGES
    [[ $1 == tests/lang/* ]] && stages=$STAGES_OF_LANG
    if wants printed; then
        for stage in $stages; do
            compare printed "$1" "$stage" one_stage "$1" "$stage"
        done
    fi
    wants modules || wants runs || wants reports || return
    make_modules "$1" || return
    if cmp -s "$(folder_of old "$1")/m.so" "$(folder_of new "$1")/m.so"; then
        wants modules && echo passed
        [ "$SAME_PROGRAM" = 1 ] && return
    elif wants modules; then
        for section in plan src conf dbg math bc32 bc64 wt32 wt64; do
            compare modules "$1" $section one_section "$1" .pde.$section
        done
    fi
    case $1 in
    examples/*)
        wants runs && runs_of_example "$1"
        wants reports && compare reports "$1" report one_report "$1" "$(dimension "$1")"
        ;;
    tests/lang/* | tests/fuzz/*) ;;
    *)
        wants runs && compare runs "$1" float32 one_run "$1" once
        wants runs && compare runs "$1" exact/float64 one_run "$1" once --algorithm exact --precision float64
        ;;
    esac
    rm -rf "$(folder_of new "$1")"
}

# ---- main ----

if [ "${1-}" = --file ]; then
    one_file "$2"
    exit 0
fi
PARTS=printed,modules,runs,reports,help pattern='*'
while getopts p:f: option; do
    case $option in
    p) PARTS=$OPTARG ;;
    f) pattern=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# = 2 ] || [ $# = 3 ] || usage
OLD=$(cd "$1" && pwd) && NEW=$(cd "$2" && pwd) || usage
[ -x "$OLD/pdec" ] && [ -x "$NEW/pdec" ] && [ -x "$OLD/pderun" ] && [ -x "$NEW/pderun" ] || usage
SCRATCH=${3:-$(mktemp -d)}
mkdir -p "$SCRATCH" && SCRATCH=$(cd "$SCRATCH" && pwd) || usage
MEANT=$(realpath "${SAME_BITS_MEANT:-/dev/null}") SAME_PROGRAM=0
cmp -s "$OLD/pderun" "$NEW/pderun" && SAME_PROGRAM=1
script=$(realpath "${BASH_SOURCE[0]}")
cd "$(dirname "$script")/.." || exit 2
export OLD NEW SCRATCH MEANT PARTS SAME_PROGRAM XDG_CACHE_HOME="$SCRATCH/cache"

files=$(find examples tests -name '*.pde' ! -name '* *' | sort)
# shellcheck disable=SC2086
base=$(cat "$OLD/pdec" "$OLD/pderun" "$script" $files | sha256sum)
[ "$(cat "$SCRATCH/base" 2>/dev/null)" = "$base" ] || rm -rf "$SCRATCH/old"
rm -rf "$SCRATCH/new" "$SCRATCH/matched"
mkdir -p "$SCRATCH/old" "$SCRATCH/new"
echo "$base" >"$SCRATCH/base"
touch "$SCRATCH/matched"

{
    if wants help; then
        compare help pdec --help one_help pdec
        compare help pderun --help one_help pderun
    fi
    for file in $files; do
        # shellcheck disable=SC2053
        [[ $file == $pattern ]] && echo "$file"
    done | xargs -r -n 1 -P "$(nproc)" "$BASH" "$script" --file
} | awk -v meant="$MEANT" -v matched="$SCRATCH/matched" '
    $0 == "passed" { passed++; next }
    /^meant:/ { expected++ }
    /^DIFFERS:/ { failed++ }
    { print; fflush() }
    END {
        while ((getline line < matched) > 0)
            hit[line] = 1
        for (n = 1; (getline line < meant) > 0; n++)
            if (line !~ /^ *(#|$)/ && !(n in hit))
                print "no difference matched: " line
        if (expected)
            print expected " differences were meant"
        print passed + 0 " passed, " failed + 0 " failed"
        exit failed > 0
    }'
