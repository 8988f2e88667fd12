/* Chapter 42: its matrices and points against dense ones, and minima known in closed form. */

enum { MINIMISE_MAX = 60 };

/* A problem as the objective sees it. All objectives go through minimise_ask(). */
typedef struct minimise_problem {
    dc_real (*f)(const struct minimise_problem *problem, const dc_real *x, dc_real *g);
    dc_lbfgsb_desc desc;
    dc_real lower[MINIMISE_MAX], upper[MINIMISE_MAX];
    const dc_real *scale;
    dc_real offset;
    int calls, outside, refused;
} minimise_problem;

static dc_real minimise_ask(void *context, const dc_real *x, dc_real *g)
{
    minimise_problem *p = (minimise_problem *)context;
    dc_real value;
    dc_index i;
    p->calls++;
    for (i = 0; i < p->desc.n; i++) p->outside += !(x[i] >= p->lower[i] && x[i] <= p->upper[i]);
    value = p->f(p, x, g);
    p->refused += !dci_is_finite(value);
    return value;
}

static void minimise_set(minimise_problem *p, dc_index n,
                         dc_real (*f)(const minimise_problem *, const dc_real *, dc_real *))
{
    dc_index i;
    memset(p, 0, sizeof *p);
    p->f = f;
    p->desc = dc_lbfgsb_defaults();
    p->desc.n = n;
    p->desc.objective = minimise_ask;
    p->desc.context = p;
    p->desc.lower = p->lower;
    p->desc.upper = p->upper;
    p->desc.gradient_tol = (dc_real)TOL(1e-9, 1e-4);
    p->desc.decrease_tol = 0;
    for (i = 0; i < n; i++) {
        p->lower[i] = -DC_UNBOUNDED;
        p->upper[i] = DC_UNBOUNDED;
    }
}

/* Solves in memory of exactly the size told, full of rubbish. */
static dc_status minimise(minimise_problem *p, dc_real *x, dc_lbfgsb_result *result,
                          dc_error *error)
{
    size_t bytes = dc_lbfgsb_bytes(p->desc.n, p->desc.memory);
    void *work = test_alloc(bytes);
    dc_status status;
    memset(work, 0x7f, bytes);
    status = dc_lbfgsb_solve(&p->desc, work, bytes, x, result, error);
    free(work);
    CHECK_EQUAL(p->outside, 0);
    return status;
}

/* ---- Objectives ---- */

/* x0^2 + x0 x1 + 3/2 x1^2 - 3 x0 - 5 x1 */
static dc_real minimise_two(const minimise_problem *p, const dc_real *x, dc_real *g)
{
    (void)p;
    g[0] = 2 * x[0] + x[1] - 3;
    g[1] = x[0] + 3 * x[1] - 5;
    return x[0] * x[0] + x[0] * x[1] + DCI_R(1.5) * x[1] * x[1] - 3 * x[0] - 5 * x[1];
}

/* offset + sum scale_i x_i^2 / 2 */
static dc_real minimise_bowl(const minimise_problem *p, const dc_real *x, dc_real *g)
{
    dc_real sum = 0;
    dc_index i;
    for (i = 0; i < p->desc.n; i++) {
        dc_real scale = p->scale ? p->scale[i] : 1;
        g[i] = scale * x[i];
        sum += scale * x[i] * x[i] / 2;
    }
    return p->offset + sum;
}

/* Rosenbrock's function of each pair: sum 100 (x1 - x0^2)^2 + (1 - x0)^2. */
static dc_real minimise_rosenbrock(const minimise_problem *p, const dc_real *x, dc_real *g)
{
    dc_real sum = 0;
    dc_index i;
    for (i = 0; i < p->desc.n; i += 2) {
        dc_real rise = x[i + 1] - x[i] * x[i], rest = 1 - x[i];
        g[i] = -400 * x[i] * rise - 2 * rest;
        g[i + 1] = 200 * rise;
        sum += 100 * rise * rise + rest * rest;
    }
    return sum;
}

/* The first problem of the published driver of L-BFGS-B: (x0 - 1)^2 + 4 sum (x_i - x_{i-1}^2)^2. */
static dc_real minimise_driver(const minimise_problem *p, const dc_real *x, dc_real *g)
{
    dc_real sum = (x[0] - 1) * (x[0] - 1);
    dc_index i;
    for (i = 0; i < p->desc.n; i++) g[i] = 0;
    g[0] = 2 * (x[0] - 1);
    for (i = 1; i < p->desc.n; i++) {
        dc_real rise = x[i] - x[i - 1] * x[i - 1];
        sum += 4 * rise * rise;
        g[i] += 8 * rise;
        g[i - 1] -= 16 * rise * x[i - 1];
    }
    return sum;
}

/* Strongly convex and smooth: sum (i + 1) (x_i^2 / 2 + x_i^4 / 4) + (sum x_i)^2 / 2 */
static dc_real minimise_quartic(const minimise_problem *p, const dc_real *x, dc_real *g)
{
    dc_real sum = 0, all = 0;
    dc_index i;
    for (i = 0; i < p->desc.n; i++) all += x[i];
    for (i = 0; i < p->desc.n; i++) {
        dc_real scale = (dc_real)(i + 1), square = x[i] * x[i];
        g[i] = scale * (x[i] + x[i] * square) + all;
        sum += scale * (square / 2 + square * square / 4);
    }
    return sum + all * all / 2;
}

/* 1 / (1 - x) - 9 x, not defined from 1 on */
static dc_real minimise_walled(const minimise_problem *p, const dc_real *x, dc_real *g)
{
    dc_real rest = 1 - x[0], zero = 0;
    (void)p;
    g[0] = rest > 0 ? 1 / (rest * rest) - 9 : 0;
    return rest > 0 ? 1 / rest - 9 * x[0] : zero / zero;
}

/* |x0| + (x0 - x1)^2 / 2 + (x1 - 1)^2 / 2 */
static dc_real minimise_kinked(const minimise_problem *p, const dc_real *x, dc_real *g)
{
    dc_real a = x[0] - x[1], b = x[1] - 1;
    (void)p;
    g[0] = (x[0] < 0 ? -1 : 1) + a;
    g[1] = b - a;
    return dci_abs(x[0]) + a * a / 2 + b * b / 2;
}

/* sum x_i^2 / 2 + 10 max(0, x_i - 1): kinks, but none at the minimum */
static dc_real minimise_hinged(const minimise_problem *p, const dc_real *x, dc_real *g)
{
    dc_real sum = 0;
    dc_index i;
    for (i = 0; i < p->desc.n; i++) {
        dc_real over = x[i] - 1;
        g[i] = x[i] + (over > 0 ? 10 : 0);
        sum += x[i] * x[i] / 2 + (over > 0 ? 10 * over : 0);
    }
    return sum;
}

/* The bowl with a gradient that points down. */
static dc_real minimise_lie(const minimise_problem *p, const dc_real *x, dc_real *g)
{
    dc_real value = minimise_bowl(p, x, g);
    dc_index i;
    for (i = 0; i < p->desc.n; i++) g[i] = -g[i];
    return value;
}

static dc_real minimise_nan(const minimise_problem *p, const dc_real *x, dc_real *g)
{
    dc_real zero = 0, value = minimise_bowl(p, x, g);
    if (p->offset == 0) return zero / zero;
    g[1] = 1 / zero;
    return value;
}

/* ---- Matrices and points, against dense ones ---- */

enum { MODEL_N = 12 };

typedef struct minimise_model {
    minimise_problem problem;
    dci_lbfgsb o;
    void *memory;
    dc_real x[MODEL_N];
    dense b; /* what BFGS makes of theta I */
} minimise_model;

/* b += the BFGS update for a pair: B - B s (B s)^T / (s . B s) + y y^T / (s . y) */
static void dense_bfgs(dense *b, const dc_real *s, const dc_real *y, dc_index step)
{
    int n = b->rows, i, j;
    double bs[MODEL_N], sbs = 0, sy = 0;
    for (i = 0; i < n; i++) {
        bs[i] = 0;
        for (j = 0; j < n; j++) bs[i] += *dense_at(b, i, j) * (double)s[j * step];
        sbs += bs[i] * (double)s[i * step];
        sy += (double)s[i * step] * (double)y[i * step];
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            *dense_at(b, i, j) +=
                (double)y[i * step] * (double)y[j * step] / sy - bs[i] * bs[j] / sbs;
}

/* Random pairs of a random quadratic, more than fit; a random x in a random box, some of it at a
   bound, x[0] without bounds; a random gradient. */
static void model_make(minimise_model *m, dc_index memory, uint32_t seed)
{
    dc_index i, j, k, n = MODEL_N;
    size_t bytes = dc_lbfgsb_bytes(n, memory);
    uint32_t number = 0;
    dci_arena arena;
    minimise_set(&m->problem, n, minimise_bowl);
    m->memory = test_alloc(bytes);
    arena = dci_arena_over(m->memory, bytes);
    dci_lbfgsb_layout(&arena, &m->o, n, memory);
    dci_lbfgsb_forget(&m->o);
    for (k = 0; k < memory + 2; k++) {
        dc_real along = 0;
        for (i = 0; i < n; i++) {
            m->x[i] = m->o.gradient[i] = 0;
            m->o.trial[i] = dci_random(seed, number++);
            along += m->o.trial[i];
        }
        for (i = 0; i < n; i++) /* y = (diag(1 .. 3) + ones / 4) s */
            m->o.trial_gradient[i] = (1 + 2 * (dc_real)i / (dc_real)n) * m->o.trial[i] + along / 4;
        dci_lbfgsb_remember(&m->o, m->x);
    }
    for (i = 0; i < n; i++) {
        m->x[i] = dci_random(seed, number++);
        m->o.gradient[i] = 3 * dci_random(seed, number++);
        if (i == 0) continue;
        m->problem.lower[i] = m->x[i] - dci_max(0, dci_random(seed, number++));
        m->problem.upper[i] = m->x[i] + dci_max(0, dci_random(seed, number++));
    }
    m->b = dense_new(n, n);
    for (i = 0; i < n; i++) *dense_at(&m->b, i, i) = (double)m->o.theta;
    for (j = 0; j < m->o.k; j++) dense_bfgs(&m->b, m->o.s + j, m->o.y + j, memory);
}

static void model_free(minimise_model *m)
{
    free(m->memory);
    free(m->b.a);
}

/* (42.1) without f */
static double model_value(const minimise_model *m, const double *to)
{
    double sum = 0;
    int i, j;
    for (i = 0; i < MODEL_N; i++) {
        double z = to[i] - (double)m->x[i];
        sum += (double)m->o.gradient[i] * z;
        for (j = 0; j < MODEL_N; j++)
            sum += z * *dense_at(&m->b, i, j) * (to[j] - (double)m->x[j]) / 2;
    }
    return sum;
}

static void test_compact_matrix_is_that_of_bfgs_updates(void)
{
    static minimise_model m;
    const dc_index memories[] = {1, 3, 5};
    dc_index i, j, k;
    for (k = 0; k < 3; k++) {
        model_make(&m, memories[k], 7);
        CHECK_EQUAL(m.o.k, memories[k]);
        dci_lbfgsb_form_m(&m.o);
        CHECK(dci_lbfgsb_factor(&m.o));
        for (j = 0; j < MODEL_N; j++) {
            for (i = 0; i < 2 * m.o.k; i++) m.o.w[i] = 0;
            dci_lbfgsb_add_row(&m.o, j, 1, m.o.w);
            dci_lbfgsb_solve(&m.o, m.o.w);
            for (i = 0; i < MODEL_N; i++) /* (42.2), column j */
                CHECK_NEAR((i == j ? m.o.theta : 0) - dci_lbfgsb_row_dot(&m.o, i, m.o.w),
                           *dense_at(&m.b, i, j), TOL(1e-12, 1e-4));
        }
        model_free(&m);
    }
}

/* Descends to there, and no further: the model along the bent path. */
static void test_cauchy_point_is_the_first_minimum_along_the_bent_path(void)
{
    static minimise_model m;
    uint32_t seed;
    int turns = 0;
    for (seed = 1; seed <= 20; seed++) {
        double end, before = 0, to[MODEL_N];
        int i, q;
        model_make(&m, 4, seed);
        dci_lbfgsb_form_m(&m.o);
        CHECK(dci_lbfgsb_factor(&m.o));
        dci_lbfgsb_cauchy(&m.o, &m.problem.desc, m.x);
        end = ((double)m.x[0] - (double)m.o.trial[0]) / (double)m.o.gradient[0];
        CHECK(end > 0);
        for (q = 1; q <= 202; q++) {
            double t = q <= 200 ? end * q / 200 : q == 201 ? 0.99 * end : 1.01 * end, value;
            for (i = 0; i < MODEL_N; i++)
                to[i] = fmin(
                    fmax((double)m.x[i] - t * (double)m.o.gradient[i], (double)m.problem.lower[i]),
                    (double)m.problem.upper[i]);
            value = model_value(&m, to);
            if (q <= 200) CHECK_AT_MOST(value, before + TOL(1e-13, 1e-6));
            if (q > 200) CHECK_AT_MOST(before, value);
            if (q <= 200) before = value;
            if (q == 200)
                for (i = 0; i < MODEL_N; i++) {
                    CHECK_NEAR(m.o.trial[i], to[i], TOL(1e-12, 1e-5));
                    turns +=
                        m.o.trial[i] != m.x[i] && !dci_lbfgsb_is_free(&m.o, &m.problem.desc, i);
                }
        }
        model_free(&m);
    }
    CHECK(turns >= 20); /* of 220 variables with a bound: else little was tested */
}

/* The example in the chapter's header. */
static void test_cauchy_point_worked_by_hand(void)
{
    static minimise_problem p;
    static double memory[60 + 1000 * TEST_GAPS];
    dc_real x[2] = {0, 0};
    dci_lbfgsb_path path;
    dci_lbfgsb o;
    dci_arena arena = dci_arena_over(memory, sizeof memory);
    minimise_set(&p, 2, minimise_bowl);
    p.upper[0] = 1;
    dci_lbfgsb_layout(&arena, &o, 2, 1);
    CHECK(!arena.is_short);
    dci_lbfgsb_forget(&o);
    o.gradient[0] = -2;
    o.gradient[1] = -1;
    dci_lbfgsb_path_begin(&o, &p.desc, x, &path);
    CHECK(path.slope == -5 && path.curvature == 5 && path.heap_count == 1);
    dci_lbfgsb_path_turn(&o, x, &p.desc, &path);
    CHECK(path.slope == DCI_R(-0.5) && path.curvature == 1 && path.t == DCI_R(0.5));
    dci_lbfgsb_cauchy(&o, &p.desc, x);
    CHECK(o.trial[0] == 1 && o.trial[1] == 1);
}

/* The gradient of the model vanishes in the free variables. */
static void test_subspace_step_minimises_over_the_free_variables(void)
{
    static minimise_model m;
    uint32_t seed;
    int fixed = 0;
    for (seed = 1; seed <= 20; seed++) {
        double z[MODEL_N];
        int i, j;
        model_make(&m, 4, seed);
        dci_lbfgsb_form_m(&m.o);
        CHECK(dci_lbfgsb_factor(&m.o));
        dci_lbfgsb_cauchy(&m.o, &m.problem.desc, m.x);
        CHECK(dci_lbfgsb_subspace(&m.o, &m.problem.desc, m.x));
        for (i = 0; i < MODEL_N; i++)
            z[i] = (double)m.o.trial[i] + (double)m.o.trial_gradient[i] - (double)m.x[i];
        for (i = 0; i < MODEL_N; i++) {
            double slope = (double)m.o.gradient[i];
            if (!dci_lbfgsb_is_free(&m.o, &m.problem.desc, i)) {
                fixed++;
                CHECK(m.o.trial_gradient[i] == 0);
                continue;
            }
            for (j = 0; j < MODEL_N; j++) slope += *dense_at(&m.b, i, j) * z[j];
            CHECK_NEAR(slope, 0, TOL(1e-12, 1e-4));
        }
        model_free(&m);
    }
    CHECK(fixed >= 40 && fixed <= 200);
}

static void test_aims_stay_in_the_box_and_descend(void)
{
    static minimise_model m;
    uint32_t seed;
    for (seed = 1; seed <= 50; seed++) {
        int i;
        model_make(&m, 5, seed);
        CHECK(dci_lbfgsb_aim(&m.o, &m.problem.desc, m.x));
        CHECK(dci_array_dot(MODEL_N, m.o.gradient, m.o.direction) < 0);
        for (i = 0; i < MODEL_N; i++) {
            dc_real to = m.x[i] + m.o.direction[i], room = 4 * DCI_EPSILON;
            CHECK(to >= m.problem.lower[i] - room && to <= m.problem.upper[i] + room);
        }
        m.o.ss[0] = -m.o.ss[0]; /* pairs spoiled */
        CHECK(!dci_lbfgsb_aim(&m.o, &m.problem.desc, m.x));
        model_free(&m);
    }
}

typedef struct minimise_plane {
    minimise_problem problem;
    dci_lbfgsb o;
    double memory[60 + 1000 * TEST_GAPS];
    dc_real x[2];
} minimise_plane;

/* Two variables, two pairs at most, from (0, 0). */
static void plane_make(minimise_plane *m, dc_real g0, dc_real g1)
{
    dci_arena arena = dci_arena_over(m->memory, sizeof m->memory);
    minimise_set(&m->problem, 2, minimise_bowl);
    dci_lbfgsb_layout(&arena, &m->o, 2, 2);
    CHECK(!arena.is_short);
    dci_lbfgsb_forget(&m->o);
    m->x[0] = m->x[1] = 0;
    m->o.gradient[0] = g0;
    m->o.gradient[1] = g1;
}

static void plane_remember(minimise_plane *m, double s0, double s1, double y0, double y1)
{
    m->o.trial[0] = m->x[0] + (dc_real)s0;
    m->o.trial[1] = m->x[1] + (dc_real)s1;
    m->o.trial_gradient[0] = m->o.gradient[0] + (dc_real)y0;
    m->o.trial_gradient[1] = m->o.gradient[1] + (dc_real)y1;
    dci_lbfgsb_remember(&m->o, m->x);
}

/* A = (1, -9.9; -9.9, 100): A (1, 0) = (1, -9.9), A (9.9, 1) = (0, 1.99). As (9.9, 1) . A (1, 0) = 0
   both pairs hold, and B = A. With g = (0.4, -1) the Cauchy point is -t g with t = g.g / g.A g =
   1.16 / 108.08, and the minimum is -(40 - 9.9, 3.96 - 1) / 1.99 = (-15.13, -1.49). Put to x0 =
   -0.1 the slope towards it is -0.04 + 1.49: uphill. So the way to it ends at the bound. */
static void test_steps_that_would_lead_uphill_are_shortened(void)
{
    static minimise_plane m;
    double t = 1.16 / 108.08, end0 = -30.1 / 1.99, end1 = -2.96 / 1.99, part;
    plane_make(&m, 0, 0);
    plane_remember(&m, 1, 0, 1, -9.9);
    plane_remember(&m, 9.9, 1, 0, 1.99);
    CHECK_EQUAL(m.o.k, 2);
    m.o.gradient[0] = DCI_R(0.4);
    m.o.gradient[1] = -1;
    m.problem.lower[0] = DCI_R(-0.1);
    CHECK(dci_lbfgsb_aim(&m.o, &m.problem.desc, m.x));
    part = (-0.1 + 0.4 * t) / (end0 + 0.4 * t);
    CHECK_NEAR(m.o.direction[0], -0.1, TOL(1e-13, 1e-5));
    CHECK_NEAR(m.o.direction[1], t + part * (end1 - t), TOL(1e-12, 1e-5));
}

static void test_pairs_without_curvature_are_not_kept(void)
{
    static minimise_plane m;
    plane_make(&m, 1, 2);
    plane_remember(&m, 1, 0, -1, 5); /* s . y = -1 */
    plane_remember(&m, 1, 1, 3, -3); /* 0 */
    plane_remember(&m, 0, 0, 0, 0);
    CHECK(m.o.k == 0 && m.o.theta == 1);
    plane_remember(&m, 1, 1, 3, 1);
    CHECK(m.o.k == 1);
    CHECK_NEAR(m.o.theta, 10.0 / 4, TOL(1e-15, 1e-6));
}

/* Bounds at 2 and 3, along (1, 1) and (-1, -1), and away from all. */
static void test_reach_of_the_box(void)
{
    static minimise_plane m;
    plane_make(&m, 0, 0);
    m.problem.upper[0] = 2, m.problem.upper[1] = 3;
    m.o.direction[0] = m.o.direction[1] = 1;
    CHECK(dci_lbfgsb_reach(&m.o, &m.problem.desc, m.x) == 2);
    m.o.direction[0] = 0;
    CHECK(dci_lbfgsb_reach(&m.o, &m.problem.desc, m.x) == 3);
    m.o.direction[1] = -1;
    CHECK(dci_lbfgsb_reach(&m.o, &m.problem.desc, m.x) == DCI_LBFGSB_STEP_MAX);
}

/* A step that leads to a bound ends on it, not a rounding beside it. */
static void test_steps_to_a_bound_end_on_it(void)
{
    static minimise_plane m;
    uint32_t i;
    plane_make(&m, 0, 0);
    for (i = 0; i < 1000; i++) {
        m.x[0] = 3 + dci_random(1, i); /* the step has few of the digits of the bound */
        m.problem.lower[0] = dci_random(2, i) / 1000;
        m.x[1] = dci_random(3, i) / 100;
        m.problem.upper[1] = m.x[1] + dci_abs(dci_random(4, i)) * 7;
        m.o.direction[0] = m.problem.lower[0] - m.x[0];
        m.o.direction[1] = m.problem.upper[1] - m.x[1];
        dci_lbfgsb_place(&m.o, &m.problem.desc, m.x, 1);
        CHECK(m.o.trial[0] == m.problem.lower[0] && m.o.trial[1] == m.problem.upper[1]);
    }
}

/* Spoiled pairs are forgotten, and steepest descent goes on. */
static void test_spoiled_pairs_are_forgotten(void)
{
    static minimise_plane m;
    dc_lbfgsb_result result = {0, 0, 0, 5, DC_LBFGSB_GRADIENT};
    plane_make(&m, 5, 5);
    plane_remember(&m, 1, 0, 1, 0);
    m.o.ss[0] = -1;
    m.x[0] = m.x[1] = 5;
    m.o.first = m.o.lowest = m.o.value = 25;
    m.o.evaluations = 1;
    CHECK(dci_lbfgsb_iterate(&m.o, &m.problem.desc, m.x, &result) == DC_LBFGSB_GRADIENT);
    CHECK_NEAR(m.x[0], 0, TOL(1e-9, 1e-4));
}

static void test_heap_gives_breakpoints_in_order(void)
{
    enum { COUNT = 37 };
    dc_real key[COUNT], before = -2;
    dc_index heap[COUNT], count = COUNT, i;
    for (i = 0; i < COUNT; i++) {
        heap[i] = i;
        key[i] = (dc_real)(int)(8 * dci_random(5, (uint32_t)i)) / 8; /* some are equal */
    }
    for (i = COUNT / 2 - 1; i >= 0; i--) dci_lbfgsb_sift(key, heap, COUNT, i);
    while (count > 0) {
        CHECK(key[heap[0]] >= before);
        before = key[heap[0]];
        heap[0] = heap[--count];
        if (count > 0) dci_lbfgsb_sift(key, heap, count, 0);
    }
}

/* ---- The search along a line ---- */

/* phi(t) = -t + t^2 / (2 at), its minimum at `at`: trials go up to it, or down. */
static void test_line_search_meets_both_conditions(void)
{
    const dc_real places[] = {DCI_R(1e-7), DCI_R(0.01), DCI_R(0.4), 1, 30, 1000000};
    int k;
    for (k = 0; k < 6; k++) {
        dc_real at = places[k], t = 1;
        dci_line line;
        dci_line_point trial;
        int count = 0, is_found = 0;
        dci_line_begin(&line, 0, -1, DCI_LBFGSB_STEP_MAX);
        while (!is_found && count < DCI_LBFGSB_TRIALS) {
            trial.t = t;
            trial.f = -t + t * t / (2 * at);
            trial.slope = -1 + t / at;
            count++;
            is_found = dci_line_take(&line, &trial, 1);
            t = dci_line_next(&line);
        }
        CHECK(is_found);
        CHECK_AT_MOST(line.lo.f, -1e-4 * (double)line.lo.t);
        CHECK_AT_MOST(dci_abs(line.lo.slope), 0.9);
        /* a factor of ten each trial, and the parabola is met exactly when it is between */
        CHECK_AT_MOST(count, 2 + fabs(log10((double)at)));
    }
}

static void test_line_search_takes_the_end_of_the_box(void)
{
    dci_line line;
    dci_line_point trial;
    dci_line_begin(&line, 0, -1, 3);
    trial.t = 1;
    trial.f = trial.slope = -1;
    CHECK(!dci_line_take(&line, &trial, 1));
    CHECK(dci_line_next(&line) == 3);
    trial.t = 3;
    trial.f = -3;
    CHECK(dci_line_take(&line, &trial, 1) && line.lo.t == 3);
}

/* Values equal but for rounding: the parabola of slopes -1 at 0 and 3 at 1 is lowest at 1/4. The
   cubic -t + 2 t^3 has values 0 and 1, slopes -1 and 5, and is lowest at 1 / sqrt 6. */
static void test_line_search_interpolates(void)
{
    dci_line line;
    dci_line_begin(&line, DCI_R(1e8), -1, 10);
    line.hi.t = 1;
    line.has_hi = 1;
    line.hi.slope = 3;
    CHECK_NEAR(dci_line_interpolate(&line), 0.25, TOL(1e-15, 1e-6));
    dci_line_begin(&line, 0, -1, 10);
    line.hi.t = line.hi.f = 1;
    line.has_hi = 1;
    line.hi.slope = 5;
    CHECK_NEAR(dci_line_interpolate(&line), 1 / sqrt(6), TOL(1e-15, 1e-6));
    CHECK_NEAR(dci_line_next(&line), 1 / sqrt(6), TOL(1e-15, 1e-6));
    CHECK(dci_line_next(&line) == DCI_R(0.5)); /* nothing has shrunk */
    line.hi_is_wall = 1;
    CHECK_NEAR(dci_line_next(&line), 0.1, TOL(1e-15, 1e-6));
    dci_line_begin(&line, 0, -1, 10);
    line.lo.t = 1; /* lo and before: the slope goes from -1 to -3/4, so 3 more; to -0.99, so 9 */
    line.lo.slope = DCI_R(-0.75);
    CHECK(dci_line_next(&line) == 4);
    line.lo.slope = DCI_R(-0.99);
    CHECK(dci_line_next(&line) == 10);
}

/* Lower at 1/2 than at 1, and rising still: the minimum is between 0 and 1/2. */
static void test_line_search_turns_back(void)
{
    const dci_line_point first = {1, DCI_R(-0.5), 2},
                         second = {DCI_R(0.5), DCI_R(-0.6), DCI_R(1.5)};
    dci_line line;
    dci_line_begin(&line, 0, -1, 10);
    CHECK(!dci_line_take(&line, &first, 1) && line.lo.t == 1 && line.hi.t == 0);
    CHECK(!dci_line_take(&line, &second, 1) && line.lo.t == DCI_R(0.5) && line.hi.t == 0);
    CHECK(dci_line_next(&line) > 0 && dci_line_next(&line) < DCI_R(0.5));
}

/* ---- Minima in closed form ---- */

/* Without bounds 2 x0 + x1 = 3, x0 + 3 x1 = 5: (4/5, 7/5). With x0 <= 1/2 it is there, for the slope
   is 1 + 3/2 - 3 = -1/2 where 3 x1 = 5 - 1/2. With x1 >= 2 too, 2 x0 = 3 - 2, and both bounds hold:
   slopes 0 and 1/2 + 6 - 5 > 0. */
static void test_minimum_of_a_quadratic_worked_by_hand(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_error error;
    dc_real x[2] = {10, -7}, tol = (dc_real)TOL(1e-9, 1e-4);
    minimise_set(&p, 2, minimise_two);
    CHECK(minimise(&p, x, &result, &error) == DC_OK && error.status == DC_OK);
    CHECK(result.end == DC_LBFGSB_GRADIENT && result.projected_gradient <= p.desc.gradient_tol);
    CHECK_NEAR(x[0], 0.8, tol);
    CHECK_NEAR(x[1], 1.4, tol);
    CHECK_NEAR(result.value, 0.64 + 1.12 + 2.94 - 2.4 - 7, tol);
    CHECK_EQUAL(result.evaluations, p.calls);
    p.upper[0] = DCI_R(0.5);
    x[0] = 10, x[1] = -7; /* outside: it is moved into the box */
    CHECK(minimise(&p, x, &result, &error) == DC_OK);
    CHECK(x[0] == DCI_R(0.5));
    CHECK_NEAR(x[1], 1.5, tol);
    p.lower[1] = 2;
    CHECK(minimise(&p, x, &result, &error) == DC_OK);
    CHECK(x[1] == 2);
    CHECK_NEAR(x[0], 0.5, tol);
    minimise_set(&p, 2, minimise_two);
    p.desc.lower = p.desc.upper = NULL;
    CHECK(minimise(&p, x, NULL, NULL) == DC_OK);
    CHECK_NEAR(x[0], 0.8, tol);
}

/* All ones. On x0 <= 1/2 the valley x1 = x0^2 ends at the bound: (1/2, 1/4), f = 1/4. The second
   derivatives there make an error of the gradient at most 600 times smaller in x. */
static void test_minimum_of_rosenbrock_is_found(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_real x[50];
    dc_index n, i;
    for (n = 2; n <= 50; n += 48) {
        minimise_set(&p, n, minimise_rosenbrock);
        for (i = 0; i < n; i++) x[i] = i % 2 ? 1 : DCI_R(-1.2) + (dc_real)i / 100;
        CHECK(minimise(&p, x, &result, NULL) == DC_OK);
        for (i = 0; i < n; i++) CHECK_NEAR(x[i], 1, TOL(1e-7, 2e-2));
        CHECK_AT_MOST(result.value, TOL(1e-15, 1e-6));
        for (i = 0; i < n; i += 2) p.upper[i] = DCI_R(0.5);
        for (i = 0; i < n; i++) x[i] = i % 2 ? 1 : DCI_R(-1.2);
        CHECK(minimise(&p, x, &result, NULL) == DC_OK);
        for (i = 0; i < n; i++) CHECK_NEAR(x[i], i % 2 ? 0.25 : 0.5, TOL(1e-9, 1e-5));
        CHECK_NEAR(result.value, (double)n / 8, TOL(1e-9, 1e-5));
    }
}

/* Every square is zero at ones, which the bounds allow: the minimum is 0. The terms are squares of a
   triangular chain, so a small gradient leaves little of each of them. */
static void test_problem_of_the_published_driver(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_real x[25];
    dc_index i;
    minimise_set(&p, 25, minimise_driver);
    p.desc.gradient_tol = (dc_real)TOL(1e-5, 1e-3);
    for (i = 0; i < 25; i++) {
        p.lower[i] = i % 2 ? -100 : 1; /* its odd numbers begin at 1 */
        p.upper[i] = 100;
        x[i] = 3;
    }
    CHECK(minimise(&p, x, &result, NULL) == DC_OK);
    CHECK_AT_MOST(result.value, TOL(1e-8, 1e-5));
    CHECK(result.value >= 0);
}

/* Corners, faces and inside: sum (x_i - c_i)^2 s_i / 2 in a box is lowest at the c_i put into it. */
static void test_separable_quadratic_ends_at_the_clamped_centre(void)
{
    static minimise_problem p;
    static dc_real scale[40];
    dc_lbfgsb_result result;
    dc_real x[40], expected;
    dc_index i;
    minimise_set(&p, 40, minimise_bowl);
    p.scale = scale;
    for (i = 0; i < 40; i++) {
        scale[i] = (dc_real)(1 + i * i);
        p.lower[i] = i % 3 == 0 ? 1 : -5;
        p.upper[i] = i % 3 == 1 ? -1 : 5;
        x[i] = 4 * dci_random(3, (uint32_t)i);
    }
    CHECK(minimise(&p, x, &result, NULL) == DC_OK);
    for (i = 0; i < 40; i++) {
        expected = dci_max(p.lower[i], dci_min(p.upper[i], 0));
        CHECK_NEAR(x[i], expected, expected == 0 ? TOL(1e-9, 1e-4) : 0);
    }
}

/* Curvatures 1 to 10^4. Steepest descent with exact steps divides the error of f by at least
   ((K - 1) / (K + 1))^2 in no iteration and comes near to it: thousands of iterations. */
static void test_memory_beats_steepest_descent(void)
{
    static minimise_problem p;
    enum { N = 20 };
    dc_real scale[N], x[N], g[N], start[N];
    dc_lbfgsb_result result;
    double most = 1;
    int i, k, plain;
    minimise_set(&p, N, minimise_bowl);
    p.scale = scale;
    p.desc.gradient_tol = (dc_real)TOL(1e-6, 1e-3);
    p.desc.iteration_max = 3000;
    for (i = 0; i < N; i++) {
        scale[i] = (dc_real)pow(10, 4.0 * i / (N - 1));
        start[i] = 1 / scale[i];
        x[i] = start[i];
    }
    for (plain = 0; plain < 100000 && most > (double)p.desc.gradient_tol; plain++) {
        double gg = 0, gag = 0;
        most = 0;
        for (i = 0; i < N; i++) {
            g[i] = scale[i] * x[i];
            gg += (double)g[i] * (double)g[i];
            gag += (double)g[i] * (double)scale[i] * (double)g[i];
            most = fmax(most, fabs((double)g[i]));
        }
        for (i = 0; i < N; i++) x[i] -= (dc_real)(gg / gag) * g[i];
    }
    CHECK(plain > 1000);
    for (k = 1; k <= 20; k += k < 5 ? 4 : 15) {
        for (i = 0; i < N; i++) x[i] = start[i];
        p.desc.memory = k;
        CHECK(minimise(&p, x, &result, NULL) == DC_OK);
        CHECK_AT_MOST(result.iterations, k == 1 ? plain / 3 : plain / 10);
    }
}

/* With room for all pairs this is BFGS, whose errors in 2 n iterations go from e to some C e^2 near a
   minimum with positive curvature. */
static void test_convergence_is_faster_than_linear(void)
{
    static minimise_problem p;
    enum { N = 3 };
    dc_lbfgsb_result result;
    dc_real x[N] = {DCI_R(0.5), DCI_R(-0.4), DCI_R(0.3)};
    int i, first = 0, last = 0, k;
    minimise_set(&p, N, minimise_quartic);
    p.desc.memory = 20;
    p.desc.gradient_tol = 0;
    for (k = 1; k < 20 && !last; k++) {
        double error = 0;
        dc_real at[N];
        for (i = 0; i < N; i++) at[i] = x[i];
        p.desc.iteration_max = k;
        CHECK(minimise(&p, at, &result, NULL) == DC_NOT_CONVERGED);
        CHECK_EQUAL(result.iterations, k);
        for (i = 0; i < N; i++) error = fmax(error, fabs((double)at[i]));
        if (error < 1e-2 && !first) first = k;
        if (error < TOL(1e-8, 1e-4)) last = k;
    }
    CHECK(first > 0 && last >= first);
    CHECK_AT_MOST(last - first, TOL(4 * N, 2 * N));
}

/* ---- Ends and edges ---- */

/* f is known to 1e-16 of 1e8 only, so values tell x to 1e-4; slopes tell more. */
static void test_slopes_go_on_where_values_are_flat(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_real scale[6] = {1, 3, 10, 30, 100, 300}, x[6], start, g[6];
    dc_index i;
    minimise_set(&p, 6, minimise_bowl);
    p.scale = scale;
    p.offset = (dc_real)TOL(1e8, 1e3);
    p.desc.gradient_tol = (dc_real)TOL(1e-11, 1e-7);
    for (i = 0; i < 6; i++) x[i] = 1;
    start = minimise_bowl(&p, x, g);
    CHECK(minimise(&p, x, &result, NULL) == DC_OK);
    CHECK(result.end == DC_LBFGSB_GRADIENT && result.value <= start);
    for (i = 0; i < 6; i++) CHECK_NEAR(x[i], 0, TOL(1e-11, 1e-7));
    /* from where no value can tell anything any more */
    for (i = 0; i < 6; i++) x[i] = (dc_real)TOL(1e-7, 1e-5);
    start = minimise_bowl(&p, x, g);
    CHECK(minimise(&p, x, &result, NULL) == DC_OK);
    CHECK(result.value <= start);
}

/* 1 / (1 - x)^2 = 9 at 2/3. The first step from -100 is of length one, the next ones are ten
   times as long. */
static void test_search_comes_back_from_where_f_is_not_defined(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_real x = -100;
    minimise_set(&p, 1, minimise_walled);
    CHECK(minimise(&p, &x, &result, NULL) == DC_OK);
    CHECK_NEAR(x, 2.0 / 3, TOL(1e-9, 1e-4));
    CHECK(p.refused > 0);
    x = DCI_R(0.999); /* and from near the wall: f' = 1e6 */
    CHECK(minimise(&p, &x, &result, NULL) == DC_OK);
    CHECK_NEAR(x, 2.0 / 3, TOL(1e-9, 1e-4));
}

/* At (0, 1/2) f = 1/4: there the slope in x1 is 1/2 - 1/2, and that in x0 between -3/2 and 1/2. With
   x0 >= 0 the same is a smooth problem. No proof is known that L-BFGS gets to a minimum at a kink
   [NW06]; a thousandth of the way is asked for. */
static void test_kinks_end_gracefully(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_real x[8] = {3, -2}, start;
    dc_error error;
    dc_status status;
    int k, i;
    minimise_set(&p, 2, minimise_kinked);
    status = minimise(&p, x, &result, &error);
    start = 3 + DCI_R(12.5) + DCI_R(4.5);
    CHECK(status == DC_NOT_CONVERGED && result.end == DC_LBFGSB_NOTHING_LOWER);
    CHECK(error.value == result.projected_gradient && error.value > p.desc.gradient_tol);
    CHECK_AT_MOST(result.value, 0.25 + (double)start / 1000);
    CHECK(result.evaluations < p.desc.evaluation_max && result.evaluations == p.calls);
    p.desc.decrease_tol = DCI_R(1e-4);
    x[0] = 3, x[1] = -2;
    p.desc.gradient_tol = 0;
    status = minimise(&p, x, &result, &error);
    CHECK(status == DC_OK ? result.end == DC_LBFGSB_DECREASE
                          : result.end == DC_LBFGSB_NOTHING_LOWER);
    CHECK_AT_MOST(result.value, 0.25 + (double)start / 1000);
    minimise_set(&p, 2, minimise_kinked);
    p.lower[0] = 0;
    x[0] = 3, x[1] = -2;
    CHECK(minimise(&p, x, &result, &error) == DC_OK || x[0] != 0);
    CHECK_NEAR(result.value, 0.25, TOL(1e-9, 1e-5));
    /* kinks on the way only */
    for (k = 0; k < 10; k++) {
        minimise_set(&p, 8, minimise_hinged);
        for (i = 0; i < 8; i++) x[i] = 5 * dci_random((uint32_t)k, (uint32_t)i);
        CHECK(minimise(&p, x, &result, &error) == DC_OK);
        for (i = 0; i < 8; i++) CHECK_NEAR(x[i], 0, TOL(1e-9, 1e-4));
    }
}

static void test_all_variables_fixed_is_an_answer(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_real x[4] = {9, 9, 9, 9};
    dc_index i;
    minimise_set(&p, 4, minimise_rosenbrock);
    for (i = 0; i < 4; i++) p.lower[i] = p.upper[i] = (dc_real)i / 3;
    CHECK(minimise(&p, x, &result, NULL) == DC_OK);
    for (i = 0; i < 4; i++) CHECK(x[i] == (dc_real)i / 3);
    CHECK(result.iterations == 0 && result.evaluations == 1 && result.projected_gradient == 0);
    p.upper[2] = DC_UNBOUNDED; /* one is free: 100 (1 - x^2)^2 + (1 - x)^2, zero at 1 */
    p.lower[2] = -DC_UNBOUNDED;
    p.lower[3] = p.upper[3] = 1;
    CHECK(minimise(&p, x, &result, NULL) == DC_OK);
    CHECK(x[0] == 0 && x[1] == DCI_R(1) / 3 && x[3] == 1);
    CHECK_NEAR(x[2], 1, TOL(1e-9, 1e-5));
}

/* x^2/2 + x^4/4 + x^2/2: lowest at 0, or at a bound. */
static void test_one_variable_is_enough(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_real x = 50;
    dc_index memory;
    for (memory = 1; memory <= DC_LBFGSB_MEMORY_MAX; memory += 19) {
        minimise_set(&p, 1, minimise_quartic);
        p.desc.memory = memory;
        x = 50;
        CHECK(minimise(&p, &x, &result, NULL) == DC_OK);
        CHECK_NEAR(x, 0, TOL(1e-9, 1e-4));
        p.lower[0] = 2;
        x = 50;
        CHECK(minimise(&p, &x, &result, NULL) == DC_OK);
        CHECK(x == 2 && result.projected_gradient == 0);
    }
}

static void test_same_minimisation_has_the_same_bits(void)
{
    static minimise_problem p;
    dc_lbfgsb_result first, second;
    dc_real x[30], y[30];
    size_t bytes;
    unsigned char *work;
    dc_index i;
    minimise_set(&p, 30, minimise_rosenbrock);
    bytes = dc_lbfgsb_bytes(30, p.desc.memory);
    work = (unsigned char *)test_alloc(bytes + 16);
    for (i = 0; i < 30; i++) x[i] = y[i] = 2 * dci_random(1, (uint32_t)i);
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    CHECK(dc_lbfgsb_solve(&p.desc, work, bytes, x, &first, NULL) == DC_OK);
    test_allow(work, bytes + 16);
    memset(work, 0xff, bytes + 16);
    CHECK(dc_lbfgsb_solve(&p.desc, work + 7, bytes, y, &second, NULL) == DC_OK);
    CHECK(memcmp(x, y, sizeof x) == 0 && memcmp(&first, &second, sizeof first) == 0);
    free(work);
}

/* 2 m + 4 numbers and an index a variable, the rest depends on m only; 12 arrays are rounded up to 16
   bytes. Of a ribbon: 38 variables, 5 pairs, 647 numbers and 38 indices. */
static void test_memory_of_a_minimisation_is_known(void)
{
    static minimise_problem p;
    dc_error error;
    dc_real x[38];
    size_t bytes = dc_lbfgsb_bytes(38, 5), exact = 647 * sizeof(dc_real) + 38 * sizeof(dc_index);
    unsigned char *work = (unsigned char *)test_alloc(bytes);
    dc_index i;
    CHECK(bytes >= exact && bytes <= exact + 13 * (15 + DCI_GAP));
    minimise_set(&p, 38, minimise_bowl);
    for (i = 0; i < 38; i++) x[i] = 1;
    CHECK(dc_lbfgsb_solve(&p.desc, work, bytes - 1, x, NULL, &error) == DC_TOO_SMALL);
    CHECK(error.needed == bytes && error.given == bytes - 1 && x[0] == 1 && p.calls == 0);
    CHECK(dc_lbfgsb_solve(&p.desc, NULL, 0, x, NULL, &error) == DC_TOO_SMALL);
    CHECK(dc_lbfgsb_solve(&p.desc, work, bytes, x, NULL, &error) == DC_OK);
    free(work);
    CHECK(dc_lbfgsb_bytes(0, 5) == 0 && dc_lbfgsb_bytes(-1, 5) == 0);
    CHECK(dc_lbfgsb_bytes(5, 0) == 0 && dc_lbfgsb_bytes(5, DC_LBFGSB_MEMORY_MAX + 1) == 0);
    CHECK(dc_lbfgsb_bytes(2000000000, 20) == 0);
}

static void test_bad_descriptions_of_a_minimisation_are_refused(void)
{
    static minimise_problem p;
    dc_error error;
    dc_real x[3] = {1, 1, 1}, zero = 0, nan = zero / zero;
    double work[400];
    int k;
    for (k = 0; k < 16; k++) {
        dc_index variable = DC_NONE;
        minimise_set(&p, 3, minimise_bowl);
        switch (k) {
        case 0: p.desc.n = 0; break;
        case 1: p.desc.n = DCI_COUNT_MAX + 1; break;
        case 2: p.desc.memory = 0; break;
        case 3: p.desc.memory = DC_LBFGSB_MEMORY_MAX + 1; break;
        case 4: p.desc.objective = NULL; break;
        case 5: p.desc.gradient_tol = -1; break;
        case 6: p.desc.gradient_tol = nan; break;
        case 7: p.desc.decrease_tol = nan; break;
        case 8: p.desc.decrease_tol = -1; break;
        case 9: p.desc.iteration_max = -1; break;
        case 10: p.desc.evaluation_max = 0; break;
        case 11: p.lower[2] = 1, p.upper[2] = 0, variable = 2; break;
        case 12: p.lower[1] = nan, variable = 1; break;
        case 13: p.upper[1] = nan, variable = 1; break;
        case 14: p.lower[0] = DC_UNBOUNDED, variable = 0; break;
        default: p.upper[0] = -DC_UNBOUNDED, variable = 0; break;
        }
        CHECK(dc_lbfgsb_solve(&p.desc, work, sizeof work, x, NULL, &error) == DC_BAD_ARGUMENT);
        CHECK(error.status == DC_BAD_ARGUMENT && error.what[0] && error.index == variable);
        CHECK(p.calls == 0 && x[0] == 1 && x[1] == 1 && x[2] == 1);
    }
    minimise_set(&p, 3, minimise_bowl);
    CHECK(dc_lbfgsb_solve(&p.desc, work, sizeof work, x, NULL, &error) == DC_OK);
}

static void test_starts_that_are_not_finite_are_refused(void)
{
    static minimise_problem p;
    dc_error error;
    dc_real x[3] = {1, 1, 1}, zero = 0;
    minimise_set(&p, 3, minimise_nan);
    CHECK(minimise(&p, x, NULL, &error) == DC_NOT_FINITE && error.index == DC_NONE);
    p.offset = 1;
    CHECK(minimise(&p, x, NULL, &error) == DC_NOT_FINITE && error.index == 1);
    x[2] = zero / zero;
    CHECK(minimise(&p, x, NULL, &error) == DC_NOT_FINITE && error.index == 2);
    CHECK(p.calls == 2);
}

/* Whatever the limit, no more calls than that, and f sinks from run to run. */
static void test_limits_of_a_minimisation_are_kept(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_error error;
    dc_real before = DCI_REAL_MAX, g[2];
    dc_index limit;
    for (limit = 1; limit <= 25; limit++) {
        dc_real x[2] = {DCI_R(-1.2), 1};
        minimise_set(&p, 2, minimise_rosenbrock);
        p.desc.evaluation_max = limit;
        CHECK(minimise(&p, x, &result, &error) == DC_NOT_CONVERGED);
        CHECK(result.end == DC_LBFGSB_EVALUATIONS && result.evaluations <= limit);
        CHECK(result.evaluations == p.calls && error.value == result.projected_gradient);
        CHECK(result.value == minimise_rosenbrock(&p, x, g) && result.value <= before);
        before = result.value;
    }
    CHECK_AT_MOST(before, 4); /* 24.2 at the start */
    before = DCI_REAL_MAX;
    for (limit = 0; limit <= 20; limit++) {
        dc_real x[2] = {DCI_R(-1.2), 1};
        minimise_set(&p, 2, minimise_rosenbrock);
        p.desc.iteration_max = limit;
        CHECK(minimise(&p, x, &result, &error) == DC_NOT_CONVERGED);
        CHECK(result.end == DC_LBFGSB_ITERATIONS && result.iterations == limit);
        CHECK(result.value == minimise_rosenbrock(&p, x, g) && result.value < before);
        before = result.value;
    }
}

/* At a kink the lowest trial may not be the last one: one more call tells its gradient. */
static void test_limits_are_kept_at_kinks(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_real g[2];
    dc_index limit;
    for (limit = 1; limit <= 150; limit++) {
        dc_real x[2] = {3, -2};
        minimise_set(&p, 2, minimise_kinked);
        p.desc.evaluation_max = limit;
        CHECK(minimise(&p, x, &result, NULL) == DC_NOT_CONVERGED);
        CHECK(result.evaluations <= limit && result.evaluations == p.calls);
        CHECK(result.value == minimise_kinked(&p, x, g) && result.value <= 20);
    }
}

/* However steep: from 1000 with f' = 1e6. One trial is left, and it is lower. */
static void test_first_step_has_length_one(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_real x = 1000, scale = 1000;
    minimise_set(&p, 1, minimise_bowl);
    p.scale = &scale;
    p.desc.evaluation_max = 3;
    CHECK(minimise(&p, &x, &result, NULL) == DC_NOT_CONVERGED && result.iterations == 1);
    CHECK_NEAR(x, 999, TOL(1e-9, 1e-3));
}

/* Uphill all the way: one search, then nothing. */
static void test_wrong_gradients_are_told(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_error error;
    dc_real x[2] = {1, 2};
    minimise_set(&p, 2, minimise_lie);
    CHECK(minimise(&p, x, &result, &error) == DC_NOT_CONVERGED);
    CHECK(result.end == DC_LBFGSB_NOTHING_LOWER && result.iterations == 0);
    CHECK(x[0] == 1 && x[1] == 2 && error.value == 2);
    CHECK_AT_MOST(result.evaluations, 1 + DCI_LBFGSB_TRIALS);
}

/* f from 1 + 3700 to 1. */
static void test_small_decrease_ends_a_minimisation(void)
{
    static minimise_problem p;
    dc_lbfgsb_result result;
    dc_real x[50], scale[50], tolerances[3] = {DCI_R(0.5), DCI_R(1e-2), DCI_R(1e-4)};
    dc_index i, before = 0;
    int k;
    for (k = 0; k < 3; k++) {
        minimise_set(&p, 50, minimise_bowl);
        p.offset = 1;
        p.scale = scale;
        p.desc.gradient_tol = 0;
        p.desc.decrease_tol = tolerances[k];
        for (i = 0; i < 50; i++) {
            scale[i] = (dc_real)(1 + 6 * i);
            x[i] = 1;
        }
        CHECK(minimise(&p, x, &result, NULL) == DC_OK && result.end == DC_LBFGSB_DECREASE);
        CHECK(result.iterations > before);
        before = result.iterations;
    }
    CHECK_NEAR(result.value, 1, 1e-2);
}

static const test_case tests_minimise[] = {
    {"compact matrix is that of BFGS updates", test_compact_matrix_is_that_of_bfgs_updates},
    {"Cauchy point is the first minimum along the bent path",
     test_cauchy_point_is_the_first_minimum_along_the_bent_path},
    {"Cauchy point worked by hand", test_cauchy_point_worked_by_hand},
    {"subspace step minimises over the free variables",
     test_subspace_step_minimises_over_the_free_variables},
    {"aims stay in the box and descend", test_aims_stay_in_the_box_and_descend},
    {"steps that would lead uphill are shortened", test_steps_that_would_lead_uphill_are_shortened},
    {"pairs without curvature are not kept", test_pairs_without_curvature_are_not_kept},
    {"reach of the box", test_reach_of_the_box},
    {"steps to a bound end on it", test_steps_to_a_bound_end_on_it},
    {"spoiled pairs are forgotten", test_spoiled_pairs_are_forgotten},
    {"heap gives breakpoints in order", test_heap_gives_breakpoints_in_order},
    {"line search meets both conditions", test_line_search_meets_both_conditions},
    {"line search takes the end of the box", test_line_search_takes_the_end_of_the_box},
    {"line search interpolates", test_line_search_interpolates},
    {"line search turns back", test_line_search_turns_back},
    {"minimum of a quadratic worked by hand", test_minimum_of_a_quadratic_worked_by_hand},
    {"minimum of Rosenbrock is found", test_minimum_of_rosenbrock_is_found},
    {"minimum of the problem of the published driver", test_problem_of_the_published_driver},
    {"minimum of a separable quadratic is the clamped centre",
     test_separable_quadratic_ends_at_the_clamped_centre},
    {"minimisation with memory beats steepest descent", test_memory_beats_steepest_descent},
    {"minimisation converges faster than linearly", test_convergence_is_faster_than_linear},
    {"minimisation goes on by slopes where values are flat",
     test_slopes_go_on_where_values_are_flat},
    {"minimisation comes back from where f is not defined",
     test_search_comes_back_from_where_f_is_not_defined},
    {"minimisation ends gracefully at kinks", test_kinks_end_gracefully},
    {"minimisation with all variables fixed is an answer", test_all_variables_fixed_is_an_answer},
    {"minimisation of one variable", test_one_variable_is_enough},
    {"minimisation has the same bits each time", test_same_minimisation_has_the_same_bits},
    {"minimisation knows its memory", test_memory_of_a_minimisation_is_known},
    {"minimisation refuses bad descriptions", test_bad_descriptions_of_a_minimisation_are_refused},
    {"minimisation refuses starts that are not finite",
     test_starts_that_are_not_finite_are_refused},
    {"minimisation keeps its limits", test_limits_of_a_minimisation_are_kept},
    {"minimisation keeps its limits at kinks", test_limits_are_kept_at_kinks},
    {"minimisation begins with a step of length one", test_first_step_has_length_one},
    {"minimisation tells wrong gradients", test_wrong_gradients_are_told},
    {"minimisation ends at a small decrease", test_small_decrease_ends_a_minimisation},
};
