/*
 * phb15.c - ribbons that cannot stretch, told by where their creases lie and how far they are folded,
 * after
 *
 *     Z. Pan, J. Huang, H. Bao: Modelling developable ribbons using ruling bending coordinates. 2015
 *
 * What one will see, a scene each:
 *
 *     unroll    a helix, held at one end, unrolls under its weight in steps of .01 s and .05 s (figure 8)
 *     twist     the other end is turned once; creases move in each step, in each fifth, never (figure 4)
 *     spin      it turns about its centre line; lumped mass does not see that (figure 11)
 *     loop, moebius: a ring, a band at rest (figure 5 has nine of the latter)
 *     fall      it falls on the ground and on itself, collisions with K of 0, 1 and 100 (figures 6, 12)
 *
 *     phb15 [--printed] [--beta B] [--segments N] [SCENE]
 *
 * --printed lets the helix unroll with appendix A as it was printed, too. out/phb15_NAME.obj is how each ends;
 * NAMEs are those of the table at the end.
 *
 * Where to find what, by the paper's sections:
 *
 *     (1) (2) (4)            3            creases that do not cross; positions and normals
 *     V, f, R of (5)         4            energies, resampling, a step is a minimisation
 *     algorithms 1, 2        5, 5.1       the step; bounds and constraints; L-BFGS-B is in lbfgsb.h
 *     algorithm 3            appendix C   its adjoint has T_j^-T in it; ours needs no inverse
 *     the QP                 5.2          collisions: phb15_collisions.h
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
#include "phb15_collisions.h"

enum { RIM_X, RIM_Y };
enum { LIMIT_COUNT = 2, LOOP_COUNT = 9, CONSTRAINT_MAX = LIMIT_COUNT + LOOP_COUNT };
enum { OUTER_MAX = 20, INNER_MAX = 5000, MEMORY = 5 };

static const double LENGTH = 1, WIDTH = 0.05;    /* figure 7 [m]                                 */
static const double DENSITY = 0.1;               /* ours: rho [kg/m^2]                           */
static const double ALPHA = 0.5e-4;              /* ours [N m]                                   */
static const double MU = 1e3, CHANGE_MAX = 1e-4; /* algorithm 2                                  */
static const double GRADIENT_MAX = 1e-5;         /* ours: where L-BFGS-B ends [J]                */
static const double ANGLE_MAX = 3;               /* ours: of a fold [rad]                        */

typedef struct matrix {
    double a[4][4];
} matrix;

typedef struct counts {
    long steps, inner, outer, kinks;
    double strain; /* largest that collisions made */
} counts;

typedef struct ribbon {
    dc_index n;
    double alpha, beta, gravity, h;                /* h: 0 looks for the rest shape */
    double gradient_max;                           /* where L-BFGS-B ends [J]       */
    int is_printed, is_floating, is_lumped, joins; /* ends: 0 open, 1 a loop, -1 a Moebius band */
    double *c, *psi;         /* (n + 1) creases and angles; c_0 = c_n = 0            */
    matrix base;             /* T_0 at the start of the step                         */
    dc_vec3 pose[2];         /* w and t of T_0, from there (ours)                    */
    matrix *t, *product;     /* (n + 1) T_j and T_0 ... T_j                          */
    dc_vec3 *x, *normal;     /* (2 n + 2) x_j in 2 j, y_j in 2 j + 1; (n)            */
    double *c_old, *psi_old; /* (n + 1) of X^n                                       */
    dc_vec3 *x_old, *v_old;  /* (2 n + 2) X^n, V^n                                   */
    struct {
        dc_index segment;
        double stiffness;
        dc_vec3 target;
    } guide; /* j, K [J] (0: none) and n_0 of V^user = K/2 |n_j - n_0|^2, section 5.1          */
    double lambda[CONSTRAINT_MAX];

    /* derivatives of f: by X, N, <c, psi>; appendix C brings all to the last two */
    dc_vec3 *by_x, *by_normal;
    double *by_c, *by_psi;
    double *at, *low, *high, *before; /* (variables) <c_1, Delta c, psi, w, t>, bounds */

    dc_index *triangles, (*edges)[2]; /* (2 n, 3), (4 n + 1) of the drawn mesh         */
    double stiffness;                 /* K of 5.2                                      */
    handler *handler;                 /* or NULL: nothing collides                     */
    counts count;
} ribbon;

/* ---- Section 3: coordinates ---- */

static const matrix IDENTITY = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};

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
    *out = IDENTITY;
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
    exponential(r->pose[0], &turn, by_w);
    for (k = 0; k < 3; k++) {
        by_w[k] = product(&by_w[k], &r->base);
        for (i = 0; i < 3; i++) by_w[k].a[i][3] = 0;
    }
    *t = product(&turn, &r->base);
    for (i = 0; i < 3; i++) t->a[i][3] = r->base.a[i][3] + (&r->pose[1].x)[i];
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
            r->t[j] = IDENTITY;
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

/* alpha V_i^bend of all creases */
static double bending_energy(ribbon *r)
{
    double scale = r->alpha * (double)r->n * WIDTH / LENGTH, f = 0;
    dc_index i;
    for (i = 1; i < r->n; i++) {
        double c = r->c[i], psi = r->psi[i];
        f += scale * (1 + c * c) * psi * psi;
        r->by_psi[i] += 2 * scale * (1 + c * c) * psi;
        r->by_c[i] += 2 * scale * c * psi * psi;
    }
    return f;
}

/* beta c_i^2 of all creases, and V^user */
static double other_energy(ribbon *r)
{
    dc_index i, j = r->guide.segment;
    dc_vec3 off = vec_sub(r->normal[j], r->guide.target);
    double f = r->guide.stiffness / 2 * vec_dot(off, off);
    r->by_normal[j] = vec_axpy(r->by_normal[j], r->guide.stiffness, off);
    for (i = 1; i < r->n; i++) {
        f += r->beta * r->c[i] * r->c[i];
        r->by_c[i] += 2 * r->beta * r->c[i];
    }
    return f;
}

/* ---- Section 5.1: constraints ---- */

/* C(X): the limits of c_(n-1), then x_0 = x_n, y_0 = y_n, n_0 = n_(n-1) of a loop, or x_0 = y_n, y_0 = x_n,
   n_0 = -n_(n-1) of a band that is not orientable. Ours: normals count by w/2, as the rims do. */
static int evaluate_constraints(const ribbon *r, double *value)
{
    const dc_index n = r->n;
    int k, swap = r->joins < 0;
    value[0] = crease_limit(r) - r->c[n - 1];
    value[1] = crease_limit(r) + r->c[n - 1];
    for (k = 0; k < 3 && r->joins != 0; k++) {
        value[LIMIT_COUNT + k] = (&r->x[0].x)[k] - (&r->x[2 * n + swap].x)[k];
        value[LIMIT_COUNT + 3 + k] = (&r->x[1].x)[k] - (&r->x[2 * n + 1 - swap].x)[k];
        value[LIMIT_COUNT + 6 + k] =
            WIDTH / 2 * ((&r->normal[0].x)[k] - r->joins * (&r->normal[n - 1].x)[k]);
    }
    return r->joins ? CONSTRAINT_MAX : LIMIT_COUNT;
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
    int k, count = evaluate_constraints(r, value);
    for (k = 0; k < count; k++) {
        m = multiplier(r, k, value[k]);
        f += m * m / (2 * MU);
        if (k < LIMIT_COUNT) {
            r->by_c[n - 1] += k == 0 ? -m : m;
        } else if (k < LIMIT_COUNT + 6) {
            int rim = (k - LIMIT_COUNT) / 3, axis = (k - LIMIT_COUNT) % 3;
            (&r->by_x[rim].x)[axis] += m;
            (&r->by_x[2 * n + (r->joins > 0 ? rim : 1 - rim)].x)[axis] -= m;
        } else {
            (&r->by_normal[0].x)[k - LIMIT_COUNT - 6] += m * WIDTH / 2;
            (&r->by_normal[n - 1].x)[k - LIMIT_COUNT - 6] -= r->joins * m * WIDTH / 2;
        }
    }
    return f;
}

/* Algorithm 3, lines 10 to 19: `adjoint` is the derivative by T_0 ... T_j of all behind crease j. */
static void pull_back(ribbon *r, dc_vec3 by_pose[2])
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
            r->by_c[j] += vec_dot(apply(&r->product[j], way, 0), by); /* line 13 */
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
        r->by_c[j] += contract(&d, &by_c);     /* line 17 */
        r->by_psi[j] += contract(&d, &by_psi); /* line 18 */
    }
    place(r, &t, by_w);
    for (i = 0; i < 3; i++) {
        (&by_pose[0].x)[i] = contract(&adjoint, &by_w[i]);
        (&by_pose[1].x)[i] = adjoint.a[i][3];
    }
}

static dc_index variable_count(const ribbon *r)
{
    return 2 * (r->n - 1) + (r->is_floating ? 6 : 0);
}

/* P of algorithm 2: <c, psi, w, t> to <c_1, Delta c, psi, w, t>, and back. */
static void pack(const ribbon *r, double *at)
{
    dc_index m = r->n - 1, j;
    for (j = 1; j <= m; j++) {
        at[j - 1] = r->c[j] - r->c[j - 1];
        at[m + j - 1] = r->psi[j];
    }
    if (r->is_floating) memcpy(at + 2 * m, r->pose, sizeof r->pose);
}

static void unpack(ribbon *r, const double *at)
{
    dc_index m = r->n - 1, j;
    for (j = 1; j <= m; j++) {
        r->c[j] = r->c[j - 1] + at[j - 1];
        r->psi[j] = at[m + j - 1];
    }
    if (r->is_floating) memcpy(r->pose, at + 2 * m, sizeof r->pose);
}

/* f + g of algorithm 2. */
static double objective(void *context, const double *at, double *gradient)
{
    ribbon *r = (ribbon *)context;
    dc_index m = r->n - 1, j;
    dc_vec3 by_pose[2];
    double f, sum = 0;
    unpack(r, at);
    reconstruct(r);
    memset(r->by_x, 0, (size_t)(2 * r->n + 2) * sizeof *r->by_x);
    memset(r->by_normal, 0, (size_t)r->n * sizeof *r->by_normal);
    memset(r->by_c, 0, (size_t)(r->n + 1) * sizeof *r->by_c);
    memset(r->by_psi, 0, (size_t)(r->n + 1) * sizeof *r->by_psi);
    f = r->is_lumped ? lumped_energy(r) : full_energy(r);
    f += bending_energy(r) + other_energy(r) + constraint_energy(r);
    pull_back(r, by_pose);
    for (j = m; j >= 1; j--) {
        gradient[j - 1] = sum += r->by_c[j];
        gradient[m + j - 1] = r->by_psi[j];
    }
    if (r->is_floating) memcpy(gradient + 2 * m, by_pose, sizeof by_pose);
    return f;
}

/* Algorithm 2. Held creases get equal lower and upper bounds. */
static int optimize(ribbon *r, int holds_creases)
{
    lbfgsb_problem problem;
    double value[CONSTRAINT_MAX], limit = crease_limit(r), change = HUGE_VAL;
    dc_index i, m = r->n - 1;
    int k, count, outer, is_kink = 0, ok = 1;
    problem.n = variable_count(r);
    problem.memory = MEMORY;
    problem.objective = objective;
    problem.context = r;
    problem.lower = r->low;
    problem.upper = r->high;
    problem.gradient_max = r->gradient_max;
    problem.iteration_max = INNER_MAX;
    memset(r->lambda, 0, sizeof r->lambda); /* line 1 */
    pack(r, r->at);
    for (i = 0; i < variable_count(r); i++) {
        double bound = i < m ? limit : i < 2 * m ? ANGLE_MAX : HUGE_VAL;
        r->low[i] = i < m && holds_creases ? r->at[i] : -bound;
        r->high[i] = i < m && holds_creases ? r->at[i] : bound;
    }
    for (outer = 0; outer < OUTER_MAX && change >= CHANGE_MAX; outer++) { /* lines 2, 7 */
        lbfgsb_result result;
        memcpy(r->before, r->at, (size_t)variable_count(r) * sizeof(double));
        result = lbfgsb_minimise(&problem, r->at); /* lines 4, 5 */
        r->count.inner += result.iterations;
        r->count.outer++;
        is_kink = result.end == LBFGSB_NOTHING_LOWER;
        ok = is_kink || result.end == LBFGSB_MINIMUM;
        for (i = 0, change = 0; i < variable_count(r); i++)
            change += (r->at[i] - r->before[i]) * (r->at[i] - r->before[i]);
        change = sqrt(change);
        unpack(r, r->at); /* line 6 */
        reconstruct(r);
        count = evaluate_constraints(r, value);
        for (k = 0; k < count; k++) r->lambda[k] = multiplier(r, k, value[k]); /* line 10 */
    }
    r->count.kinks += is_kink;
    return ok && change < CHANGE_MAX;
}

/* ---- Section 5.2: collisions ---- */

static void make_handler(ribbon *r)
{
    r->handler =
        handler_make(r->triangles, 2 * r->n, r->edges, 4 * r->n + 1, 2 * r->n + 2, r->stiffness);
}

/* Largest |l - l_0| / l_0 of the edges of the drawn mesh. */
static double largest_strain(const ribbon *r)
{
    double largest = 0;
    dc_index i;
    for (i = 0; i < 4 * r->n + 1; i++) {
        dc_index a = r->edges[i][0], b = r->edges[i][1];
        dc_vec3 rest = vec_sub(flat(r, a / 2, a % 2), flat(r, b / 2, b % 2));
        double now = vec_length(vec_sub(r->x[a], r->x[b]));
        largest = fmax(largest, fabs(now / vec_length(rest) - 1));
    }
    return largest;
}

/* ---- Algorithm 1 ---- */

/* Without a minimum, or with collisions that are left, all is as it was. Ours: collisions are looked for on
   the way from X^n, which has none; the mesh of R(X^n) may have some. */
static int step(ribbon *r, int holds_creases)
{
    dc_index count = 2 * r->n + 2, k;
    size_t reals = (size_t)(r->n + 1) * sizeof(double), vectors = (size_t)count * sizeof(dc_vec3);
    int ok;
    memcpy(r->c_old, r->c, reals);
    memcpy(r->psi_old, r->psi, reals);
    r->base = r->t[0];
    r->pose[0] = r->pose[1] = vec_make(0, 0, 0);
    ok = optimize(r, holds_creases);                                        /* lines 4, 5 */
    if (ok && r->handler) ok = handler_resolve(r->handler, r->x_old, r->x); /* 7 */
    r->count.steps++;
    if (!ok) {
        memcpy(r->c, r->c_old, reals);
        memcpy(r->psi, r->psi_old, reals);
        r->pose[0] = r->pose[1] = vec_make(0, 0, 0);
        reconstruct(r);
        memcpy(r->x, r->x_old, vectors);
        return 0;
    }
    for (k = 0; k < count && r->h > 0; k++) {
        dc_vec3 slope, from = r->x_old[k];
        if (!r->is_lumped)
            from = resample(r, r->x_old, k % 2, along(r, r->c, k / 2, k % 2), &slope);
        r->v_old[k] =
            vec_scale(1 / r->h, vec_sub(r->x[k], from)); /* mended: printed from X^(n-1) */
    }
    memcpy(r->x_old, r->x, vectors);
    r->count.strain = fmax(r->count.strain, largest_strain(r));
    return 1;
}

/* ---- The scenes ---- */

/* Along x, its normal up, with this turn in all [rad] of creases that lean by c. */
static ribbon make_ribbon(dc_index n, double turn, double lean)
{
    static const matrix lying = {{{1, 0, 0, 0}, {0, 0, 1, 0}, {0, -1, 0, 0}, {0, 0, 0, 1}}};
    dc_index j, k, count = 2 * n + 2;
    ribbon r;
    memset(&r, 0, sizeof r);
    r.n = n;
    r.alpha = ALPHA;
    r.beta = 1e-8;
    r.gravity = 9.81;
    r.h = 0.01;
    r.gradient_max = GRADIENT_MAX;
    r.base = lying;
    r.c = paper_reals(n + 1), r.psi = paper_reals(n + 1);
    r.c_old = paper_reals(n + 1), r.psi_old = paper_reals(n + 1);
    r.by_c = paper_reals(n + 1), r.by_psi = paper_reals(n + 1);
    r.t = (matrix *)paper_memory((size_t)(n + 1) * sizeof(matrix));
    r.product = (matrix *)paper_memory((size_t)(n + 1) * sizeof(matrix));
    r.x = paper_vectors(count), r.x_old = paper_vectors(count), r.v_old = paper_vectors(count);
    r.by_x = paper_vectors(count), r.normal = paper_vectors(n), r.by_normal = paper_vectors(n);
    r.at = paper_reals(2 * n + 4), r.before = paper_reals(2 * n + 4);
    r.low = paper_reals(2 * n + 4), r.high = paper_reals(2 * n + 4);
    r.triangles = paper_indices(6 * n);
    r.edges = (dc_index(*)[2])paper_memory((size_t)(4 * n + 1) * sizeof *r.edges);
    for (j = 0; j < n; j++) { /* creases, rims and a diagonal of each segment */
        static const int corner[6] = {0, 2, 3, 0, 3, 1}, end[8] = {0, 1, 0, 2, 1, 3, 0, 3};
        for (k = 0; k < 6; k++) r.triangles[6 * j + k] = 2 * j + corner[k];
        for (k = 0; k < 8; k++) r.edges[4 * j + k / 2][k % 2] = 2 * j + end[k];
    }
    r.edges[4 * n][0] = 2 * n, r.edges[4 * n][1] = 2 * n + 1;
    for (j = 1; j < n; j++) { /* near both ends c grows nearly as fast as (1) allows */
        double most = 0.9 * crease_limit(&r) * (double)(j < n - j ? j : n - j);
        r.c[j] = fmin(lean, most);
        r.psi[j] = turn / (double)n;
    }
    reconstruct(&r);
    return r;
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

typedef enum kind { UNROLL, TWIST, SPIN, LOOP, MOEBIUS, FALL, KINDS } kind;

static const struct {
    const char *name;
    double turn, lean, gravity;
    int lines, is_floating; /* lines that are printed */
} kinds[KINDS] = {{"unroll", 15, 0.6, 9.81, 4, 0},      {"twist", 0.1, 0.02, 0, 4, 0},
                  {"spin", 0.01, 0.02, 0, 1, 1},        {"loop", 6.2831853, 0, 0, 1, 0},
                  {"moebius", 6.2831853, 0.5, 0, 1, 0}, {"fall", 15, 0.6, 9.81, 4, 1}};

typedef struct scene {
    kind kind;
    const char *name, *text;
    double h;
    int steps, every; /* creases move in one step of `every`; 0: never */
    int is_printed, is_lumped;
    double stiffness;
} scene;

static const scene scenes[] = {
    {UNROLL, "unroll_printed", "0.01 s a step, T_k as printed", 0.01, 100, 1, 1, 0, 0},
    {UNROLL, "unroll_long", "0.05 s a step", 0.05, 20, 1, 0, 0, 0},
    {UNROLL, "unroll", "0.01 s a step", 0.01, 100, 1, 0, 0, 0},
    {TWIST, "twist", "creases move in each step", 0.01, 100, 1, 0, 0, 0},
    {TWIST, "twist_seldom", "creases move in one step of 5", 0.01, 100, 5, 0, 0, 0},
    {TWIST, "twist_never", "creases move in no step", 0.01, 100, 0, 0, 0, 0},
    {SPIN, "spin", "full mass", 0.01, 50, 1, 0, 0, 0},
    {SPIN, "spin_lumped", "lumped mass", 0.01, 50, 1, 0, 1, 0},
    {LOOP, "loop", "at rest", 0, 1, 1, 0, 0, 0},
    {MOEBIUS, "moebius", "at rest", 0, 1, 1, 0, 0, 0},
    {FALL, "fall_0", "K = 0", 0.01, 60, 1, 0, 0, 0},
    {FALL, "fall_1", "K = 1", 0.01, 60, 1, 0, 0, 1},
    {FALL, "fall_100", "K = 100", 0.01, 60, 1, 0, 0, 100}};

static ribbon open_scene(const scene *s, dc_index n, double beta)
{
    ribbon r = make_ribbon(n, kinds[s->kind].turn, kinds[s->kind].lean);
    dc_index k;
    r.beta = beta;
    r.h = s->h;
    r.gravity = kinds[s->kind].gravity;
    r.is_printed = s->is_printed;
    r.is_lumped = s->is_lumped;
    r.joins = s->kind == LOOP ? 1 : s->kind == MOEBIUS ? -1 : 0;
    r.is_floating = kinds[s->kind].is_floating;
    r.stiffness = s->stiffness;
    if (s->kind == FALL) { /* upright */
        r.pose[0] = vec_make(0.3, 0.2, acos(-1) / 2);
        r.pose[1] = vec_make(0, 0.3, 0);
    }
    begin(&r);
    if (s->kind == FALL) make_handler(&r);
    if (s->kind == TWIST) { /* ours: K is 1 J */
        r.guide.segment = n - 1;
        r.guide.stiffness = 1;
    }
    for (k = 0; k < 2 * n + 2 && s->kind == SPIN; k++) /* ten radians a second about its centre */
        r.v_old[k] = vec_cross(vec_make(10, 0, 0), vec_make(0, 0, r.x[k].z));
    return r;
}

/* A line of how it stands; `turned` [degree] is by how much it has in all. */
static void tell(ribbon *r, const scene *s, double time, double turned)
{
    dc_vec3 end = r->x[2 * r->n];
    double value[CONSTRAINT_MAX], gap = 0;
    int k;
    if (s->h > 0) printf("  %.2f s  ", time);
    switch (s->kind) {
    case UNROLL:
        printf("end (%+.3f %+.3f %+.3f) m  c %+.3f  psi %+.3f in the middle\n", end.x, end.y, end.z,
               r->c[r->n / 2], r->psi[r->n / 2]);
        break;
    case TWIST:
        printf("normal off by %.1f degrees  end at %.3f m  bending %.2e J\n",
               angle_between(r->normal[r->n - 1], r->guide.target), end.x, bending_energy(r));
        break;
    case SPIN: printf("turned by %.1f degrees\n", turned); break;
    case LOOP:
    case MOEBIUS:
        evaluate_constraints(r, value);
        for (k = LIMIT_COUNT; k < CONSTRAINT_MAX; k++) gap = fmax(gap, fabs(value[k]));
        printf("  bending %.4e J, ends off by %.1e m\n", bending_energy(r), gap);
        break;
    default: printf("strain after collisions at most %.4f so far\n", r->count.strain);
    }
}

/* Returns whether the scene comes to its end, unless as printed, and its file is written. */
static int run(const scene *s, dc_index n, double beta)
{
    ribbon r = open_scene(s, n, beta);
    int i, ok = 1;
    double turned = 0;
    dc_mesh mesh;
    char path[64];
    printf("%s, %d segments, %s\n", kinds[s->kind].name, (int)n, s->text);
    for (i = 1; i <= s->steps && ok; i++) {
        double angle = 2 * acos(-1) * fmin(i, 50) / 50; /* of the guide, once in half a second */
        dc_vec3 before = r.normal[n / 2];
        r.guide.target = vec_make(0, cos(angle), sin(angle));
        ok = step(&r, s->every == 0 || i % s->every > 0);
        turned += angle_between(before, r.normal[n / 2]);
        if (ok && i % (s->steps / kinds[s->kind].lines) == 0) tell(&r, s, i * r.h, turned);
        if (!ok) printf("  no step leads on from %.2f s\n", (i - 1) * r.h);
    }
    printf(
        "  %.1f inner, %.1f outer iterations a step; of %ld steps %ld end at kinks; strain %.1e\n",
        (double)r.count.inner / (double)r.count.steps,
        (double)r.count.outer / (double)r.count.steps, r.count.steps, r.count.kinks,
        r.count.strain);
    memset(&mesh, 0, sizeof mesh);
    mesh.vertex_count = 2 * n + 2;
    mesh.triangle_count = 2 * n;
    mesh.triangles = r.triangles;
    snprintf(path, sizeof path, "out/phb15_%s.obj", s->name);
    if (paper_write_obj(path, &mesh, r.x)) return ok || s->is_printed;
    fprintf(stderr, "cannot write %s\n", path);
    return 0;
}

int main(int argc, char **argv)
{
    double beta = 1e-8;
    int i, k, only = KINDS, n = 50, is_printed = 0, is_right = 1, ok = 1;
    for (i = 1; i < argc && is_right; i++) {
        for (k = 0; k < KINDS && strcmp(argv[i], kinds[k].name) != 0;) k++;
        if (k < KINDS && only == KINDS)
            only = k;
        else if (strcmp(argv[i], "--printed") == 0)
            is_printed = 1;
        else if (strcmp(argv[i], "--beta") == 0)
            is_right = paper_number(argv + i++, 1e-12, 1, &beta);
        else if (strcmp(argv[i], "--segments") == 0)
            is_right = paper_count(argv + i++, 6, 200, &n);
        else
            is_right = 0;
    }
    if (!is_right) {
        fprintf(stderr, "phb15 [--printed] [--beta B] [--segments N] "
                        "[unroll|twist|spin|loop|moebius|fall]\n");
        return 2;
    }
    for (k = 0; k < (int)(sizeof scenes / sizeof *scenes); k++)
        if ((only == KINDS || scenes[k].kind == (kind)only) &&
            (is_printed || !scenes[k].is_printed))
            ok &= run(scenes + k, n, beta);
    return !ok;
}
