/*
 * lbfgsb.h - the lowest f(x) with lower <= x <= upper, from values and gradients alone: L-BFGS-B
 *
 *     [BLNZ95] R. Byrd, P. Lu, J. Nocedal, C. Zhu: A limited memory algorithm for bound constrained
 *              optimization. SIAM J. Sci. Comput. 16, 1995
 *     [MN11]   J. Morales, J. Nocedal: Remark on "Algorithm 778: L-BFGS-B". ACM Trans. Math. Softw. 38, 2011
 *     [NW06]   J. Nocedal, S. Wright: Numerical optimization, second edition. Springer, 2006
 *
 * Near x_k it takes f for a quadratic,
 *
 *     model(x) = f + g . (x - x_k) + 1/2 (x - x_k) . B (x - x_k)                               (b1)
 *
 * whose matrix remembers how the gradient changed in the last k <= m steps: the newest pairs
 * s = x_{k+1} - x_k, y = g_{k+1} - g_k are columns of S and Y, and
 *
 *     B = theta I - W M W^T,   W = [Y  theta S],   theta = y . y / s . y                       (b2)
 *
 *     M^-1 = [ -D   L^T         ]    D the diagonal of S^T Y, L what is below it               (b3)
 *            [  L   theta S^T S ]
 *
 * is what k BFGS updates of theta I give, without a matrix of n rows. An iteration:
 *
 * 1. The Cauchy point: from x_k down the gradient, bent at each bound, to the first minimum of the model.
 *    Variable i meets its bound at t_i = (x_i - bound) / g_i. Between two of them x moves along d, the model
 *    has slope f' and curvature f'', and p = W^T d, c = W^T (x - x_k). Where variable b stops, after dt more,
 *    at z_b from its start, with w_b row b of W:
 *
 *        c += dt p                                                                             (b4)
 *        f' += dt f'' + g_b^2 + theta g_b z_b - g_b w_b . M c
 *        f'' -= theta g_b^2 + 2 g_b w_b . M p + g_b^2 w_b . M w_b                              (b5)
 *        p += g_b w_b,   d_b = 0
 *
 * 2. Variables at a bound there stay; the others, Z, go to the minimum of the model over them:
 *
 *        r = Z^T (g + theta (x_C - x_k) - W M c)                                               (b6)
 *        K = M^-1 - W^T Z Z^T W / theta                                                        (b7)
 *        step = -(r + Z^T W K^-1 W^T Z r / theta) / theta                                      (b8)
 *
 *    and are then put back into the box one by one, [MN11]. If that leads uphill the step is shortened
 *    instead.
 *
 * 3. From x_k towards that point: a line search for t with the strong Wolfe conditions, phi(t) the value at
 *    x_k + t d:
 *
 *        phi(t) <= phi(0) + c1 t phi'(0),     |phi'(t)| <= c2 |phi'(0)|                        (b9)
 *
 *    lo, the lowest good point known, and hi, beyond which there is no need to look, close in on it ([NW06]
 *    algorithms 3.5 and 3.6), by the minimum of the cubic through both.
 *
 * M^-1 and K have the signs [- .; . +]: so L D L^T exists, the first k pivots are negative, the others
 * positive; one that is not tells that rounding has spoiled the pairs. They are then forgotten, as they are if
 * no point of a search is good, and steepest descent has a try.
 *
 * ours: where the gradient has a kink the second of (b9) may hold nowhere. After some trials
 * phi'(t) >= c2 phi'(0) will do, which keeps s . y > 0; after more, the lowest good point. A value that is not
 * finite is a wall, from which the search comes back.
 *
 * Values are compared as they are: where f varies by e through rounding, a gradient below the root of e times
 * the curvature may never be found.
 */
#ifndef LBFGSB_H
#define LBFGSB_H

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LBFGSB_MEMORY_MAX = 20,
    LBFGSB_TRIALS = 20,    /* of one search                                                      */
    LBFGSB_WEAK_TRIALS = 6 /* after these a kink is suspected                                    */
};

static const double LBFGSB_DECREASE = 1e-4; /* c1 of (b9); [NW06] and [BLNZ95]                    */
static const double LBFGSB_SLOPE = 0.9;     /* c2: loose, as trials cost more than iterations    */
static const double LBFGSB_STEP_MAX = 1e10; /* in lengths of d; keeps an unbounded search finite */
static const double LBFGSB_FAR = 9;         /* the most by which a search grows in one trial     */
static const double LBFGSB_MARGIN = 0.1;    /* part of lo to hi kept free of trials at both ends */
static const double LBFGSB_SHRINK = 0.66;   /* if a trial leaves more of it, the next one halves */
static const double LBFGSB_PIVOT = 8 * DBL_EPSILON; /* of what a pivot is summed from: no digit  */

/* Returns f(x) and writes its gradient (n). x is always within the bounds. */
typedef double (*lbfgsb_objective)(void *context, const double *x, double *gradient);

typedef struct lbfgsb_problem {
    int n, memory; /* variables; m, 1 to LBFGSB_MEMORY_MAX                                       */
    lbfgsb_objective objective;
    void *context;
    const double *lower, *upper; /* (n) lower <= upper; -HUGE_VAL and HUGE_VAL: none             */
    double gradient_max;         /* of |P(x - g) - x|, P the projection into the box: the end    */
    int iteration_max;
} lbfgsb_problem;

typedef enum lbfgsb_end {
    LBFGSB_MINIMUM,
    LBFGSB_ITERATIONS,
    LBFGSB_NOTHING_LOWER, /* rounding leaves no more, or f has a kink there                      */
    LBFGSB_NOT_FINITE     /* at the start                                                        */
} lbfgsb_end;

typedef struct lbfgsb_result {
    lbfgsb_end end;
    int iterations;
    double value, gradient; /* f(x); the largest |P(x - g) - x|                                  */
} lbfgsb_result;

/* ---- The search along a line ---- */

typedef struct lbfgsb_point {
    double t, f, slope;
} lbfgsb_point;

typedef struct lbfgsb_line {
    lbfgsb_point start, lo, hi;
    lbfgsb_point before; /* lo, one trial earlier; while there is no hi                          */
    lbfgsb_point weak;   /* the lowest good point past a rise of the gradient; t = 0: none       */
    int has_hi;          /* its value may be infinite                                            */
    double step_max, width; /* |hi - lo| at the last trial                                       */
} lbfgsb_line;

static lbfgsb_line lbfgsb_line_begin(double f, double slope, double step_max)
{
    lbfgsb_line line;
    memset(&line, 0, sizeof line);
    line.start.f = f;
    line.start.slope = slope;
    line.lo = line.hi = line.before = line.weak = line.start;
    line.step_max = step_max;
    line.width = HUGE_VAL;
    return line;
}

/* Takes note of a trial. Whether it ends the search: lo is it then. */
static int lbfgsb_line_take(lbfgsb_line *line, lbfgsb_point trial)
{
    double ahead = line->has_hi ? line->hi.t - line->lo.t : 1,
           bound = LBFGSB_SLOPE * line->start.slope;
    int is_good =
        trial.f < line->start.f && /* where the next term is below rounding */
        trial.f <= line->start.f + LBFGSB_DECREASE * trial.t * line->start.slope; /* (b9) */
    if (is_good && trial.slope >= bound && (line->weak.t == 0 || trial.f < line->weak.f))
        line->weak = trial;
    if (!is_good || trial.f > line->lo.f) {
        line->hi = trial;
        line->has_hi = 1;
        return 0;
    }
    line->before = line->lo;
    if (trial.slope * ahead >= 0) line->hi = line->lo, line->has_hi = 1;
    line->lo = trial;
    return fabs(trial.slope) <= -bound || (trial.t >= line->step_max && trial.slope < 0); /* (b9) */
}

/* Where from lo to hi the cubic through both is lowest, as a part of the way; the middle, if nowhere. */
static double lbfgsb_line_interpolate(const lbfgsb_line *line)
{
    double width = line->hi.t - line->lo.t;
    double a = line->lo.slope * width, b = line->hi.slope * width;
    double u = a + b - 3 * (line->hi.f - line->lo.f), v = u * u - a * b, bend;
    if (!(v >= 0)) return 0.5;
    v = sqrt(v);
    bend = b - a + 2 * v;
    return bend != 0 ? 1 - (b + v - u) / bend : 0.5;
}

static double lbfgsb_line_next(lbfgsb_line *line)
{
    double width = line->hi.t - line->lo.t, before = line->width, part = 0.5;
    if (!line->has_hi) { /* where the slope, going on as it did, is zero */
        double bend = line->lo.slope - line->before.slope;
        part = bend > 0 ? fmin(fmax(-line->lo.slope / bend, 1), LBFGSB_FAR) : LBFGSB_FAR;
        return fmin(line->lo.t + part * (line->lo.t - line->before.t), line->step_max);
    }
    line->width = fabs(width);
    if (line->hi.f == HUGE_VAL)
        part = line->lo.t > 0 ? 0.5 : LBFGSB_MARGIN;
    else if (line->width <= LBFGSB_SHRINK * before)
        part = fmin(fmax(lbfgsb_line_interpolate(line), LBFGSB_MARGIN), 1 - LBFGSB_MARGIN);
    return line->lo.t + part * width;
}

/* ---- Memory, and the rows of W ---- */

typedef struct lbfgsb {
    const lbfgsb_problem *problem;
    int n, memory, k; /* k pairs are held                                                        */
    double theta, value; /* f at x                                                               */
    double *s, *y;       /* (n, memory) the oldest first: row i is all about variable i          */
    double middle[2 * LBFGSB_MEMORY_MAX][2 * LBFGSB_MEMORY_MAX]; /* lower half of M^-1, K; factor */
    double p[2 * LBFGSB_MEMORY_MAX], c[2 * LBFGSB_MEMORY_MAX], w[2 * LBFGSB_MEMORY_MAX];
    double *x, *gradient, *trial, *trial_gradient; /* (n) x_k, g; x_C, then points of the search */
    double *direction, *step;                      /* (n) d of the path, then of the search; (b8) */
    double *stop;                                  /* (n) t_i                                    */
} lbfgsb;

static lbfgsb lbfgsb_begin(const lbfgsb_problem *problem, double *x)
{
    size_t n = (size_t)problem->n, pairs = n * (size_t)problem->memory;
    lbfgsb o;
    memset(&o, 0, sizeof o);
    o.problem = problem;
    o.n = problem->n;
    o.memory = problem->memory;
    o.theta = 1;
    o.x = x;
    o.s = (double *)calloc(6 * n + 2 * pairs, sizeof(double));
    if (!o.s) perror("lbfgsb"), exit(1);
    o.y = o.s + pairs;
    o.gradient = o.y + pairs, o.trial = o.gradient + n, o.trial_gradient = o.trial + n;
    o.direction = o.trial_gradient + n, o.step = o.direction + n, o.stop = o.step + n;
    return o;
}

static double lbfgsb_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    int i;
    for (i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* out += a w_i */
static void lbfgsb_add_row(const lbfgsb *o, int i, double a, double *out)
{
    const double *s = o->s + i * o->memory, *y = o->y + i * o->memory;
    int j;
    for (j = 0; j < o->k; j++) {
        out[j] += a * y[j];
        out[o->k + j] += a * o->theta * s[j];
    }
}

/* w_i . v */
static double lbfgsb_row_dot(const lbfgsb *o, int i, const double *v)
{
    const double *s = o->s + i * o->memory, *y = o->y + i * o->memory;
    return lbfgsb_dot(o->k, y, v) + o->theta * lbfgsb_dot(o->k, s, v + o->k);
}

static double lbfgsb_clamp(const lbfgsb *o, int i, double x)
{
    return fmin(fmax(x, o->problem->lower[i]), o->problem->upper[i]);
}

/* The bound that variable i moves towards. */
static double lbfgsb_bound(const lbfgsb *o, int i, double way)
{
    return way < 0 ? o->problem->lower[i] : o->problem->upper[i];
}

static int lbfgsb_is_free(const lbfgsb *o, int i)
{
    return o->trial[i] > o->problem->lower[i] && o->trial[i] < o->problem->upper[i];
}

/* The largest multiple of a way that stays in the box. */
static double lbfgsb_reach(const lbfgsb *o, const double *from, const double *way)
{
    double reach = HUGE_VAL;
    int i;
    for (i = 0; i < o->n; i++)
        if (way[i] != 0) reach = fmin(reach, (lbfgsb_bound(o, i, way[i]) - from[i]) / way[i]);
    return reach;
}

/* The largest |P(x - g) - x|: zero where no descent is left. */
static double lbfgsb_projected(const lbfgsb *o)
{
    double most = 0;
    int i;
    for (i = 0; i < o->n; i++) {
        double room = fabs(o->x[i] - lbfgsb_bound(o, i, -o->gradient[i]));
        most = fmax(most, fmin(fabs(o->gradient[i]), room));
    }
    return most;
}

/* ---- The middle matrices ---- */

/* middle = K of (b7), summed so that nothing cancels: S^T S less its part over the free variables is its part
   over those at a bound, and so is L where it is not zero. If none counts as free, M^-1 of (b3). */
static void lbfgsb_form(lbfgsb *o, int has_free)
{
    int k = o->k, i, a, b;
    memset(o->middle, 0, sizeof o->middle);
    for (i = 0; i < o->n; i++) {
        const double *s = o->s + i * o->memory, *y = o->y + i * o->memory;
        int is_free = has_free && lbfgsb_is_free(o, i);
        for (a = 0; a < k; a++) {
            double *of_y = o->middle[a], *of_s = o->middle[k + a];
            of_y[a] -= s[a] * y[a];
            if (is_free) {
                for (b = 0; b <= a; b++) of_y[b] -= y[a] * y[b] / o->theta;
                for (b = a; b < k; b++) of_s[b] -= s[a] * y[b];
            } else {
                for (b = 0; b < a; b++) of_s[b] += s[a] * y[b];
                for (b = 0; b <= a; b++) of_s[k + b] += o->theta * s[a] * s[b];
            }
        }
    }
}

/* middle = L D L^T in its place, D on the diagonal. Returns 0 if a pivot has not its sign. */
static int lbfgsb_factor(lbfgsb *o)
{
    int i, j, q;
    for (i = 0; i < 2 * o->k; i++) {
        double *row = o->middle[i], size = fabs(row[i]), pivot = row[i];
        for (j = 0; j < i; j++)
            for (q = 0; q < j; q++) row[j] -= row[q] * o->middle[j][q];
        for (j = 0; j < i; j++) {
            double part = row[j] / o->middle[j][j], square = row[j] * part;
            pivot -= square;
            size += fabs(square);
            row[j] = part;
        }
        if (!((i < o->k ? -pivot : pivot) > LBFGSB_PIVOT * size)) return 0;
        row[i] = pivot;
    }
    return 1;
}

/* v = middle^-1 v */
static void lbfgsb_solve(const lbfgsb *o, double *v)
{
    int rows = 2 * o->k, i, j;
    for (i = 0; i < rows; i++)
        for (j = 0; j < i; j++) v[i] -= o->middle[i][j] * v[j];
    for (i = 0; i < rows; i++) v[i] /= o->middle[i][i];
    for (i = rows - 1; i >= 0; i--)
        for (j = i + 1; j < rows; j++) v[i] -= o->middle[j][i] * v[j];
}

/* ---- The Cauchy point ---- */

/* The path between two bounds: slope f' and curvature f'' of the model, and t where it began. */
typedef struct lbfgsb_path {
    double slope, curvature, t;
    double curvature_min; /* what rounding may leave of it                                       */
} lbfgsb_path;

static lbfgsb_path lbfgsb_path_begin(lbfgsb *o)
{
    lbfgsb_path path;
    double square = 0;
    int i;
    for (i = 0; i < 2 * o->k; i++) o->p[i] = o->c[i] = 0;
    for (i = 0; i < o->n; i++) {
        double g = o->gradient[i];
        o->stop[i] = g != 0 ? (o->x[i] - lbfgsb_bound(o, i, -g)) / g : HUGE_VAL;
        o->trial[i] = o->x[i];
        o->direction[i] = o->stop[i] > 0 ? -g : 0;
        square += o->direction[i] * o->direction[i];
        lbfgsb_add_row(o, i, o->direction[i], o->p);
    }
    memcpy(o->w, o->p, sizeof o->w);
    lbfgsb_solve(o, o->w);
    path.t = 0;
    path.slope = -square;
    path.curvature_min = DBL_EPSILON * o->theta * square;
    path.curvature = o->theta * square - lbfgsb_dot(2 * o->k, o->p, o->w);
    path.curvature = fmax(path.curvature, path.curvature_min);
    return path;
}

/* Takes variable b to its bound, and out of the path. */
static void lbfgsb_path_turn(lbfgsb *o, int b, lbfgsb_path *path)
{
    double g = o->gradient[b], dt = o->stop[b] - path->t, z, wmc, wmp, wmw;
    int rows = 2 * o->k, j;
    path->t = o->stop[b];
    o->trial[b] = lbfgsb_bound(o, b, -g);
    z = o->trial[b] - o->x[b];
    o->direction[b] = 0;
    for (j = 0; j < rows; j++) {
        o->c[j] += dt * o->p[j]; /* (b4) */
        o->w[j] = 0;
    }
    lbfgsb_add_row(o, b, 1, o->w);
    lbfgsb_solve(o, o->w); /* M w_b */
    wmc = lbfgsb_dot(rows, o->w, o->c);
    wmp = lbfgsb_dot(rows, o->w, o->p);
    wmw = lbfgsb_row_dot(o, b, o->w);
    path->slope += dt * path->curvature + g * g + g * (o->theta * z - wmc); /* (b5) */
    path->curvature -= o->theta * g * g + 2 * g * wmp + g * g * wmw;        /* (b5) */
    path->curvature = fmax(path->curvature, path->curvature_min);
    lbfgsb_add_row(o, b, g, o->p);
}

/* trial = the Cauchy point, c = W^T (trial - x). M is factored. */
static void lbfgsb_cauchy(lbfgsb *o)
{
    lbfgsb_path path = lbfgsb_path_begin(o);
    double dt = 0;
    int i;
    while (path.slope < 0) {
        int b = -1; /* the next to stop */
        dt = -path.slope / path.curvature;
        for (i = 0; i < o->n; i++)
            if (o->direction[i] != 0 && (b < 0 || o->stop[i] < o->stop[b])) b = i;
        if (b < 0 || dt < o->stop[b] - path.t) break;
        lbfgsb_path_turn(o, b, &path);
        dt = 0;
    }
    for (i = 0; i < 2 * o->k; i++) o->c[i] += dt * o->p[i]; /* (b4) */
    for (i = 0; i < o->n; i++)
        if (o->direction[i] != 0)
            o->trial[i] = lbfgsb_clamp(o, i, o->x[i] + (path.t + dt) * o->direction[i]);
}

/* ---- The minimum over what is free ---- */

/* The step (b8) from the Cauchy point, zero at bounds. Returns 0 if K is not what it should be. */
static int lbfgsb_subspace(lbfgsb *o)
{
    double *r = o->step, theta = o->theta;
    int i;
    lbfgsb_solve(o, o->c);
    for (i = 0; i < 2 * o->k; i++) o->p[i] = 0;
    for (i = 0; i < o->n; i++) {
        r[i] = 0;
        if (!lbfgsb_is_free(o, i)) continue;
        r[i] = o->gradient[i] + theta * (o->trial[i] - o->x[i]) - lbfgsb_row_dot(o, i, o->c);
        lbfgsb_add_row(o, i, r[i], o->p); /* (b6) */
    }
    lbfgsb_form(o, 1);
    if (!lbfgsb_factor(o)) return 0;
    lbfgsb_solve(o, o->p);
    for (i = 0; i < o->n; i++)
        if (lbfgsb_is_free(o, i))
            r[i] = -(r[i] + lbfgsb_row_dot(o, i, o->p) / theta) / theta; /* (b8) */
    return 1;
}

/* The direction to the Cauchy point and this part of the step beyond it. Returns whether f sinks that way. */
static int lbfgsb_head(lbfgsb *o, double part)
{
    int i;
    for (i = 0; i < o->n; i++)
        o->direction[i] = lbfgsb_clamp(o, i, o->trial[i] + part * o->step[i]) - o->x[i];
    return lbfgsb_dot(o->n, o->gradient, o->direction) < 0;
}

/* direction = where the model, with its bounds, is lowest. Returns whether f sinks that way. */
static int lbfgsb_aim(lbfgsb *o)
{
    lbfgsb_form(o, 0);
    if (!lbfgsb_factor(o)) return 0;
    lbfgsb_cauchy(o);
    if (!lbfgsb_subspace(o)) return 0;
    return lbfgsb_head(o, 1) || lbfgsb_head(o, fmin(1, lbfgsb_reach(o, o->trial, o->step)));
}

/* ---- The search ---- */

/* trial = x + t d, f and its gradient there; f is infinite if one of them is not finite. What comes within
   rounding of a bound is put on it, so that it is known to be there. */
static lbfgsb_point lbfgsb_try(lbfgsb *o, double t)
{
    lbfgsb_point point;
    int i, is_finite;
    for (i = 0; i < o->n; i++) {
        double bound = lbfgsb_bound(o, i, o->direction[i]);
        double near = DBL_EPSILON * (fabs(o->x[i]) + fabs(bound));
        o->trial[i] = lbfgsb_clamp(o, i, o->x[i] + t * o->direction[i]);
        if (o->direction[i] != 0 && isfinite(bound) && fabs(o->trial[i] - bound) <= near)
            o->trial[i] = bound;
    }
    point.t = t;
    point.f = o->problem->objective(o->problem->context, o->trial, o->trial_gradient);
    point.slope = lbfgsb_dot(o->n, o->trial_gradient, o->direction);
    is_finite = isfinite(point.f) && isfinite(point.slope);
    for (i = 0; i < o->n; i++) is_finite &= isfinite(o->trial_gradient[i]);
    if (!is_finite) point.f = HUGE_VAL;
    return point;
}

/* trial and trial_gradient = the next x, `value` its f. Returns 0 if none is found. */
static int lbfgsb_search(lbfgsb *o, double *value)
{
    double slope = lbfgsb_dot(o->n, o->gradient, o->direction), next = 1;
    double reach = fmax(fmin(lbfgsb_reach(o, o->x, o->direction), LBFGSB_STEP_MAX), 1);
    lbfgsb_line line = lbfgsb_line_begin(o->value, slope, reach);
    lbfgsb_point trial = line.start;
    int count;
    if (o->k == 0) /* the scale is not known yet: a step of length one, at most */
        next = fmin(1, 1 / sqrt(lbfgsb_dot(o->n, o->direction, o->direction)));
    for (count = 1; count <= LBFGSB_TRIALS; count++) {
        trial = lbfgsb_try(o, next);
        if (lbfgsb_line_take(&line, trial)) break;
        if (count >= LBFGSB_WEAK_TRIALS && line.weak.t > 0) {
            line.lo = line.weak;
            break;
        }
        next = lbfgsb_line_next(&line);
        if (next == line.lo.t || (line.has_hi && next == line.hi.t)) break;
    }
    *value = line.lo.f;
    if (line.lo.t > 0 && trial.t != line.lo.t)
        lbfgsb_try(o, line.lo.t); /* for the gradient there */
    return line.lo.t > 0;
}

/* ---- The whole ---- */

/* trial becomes x. Keeps the pair from one to the other, if it has curvature. */
static void lbfgsb_accept(lbfgsb *o, double value)
{
    double sy = 0, yy = 0;
    int i, is_full = o->k == o->memory, is_kept;
    for (i = 0; i < o->n; i++) {
        double y = o->trial_gradient[i] - o->gradient[i];
        sy += (o->trial[i] - o->x[i]) * y;
        yy += y * y;
    }
    is_kept = sy > DBL_EPSILON * yy && yy > 0;
    if (is_kept) o->theta = yy / sy; /* (b2) */
    if (is_kept && !is_full) o->k++;
    for (i = 0; i < o->n; i++) {
        double *s = o->s + i * o->memory, *y = o->y + i * o->memory;
        if (is_kept && is_full) memmove(s, s + 1, (size_t)(o->k - 1) * sizeof *s);
        if (is_kept && is_full) memmove(y, y + 1, (size_t)(o->k - 1) * sizeof *y);
        if (is_kept) s[o->k - 1] = o->trial[i] - o->x[i];
        if (is_kept) y[o->k - 1] = o->trial_gradient[i] - o->gradient[i];
        o->x[i] = o->trial[i];
        o->gradient[i] = o->trial_gradient[i];
    }
    o->value = value;
}

static lbfgsb_end lbfgsb_iterate(lbfgsb *o, lbfgsb_result *result)
{
    double value;
    while ((result->gradient = lbfgsb_projected(o)) > o->problem->gradient_max) {
        if (result->iterations == o->problem->iteration_max) return LBFGSB_ITERATIONS;
        if (lbfgsb_aim(o) && lbfgsb_search(o, &value)) {
            lbfgsb_accept(o, value);
            result->iterations++;
        } else if (o->k > 0) {
            o->k = 0, o->theta = 1;
        } else {
            return LBFGSB_NOTHING_LOWER;
        }
    }
    return LBFGSB_MINIMUM;
}

/* A local minimum near x (n), which is first moved into the bounds and becomes the lowest that is found. */
static lbfgsb_result lbfgsb_minimise(const lbfgsb_problem *problem, double *x)
{
    lbfgsb o = lbfgsb_begin(problem, x);
    lbfgsb_result result;
    int i;
    memset(&result, 0, sizeof result);
    for (i = 0; i < o.n; i++) x[i] = lbfgsb_clamp(&o, i, x[i]);
    lbfgsb_accept(&o, lbfgsb_try(&o, 0).f);
    result.end = isfinite(o.value) ? lbfgsb_iterate(&o, &result) : LBFGSB_NOT_FINITE;
    result.value = o.value;
    free(o.s);
    return result;
}

#endif
