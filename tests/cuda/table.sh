#!/bin/sh
# table.sh PDEC PRINT_PTX SCRATCH ARCHS TYPES FILE...: registers, spilled bytes, shared memory and
# theoretical occupancy of every kernel of some problems (.pde) and of the engine (a FILE called engine),
# for each of the architectures (sm_75,sm_80) and types of numbers (float,double). NVRTC compiles, ptxas
# tells. Prints a row for each kernel and a line for each architecture and type; exit code 1 if anything
# does not compile, is for another architecture or has to spill (!; ptxas also spills a few bytes for a
# higher occupancy, with registers to spare: that is counted, and no failure), 77 without NVRTC or ptxas. Everything there is:
#     sh tests/cuda/table.sh build/pdec build/print_ptx SCRATCH sm_75,sm_80,sm_90,sm_100,sm_120 \
#         float,double engine examples/*.pde tests/run/attack/*.pde tests/cross/pde/*.pde
pdec=$1 print_ptx=$2 scratch=$3 archs=$4 types=$5
shift 5
mkdir -p "$scratch" || exit 2
here=$(dirname "$0")
for ptxas in ptxas "$CUDA_HOME/bin/ptxas" /usr/local/cuda/bin/ptxas /opt/cuda/bin/ptxas; do
    command -v "$ptxas" >/dev/null 2>&1 && break
done
command -v "$ptxas" >/dev/null 2>&1 || { echo "skipped: no ptxas"; exit 77; }
"$pdec" --arch sm_75 --emit=ptx "$here/../kernels/pde/neighbours.pde" >/dev/null 2>"$scratch/log" ||
    { cat "$scratch/log"; exit 77; }

# architecture, type, file: its PTX
compile() {
    case $3 in
    engine) "$print_ptx" "$1" "$2" engine ;;
    *) "$pdec" --emit=cuda "$3" >"$scratch/source" && "$print_ptx" "$1" "$2" source <"$scratch/source" ;;
    esac
}

# architecture, type, files
table() {
    arch=$1 type=$2
    shift 2
    rm -f "$scratch/rows"
    for file; do
        name=$(basename "${file%.pde}")
        compile "$arch" "$type" "$file" >"$scratch/kernels.ptx" 2>"$scratch/log" &&
            grep -q "^\.target $arch" "$scratch/kernels.ptx" &&
            "$ptxas" -v -arch="$arch" -o /dev/null "$scratch/kernels.ptx" >"$scratch/info" 2>&1 || {
            echo "FAIL $name $arch $type"
            cat "$scratch/log" "$scratch/info"
            failed=1
            continue
        }
        awk -f "$here/table.awk" -v arch="$arch" -v type="$type" -v name="$name" \
            "$scratch/kernels.ptx" "$scratch/info" >>"$scratch/rows"
    done
    cat "$scratch/rows"
    awk -v arch="$arch" -v type="$type" '
        { n++; if ($6 > most) most = $6; if ($7 + 0 > 0) spilled++; if ($7 ~ /!/) forced++; if (!least || $9 + 0 < least) least = $9 + 0 }
        END { printf "%s %s: %d kernels, at most %d registers, %d spill, %d have to, occupancy %d %% or more\n",
              arch, type, n, most, spilled, forced, least; exit n == 0 || forced > 0 }' "$scratch/rows" || failed=1
}

failed=0
printf '%-6s %-6s %-32s %-28s %7s %9s %7s %7s %9s\n' \
    arch type problem kernel threads registers spilled shared occupancy
for arch in $(echo "$archs" | tr , ' '); do
    for type in $(echo "$types" | tr , ' '); do
        table "$arch" "$type" "$@"
    done
done
rm -rf "$scratch"
exit $failed
