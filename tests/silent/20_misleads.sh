# Messages that sent a user the wrong way: words that the language has not, reasons that were not the
# reason, help that its own program refused.
set -eu
. "$(dirname "$0")/support.sh"

# problem NAME LINES...: a file with a box in two dimensions and these lines
problem() {
    file=$scratch/$1.pde
    shift
    { printf 'dim d = 2\ndomain x in box(d, 0, 1)\nfield u(x)\n'; printf '%s\n' "$@"; } >"$file"
}

# absent WAY LINES...: refused as no word of the language, with a way out, and without "write *"
absent() {
    way=$1
    shift
    problem absent "$@"
    refused E0260 "$scratch/absent.pde"
    says "$way" "$scratch/refused.txt"
    if grep -q 'for a product' "$scratch/refused.txt"; then bad "a product is offered: $*"; else good; fi
}

absent 'on x_1 = 0 or x_2 = 1' 'equation lap(u) = 1' 'boundary u = 0 where x_1 < 1'
absent 'torus(d, 0, 1)' 'equation lap(u) = 1' 'boundary periodic'
absent 'torus(d, 0, 1)' 'equation lap(u) = 1' 'boundary u periodic'
absent 'torus(d, 0, 1)' 'equation lap(u) = 1' 'periodic x'
absent 'if x_1 < c then a else b' 'let k = 1 if x_1 < 1/2 else 2' 'equation lap(u) = k' 'boundary u = 0'
absent 'if x_1 < c then a else b' 'let k = x_1 < 1/2' 'equation lap(u) = k' 'boundary u = 0'
problem part 'equation lap(u) = 1' 'boundary u = 0 on x_1 = 0' 'boundary d(u, outward) = 0 on x_1 = 1 or x_2 = 0 or x_2 = 1'
accepted "$scratch/part.pde"
problem choice 'let k = if x_1 < 1/2 then 1 else 2' 'equation lap(u) = k' 'boundary u = 0'
accepted "$scratch/choice.pde"
problem ways 'equation lap(u) = 1 + step(x_1 - 1/2)' 'boundary step(1e-6 - x_1) * u = 0'
accepted "$scratch/ways.pde"
problem names 'param on = 2, where = 3' 'equation lap(u) = on * where' 'boundary u = 0'
accepted "$scratch/names.pde"

# the reason is the reason
problem integral 'equation lap(u) = integral(s = 0..1: s * u)' 'boundary u = 0'
refused E0558 "$scratch/integral.pde"
says 'an integral of the unknown' "$scratch/refused.txt"
problem six 'equation lap(lap(lap(u))) = 1' 'boundary u = 0'
refused E0558 "$scratch/six.pde"
says 'beyond the fourth order' "$scratch/refused.txt"

# d2(u, x) in one dimension means d2(u, x_1)
problem one 'equation d2(u, x) = 1' 'boundary u = 0'
sed -i 's/dim d = 2/dim d = 1/' "$scratch/one.pde"
refused E0412 "$scratch/one.pde"
says 'the only coordinate is x_1' "$scratch/refused.txt"

"$pderun" --help all >"$scratch/help.txt"
says 'u,grad.u' "$scratch/help.txt"

finish
