# Data files: a name is resolved against the problem, and recorded. What lies elsewhere than beside the module
# or below the working directory is read only where --allow-data permits it, whoever wrote the module.
set -eu
. "$(dirname "$0")/support.sh"
scratch=$(cd "$scratch" && pwd -P)

# array FILE: two doubles, 1 and 2
array() {
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }" >"$1"
    printf '\000\000\000\000\000\000\360\077\000\000\000\000\000\000\000\100' >>"$1"
}

# problem FILE NAME: one that reads NAME
problem() {
    cat >"$1" <<END
dim d = 2
domain x in box(d, 0, 1)
field u(x)
data v_i from "$2"
equation lap(u) = sum_i v_i * x_i
boundary u = 0
END
}

# trains MODULE [OPTIONS...] and does_not
trains() {
    status=0
    "$pderun" --effort none "$@" --iterations 2 --width 4 --depth 2 --points 8 --quiet --no-report --out "$scratch/run$((runs += 1))" \
        >"$scratch/out.txt" 2>&1 || status=$?
    if [ "$status" = 0 ]; then good; else bad "exit $status: $*"; cat "$scratch/out.txt"; fi
}
does_not() {
    status=0
    "$pderun" --effort none "$@" --iterations 2 --quiet --no-report --out "$scratch/run$((runs += 1))" >"$scratch/out.txt" 2>&1 || status=$?
    if [ "$status" = 1 ] && grep -q R511 "$scratch/out.txt" && grep -q -- "--allow-data $scratch/" "$scratch/out.txt"; then good; else
        bad "exit $status, wanted R511: $*"; cat "$scratch/out.txt"
    fi
}
runs=0
mkdir "$scratch/home" "$scratch/home/below" "$scratch/secret" "$scratch/else" "$scratch/work"
array "$scratch/home/below/a.npy"
array "$scratch/secret/a.npy"

# beside the problem: found from anywhere that the user is in, or permits
problem "$scratch/home/x.pde" below/a.npy
"$pdec" -o "$scratch/home/x.so" "$scratch/home/x.pde"
"$pdec" -o "$scratch/work/x.so" "$scratch/home/x.pde"
cd "$scratch/else"
trains ../home/x.so
does_not ../work/x.so
trains ../work/x.so --allow-data ../home
trains ../work/x.so --allow-data "/nowhere:$scratch/home/below"
does_not ../work/x.so --allow-data "$scratch/hom"
cd "$scratch"
trains work/x.so
cd "$scratch/home"
trains ../work/x.so
# a model of such a run
cd "$scratch/else"
"$pderun" --effort none ../home/x.so --iterations 2 --width 4 --depth 2 --points 8 --quiet --no-report --out ../model >"$scratch/out.txt" 2>&1
"$pderun" --effort none ../home/x.so --model ../model --predict "$scratch/none.npy" >"$scratch/out.txt" 2>&1 || true
if grep -q R511 "$scratch/out.txt"; then bad "a prediction does not find the data"; else good; fi

# moved as a whole to where nothing of the old place is
mkdir "$scratch/moved" "$scratch/moved/below"
cp "$scratch/home/x.so" "$scratch/moved"
mv "$scratch/home/below/a.npy" "$scratch/moved/below"
trains ../moved/x.so
mv "$scratch/moved/below/a.npy" "$scratch/home/below"

# outside: absolute, upwards, by a link
for name in "$scratch/secret/a.npy" ../secret/a.npy below/../../secret/a.npy link.npy; do
    problem "$scratch/home/out.pde" "$name"
    ln -sf ../secret/a.npy "$scratch/home/link.npy"
    "$pdec" -o "$scratch/home/out.so" "$scratch/home/out.pde"
    does_not ../home/out.so
    trains ../home/out.so --allow-data ../secret
    "$pdec" --eval "sum_i v_i" "$scratch/home/out.pde" >"$scratch/out.txt" 2>&1 || true
    says "--allow-data $scratch/secret" "$scratch/out.txt"
    "$pdec" --eval 'sum_i v_i' --allow-data ../secret "$scratch/home/out.pde" >"$scratch/out.txt" 2>&1 || true
    says 3 "$scratch/out.txt"
done
"$pdec" --eval 'sum_i v_i' "$scratch/home/x.pde" >"$scratch/out.txt" 2>&1 || true
says 3 "$scratch/out.txt"

# a configuration file of the user's may permit it; a module's settings and an earlier run's may not
echo '{"allow-data": "'"$scratch"'/secret"}' >"$scratch/config.json"
trains ../home/out.so --config ../config.json
cp "$scratch/model/config.json" "$scratch/config.json"
sed "1s|{|{\"allow-data\": \"$scratch/secret\",|" "$scratch/config.json" >"$scratch/model/config.json"
"$pderun" --effort none ../home/x.so --model ../model --predict "$scratch/none.npy" >"$scratch/out.txt" 2>&1 || true
says "belongs on the command line" "$scratch/out.txt"
finish
