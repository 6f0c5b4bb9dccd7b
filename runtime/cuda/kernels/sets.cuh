/* sets.cuh: index sets of the sampled terms, the directions they name, and random directions. */

enum { FAST_COUNT = 512, FAST_SLOTS = 1024 }; /* sets that fit in shared memory */

DEVICE void term_indices(uint64_t k, uint64_t second, int indices, int ordered, uint32_t *to) {
    if (indices == 1)
        to[0] = (uint32_t)k;
    else if (ordered)
        pde_pair_below(k, to);
    else
        pde_pair_of(k, second, to);
}

/* pde_random_subset by one block for each point: candidates are made by all threads, and taken in
 * order by one. */
KERNEL(set, DevSet) {
    SHARED uint64_t fast_number[FAST_COUNT], fast_table[FAST_SLOTS];
    int64_t point = blockIdx.x, drawn = a.slices > 0 ? point % a.slices : point;
    int fast = a.count <= FAST_COUNT && a.slots <= FAST_SLOTS;
    uint64_t *number = fast ? fast_number : a.number + point * a.count;
    uint64_t *table = fast ? fast_table : a.table + point * (int64_t)a.slots;
    uint32_t *set = a.set + point * a.count * a.indices;
    uint64_t top = a.size - (uint64_t)a.count;
    for (int64_t i = threadIdx.x; i < a.slots; i += blockDim.x)
        table[i] = PDE_SUBSET_EMPTY;
    for (int64_t i = threadIdx.x; i < a.count; i += blockDim.x)
        number[i] = pde_random_below(pde_random_word64(a.seed, a.stream, a.state->now.step,
                                                       (uint32_t)drawn, (uint32_t)i),
                                     top + (uint64_t)i + 1);
    BARRIER;
    for (int64_t i = 0; i < a.count && threadIdx.x == 0; i++)
        number[i] = pde_subset_take(table, a.slots, number[i], top + (uint64_t)i);
    BARRIER;
    for (int64_t i = threadIdx.x; i < a.count; i += blockDim.x)
        term_indices(number[i], a.second, a.indices, a.ordered, set + i * a.indices);
}

KERNEL(enumerate, DevEnumerate) {
    int64_t k = thread_number();
    if (k < a.count)
        term_indices(a.first + (uint64_t)k, a.second, a.indices, a.ordered, a.set + k * a.indices);
}

/* A neighbour outside the coordinates has no direction: its sum's guard discards what is there. */
DEVICE uint32_t shifted_index(uint32_t index, int64_t shift, int64_t d) {
    int64_t i = (int64_t)index + shift;
    return (uint32_t)(i < 0 ? 0 : i >= d ? d - 1 : i);
}

KERNEL(directions, DevDirections) {
    int64_t k = thread_number();
    if (k >= a.count)
        return;
    const uint32_t *term = a.set + k * a.indices;
    uint32_t i = a.base[a.position] + term[a.position];
    if (!a.pair) {
        a.index[k] = shifted_index(i, a.shift, a.d);
        return;
    }
    a.index[2 * k] = shifted_index(i, a.first, a.d);
    a.index[2 * k + 1] = a.with_scalar ? a.scalar
                         : a.neighbour ? shifted_index(i, a.shift, a.d)
                                       : a.base[1] + term[1];
    a.coefficient[k] = (real)a.sign;
}

KERNEL(probe, DevProbe) {
    int64_t i = thread_number(), rows = a.n_in * PDE_LANES;
    if (i >= a.groups * rows)
        return;
    double size = pde_sqrt((double)a.weight[i % rows / PDE_LANES] / (double)a.count);
    double z = (double)a.v[i];
    a.v[i] = (real)(size * (a.normal ? z : z < 0.5 ? -1 : 1));
}
