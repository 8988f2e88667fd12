/* L-BFGS-B on sums of squares, of absolute values, of fourth powers, of waves and of Rosenbrock's
   valleys, with bounds, and with half spaces beyond which the value is not a number or infinite.

   - The objective is asked within the bounds alone, at finite points, and no oftener than
     evaluation_max; iterations stay within iteration_max.
   - Of two calls with the same arguments, in other memory, the results are the same bits.
   - With success, or when it ended at a bound: x is in the bounds, the value is f(x), no more than at
     the start moved into the bounds; the projected gradient is that of x, at most gradient_tol if
     that is why it ended.
   - A wrong description, or too little memory, leaves x as it was; one byte less than
     dc_lbfgsb_bytes() is too little, and so much is enough. */
#include "fuzz.h"

enum { N_MAX = 8, TERMS_MAX = 10 };

typedef enum term_kind { SQUARE, KINK, FOURTH, WAVE, VALLEY, LINEAR, TERM_KINDS } term_kind;

typedef struct term {
    term_kind kind;
    double weight, target, factor[N_MAX];
} term;

typedef struct problem {
    dc_index n;
    term terms[TERMS_MAX];
    int term_count;
    double wall[N_MAX], wall_at; /* beyond wall . x = wall_at ... */
    int has_wall; /* 1: NaN, 2: infinity, 3: gradient is not a number alone         */
    const dc_real *lower, *upper;
    long calls;
} problem;

static double term_value(const problem *p, const term *t, const dc_real *x, dc_real *g)
{
    double along = -t->target, value = 0, slope = 0;
    dc_index i;
    for (i = 0; i < p->n; i++) along += t->factor[i] * (double)x[i];
    switch (t->kind) {
    case SQUARE: value = along * along / 2, slope = along; break;
    case KINK: value = fabs(along), slope = along > 0 ? 1 : -1; break;
    case FOURTH: value = along * along * along * along, slope = 4 * along * along * along; break;
    case WAVE: value = 1 - cos(along), slope = sin(along); break;
    case LINEAR: value = along, slope = 1; break;
    case VALLEY:
    case TERM_KINDS: break;
    }
    for (i = 0; i < p->n; i++) g[i] += (dc_real)(t->weight * slope * t->factor[i]);
    for (i = 0; t->kind == VALLEY && i + 1 < p->n; i++) {
        double a = (double)x[i], b = (double)x[i + 1] - a * a;
        value += 100 * b * b + (1 - a) * (1 - a);
        g[i] += (dc_real)(t->weight * (-400 * a * b - 2 * (1 - a)));
        g[i + 1] += (dc_real)(t->weight * 200 * b);
    }
    return t->weight * value;
}

static dc_real evaluate(void *context, const dc_real *x, dc_real *g)
{
    problem *p = (problem *)context;
    double f = 0, beyond = -p->wall_at;
    dc_index i;
    int k;
    p->calls++;
    for (i = 0; i < p->n; i++) {
        REQUIRE(isfinite(x[i]));
        REQUIRE(!p->lower || p->lower[i] <= -DC_UNBOUNDED || x[i] >= p->lower[i]);
        REQUIRE(!p->upper || p->upper[i] >= DC_UNBOUNDED || x[i] <= p->upper[i]);
        g[i] = 0;
        beyond += p->wall[i] * (double)x[i];
    }
    for (k = 0; k < p->term_count; k++) f += term_value(p, p->terms + k, x, g);
    if (p->has_wall == 1 && beyond > 0) return (dc_real)NAN;
    if (p->has_wall == 2 && beyond > 0) return (dc_real)HUGE_VAL;
    if (p->has_wall == 3 && beyond > 0) g[p->n / 2] = (dc_real)NAN;
    return (dc_real)f;
}

static void make_problem(fuzz_bytes *f, problem *p)
{
    dc_index i;
    int k;
    memset(p, 0, sizeof *p);
    p->n = fuzz_int(f, 1, N_MAX);
    p->term_count = fuzz_int(f, 0, TERMS_MAX);
    for (k = 0; k < p->term_count; k++) {
        term *t = p->terms + k;
        t->kind = (term_kind)fuzz_int(f, 0, TERM_KINDS - 1);
        t->weight = (double)fuzz_scale(f, 1e-6, 1e6) * (fuzz_once_in(f, 8) ? -1 : 1);
        t->target = fuzz_number(f, -3, 3);
        for (i = 0; i < p->n; i++) t->factor[i] = fuzz_number(f, -2, 2);
    }
    p->has_wall = fuzz_once_in(f, 3) ? fuzz_int(f, 1, 3) : 0;
    for (i = 0; i < p->n && p->has_wall; i++) p->wall[i] = fuzz_number(f, -1, 1);
    if (p->has_wall) p->wall_at = fuzz_number(f, -1, 3);
}

/* (n) numbers of exactly that room. */
static dc_real *make_numbers(fuzz_bytes *f, dc_index n, double low, double high)
{
    dc_real *x = (dc_real *)test_alloc((size_t)n * sizeof(dc_real));
    dc_index i;
    for (i = 0; i < n; i++) x[i] = fuzz_real(f, low, high);
    return x;
}

/* Some bounds are none; some leave one value, or in weird strings no value. */
static void make_bounds(fuzz_bytes *f, problem *p, dc_real **lower, dc_real **upper)
{
    dc_index i;
    *lower = fuzz_once_in(f, 3) ? NULL : make_numbers(f, p->n, -2, 0);
    *upper = fuzz_once_in(f, 3) ? NULL : make_numbers(f, p->n, 0, 2);
    for (i = 0; i < p->n; i++) {
        int kind = fuzz_int(f, 0, 7);
        if (kind == 0 && *lower) (*lower)[i] = -DC_UNBOUNDED;
        if (kind == 1 && *upper) (*upper)[i] = DC_UNBOUNDED;
        if (kind == 2 && *upper && *lower) (*upper)[i] = (*lower)[i];
        if (kind == 3 && *upper) (*upper)[i] = (dc_real)HUGE_VAL;
    }
    p->lower = *lower;
    p->upper = *upper;
}

static void make_desc(fuzz_bytes *f, const problem *p, dc_lbfgsb_desc *desc)
{
    *desc = dc_lbfgsb_defaults();
    desc->n = p->n;
    desc->memory =
        fuzz_once_in(f, 8) ? fuzz_int(f, 0, DC_LBFGSB_MEMORY_MAX + 1) : fuzz_int(f, 1, 6);
    desc->objective = f->is_weird && fuzz_once_in(f, 16) ? NULL : evaluate;
    desc->context = (void *)(size_t)p;
    desc->lower = p->lower;
    desc->upper = p->upper;
    desc->gradient_tol = fuzz_once_in(f, 4) ? 0 : fuzz_scale(f, 1e-14, 1);
    if (fuzz_once_in(f, 2)) desc->decrease_tol = fuzz_once_in(f, 2) ? 0 : fuzz_scale(f, 1e-16, 0.1);
    desc->iteration_max = fuzz_int(f, f->is_weird ? -1 : 0, 200);
    desc->evaluation_max = fuzz_int(f, f->is_weird ? 0 : 1, 400);
}

/* Infinite bounds count as none. */
static dc_real within(const problem *p, dc_index i, dc_real x)
{
    if (p->lower && p->lower[i] > -DC_UNBOUNDED && x < p->lower[i]) x = p->lower[i];
    if (p->upper && p->upper[i] < DC_UNBOUNDED && x > p->upper[i]) x = p->upper[i];
    return x;
}

/* The largest |P(x - g) - x|, without the rounding of x - g where no bound stops it. */
static double projected(const problem *p, const dc_real *x, const dc_real *g)
{
    double largest = 0;
    dc_index i;
    for (i = 0; i < p->n; i++) {
        dc_real down = x[i] - g[i], stopped = within(p, i, down);
        double way = stopped == down ? (double)g[i] : (double)stopped - (double)x[i];
        largest = fmax(largest, fabs(way));
    }
    return largest;
}

static void check_end(problem *p, const dc_lbfgsb_desc *desc, dc_status status,
                      const dc_real *start, const dc_real *x, const dc_lbfgsb_result *r, long calls)
{
    static const double ROUNDING = sizeof(dc_real) == 4 ? 1e-5 : 1e-13;
    dc_real g[N_MAX], moved[N_MAX], before, value;
    double left, size = 0;
    dc_index i;
    int is_success = r->end == DC_LBFGSB_GRADIENT || r->end == DC_LBFGSB_DECREASE;
    REQUIRE((status == DC_OK) == is_success && r->end <= DC_LBFGSB_NOTHING_LOWER);
    REQUIRE(r->iterations >= 0 && r->iterations <= desc->iteration_max);
    REQUIRE(r->evaluations >= 1 && r->evaluations <= desc->evaluation_max);
    REQUIRE(calls == r->evaluations);
    for (i = 0; i < p->n; i++) moved[i] = within(p, i, start[i]);
    for (i = 0; i < p->n; i++) size = fmax(size, fabs((double)x[i]));
    before = evaluate(p, moved, g);
    value = evaluate(p, x, g); /* which checks the bounds */
    REQUIRE(memcmp(&value, &r->value, sizeof value) == 0 && r->value <= before);
    left = projected(p, x, g);
    REQUIRE(fabs(left - (double)r->projected_gradient) <= ROUNDING * (left + size));
    if (r->end == DC_LBFGSB_GRADIENT) REQUIRE(r->projected_gradient <= desc->gradient_tol);
    if (r->end == DC_LBFGSB_ITERATIONS) REQUIRE(r->iterations == desc->iteration_max);
    if (r->end == DC_LBFGSB_EVALUATIONS) REQUIRE(r->evaluations + 1 >= desc->evaluation_max);
}

static void check_refusal(const problem *p, const dc_error *error, const dc_real *start,
                          const dc_real *x)
{
    dc_index i, k = error->index;
    int is_bad_start = 0, is_same = memcmp(x, start, (size_t)p->n * sizeof(dc_real)) == 0;
    for (i = 0; i < p->n; i++) is_bad_start |= !isfinite(start[i]);
    REQUIRE(k == DC_NONE || (k >= 0 && k < p->n));
    REQUIRE(error->status == DC_BAD_ARGUMENT || error->status == DC_NOT_FINITE);
    if (error->status == DC_BAD_ARGUMENT || is_bad_start) REQUIRE(is_same && p->calls == 0);
    if (error->status == DC_NOT_FINITE && !is_bad_start) REQUIRE(p->calls == 1);
    if (error->status == DC_NOT_FINITE && is_bad_start) REQUIRE(!isfinite(start[k]));
}

static int is_wrong(const problem *p, const dc_lbfgsb_desc *d)
{
    dc_index i;
    int wrong = d->memory < 1 || d->memory > DC_LBFGSB_MEMORY_MAX || !d->objective;
    wrong |= !(d->gradient_tol >= 0 && isfinite(d->gradient_tol));
    wrong |= !(d->decrease_tol >= 0 && isfinite(d->decrease_tol));
    wrong |= d->iteration_max < 0 || d->evaluation_max < 1;
    for (i = 0; i < p->n; i++) {
        if (p->lower) wrong |= !(p->lower[i] < DC_UNBOUNDED);
        if (p->upper) wrong |= !(p->upper[i] > -DC_UNBOUNDED);
        if (p->lower && p->upper) wrong |= !(p->lower[i] <= p->upper[i]);
    }
    return wrong;
}

static void check_memory(problem *p, const dc_lbfgsb_desc *desc, dc_real *x, const dc_real *start)
{
    size_t bytes = dc_lbfgsb_bytes(desc->n, desc->memory);
    fuzz_block block = fuzz_block_new(bytes - 1, 1, 0);
    dc_error error;
    REQUIRE(dc_lbfgsb_solve(desc, block.memory, bytes - 1, x, NULL, &error) == DC_TOO_SMALL);
    REQUIRE(fuzz_error_is_good(&error, DC_TOO_SMALL, "dc_lbfgsb_solve"));
    REQUIRE(error.needed == bytes && error.given == bytes - 1 && p->calls == 0);
    REQUIRE(memcmp(x, start, (size_t)p->n * sizeof(dc_real)) == 0);
    fuzz_block_free(&block);
}

static void solve(problem *p, const dc_lbfgsb_desc *desc, const dc_real *start, unsigned offset)
{
    size_t room = (size_t)p->n * sizeof(dc_real), bytes = dc_lbfgsb_bytes(desc->n, desc->memory);
    dc_real *x = (dc_real *)test_alloc(room), *again = (dc_real *)test_alloc(room);
    fuzz_block block = fuzz_block_new(bytes, offset, 0xff), other = fuzz_block_new(bytes, 0, 0x3f);
    dc_lbfgsb_result result, second;
    dc_error error;
    dc_status status;
    long calls;
    int wrong = is_wrong(p, desc);
    memcpy(x, start, room);
    memcpy(again, start, room);
    memset(&result, 0, sizeof result);
    memset(&second, 0, sizeof second);
    REQUIRE((bytes == 0) == (desc->memory < 1 || desc->memory > DC_LBFGSB_MEMORY_MAX));
    status = dc_lbfgsb_solve(desc, block.memory, bytes, x, &result, &error);
    calls = p->calls;
    REQUIRE(fuzz_error_is_good(&error, status, "dc_lbfgsb_solve"));
    REQUIRE(!wrong || status == DC_BAD_ARGUMENT);
    REQUIRE(calls <= (desc->evaluation_max > 0 ? desc->evaluation_max : 0));
    if (status != DC_OK && status != DC_NOT_CONVERGED)
        check_refusal(p, &error, start, x);
    else
        check_end(p, desc, status, start, x, &result, calls);
    REQUIRE(dc_lbfgsb_solve(desc, other.memory, bytes, again, &second, NULL) == status);
    REQUIRE(memcmp(x, again, room) == 0);
    REQUIRE(memcmp(&result, &second, sizeof result) == 0);
    p->calls = 0;
    if (status == DC_OK || status == DC_NOT_CONVERGED) {
        memcpy(x, start, room);
        check_memory(p, desc, x, start);
    }
    fuzz_block_free(&block);
    fuzz_block_free(&other);
    free(x);
    free(again);
}

static int run_lbfgsb(const uint8_t *data, size_t size)
{
    fuzz_bytes f = fuzz_begin(data, size);
    problem p;
    dc_lbfgsb_desc desc;
    dc_real *lower, *upper, *start;
    f.is_weird = fuzz_once_in(&f, 4);
    make_problem(&f, &p);
    make_bounds(&f, &p, &lower, &upper);
    make_desc(&f, &p, &desc);
    start = make_numbers(&f, p.n, -3, 3);
    solve(&p, &desc, start, (unsigned)fuzz_int(&f, 0, 16));
    free(lower);
    free(upper);
    free(start);
    return 0;
}
