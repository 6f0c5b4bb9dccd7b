/* first.cuh: the first layer: products with W1 over all coordinates, and dW1 with the optimiser. */

KERNEL(product, DevProduct) {
    SHARED real vs[DEV_DEEP][DEV_TILE], ws[DEV_DEEP][DEV_TILE];
    int t = (int)threadIdx.x, tx = t % 16, ty = t / 16;
    int64_t h0 = (int64_t)blockIdx.x * DEV_TILE, r0 = (int64_t)blockIdx.y * DEV_TILE;
    int64_t begin = (int64_t)blockIdx.z * a.chunk;
    int64_t end = begin + a.chunk < a.n_in ? begin + a.chunk : a.n_in;
    real sum[4][4] = {{0}};
    for (int64_t i0 = begin; i0 < end; i0 += DEV_DEEP) {
        for (int e = t; e < DEV_DEEP * DEV_TILE; e += DEV_THREADS) {
            int64_t k = e / DEV_TILE, i = i0 + k, c = e % DEV_TILE, r = r0 + c, h = h0 + c;
            real x = 0;
            if (i < end && r < a.rows)
                x = a.v[r / a.lanes * a.stride + i * a.step + r % a.lanes];
            if (a.weight && i < end)
                x *= a.weight[i];
            vs[k][c] = x;
            ws[k][c] = i < end && h < a.h ? a.w[i * a.h + h] : (real)0;
        }
        BARRIER;
        ADD_TILES(sum, vs, ws)
        BARRIER;
    }
    UNROLL for (int p = 0; p < 4; p++)
        UNROLL for (int q = 0; q < 4; q++) {
            int64_t r = r0 + ty + 16 * p, h = h0 + tx + 16 * q;
            if (r < a.rows && h < a.h)
                a.partial[((int64_t)blockIdx.z * a.rows + r) * a.h + h] = sum[p][q];
        }
}

KERNEL(join, DevJoin) {
    int64_t i = thread_number();
    if (i >= a.n)
        return;
    real sum = a.from[i];
    for (int64_t c = 1; c < a.parts; c++)
        sum += a.from[c * a.n + i];
    a.to[i] = sum;
}

/* sum += v' bar for a tile of coordinates i0 .. and columns h0 .. */
DEVICE void add_source(const DevFirst *a, const DevSource *s, int64_t i0, int64_t h0,
                       real (*vs)[DEV_TILE], real (*bs)[DEV_TILE], real (*sum)[4]) {
    int t = (int)threadIdx.x, tx = t % 16, ty = t / 16;
    for (int64_t r0 = 0; r0 < s->rows; r0 += DEV_DEEP) {
        for (int e = t; e < DEV_DEEP * DEV_TILE; e += DEV_THREADS) {
            int64_t lane = e % DEV_DEEP, i = i0 + e / DEV_DEEP;
            int64_t row = r0 + e / DEV_TILE, h = h0 + e % DEV_TILE;
            vs[lane][e / DEV_DEEP] = i < a->end && r0 + lane < s->rows
                                         ? s->v[r0 / DEV_DEEP * s->stride + i * DEV_DEEP + lane]
                                         : (real)0;
            bs[e / DEV_TILE][e % DEV_TILE] =
                row < s->rows && h < a->h ? s->bar[row * s->bar_step + h] : (real)0;
        }
        BARRIER;
        ADD_TILES(sum, vs, bs)
        BARRIER;
    }
}

/* Entries that hit the tile are found by all threads and then added in their order by each. */
DEVICE void add_entries(const DevFirst *a, const DevEntries *list, int64_t i0, int64_t h0,
                        uint32_t *hit, real (*sum)[4]) {
    int t = (int)threadIdx.x, tx = t % 16, ty = t / 16;
    int64_t n = list->count * list->halves;
    for (int64_t e0 = 0; e0 < n; e0 += DEV_THREADS) {
        int64_t e = e0 + t, i = e < n ? (int64_t)list->index[e] - i0 : -1;
        hit[t] = i >= 0 && i < DEV_TILE;
        BARRIER;
        for (int j = 0; j < DEV_THREADS && e0 + j < n; j++) {
            if (!hit[j])
                continue;
            int64_t at = (int64_t)list->index[e0 + j] - i0, row = (e0 + j) / list->halves;
            const real *bar = list->bar + row / list->per * list->outer + row % list->per * list->inner;
            real f = list->each                                            ? list->coefficient[e0 + j]
                     : list->coefficient && (e0 + j) % list->halves ? list->coefficient[row]
                                                                    : (real)1;
            UNROLL for (int p = 0; p < 4; p++)
                UNROLL for (int q = 0; q < 4; q++)
                    if (at == ty + 16 * p && h0 + tx + 16 * q < a->h)
                        sum[p][q] += f * bar[h0 + tx + 16 * q];
        }
        BARRIER;
    }
}

/* A tile of dW1 from all sources, and straight into the optimiser. */
KERNEL(first, DevFirst) {
    SHARED real vs[DEV_DEEP][DEV_TILE], bs[DEV_DEEP][DEV_TILE];
    SHARED uint32_t hit[DEV_THREADS];
    int t = (int)threadIdx.x, tx = t % 16, ty = t / 16;
    int64_t i0 = a.first + (int64_t)blockIdx.x * DEV_TILE, h0 = (int64_t)blockIdx.y * DEV_TILE;
    real sum[4][4] = {{0}};
    for (int64_t n = 0; n < a.sources; n++)
        add_source(&a, &a.source[n], i0, h0, vs, bs, sum);
    for (int64_t n = 0; n < a.lists; n++)
        add_entries(&a, &a.entries[n], i0, h0, hit, sum);
    UNROLL for (int p = 0; p < 4; p++)
        UNROLL for (int q = 0; q < 4; q++) {
            int64_t i = i0 + ty + 16 * p, h = h0 + tx + 16 * q, at = i * a.h + h;
            if (i >= a.end || h >= a.h)
                continue;
            real g = sum[p][q];
            for (int64_t n = 0; n < a.grams; n++)
                g += a.gram[n].weight[i] * a.gram[n].product[(i - a.first) * a.h + h];
            if (a.gradient)
                a.gradient[at] = g;
            else if (!a.state->refused)
                apply_rule(&a.moved, &a.state->now.rule, at, g);
        }
}
