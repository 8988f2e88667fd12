/* examples/papers/lbfgsb.h: its matrices and points against dense ones, and minima known in closed form. */
#include "paper_test.h"

#include "../../examples/papers/lbfgsb.h"

enum { N_MAX = 60 };

/* A problem as the objective sees it. All objectives go through ask(). */
typedef struct task {
    double (*f)(const struct task *t, const double *x, double *g);
    lbfgsb_problem problem;
    double lower[N_MAX], upper[N_MAX], offset;
    const double *scale;
    int calls, outside, refused;
} task;

static double ask(void *context, const double *x, double *g)
{
    task *t = (task *)context;
    double value = t->f(t, x, g);
    int i;
    t->calls++;
    for (i = 0; i < t->problem.n; i++) t->outside += !(x[i] >= t->lower[i] && x[i] <= t->upper[i]);
    t->refused += !isfinite(value);
    return value;
}

static void set(task *t, int n, double (*f)(const task *, const double *, double *))
{
    int i;
    memset(t, 0, sizeof *t);
    t->f = f;
    t->problem.n = n;
    t->problem.memory = 5;
    t->problem.objective = ask;
    t->problem.context = t;
    t->problem.lower = t->lower;
    t->problem.upper = t->upper;
    t->problem.gradient_max = 1e-9;
    t->problem.iteration_max = 1000;
    for (i = 0; i < n; i++) t->lower[i] = -HUGE_VAL, t->upper[i] = HUGE_VAL;
}

static lbfgsb_result minimise(task *t, double *x)
{
    lbfgsb_result result = lbfgsb_minimise(&t->problem, x);
    CHECK_EQUAL(t->outside, 0);
    return result;
}

/* Between -1 and 1. */
static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8 & 0xffff) / 32768 - 1;
}

/* ---- Objectives ---- */

/* x0^2 + x0 x1 + 3/2 x1^2 - 3 x0 - 5 x1 */
static double two(const task *t, const double *x, double *g)
{
    (void)t;
    g[0] = 2 * x[0] + x[1] - 3;
    g[1] = x[0] + 3 * x[1] - 5;
    return x[0] * x[0] + x[0] * x[1] + 1.5 * x[1] * x[1] - 3 * x[0] - 5 * x[1];
}

/* offset + sum scale_i x_i^2 / 2 */
static double bowl(const task *t, const double *x, double *g)
{
    double sum = t->offset;
    int i;
    for (i = 0; i < t->problem.n; i++) {
        g[i] = (t->scale ? t->scale[i] : 1) * x[i];
        sum += g[i] * x[i] / 2;
    }
    return sum;
}

/* The bowl with a gradient that points down. */
static double lie(const task *t, const double *x, double *g)
{
    double value = bowl(t, x, g);
    int i;
    for (i = 0; i < t->problem.n; i++) g[i] = -g[i];
    return value;
}

/* The bowl, but f or an entry of its gradient is not finite. */
static double nowhere(const task *t, const double *x, double *g)
{
    double value = bowl(t, x, g);
    if (t->offset == 0) return NAN;
    g[1] = HUGE_VAL;
    return value;
}

/* Rosenbrock's function of each pair: sum 100 (x1 - x0^2)^2 + (1 - x0)^2. */
static double rosenbrock(const task *t, const double *x, double *g)
{
    double sum = 0;
    int i;
    for (i = 0; i < t->problem.n; i += 2) {
        double rise = x[i + 1] - x[i] * x[i], rest = 1 - x[i];
        g[i] = -400 * x[i] * rise - 2 * rest;
        g[i + 1] = 200 * rise;
        sum += 100 * rise * rise + rest * rest;
    }
    return sum;
}

/* The first problem of the published driver of L-BFGS-B: (x0 - 1)^2 + 4 sum (x_i - x_{i-1}^2)^2. */
static double driver(const task *t, const double *x, double *g)
{
    double sum = (x[0] - 1) * (x[0] - 1);
    int i;
    for (i = 0; i < t->problem.n; i++) g[i] = 0;
    g[0] = 2 * (x[0] - 1);
    for (i = 1; i < t->problem.n; i++) {
        double rise = x[i] - x[i - 1] * x[i - 1];
        sum += 4 * rise * rise;
        g[i] += 8 * rise;
        g[i - 1] -= 16 * rise * x[i - 1];
    }
    return sum;
}

/* Strongly convex and smooth: sum (i + 1) (x_i^2 / 2 + x_i^4 / 4) + (sum x_i)^2 / 2 - offset sum x_i */
static double quartic(const task *t, const double *x, double *g)
{
    double sum = 0, all = 0;
    int i;
    for (i = 0; i < t->problem.n; i++) all += x[i];
    for (i = 0; i < t->problem.n; i++) {
        double scale = i + 1, square = x[i] * x[i];
        g[i] = scale * (x[i] + x[i] * square) + all - t->offset;
        sum += scale * (square / 2 + square * square / 4);
    }
    return sum + all * all / 2 - t->offset * all;
}

/* 1 / (1 - x) - 9 x, not defined from 1 on */
static double walled(const task *t, const double *x, double *g)
{
    double rest = 1 - x[0];
    (void)t;
    g[0] = rest > 0 ? 1 / (rest * rest) - 9 : 0;
    return rest > 0 ? 1 / rest - 9 * x[0] : NAN;
}

/* |x0| + (x0 - x1)^2 / 2 + (x1 - 1)^2 / 2 */
static double kinked(const task *t, const double *x, double *g)
{
    double a = x[0] - x[1], b = x[1] - 1;
    (void)t;
    g[0] = (x[0] < 0 ? -1 : 1) + a;
    g[1] = b - a;
    return fabs(x[0]) + a * a / 2 + b * b / 2;
}

/* sum x_i^2 / 2 + 10 max(0, x_i - 1): kinks, but none at the minimum */
static double hinged(const task *t, const double *x, double *g)
{
    double sum = 0;
    int i;
    for (i = 0; i < t->problem.n; i++) {
        double over = x[i] - 1;
        g[i] = x[i] + (over > 0 ? 10 : 0);
        sum += x[i] * x[i] / 2 + (over > 0 ? 10 * over : 0);
    }
    return sum;
}

/* ---- Matrices and points, against dense ones ---- */

enum { MODEL_N = 12 };

typedef struct model {
    task t;
    lbfgsb o;
    double x[MODEL_N], b[MODEL_N][MODEL_N]; /* b: what BFGS makes of theta I */
} model;

/* b += the BFGS update for a pair: B - B s (B s)^T / (s . B s) + y y^T / (s . y) */
static void update(model *m, int pair)
{
    double s[MODEL_N], y[MODEL_N], bs[MODEL_N], sbs = 0, sy = 0;
    int i, j;
    for (i = 0; i < MODEL_N; i++) {
        s[i] = m->o.s[i * m->o.memory + pair];
        y[i] = m->o.y[i * m->o.memory + pair];
        sy += s[i] * y[i];
    }
    for (i = 0; i < MODEL_N; i++) {
        bs[i] = lbfgsb_dot(MODEL_N, m->b[i], s);
        sbs += bs[i] * s[i];
    }
    for (i = 0; i < MODEL_N; i++)
        for (j = 0; j < MODEL_N; j++) m->b[i][j] += y[i] * y[j] / sy - bs[i] * bs[j] / sbs;
}

/* Random pairs of a random quadratic, more than fit; a random x in a random box, some of it at a bound, x[0]
   without bounds; a random gradient. */
static void model_make(model *m, int memory, unsigned seed)
{
    int i, k;
    set(&m->t, MODEL_N, bowl);
    m->t.problem.memory = memory;
    m->o = lbfgsb_begin(&m->t.problem, m->x);
    for (k = 0; k < memory + 2; k++) {
        double along = 0;
        for (i = 0; i < MODEL_N; i++) {
            m->x[i] = m->o.gradient[i] = 0;
            m->o.trial[i] = noise(&seed);
            along += m->o.trial[i];
        }
        for (i = 0; i < MODEL_N; i++) /* y = (diag(1 .. 3) + ones / 4) s */
            m->o.trial_gradient[i] = (1 + 2.0 * i / MODEL_N) * m->o.trial[i] + along / 4;
        lbfgsb_accept(&m->o, 0);
    }
    for (i = 0; i < MODEL_N; i++) {
        m->x[i] = noise(&seed);
        m->o.gradient[i] = 3 * noise(&seed);
        if (i == 0) continue;
        m->t.lower[i] = m->x[i] - fmax(0, noise(&seed));
        m->t.upper[i] = m->x[i] + fmax(0, noise(&seed));
    }
    memset(m->b, 0, sizeof m->b);
    for (i = 0; i < MODEL_N; i++) m->b[i][i] = m->o.theta;
    for (k = 0; k < m->o.k; k++) update(m, k);
    lbfgsb_form(&m->o, 0);
    CHECK(lbfgsb_factor(&m->o));
}

/* (1) without f */
static double model_value(const model *m, const double *to)
{
    double z[MODEL_N], sum = 0;
    int i;
    for (i = 0; i < MODEL_N; i++) z[i] = to[i] - m->x[i];
    for (i = 0; i < MODEL_N; i++)
        sum += z[i] * (m->o.gradient[i] + lbfgsb_dot(MODEL_N, m->b[i], z) / 2);
    return sum;
}

static void test_compact_matrix_is_that_of_bfgs_updates(void)
{
    static const int memories[] = {1, 3, 5};
    model m;
    int i, j, k;
    for (k = 0; k < 3; k++) {
        model_make(&m, memories[k], 7);
        CHECK_EQUAL(m.o.k, memories[k]);
        for (j = 0; j < MODEL_N; j++) {
            memset(m.o.w, 0, sizeof m.o.w);
            lbfgsb_add_row(&m.o, j, 1, m.o.w);
            lbfgsb_solve(&m.o, m.o.w);
            for (i = 0; i < MODEL_N; i++) /* (2), column j */
                CHECK_NEAR((i == j ? m.o.theta : 0) - lbfgsb_row_dot(&m.o, i, m.o.w), m.b[i][j],
                           1e-12);
        }
        free(m.o.s);
    }
}

/* Descends to there, and no further: the model along the bent path. */
static void test_cauchy_point_is_the_first_minimum_along_the_bent_path(void)
{
    model m;
    unsigned seed;
    int turns = 0;
    for (seed = 1; seed <= 20; seed++) {
        double end, before = 0, to[MODEL_N];
        int i, q;
        model_make(&m, 4, seed);
        lbfgsb_cauchy(&m.o);
        end = (m.x[0] - m.o.trial[0]) / m.o.gradient[0];
        CHECK(end > 0);
        for (q = 1; q <= 202; q++) {
            double t = q <= 200 ? end * q / 200 : q == 201 ? 0.99 * end : 1.01 * end, value;
            for (i = 0; i < MODEL_N; i++)
                to[i] = lbfgsb_clamp(&m.o, i, m.x[i] - t * m.o.gradient[i]);
            value = model_value(&m, to);
            if (q <= 200) CHECK_AT_MOST(value, before + 1e-13);
            if (q > 200) CHECK_AT_MOST(before, value);
            if (q <= 200) before = value;
            for (i = 0; i < MODEL_N && q == 200; i++) {
                CHECK_NEAR(m.o.trial[i], to[i], 1e-12);
                turns += m.o.trial[i] != m.x[i] && !lbfgsb_is_free(&m.o, i);
            }
        }
        free(m.o.s);
    }
    CHECK(turns >= 20); /* of 220 variables with a bound: else little was tested */
}

/* f = (x0 - 2)^2/2 + (x1 - 1)^2/2 with x0 <= 1, from 0: g = (-2, -1), and t_0 = 1/2. With B = I, (5) gives
   there f' = -5 + 5/2 + 4 - 2 = -1/2 and f'' = 5 - 4 = 1. So f' = 0 after 1/2 more, at (1, 1). */
static void test_cauchy_point_worked_by_hand(void)
{
    double x[2] = {0, 0};
    lbfgsb_path path;
    lbfgsb o;
    task t;
    set(&t, 2, bowl);
    t.upper[0] = 1;
    o = lbfgsb_begin(&t.problem, x);
    o.gradient[0] = -2;
    o.gradient[1] = -1;
    path = lbfgsb_path_begin(&o);
    CHECK(path.slope == -5 && path.curvature == 5 && o.stop[0] == 0.5);
    lbfgsb_path_turn(&o, 0, &path);
    CHECK(path.slope == -0.5 && path.curvature == 1 && path.t == 0.5);
    lbfgsb_cauchy(&o);
    CHECK(o.trial[0] == 1 && o.trial[1] == 1);
    free(o.s);
}

/* The gradient of the model vanishes in the free variables. */
static void test_subspace_step_minimises_over_the_free_variables(void)
{
    model m;
    unsigned seed;
    int fixed = 0;
    for (seed = 1; seed <= 20; seed++) {
        double z[MODEL_N];
        int i;
        model_make(&m, 4, seed);
        lbfgsb_cauchy(&m.o);
        CHECK(lbfgsb_subspace(&m.o));
        for (i = 0; i < MODEL_N; i++) z[i] = m.o.trial[i] + m.o.step[i] - m.x[i];
        for (i = 0; i < MODEL_N; i++) {
            int is_free = lbfgsb_is_free(&m.o, i);
            fixed += !is_free;
            if (!is_free) CHECK(m.o.step[i] == 0);
            if (is_free) CHECK_NEAR(m.o.gradient[i] + lbfgsb_dot(MODEL_N, m.b[i], z), 0, 1e-12);
        }
        free(m.o.s);
    }
    CHECK(fixed >= 40 && fixed <= 200);
}

static void test_aims_stay_in_the_box_and_descend(void)
{
    model m;
    unsigned seed;
    for (seed = 1; seed <= 50; seed++) {
        int i;
        model_make(&m, 5, seed);
        CHECK(lbfgsb_aim(&m.o));
        CHECK(lbfgsb_dot(MODEL_N, m.o.gradient, m.o.direction) < 0);
        for (i = 0; i < MODEL_N; i++) {
            double to = m.x[i] + m.o.direction[i], room = 4 * DBL_EPSILON;
            CHECK(to >= m.t.lower[i] - room && to <= m.t.upper[i] + room);
        }
        for (i = 0; i < MODEL_N; i++) m.o.y[5 * i] = -m.o.s[5 * i]; /* a pair is spoiled */
        CHECK(!lbfgsb_aim(&m.o));
        free(m.o.s);
    }
}

/* A pair from (0, 0), where the gradient is zero. */
static void remember(lbfgsb *o, double s0, double s1, double y0, double y1)
{
    o->x[0] = o->x[1] = o->gradient[0] = o->gradient[1] = 0;
    o->trial[0] = s0, o->trial[1] = s1, o->trial_gradient[0] = y0, o->trial_gradient[1] = y1;
    lbfgsb_accept(o, 0);
    o->x[0] = o->x[1] = 0;
}

/* A = (1, -9.9; -9.9, 100): A (1, 0) = (1, -9.9), A (9.9, 1) = (0, 1.99). As (9.9, 1) . A (1, 0) = 0 both
   pairs hold, and B = A. With g = (0.4, -1) the Cauchy point is -t g with t = g.g / g.A g = 1.16 / 108.08,
   and the minimum is -(40 - 9.9, 3.96 - 1) / 1.99 = (-15.13, -1.49). Put to x0 = -0.1 the slope towards it is
   -0.04 + 1.49: uphill. So the way to it ends at the bound. */
static void test_steps_that_would_lead_uphill_are_shortened(void)
{
    double t = 1.16 / 108.08, end0 = -30.1 / 1.99, end1 = -2.96 / 1.99, part, x[2];
    lbfgsb o;
    task k;
    set(&k, 2, bowl);
    o = lbfgsb_begin(&k.problem, x);
    remember(&o, 1, 0, 1, -9.9);
    remember(&o, 9.9, 1, 0, 1.99);
    CHECK_EQUAL(o.k, 2);
    o.gradient[0] = 0.4;
    o.gradient[1] = -1;
    k.lower[0] = -0.1;
    CHECK(lbfgsb_aim(&o));
    part = (-0.1 + 0.4 * t) / (end0 + 0.4 * t);
    CHECK_NEAR(o.direction[0], -0.1, 1e-13);
    CHECK_NEAR(o.direction[1], t + part * (end1 - t), 1e-12);
    free(o.s);
}

static void test_pairs_without_curvature_are_not_kept(void)
{
    double x[2];
    lbfgsb o;
    task t;
    set(&t, 2, bowl);
    o = lbfgsb_begin(&t.problem, x);
    remember(&o, 1, 0, -1, 5); /* s . y = -1 */
    remember(&o, 1, 1, 3, -3); /* 0 */
    remember(&o, 0, 0, 0, 0);
    CHECK(o.k == 0 && o.theta == 1);
    remember(&o, 1, 1, 3, 1);
    CHECK(o.k == 1);
    CHECK_NEAR(o.theta, 10.0 / 4, 1e-15);
    free(o.s);
}

/* A spoiled pair is forgotten, and steepest descent goes on. */
static void test_spoiled_pairs_are_forgotten(void)
{
    double x[2] = {0, 0};
    lbfgsb_result result;
    lbfgsb o;
    task t;
    set(&t, 2, bowl);
    o = lbfgsb_begin(&t.problem, x);
    remember(&o, 1, 0, 1, 0);
    o.y[0] = -1;
    x[0] = x[1] = o.gradient[0] = o.gradient[1] = 5;
    o.value = 25;
    memset(&result, 0, sizeof result);
    CHECK(lbfgsb_iterate(&o, &result) == LBFGSB_MINIMUM);
    CHECK_NEAR(x[0], 0, 1e-9);
    free(o.s);
}

/* Bounds at 2 and 3, along (1, 1), (0, 1) and (0, -1). */
static void test_reach_of_the_box(void)
{
    double x[2] = {0, 0}, way[2] = {1, 1};
    lbfgsb o;
    task t;
    set(&t, 2, bowl);
    t.upper[0] = 2, t.upper[1] = 3;
    o = lbfgsb_begin(&t.problem, x);
    CHECK(lbfgsb_reach(&o, x, way) == 2);
    way[0] = 0;
    CHECK(lbfgsb_reach(&o, x, way) == 3);
    way[1] = -1;
    CHECK(lbfgsb_reach(&o, x, way) == HUGE_VAL);
    free(o.s);
}

/* A step that leads to a bound ends on it, not a rounding beside it. */
static void test_steps_to_a_bound_end_on_it(void)
{
    double x[2];
    unsigned seed = 1;
    lbfgsb o;
    task t;
    int i;
    set(&t, 2, bowl);
    o = lbfgsb_begin(&t.problem, x);
    for (i = 0; i < 1000; i++) {
        x[0] = 3 + noise(&seed); /* the step has few of the digits of the bound */
        t.lower[0] = noise(&seed) / 1000;
        x[1] = noise(&seed) / 100;
        t.upper[1] = x[1] + fabs(noise(&seed)) * 7;
        o.direction[0] = t.lower[0] - x[0];
        o.direction[1] = t.upper[1] - x[1];
        lbfgsb_try(&o, 1);
        CHECK(o.trial[0] == t.lower[0] && o.trial[1] == t.upper[1]);
    }
    free(o.s);
}

/* ---- The search along a line ---- */

static lbfgsb_point point_of(double t, double f, double slope)
{
    lbfgsb_point point;
    point.t = t, point.f = f, point.slope = slope;
    return point;
}

/* phi(t) = -t + t^2 / (2 at), its minimum at `at`: trials go up to it, or down. */
static void test_line_search_meets_both_conditions(void)
{
    static const double places[] = {1e-7, 0.01, 0.4, 1, 30, 1000000};
    int k;
    for (k = 0; k < 6; k++) {
        double at = places[k], t = 1;
        lbfgsb_line line = lbfgsb_line_begin(0, -1, LBFGSB_STEP_MAX);
        int count = 0, is_found = 0;
        while (!is_found && count < LBFGSB_TRIALS) {
            count++;
            is_found = lbfgsb_line_take(&line, point_of(t, -t + t * t / (2 * at), -1 + t / at));
            t = lbfgsb_line_next(&line);
        }
        CHECK(is_found);
        CHECK_AT_MOST(line.lo.f, -1e-4 * line.lo.t);
        CHECK_AT_MOST(fabs(line.lo.slope), 0.9);
        /* a factor of ten each trial, and the parabola is met exactly when it is between */
        CHECK_AT_MOST(count, 2 + fabs(log10(at)));
    }
}

static void test_line_search_takes_the_end_of_the_box(void)
{
    lbfgsb_line line = lbfgsb_line_begin(0, -1, 3);
    CHECK(!lbfgsb_line_take(&line, point_of(1, -1, -1)));
    CHECK(lbfgsb_line_next(&line) == 3);
    CHECK(lbfgsb_line_take(&line, point_of(3, -3, -1)) && line.lo.t == 3);
}

/* The cubic -t + 2 t^3 has values 0 and 1, slopes -1 and 5 at 0 and 1, and is lowest at 1 / sqrt 6. Without a
   hi the slope goes on: from -1 at 0 to -3/4 at 1, so 3 more; to -0.99, so 9. */
static void test_line_search_interpolates(void)
{
    lbfgsb_line line = lbfgsb_line_begin(0, -1, 10);
    line.has_hi = 1;
    line.hi = point_of(1, 1, 5);
    CHECK_NEAR(lbfgsb_line_interpolate(&line), 1 / sqrt(6), 1e-15);
    CHECK_NEAR(lbfgsb_line_next(&line), 1 / sqrt(6), 1e-15);
    CHECK(lbfgsb_line_next(&line) == 0.5); /* nothing has shrunk */
    line.hi.f = HUGE_VAL;
    CHECK_NEAR(lbfgsb_line_next(&line), 0.1, 1e-15);
    line = lbfgsb_line_begin(0, -1, 10);
    line.lo = point_of(1, 0, -0.75);
    CHECK(lbfgsb_line_next(&line) == 4);
    line.lo.slope = -0.99;
    CHECK(lbfgsb_line_next(&line) == 10);
}

/* Lower at 1/2 than at 1, and rising still: the minimum is between 0 and 1/2. */
static void test_line_search_turns_back(void)
{
    lbfgsb_line line = lbfgsb_line_begin(0, -1, 10);
    CHECK(!lbfgsb_line_take(&line, point_of(1, -0.5, 2)) && line.lo.t == 1 && line.hi.t == 0);
    CHECK(!lbfgsb_line_take(&line, point_of(0.5, -0.6, 1.5)) && line.lo.t == 0.5 && line.hi.t == 0);
    CHECK(lbfgsb_line_next(&line) > 0 && lbfgsb_line_next(&line) < 0.5);
}

/* ---- Minima in closed form ---- */

/* Without bounds 2 x0 + x1 = 3, x0 + 3 x1 = 5: (4/5, 7/5). With x0 <= 1/2 it is there, for the slope is
   1 + 3/2 - 3 = -1/2 where 3 x1 = 5 - 1/2. With x1 >= 2 too, 2 x0 = 3 - 2, and both bounds hold: slopes 0 and
   1/2 + 6 - 5 > 0. */
static void test_minimum_of_a_quadratic_worked_by_hand(void)
{
    double x[2] = {10, -7};
    lbfgsb_result result;
    task t;
    set(&t, 2, two);
    result = minimise(&t, x);
    CHECK(result.end == LBFGSB_MINIMUM && result.gradient <= t.problem.gradient_max);
    CHECK_NEAR(x[0], 0.8, 1e-9);
    CHECK_NEAR(x[1], 1.4, 1e-9);
    CHECK_NEAR(result.value, 0.64 + 1.12 + 2.94 - 2.4 - 7, 1e-9);
    t.upper[0] = 0.5;
    x[0] = 10, x[1] = -7; /* outside: it is moved into the box */
    CHECK(minimise(&t, x).end == LBFGSB_MINIMUM);
    CHECK(x[0] == 0.5);
    CHECK_NEAR(x[1], 1.5, 1e-9);
    t.lower[1] = 2;
    CHECK(minimise(&t, x).end == LBFGSB_MINIMUM);
    CHECK(x[1] == 2);
    CHECK_NEAR(x[0], 0.5, 1e-9);
}

/* All ones. On x0 <= 1/2 the valley x1 = x0^2 ends at the bound: (1/2, 1/4), f = 1/4. The second derivatives
   there make an error of the gradient at most 600 times smaller in x. */
static void test_minimum_of_rosenbrock_is_found(void)
{
    double x[50];
    lbfgsb_result result;
    task t;
    int n, i;
    for (n = 2; n <= 50; n += 48) {
        set(&t, n, rosenbrock);
        for (i = 0; i < n; i++) x[i] = i % 2 ? 1 : -1.2 + i / 100.0;
        result = minimise(&t, x);
        CHECK(result.end == LBFGSB_MINIMUM);
        for (i = 0; i < n; i++) CHECK_NEAR(x[i], 1, 1e-7);
        CHECK_AT_MOST(result.value, 1e-15);
        for (i = 0; i < n; i += 2) t.upper[i] = 0.5;
        for (i = 0; i < n; i++) x[i] = i % 2 ? 1 : -1.2;
        result = minimise(&t, x);
        CHECK(result.end == LBFGSB_MINIMUM);
        for (i = 0; i < n; i++) CHECK_NEAR(x[i], i % 2 ? 0.25 : 0.5, 1e-9);
        CHECK_NEAR(result.value, n / 8.0, 1e-9);
    }
}

/* Every square is zero at ones, which the bounds allow: the minimum is 0. The terms are squares of a
   triangular chain, so a small gradient leaves little of each of them. */
static void test_problem_of_the_published_driver(void)
{
    double x[25];
    lbfgsb_result result;
    task t;
    int i;
    set(&t, 25, driver);
    t.problem.gradient_max = 1e-5;
    for (i = 0; i < 25; i++) {
        t.lower[i] = i % 2 ? -100 : 1; /* its odd numbers begin at 1 */
        t.upper[i] = 100;
        x[i] = 3;
    }
    result = minimise(&t, x);
    CHECK(result.end == LBFGSB_MINIMUM);
    CHECK(result.value >= 0);
    CHECK_AT_MOST(result.value, 1e-8);
}

/* Corners, faces and inside: sum (x_i - c_i)^2 s_i / 2 in a box is lowest at the c_i put into it. The sum is
   7000 there, which rounding knows to 1e-12: with curvatures to 1500 that hides slopes below 1e-4. */
static void test_separable_quadratic_ends_at_the_clamped_centre(void)
{
    double x[40], scale[40];
    unsigned seed = 3;
    task t;
    int i;
    set(&t, 40, bowl);
    t.scale = scale;
    t.problem.gradient_max = 1e-4;
    for (i = 0; i < 40; i++) {
        scale[i] = 1 + i * i;
        t.lower[i] = i % 3 == 0 ? 1 : -5;
        t.upper[i] = i % 3 == 1 ? -1 : 5;
        x[i] = 4 * noise(&seed);
    }
    CHECK(minimise(&t, x).end == LBFGSB_MINIMUM);
    for (i = 0; i < 40; i++) {
        double expected = fmax(t.lower[i], fmin(t.upper[i], 0));
        CHECK_NEAR(x[i], expected, expected == 0 ? 1e-4 : 0);
    }
}

/* The conditions of Karush, Kuhn and Tucker, which are enough for what is convex: no slope where a variable
   is free, and at a bound only one that presses against it. f is some 100 here, curvatures some 50. */
static void test_slopes_at_bounds_press_against_them(void)
{
    unsigned seed = 5;
    int k, i, free_count = 0, fixed = 0;
    for (k = 0; k < 20; k++) {
        double x[30], g[30];
        task t;
        set(&t, 30, quartic);
        t.offset = 20 * noise(&seed);
        t.problem.gradient_max = 1e-5;
        for (i = 0; i < 30; i++) {
            x[i] = 2 * noise(&seed);
            t.lower[i] = -fabs(noise(&seed)) / 2;
            t.upper[i] = t.lower[i] + fabs(noise(&seed)) / 2;
        }
        CHECK(minimise(&t, x).end == LBFGSB_MINIMUM);
        quartic(&t, x, g);
        for (i = 0; i < 30; i++) {
            int is_low = x[i] == t.lower[i], is_high = x[i] == t.upper[i];
            double room = g[i] > 0 ? x[i] - t.lower[i] : t.upper[i] - x[i];
            if (!is_low && !is_high) CHECK_AT_MOST(fmin(fabs(g[i]), room), 1e-5);
            if (is_low && !is_high) CHECK(g[i] >= 0);
            if (is_high && !is_low) CHECK(g[i] <= 0);
            free_count += !is_low && !is_high;
            fixed += is_low || is_high;
        }
    }
    CHECK(free_count > 60 && fixed > 60);
}

/* Curvatures 1 to 10^4. Steepest descent with exact steps divides the error of f by at least
   ((K - 1) / (K + 1))^2 in no iteration and comes near to it: thousands of iterations. */
static void test_memory_beats_steepest_descent(void)
{
    enum { N = 20 };
    double scale[N], x[N], g[N], start[N], most = 1;
    task t;
    int i, k, plain;
    set(&t, N, bowl);
    t.scale = scale;
    t.problem.gradient_max = 1e-6;
    t.problem.iteration_max = 3000;
    for (i = 0; i < N; i++) {
        scale[i] = pow(10, 4.0 * i / (N - 1));
        x[i] = start[i] = 1 / scale[i];
    }
    for (plain = 0; plain < 100000 && most > t.problem.gradient_max; plain++) {
        double gg = 0, gag = 0;
        most = 0;
        for (i = 0; i < N; i++) {
            g[i] = scale[i] * x[i];
            gg += g[i] * g[i];
            gag += g[i] * scale[i] * g[i];
            most = fmax(most, fabs(g[i]));
        }
        for (i = 0; i < N; i++) x[i] -= gg / gag * g[i];
    }
    CHECK(plain > 1000);
    for (k = 1; k <= 20; k += k < 5 ? 4 : 15) {
        lbfgsb_result result;
        memcpy(x, start, sizeof x);
        t.problem.memory = k;
        result = minimise(&t, x);
        CHECK(result.end == LBFGSB_MINIMUM);
        CHECK_AT_MOST(result.iterations, k == 1 ? plain / 3 : plain / 10);
    }
}

/* With room for all pairs this is BFGS, whose errors in 2 n iterations go from e to some C e^2 near a minimum
   with positive curvature. As many iterations are made as are allowed. */
static void test_convergence_is_faster_than_linear(void)
{
    enum { N = 3 };
    int i, first = 0, last = 0, k;
    task t;
    set(&t, N, quartic);
    t.problem.memory = LBFGSB_MEMORY_MAX;
    t.problem.gradient_max = 0;
    for (k = 1; k < 20 && !last; k++) {
        double error = 0, x[N] = {0.5, -0.4, 0.3};
        lbfgsb_result result;
        t.problem.iteration_max = k;
        result = minimise(&t, x);
        CHECK(result.end == LBFGSB_ITERATIONS);
        CHECK_EQUAL(result.iterations, k);
        for (i = 0; i < N; i++) error = fmax(error, fabs(x[i]));
        if (error < 1e-2 && !first) first = k;
        if (error < 1e-8) last = k;
    }
    CHECK(first > 0 && last >= first);
    CHECK_AT_MOST(last - first, 4 * N);
}

/* ---- Ends and edges ---- */

/* 1 / (1 - x)^2 = 9 at 2/3. The first step from -100 is of length one, the next ones are ten times as long;
   and from near the wall, where f' = 1e6. */
static void test_search_comes_back_from_where_f_is_not_defined(void)
{
    double starts[2] = {-100, 0.999};
    int k;
    for (k = 0; k < 2; k++) {
        double *x = starts + k;
        task t;
        set(&t, 1, walled);
        CHECK(minimise(&t, x).end == LBFGSB_MINIMUM);
        CHECK_NEAR(*x, 2.0 / 3, 1e-9);
        if (k == 0) CHECK(t.refused > 0);
    }
}

/* At (0, 1/2) f = 1/4: there the slope in x1 is 1/2 - 1/2, and that in x0 between -3/2 and 1/2. With x0 >= 0
   the same is a smooth problem. No proof is known that L-BFGS gets to a minimum at a kink [NW06]; a thousandth
   of the way is asked for. */
static void test_kinks_end_gracefully(void)
{
    double x[8] = {3, -2}, start = 3 + 12.5 + 4.5;
    lbfgsb_result result;
    unsigned seed = 1;
    task t;
    int k, i;
    set(&t, 2, kinked);
    result = minimise(&t, x);
    CHECK(result.end == LBFGSB_NOTHING_LOWER && result.gradient > t.problem.gradient_max);
    CHECK_AT_MOST(result.value, 0.25 + start / 1000);
    CHECK_AT_MOST(t.calls, 2000);
    t.lower[0] = 0;
    x[0] = 3, x[1] = -2;
    CHECK_NEAR(minimise(&t, x).value, 0.25, 1e-9);
    for (k = 0; k < 10; k++) { /* kinks on the way only */
        set(&t, 8, hinged);
        for (i = 0; i < 8; i++) x[i] = 5 * noise(&seed);
        CHECK(minimise(&t, x).end == LBFGSB_MINIMUM);
        for (i = 0; i < 8; i++) CHECK_NEAR(x[i], 0, 1e-9);
    }
}

static void test_all_variables_fixed_is_an_answer(void)
{
    double x[4] = {9, 9, 9, 9};
    lbfgsb_result result;
    task t;
    int i;
    set(&t, 4, rosenbrock);
    for (i = 0; i < 4; i++) t.lower[i] = t.upper[i] = i / 3.0;
    result = minimise(&t, x);
    CHECK(result.end == LBFGSB_MINIMUM && result.iterations == 0 && result.gradient == 0);
    for (i = 0; i < 4; i++) CHECK(x[i] == i / 3.0);
    CHECK_EQUAL(t.calls, 1);
    t.upper[2] = HUGE_VAL; /* one is free: 100 (1 - x^2)^2 + (1 - x)^2, zero at 1 */
    t.lower[2] = -HUGE_VAL;
    t.lower[3] = t.upper[3] = 1;
    CHECK(minimise(&t, x).end == LBFGSB_MINIMUM);
    CHECK(x[0] == 0 && x[1] == 1 / 3.0 && x[3] == 1);
    CHECK_NEAR(x[2], 1, 1e-9);
}

/* x^2/2 + x^4/4 + x^2/2: lowest at 0, or at a bound. */
static void test_one_variable_is_enough(void)
{
    int memory;
    for (memory = 1; memory <= LBFGSB_MEMORY_MAX; memory += 19) {
        double x = 50;
        lbfgsb_result result;
        task t;
        set(&t, 1, quartic);
        t.problem.memory = memory;
        CHECK(minimise(&t, &x).end == LBFGSB_MINIMUM);
        CHECK_NEAR(x, 0, 1e-9);
        t.lower[0] = 2;
        x = 50;
        result = minimise(&t, &x);
        CHECK(x == 2 && result.gradient == 0);
    }
}

static void test_starts_that_are_not_finite_are_told(void)
{
    double x[3] = {1, 1, 1};
    task t;
    set(&t, 3, nowhere);
    CHECK(minimise(&t, x).end == LBFGSB_NOT_FINITE);
    t.offset = 1;
    CHECK(minimise(&t, x).end == LBFGSB_NOT_FINITE);
    CHECK_EQUAL(t.calls, 2);
}

/* f sinks from iteration to iteration, and is that of x. */
static void test_values_sink_from_iteration_to_iteration(void)
{
    double before = HUGE_VAL, g[2];
    int limit;
    for (limit = 0; limit <= 20; limit++) {
        double x[2] = {-1.2, 1};
        lbfgsb_result result;
        task t;
        set(&t, 2, rosenbrock);
        t.problem.iteration_max = limit;
        result = minimise(&t, x);
        CHECK(result.end == LBFGSB_ITERATIONS && result.iterations == limit);
        CHECK(result.value == rosenbrock(&t, x, g) && result.value < before);
        before = result.value;
    }
}

/* However steep: from 1000 with f' = 1e6. */
static void test_first_step_has_length_one(void)
{
    double x = 1000, scale = 1000;
    task t;
    set(&t, 1, bowl);
    t.scale = &scale;
    t.problem.iteration_max = 1;
    t.lower[0] = 999; /* where the search ends, wherever its second trial would be */
    CHECK(minimise(&t, &x).end == LBFGSB_ITERATIONS || x == 999);
    CHECK_EQUAL(t.calls, 2);
}

/* Uphill all the way: one search, then nothing. */
static void test_wrong_gradients_are_told(void)
{
    double x[2] = {1, 2};
    lbfgsb_result result;
    task t;
    set(&t, 2, lie);
    result = minimise(&t, x);
    CHECK(result.end == LBFGSB_NOTHING_LOWER && result.iterations == 0);
    CHECK(x[0] == 1 && x[1] == 2 && result.gradient == 2);
    CHECK_AT_MOST(t.calls, 1 + LBFGSB_TRIALS);
}

int main(void)
{
    static const test_case tests[] = {
        {"compact matrix is that of BFGS updates", test_compact_matrix_is_that_of_bfgs_updates},
        {"Cauchy point is the first minimum along the bent path",
         test_cauchy_point_is_the_first_minimum_along_the_bent_path},
        {"Cauchy point worked by hand", test_cauchy_point_worked_by_hand},
        {"subspace step minimises over the free variables",
         test_subspace_step_minimises_over_the_free_variables},
        {"aims stay in the box and descend", test_aims_stay_in_the_box_and_descend},
        {"steps that would lead uphill are shortened",
         test_steps_that_would_lead_uphill_are_shortened},
        {"pairs without curvature are not kept", test_pairs_without_curvature_are_not_kept},
        {"spoiled pairs are forgotten", test_spoiled_pairs_are_forgotten},
        {"reach of the box", test_reach_of_the_box},
        {"steps to a bound end on it", test_steps_to_a_bound_end_on_it},
        {"line search meets both conditions", test_line_search_meets_both_conditions},
        {"line search takes the end of the box", test_line_search_takes_the_end_of_the_box},
        {"line search interpolates", test_line_search_interpolates},
        {"line search turns back", test_line_search_turns_back},
        {"minimum of a quadratic worked by hand", test_minimum_of_a_quadratic_worked_by_hand},
        {"minimum of Rosenbrock is found", test_minimum_of_rosenbrock_is_found},
        {"minimum of the problem of the published driver", test_problem_of_the_published_driver},
        {"minimum of a separable quadratic is the clamped centre",
         test_separable_quadratic_ends_at_the_clamped_centre},
        {"slopes at bounds press against them", test_slopes_at_bounds_press_against_them},
        {"memory beats steepest descent", test_memory_beats_steepest_descent},
        {"convergence is faster than linear", test_convergence_is_faster_than_linear},
        {"search comes back from where f is not defined",
         test_search_comes_back_from_where_f_is_not_defined},
        {"kinks end gracefully", test_kinks_end_gracefully},
        {"all variables fixed is an answer", test_all_variables_fixed_is_an_answer},
        {"one variable is enough", test_one_variable_is_enough},
        {"starts that are not finite are told", test_starts_that_are_not_finite_are_told},
        {"values sink from iteration to iteration", test_values_sink_from_iteration_to_iteration},
        {"first step has length one", test_first_step_has_length_one},
        {"wrong gradients are told", test_wrong_gradients_are_told},
    };
    return paper_tests_run(tests, sizeof tests / sizeof tests[0]);
}
