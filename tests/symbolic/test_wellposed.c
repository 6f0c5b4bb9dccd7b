/* test_wellposed.c: what the passes on the IR report, and where: every code of diag_symbolic.def,
 * and problems on which they must keep quiet. */
#include "compiler/base/diag.h"
#include "compiler/pdec.h"

#include "greatest.h"

#include <stdio.h>
#include <string.h>

typedef struct Case {
    const char *expected; /* "LINE:COLUMN CODE ...", in order; "" for silence */
    const char *says;     /* part of the full message, or NULL */
    const char *text;
} Case;

#define BALL "dim d = 10\ndomain x in ball(d, 1)\nfield u(x)\n"
#define BOX "dim d = 10\ndomain x in box(d, 0, 1)\nfield u(x)\n"
#define SPACE                                                                                      \
    "dim d = 10\nparam T = 1\ndomain x in R(d)\nsample x_i ~ normal(0, 1)\ntime t in [0, "         \
    "T]\nfield u(x, t)\n"
#define BOX_TIME "dim d = 10\ndomain x in box(d, 0, 1)\ntime t in [0, 1]\nfield u(x, t)\n"

/* An eigenvalue problem for a tensor network: the potential follows. */
#define EIGEN                                                                                      \
    "dim d = 10\ndomain x in R(d)\nfield psi(x)\nunknown lambda = d\neigen lambda smallest\n"
#define TNN "\nsolve {\n  network tnn(rank = 1)\n}\n"
#define POTENTIAL(v) EIGEN "equation -lap(psi) + (" v ") * psi = lambda * psi" TNN
#define IN_SINE(v)                                                                                 \
    EIGEN "equation -lap(psi) + (" v ") * psi = lambda * psi\ncoordinates y = sine(x)" TNN

static const Case cases[] = {
    /* what a tensor network can integrate */
    {"6:1 E0561", "not linear in the field", POTENTIAL("psi^2")},
    {"6:10 E0561", "depends on the point",
     EIGEN "equation -sum_i x_i^2 * d2(psi, x_i) = lambda * psi" TNN},
    {"6:10 E0561", "not a sum of second derivatives",
     EIGEN "equation -lap(lap(psi)) = lambda * psi" TNN},
    {"6:1 E0561", "no second derivatives", EIGEN "equation norm(x)^2 * psi = lambda * psi" TNN},
    {"4:1 E0561", "eigen",
     "dim d = 10\ndomain x in R(d)\nfield psi(x)\nequation -lap(psi) + norm(x)^2 * psi = 0" TNN},
    {"6:37 E0562", "inside another function", POTENTIAL("sum_i x_i^2 + exp(-norm(x)^2)")},
    {"6:23 E0562", "not a product", POTENTIAL("sum_{i<j} exp(-(x_i - x_j)^2)")},
    {"6:37 E0562", "neither neighbours", POTENTIAL("sum_i x_i^2 + sum_{i=1..d-2} x_i * x_{i+2}")},
    {"6:23 E0562", "more than two coordinates",
     POTENTIAL("sum_{i=1..d-2} x_i * x_{i+1} * x_{i+2}")},
    {"6:1 E0563", "not multiples of squares", IN_SINE("sum_i x_i^4")},
    {"6:1 E0563", "depend on i", IN_SINE("sum_i i * x_i^2")},
    {"6:37 E0563", "more than neighbours", IN_SINE("sum_i x_i^2 + sum_{i<j} x_i * x_j")},
    {"", NULL,
     POTENTIAL(
         "sum_i x_i^4 + sum_{i=1..d-1} (x_i - x_{i+1})^2 + (sum_i sin(x_i))^2 + x_1 * x_2 + 1")},
    {"", NULL, IN_SINE("2 * sum_i x_i^2 + 0.5 * sum_{i=1..d-1} x_i * x_{i+1} + sum_k y_k^4")},
    {"6:1 E0561", "a part of the boundary",
     "dim d = 4\ndomain x in box(d, -5, 5)\nfield psi(x)\nunknown lambda = d\neigen lambda "
     "smallest\n"
     "boundary psi = 0 on x_1 = 5 exactly\nequation -lap(psi) = lambda * psi" TNN},
    {"6:1 E0561", "at points",
     "dim d = 4\ndomain x in box(d, -5, 5)\nfield psi(x)\nunknown lambda = d\neigen lambda "
     "smallest\n"
     "observe psi = 1 at x_i = 0\nequation -lap(psi) = lambda * psi\nboundary psi = 0 exactly" TNN},
    /* direction */
    {"8:1 E0551", "needs initial data and has terminal data",
     SPACE "equation d(u, t) = lap(u)\nterminal u = 1\n"},
    {"8:1 E0551", "runs backwards",
     SPACE "equation d(u, t) + lap(u) - sum_i d(u, x_i)^2 = 0\ninitial u = 1\n"},
    {"6:1 E0551", "runs forwards",
     BOX_TIME
     "equation lap(lap(u)) = -d(u, t)\nterminal u = 1\nboundary u = 0\nboundary lap(u) = 0\n"},
    {"8:1 E0551", NULL,
     SPACE "equation -2 * d(u, t) = 1 - sum_i (1 + x_i^2) * d2(u, x_i)\nterminal u = 1\n"},
    {"", NULL, SPACE "equation d(u, t) = lap(u)\ninitial u = 1\n"},
    {"", NULL, SPACE "equation d(u, t) + lap(u) = 0\nterminal u = 1\n"},
    {"", NULL, SPACE "equation d(u, t) = d2(u, x_1) - d2(u, x_2)\nterminal u = 1\n"},
    {"", NULL, SPACE "equation d(u, t) = u * lap(u)\nterminal u = 1\n"},
    {"", NULL, SPACE "equation d(u, t) = sum_i d(u, x_i)\nterminal u = 1\n"},
    {"", NULL, SPACE "equation d2(u, t) = lap(u)\nterminal u = 1\nterminal d(u, t) = 0\n"},
    {"", NULL,
     SPACE "data A_ij from \"a.npy\"\nequation d(u, t) = sum_ij A_ij * d2(u, x_i, x_j)\nterminal u "
           "= 1\n"},
    /* sources, trial functions, equations */
    {"5:1 E0552", NULL,
     BALL
     "exact u = 1 - norm(x)^2\nequation lap(u) = sin(g)\nsource g from exact\nboundary u = 0\n"},
    {"6:8 E0553 6:11 E0553", NULL,
     BALL
     "exact u = 1 - norm(x)^2\nequation lap(u) = g + h\nsource g, h from exact\nboundary u = 0\n"},
    {"5:1 E0554", "only values of a field",
     BALL "equation lap(u) = 1\nboundary d(u, outward) = 0 exactly\n"},
    {"6:1 E0581", "1 remains where they meet",
     BOX_TIME "equation d(u, t) = lap(u)\ninitial u = 1 exactly\nboundary u = 0 exactly\n"},
    {"", NULL,
     BOX_TIME
     "equation d(u, t) = lap(u)\ninitial u = x_1 exactly\nboundary u = x_1 * exp(-t) exactly\n"},
    {"6:1 E0582", NULL,
     BALL "exact u = x_1 * x_2\nequation lap(u) = 0\nboundary u = exact(u) exactly\n"},
    {"", NULL,
     BALL "exact u = norm(x)^2\nequation lap(u) = 2 * d\nboundary u = exact(u) exactly\n"},
    {"", NULL,
     BOX_TIME
     "field k(x)\nequation d(u, t) = k * lap(u)\nequation k = 1\ninitial u = 1\nboundary u = 1\n"},
    {"4:1 E0587", "the whole space has no mean",
     "dim d = 2\ndomain x in R(d)\nfield u(x)\nconstraint mean(u) = 1\nequation lap(u) = u\n"
     "sample x_i ~ normal(0, 1)\n"},
    {"4:1 E0587", "the volume of a domain with `where`",
     "domain x in box(2, 0, 1) where x_1 < x_2\nfield u(x)\nequation lap(u) = 1\n"
     "constraint integral(u) = 1\nboundary u = 0\n"},
    {"3:1 E0587", "write the integral, or leave `sample` out",
     "domain x in box(2, 0, 1)\nfield u(x)\nconstraint mean(u) = 1\nequation lap(u) = 1\n"
     "sample x_i ~ uniform(0, 1/2)\nboundary u = 0\n"},
    {"3:1 E0587", "the volume of this domain is not known",
     "domain x in box(2, 0, 1), y in [0, 1]\nfield u(x, y)\nconstraint integral(u) = 1\n"
     "equation lap(u) = 1\nboundary u = 0\n"},
    {"3:26 E0587", "may depend on the time alone",
     "domain x in box(2, 0, 1)\nfield u(x)\nconstraint integral(u) = x_1\nequation lap(u) = 1\n"
     "boundary u = 0\n"},
    {"3:1 E0557", NULL,
     "domain x in box(2, 0, 1)\nfield u(x)\nconstraint mean(d(u, outward)) = 0\n"
     "equation lap(u) = 1\nboundary u = 0\n"},
    {"", NULL,
     "dim d = 3\ndomain x in R(d)\ntime t in [0, 1]\nfield p(x, t)\nequation d(p, t) = lap(p)\n"
     "constraint integral(p) = exp(-t)\ninitial p = 1\nsample x_i ~ normal(0, 1)\n"},
    {"5:7 E0586", "the exact solution of 'k' depends on t",
     BOX_TIME "field k(x)\nequation d(u, t) = k * lap(u)\nequation k = 1\ninitial u = 1\n"
              "boundary u = 1\nexact k = t\n"},
    {"3:7 E0583", "'u' is declared without y",
     "dim d = 3\ndomain x in ball(d, 1), y in [0, 1]\nfield u(x)\nequation lap(u) = 1\n"},
    {"4:1 E0555", NULL, BALL "equation u - u = norm(x)\nboundary u = 0\n"},
    {"", NULL,
     BALL
     "equation lap(u) = 1\nboundary u = 0\nsolve {\n  network mlp(features = [x, x / 2])\n}\n"},
    {"7:30 E0556", NULL,
     BALL "equation lap(u) = 1\nboundary u = 0\nsolve {\n  network mlp(features = [x, "
          "hessian(norm(x)^4)])\n}\n"},
    {"7:26 E0559", "numbers",
     BALL "equation lap(u) = 1\nboundary u = 0\nsolve {\n  network mlp(features = [1, 2, 3, 4, 5, "
          "6, 7, 8, 9, 10, 11, 12, "
          "13, 14, 15, 16, x_1])\n}\n"},
    {"4:1 E0558", "too many entries of the features",
     BALL "equation lap(u) = 1\nboundary u = 0\nsolve {\n  network mlp(features = [x, x / (1 + "
          "norm(x))])\n}\n"},
    {"4:1 E0557", NULL, BALL "equation lap(u) = d(u, outward)\nboundary u = 0\n"},
    {"6:1 E0557", NULL,
     BALL "equation lap(u) = 1\nboundary u = 0\nreport d(u, outward) at x_i = 1\n"},
    {"6:1 E0557", NULL,
     BOX_TIME
     "equation d(u, t) = lap(u)\ninitial d(u, outward) = 0\ninitial u = 0\nboundary u = 0\n"},
    {"4:1 E0558", NULL, BALL "equation lap(u) + max_i d(u, x_i) = 1\nboundary u = 0\n"},
    {"4:1 E0558", "three or more different variables",
     BALL "equation sum_{i=1..d-2} d(u, x_i, x_{i+1}, x_{i+2}) * x_i = u\nboundary u = 0\n"},
    {"4:1 E0558", "beyond the fourth order",
     BALL "equation sum_i d5(u, x_i) = u\nboundary u = 0\n"},
    {"4:1 E0558", "shifted coordinates of a pair",
     BALL
     "equation sum_{i=1..d, j=1..d-1} d2(u, x_i, x_j) * d2(u, x_i, x_{j+1}) = u\nboundary u = 0\n"},
    {"4:1 W1201 4:1 E0558", "neither a derivative along a direction",
     BALL "equation sqrt(1 + (sum_i d4(u, x_i))^2) = u\nboundary u = 0\n"},
    {"5:19 E0601", NULL, BALL "coordinates y = sine(x)\nequation lap(u) = y_1\nboundary u = 0\n"},
    /* counting */
    {"4:1 W1201", "missing: boundary u = ...", BALL "equation lap(u) = 1\n"},
    {"4:1 W1201", "missing: boundary d(u, outward) = ...",
     BALL "equation lap(lap(u)) = 1\nboundary u = 0\n"},
    {"5:1 W1201", "missing: initial d(u, t) = ...",
     BOX_TIME "equation d2(u, t) = lap(u)\ninitial u = 0\nboundary u = 0\n"},
    {"7:1 W1201", "missing: terminal u = ...", SPACE "equation d(u, t) + lap(u) = 0\n"},
    {"9:1 W1201", "1 condition on v in time: none is given",
     SPACE
     "field v(x, t)\nequation d(u, t) = lap(u) + v\nequation d(v, t) = u - v\ninitial u = 0\n"},
    {"4:1 W1201", NULL, BALL "equation lap(u) = 1\nansatz u = (1 - norm(x)^2) * net\n"},
    {"", NULL, BALL "equation lap(u) = 1\nboundary u = 0 exactly\n"},
    {"6:1 E0594", NULL,
     BALL "unknown lambda = 1\nequation lap(u) = lambda * u\neigen lambda smallest\n"},
    {"", NULL,
     "dim d = 3\ndomain x in torus(d, 0, 1)\nfield u(x)\nunknown lambda = 1\n"
     "equation -lap(u) + sin(2*pi*x_1) * u = lambda * u\neigen lambda smallest\n"},
    {"", NULL,
     BOX_TIME "unknown nu in (0, 1) = 0.1\nequation d(u, t) = nu * lap(u)\ninitial u = 1\n"},
    {"", NULL, BOX_TIME "equation d(u, t) + sum_i d(u, x_i) = 0\ninitial u = 0\n"},
    {"", NULL, SPACE "equation d2(u, t) = lap(u)\ninitial u = 0\nterminal u = 1\n"},
    /* does the ansatz meet the condition? */
    {"5:1 W1202", "net remains",
     BALL "equation lap(u) = 1\nboundary u = 0\nansatz u = (2 - norm(x)^2) * net\n"},
    {"5:1 W1202", NULL,
     BOX "equation lap(u) = 1\nboundary u = 0\nansatz u = (prod_i x_i * (2 - x_i)) * net\n"},
    {"8:1 W1202", "T * net remains",
     SPACE "equation d(u, t) + lap(u) = 1\nterminal u = 1\nansatz u = t * net + 1\n"},
    {"8:1 W1202", NULL,
     SPACE
     "equation d(u, t) + lap(u) = 1\nterminal u = norm(x)\nansatz u = (T - t) * net + norm(x)^2\n"},
    {"", NULL,
     BALL "equation lap(u) = 1\nboundary u = 0 weight 10\nansatz u = (2 - norm(x)^2) * net\n"},
    {"", NULL, BALL "equation lap(u) = 1\nboundary u = 0\nansatz u = sin(pi * norm(x)^2) * net\n"},
    {"", NULL, BALL "equation lap(u) = 1\nboundary u = 0\nansatz u = (1 + norm(x)^2) * net\n"},
    {"", NULL,
     BOX "equation lap(u) = 1\nboundary u = 0\nansatz u = (prod_i sin(pi * x_i)) * net\n"},
    {"", NULL,
     SPACE "equation d(u, t) = lap(u)\ninitial log(u) = -norm(x)^2\nansatz u = exp(net)\n"},
    /* expectations */
    {"4:1 W1204", NULL,
     BALL "reference u = expect(w_i ~ normal(0, 1): norm(x + w))\nequation lap(u) = 1\nboundary u "
          "= 0\n"},
    {"", NULL,
     BALL "reference u = expect(w_i ~ normal(0, 1): norm(x + w)) at x_i = 0\nequation lap(u) = 1\n"
          "boundary u = 0\n"},
    {"4:1 E0601", "in references only",
     BALL "equation lap(u) = expect(w ~ normal(0, 1): w * x_1)\nboundary u = 0\n"},
    {"4:1 E0601", "in references only",
     BALL "report expect(w ~ normal(0, 1): w)\nequation lap(u) = 1\nboundary u = 0\n"},
    {"4:36 E0601", "depends on the point",
     BALL "reference u = expect(w ~ normal(0, x_1): w) at x_i = 0\nequation lap(u) = 1\n"
          "boundary u = 0\n"},
    {"4:15 E0601", "inside an expectation",
     BALL "reference u = expect(w ~ normal(0, 1): expect(v ~ normal(w, 1): v)) at x_i = 0\n"
          "equation lap(u) = 1\nboundary u = 0\n"},
    {"5:1 E0601", "a sampled number",
     BALL
     "sample s ~ uniform(0, 1)\nreference u = s at x_i = 0\nequation lap(u) = 1\nboundary u = 0\n"},
    /* eigenfunctions that may vanish */
    {"7:1 E0590", "psi = 0 would solve it",
     "dim d = 3\ndomain x in ball(d, 1)\nfield psi(x)\nunknown lambda = 10\n"
     "equation -lap(psi) = lambda * psi\nansatz psi = (1 - norm(x)^2) * net\neigen lambda "
     "smallest\n"
     "boundary psi = 0\n"},
    {"5:1 E0591", NULL,
     "dim d = 3\ndomain x in ball(d, 1)\nfield psi(x)\nunknown mu = 3\n"
     "equation -lap(psi) + psi^3 = mu * psi\neigen mu smallest\nboundary psi = 0 exactly\n"},
    {"7:1 E0592", NULL,
     "dim d = 3\ndomain x in ball(d, 1)\nfield psi(x)\nunknown lambda = 10\n"
     "equation -lap(psi) = lambda * psi\neigen lambda smallest\nboundary psi = 0\n"},
    /* deltas that a derivative would leave out */
    {"8:14 E0571", "leave `exactly` out",
     SPACE "equation d(u, t) + lap(u) = 0\nterminal u = max(x_1, 0) exactly\n"},
    {"8:12 E0571", "an ansatz is differentiated",
     SPACE
     "equation d(u, t) + lap(u) = 0\nansatz u = abs(x_1) + (1 - t) * net\nterminal u = abs(x_1)\n"},
    {"4:14 E0571", "no weak form",
     BOX "equation div(step(x_1 - 0.5) * grad(u)) = 1\nboundary u = 0\n"},
    {"4:11 E0571", "would lack the delta",
     BOX "exact u = abs(x_1 - 0.5) * x_2\nequation lap(u) = g\nsource g from exact\nboundary u = "
         "exact(u)\n"},
    {"7:30 E0571", "out of the features",
     BOX
     "equation lap(u) = 1\nboundary u = 0\nsolve {\n  network mlp(features = [x, max_i x_i])\n}\n"},
    {"", NULL,
     BOX "equation div(abs(x_1 - 0.5) * grad(u)) = step(x_2 - 0.5)\nboundary u = max_i x_i\n"},
    /* 1/k_i + (1 - 1/k_i) exp(-2 k_i t) has no zero, as one sees by each i; of k_i - 1.2 the same cannot be said */
    {"", NULL,
     SPACE "let k_i = 0.5 + i / d\nequation d(u, t) = lap(u) + g\nsource g from exact\n"
           "exact u = exp(-sum_i x_i^2 / (1/k_i + (1 - 1/k_i) * exp(-2 * k_i * t)))\n"
           "initial u = exp(-norm(x)^2)\n"},
    {"10:11 E0571", "jumps through a pole",
     SPACE "let k_i = i / d - t\nequation d(u, t) = lap(u) + g\nsource g from exact\n"
           "exact u = exp(-sum_i x_i^2 / k_i)\ninitial u = exp(-norm(x)^2)\n"},
    /* a constant that is free, a zero that solves, a norm that nothing computes */
    {"4:1 W1206", "a constant may be added",
     BALL "equation lap(u) = 4\nboundary d(u, outward) = 2\n"},
    {"", NULL, BALL "equation lap(u) - u = 4\nboundary d(u, outward) = 2\n"},
    {"5:1 E0593", "whatever lambda is",
     "dim d = 3\ndomain x in ball(d, 1)\nfield psi(x)\nunknown lambda = 10\n"
     "equation -lap(psi) = lambda * psi\nboundary psi = 0 exactly\n"},
    {"8:1 W1207", "keeps the size",
     "dim d = 3\ndomain x in ball(d, 1)\nfield psi(x)\nunknown lambda = 10\n"
     "equation -lap(psi) = lambda * psi\nboundary psi = 0 exactly\neigen lambda smallest\n"
     "normalise psi^2 : integral(x) = 1\nsample x ~ radial(uniform)\n"},
    {"", NULL,
     "dim d = 3\ndomain x in ball(d, 1)\nfield psi(x)\nunknown lambda = 10\n"
     "equation -lap(psi) = lambda * psi\nboundary psi = 0 exactly\neigen lambda smallest\n"
     "normalise psi^2 : integral(x) = 1\n"},
    /* is the exact solution one? */
    {"5:1 E0595", "left minus right is 19",
     BALL "exact u = norm(x)^2 - 1\nequation lap(u) = 1\nboundary u = 0 exactly\n"},
    {"", NULL, BALL "exact u = norm(x)^2 - 1\nequation lap(u) = 2 * d\nboundary u = 0 exactly\n"},
    {"4:1 E0596", "not a number",
     "dim d = 4\ndomain x in box(d, -1, 1)\nfield u(x)\nexact u = sqrt(x_1)\nequation lap(u) = 1\n"
     "boundary u = 0\n"},
    {"9:1 E0597", "initial condition",
     SPACE "exact u = exp(-t) * x_1\nequation d(u, t) = lap(u) - u\ninitial u = 2 * x_1\n"},
    {"6:1 W1205", "only nearly",
     BOX
     "param a = 0.3333\nexact u = a * x_1^3\nequation lap(u) = 2 * x_1\nboundary u = a * x_1^3\n"},
    /* single points */
    /* parts of the boundary */
    {"5:19 E0584", "its faces there are at 0",
     BOX "equation lap(u) = 1\nboundary u = 0 on x_1 = 1/2\n"},
    {"", NULL, BOX "equation lap(u) = 1\nboundary u = 0 on x_i = 0 or x_i = 1\n"},
    {"4:1 W1209", "on a part of the boundary",
     BOX "equation lap(u) = 1\nboundary u = 0 on x_i = 0\n"},
    {"", NULL,
     "time t in [0, 4]\nfield q(t)\nequation d2(q, t) = -sin(q)\ninitial q = 1\ninitial d(q, t) = "
     "0\n"},
    {"3:1 W1209", "on a part of the boundary",
     "time t in [0, 4]\nfield q(t)\nequation d2(q, t) = -sin(q)\ninitial q = 1\n"},
    {"6:1 E0554", "not shown to agree",
     BOX
     "equation lap(u) = 1\nboundary u = 0 on x_1 = 0 exactly\nboundary u = 1 on x_2 = 0 exactly\n"},
    /* periodic domains */
    {"6:40 E0585", "this feature",
     "domain x in torus(2, 0, 1)\nfield u(x)\nequation lap(u) - u = sin(2*pi*x_1)\nsolve {\n"
     "# one of these is not periodic\nnetwork mlp(features = [sin(2*pi*x_i), x])\n}\n"},
    {"3:1 E0585", "this exact solution",
     "domain x in torus(2, 0, 1)\nfield u(x)\nexact u = x_1\nequation lap(u) - u = g\nsource g "
     "from exact\n"},
    {"3:1 W1210", "jump", "domain x in torus(2, 0, 1)\nfield u(x)\nequation lap(u) - u = x_1\n"},
    {"", NULL, "domain x in torus(2, 0, 1)\nfield u(x)\nequation lap(u) - u = sin(2*pi*x_1)\n"},
    {"6:1 W1208", "outside the domain",
     BALL "equation lap(u) = 1\nboundary u = 0\nreport u at x_i = 1\n"},
    {"", NULL, BALL "equation lap(u) = 1\nboundary u = 0\nreport u at x_i = 1 / sqrt(d)\n"},
    {"7:1 E0598", "where the exact solution is 1",
     BALL "exact u = 1 - norm(x)^2\nequation lap(u) = -2 * d\nboundary u = 0\nreference u = 2 at "
          "x_i = 0\n"},
    {"6:1 E0599", "infinite",
     BALL "equation lap(u) = 1\nboundary u = 0\nreference u = 1 / x_1 at x_i = 0\n"},
    /* cost */
    {"4:19 W1203", "O(d^2)",
     BALL "equation lap(u) = sum_i sum_j exp(-(x_i - x_j)^2)\nboundary u = 0\n"},
    {"", NULL,
     BALL "equation lap(u) = (sum_i x_i) * sum_j sin(x_j) + sum_{i=1..d-1} x_i * x_{i+1}\nboundary "
          "u = 0\n"},
    {"", NULL,
     SPACE
     "equation d(u, t) = lap(u) * sum_{i=1..900000000} sin(i * x_1)\nterminal u = 1\n"}, /* in no
                                                                                            time */
    {"", NULL,
     BALL
     "equation sum_ij d4(u, x_i, x_i, x_j, x_j) = 1\nboundary u = 0\nboundary d(u, outward) = 0\n"},
};

static char note[2048];

/* "file:LINE:COLUMN: CODE text" lines as "LINE:COLUMN CODE ...". */
static void summarise(const char *messages, char *out, size_t size) {
    out[0] = '\0';
    for (const char *line = messages; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        unsigned row, column;
        char code[8];
        if (sscanf(line, "case:%u:%u: %7s", &row, &column, code) == 3)
            snprintf(out + strlen(out), size - strlen(out), "%s%u:%u %s", *out ? " " : "", row,
                     column, code);
    }
}

static bool reported(const Case *k, PdecFormat format, char *out, size_t size) {
    PdecOptions options = {.format = format};
    PdecResult result;
    pdec_compile("case", k->text, strlen(k->text), &options, &result);
    if (format == PDEC_SHORT)
        summarise(result.messages, out, size);
    else
        snprintf(out, size, "%s", result.messages ? result.messages : "");
    pdec_result_free(&result);
    return true;
}

TEST messages_are_exact(void) {
    char found[512], full[4096];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        reported(&cases[k], PDEC_SHORT, found, sizeof found);
        snprintf(note, sizeof note, "expected \"%s\", found \"%s\" in\n%s", cases[k].expected,
                 found, cases[k].text);
        ASSERTm(note, strcmp(found, cases[k].expected) == 0);
        if (!cases[k].says)
            continue;
        reported(&cases[k], PDEC_TEXT, full, sizeof full);
        snprintf(note, sizeof note, "\"%s\" is not said: %.1500s", cases[k].says, full);
        ASSERTm(note, strstr(full, cases[k].says) != NULL);
    }
    PASS();
}

TEST every_code_is_tested(void) {
    static const char *const codes[] = {
#define D(code, severity, slug, format, explanation) #code,
#include "compiler/base/diag_symbolic.def"
#undef D
    };
    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
        bool found =
            strcmp(codes[c], "X0901") == 0; /* an internal error has no problem that shows it */
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            found |= strstr(cases[k].expected, codes[c]) != NULL;
        ASSERTm(codes[c], found);
        ASSERTm(codes[c], pdec_explain(codes[c]) != NULL);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(messages_are_exact);
    RUN_TEST(every_code_is_tested);
    GREATEST_MAIN_END();
}
