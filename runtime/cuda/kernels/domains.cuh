/* domains.cuh: points of domains that are not made of rows alone, a thread for each point: what
 * runtime/step/domain.c does, with the same numbers. */

/* Row 0 of a point. */
DEVICE int64_t first_row(int64_t point, int64_t stride) {
    return point / PDE_LANES * stride + point % PDE_LANES;
}

KERNEL(simplex, DevSimplex) {
    int64_t point = thread_number(), face = a.d;
    if (point >= a.points)
        return;
    real *x = a.x + first_row(point, a.stride);
    double sum = 0, root = pde_sqrt((double)a.d);
    for (int64_t i = 0; i < a.d; i++) {
        x[i * PDE_LANES] = -PDE_FN(log_unit)(x[i * PDE_LANES]);
        sum += (double)x[i * PDE_LANES];
    }
    if (a.normal) {
        real *normal = a.normal + first_row(point, a.normal_stride);
        double place =
            uniform_of(a.state, a.seed, a.face_stream, point) * ((double)a.d + root);
        face = (int64_t)place;
        for (int64_t i = 0; i < a.d; i++)
            normal[i * PDE_LANES] = face < a.d ? (i == face ? (real)-1 : (real)0) : (real)(1 / root);
        if (face < a.d) {
            sum -= (double)x[face * PDE_LANES];
            x[face * PDE_LANES] = 0;
        }
    }
    if (!a.normal || face < a.d)
        sum -= pde_log(uniform_of(a.state, a.seed, a.radius_stream, point));
    real factor = (real)(1 / sum);
    for (int64_t i = 0; i < a.d; i++)
        x[i * PDE_LANES] *= factor;
}

KERNEL(stretch, DevStretch) {
    int64_t i = thread_number(), rows = a.d * PDE_LANES, group = i / rows, at = i % rows;
    if (group < a.groups)
        a.x[group * a.stride + at] *= (real)a.semiaxis[at / PDE_LANES];
}

/* Normals of rows 4 quad .. 4 quad + 3. */
DEVICE void normal_quad(const DevEllipsoid *a, uint32_t stream, uint32_t number, int64_t quad, real y[4]) {
    uint32_t word[4];
    pde_random_block(a->seed, stream, a->state->now.draw, number, (uint32_t)quad, word);
    PDE_FN(normal_pair)(word[0], word[1], &y[0], &y[1]);
    PDE_FN(normal_pair)(word[2], word[3], &y[2], &y[3]);
}

KERNEL(ellipsoid, DevEllipsoid) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    real *x = a.x + first_row(point, a.stride), *normal = a.normal + first_row(point, a.normal_stride);
    uint32_t number = point_number(a.state, point), word[4];
    double square = 1, slope = 1, inverse = 0;
    for (int64_t i = 0; i < a.d; i++)
        inverse += 1 / a.semiaxis[i] * (1 / a.semiaxis[i]);
    for (uint32_t attempt = 0, found = 0; !found && attempt < (uint32_t)a.tries; attempt++) {
        double weighted = 0, entry = 0;
        int64_t longer = -1;
        square = 0;
        pde_random_block(a.seed, a.face_stream, a.state->now.draw, number, attempt, word);
        double place = pde_uniform(word[1]) * inverse, more = -2 * pde_log(pde_uniform(word[2]));
        for (int64_t quad = 0; quad * 4 < a.d; quad++) {
            real y[4];
            normal_quad(&a, a.space_stream | attempt << 16, number, quad, y);
            for (int m = 0; m < 4 && quad * 4 + m < a.d; m++) {
                int64_t i = quad * 4 + m;
                double e = (double)y[m], b = 1 / a.semiaxis[i];
                x[i * PDE_LANES] = y[m];
                square += e * e;
                weighted += e * b * (e * b);
                if (longer < 0 && ((place -= b * b) < 0 || i + 1 == a.d)) {
                    longer = i;
                    entry = (e < 0 ? -1 : 1) * pde_sqrt(e * e + more);
                }
            }
        }
        if (pde_uniform(word[0]) < 0.5) {
            double b = 1 / a.semiaxis[longer];
            x[longer * PDE_LANES] = (real)entry;
            square += more;
            weighted += more * b * b;
        }
        slope = pde_sqrt(weighted / square);
        double c = pde_sqrt(inverse / (double)a.d);
        found = pde_uniform(word[3]) * (slope * slope + c * c) <= 2 * c * slope;
    }
    for (int64_t i = 0; i < a.d; i++) {
        double y = (double)x[i * PDE_LANES] / pde_sqrt(square);
        x[i * PDE_LANES] = (real)(a.semiaxis[i] * y);
        normal[i * PDE_LANES] = (real)(y / (a.semiaxis[i] * slope));
    }
}

/* ---- back into the domain after an attack's move ---- */

KERNEL(box_back, DevProject) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    real *x = a.x + first_row(point, a.stride);
    for (int64_t i = 0; i < a.d; i++) {
        double to = (double)x[i * PDE_LANES];
        x[i * PDE_LANES] = (real)(to < a.low ? a.low : to > a.high ? a.high : to);
    }
}

DEVICE void scale_back(const DevProject *a, real *x, double factor) {
    for (int64_t i = 0; i < a->d && factor != 1; i++)
        x[i * PDE_LANES] = (real)(factor * (double)x[i * PDE_LANES]);
}

KERNEL(simplex_back, DevProject) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    real *x = a.x + first_row(point, a.stride);
    double sum = 0;
    for (int64_t i = 0; i < a.d; i++) {
        if (x[i * PDE_LANES] < 0)
            x[i * PDE_LANES] = 0;
        sum += (double)x[i * PDE_LANES];
    }
    scale_back(&a, x, sum > 1 ? 1 / sum : 1);
}

KERNEL(ellipsoid_back, DevProject) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    real *x = a.x + first_row(point, a.stride);
    double scaled = 0;
    for (int64_t i = 0; i < a.d; i++) {
        double y = (double)x[i * PDE_LANES] / a.semiaxis[i];
        scaled += y * y;
    }
    scale_back(&a, x, scaled > 1 ? 1 / pde_sqrt(scaled) : 1);
}
