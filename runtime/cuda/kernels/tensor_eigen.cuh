/* tensor_eigen.cuh: the lowest eigenpair of A v = e B v for the output layers of a tensor network,
 * by one block of DEV_WIDE x DEV_TALL threads for each problem. Not cuSOLVER: it is a library of
 * machine code that no substituted driver can run, so it would be code that nothing here tests.
 *
 * B = D (x) S is a Kronecker product: its eigenvectors are those of D (ranks) times those of S
 * (features), and its eigenvalues their products. Both small problems want all vectors and are done
 * by Jacobi's rotations. In that basis, scaled to B = 1 and without the directions that B hardly
 * sees (the rule of tnn_lowest), A is one symmetric matrix of which only the lowest pair is wanted:
 * Householder's tridiagonal form, bisection with all threads at once, and inverse iteration. As the
 * shift is below all eigenvalues, that factorisation has positive pivots and needs no exchange of
 * rows.
 *
 * Every loop bound is known or the same for all threads, sums have a fixed shape: same bits each
 * time. */

enum {
    EIGEN_SWEEPS = 40,   /* of Jacobi's rotations at most; 6 to 12 are usual */
    EIGEN_SECTIONS = 8,  /* bisection: 257^8 = 2^64 parts of the first interval */
    EIGEN_ITERATIONS = 4 /* of inverse iteration: the shift is right but for the last bits */
};

/* ------------------------------------------------------------------------------ all eigenpairs */

/* Partners of a round: everybody meets everybody in m - 1 rounds (m even); the last one stays. */
DEVICE int partner(int pair, int second, int round, int m) {
    int at = second ? round - pair : round + pair;
    at += at < 0 ? m - 1 : 0;
    at -= at >= m - 1 ? m - 1 : 0;
    return pair == 0 && !second ? m - 1 : at;
}

/* Cosine and sine of the rotation by which x becomes 0. */
DEVICE void rotation(double first, double second, double x, real *turn) {
    double c = 1, s = 0;
    if (x != 0) {
        double cotangent = (second - first) / (2 * x),
               size = cotangent < 0 ? -cotangent : cotangent;
        double tangent = 1 / (size + pde_sqrt(size * size + 1));
        tangent = cotangent < 0 ? -tangent : tangent;
        c = 1 / pde_sqrt(tangent * tangent + 1);
        s = tangent * c;
    }
    turn[0] = (real)c;
    turn[1] = (real)s;
}

/* One round: rows and columns of pairs (p, q) and (r, o) meet in four entries of their own. */
DEVICE void rotate(int m, int round, real *A, real *V, const real *turn) {
    for (int k = (int)threadIdx.y; k < m / 2; k += DEV_TALL) {
        int p = partner(k, 0, round, m), q = partner(k, 1, round, m);
        real c = turn[2 * k], s = turn[2 * k + 1];
        for (int l = (int)threadIdx.x; l < m / 2; l += DEV_WIDE) {
            int r = partner(l, 0, round, m), o = partner(l, 1, round, m);
            real cl = turn[2 * l], sl = turn[2 * l + 1];
            real pr = c * A[p * m + r] - s * A[q * m + r], qr = s * A[p * m + r] + c * A[q * m + r];
            real po = c * A[p * m + o] - s * A[q * m + o], qo = s * A[p * m + o] + c * A[q * m + o];
            A[p * m + r] = cl * pr - sl * po;
            A[q * m + o] = sl * qr + cl * qo;
            A[p * m + o] = k == l ? (real)0 : sl * pr + cl * po;
            A[q * m + r] = k == l ? (real)0 : cl * qr - sl * qo;
        }
    }
    for (int i = (int)threadIdx.y; i < m; i += DEV_TALL)
        for (int l = (int)threadIdx.x; l < m / 2; l += DEV_WIDE) {
            int r = partner(l, 0, round, m), o = partner(l, 1, round, m);
            real cl = turn[2 * l], sl = turn[2 * l + 1], x = V[i * m + r], y = V[i * m + o];
            V[i * m + r] = cl * x - sl * y;
            V[i * m + o] = sl * x + cl * y;
        }
}

/* Symmetric A[m][m], m even, becomes diagonal; eigenvectors are the columns of V. turn: [m] of
 * memory. false: not finite, or not diagonal after EIGEN_SWEEPS. */
DEVICE bool jacobi(int m, real *A, real *V, real *turn, double *part) {
    int t = block_thread();
    for (int i = (int)threadIdx.y; i < m; i += DEV_TALL)
        for (int j = (int)threadIdx.x; j < m; j += DEV_WIDE)
            V[i * m + j] = i == j;
    for (int sweep = 0; sweep < EIGEN_SWEEPS; sweep++) {
        double all = 0, off = 0;
        BARRIER;
        for (int i = (int)threadIdx.y; i < m; i += DEV_TALL)
            for (int j = (int)threadIdx.x; j < m; j += DEV_WIDE) {
                double x = (double)A[i * m + j];
                all += x * x;
                off += i == j ? 0 : x * x;
            }
        all = block_sum(part, all);
        off = block_sum(part, off);
        if (!(off > 1e-32 * all))
            return all * 0 == 0;
        for (int round = 0; round < m - 1; round++) {
            for (int k = t; k < m / 2; k += DEV_THREADS) {
                int p = partner(k, 0, round, m), q = partner(k, 1, round, m);
                rotation((double)A[p * m + p], (double)A[q * m + q], (double)A[p * m + q],
                         turn + 2 * k);
            }
            BARRIER;
            rotate(m, round, A, V, turn);
            BARRIER;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------- the lowest eigenpair */

/* Symmetric A[n][n] to diagonals; row k keeps the vector of reflection k from its column k + 1 on.
 * size[k]: 2 / its square, 0 for none. w: [n] of memory. */
DEVICE void tridiagonal(int n, real *A, real *diagonal, real *beside, real *size, real *w,
                        double *part) {
    int t = block_thread();
    for (int k = 0; k < n - 1; k++) {
        real *v = A + (int64_t)k * n;
        double head = (double)v[k + 1], tail = 0, along = 0;
        for (int j = k + 2 + t; j < n; j += DEV_THREADS)
            tail += (double)v[j] * (double)v[j];
        tail = block_sum(part, tail);
        double norm = pde_sqrt(head * head + tail), first = head < 0 ? head - norm : head + norm;
        double scale = tail > 0 ? 2 / (tail + first * first) : 0;
        if (t == 0) {
            diagonal[k] = v[k];
            beside[k] = (real)(!(scale > 0) ? head : head < 0 ? norm : -norm);
            size[k] = (real)scale;
            v[k + 1] = (real)first;
        }
        BARRIER;
        if (!(scale > 0))
            continue;
        for (int i = k + 1 + t; i < n; i += DEV_THREADS) { /* down column i, as A is symmetric */
            double sum = 0;
            for (int j = k + 1; j < n; j++)
                sum += (double)A[(int64_t)j * n + i] * (double)v[j];
            w[i] = (real)(scale * sum);
            along += (double)w[i] * (double)v[i];
        }
        along = block_sum(part, along) * scale / 2;
        for (int i = k + 1 + t; i < n; i += DEV_THREADS)
            w[i] -= (real)along * v[i];
        BARRIER;
        for (int i = k + 1 + (int)threadIdx.y; i < n; i += DEV_TALL)
            for (int j = k + 1 + (int)threadIdx.x; j < n; j += DEV_WIDE)
                A[(int64_t)i * n + j] -= v[i] * w[j] + w[i] * v[j];
        BARRIER;
    }
    if (t == 0)
        diagonal[n - 1] = A[(int64_t)n * n - 1];
    BARRIER;
}

/* Are all eigenvalues above x? All pivots of the matrix minus x are positive then. */
DEVICE bool all_above(int n, const real *diagonal, const real *beside, double x) {
    double pivot = (double)diagonal[0] - x;
    for (int i = 1; i < n && pivot > 0; i++) {
        double b = (double)beside[i - 1];
        pivot = (double)diagonal[i] - x - b * b / pivot;
    }
    return pivot > 0;
}

/* A number just below the lowest eigenvalue, in range[0]; *scale: no eigenvalue is larger. */
DEVICE void bisect(int n, const real *diagonal, const real *beside, double *range, double *part,
                   double *scale) {
    int t = block_thread();
    *scale = 0;
    for (int i = 0; i < n; i++) {
        double row = 0, x[3] = {(double)diagonal[i], i > 0 ? (double)beside[i - 1] : 0,
                                i < n - 1 ? (double)beside[i] : 0};
        UNROLL for (int k = 0; k < 3; k++)
            row += x[k] < 0 ? -x[k] : x[k];
        *scale = row > *scale ? row : *scale;
    }
    *scale = *scale > 0 ? *scale * (1 + 1e-14) : 1;
    if (t == 0) {
        range[0] = -*scale;
        range[1] = *scale;
    }
    for (int round = 0; round < EIGEN_SECTIONS; round++) {
        BARRIER;
        double low = range[0], step = (range[1] - low) / (DEV_THREADS + 1);
        part[t] = all_above(n, diagonal, beside, low + step * (t + 1));
        BARRIER;
        if (t == 0) {
            int k = 0;
            while (k < DEV_THREADS && part[k] > 0)
                k++;
            range[0] = low + step * k;
            range[1] = k < DEV_THREADS ? low + step * (k + 1) : range[1];
        }
    }
    BARRIER;
}

/* One thread: x of size 1, by solutions with the matrix minus a shift, from a start without any
 * symmetry that an eigenvector could be orthogonal to. The shift is so far below `lowest` that
 * rounding leaves all pivots positive; else ratios of tiny ones would grow without bound. pivot,
 * ratio: [n] of memory. */
DEVICE void inverse_iteration(int n, const real *diagonal, const real *beside, double lowest,
                              double scale, real *pivot, real *ratio, real *x) {
    double shift = lowest - 4e-15 * scale;
    for (int i = 0; i < n; i++) {
        double back = i > 0 ? (double)ratio[i - 1] * (double)beside[i - 1] : 0;
        pivot[i] = (real)((double)diagonal[i] - shift - back);
        ratio[i] = i < n - 1 ? beside[i] / pivot[i] : (real)0;
        x[i] = (real)(1 + 0.01 * (i * 37 % 101));
    }
    for (int k = 0; k < EIGEN_ITERATIONS; k++) {
        double square = 0;
        for (int i = 1; i < n; i++)
            x[i] -= ratio[i - 1] * x[i - 1];
        for (int i = n - 1; i >= 0; i--) {
            x[i] = x[i] / pivot[i] - (i < n - 1 ? ratio[i] * x[i + 1] : (real)0);
            square += (double)x[i] * (double)x[i];
        }
        for (int i = 0; i < n; i++)
            x[i] = (real)((double)x[i] / pde_sqrt(square));
    }
}

/* x becomes the eigenvector of A as it was before tridiagonal(). */
DEVICE void reflect_back(int n, const real *A, const real *size, real *x, double *part) {
    int t = block_thread();
    for (int k = n - 3; k >= 0; k--) {
        const real *v = A + (int64_t)k * n;
        double along = 0;
        for (int j = k + 1 + t; j < n && size[k] > 0; j += DEV_THREADS)
            along += (double)v[j] * (double)x[j];
        along = block_sum(part, along) * (double)size[k];
        for (int j = k + 1 + t; j < n && size[k] > 0; j += DEV_THREADS)
            x[j] -= (real)along * v[j];
        BARRIER;
    }
}

/* --------------------------------------------------------------------------- A v = e D (x) S v */

/* One problem. F: A's factors of the ranks in the basis U of D's eigenvectors, Y: those of the
 * features in the basis Q of S's, but for the first, which is S itself. */
typedef struct Eigen {
    int ranks, features, matrices;
    int rank_step, feature_step;       /* of the rows of U and Q */
    const real *F, *U, *rank_value;    /* [matrices][ranks][ranks], of D */
    const real *Y, *Q, *feature_value; /* [matrices][features][features], of S */
    real *square, *vector; /* memory: [n][n], [DEV_EIGEN_VECTORS][n], n = ranks features */
    int32_t *kept;         /* [n]: directions that B sees */
} Eigen;

/* Directions with at least 1e-11 of B's largest eigenvalue, in their order; by one thread. */
DEVICE int keep(const Eigen *e) {
    double ranks = 0, features = 0;
    int kept = 0;
    for (int r = 0; r < e->ranks; r++)
        ranks = (double)e->rank_value[r] > ranks ? (double)e->rank_value[r] : ranks;
    for (int f = 0; f < e->features; f++)
        features = (double)e->feature_value[f] > features ? (double)e->feature_value[f] : features;
    for (int n = 0; n < e->ranks * e->features && ranks * features > 0; n++)
        if ((double)e->rank_value[n / e->features] * (double)e->feature_value[n % e->features] >=
            1e-11 * (ranks * features))
            e->kept[kept++] = n;
    return kept;
}

/* 1 / sqrt of B in a direction. */
DEVICE real unit_of(const Eigen *e, int n) {
    return (real)(1 / pde_sqrt((double)e->rank_value[n / e->features] *
                               (double)e->feature_value[n % e->features]));
}

/* A between the directions that were kept; false: not finite. */
DEVICE bool project(const Eigen *e, int kept, const real *unit, double *part) {
    int64_t block = (int64_t)e->features * e->features;
    double bad = 0;
    for (int x = (int)threadIdx.y; x < kept; x += DEV_TALL)
        for (int y = (int)threadIdx.x; y <= x; y += DEV_WIDE) {
            int r = e->kept[x] / e->features, f = e->kept[x] % e->features;
            int s = e->kept[y] / e->features, g = e->kept[y] % e->features;
            const real *F = e->F + r * e->ranks + s;
            real sum = f == g ? F[0] * e->feature_value[f] : (real)0;
            for (int m = 1; m < e->matrices; m++)
                sum += F[m * e->ranks * e->ranks] * e->Y[m * block + f * e->features + g];
            sum *= unit[x] * unit[y];
            e->square[(int64_t)x * kept + y] = e->square[(int64_t)y * kept + x] = sum;
            bad += (double)sum * 0;
        }
    return block_sum(part, bad) == 0;
}

/* The eigenvector in the basis of the eigenvectors of S (vector 0 becomes vector 1), then of the
 * features themselves (vector 2), rank after rank. */
DEVICE void spread(const Eigen *e, int kept, const real *unit, const real *x) {
    int n = e->ranks * e->features, t = block_thread();
    real *direction = e->vector, *part = direction + n, *v = part + n;
    for (int k = t; k < n; k += DEV_THREADS)
        direction[k] = 0;
    BARRIER;
    for (int k = t; k < kept; k += DEV_THREADS)
        direction[e->kept[k]] = x[k] * unit[k];
    BARRIER;
    for (int k = t; k < n; k += DEV_THREADS) {
        real sum = 0;
        for (int r = 0; r < e->ranks; r++)
            sum += e->U[k / e->features * e->rank_step + r] *
                   direction[r * e->features + k % e->features];
        part[k] = sum;
    }
    BARRIER;
    for (int k = t; k < n; k += DEV_THREADS) {
        real sum = 0;
        for (int f = 0; f < e->features; f++)
            sum += e->Q[k % e->features * e->feature_step + f] *
                   part[k / e->features * e->features + f];
        v[k] = sum;
    }
    BARRIER;
}

/* Both vectors of spread() get the sign in which the layer is nearer to what it was, W: see
 * tnn_solve.c. */
DEVICE void choose_sign(const Eigen *e, const real *W, double *part) {
    int n = e->ranks * e->features, t = block_thread();
    real *mine = e->vector + n, *v = mine + n;
    double along = 0;
    for (int k = t; k < n; k += DEV_THREADS) {
        int j = k / e->features, f = k % e->features;
        double sum = 0;
        for (int g = 0; g < e->features; g++)
            sum += (double)e->Y[f * e->features + g] * (double)v[j * e->features + g];
        along += sum * (double)W[f * e->ranks + j];
    }
    along = block_sum(part, along);
    for (int k = t; k < n && along < 0; k += DEV_THREADS) {
        mine[k] = -mine[k];
        v[k] = -v[k];
    }
    BARRIER;
}

/* *value and the vectors of spread(); false: no such pair. W: the layer as it was. */
DEVICE bool lowest_pair(const Eigen *e, const real *W, double *value, double *part) {
    SHARED double range[2];
    SHARED int count;
    int n = e->ranks * e->features, t = block_thread();
    real *diagonal = e->vector, *beside = diagonal + n, *size = beside + n, *w = size + n,
         *ratio = w + n, *x = ratio + n, *unit = x + n;
    double scale;
    if (t == 0)
        count = keep(e);
    BARRIER;
    int kept = count;
    for (int k = t; k < kept; k += DEV_THREADS)
        unit[k] = unit_of(e, e->kept[k]);
    BARRIER;
    if (!project(e, kept, unit, part) || kept == 0)
        return false;
    tridiagonal(kept, e->square, diagonal, beside, size, w, part);
    bisect(kept, diagonal, beside, range, part, &scale);
    if (t == 0)
        inverse_iteration(kept, diagonal, beside, range[0], scale, w, ratio, x);
    BARRIER;
    *value = range[0];
    reflect_back(kept, e->square, size, x, part);
    BARRIER;
    spread(e, kept, unit, x);
    choose_sign(e, W, part);
    return (*value + (double)x[0]) * 0 == 0;
}

/* ------------------------------------------------------------------------------------ kernels */

/* A block for each dimension; where their number is odd, a row of zeros is one more feature. */
KERNEL(tensor_spectrum, DevTensorSpectrum) {
    SHARED double part[DEV_THREADS];
    int n = (int)a.n, m = (int)a.even;
    const real *S = a.S + blockIdx.x * a.step;
    real *work = a.work + blockIdx.x * a.even * a.even, *Q = a.Q + blockIdx.x * a.even * a.even;
    for (int i = (int)threadIdx.y; i < m; i += DEV_TALL)
        for (int j = (int)threadIdx.x; j < m; j += DEV_WIDE)
            work[i * m + j] = i < n && j < n ? S[i * n + j] : (real)0;
    BARRIER;
    bool ok = jacobi(m, work, Q, a.turn + blockIdx.x * a.even, part);
    for (int i = block_thread(); i < n; i += DEV_THREADS)
        a.value[blockIdx.x * a.even + i] = work[i * m + i];
    if (!ok)
        a.state->unsolved = 1; /* all threads that write, write the same */
}

/* The problem of dimension k of a block but for its ranks; `problem`: whose memory it takes. */
DEVICE Eigen eigen_of(const DevTensorSolve *a, int64_t k, int64_t problem) {
    int64_t n = a->net.h + 1, square = a->even * a->even;
    Eigen e;
    e.ranks = (int)a->net.p;
    e.features = (int)n;
    e.matrices = (int)a->net.matrices;
    e.feature_step = (int)a->even;
    e.Y = a->Y + k * a->net.matrices * n * n;
    e.Q = a->Q + k * square;
    e.feature_value = a->value + k * a->even;
    e.square = a->square + problem * square;
    e.vector = a->vector + problem * DEV_EIGEN_VECTORS * n;
    e.kept = a->kept + problem * n;
    return e;
}

/* Independent dimensions, a block for each: T v = e S v. */
KERNEL(tensor_lowest, DevTensorSolve) {
    SHARED double part[DEV_THREADS];
    SHARED real one[2]; /* A = T alone; D is the number 1 */
    int64_t k = blockIdx.x;
    int t = block_thread();
    Eigen e = eigen_of(&a, k, k);
    double value;
    if (a.net.state->refused)
        return;
    if (t < 2)
        one[t] = (real)t;
    BARRIER;
    e.F = one;
    e.U = e.rank_value = one + 1;
    e.rank_step = 1;
    real *W = a.net.theta + (a.first + k + 1) * a.net.size - e.features;
    bool ok = lowest_pair(&e, W, &value, part);
    for (int f = t; f < e.features && ok; f += DEV_THREADS)
        W[f] = e.vector[2 * e.features + f];
    if (!ok)
        a.net.state->unsolved = 1;
}
