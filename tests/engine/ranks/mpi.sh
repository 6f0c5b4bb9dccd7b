#!/bin/sh
# mpi.sh PDEC PDERUN EXAMPLES SCRATCH: the plugin is built and run with every MPI that is installed. 77: there is none.
set -u
pdec=$1 pderun=$2 examples=$3 scratch=$4
. "$(dirname "$0")/../../counted.sh"
fresh "$scratch"
cd "$scratch" || exit 1
failures=0 tried=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none

fail() {
    echo "FAIL $1"
    failures=$((failures + 1))
}

"$pdec" "$examples/elliptic_sine_gordon.pde" -o module.so >pdec.out 2>&1 || exit 1
options="--effort none --quiet --no-report --set d=20 --points 20 --terms 5 --iterations 6 --log-every 3
    --test-points 20 --threads 1"
"$pderun" module.so $options --out one >one.out 2>&1 || fail "one process"

for mpi in openmpi mpich; do
    command -v mpicc.$mpi >/dev/null && command -v mpirun.$mpi >/dev/null || continue
    tried=$((tried + 1))
    export XDG_CACHE_HOME=$scratch/cache.$mpi
    mkdir -p "$XDG_CACHE_HOME"
    timeout 60 mpirun.$mpi -n 2 "$pderun" module.so $options --out none >none.out 2>&1 && fail "$mpi: not connected, yet a run"
    grep -q -- "--build-mpi" none.out || fail "$mpi: no way out"
    MPICC=mpicc.$mpi "$pderun" --build-mpi >build.out 2>&1 || { fail "$mpi: build"; cat build.out; continue; }
    for ranks in 2 3; do
        timeout 120 mpirun.$mpi -n $ranks "$pderun" module.so $options --out $mpi.$ranks >run.out 2>&1 ||
            { fail "$mpi by $ranks"; tail -3 run.out; }
        cmp -s one/model.safetensors $mpi.$ranks/model.safetensors || fail "$mpi by $ranks: other bits"
        grep -q "$ranks ranks" run.out || fail "$mpi by $ranks: no ranks"
    done
done
# the plugin of one MPI under the launcher of the other: both numbers are named, or that it cannot be opened
[ "$tried" -gt 0 ] || exit 77
echo "$tried kinds of MPI, $failures failures"
[ "$failures" -eq 0 ]
