#!/bin/sh
# table.sh PDEC SCRATCH ARCHS FILE...: registers, spilled bytes, shared memory and theoretical occupancy of
# every kernel of some problems (.pde) and of programs that print PTX (engine_ptx: the engine's in float32,
# engine_ptx:double: in float64), for each of the architectures (sm_75,sm_80). NVRTC compiles, ptxas tells.
# Prints a row for each kernel and a line for each architecture; exit code 1 if anything does not compile,
# is for another architecture or spills, 77 without NVRTC or ptxas. Everything there is:
#     sh tests/cuda/table.sh build/pdec SCRATCH sm_75,sm_80,sm_90,sm_100,sm_120 build/engine_ptx \
#         build/engine_ptx:double examples/*.pde tests/run/attack/*.pde tests/cross/pde/*.pde
pdec=$1 scratch=$2 archs=$3
shift 3
mkdir -p "$scratch" || exit 2
here=$(dirname "$0")
for ptxas in ptxas "$CUDA_HOME/bin/ptxas" /usr/local/cuda/bin/ptxas /opt/cuda/bin/ptxas; do
    command -v "$ptxas" >/dev/null 2>&1 && break
done
command -v "$ptxas" >/dev/null 2>&1 || { echo "skipped: no ptxas"; exit 77; }
"$pdec" --arch sm_75 --emit=ptx "$here/../kernels/pde/neighbours.pde" >/dev/null 2>"$scratch/log" ||
    { cat "$scratch/log"; exit 77; }

failed=0
printf '%-6s %-32s %-28s %7s %9s %7s %7s %9s\n' \
    arch problem kernel threads registers spilled shared occupancy
for arch in $(echo "$archs" | tr , ' '); do
    rm -f "$scratch/rows"
    for file; do
        name=$(basename "${file%.pde}")
        case $file in
        *.pde) "$pdec" --arch "$arch" --emit=ptx "$file" ;;
        *:double) "${file%:double}" "$arch" double ;;
        *) "$file" "$arch" ;;
        esac >"$scratch/kernels.ptx" 2>"$scratch/log" &&
            grep -q "^\.target $arch" "$scratch/kernels.ptx" &&
            "$ptxas" -v -arch="$arch" -o /dev/null "$scratch/kernels.ptx" >"$scratch/info" 2>&1 || {
            echo "FAIL $name $arch"
            cat "$scratch/log" "$scratch/info"
            failed=1
            continue
        }
        awk -f "$here/table.awk" -v arch="$arch" -v name="$name" "$scratch/kernels.ptx" \
            "$scratch/info" >>"$scratch/rows"
    done
    cat "$scratch/rows"
    awk -v arch="$arch" '
        { n++; if ($5 > most) most = $5; if ($6 > 0) spilled++; if (!least || $8 + 0 < least) least = $8 + 0 }
        END { printf "%s: %d kernels, at most %d registers, %d spill, occupancy %d %% or more\n",
              arch, n, most, spilled, least; exit n == 0 || spilled > 0 }' "$scratch/rows" || failed=1
done
rm -rf "$scratch"
exit $failed
