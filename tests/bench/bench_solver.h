/* Group solver: the sparse Cholesky against others, on S and A of sheets and on S of a shirt.

       S = J M^-1 J^T    three rows a triangle, (18.3)
       A = M + dt^2 B    one row an edge; B the bending (16.5), which joins an edge to the others of
                         its two triangles and of their four neighbours: 13 entries a row

   All contenders solve the same system in this process on one thread, in turns; times are medians
   of processor time, which is the clock's on an idle machine. Whose solution leaves a residual
   fails the bench. At the end ours is compared with chapter 10. */
#ifndef BENCH_SOLVER_H
#define BENCH_SOLVER_H

#include "../../examples/common/scenes_parts.h"
#include "bench.h"
#include "bench_chapters.h"
#include "peer.h"

#include <math.h>
#include <stddef.h>

/* A peer that is not there is NULL. */
#ifdef DEVCLOTH_BENCH_CHOLMOD
static const peer *const bench_cholmod = &peer_cholmod;
static double (*const bench_dgemm_rate)(int n, int runs) = peer_dgemm_rate;
#else
static const peer *const bench_cholmod = NULL;
static double (*const bench_dgemm_rate)(int n, int runs) = NULL;
#endif
#ifdef DEVCLOTH_BENCH_EIGEN
static const peer *const bench_eigen = &peer_eigen;
#else
static const peer *const bench_eigen = NULL;
#endif

/* ---- Matrices ---- */

typedef struct bench_matrix {
    dc_sparse lower;
    dc_index triangle_count;
    void *memory;
} bench_matrix;

/* Of the largest matrix with all that is needed to make it. */
enum { BENCH_MATRIX_BYTES_A_TRIANGLE = 2000 };

static void bench_check_room(const dci_arena *arena)
{
    if (!arena->is_short) return;
    fprintf(stderr, "bench: BENCH_MATRIX_BYTES_A_TRIANGLE is too small\n");
    exit(1);
}

static dci_arena bench_matrix_open(bench_matrix *a, const dc_mesh_desc *desc, dc_mesh *mesh)
{
    size_t bytes = (size_t)desc->triangle_count * BENCH_MATRIX_BYTES_A_TRIANGLE;
    size_t mesh_bytes = dc_mesh_bytes(desc->vertex_count, desc->triangle_count);
    dci_arena arena;
    dc_error error;
    a->triangle_count = desc->triangle_count;
    a->memory = bench_alloc(bytes);
    arena = dci_arena_over(a->memory, bytes);
    if (dc_mesh_init(desc, dci_arena_take(&arena, mesh_bytes, 1), mesh_bytes, mesh, &error) !=
        DC_OK)
        bench_fail("mesh", &error);
    return arena;
}

static void bench_matrix_close(bench_matrix *a)
{
    free(a->memory);
}

/* Bends it in both directions: flat triangles would have nearly redundant lengths. */
static dc_vec3 bench_bend(dc_vec3 p)
{
    double bump =
        0.1 * sin(3 * (double)p.x + 1) * cos(4 * (double)p.y) + 0.05 * (double)(p.x * p.y);
    p.z += (dc_real)bump;
    return p;
}

/* Mass of each edge: a third of the triangles beside it. */
static void bench_edge_mass(const dc_mesh *mesh, dc_real *mass)
{
    dc_real density = dc_cloth_defaults().density;
    dc_index e, q;
    for (e = 0; e < mesh->edge_count; e++) mass[e] = 0;
    for (q = 0; q < 3 * mesh->triangle_count; q++)
        mass[mesh->edge_of_corner[q]] += density * mesh->rest_area[q / 3] / 3;
}

/* Direction of each length, row q opposite corner q: half the edge as it is bent over half of it at
   rest. */
static void bench_directions(const dc_mesh *mesh, const dc_vec3 *positions, dc_vec3 *direction)
{
    dc_index q;
    for (q = 0; q < 3 * mesh->triangle_count; q++) {
        dc_vec3 from = bench_bend(positions[mesh->triangles[dci_corner_next(q)]]);
        dc_vec3 to = bench_bend(positions[mesh->triangles[dci_corner_prev(q)]]);
        direction[q] = dci_vec_scale(1 / mesh->rest_length[q], dci_vec_sub(to, from));
    }
}

/* The rows of J without their directions: m_next - m_prev. */
static void bench_length_rows(dci_arena *arena, const dc_mesh *mesh, dc_sparse *rows)
{
    dc_index count = 3 * mesh->triangle_count, q;
    dc_sparse_builder builder;
    dci_sparse_layout(arena, rows, count, mesh->edge_count, 2 * count);
    bench_check_room(arena);
    builder = dc_sparse_begin(rows, 2 * count, dci_arena_indices(arena, mesh->edge_count));
    for (q = 0; q < count; q++) {
        dc_sparse_add(&builder, mesh->edge_of_corner[dci_corner_next(q)], 1);
        dc_sparse_add(&builder, mesh->edge_of_corner[dci_corner_prev(q)], -1);
        dc_sparse_finish_row(&builder);
    }
}

/* The rows of (16.5), and their weights with dt^2. */
static void bench_bending_rows(dci_arena *arena, const dc_mesh *mesh, dc_sparse *rows,
                               dc_real *weight)
{
    static const double DT = 1e-3; /* [s] */
    dc_index count = mesh->edge_count, e, side, k;
    dc_sparse_builder builder;
    dci_sparse_layout(arena, rows, count, count, 5 * count);
    bench_check_room(arena);
    builder = dc_sparse_begin(rows, 5 * count, dci_arena_indices(arena, count));
    for (e = 0; e < count; e++) {
        dc_real length = dci_edge_length(mesh, e), area = 0;
        for (side = 0; !dci_edge_is_boundary(mesh, e) && side < 2; side++) {
            dc_index q = mesh->corner_of_edge[2 * e + side];
            dci_gradient g = dci_bend_gradient(mesh, q);
            area += mesh->rest_area[q / 3] / 3;
            for (k = 0; k < 3; k++) dc_sparse_add(&builder, g.edge[k], g.normal[k]);
        }
        weight[e] = 0;
        if (area > 0)
            weight[e] =
                (dc_real)(DT * DT) * dc_cloth_defaults().bending * length * length / area;
        dc_sparse_finish_row(&builder);
    }
}

/* The lower triangle of X^T diag(weight) X. */
static void bench_gram(dci_arena *arena, const dc_sparse *x, const dc_real *weight, dc_sparse *gram)
{
    dc_index nonzero_count = dci_gram_build(arena, x, gram);
    gram->value = dci_arena_reals(arena, nonzero_count);
    bench_check_room(arena);
    dc_gram_values(x, weight, gram, dci_arena_indices(arena, gram->row_count));
    bench_check_room(arena);
}

static void bench_matrix_s(bench_matrix *a, const dc_mesh_desc *desc)
{
    dc_mesh mesh;
    dci_arena arena = bench_matrix_open(a, desc, &mesh);
    dc_sparse rows, transposed;
    dc_vec3 *direction;
    dc_real *weight;
    dc_index i, p;
    bench_length_rows(&arena, &mesh, &rows);
    dci_sparse_layout(&arena, &transposed, rows.column_count, rows.row_count,
                      rows.start[rows.row_count]);
    weight = dci_arena_reals(&arena, mesh.edge_count);
    direction = (dc_vec3 *)dci_arena_take(&arena, rows.row_count, sizeof *direction);
    bench_check_room(&arena);
    dc_sparse_transpose(&rows, &transposed);
    bench_edge_mass(&mesh, weight);
    for (i = 0; i < mesh.edge_count; i++) weight[i] = 1 / weight[i];
    bench_gram(&arena, &transposed, weight, &a->lower);
    bench_directions(&mesh, desc->positions, direction);
    for (i = 0; i < a->lower.row_count; i++)
        for (p = a->lower.start[i]; p < a->lower.start[i + 1]; p++)
            a->lower.value[p] *= dci_dot(direction[i], direction[a->lower.column[p]]);
}

static void bench_matrix_a(bench_matrix *a, const dc_mesh_desc *desc)
{
    dc_mesh mesh;
    dci_arena arena = bench_matrix_open(a, desc, &mesh);
    dc_real *weight = dci_arena_reals(&arena, mesh.edge_count);
    dc_sparse rows;
    dc_index i, p;
    bench_check_room(&arena);
    bench_bending_rows(&arena, &mesh, &rows, weight);
    bench_gram(&arena, &rows, weight, &a->lower);
    bench_edge_mass(&mesh, weight);
    for (i = 0; i < a->lower.row_count; i++)
        for (p = a->lower.start[i]; p < a->lower.start[i + 1]; p++)
            if (a->lower.column[p] == i) a->lower.value[p] += weight[i];
}

static peer_matrix bench_peer_matrix(const dc_sparse *lower)
{
    peer_matrix a;
    a.n = lower->row_count;
    a.start = lower->start;
    a.column = lower->column;
    a.value = lower->value;
    return a;
}

/* Largest entry of b - A x over the largest of b. */
static double bench_residual(const peer_matrix *a, const double *b, const double *x, double *rest)
{
    double largest = 0, scale = 0;
    int i, p;
    memcpy(rest, b, (size_t)a->n * sizeof *rest);
    for (i = 0; i < a->n; i++)
        for (p = a->start[i]; p < a->start[i + 1]; p++) {
            rest[i] -= a->value[p] * x[a->column[p]];
            if (a->column[p] != i) rest[a->column[p]] -= a->value[p] * x[i];
        }
    for (i = 0; i < a->n; i++) {
        if (!(fabs(rest[i]) <= largest)) largest = fabs(rest[i]); /* NaN too */
        scale = fmax(scale, fabs(b[i]));
    }
    return largest / scale;
}

/* ---- devcloth as one of the contenders ---- */

typedef struct bench_own {
    const peer_matrix *matrix;
    dc_cholesky_symbolic symbolic;
    int *order; /* (n) */
    void *memory;
    dc_cholesky *cholesky;
    double plan_seconds;
} bench_own;

enum { BENCH_UNTOUCHED = 0xa5, BENCH_GUARD = 4096 }; /* a byte; bytes behind the arena */

static bench_own *bench_own_plan(const peer_matrix *a, const dc_cholesky_desc *desc)
{
    bench_own *own = (bench_own *)bench_alloc(sizeof *own);
    size_t bytes = dc_cholesky_scratch_bytes(a->n, a->start[a->n]);
    void *scratch = bench_alloc(bytes);
    dc_sparse lower;
    dc_error error;
    double start = bench_now();
    lower.row_count = lower.column_count = a->n;
    lower.start = (dc_index *)a->start;
    lower.column = (dc_index *)a->column;
    lower.value = NULL;
    own->matrix = a;
    if (dc_cholesky_plan(&lower, desc, scratch, bytes, &own->symbolic, &error) != DC_OK)
        bench_fail("plan", &error);
    own->plan_seconds = bench_now() - start;
    own->memory = bench_alloc(own->symbolic.bytes + BENCH_GUARD);
    memset(own->memory, BENCH_UNTOUCHED, own->symbolic.bytes + BENCH_GUARD);
    if (dc_cholesky_init(&own->symbolic, own->memory, own->symbolic.bytes - 1, &own->cholesky,
                         NULL) == DC_OK) {
        fprintf(stderr, "bench: the factorisation needs less memory than planned\n");
        exit(1);
    }
    start = bench_now();
    if (dc_cholesky_init(&own->symbolic, own->memory, own->symbolic.bytes, &own->cholesky,
                         &error) != DC_OK)
        bench_fail("init", &error);
    own->plan_seconds += bench_now() - start;
    own->order = (int *)bench_alloc((size_t)a->n * sizeof *own->order);
    memcpy(own->order, own->symbolic.analysis->order, (size_t)a->n * sizeof *own->order);
    free(scratch);
    return own;
}

static void *bench_own_open(const peer_matrix *a, peer_ordering ordering, const int *order,
                            peer_analysis *analysis)
{
    dc_cholesky_desc desc = dc_cholesky_defaults();
    bench_own *own = bench_own_plan(a, &desc);
    (void)ordering, (void)order;
    analysis->flops = own->symbolic.flops;
    analysis->nonzeros = own->symbolic.factor_nonzeros;
    return own;
}

static int bench_own_factor(void *solver)
{
    static const double PIVOT_TOL = 1e-11; /* of the diagonal entry, as chapter 23 has it */
    bench_own *own = (bench_own *)solver;
    return dc_cholesky_factor(own->cholesky, own->matrix->value, PIVOT_TOL, DC_PIVOTS_REFUSE,
                              NULL) == DC_OK;
}

static void bench_own_solve(void *solver, const double *b, double *x)
{
    dc_cholesky_solve(((bench_own *)solver)->cholesky, 1, b, x);
}

static void bench_own_close(void *solver)
{
    bench_own *own = (bench_own *)solver;
    free(own->order);
    free(own->memory);
    free(own);
}

static const peer bench_own_peer = {bench_own_open, bench_own_factor, bench_own_solve,
                                    bench_own_close};

/* Bytes of the arena up to the last one that was written; more than planned fails the bench. */
static size_t bench_own_used(const bench_own *own)
{
    const unsigned char *memory = (const unsigned char *)own->memory;
    size_t used = own->symbolic.bytes + BENCH_GUARD;
    while (used > 0 && memory[used - 1] == BENCH_UNTOUCHED) used--;
    if (used > own->symbolic.bytes) {
        fprintf(stderr, "bench: the factorisation wrote beyond its arena\n");
        exit(1);
    }
    return used;
}

/* ---- Contenders in turns ---- */

enum { BENCH_OWN, BENCH_METIS, BENCH_AMD, BENCH_EIGEN, BENCH_CONTENDERS, BENCH_TURNS_MAX = 15 };

typedef struct bench_contender {
    const char *name;
    const peer *peer;
    void *solver; /* NULL: not there */
    peer_analysis analysis;
    int turns, repeats; /* a turn repeats what is short */
    double spent, factor[BENCH_TURNS_MAX], solve[BENCH_TURNS_MAX];
} bench_contender;

typedef struct bench_contest {
    const char *name;
    peer_matrix matrix;
    double *b, *x, *rest;
    bench_contender contender[BENCH_CONTENDERS];
} bench_contest;

/* A quick contender has all its turns, a slow one fewer: three, or two of many seconds. */
static int bench_wants_turn(const bench_contender *c)
{
    static const double ENOUGH = 1.5, TOO_LONG = 8; /* [s] */
    if (!c->solver || c->turns == BENCH_TURNS_MAX) return 0;
    return c->spent < ENOUGH || (c->turns < 3 && c->spent < TOO_LONG);
}

static void bench_turn(bench_contest *contest, bench_contender *c)
{
    double start = bench_busy(), middle;
    int i;
    for (i = 0; i < c->repeats; i++)
        if (!c->peer->factor(c->solver)) {
            fprintf(stderr, "bench: %s: %s cannot factor it\n", contest->name, c->name);
            exit(1);
        }
    middle = bench_busy();
    for (i = 0; i < c->repeats; i++) c->peer->solve(c->solver, contest->b, contest->x);
    c->solve[c->turns] = (bench_busy() - middle) / c->repeats;
    c->factor[c->turns] = (middle - start) / c->repeats;
    c->spent += bench_busy() - start;
    c->turns++;
}

static void bench_check_solution(bench_contest *contest, const bench_contender *c)
{
    static const double RESIDUAL_MAX = 1e-8; /* relative */
    double residual = bench_residual(&contest->matrix, contest->b, contest->x, contest->rest);
    if (residual <= RESIDUAL_MAX) return;
    fprintf(stderr, "bench: %s: %s leaves a residual of %g\n", contest->name, c->name, residual);
    exit(1);
}

/* The first turn is a rehearsal: it makes the memory present and tells how many repeats fill a
   clock's resolution. */
static void bench_rehearse(bench_contest *contest, bench_contender *c)
{
    static const double LEAST = 0.02; /* [s] of a turn */
    c->repeats = 1;
    c->turns = 0;
    c->spent = 0;
    bench_turn(contest, c);
    bench_check_solution(contest, c);
    if (c->spent > 1) return; /* long enough to count */
    c->repeats = 1 + (int)(LEAST / c->spent);
    c->turns = 0;
    c->spent = 0;
}

static void bench_contest_open(bench_contest *contest, const char *name, const dc_sparse *lower)
{
    static const peer_ordering ORDERING[BENCH_CONTENDERS] = {PEER_AMD, PEER_METIS, PEER_AMD,
                                                             PEER_AMD};
    static const char *const NAME[BENCH_CONTENDERS] = {"devcloth", "cholmod", "cholmod_amd",
                                                       "eigen"};
    const peer *const who[BENCH_CONTENDERS] = {&bench_own_peer, bench_cholmod, bench_cholmod,
                                               bench_eigen};
    size_t bytes = (size_t)lower->row_count * sizeof *contest->b;
    int i;
    contest->name = name;
    contest->matrix = bench_peer_matrix(lower);
    contest->b = (double *)bench_alloc(bytes);
    contest->x = (double *)bench_alloc(bytes);
    contest->rest = (double *)bench_alloc(bytes);
    for (i = 0; i < contest->matrix.n; i++) contest->b[i] = (double)(i * 7919LL % 2003) / 1001 - 1;
    for (i = 0; i < BENCH_CONTENDERS; i++) {
        bench_contender *c = &contest->contender[i];
        memset(c, 0, sizeof *c);
        c->name = NAME[i];
        c->peer = who[i];
        if (c->peer) c->solver = c->peer->open(&contest->matrix, ORDERING[i], NULL, &c->analysis);
        if (c->peer && !c->solver) fprintf(stderr, "%s: %s: skipped\n", name, c->name);
    }
}

static void bench_contest_run(bench_contest *contest)
{
    int i, is_running = 1;
    for (i = 0; i < BENCH_CONTENDERS; i++)
        if (contest->contender[i].solver) bench_rehearse(contest, &contest->contender[i]);
    while (is_running)
        for (i = is_running = 0; i < BENCH_CONTENDERS; i++) {
            bench_contender *c = &contest->contender[i];
            if (!bench_wants_turn(c)) continue;
            is_running = 1;
            bench_turn(contest, c);
            if (!bench_wants_turn(c)) bench_check_solution(contest, c);
        }
}

static void bench_contest_close(bench_contest *contest)
{
    int i;
    for (i = 0; i < BENCH_CONTENDERS; i++)
        if (contest->contender[i].solver)
            contest->contender[i].peer->close(contest->contender[i].solver);
    free(contest->b);
    free(contest->x);
    free(contest->rest);
}

/* ---- What is printed ---- */

static double bench_print_times(bench_contest *contest, const char *what, size_t times)
{
    double own = 0;
    char name[64];
    int i;
    for (i = 0; i < BENCH_CONTENDERS; i++) {
        bench_contender *c = &contest->contender[i];
        double seconds = bench_median((double *)(void *)((char *)c + times), c->turns);
        if (!c->solver) continue;
        if (i == BENCH_OWN) {
            own = seconds;
            snprintf(name, sizeof name, "%s.seconds", what);
            bench_metric(contest->name, name, own, "s");
        } else {
            snprintf(name, sizeof name, "%s.ratio_%s", what, c->name);
            bench_metric(contest->name, name, seconds / own, "x");
        }
    }
    return own;
}

/* What the order costs, by exact column counts of L on both sides: those of our order are the
   peer's analysis of it. And what is computed and stored, with the zeros that merging brings. */
static void bench_print_order(bench_contest *contest)
{
    const bench_contender *own = &contest->contender[BENCH_OWN];
    const bench_contender *metis = &contest->contender[BENCH_METIS];
    peer_analysis order;
    void *solver;
    if (!metis->solver) return;
    solver = bench_cholmod->open(&contest->matrix, PEER_GIVEN,
                                 ((const bench_own *)own->solver)->order, &order);
    if (!solver) {
        fprintf(stderr, "bench: %s: our order is not a permutation\n", contest->name);
        exit(1);
    }
    bench_cholmod->close(solver);
    bench_metric(contest->name, "flops_over_metis", order.flops / metis->analysis.flops, "x");
    bench_metric(contest->name, "nonzeros_over_metis", order.nonzeros / metis->analysis.nonzeros,
                 "x");
    bench_metric(contest->name, "computed_flops_over_metis",
                 own->analysis.flops / metis->analysis.flops, "x");
    bench_metric(contest->name, "stored_nonzeros_over_metis",
                 own->analysis.nonzeros / metis->analysis.nonzeros, "x");
}

/* Seconds of factor and solve: medians. */
typedef struct bench_times {
    double factor, solve;
} bench_times;

static bench_times bench_contest_print(bench_contest *contest, double dgemm_rate)
{
    const bench_contender *own = &contest->contender[BENCH_OWN];
    const bench_own *solver = (const bench_own *)own->solver;
    bench_times times;
    double rate;
    size_t used;
    bench_metric(contest->name, "rows", contest->matrix.n, "rows");
    bench_metric(contest->name, "nonzeros_a_row",
                 2.0 * contest->matrix.start[contest->matrix.n] / contest->matrix.n - 1,
                 "entries/row");
    times.factor = bench_print_times(contest, "factor", offsetof(bench_contender, factor));
    times.solve = bench_print_times(contest, "solve", offsetof(bench_contender, solve));
    rate = own->analysis.flops / times.factor;
    bench_metric(contest->name, "gflops", 1e-9 * rate, "Gflop/s");
    if (dgemm_rate > 0) bench_metric(contest->name, "share_of_dgemm", rate / dgemm_rate, "part");
    bench_metric(contest->name, "plan_seconds", solver->plan_seconds, "s");
    bench_metric(contest->name, "bytes", (double)solver->symbolic.bytes, "bytes");
    used = bench_own_used(solver);
    bench_metric(contest->name, "bytes_used", (double)used, "bytes");
    bench_metric(contest->name, "bytes_unused", (double)(solver->symbolic.bytes - used), "bytes");
    bench_print_order(contest);
    return times;
}

static bench_times bench_solve_system(const char *name, bench_matrix *a, double dgemm_rate)
{
    bench_contest contest;
    bench_times times;
    fprintf(stderr, "%s\n", name);
    bench_contest_open(&contest, name, &a->lower);
    bench_contest_run(&contest);
    times = bench_contest_print(&contest, dgemm_rate);
    bench_contest_close(&contest);
    bench_matrix_close(a);
    return times;
}

/* ---- Sheets ---- */

typedef void (*bench_make_matrix)(bench_matrix *a, const dc_mesh_desc *desc);

static bench_matrix bench_matrix_of_sheet(bench_make_matrix make, const bench_size *size)
{
    shape_desc desc = shape_defaults(SHAPE_GRID);
    bench_matrix a;
    sim_shape shape;
    failure why;
    desc.columns = desc.rows = size->cells;
    if (!sim_shape_build(&shape, &desc, &why)) {
        fprintf(stderr, "bench: %s\n", why.text);
        exit(1);
    }
    make(&a, &shape.mesh);
    sim_shape_free(&shape);
    return a;
}

/* ---- The group ---- */

static bench_times bench_solve_sheet(const char *family, bench_make_matrix make,
                                     const bench_size *size, double dgemm_rate)
{
    bench_matrix a = bench_matrix_of_sheet(make, size);
    char name[48];
    snprintf(name, sizeof name, "solver.%s.%s", family, size->name);
    return bench_solve_system(name, &a, dgemm_rate);
}

/* All sizes, and the exponent p of seconds ~ triangles^p from the smallest to the largest. */
static void bench_solve_family(const char *family, bench_make_matrix make, double dgemm_rate)
{
    bench_times least = {0, 0}, most = {0, 0};
    double growth = bench_size_span();
    char name[48];
    int i;
    for (i = 0; i < BENCH_SIZES; i++) {
        bench_times times;
        if (!bench_wants(bench_sizes[i].name)) continue;
        times = bench_solve_sheet(family, make, &bench_sizes[i], dgemm_rate);
        if (i == 0) least = times;
        if (i == BENCH_SIZES - 1) most = times;
    }
    if (!(least.factor > 0 && most.factor > 0)) return;
    snprintf(name, sizeof name, "solver.%s", family);
    bench_metric(name, "factor.exponent", log(most.factor / least.factor) / growth, "1");
    bench_metric(name, "solve.exponent", log(most.solve / least.solve) / growth, "1");
}

/* The shirt of the scene: two layers of irregular triangles, sewn together at the sides, the arms
   and the shoulders, with holes for neck, wrists and waist. */
static void bench_solve_shirt(const char *size, int cells, double dgemm_rate)
{
    bench_matrix a;
    scene s;
    failure why;
    char name[48];
    if (!bench_wants(size)) return;
    memset(&s, 0, sizeof s);
    s.cells = cells;
    if (!scene_build_shirt(&s, &why)) {
        fprintf(stderr, "bench: %s\n", why.text);
        exit(1);
    }
    bench_matrix_s(&a, &s.cloth[0].shape.mesh);
    scene_close(&s);
    snprintf(name, sizeof name, "solver.garment.S.%s", size);
    bench_metric(name, "triangles", a.triangle_count, "triangles");
    bench_solve_system(name, &a, dgemm_rate);
}

static void bench_solver(void)
{
    enum { DGEMM_SIZE = 1500, DGEMM_RUNS = 5, SHIRT_20K = 64, SHIRT_80K = 128 };
    double rate = bench_dgemm_rate ? bench_dgemm_rate(DGEMM_SIZE, DGEMM_RUNS) : 0;
    if (!bench_cholmod) fprintf(stderr, "cholmod: skipped\n");
    if (!bench_eigen) fprintf(stderr, "eigen: skipped\n");
    if (rate > 0) bench_metric("solver", "dgemm.gflops", 1e-9 * rate, "Gflop/s");
    bench_solve_family("S", bench_matrix_s, rate);
    bench_solve_family("A", bench_matrix_a, rate);
    bench_solve_shirt("20k", SHIRT_20K, rate);
    bench_solve_shirt("80k", SHIRT_80K, rate);
    bench_chapters();
}

/* ---- A referee for whole steps: one factorisation and solution of their S by CHOLMOD ---- */

enum { BENCH_REFEREE_MAX = 64 };

typedef struct bench_referee {
    peer_matrix matrix; /* of a cloth */
    void *solver;       /* NULL: skipped */
    double *b, *x, *rest, seconds[BENCH_REFEREE_MAX];
    int count;
} bench_referee;

static void bench_referee_open(bench_referee *r, const dci_cloth *cloth)
{
    size_t bytes = (size_t)cloth->s.row_count * sizeof(double);
    peer_analysis analysis;
    int i;
    memset(r, 0, sizeof *r);
    if (!bench_cholmod) {
        fprintf(stderr, "cholmod: skipped\n");
        return;
    }
    r->matrix = bench_peer_matrix(&cloth->s);
    r->b = (double *)bench_alloc(bytes);
    r->x = (double *)bench_alloc(bytes);
    r->rest = (double *)bench_alloc(bytes);
    for (i = 0; i < r->matrix.n; i++) r->b[i] = (double)(i * 7919LL % 2003) / 1001 - 1;
    r->solver = bench_cholmod->open(&r->matrix, PEER_METIS, NULL, &analysis);
    if (!r->solver) fprintf(stderr, "cholmod: skipped\n");
}

/* S where the cloth is now. The first time is not counted: memory becomes present in it. */
static void bench_referee_time(bench_referee *r, dci_cloth *cloth)
{
    static const double REGULARISATION = 1e-9; /* pins may make rows redundant */
    int turn, turns = r->count == 0 ? 2 : 1;
    if (!r->solver || r->count == BENCH_REFEREE_MAX) return;
    dci_rows_assemble(&cloth->rows, cloth->node.mobility, cloth->direction, REGULARISATION,
                      &cloth->s);
    for (turn = 0; turn < turns; turn++) {
        double start = bench_now();
        if (!bench_cholmod->factor(r->solver)) {
            fprintf(stderr, "bench: cholmod cannot factor S of a step\n");
            exit(1);
        }
        bench_cholmod->solve(r->solver, r->b, r->x);
        r->seconds[r->count] = bench_now() - start;
    }
    if (!(bench_residual(&r->matrix, r->b, r->x, r->rest) <= 1e-8)) {
        fprintf(stderr, "bench: cholmod leaves a residual in S of a step\n");
        exit(1);
    }
    r->count++;
}

static void bench_referee_close(bench_referee *r)
{
    if (r->solver) bench_cholmod->close(r->solver);
    free(r->b);
    free(r->x);
    free(r->rest);
}

#endif
