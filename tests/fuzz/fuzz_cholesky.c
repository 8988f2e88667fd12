/* Sparse Cholesky and conjugate gradients, on random patterns and values.

   - dc_cholesky_scratch_bytes() is enough to plan, planned bytes are enough to make the object, and
     one byte less is refused with that number. What was in the blocks does not matter.
   - A pattern that a check of its own calls wrong is refused, with a row as the index; others are not.
   - With D^-1/2 A D^-1/2 - mu I positive definite, by a dense factorisation in long double, A is
     factored with no row dropped; where it is not even with + mu I, it is refused. mu is what rounding
     and pivot_tol may do.
   - Residuals are within the bound of backward stability, row by row: |b - A x|_i is at most c u
     sum_j sqrt(a_ii a_jj) |x_j|, as row i of L is no longer than sqrt(a_ii).
   - Several right-hand sides at once, in place, and in other memory: the same bits.
   - dc_cg_solve() returns finite numbers, and keeps to its bound on iterations. */
#include "fuzz.h"

#include <float.h>

enum { ROWS_MAX = 40, ROWS_LARGE = 4300, RHS_MAX = 4 };

typedef struct matrix {
    dc_sparse a;
    dc_index capacity;
    int is_wrong; /* not square, entries out of range or twice, no diagonal                      */
    int is_tame;  /* entries are 0 or of moderate size                                           */
} matrix;

static void matrix_new(matrix *m, dc_index n, dc_index capacity)
{
    memset(m, 0, sizeof *m);
    m->a.row_count = m->a.column_count = n;
    m->capacity = capacity;
    m->a.start = (dc_index *)test_alloc((size_t)(n + 1) * sizeof(dc_index));
    m->a.column = (dc_index *)test_alloc((size_t)capacity * sizeof(dc_index));
    m->a.value = (dc_real *)test_alloc((size_t)capacity * sizeof(dc_real));
    m->is_tame = 1;
}

static void matrix_free(matrix *m)
{
    free(m->a.start);
    free(m->a.column);
    free(m->a.value);
}

static void matrix_add(matrix *m, dc_index row, dc_index column)
{
    dc_index *end = m->a.start + row + 1;
    REQUIRE(*end < m->capacity);
    m->a.column[(*end)++] = column;
}

static dc_index nonzeros(const matrix *m)
{
    return m->a.start[m->a.row_count];
}

/* The arrays get exactly their size. */
static void matrix_shrink(matrix *m)
{
    size_t count = (size_t)nonzeros(m);
    m->a.column = (dc_index *)realloc(m->a.column, (count ? count : 1) * sizeof(dc_index));
    m->a.value = (dc_real *)realloc(m->a.value, (count ? count : 1) * sizeof(dc_real));
    REQUIRE(m->a.column && m->a.value);
}

/* ---- Patterns ---- */

/* Lower and some upper entries anywhere, the diagonal at any place in its row. */
static void pattern_random(fuzz_bytes *f, matrix *m, int density)
{
    dc_index n = m->a.row_count, i, j;
    for (i = 0; i < n; i++) {
        int diagonal_first = fuzz_once_in(f, 2);
        m->a.start[i + 1] = m->a.start[i];
        if (diagonal_first) matrix_add(m, i, i);
        for (j = n - 1; j >= 0; j--)
            if (j != i && (int)fuzz_byte(f) < (j < i ? density : density / 4)) matrix_add(m, i, j);
        if (!diagonal_first) matrix_add(m, i, i);
    }
}

/* Each row with the ones a few distances before it: bands, grids, arrows. */
static void pattern_regular(fuzz_bytes *f, matrix *m)
{
    dc_index n = m->a.row_count, distance[3], i, k, j;
    int has_arrow = fuzz_once_in(f, 3);
    for (k = 0; k < 3; k++) distance[k] = fuzz_int(f, 1, n > 300 ? 300 : (int)n);
    for (i = 0; i < n; i++) {
        m->a.start[i + 1] = m->a.start[i];
        matrix_add(m, i, i);
        for (k = 0; k < 3; k++) {
            for (j = 0; j < k && distance[j] != distance[k]; j++) {
            }
            if (j == k && i >= distance[k]) matrix_add(m, i, i - distance[k]);
        }
        for (k = 0; k < 3 && distance[k] != i; k++) {
        }
        if (has_arrow && i > 0 && k == 3) matrix_add(m, i, 0);
    }
}

static void pattern_spoil(fuzz_bytes *f, matrix *m)
{
    dc_index n = m->a.row_count, p = fuzz_int(f, 0, (int)nonzeros(m) - 1), other, i;
    dc_index wrong[4];
    wrong[0] = -1, wrong[1] = n, wrong[2] = INT32_MAX, wrong[3] = fuzz_int(f, 0, (int)n - 1);
    other = wrong[fuzz_int(f, 0, 3)];
    m->a.column[p] = other;
    if (fuzz_once_in(f, 8)) m->a.column_count = n + fuzz_int(f, -1, 1);
    m->is_wrong = m->a.column_count != n;
    for (i = 0; i < n; i++) { /* rows are looked at for what is twice only up to the diagonal */
        int has_diagonal = 0;
        for (p = m->a.start[i]; p < m->a.start[i + 1]; p++) {
            dc_index k, j = m->a.column[p];
            has_diagonal |= j == i;
            m->is_wrong |= j < 0 || j >= n;
            for (k = m->a.start[i]; k < p; k++) m->is_wrong |= m->a.column[k] == j;
        }
        m->is_wrong |= !has_diagonal;
    }
}

/* ---- Values ---- */

static dc_real value_small(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (dc_real)((double)(*state >> 8) / 8388608 - 1);
}

/* Of any size and sign; or diagonally dominant, more or less; or of rank `rank` and a little. */
static void fill_values(fuzz_bytes *f, matrix *m)
{
    static dc_real basis[ROWS_LARGE * 4];
    dc_index n = m->a.row_count, i, p, k;
    int kind = fuzz_int(f, 0, 3), rank = fuzz_int(f, 1, 4);
    uint32_t state = (uint32_t)fuzz_int(f, 0, 60000);
    double excess = (double)fuzz_scale(f, 1e-14, 10) - 1e-13;
    double size = fuzz_once_in(f, 4) ? (double)fuzz_scale(f, 1e-20, 1e20) : 1;
    for (i = 0; i < 4 * n; i++) basis[i] = value_small(&state);
    for (i = 0; i < n; i++)
        for (p = m->a.start[i]; p < m->a.start[i + 1]; p++) {
            dc_index j = m->a.column[p];
            double sum = 0;
            for (k = 0; k < rank && j >= 0 && j < n; k++)
                sum += (double)basis[4 * i + k] * (double)basis[4 * j + k];
            if (kind == 0) sum = fuzz_number(f, -2, 2) + (i == j ? 2 : 0);
            if (kind == 1) sum = (double)value_small(&state);
            if (kind == 2 && i == j) sum *= 1 + excess;
            if (kind == 3) sum = i == j ? 0 : (double)value_small(&state);
            m->a.value[p] = (dc_real)(size * sum);
        }
    if (kind == 1 || kind == 3) { /* dominant: the diagonal is the sum of all beside and below it */
        static double sums[ROWS_LARGE];
        memset(sums, 0, sizeof sums);
        for (i = 0; i < n; i++)
            for (p = m->a.start[i]; p < m->a.start[i + 1]; p++) {
                dc_index j = m->a.column[p];
                if (j < 0 || j >= i) continue;
                sums[i] += fabs((double)m->a.value[p]);
                sums[j] += fabs((double)m->a.value[p]);
            }
        for (i = 0; i < n; i++)
            for (p = m->a.start[i]; p < m->a.start[i + 1]; p++)
                if (m->a.column[p] == i)
                    m->a.value[p] = (dc_real)(sums[i] * (1 + excess) + (kind == 1 ? size : 0));
    }
    for (p = 0; p < nonzeros(m); p++) {
        double v = fabs((double)m->a.value[p]);
        if (!(v == 0 || (v > (sizeof(dc_real) == 4 ? 1e-12 : 1e-60) &&
                         v < (sizeof(dc_real) == 4 ? 1e12 : 1e60))))
            m->is_tame = 0;
    }
}

/* ---- A dense opinion ---- */

static long double entry(const matrix *m, dc_index i, dc_index j)
{
    dc_index p, low = i > j ? i : j, column = i > j ? j : i;
    for (p = m->a.start[low]; p < m->a.start[low + 1]; p++)
        if (m->a.column[p] == column) return m->a.value[p];
    return 0;
}

/* Whether A, scaled to ones on the diagonal, plus shift, is positive definite. */
static int is_definite(const matrix *m, long double shift)
{
    static long double l[ROWS_MAX][ROWS_MAX];
    dc_index n = m->a.row_count, i, j, k;
    long double root[ROWS_MAX];
    for (i = 0; i < n; i++) {
        root[i] = entry(m, i, i);
        if (!(root[i] > 0)) return 0;
        root[i] = sqrtl(root[i]);
    }
    for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++) {
            long double sum = entry(m, i, j) / (root[i] * root[j]) + (i == j ? shift : 0);
            for (k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0)) return 0;
            l[i][j] = i == j ? sqrtl(sum) : sum / l[j][j];
        }
    return 1;
}

/* ---- Solving ---- */

typedef struct subject {
    matrix m;
    dc_cholesky_desc desc;
    dc_cholesky_symbolic symbolic;
    fuzz_block scratch, memory;
    dc_cholesky *cholesky;
    long double u; /* unit roundoff of what is stored                                            */
} subject;

/* Row by row; x (n, rhs_max), one of its columns. */
static void check_residual(const subject *s, const dc_real *b, const dc_real *x, dc_index count,
                           dc_index which)
{
    static long double rest[ROWS_LARGE], size[ROWS_LARGE];
    dc_index n = s->m.a.row_count, i, p;
    long double bound = (4.0L * n + 16) * s->u, scale = 0;
    for (i = 0; i < n; i++) rest[i] = b[i * count + which];
    for (i = 0; i < n; i++) {
        REQUIRE(isfinite(x[i * count + which]));
        for (p = s->m.a.start[i]; p < s->m.a.start[i + 1]; p++) {
            dc_index j = s->m.a.column[p];
            long double a = s->m.a.value[p];
            if (j > i) continue;
            if (j == i) size[i] = sqrtl(a);
            rest[i] -= a * x[j * count + which];
            if (j < i) rest[j] -= a * x[i * count + which];
        }
    }
    for (i = 0; i < n; i++) scale += size[i] * fabsl((long double)x[i * count + which]);
    for (i = 0; i < n; i++)
        REQUIRE(fabsl(rest[i]) <=
                bound * (size[i] * scale + fabsl((long double)b[i * count + which])));
}

static void apply(void *context, const dc_real *x, dc_real *y)
{
    const matrix *m = (const matrix *)context;
    dc_index n = m->a.row_count, i, p;
    for (i = 0; i < n; i++) y[i] = 0;
    for (i = 0; i < n; i++)
        for (p = m->a.start[i]; p < m->a.start[i + 1]; p++) {
            dc_index j = m->a.column[p];
            if (j > i) continue;
            y[i] += m->a.value[p] * x[j];
            if (j < i) y[j] += m->a.value[p] * x[i];
        }
}

static void check_cg(fuzz_bytes *f, subject *s, const dc_real *b, dc_index n, int is_safe)
{
    dc_real *x = (dc_real *)test_alloc((size_t)n * sizeof(dc_real));
    dc_real *work = (dc_real *)test_alloc(4 * (size_t)n * sizeof(dc_real));
    dc_cg_desc desc;
    dc_cg_result result;
    dc_error error;
    dc_status status;
    dc_index i;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.apply = apply;
    desc.context = &s->m;
    desc.work = work;
    desc.tolerance = fuzz_scale(f, 1e-12, 0.1);
    desc.floor = fuzz_once_in(f, 2) ? 0 : fuzz_scale(f, 1e-12, 1);
    desc.floor_tolerance = (dc_real)0.5;
    desc.delay = fuzz_int(f, 0, DC_CG_DELAY_MAX);
    desc.iteration_max = fuzz_int(f, 0, 200);
    status = dc_cg_solve(&desc, b, x, &result, &error);
    REQUIRE(fuzz_error_is_good(&error, status, "dc_cg_solve"));
    REQUIRE(result.iterations >= 0 && result.iterations <= desc.iteration_max);
    REQUIRE(status == DC_OK || status == DC_NOT_CONVERGED || status == DC_SINGULAR ||
            status == DC_NOT_FINITE);
    if (status != DC_NOT_FINITE)
        for (i = 0; i < n; i++) REQUIRE(isfinite(x[i]));
    if (is_safe && desc.tolerance > 0) REQUIRE(status != DC_SINGULAR && status != DC_NOT_FINITE);
    free(x);
    free(work);
}

/* Several at once, in place or not. */
static void check_solves(fuzz_bytes *f, subject *s, int is_safe)
{
    dc_index n = s->m.a.row_count, count = fuzz_int(f, 1, (int)s->desc.rhs_max), i;
    size_t bytes = (size_t)(n * count) * sizeof(dc_real);
    dc_real *b = (dc_real *)test_alloc(bytes), *x = (dc_real *)test_alloc(bytes);
    dc_real *one = (dc_real *)test_alloc((size_t)n * sizeof(dc_real));
    uint32_t state = fuzz_byte(f);
    for (i = 0; i < n * count; i++) b[i] = value_small(&state);
    if (fuzz_once_in(f, 4)) b[fuzz_int(f, 0, (int)n - 1)] = 0;
    dc_cholesky_solve(s->cholesky, count, b, x);
    if (is_safe)
        for (i = 0; i < count; i++) check_residual(s, b, x, count, i);
    for (i = 0; i < n; i++) one[i] = b[i * count];
    check_cg(f, s, one, n, is_safe);
    dc_cholesky_solve(s->cholesky, 1, one, one);
    for (i = 0; i < n; i++) REQUIRE(memcmp(&one[i], &x[i * count], sizeof one[i]) == 0);
    dc_cholesky_solve(s->cholesky, count, b, b);
    REQUIRE(memcmp(b, x, bytes) == 0);
    free(b);
    free(x);
    free(one);
}

/* What the factor of the same matrix made in other memory solves. */
static void check_twin(subject *s, dc_real pivot_tol, dc_pivots rule)
{
    dc_index n = s->m.a.row_count, i;
    dc_real *x = (dc_real *)test_alloc((size_t)n * sizeof(dc_real));
    dc_real *y = (dc_real *)test_alloc((size_t)n * sizeof(dc_real));
    size_t bytes = dc_cholesky_scratch_bytes(n, nonzeros(&s->m));
    fuzz_block scratch = fuzz_block_new(bytes, 3, 0x33), memory;
    dc_cholesky_symbolic symbolic;
    dc_cholesky *twin;
    REQUIRE(dc_cholesky_plan(&s->m.a, &s->desc, scratch.memory, bytes, &symbolic, NULL) == DC_OK);
    memory = fuzz_block_new(symbolic.bytes, 5, 0x33);
    REQUIRE(dc_cholesky_init(&symbolic, memory.memory, symbolic.bytes, &twin, NULL) == DC_OK);
    fuzz_block_free(&scratch);
    REQUIRE(dc_cholesky_factor(twin, s->m.a.value, pivot_tol, rule, NULL) == DC_OK);
    REQUIRE(dc_cholesky_dropped(twin) == dc_cholesky_dropped(s->cholesky));
    for (i = 0; i < n; i++) x[i] = y[i] = (dc_real)(i % 3) - 1;
    dc_cholesky_solve(s->cholesky, 1, x, x);
    dc_cholesky_solve(twin, 1, y, y);
    REQUIRE(memcmp(x, y, (size_t)n * sizeof(dc_real)) == 0);
    fuzz_block_free(&memory);
    free(x);
    free(y);
}

static void check_factor(fuzz_bytes *f, subject *s)
{
    dc_index n = s->m.a.row_count;
    dc_pivots rule = (dc_pivots)fuzz_int(f, 0, 1);
    dc_real pivot_tol = fuzz_once_in(f, 2) ? 0 : fuzz_scale(f, 1e-15, 1e-3);
    /* Rounding moves eigenvalues of the scaled matrix by no more than n times its entries' error. */
    long double mu = 8.0L * n * (n + 1) * s->u + 2 * (long double)pivot_tol;
    int is_small = n <= ROWS_MAX && s->m.is_tame, is_safe = is_small && is_definite(&s->m, -mu);
    dc_error error;
    dc_status status;
    status = dc_cholesky_factor(s->cholesky, s->m.a.value, pivot_tol, rule, &error);
    REQUIRE(fuzz_error_is_good(&error, status, "dc_cholesky_factor"));
    if (status == DC_BAD_ARGUMENT) {
        REQUIRE(!(pivot_tol >= 0 && pivot_tol < 1));
        return;
    }
    if (status != DC_OK) {
        REQUIRE(status == DC_SINGULAR || status == DC_NOT_FINITE);
        REQUIRE(error.index >= 0 && error.index < n && !is_safe);
        REQUIRE(rule == DC_PIVOTS_REFUSE || status == DC_NOT_FINITE);
        return;
    }
    REQUIRE(dc_cholesky_dropped(s->cholesky) >= 0 && dc_cholesky_dropped(s->cholesky) <= n);
    if (is_small && rule == DC_PIVOTS_REFUSE) REQUIRE(is_definite(&s->m, mu));
    if (is_safe || rule == DC_PIVOTS_REFUSE) REQUIRE(dc_cholesky_dropped(s->cholesky) == 0);
    check_solves(f, s, is_safe);
    check_twin(s, pivot_tol, rule);
}

static void check_factor_memory(subject *s)
{
    dc_error error;
    size_t bytes = s->symbolic.bytes;
    s->memory = fuzz_block_new(bytes, (unsigned)(bytes % 17), 0xff);
    REQUIRE(dc_cholesky_init(&s->symbolic, s->memory.memory, bytes - 1, &s->cholesky, &error) ==
            DC_TOO_SMALL);
    REQUIRE(error.needed == bytes && error.given == bytes - 1);
    REQUIRE(dc_cholesky_init(&s->symbolic, s->memory.memory, bytes, &s->cholesky, &error) == DC_OK);
    fuzz_block_free(&s->scratch);
}

static void check_plan(fuzz_bytes *f, subject *s)
{
    dc_index n = s->m.a.row_count;
    size_t bytes = dc_cholesky_scratch_bytes(n, nonzeros(&s->m)), few;
    dc_error error;
    dc_status status;
    REQUIRE(bytes > 0);
    s->scratch = fuzz_block_new(bytes, (unsigned)fuzz_int(f, 0, 16), 0xff);
    few = fuzz_once_in(f, 2) ? (size_t)fuzz_byte(f) : bytes - 1;
    status = dc_cholesky_plan(&s->m.a, &s->desc, s->scratch.memory, few, &s->symbolic, &error);
    REQUIRE(fuzz_error_is_good(&error, status, "dc_cholesky_plan"));
    REQUIRE(status == DC_OK || status == DC_TOO_SMALL || status == DC_BAD_ARGUMENT);
    status = dc_cholesky_plan(&s->m.a, &s->desc, s->scratch.memory, bytes, &s->symbolic, &error);
    REQUIRE(fuzz_error_is_good(&error, status, "dc_cholesky_plan"));
    if (status != DC_OK) {
        REQUIRE(status == DC_BAD_ARGUMENT);
        REQUIRE(s->m.is_wrong || s->desc.rhs_max < 1 || s->desc.storage > DC_STORAGE_FLOAT ||
                s->desc.storage < DC_STORAGE_REAL);
        REQUIRE(error.index == DC_NONE || (error.index >= 0 && error.index < n));
        return;
    }
    REQUIRE(s->symbolic.n == n && s->symbolic.factor_nonzeros >= n);
    REQUIRE((s->symbolic.flops > 0) ==
            (s->symbolic.factor_nonzeros > n)); /* roots are not counted */
    check_factor_memory(s);
    check_factor(f, s);
}

static void make_pattern(fuzz_bytes *f, matrix *m)
{
    /* Nested dissection, which takes half a second, is seldom hit upon: seeds begin with it. */
    int is_large = fuzz_int(f, 0, 65535) == 0x4e44;
    dc_index n = is_large ? fuzz_int(f, 3900, ROWS_LARGE) : fuzz_int(f, 1, ROWS_MAX);
    int is_random = !is_large && fuzz_once_in(f, 2);
    matrix_new(m, n, is_random ? n * n : 5 * n);
    if (is_random)
        pattern_random(f, m, (int)fuzz_byte(f));
    else
        pattern_regular(f, m);
    if (!is_large && fuzz_once_in(f, 16)) pattern_spoil(f, m);
    matrix_shrink(m);
}

static int run_cholesky(const uint8_t *data, size_t size)
{
    fuzz_bytes f = fuzz_begin(data, size);
    subject s;
    memset(&s, 0, sizeof s);
    f.is_weird = fuzz_once_in(&f, 4);
    make_pattern(&f, &s.m);
    fill_values(&f, &s.m);
    s.desc = dc_cholesky_defaults();
    s.desc.rhs_max =
        f.is_weird && fuzz_once_in(&f, 16) ? fuzz_int(&f, -1, 0) : fuzz_int(&f, 1, RHS_MAX);
    s.desc.storage = (dc_storage)fuzz_enum(&f, 2);
    (void)fuzz_once_in(&f, 2); /* recorded inputs have a byte here */
    s.u = (s.desc.storage == DC_STORAGE_FLOAT ? (long double)FLT_EPSILON : DCI_EPSILON) / 2;
    check_plan(&f, &s);
    fuzz_block_free(&s.memory);
    fuzz_block_free(&s.scratch);
    matrix_free(&s.m);
    return 0;
}
