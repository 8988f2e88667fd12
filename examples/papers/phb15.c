/*
 * phb15.c - ribbons that cannot stretch, told by where their creases lie and how far they are folded, as
 * printed in
 *
 *     Z. Pan, J. Huang, H. Bao: Modelling developable ribbons using ruling bending coordinates. 2015
 *
 * What one will see, a scene each:
 *
 *     unroll    a helix, held at one end, unrolls under its weight in steps of .01 s and .05 s (figure 8)
 *     twist     the other end is turned once; creases move in each step, in each fifth, never (figure 4)
 *     spin      it turns about its centre line; lumped mass does not see that (figure 11)
 *     moebius   a band finds its rest shape (figure 5 has nine of them)
 *     fall      it falls on the ground and on itself, collisions with K of 0, 1 and 100 (figures 6, 12)
 *
 * out/phb15_SCENE.obj is how each ends: unroll, unroll_long (.05 s), twist, twist_seldom, twist_never, spin,
 * spin_lumped, moebius, fall_0, fall_1, fall_100, and unroll_printed.
 *
 *     phb15 [--printed] [--beta B] [--segments N] [SCENE]
 *
 * --printed lets the helix unroll with appendix A as it was printed, too.
 *
 * Where to find what, by the paper's sections:
 *
 *     (1) (2) (4)            3            creases that do not cross; positions and normals
 *     V, f, R of (5)         4            energies, resampling, a step is a minimisation
 *     algorithms 1, 2        5, 5.1       the step; bounds and constraints
 *     algorithm 3            appendix C   its adjoint has T_j^-T in it; ours needs no inverse
 *     the QP                 5.2          collisions
 *     appendices A, B, C     the end      T_k and its derivatives, the mass matrix, the gradient
 *
 * mended: c is the tangent of a crease's angle from straight across, not from the centre line, for c = 0
 * is straight across in all formulas. The mean curvature H in V^bend is the principal curvature: alpha is
 * k/2 of E = k/2 int kappa^2. The range 2 <= i < n - 1 of Delta c_i leaves out the last, which the sum below
 * it needs.
 *
 * ours: beta is 1e-8 J. The paper has .1 without a unit or an alpha; with our alpha that would hold all
 * creases straight across. Algorithm 2 ends by the change of what L-BFGS-B changes, Delta c instead of c.
 */
#include "lbfgsb.h"
#include "paper.h"

enum { RIM_X, RIM_Y };
enum { GUIDE_MAX = 4, LIMIT_COUNT = 2, LOOP_COUNT = 9, CONSTRAINT_MAX = LIMIT_COUNT + LOOP_COUNT };
enum { OUTER_MAX = 20, INNER_MAX = 5000, MEMORY = 5, ROUND_MAX = 60, ROW_MAX = 600 };

static const dc_vec3 AXIS_Y = {0, 1, 0};
static const double LENGTH = 1, WIDTH = 0.05;    /* figure 7 [m]                                 */
static const double DENSITY = 0.1;               /* ours: rho [kg/m^2]                           */
static const double ALPHA = 0.5e-4;              /* ours [N m]                                   */
static const double MU = 1e3, CHANGE_MAX = 1e-4; /* algorithm 2                                  */
static const double GRADIENT_MAX = 1e-5;         /* ours: where L-BFGS-B ends [J]                */
static const double ANGLE_MAX = 3;               /* ours: of a fold [rad]                        */
static const double GAP = 2e-4;                  /* ours: what collisions keep [m]               */

typedef struct matrix {
    double a[4][4];
} matrix;

/* V^user = K/2 |n_j - n_0|^2 of 5.1. */
typedef struct guide {
    dc_index segment;
    double stiffness; /* K [J] */
    dc_vec3 target;   /* n_0   */
} guide;

typedef struct counts {
    long steps, inner, outer, kinks, failed, unresolved;
    double strain; /* largest that collisions made */
} counts;

typedef struct handler handler;

typedef struct ribbon {
    dc_index n, variable_count;
    double alpha, beta, gravity,
        h;               /* h: 0 looks for the rest shape                                */
    double gradient_max; /* where L-BFGS-B ends */
    int is_printed, is_floating, is_lumped, is_moebius;
    double *c, *psi;     /* (n + 1) creases and angles; c_0 = c_n = 0                            */
    matrix base;         /* T_0 at the start of the step                                         */
    dc_vec3 turn, move;  /* w and t of T_0, from there (ours)                                    */
    matrix *t, *product; /* (n + 1) T_j and T_0 ... T_j                                          */
    dc_vec3 *x, *normal; /* (2 n + 2) x_j in 2 j, y_j in 2 j + 1; (n)                            */
    double *c_old;       /* (n + 1) of X^n                                                       */
    dc_vec3 *x_old,
        *v_old; /* (2 n + 2) X^n, V^n                                                   */
    guide guides[GUIDE_MAX];
    int guide_count, constraint_count;
    double lambda[CONSTRAINT_MAX];

    /* derivatives of f: by X, N, <c, psi>; appendix C brings all to the last two */
    dc_vec3 *by_x, *by_normal;
    double *by_c, *by_psi;
    double *at, *low, *high,
        *before; /* (variables) <c_1, Delta c, psi, w, t> and their bounds     */

    dc_index *triangles; /* (2 n, 3) */
    double stiffness;    /* K of 5.2 */
    handler *handler;    /* or NULL: nothing collides */
    counts count;
} ribbon;

/* ---- Section 3: coordinates ---- */

static matrix identity(void)
{
    matrix m;
    int i;
    memset(&m, 0, sizeof m);
    for (i = 0; i < 4; i++) m.a[i][i] = 1;
    return m;
}

static matrix product(const matrix *p, const matrix *q)
{
    matrix m;
    int i, j, k;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++)
            for (m.a[i][j] = 0, k = 0; k < 4; k++) m.a[i][j] += p->a[i][k] * q->a[k][j];
    return m;
}

static matrix transposed(const matrix *p)
{
    matrix m;
    int i, j;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++) m.a[i][j] = p->a[j][i];
    return m;
}

/* P : Q, the sum of products of entries. */
static double contract(const matrix *p, const matrix *q)
{
    double sum = 0;
    int i, j;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++) sum += p->a[i][j] * q->a[i][j];
    return sum;
}

/* A point (w = 1) or a direction (w = 0). */
static dc_vec3 apply(const matrix *p, dc_vec3 v, double w)
{
    dc_vec3 out;
    int i;
    for (i = 0; i < 3; i++)
        (&out.x)[i] = p->a[i][0] * v.x + p->a[i][1] * v.y + p->a[i][2] * v.z + p->a[i][3] * w;
    return out;
}

static double side_of(int rim)
{
    return rim == RIM_Y ? 1 : -1;
}

/* (1): .95 * 2 l / (w n). */
static double crease_limit(const ribbon *r)
{
    return 0.95 * 2 * LENGTH / (WIDTH * (double)r->n);
}

/* x-bar_j or y-bar_j along the ribbon, of these creases. */
static double along(const ribbon *r, const double *c, dc_index j, int rim)
{
    return LENGTH * (double)j / (double)r->n + side_of(rim) * WIDTH * c[j] / 2;
}

static dc_vec3 flat(const ribbon *r, dc_index j, int rim)
{
    return vec_make(along(r, r->c, j, rim), side_of(rim) * WIDTH / 2, 0);
}

/* Appendix A: T_k turns by -psi_k about the crease, and its derivatives. */
static void fold(const ribbon *r, dc_index k, matrix *t, matrix *by_c, matrix *by_psi)
{
    double c = r->c[k], q = c * c + 1, root = sqrt(q), s = sin(r->psi[k]), o = cos(r->psi[k]);
    double e = LENGTH * (double)k / (double)r->n;
    /* mended: (2,4) is divided by n (c^2 + 1). Printed, by n sqrt(c^2 + 1). */
    double f = r->is_printed ? e * root : e;
    double twice = 2 * c * (1 - o) / (q * q), once = (1 - o) * (1 - c * c) / (q * q);
    matrix m = {{{(o + c * c) / q, (c - c * o) / q, -s / root, (e - e * o) / q},
                 {(c - c * o) / q, (1 + c * c * o) / q, c * s / root, (c * f * o - c * f) / q},
                 {s / root, -c * s / root, o, -e * s / root},
                 {0, 0, 0, 1}}};
    matrix p = {{{-s / q, c * s / q, -o / root, e * s / q},
                 {c * s / q, -c * c * s / q, c * o / root, -c * f * s / q},
                 {o / root, -c * o / root, -s, -e * o / root},
                 {0, 0, 0, 0}}};
    matrix d = {{{twice, once, s * c / (q * root), -twice * e},
                 {once, -twice, s / (q * root), -once * e},
                 {-s * c / (q * root), -s / (q * root), 0, e * s * c / (q * root)},
                 {0, 0, 0, 0}}};
    if (r->is_printed) d.a[1][3] = -(1 - o) * e / (q * root);
    *t = m;
    *by_psi = p;
    *by_c = d;
}

/* exp(w) and its derivatives by w_k: I + a [w] + b [w]^2. */
static void exponential(dc_vec3 w, matrix *out, matrix by_w[3])
{
    double s = vec_dot(w, w), angle = sqrt(s), a, b, a_s, b_s; /* a_s: da / d(angle^2) */
    matrix cross = {{{0, -w.z, w.y, 0}, {w.z, 0, -w.x, 0}, {-w.y, w.x, 0, 0}, {0, 0, 0, 0}}};
    matrix square = product(&cross, &cross);
    int i, j, k;
    if (s < 1e-4) {
        a = 1 - s / 6 + s * s / 120, b = 0.5 - s / 24 + s * s / 720;
        a_s = -1 / 6.0 + s / 60, b_s = -1 / 24.0 + s / 360;
    } else {
        a = sin(angle) / angle, b = (1 - cos(angle)) / s;
        a_s = (cos(angle) - a) / (2 * s), b_s = (a / 2 - b) / s;
    }
    *out = identity();
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) out->a[i][j] += a * cross.a[i][j] + b * square.a[i][j];
    for (k = 0; k < 3; k++) {
        double wk = (&w.x)[k];
        matrix unit, one, other;
        memset(&unit, 0, sizeof unit);
        unit.a[(k + 2) % 3][(k + 1) % 3] = 1, unit.a[(k + 1) % 3][(k + 2) % 3] = -1;
        one = product(&unit, &cross), other = product(&cross, &unit);
        for (i = 0; i < 4; i++)
            for (j = 0; j < 4; j++)
                by_w[k].a[i][j] = a * unit.a[i][j] + b * (one.a[i][j] + other.a[i][j]) +
                                  2 * wk * (a_s * cross.a[i][j] + b_s * square.a[i][j]);
    }
}

/* T_0 from w and t. */
static void place(const ribbon *r, matrix *t, matrix by_w[3])
{
    matrix turn;
    int i, k;
    exponential(r->turn, &turn, by_w);
    for (k = 0; k < 3; k++) {
        by_w[k] = product(&by_w[k], &r->base);
        for (i = 0; i < 3; i++) by_w[k].a[i][3] = 0;
    }
    *t = product(&turn, &r->base);
    for (i = 0; i < 3; i++) t->a[i][3] = r->base.a[i][3] + (&r->move.x)[i];
}

/* (2), (4) */
static void reconstruct(ribbon *r)
{
    matrix unused[3];
    dc_index j;
    int rim;
    for (j = 0; j <= r->n; j++) {
        if (j == 0)
            place(r, &r->t[0], unused);
        else if (j < r->n)
            fold(r, j, &r->t[j], &unused[0], &unused[1]);
        else
            r->t[j] = identity();
        r->product[j] = j == 0 ? r->t[0] : product(&r->product[j - 1], &r->t[j]);
        for (rim = RIM_X; rim <= RIM_Y; rim++)
            r->x[2 * j + rim] = apply(&r->product[j], flat(r, j, rim), 1);
        if (j < r->n) r->normal[j] = apply(&r->product[j], vec_make(0, 0, 1), 0);
    }
}

/* ---- Section 4: energies; each adds its derivatives ---- */

/* R of (5), as printed: linear, with kinks where the creases were, which is where a step begins. L-BFGS-B
   finds nothing lower there, and no gradient of zero. Returns the value at position `at` of a rim that is
   sampled at the old creases; *slope is its derivative by `at`. */
static dc_vec3 resample(const ribbon *r, const dc_vec3 *values, int rim, double at, dc_vec3 *slope)
{
    dc_index j = (dc_index)(at * (double)r->n / LENGTH);
    double low, high;
    j = j < 0 ? 0 : j > r->n - 1 ? r->n - 1 : j;
    while (j > 0 && at < along(r, r->c_old, j, rim)) j--;
    while (j < r->n - 1 && at > along(r, r->c_old, j + 1, rim)) j++;
    low = along(r, r->c_old, j, rim);
    high = along(r, r->c_old, j + 1, rim);
    *slope = vec_scale(1 / (high - low), vec_sub(values[2 * j + 2 + rim], values[2 * j + rim]));
    return vec_axpy(values[2 * j + rim], at - low, *slope);
}

/* Appendix B: entry (a, b) of M_i, vertices of segment i in the order x_i, y_i, x_(i+1), y_(i+1), and its
   derivative by c_(i+1) - c_i. */
static double mass_entry(const ribbon *r, dc_index i, int a, int b, double *slope)
{
    double n = (double)r->n, turned = (r->c[i + 1] - r->c[i]) * n * WIDTH * WIDTH;
    double side = side_of(a % 2), share = a / 2 == b / 2 ? 1 : 0.5;
    *slope = a % 2 == b % 2 ? share * side * WIDTH * WIDTH / 36 : 0;
    if (a % 2 != b % 2) return share * LENGTH * WIDTH / (18 * n);
    return share * (side * turned + 4 * LENGTH * WIDTH) / (36 * n);
}

/* rho/2 |(X - R(X^n)) / h - R(V^n)|_M^2 - rho g^T M X */
static double full_energy(ribbon *r)
{
    double f = 0;
    dc_index i;
    int a, b;
    for (i = 0; i < r->n; i++) {
        double by_difference = 0; /* c_(i+1) - c_i */
        dc_vec3 u[4], u_slope[4];
        for (a = 0; a < 4; a++) {
            double at = along(r, r->c, i + a / 2, a % 2);
            dc_vec3 x_slope, v_slope, x, v;
            u[a] = u_slope[a] = vec_make(0, 0, 0);
            if (r->h == 0) continue;
            x = resample(r, r->x_old, a % 2, at, &x_slope);
            v = resample(r, r->v_old, a % 2, at, &v_slope);
            u[a] = vec_sub(vec_scale(1 / r->h, vec_sub(r->x[2 * i + a], x)), v);
            u_slope[a] = vec_scale(-1, vec_axpy(v_slope, 1 / r->h, x_slope));
        }
        for (a = 0; a < 4; a++)
            for (b = 0; b < 4; b++) {
                double slope, mass = DENSITY * mass_entry(r, i, a, b, &slope);
                double height = r->x[2 * i + b].y;
                f += mass * (vec_dot(u[a], u[b]) / 2 + r->gravity * height);
                by_difference += DENSITY * slope * (vec_dot(u[a], u[b]) / 2 + r->gravity * height);
                r->by_x[2 * i + b].y += mass * r->gravity;
                if (r->h == 0) continue;
                r->by_x[2 * i + a] = vec_axpy(r->by_x[2 * i + a], mass / r->h, u[b]);
                r->by_c[i + a / 2] += mass * vec_dot(u[b], u_slope[a]) * side_of(a % 2) * WIDTH / 2;
            }
        r->by_c[i + 1] += by_difference;
        r->by_c[i] -= by_difference;
    }
    return f;
}

/* The same with all mass on the centre line, as section 6 compares; nothing is resampled. Ours: M_i, half as
   much at the ends. */
static double lumped_energy(ribbon *r)
{
    double f = 0;
    dc_index i;
    int rim;
    for (i = 0; i <= r->n; i++) {
        double share = i == 0 || i == r->n ? 0.5 : 1;
        double mass = share * DENSITY * LENGTH * WIDTH / (double)r->n;
        dc_vec3 centre = vec_scale(0.5, vec_add(r->x[2 * i], r->x[2 * i + 1])), u;
        u = vec_sub(centre, vec_scale(0.5, vec_add(r->x_old[2 * i], r->x_old[2 * i + 1])));
        u = vec_scale(r->h > 0 ? 1 / r->h : 0, u);
        if (r->h > 0) u = vec_axpy(u, -0.5, vec_add(r->v_old[2 * i], r->v_old[2 * i + 1]));
        f += mass * (vec_dot(u, u) / 2 + r->gravity * centre.y);
        for (rim = RIM_X; rim <= RIM_Y; rim++) {
            dc_vec3 *by = r->by_x + 2 * i + rim;
            if (r->h > 0) *by = vec_axpy(*by, mass / (2 * r->h), u);
            by->y += mass * r->gravity / 2;
        }
    }
    return f;
}

/* alpha V_i^bend + beta c_i^2 of all creases */
static double bending_energy(ribbon *r)
{
    double scale = r->alpha * (double)r->n * WIDTH / LENGTH, f = 0;
    dc_index i;
    for (i = 1; i < r->n; i++) {
        double c = r->c[i], psi = r->psi[i];
        f += scale * (1 + c * c) * psi * psi + r->beta * c * c;
        r->by_psi[i] += 2 * scale * (1 + c * c) * psi;
        r->by_c[i] += 2 * scale * c * psi * psi + 2 * r->beta * c;
    }
    return f;
}

static double guide_energy(ribbon *r)
{
    double f = 0;
    int k;
    for (k = 0; k < r->guide_count; k++) {
        const guide *g = r->guides + k;
        dc_vec3 off = vec_sub(r->normal[g->segment], g->target);
        f += g->stiffness / 2 * vec_dot(off, off);
        r->by_normal[g->segment] = vec_axpy(r->by_normal[g->segment], g->stiffness, off);
    }
    return f;
}

/* ---- Section 5.1: constraints ---- */

/* C(X): the limits of c_(n-1), then x_0 = y_n, y_0 = x_n, n_0 = -n_(n-1) of a band that is not orientable.
   Ours: normals count by w/2, as the rims do. */
static void evaluate_constraints(const ribbon *r, double *value)
{
    const dc_index n = r->n;
    int k;
    value[0] = crease_limit(r) - r->c[n - 1];
    value[1] = crease_limit(r) + r->c[n - 1];
    for (k = 0; k < 3 && r->is_moebius; k++) {
        value[LIMIT_COUNT + k] = (&r->x[0].x)[k] - (&r->x[2 * n + 1].x)[k];
        value[LIMIT_COUNT + 3 + k] = (&r->x[1].x)[k] - (&r->x[2 * n].x)[k];
        value[LIMIT_COUNT + 6 + k] = WIDTH / 2 * ((&r->normal[0].x)[k] + (&r->normal[n - 1].x)[k]);
    }
}

/* Line 3 of algorithm 2; ours: of an equation without min(., 0), which is for C >= 0. */
static double multiplier(const ribbon *r, int k, double value)
{
    double m = r->lambda[k] + MU * value;
    return k < LIMIT_COUNT && m > 0 ? 0 : m;
}

static double constraint_energy(ribbon *r)
{
    double value[CONSTRAINT_MAX], m, f = 0;
    const dc_index n = r->n;
    int k;
    evaluate_constraints(r, value);
    for (k = 0; k < r->constraint_count; k++) {
        m = multiplier(r, k, value[k]);
        f += m * m / (2 * MU);
        if (k < LIMIT_COUNT) {
            r->by_c[n - 1] += k == 0 ? -m : m;
        } else if (k < LIMIT_COUNT + 6) {
            int rim = (k - LIMIT_COUNT) / 3, axis = (k - LIMIT_COUNT) % 3;
            (&r->by_x[rim].x)[axis] += m;
            (&r->by_x[2 * n + 1 - rim].x)[axis] -= m;
        } else {
            (&r->by_normal[0].x)[k - LIMIT_COUNT - 6] += m * WIDTH / 2;
            (&r->by_normal[n - 1].x)[k - LIMIT_COUNT - 6] += m * WIDTH / 2;
        }
    }
    return f;
}

/* Appendix C: `adjoint` is the derivative by T_0 ... T_j of all that is behind crease j. */
static void pull_back(ribbon *r, dc_vec3 *by_turn, dc_vec3 *by_move)
{
    matrix adjoint, d, by_w[3], by_c, by_psi, t;
    dc_index j;
    int rim, i, k;
    memset(&adjoint, 0, sizeof adjoint);
    for (j = r->n; j >= 0; j--) {
        if (j < r->n) {
            t = transposed(&r->t[j + 1]);
            adjoint = product(&adjoint, &t);
        }
        for (rim = RIM_X; rim <= RIM_Y; rim++) {
            dc_vec3 bar = flat(r, j, rim), by = r->by_x[2 * j + rim];
            dc_vec3 way = vec_make(side_of(rim) * WIDTH / 2, 0, 0);
            r->by_c[j] += vec_dot(apply(&r->product[j], way, 0), by);
            for (i = 0; i < 3; i++) {
                for (k = 0; k < 3; k++) adjoint.a[i][k] += (&by.x)[i] * (&bar.x)[k];
                adjoint.a[i][3] += (&by.x)[i];
            }
        }
        for (i = 0; i < 3 && j < r->n; i++) adjoint.a[i][2] += (&r->by_normal[j].x)[i];
        if (j == 0 || j == r->n) continue;
        t = transposed(&r->product[j - 1]);
        d = product(&t, &adjoint);
        fold(r, j, &t, &by_c, &by_psi);
        r->by_c[j] += contract(&d, &by_c);
        r->by_psi[j] += contract(&d, &by_psi);
    }
    place(r, &t, by_w);
    for (i = 0; i < 3; i++) {
        (&by_turn->x)[i] = contract(&adjoint, &by_w[i]);
        (&by_move->x)[i] = adjoint.a[i][3];
    }
}

/* P of algorithm 2: <c, psi, w, t> to <c_1, Delta c, psi, w, t>, and back. */
static void pack(const ribbon *r, double *at)
{
    dc_index m = r->n - 1, j;
    int k;
    for (j = 1; j <= m; j++) {
        at[j - 1] = r->c[j] - r->c[j - 1];
        at[m + j - 1] = r->psi[j];
    }
    for (k = 0; k < 3 && r->is_floating; k++) {
        at[2 * m + k] = (&r->turn.x)[k];
        at[2 * m + 3 + k] = (&r->move.x)[k];
    }
}

static void unpack(ribbon *r, const double *at)
{
    dc_index m = r->n - 1, j;
    int k;
    for (j = 1; j <= m; j++) {
        r->c[j] = r->c[j - 1] + at[j - 1];
        r->psi[j] = at[m + j - 1];
    }
    for (k = 0; k < 3 && r->is_floating; k++) {
        (&r->turn.x)[k] = at[2 * m + k];
        (&r->move.x)[k] = at[2 * m + 3 + k];
    }
}

/* f + g of algorithm 2. */
static double objective(void *context, const double *at, double *gradient)
{
    ribbon *r = (ribbon *)context;
    dc_index m = r->n - 1, j;
    dc_vec3 by_turn, by_move;
    double f, sum = 0;
    int k;
    unpack(r, at);
    reconstruct(r);
    memset(r->by_x, 0, (size_t)(2 * r->n + 2) * sizeof *r->by_x);
    memset(r->by_normal, 0, (size_t)r->n * sizeof *r->by_normal);
    memset(r->by_c, 0, (size_t)(r->n + 1) * sizeof *r->by_c);
    memset(r->by_psi, 0, (size_t)(r->n + 1) * sizeof *r->by_psi);
    f = r->is_lumped ? lumped_energy(r) : full_energy(r);
    f += bending_energy(r) + guide_energy(r) + constraint_energy(r);
    pull_back(r, &by_turn, &by_move);
    for (j = m; j >= 1; j--) {
        gradient[j - 1] = sum += r->by_c[j];
        gradient[m + j - 1] = r->by_psi[j];
    }
    for (k = 0; k < 3 && r->is_floating; k++) {
        gradient[2 * m + k] = (&by_turn.x)[k];
        gradient[2 * m + 3 + k] = (&by_move.x)[k];
    }
    return f;
}

/* Algorithm 2. Held creases get equal lower and upper bounds. */
static int optimize(ribbon *r, int holds_creases)
{
    lbfgsb_problem problem;
    double value[CONSTRAINT_MAX], limit = crease_limit(r), change = HUGE_VAL;
    dc_index i, m = r->n - 1;
    int k, outer, is_kink = 0, ok = 1;
    problem.n = r->variable_count;
    problem.memory = MEMORY;
    problem.objective = objective;
    problem.context = r;
    problem.lower = r->low;
    problem.upper = r->high;
    problem.gradient_max = r->gradient_max;
    problem.iteration_max = INNER_MAX;
    memset(r->lambda, 0, sizeof r->lambda);
    pack(r, r->at);
    for (i = 0; i < r->variable_count; i++) {
        double bound = i < m ? limit : i < 2 * m ? ANGLE_MAX : HUGE_VAL;
        r->low[i] = i < m && holds_creases ? r->at[i] : -bound;
        r->high[i] = i < m && holds_creases ? r->at[i] : bound;
    }
    for (outer = 0; outer < OUTER_MAX && change >= CHANGE_MAX; outer++) {
        lbfgsb_result result;
        memcpy(r->before, r->at, (size_t)r->variable_count * sizeof(double));
        result = lbfgsb_minimise(&problem, r->at);
        r->count.inner += result.iterations;
        r->count.outer++;
        is_kink = result.end == LBFGSB_NOTHING_LOWER;
        ok = is_kink || result.end == LBFGSB_MINIMUM;
        for (i = 0, change = 0; i < r->variable_count; i++)
            change += (r->at[i] - r->before[i]) * (r->at[i] - r->before[i]);
        change = sqrt(change);
        unpack(r, r->at);
        reconstruct(r);
        evaluate_constraints(r, value);
        for (k = 0; k < r->constraint_count; k++) r->lambda[k] = multiplier(r, k, value[k]);
    }
    r->count.kinks += is_kink;
    return ok && change < CHANGE_MAX;
}

/* ---- Section 5.2: collisions ---- */

/* A row of C_coll: normal . sum weight x >= GAP. */
typedef struct row {
    dc_index vertex[4];
    double weight[4];
    dc_vec3 normal;
    double *spread; /* (2 n + 2) H^-1 weight */
    double lambda;
} row;

static dc_vec3 moved(const row *w, const dc_vec3 *x)
{
    dc_vec3 sum = vec_make(0, 0, 0);
    int k;
    for (k = 0; k < 4; k++) sum = vec_axpy(sum, w->weight[k], x[w->vertex[k]]);
    return sum;
}

struct handler {
    dc_index vertex_count, row_count, triangle_count;
    const dc_index *triangles;
    dc_sparse h; /* Id + K sum over edges, its lower half; the same for each axis */
    dc_cholesky *factor;
    row *rows;
    dc_index (*edges)[2];
    dc_index edge_count;
};

/* Of the edges of a ribbon, its creases, its rims, and a diagonal of each segment, the k-th that begins at
   crease j; there are four, at the last crease one. */
static void edge_of(dc_index j, int k, dc_index edge[2])
{
    static const int end[4][2] = {{0, 1}, {0, 2}, {1, 3}, {0, 3}};
    edge[0] = 2 * j + end[k][0];
    edge[1] = 2 * j + end[k][1];
}

static void make_handler(ribbon *r)
{
    handler s;
    dc_index j, e, entries;
    dc_sparse ends;
    dc_sparse_builder builder;
    double *weight;
    int k;
    memset(&s, 0, sizeof s);
    s.triangle_count = 2 * r->n;
    s.triangles = r->triangles;
    s.vertex_count = 2 * r->n + 2;
    s.edges = (dc_index(*)[2])paper_memory((size_t)(4 * r->n + 1) * sizeof *s.edges);
    s.rows = (row *)paper_memory(ROW_MAX * sizeof *s.rows);
    for (j = 0; j <= r->n; j++)
        for (k = 0; k < (j < r->n ? 4 : 1); k++) edge_of(j, k, s.edges[s.edge_count++]);
    entries = s.vertex_count + 2 * s.edge_count;
    ends = paper_sparse(s.vertex_count + s.edge_count, s.vertex_count, entries);
    weight = paper_reals(ends.row_count);
    builder = dc_sparse_begin(&ends, entries, paper_indices(s.vertex_count));
    for (j = 0; j < s.vertex_count; j++) {
        weight[j] = 1;
        dc_sparse_add(&builder, j, 1);
        dc_sparse_finish_row(&builder);
    }
    for (e = 0; e < s.edge_count; e++) {
        weight[s.vertex_count + e] = r->stiffness;
        dc_sparse_add(&builder, s.edges[e][0], 1);
        dc_sparse_add(&builder, s.edges[e][1], -1);
        dc_sparse_finish_row(&builder);
    }
    dc_sparse_finish(&builder, NULL);
    s.h = paper_gram(&ends);
    dc_gram_values(&ends, weight, &s.h, paper_indices(s.vertex_count));
    s.factor = paper_cholesky(&s.h, 1);
    if (dc_cholesky_factor(s.factor, s.h.value, 0, DC_PIVOTS_REFUSE, NULL) != DC_OK) exit(1);
    paper_sparse_free(&ends);
    free(weight);
    r->handler = (handler *)paper_memory(sizeof s);
    *r->handler = s;
}

static void add_row(handler *s, const dc_index *vertex, const double *weight, dc_vec3 normal)
{
    row *w = s->rows + s->row_count;
    int k;
    if (s->row_count == ROW_MAX) return;
    s->row_count++;
    w->spread = paper_reals(s->vertex_count);
    w->normal = normal;
    w->lambda = 0;
    for (k = 0; k < 4; k++) {
        w->vertex[k] = vertex[k];
        w->weight[k] = weight[k];
        w->spread[vertex[k]] += weight[k];
    }
    dc_cholesky_solve(s->factor, 1, w->spread, w->spread);
}

/* A vertex and a triangle (first_count 1), or two edges (2), with no vertex in common. */
static int add_pair(handler *s, const dc_vec3 *start, const dc_vec3 *end, const dc_index v[4],
                    int first_count)
{
    dc_vec3 from[4], to[4];
    dc_ccd_result hit;
    double weight[4];
    int k, axis, i;
    for (k = 0; k < first_count; k++)
        for (i = first_count; i < 4; i++)
            if (v[k] == v[i]) return 0;
    for (k = 0; k < 4; k++) from[k] = start[v[k]], to[k] = end[v[k]];
    for (axis = 0; axis < 3; axis++) { /* bounding boxes of what they sweep */
        double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
        for (k = 0; k < 4; k++) {
            double a = (&from[k].x)[axis], b = (&to[k].x)[axis];
            i = k >= first_count;
            low[i] = fmin(low[i], fmin(a, b));
            high[i] = fmax(high[i], fmax(a, b));
        }
        if (low[0] > high[1] + GAP || low[1] > high[0] + GAP) return 0;
    }
    hit = first_count == 1 ? dc_ccd_vertex_triangle(from, to, GAP / 2)
                           : dc_ccd_edge_edge(from, to, GAP / 2);
    if (hit.answer == DC_CCD_CLEAR) return 0;
    for (k = 0; k < 4; k++) weight[k] = k < first_count ? -hit.weight[k] : hit.weight[k];
    add_row(s, v, weight, hit.normal);
    return 1;
}

/* Rows for all that comes too close on the way from start to end. Returns their number. */
static int detect(handler *s, const dc_vec3 *start, const dc_vec3 *end)
{
    static const double one[4] = {1, 0, 0, 0};
    dc_index i, k, v[4] = {0, 0, 0, 0};
    int found = 0;
    for (i = 0; i < s->vertex_count; i++) {
        v[0] = v[1] = v[2] = v[3] = i;
        if (end[i].y >= GAP / 2) continue;
        add_row(s, v, one, AXIS_Y);
        found++;
    }
    for (i = 0; i < s->vertex_count; i++)
        for (k = 0; k < s->triangle_count; k++) {
            v[0] = i;
            memcpy(v + 1, s->triangles + 3 * k, 3 * sizeof *v);
            found += add_pair(s, start, end, v, 1);
        }
    for (i = 0; i < s->edge_count; i++)
        for (k = 0; k < i; k++) {
            memcpy(v, s->edges[k], sizeof s->edges[k]);
            memcpy(v + 2, s->edges[i], sizeof s->edges[i]);
            found += add_pair(s, start, end, v, 2);
        }
    return found;
}

/* x + H^-1 N^T lambda */
static void shift(const handler *s, const dc_vec3 *x_tilde, dc_vec3 *x)
{
    dc_index i, v;
    memcpy(x, x_tilde, (size_t)s->vertex_count * sizeof *x);
    for (i = 0; i < s->row_count; i++)
        for (v = 0; v < s->vertex_count && s->rows[i].lambda > 0; v++)
            x[v] = vec_axpy(x[v], s->rows[i].lambda * s->rows[i].spread[v], s->rows[i].normal);
}

/* The QP in its dual form: lambda >= 0 with N H^-1 N^T lambda >= GAP - N x~, by the active set method of
   Lawson and Hanson. Rows that follow from others want a diagonal (ours). */
static void solve_dual(handler *s, const dc_vec3 *x_tilde)
{
    dc_index m = s->row_count, i, k, count, best, *active = paper_indices(m);
    double *a = paper_reals(m * m), *b = paper_reals(m), *part = paper_reals(m * m);
    double *next = paper_reals(m);
    char *is_active = (char *)paper_memory((size_t)m);
    int turn;
    for (i = 0; i < m; i++) {
        b[i] = GAP - vec_dot(s->rows[i].normal, moved(s->rows + i, x_tilde));
        is_active[i] = s->rows[i].lambda > 0;
        for (k = 0; k < m; k++) {
            const row *p = s->rows + i, *q = s->rows + k;
            double sum = 0;
            int c;
            for (c = 0; c < 4; c++) sum += p->weight[c] * q->spread[p->vertex[c]];
            a[i * m + k] = sum * vec_dot(p->normal, q->normal) * (i == k ? 1 + 1e-9 : 1);
        }
    }
    for (turn = 0; turn < 3 * m; turn++) {
        double most = 1e-3 * GAP, step = 1;
        for (i = 0, best = DC_NONE; i < m; i++) {
            double left = b[i];
            for (k = 0; k < m; k++) left -= a[i * m + k] * s->rows[k].lambda;
            if (!is_active[i] && left > most) most = left, best = i;
        }
        if (best == DC_NONE && turn > 0) break;
        if (best != DC_NONE) is_active[best] = 1;
        do { /* the active rows alone; those that would pull leave */
            for (i = count = 0; i < m; i++)
                if (is_active[i]) active[count++] = i;
            for (i = 0; i < count; i++) {
                next[i] = b[active[i]];
                for (k = 0; k < count; k++) part[i * count + k] = a[active[i] * m + active[k]];
            }
            if (count == 0 || !paper_solve_dense(part, next, count)) break;
            for (i = 0, step = 1; i < count; i++) {
                double was = s->rows[active[i]].lambda;
                if (next[i] <= 0) step = fmin(step, was / (was - next[i]));
            }
            for (i = 0; i < count; i++) {
                row *w = s->rows + active[i];
                w->lambda += step * (next[i] - w->lambda);
                if (step < 1 && w->lambda <= 1e-15 * fabs(next[i])) w->lambda = 0;
                is_active[active[i]] = w->lambda > 0;
            }
        } while (step < 1);
    }
    free(active), free(a), free(b), free(part), free(next), free(is_active);
}

/* Detects and solves for all rows so far until nothing more is found. x: X~, then X. */
static int resolve(ribbon *r, const dc_vec3 *start, dc_vec3 *x)
{
    size_t bytes = (size_t)(2 * r->n + 2) * sizeof *x;
    dc_vec3 *x_tilde = paper_vectors(2 * r->n + 2);
    handler *s = r->handler;
    int round, found = 1;
    memcpy(x_tilde, x, bytes);
    for (round = 0; round < ROUND_MAX && found && s->row_count < ROW_MAX; round++) {
        found = detect(s, start, x);
        if (found) solve_dual(s, x_tilde);
        if (found) shift(s, x_tilde, x);
    }
    for (; s->row_count > 0; s->row_count--) free(s->rows[s->row_count - 1].spread);
    free(x_tilde);
    return !found;
}

/* Largest |l - l_0| / l_0 of the edges of the drawn mesh. */
static double largest_strain(const ribbon *r)
{
    double largest = 0;
    dc_index j;
    int k;
    for (j = 0; j <= r->n; j++)
        for (k = 0; k < (j < r->n ? 4 : 1); k++) {
            dc_index e[2];
            double rest, now;
            edge_of(j, k, e);
            rest = vec_length(vec_sub(flat(r, e[0] / 2, e[0] % 2), flat(r, e[1] / 2, e[1] % 2)));
            now = vec_length(vec_sub(r->x[e[0]], r->x[e[1]]));
            largest = fmax(largest, fabs(now / rest - 1));
        }
    return largest;
}

/* ---- Algorithm 1 ---- */

static int step(ribbon *r, int holds_creases)
{
    dc_index count = 2 * r->n + 2, k;
    dc_vec3 *start = paper_vectors(count), slope;
    int ok, is_clear = 1;
    memcpy(r->c_old, r->c, (size_t)(r->n + 1) * sizeof(double));
    r->base = r->t[0];
    r->turn = r->move = vec_make(0, 0, 0);
    ok = optimize(r, holds_creases);
    for (k = 0; k < count; k++)
        start[k] = r->is_lumped
                       ? r->x_old[k]
                       : resample(r, r->x_old, k % 2, along(r, r->c, k / 2, k % 2), &slope);
    if (ok && r->handler) is_clear = resolve(r, start, r->x);
    for (k = 0; k < count && ok && r->h > 0; k++)
        r->v_old[k] = vec_scale(1 / r->h, vec_sub(r->x[k], start[k]));
    memcpy(r->x_old, r->x, (size_t)count * sizeof *r->x);
    r->count.strain = fmax(r->count.strain, largest_strain(r));
    r->count.steps++;
    r->count.failed += !ok;
    r->count.unresolved += !is_clear;
    free(start);
    return ok && is_clear;
}

/* ---- The scenes ---- */

/* Along x, its normal up, with this turn in all [rad] of creases that lean by c. */
static ribbon make_ribbon(dc_index n, double turn, double lean)
{
    static const matrix lying = {{{1, 0, 0, 0}, {0, 0, 1, 0}, {0, -1, 0, 0}, {0, 0, 0, 1}}};
    dc_index j, count = 2 * n + 2;
    ribbon r;
    memset(&r, 0, sizeof r);
    r.n = n;
    r.alpha = ALPHA;
    r.beta = 1e-8;
    r.gravity = 9.81;
    r.h = 0.01;
    r.gradient_max = GRADIENT_MAX;
    r.constraint_count = LIMIT_COUNT;
    r.base = lying;
    r.c = paper_reals(n + 1), r.psi = paper_reals(n + 1), r.c_old = paper_reals(n + 1);
    r.by_c = paper_reals(n + 1), r.by_psi = paper_reals(n + 1);
    r.t = (matrix *)paper_memory((size_t)(n + 1) * sizeof(matrix));
    r.product = (matrix *)paper_memory((size_t)(n + 1) * sizeof(matrix));
    r.x = paper_vectors(count), r.x_old = paper_vectors(count), r.v_old = paper_vectors(count);
    r.by_x = paper_vectors(count), r.normal = paper_vectors(n), r.by_normal = paper_vectors(n);
    r.at = paper_reals(2 * n + 4), r.before = paper_reals(2 * n + 4);
    r.low = paper_reals(2 * n + 4), r.high = paper_reals(2 * n + 4);
    r.variable_count = 2 * (n - 1);
    r.triangles = paper_indices(6 * n);
    for (j = 0; j < n; j++) {
        static const int corner[6] = {0, 2, 3, 0, 3, 1};
        int k;
        for (k = 0; k < 6; k++) r.triangles[6 * j + k] = 2 * j + corner[k];
    }
    for (j = 1; j < n; j++) { /* near both ends c grows nearly as fast as (1) allows */
        double most = 0.9 * crease_limit(&r) * (double)(j < n - j ? j : n - j);
        r.c[j] = fmin(lean, most);
        r.psi[j] = turn / (double)n;
    }
    reconstruct(&r);
    return r;
}

static void set_floating(ribbon *r)
{
    r->is_floating = 1;
    r->variable_count = 2 * (r->n - 1) + 6;
}

/* The state before the first step. */
static void begin(ribbon *r)
{
    reconstruct(r);
    memcpy(r->x_old, r->x, (size_t)(2 * r->n + 2) * sizeof *r->x);
    memcpy(r->c_old, r->c, (size_t)(r->n + 1) * sizeof(double));
}

/* Degrees between two normals. */
static double angle_between(dc_vec3 a, dc_vec3 b)
{
    return atan2(vec_length(vec_cross(a, b)), vec_dot(a, b)) * 180 / acos(-1);
}

static void report(const ribbon *r, const char *scene)
{
    double steps = (double)r->count.steps;
    dc_mesh mesh;
    char path[64];
    printf(
        "  %.1f inner / %.1f outer iterations a step; of %ld steps %ld end at a kink, %ld find no "
        "minimum; strain %.1e\n",
        (double)r->count.inner / steps, (double)r->count.outer / steps, r->count.steps,
        r->count.kinks, r->count.failed, r->count.strain);
    memset(&mesh, 0, sizeof mesh);
    mesh.vertex_count = 2 * r->n + 2;
    mesh.triangle_count = 2 * r->n;
    mesh.triangles = r->triangles;
    snprintf(path, sizeof path, "out/phb15_%s.obj", scene);
    if (!paper_write_obj(path, &mesh, r->x)) fprintf(stderr, "cannot write %s\n", path);
}

/* Steps to the end; each quarter a line. */
static int run_unroll(dc_index n, double beta, double h, int is_printed)
{
    ribbon r = make_ribbon(n, 15, 0.6);
    int steps = (int)(1 / h + 0.5), i;
    r.beta = beta;
    r.h = h;
    r.is_printed = is_printed;
    begin(&r);
    printf("unroll, %d segments, %g s a step%s\n", (int)n, h, is_printed ? ", T_k as printed" : "");
    for (i = 1; i <= steps; i++) {
        step(&r, 0);
        if (i % (steps / 4) == 0)
            printf("  %.2f s  end (%+.3f %+.3f %+.3f) m  c %+.3f  psi %+.3f in the middle\n", i * h,
                   r.x[2 * n].x, r.x[2 * n].y, r.x[2 * n].z, r.c[n / 2], r.psi[n / 2]);
    }
    report(&r, is_printed ? "unroll_printed" : h > 0.01 ? "unroll_long" : "unroll");
    return r.count.failed == 0;
}

/* The normal of the last segment is turned about the ribbon, once in half a second. Ours: K is 1 J. */
static int run_twist(dc_index n, double beta, int every)
{
    ribbon r = make_ribbon(n, 0.1, 0.02);
    double turned, pi = acos(-1);
    int i;
    r.beta = beta;
    r.gravity = 0;
    r.guide_count = 1;
    r.guides[0].segment = n - 1;
    r.guides[0].stiffness = 1;
    begin(&r);
    printf("twist, %d segments, creases move in ", (int)n);
    printf(every == 0 ? "no step\n" : every == 1 ? "each step\n" : "one step of %d\n", every);
    for (i = 1; i <= 100; i++) {
        turned = i < 50 ? 2 * pi * i / 50 : 2 * pi;
        r.guides[0].target = vec_make(0, cos(turned), sin(turned));
        step(&r, every == 0 || i % every > 0);
        if (i % 25 == 0) {
            double energy = bending_energy(&r);
            printf("  %.2f s  normal off by %.1f degrees  end at %.3f m  bending %.2e J\n", i * r.h,
                   angle_between(r.normal[n - 1], r.guides[0].target), r.x[2 * n].x, energy);
        }
    }
    report(&r, every == 1 ? "twist" : every == 0 ? "twist_never" : "twist_seldom");
    return r.count.failed == 0;
}

/* It turns about its centre line, ten radians a second. */
static int run_spin(dc_index n, double beta, int is_lumped)
{
    ribbon r = make_ribbon(n, 0.01, 0.02);
    double turned = 0;
    dc_index k;
    int i;
    r.beta = beta;
    r.gravity = 0;
    r.is_lumped = is_lumped;
    set_floating(&r);
    begin(&r);
    for (k = 0; k < 2 * n + 2; k++)
        r.v_old[k] = vec_cross(vec_make(10, 0, 0), vec_make(0, 0, r.x[k].z));
    printf("spin, %d segments, %s mass\n", (int)n, is_lumped ? "lumped" : "full");
    for (i = 1; i <= 50; i++) {
        dc_vec3 before = r.normal[n / 2];
        step(&r, 0);
        turned += angle_between(before, r.normal[n / 2]);
    }
    printf("  %.2f s  turned by %.1f degrees\n", 50 * r.h, turned);
    report(&r, is_lumped ? "spin_lumped" : "spin");
    return r.count.failed == 0;
}

static int run_moebius(dc_index n, double beta)
{
    double value[CONSTRAINT_MAX], gap = 0;
    ribbon r = make_ribbon(n, 2 * acos(-1), 0.5);
    int k, ok;
    r.beta = beta;
    r.gravity = r.h = 0;
    r.is_moebius = 1;
    r.constraint_count = CONSTRAINT_MAX;
    begin(&r);
    ok = step(&r, 0);
    evaluate_constraints(&r, value);
    for (k = LIMIT_COUNT; k < CONSTRAINT_MAX; k++) gap = fmax(gap, fabs(value[k]));
    printf("moebius, %d segments\n  bending %.4e J, ends off by %.1e m\n", (int)n,
           bending_energy(&r), gap);
    report(&r, "moebius");
    return ok;
}

static int run_fall(dc_index n, double beta, double stiffness)
{
    ribbon r = make_ribbon(n, 15, 0.6);
    double turn = acos(-1) / 2;
    int i, ok = 1;
    char name[32];
    r.beta = beta;
    r.stiffness = stiffness;
    set_floating(&r);
    r.turn = vec_make(0.3, 0.2, turn); /* upright */
    r.move = vec_make(0, 0.3, 0);
    begin(&r);
    make_handler(&r);
    printf("fall, %d segments, K = %g\n", (int)n, stiffness);
    for (i = 1; i <= 60 && ok; i++) {
        ok = step(&r, 0);
        if (i % 15 == 0)
            printf("  %.2f s  strain after collisions at most %.4f so far\n", i * r.h,
                   r.count.strain);
    }
    if (!ok)
        printf("  no step leads on from %.2f s: %s\n", (i - 2) * r.h,
               r.count.unresolved ? "collisions are not resolved" : "no minimum is found");
    snprintf(name, sizeof name, "fall_%g", stiffness);
    report(&r, name);
    return ok;
}

static int is_chosen(const char *only, const char *scene)
{
    return !only || strcmp(only, scene) == 0;
}

static int read_options(int argc, char **argv, double *beta, int *n, int *is_printed,
                        const char **only)
{
    static const char *const scenes[] = {"unroll", "twist", "spin", "moebius", "fall"};
    int i, k;
    for (i = 1; i < argc; i++) {
        double value = i + 1 < argc ? atof(argv[i + 1]) : 0;
        if (strcmp(argv[i], "--printed") == 0) {
            *is_printed = 1;
        } else if (strcmp(argv[i], "--beta") == 0) {
            *beta = value, i++;
        } else if (strcmp(argv[i], "--segments") == 0) {
            *n = (int)value, i++;
        } else {
            for (k = 0; k < 5 && strcmp(argv[i], scenes[k]) != 0; k++) continue;
            if (k == 5) return 0;
            *only = scenes[k];
        }
    }
    return *n >= 5 && *n <= 200 && *beta > 0;
}

int main(int argc, char **argv)
{
    double beta = 1e-8;
    const char *only = NULL;
    int n = 50, is_printed = 0, ok = 1;
    if (!read_options(argc, argv, &beta, &n, &is_printed, &only)) {
        fprintf(stderr, "phb15 [--printed] [--beta B] [--segments N] "
                        "[unroll|twist|spin|moebius|fall]\n");
        return 2;
    }
    if (is_chosen(only, "unroll")) {
        if (is_printed) run_unroll(n, beta, 0.01, 1);
        ok &= run_unroll(n, beta, 0.05, 0);
        ok &= run_unroll(n, beta, 0.01, 0);
    }
    if (is_chosen(only, "twist")) {
        ok &= run_twist(n, beta, 1);
        ok &= run_twist(n, beta, 5);
        ok &= run_twist(n, beta, 0);
    }
    if (is_chosen(only, "spin")) {
        ok &= run_spin(n, beta, 0);
        ok &= run_spin(n, beta, 1);
    }
    if (is_chosen(only, "moebius")) ok &= run_moebius(n, beta);
    if (is_chosen(only, "fall")) {
        run_fall(n, beta, 0); /* with 50 segments these two do not go on to the end */
        run_fall(n, beta, 1);
        ok &= run_fall(n, beta, 100);
    }
    return !ok;
}
