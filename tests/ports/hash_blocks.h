/* Scenes of hash.c: building blocks of the library on their own. */

/* ---- Shapes ---- */

/* All generators, with all diagonals, and the flat coordinates of those that have them. */
static void shapes(const char *name, int steps)
{
    enum { KINDS = SHAPE_CAPSULE + 1, DIAGONALS = DC_DIAGONALS_HERRINGBONE + 1, ROOM = 1000 };
    static dc_vec3 positions[ROOM];
    static dc_vec2 flat[ROOM];
    static dc_index corners[3 * 2 * ROOM];
    uint64_t hash = HASH_BEGIN;
    dc_error error;
    int i;
    (void)steps;
    for (i = 0; i < KINDS * DIAGONALS; i++) {
        shape_desc shape = shape_defaults((shape_kind)(i / DIAGONALS));
        dc_index vertices, triangles;
        int is_flat = shape.kind <= SHAPE_ANNULUS;
        shape.diagonals = (dc_diagonals)(i % DIAGONALS);
        shape.columns = 12;
        shape.rows = 5;
        if (shape.kind < SHAPE_DISK) shape.jitter = (dc_real)0.25;
        if (shape_counts(&shape, &vertices, &triangles, &error) != DC_OK || vertices > ROOM)
            stop(name, "counts", &error);
        if (shape_build(&shape, positions, corners, is_flat ? flat : NULL, NULL, &error) != DC_OK)
            stop(name, "build", &error);
        hash = hash_reals(hash, &positions[0].x, 3 * vertices);
        if (is_flat) hash = hash_reals(hash, &flat[0].x, 2 * vertices);
        hash = hash_indices(hash, corners, 3 * triangles);
    }
    print_hash(name, hash);
}

/* A mesh with a seam, a needle and a vertex of its own, by flat corners and by lengths. */
static void adjacency(const char *name, int steps)
{
    enum { CORNERS = 3 * 8, VERTICES = 10 };
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_vec3 positions[VERTICES];
    dc_index corners[CORNERS], q;
    dc_vec2 flat[CORNERS];
    dc_real lengths[CORNERS];
    dc_mesh_desc desc;
    mesh_report report;
    dc_mesh mesh;
    dc_error error;
    uint64_t hash = HASH_BEGIN;
    size_t bytes = dc_mesh_bytes(VERTICES, CORNERS / 3);
    void *memory = allocate(bytes);
    int given;
    (void)steps;
    shape.columns = shape.rows = 2;
    shape.diagonals = DC_DIAGONALS_HERRINGBONE;
    if (shape_build(&shape, positions, corners, NULL, &desc, &error) != DC_OK)
        stop(name, "build", &error);
    positions[9] = dci_vec(1, 1, 1);
    desc.vertex_count = VERTICES;
    for (q = 0; q < CORNERS; q++) {
        flat[q].x = positions[corners[q]].x * (dc_real)(q < 12 ? 1.5 : 1);
        flat[q].y = positions[corners[q]].y / (dc_real)(q < 3 ? 32 : 1);
        lengths[q] = 1 + dci_random(4, (uint32_t)q) / 4;
    }
    for (given = 0; given < 2; given++) {
        desc.flat_corners = flat;
        desc.rest_lengths = given ? lengths : NULL;
        if (dc_mesh_init(&desc, memory, bytes, &mesh, &error) != DC_OK) stop(name, "init", &error);
        if (!mesh_report_make(&report, &mesh)) exit(1);
        hash = hash_reals(hash, mesh.rest_length, CORNERS);
        hash = hash_reals(hash, mesh.rest_area, CORNERS / 3);
        hash = hash_indices(hash, mesh.fan_corner, CORNERS);
        hash = hash_indices(hash, &report.sliver_count, 6);
    }
    print_hash(name, hash);
    free(memory);
}

/* ---- Sparse matrices ---- */

/* The Laplacian of a square grid, plus a part of its diagonal (0: singular). */
typedef struct laplacian {
    dc_index side, n;
    dc_index *start, *column;
    dc_real *value;
    dc_sparse a;
} laplacian;

static laplacian laplacian_make(dc_index side, dc_real more)
{
    laplacian m;
    dc_index i, p = 0;
    m.side = side;
    m.n = side * side;
    m.start = (dc_index *)allocate((size_t)(m.n + 1) * sizeof *m.start);
    m.column = (dc_index *)allocate(5 * (size_t)m.n * sizeof *m.column);
    m.value = (dc_real *)allocate(5 * (size_t)m.n * sizeof *m.value);
    for (i = 0; i < m.n; i++) {
        dc_index column = i % side, first = p, k, diagonal;
        m.start[i] = p;
        if (i >= side) m.column[p++] = i - side;
        if (column > 0) m.column[p++] = i - 1;
        diagonal = p++;
        if (column < side - 1) m.column[p++] = i + 1;
        if (i < m.n - side) m.column[p++] = i + side;
        for (k = first; k < p; k++) m.value[k] = -1;
        m.column[diagonal] = i;
        m.value[diagonal] = (dc_real)(p - first - 1) + more;
    }
    m.start[m.n] = p;
    m.a.row_count = m.a.column_count = m.n;
    m.a.start = m.start;
    m.a.column = m.column;
    m.a.value = m.value;
    return m;
}

static void laplacian_free(laplacian *m)
{
    free(m->start);
    free(m->column);
    free(m->value);
}

static dc_cholesky *laplacian_plan(const char *name, const laplacian *m,
                                   const dc_cholesky_desc *desc, void **memory)
{
    dc_cholesky_symbolic symbolic;
    dc_cholesky *factor;
    dc_error error;
    size_t bytes = dc_cholesky_scratch_bytes(m->n, m->start[m->n]);
    void *scratch = allocate(bytes);
    if (dc_cholesky_plan(&m->a, desc, scratch, bytes, &symbolic, &error) != DC_OK)
        stop(name, "plan", &error);
    *memory = allocate(symbolic.bytes);
    if (dc_cholesky_init(&symbolic, *memory, symbolic.bytes, &factor, &error) != DC_OK)
        stop(name, "init", &error);
    free(scratch);
    return factor;
}

static void unevenly(dc_real *x, dc_index count)
{
    dc_index i;
    for (i = 0; i < count; i++) x[i] = dci_random(1, (uint32_t)i);
}

/* Enough rows for nested dissection. L is kept in floats, and a solution is corrected. */
static void dissection(const char *name, int steps)
{
    enum { SIDE = 64, N = SIDE * SIDE };
    static dc_real b[N], x[N], rest[N];
    dc_index i, round;
    laplacian m = laplacian_make(SIDE, (dc_real)0.0625);
    dc_cholesky_desc desc = dc_cholesky_defaults();
    dc_error error;
    void *memory;
    dc_cholesky *factor;
    (void)steps;
    desc.storage = DC_STORAGE_FLOAT;
    factor = laplacian_plan(name, &m, &desc, &memory);
    if (dc_cholesky_factor(factor, m.value, 0, DC_PIVOTS_REFUSE, &error) != DC_OK)
        stop(name, "factor", &error);
    unevenly(b, N);
    dc_cholesky_solve(factor, 1, b, x);
    for (round = 0; round < 2; round++) { /* x += A^-1 (b - A x) */
        dc_sparse_multiply(&m.a, 1, x, rest);
        for (i = 0; i < N; i++) rest[i] = b[i] - rest[i];
        dc_cholesky_solve(factor, 1, rest, rest);
        for (i = 0; i < N; i++) x[i] += rest[i];
    }
    dc_sparse_multiply(&m.a, 1, x, b);
    print_hash(name, hash_reals(hash_reals(HASH_BEGIN, x, N), b, N));
    free(memory);
    laplacian_free(&m);
}

/* Without a diagonal of its own the last pivot is what rounding leaves: its row is dropped. */
static void dropped(const char *name, int steps)
{
    enum { SIDE = 9, N = SIDE * SIDE, WIDTH = 5 };
    laplacian m = laplacian_make(SIDE, 0);
    dc_cholesky_desc desc = dc_cholesky_defaults();
    dc_error error;
    void *memory;
    dc_real x[WIDTH * N];
    dc_index count;
    dc_cholesky *factor;
    (void)steps;
    desc.rhs_max = WIDTH;
    factor = laplacian_plan(name, &m, &desc, &memory);
    unevenly(x, WIDTH * N);
    if (dc_cholesky_factor(factor, m.value, 64 * DCI_EPSILON, DC_PIVOTS_DROP, &error) != DC_OK)
        stop(name, "factor", &error);
    dc_cholesky_solve(factor, WIDTH, x, x);
    count = dc_cholesky_dropped(factor);
    print_hash(name, hash_indices(hash_reals(HASH_BEGIN, x, WIDTH * N), &count, 1));
    free(memory);
    laplacian_free(&m);
}

static void laplacian_apply(void *context, const dc_real *x, dc_real *y)
{
    dc_sparse_multiply(&((const laplacian *)context)->a, 1, x, y);
}

/* Conjugate gradients that stop by the energy norm of the error. */
static void gradients(const char *name, int steps)
{
    enum { SIDE = 17, N = SIDE * SIDE };
    laplacian m = laplacian_make(SIDE, (dc_real)0.0625);
    dc_real b[N], x[N], work[4 * N];
    dc_cg_desc desc;
    dc_cg_result result;
    dc_error error;
    (void)steps;
    memset(&desc, 0, sizeof desc);
    desc.n = N;
    desc.apply = laplacian_apply;
    desc.context = &m;
    desc.work = work;
    desc.tolerance = (dc_real)1e-4;
    desc.delay = 4;
    desc.iteration_max = 1000;
    unevenly(b, N);
    unevenly(x, N);
    if (dc_cg_solve(&desc, b, x, &result, &error) != DC_OK) stop(name, "solve", &error);
    print_hash(name, hash_indices(hash_reals(HASH_BEGIN, x, N), &result.iterations, 1));
    laplacian_free(&m);
}

/* ---- Swept contact ---- */

/* Pairs that hit, miss, touch in parallel, and are degenerate. */
static void swept(const char *name, int steps)
{
    uint64_t hash = HASH_BEGIN;
    int i, k;
    (void)steps;
    for (i = 0; i < 4000; i++) {
        dc_vec3 start[4], end[4];
        dc_ccd_result found;
        dc_index answer;
        unevenly(&start[0].x, 12);
        for (k = 0; k < 4; k++) {
            uint32_t number = (uint32_t)(24 * i + 6 * k);
            start[k] = dci_vec(dci_random(2, number), dci_random(2, number + 1),
                               dci_random(2, number + 2));
            end[k] = dci_vec(dci_random(2, number + 3), dci_random(2, number + 4),
                             dci_random(2, number + 5));
        }
        if (i % 4 == 1) start[2] = start[1]; /* a needle, a point */
        if (i % 4 == 2)
            for (k = 0; k < 4; k++) start[k].z = end[k].z = 0;
        found = i % 8 < 4 ? dc_ccd_vertex_triangle(start, end, (dc_real)0.0625)
                          : dc_ccd_edge_edge(start, end, (dc_real)0.0625);
        answer = (dc_index)found.answer;
        hash = hash_indices(hash, &answer, 1);
        hash = hash_reals(hash, &found.time, 1);
        hash = hash_reals(hash, &found.distance, 1);
        hash = hash_reals(hash, &found.normal.x, 3);
        hash = hash_reals(hash, found.weight, 4);
    }
    print_hash(name, hash);
}

/* ---- Contacts that are stopped at once ---- */

/* Random contacts with friction, more than there are freedoms. */
static void sweeps(const char *name, int steps)
{
    enum { COUNT = 40, FREEDOMS = 8 };
    dc_real influence[COUNT][FREEDOMS], a[COUNT * (COUNT + 1) / 2];
    dci_impact impact[COUNT];
    dc_index trial, i, j;
    uint64_t hash = HASH_BEGIN;
    dci_global g;
    (void)steps;
    memset(&g, 0, sizeof g);
    memset(impact, 0, sizeof impact);
    g.count = COUNT;
    g.impact = impact;
    g.a = a;
    for (trial = 0; trial < 20; trial++) {
        for (i = 0; i < COUNT; i++) {
            uint32_t number = (uint32_t)(64 * (COUNT * trial + i));
            dc_vec3 normal =
                dci_vec(1, dci_random(3, number + 32) / 8, dci_random(3, number + 33) / 8);
            for (j = 0; j < FREEDOMS; j++) influence[i][j] = dci_random(3, number + (uint32_t)j);
            impact[i].normal = dci_vec_scale(1 / dci_norm(normal), normal);
            impact[i].motion = dci_vec(-dci_random(3, number + 34), dci_random(3, number + 35), 0);
            impact[i].force = dci_vec(0, 0, 0);
            impact[i].friction = DCI_R(0.25);
            for (j = 0; j <= i; j++)
                a[dci_global_place(i, j)] = dci_array_dot(FREEDOMS, influence[i], influence[j]);
        }
        dci_global_solve(&g, NULL);
        for (i = 0; i < COUNT; i++) hash = hash_reals(hash, &impact[i].force.x, 3);
    }
    print_hash(name, hash);
}
