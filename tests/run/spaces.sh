#!/bin/sh
# Several coordinate vectors, each with its own domain: trained to an error that the same file with a wrong sign misses;
# the self-test agrees; what cannot be had with several says so.
# usage: spaces.sh PDEC PDERUN [equations] SCRATCH
set -u
part=
if [ "$3" = equations ]; then
    part=$3
    set -- "$1" "$2" "$4"
fi
pdec=$1 pderun=$2 scratch=$3 here=$(dirname "$0")/spaces failed=0
. "$(dirname "$0")/../counted.sh"
fresh "$scratch"

# train FILE OPTIONS...: sets `error`
train() {
    file=$1
    shift
    rm -rf "$scratch/run"
    "$pdec" "$file" -o "$scratch/module.so" >"$scratch/text" 2>&1 &&
        "$pderun" --effort none "$scratch/module.so" --out "$scratch/run" --quiet --no-report --log-every 100000 \
            --threads 1 --optimiser natural --width 32 --depth 3 "$@" >"$scratch/text" 2>&1 || {
        cat "$scratch/text"
        return 1
    }
    error=$(tail -n 1 "$scratch/run/log.jsonl" | sed -n 's/.*"error":\([0-9.e+-]*\).*/\1/p')
}

# below NAME BOUND SIGN OPTIONS...: SIGN is what sed does to the file to make it wrong
below() {
    name=$1 bound=$2 sign=$3
    shift 3
    train "$here/$name.pde" "$@" || failed=1
    "$pderun" --selftest --threads 1 "$scratch/module.so" >"$scratch/text" 2>&1 || {
        cat "$scratch/text"
        failed=1
    }
    awk -v a="$error" -v b="$bound" 'BEGIN { exit !(a != "" && a + 0 == a && a < b) }' ||
        { echo "FAIL $name: error $error, bound $bound"; failed=1; }
    echo "$name: $error < $bound"
    sed "$sign" "$here/$name.pde" >"$scratch/wrong.pde"
    cmp -s "$scratch/wrong.pde" "$here/$name.pde" && { echo "FAIL $name: '$sign' changes nothing"; failed=1; }
    train "$scratch/wrong.pde" "$@" || failed=1
    awk -v a="$error" -v b="$bound" 'BEGIN { exit !(a > 2 * b) }' ||
        { echo "FAIL $name: with a wrong sign the error is $error"; failed=1; }
    echo "$name with a wrong sign: $error"
}

# refused TEXT OPTIONS...: of the last right module
refused() {
    text=$1
    shift
    "$pderun" "$scratch/module.so" --out "$scratch/refused" --no-report --effort none "$@" >"$scratch/text" 2>&1 &&
        { echo "FAIL: $* was not refused"; failed=1; }
    grep -q "$text" "$scratch/text" || { echo "FAIL: $* does not say '$text'"; cat "$scratch/text"; failed=1; }
}

# near NAME POINT WHAT VALUE OPTIONS...: trained, WHAT at the point is VALUE to one in 300
near() {
    name=$1 point=$2 what=$3 value=$4
    shift 4
    train "$here/$name.pde" "$@" || failed=1
    printf '%s\n' "$point" >"$scratch/points.csv"
    "$pderun" "$scratch/run" --predict "$scratch/points.csv" --what "$what" --out "$scratch/values.csv" >"$scratch/text" 2>&1 ||
        cat "$scratch/text"
    awk -v v="$value" 'NR == 2 { exit !(NF == 1 && ($1 - v)^2 < (v / 300)^2) }' "$scratch/values.csv" ||
        { echo "FAIL $name: $what is not $value at $point"; cat "$scratch/values.csv"; failed=1; }
    echo "$name: $what at $point is near $value"
}

natural="--points 100 --iterations 80 --rate linear(0.3,0)"
if [ "$part" = equations ]; then # longer: equations of several fields
    below elasticity 5e-3 '/^equation.*u_1/s/= sin/= -sin/' $natural --iterations 150
    below schroedinger 5e-2 '/^equation -d/s/ + dot/ - dot/' $natural --iterations 200
    near interface 0.75,0 v 0.28125 $natural --iterations 150
    near lorenz 0.2 x 6.54253 $natural --points 60 --iterations 200 # by Runge-Kutta steps of 1e-4
    near lorenz 0.2 z 4.18020 $natural --points 60 --iterations 200
    exit $failed
fi
below ball_box 5e-3 '/^equation/s/ - d^2 \* u/ + d^2 * u/' $natural
below interval 5e-3 '/^equation/s/ + 4/ - 4/' $natural
below mixed 2e-3 '/on x = 1/s/= exp/= -exp/' $natural
below faces_exactly 5e-3 '/^equation/s/) - pi^2/) + pi^2/' $natural
below ring 5e-2 '/on outer/s/= -1/= 1/' $natural
below ode 2e-3 '/speed, s/s/= -/= /' $natural
below open_time 1e-2 '/^equation/s/ + 2/ - 2/' $natural
refused 'one coordinate vector' --slices 10
below inverse 3e-2 '/^observe/s/= sin/= -sin/' $natural --iterations 100
below corner 1e-2 '/^equation/s/= -3/= 3/' $natural
below hole 1e-2 '/^observe/s/= 2/= -2/' $natural
below choice 3e-2 '/^equation/s/then 1 else -1/then -1 else 1/' $natural
below point 1e-2 '/^observe/s/= 3/= -3/' $natural
below periodic 1e-2 '/^equation/s/ + d(u, x)/ - d(u, x)/' $natural
# once around is the same value, and the same slope
printf '0.5,0.3,0.4\n6.783185307179586,0.3,0.4\n' >"$scratch/points.csv"
"$pderun" "$scratch/run" --predict "$scratch/points.csv" --what 'u,d(u,x)' --out "$scratch/values.csv" >"$scratch/text" 2>&1 ||
    { cat "$scratch/text"; failed=1; }
awk -F, 'NR == 2 { u = $1; v = $2 } NR == 3 { exit !(NF == 2 && (u - $1)^2 + (v - $2)^2 < 1e-9 * (u^2 + v^2)) }' "$scratch/values.csv" ||
    { echo "FAIL periodic: once around gives other values"; cat "$scratch/values.csv"; failed=1; }
below fewer 2e-2 '/^observe/s/= sin/= -sin/' $natural --width 48 --iterations 150
below constraint 2e-2 '/^constraint/s/= 0/= 1/' $natural
below maxwell 1e-2 '/^equation curl(B)_1/s/= -/= /' $natural --points 60
below vortex 4e-1 '/^constraint/s/= 0/= 1/' $natural --points 60 --iterations 250 --width 24
below stefan 2e-2 '/^boundary s/s/= -d/= d/' $natural --points 60 --iterations 100
below torus 2e-2 '/^equation/s/ - u / + u /' $natural
# the plan counts a pass that two conditions share once, and says so
cat >"$scratch/shared.pde" <<'END'
domain x in box(6, 0, 1)
field u(x), v(x)
boundary u = 0
boundary v = 0
equation lap(u) = v
equation lap(v) = 1
END
sed '/^boundary v/d' "$scratch/shared.pde" >"$scratch/alone.pde"
work() { # NAME OPTIONS...: GFLOP of a step
    name=$1
    shift
    "$pdec" "$scratch/$name.pde" -o "$scratch/$name.so" >/dev/null 2>&1
    "$pderun" --effort none --plan "$scratch/$name.so" --threads 1 --points 400 "$@" >"$scratch/$name.plan"
    awk '/^  arithmetic/ { print $2 }' "$scratch/$name.plan"
}
[ "$(work shared)" = "$(work alone)" ] && grep -q 'the pass of another  *1$' "$scratch/shared.plan" ||
    { echo "FAIL --plan counts a shared pass twice"; failed=1; }
[ "$(work shared --optimiser natural)" != "$(work alone --optimiser natural)" ] ||
    { echo "FAIL --plan forgets that natural gradient makes a pass for each"; failed=1; }
"$pdec" --emit=plan "$scratch/shared.pde" | grep -q 'has the points of task 1 and shares its pass' ||
    { echo "FAIL --emit=plan does not say what is shared"; failed=1; }
exit $failed
