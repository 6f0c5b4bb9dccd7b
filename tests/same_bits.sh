#!/usr/bin/env bash
# same_bits.sh [-p PARTS] [-f PATTERN] [-t TREE] [-j N] [-n] OLD_BUILD NEW_BUILD [SCRATCH]: do two builds do the same,
# bit for bit?
#
# For a change that is meant to change nothing. Keep the build of the tree before it (its pdec and pderun are
# enough), then compare it with the build after it. Both read the .pde files of TREE: of the tree that this script is
# in unless it is given; name the old tree where the language has grown since. N files at a time, as many as there are
# processors unless it is given.
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
# With the same SCRATCH, -n runs nothing and compares what is there already; without it a second call takes the old
# build's outputs from there, as long as that build, the .pde files and this script are the same. Times are taken out
# of what is compared, and nothing else.
#
# Differences that a change means to make stand in the file that SAME_BITS_MEANT names, a line each ('*' matches, what
# follows # is the reason):
#   PART FILE WHAT                 may differ in any way
#   PART FILE WHAT rounding LIMIT  runs only: the words are the same, the numbers of the log differ by LIMIT of their
#                                  own size at the most, parameters by LIMIT of the largest
#   lines PATTERN                  lines that match (sed -E) are left out of everything on both sides
#   key NAME                       so is a key of the log, or of the plan as JSON, with its number, text or list
# The first line that matches counts. Such differences are counted as "meant" and not as failed, a rounding with the
# largest that was seen; a line that nothing matched is printed.
#
# Where both modules and both pderuns are the same files, runs and reports are not made: they count as the same.
# The device (CUDA) is not compared; tests/cuda compares it with the processor.
#
# tests/README.md says which trees were compared, and with what result.
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
tensors() { tail -c "+$((9 + $(od -An -t u8 -N 8 "$1")))" "$1"; }

# plain BUILD: how a run of that build says that nothing chooses its settings
plain() { [ "$1" = "$OLD" ] && echo "$OLD_PLAIN" || echo "$NEW_PLAIN"; }

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
    # shellcheck disable=SC2046
    "$build/pderun" m.so --width 16 --points 16 --terms 4 --threads 2 --test-points 0 --quiet --no-report --out run \
        --iterations 10 $(plain "$build") "$@" 2>&1
}

# outcome EXIT_CODE: what a run left in ./run; its parameters go to the file PARAMETERS.f32 or .f64
outcome() {
    local type=f32
    echo "exit code $1"
    [ "$1" = 0 ] || return
    grep -qa '"F64"' run/model.safetensors && type=f64
    tensors run/model.safetensors >"$PARAMETERS.$type"
    echo "digest of parameters $(sha256sum <"$PARAMETERS.$type")"
    for file in run/checkpoints/checkpoint-*.safetensors; do
        [ -e "$file" ] && echo "digest of ${file#run/checkpoints/} $(tensors "$file" | sha256sum)"
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
    # shellcheck disable=SC2046
    "$1/pderun" m.so --set "d=$3" --width 16 --points 16 --terms 4 --iterations 10 --log-every 2 --test-points 50 \
        --threads 2 --color never --out run $(plain "$1") >said 2>&1
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

# meant PART FILE WHAT: how the two may differ ("any", "rounding LIMIT"), if they may
meant() {
    local part file what how line=0
    while read -r part file what how; do
        line=$((line + 1))
        # shellcheck disable=SC2053
        if [[ $part != \#* && $1 == $part && $2 == $file && $3 == $what ]]; then
            echo $line >>"$SCRATCH/matched"
            how=${how%%#*}
            echo "${how:-any}"
            return 0
        fi
    done <"$MEANT"
    return 1
}

# near TEXT TEXT LIMIT: the same words and nearly the same numbers; prints by how much they differ
near() {
    paste <(grep -av '^digest of' "$1") <(grep -av '^digest of' "$2") | awk -F '\t' -v limit="$3" '
        function numbers(s, at,    n) {
            n = 0
            gsub(/ +/, " ", s)
            while (match(s, /[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?/)) {
                at[++n] = substr(s, RSTART, RLENGTH) + 0
                words = words substr(s, 1, RSTART - 1) "#"
                s = substr(s, RSTART + RLENGTH)
            }
            words = words s
            return n
        }
        function size(x) { return x < 0 ? -x : x }
        $1 == $2 { next }
        {
            words = ""; n = numbers($1, a); one = words
            words = ""; m = numbers($2, b)
            if (one != words || n != m) { bad = 1; exit }
            for (k = 1; k <= n; k++) {
                largest = size(a[k]) > size(b[k]) ? size(a[k]) : size(b[k])
                if (largest > 0 && size(a[k] - b[k]) / largest > worst) worst = size(a[k] - b[k]) / largest
            }
        }
        END { printf "log %.1e", worst; exit bad || worst > limit }'
}

# near_parameters OLD NEW LIMIT: without the end .f32 or .f64
near_parameters() {
    local type=f32 bytes=4
    [ -e "$1.f64" ] && type=f64 bytes=8
    [ -e "$1.$type" ] || return 0
    [ -e "$2.$type" ] || return 1
    paste <(od -An -v -w$bytes -t f$bytes "$1.$type") <(od -An -v -w$bytes -t f$bytes "$2.$type") |
        awk -v limit="$3" '
            { d = $1 > $2 ? $1 - $2 : $2 - $1; x = $1 < 0 ? -$1 : $1
              if (NF != 2) bad = 1; if (d > worst) worst = d; if (x > most) most = x }
            END { if (most > 0) worst /= most; printf " parameters %.1e", worst; exit bad || worst > limit }'
}

trimmed() { sed -E -f "$SCRATCH/trim.sed" "$1"; }

# compare PART FILE WHAT COMMAND...: COMMAND BUILD SIDE_DIRECTORY prints what is compared
compare() {
    local part=$1 file=$2 what=$3 at how said
    shift 3
    at=$(name "$file").$part.${what//\//_}
    export PARAMETERS="$SCRATCH/old/$at"
    [ "$AGAIN" = 1 ] && [ ! -e "$SCRATCH/new/$at" ] && return
    [ -e "$SCRATCH/old/$at" ] || { "$@" old >"$SCRATCH/old/$at.made" && mv "$SCRATCH/old/$at.made" "$SCRATCH/old/$at"; }
    PARAMETERS="$SCRATCH/new/$at"
    [ "$AGAIN" = 1 ] || "$@" new >"$SCRATCH/new/$at"
    if cmp -s "$SCRATCH/old/$at" "$SCRATCH/new/$at" || cmp -s <(trimmed "$SCRATCH/old/$at") <(trimmed "$SCRATCH/new/$at"); then
        echo passed
        return
    fi
    if how=$(meant "$part" "$file" "$what"); then
        if [[ $how != rounding* ]]; then
            echo "meant: $part $file $what"
            return
        fi
        if said=$(near <(trimmed "$SCRATCH/old/$at") <(trimmed "$SCRATCH/new/$at") "${how#rounding }" &&
            near_parameters "$SCRATCH/old/$at" "$SCRATCH/new/$at" "${how#rounding }"); then
            echo "rounding: $part $file $what: $said"
            return
        fi
        echo "DIFFERS: $part $file $what: ${said:-words} past ${how#rounding }"
    else
        echo "DIFFERS: $part $file $what"
    fi
    diff -a <(trimmed "$SCRATCH/old/$at") <(trimmed "$SCRATCH/new/$at") | cut -c1-160 | head -4 | sed 's/^/    /'
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
    [ "$AGAIN" = 1 ] && return
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
    if [ "$AGAIN" = 0 ] && cmp -s "$(folder_of old "$1")/m.so" "$(folder_of new "$1")/m.so"; then
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
    [ "$AGAIN" = 1 ] || rm -rf "$(folder_of new "$1")"
}

# ---- main ----

if [ "${1-}" = --file ]; then
    one_file "$2"
    exit 0
fi
PARTS=printed,modules,runs,reports,help pattern='*'
TREE=$(dirname "${BASH_SOURCE[0]}")/.. jobs=$(nproc) AGAIN=0
while getopts p:f:t:j:n option; do
    case $option in
    p) PARTS=$OPTARG ;;
    f) pattern=$OPTARG ;;
    t) TREE=$OPTARG ;;
    j) jobs=$OPTARG ;;
    n) AGAIN=1 ;;
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
cd "$TREE" || exit 2
says_plain() { "$1/pderun" --help all 2>&1 | grep -q -- '--effort WORD' && echo "--effort none"; }
OLD_PLAIN=$(says_plain "$OLD") NEW_PLAIN=$(says_plain "$NEW")
export AGAIN OLD_PLAIN NEW_PLAIN OLD NEW SCRATCH MEANT PARTS SAME_PROGRAM XDG_CACHE_HOME="$SCRATCH/cache"

files=$(find examples tests -name '*.pde' ! -name '* *' | sort)
# shellcheck disable=SC2086
base=$(cat "$OLD/pdec" "$OLD/pderun" "$script" $files | sha256sum)
if [ $AGAIN = 0 ]; then
    [ "$(cat "$SCRATCH/base" 2>/dev/null)" = "$base" ] || rm -rf "$SCRATCH/old"
    rm -rf "$SCRATCH/new"
fi
rm -f "$SCRATCH/matched"
mkdir -p "$SCRATCH/old" "$SCRATCH/new"
echo "$base" >"$SCRATCH/base"
touch "$SCRATCH/matched"
# the lines and keys that are left out, as a program for sed
mark=$(printf '\001')
sed -E 's/[[:blank:]]+# .*//' "$MEANT" |
    sed -nE -e "s/^lines (.*)$/\\\\$mark\\1${mark}d/p" \
        -e "s/^key ([^ ]+)$/s$mark\"\\1\":(\"[^\"]*\"|[^][{},\"]*|\\\\[[^]]*\\\\]),?$mark${mark}g/p" >"$SCRATCH/trim.sed"
sed -E -f "$SCRATCH/trim.sed" /dev/null || usage

{
    if wants help; then
        compare help pdec --help one_help pdec
        compare help pderun --help one_help pderun
    fi
    for file in $files; do
        # shellcheck disable=SC2053
        [[ $file == $pattern ]] && echo "$file"
    done | xargs -r -n 1 -P "$jobs" "$BASH" "$script" --file
} | awk -v meant="$MEANT" -v matched="$SCRATCH/matched" '
    $0 == "passed" { passed++; next }
    /^(meant|rounding):/ { expected++ }
    /^DIFFERS:/ { failed++ }
    { print; fflush() }
    END {
        while ((getline line < matched) > 0)
            hit[line] = 1
        for (n = 1; (getline line < meant) > 0; n++)
            if (line !~ /^ *(#|$|lines |key )/ && !(n in hit))
                print "no difference matched: " line
        if (expected)
            print expected " differences were meant"
        print passed + 0 " passed, " failed + 0 " failed"
        exit failed > 0
    }'
