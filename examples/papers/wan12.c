/*
 * wan12.c - stiff sheets that do not stretch, with contact inside the step, after
 *
 *     Z. Wang: Isometrically deforming cloth with simultaneous collision handling.
 *     Master's thesis, University of British Columbia, 2012
 *
 * What one will see: a stiff square falls on a ball (figure 4.1), with collisions after the step
 * (staggered) and inside it. At each tenth of the run the largest strain (figure 4.2) and the energy of
 * bending (figure 4.3) are printed. Then a flat sheet curls up and swings about a rest shape that is a
 * cylinder, (3.8), without gravity.
 *
 * out/wan12_ball.obj, wan12_ball_staggered.obj and wan12_curl.obj are the mesh that moves and collides, at
 * the end; with --printed the first is that of BDF2.
 *
 *     wan12 [--printed] [--bdf2] [--kkt] [--D KIND VALUE] [--regular R] [--cells N] [--dt S] [--seconds S]
 *           [--bending K] [ball|curl]
 *
 * --printed also runs line 5 of table 3.1 and the two formulas of BDF2 as they were printed. --kkt solves
 * (3.23) instead of (3.30), on at most 5 cells: it is dense. --D softens the rows of a kind, length,
 * black, border, normal or across, by (3.29) [1/kg].
 *
 * Where to find what, by the thesis's numbers:
 *
 *     (3.1) to (3.4)     section 3.1.1, 3.1.2   red nodes, black nodes, the border
 *     (3.5) to (3.8)     section 3.2.1          bending, curved rest shapes
 *     (3.9) to (3.15)    section 3.2.2 to 3.2.4 a step is a minimisation; (3.16) to (3.18) are not used
 *     (3.19) to (3.25)   section 3.2.5          r = A x + b, the SPD system
 *     (3.26) to (3.28)   section 3.3.1, 3.3.2   contacts as rows, friction
 *     (3.29), (3.30)     section 3.3.3          D softens any row
 *     table 3.1          section 3.3.1          the step
 *
 * The rows of the border (3.4) follow from others where a sheet is flat, so that J is nearly rank-deficient;
 * the thesis gives D for that, with rows of friction in mind. --regular R adds R times its diagonal entry to D of
 * each row of J; in the thesis rows of friction alone have a D other than 0. Almost without it (--regular
 * 1e-9) Newton's method jumps between two states that keep all lengths, in 15 of 800 steps of the ball.
 * With 8 cells all steps come to rest with 1e-4 to 3e-4. --D border 1e9 all but takes the rows away: the
 * ball's strain is .06, not .003.
 *
 * The program ends with 0 if all runs but those of printed errors go to their end, every step comes to rest
 * and the files are written; else with 1; with 2 if it is asked for what it cannot do.
 */
#include "paper.h"

/* Variants of the step. */
typedef enum print {
    MENDED,
    PRINTED_5, /* line 5 of table 3.1 projects from x_c, which has the bending of line 2 in it: twice */
    PRINTED_V, /* BDF2: - 2/9 v^(n-1), a velocity among lengths                                   */
    PRINTED_PHI, /* BDF2: dt^2 Phi, where it has to be 4/9 dt^2 Phi                               */
    STAGGERED,   /* lines 1 to 3 alone; ours: and 6, for (3.27) moves what line 3 has proved      */
    PRINTS
} print;
static const char *const print_names[PRINTS] = {"simultaneous", "line 5", "2/9 v", "dt^2 Phi",
                                                "staggered"};

static const double DENSITY = 0.15, GRAVITY = 9.81; /* ours [kg/m^2], [m/s^2]                     */
static const double RADIUS = 0.25;                  /* ours: of the ball [m]                      */
static const double FRICTION = 0.3;                 /* ours                                       */
static const double CURL = 0.5;        /* ours: radius of the rest shape [m]              */
static const double STRAIN_MAX = 1e-3; /* table 4.1: .1%                             */
static const double MOVED_MAX = 1e-5;  /* ours: Newton's last step [m]                */
static const double DT_MIN = 1e-6, NUMBER_MAX = 1e12; /* ours: what options may say          */
enum { NEWTON_MAX = 40, KKT_CELLS_MAX = 5 };

static const dc_vec3 AXIS[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* A row is sum D_ik x_k times a direction g_i. */
typedef enum kind { BENDING, LENGTH, BLACK, BORDER, NORMAL, ACROSS, KINDS } kind;
static const char *const kind_names[KINDS] = {"bending", "length", "black",
                                              "border",  "normal", "across"};

typedef struct contact {
    dc_index node;
    dc_vec3 place, normal; /* x_c, n                                                              */
} contact;

typedef struct counts {
    long steps, newton, uncertified;
    long moving;  /* steps in which Newton's method did not come to rest                        */
    double moved; /* the largest of their last moves [m]                                        */
} counts;

typedef struct options {
    int cells, is_bdf2, is_kkt;
    double dt, seconds, bending;
    double soft[KINDS]; /* D of (3.29) [1/kg]; of bending it is the I of (3.30)                  */
    double regular;     /* ours: added to D of each row of J, times its diagonal entry           */
} options;

typedef struct shell {
    options with;
    dc_mesh mesh, surface;   /* the base mesh, and the one cut in four                          */
    dc_index node_count;     /* black nodes, at its vertices, then red ones, at its edges        */
    double *mass, *inv_mass; /* (nodes)                                                         */
    double reach;            /* of the ball, for nodes [m]                                      */
    double strain_max, moved_max; /* where Newton's method ends                                 */
    double gravity;

    dc_sparse rows; /* (rows, nodes) D                                                 */
    dc_sparse_builder builder;
    dc_index row_max, energy_count,
        fixed_count; /* rows of A; of A and J without contacts          */
    kind *kinds;     /* (rows)                                                          */
    dc_index *edge;  /* (rows of A) of the base mesh                                    */
    double *length;  /* (rows) d_ij [m]; of others what their errors are divided by     */
    dc_vec3 *g, *y, *y_free,
        *goal;              /* (rows) directions, D x, D x~, where D x is to be            */
    double *rhs, *answer;   /* (rows) of (3.30): r and lambda                                  */
    paper_dual dual, plain; /* the matrix, and the one without contacts                       */
    contact *contacts;      /* (nodes)                                                         */
    dc_index contact_count;

    dc_vec3 *delta; /* (edges) (3.8) sqrt(k_b) M^-1/2 L x_0, or NULL: flat             */
    dc_vec3 *rest;  /* (nodes) x_0                                                     */
    dc_vec3 *x, *v, *x_old, *v_old; /* (nodes)                                                    */
    dc_collider *collider; /* or NULL                                                         */
    int is_ready;          /* the rest shape is found                                          */
    int has_past;
    int is_certified; /* by the last collisions                                          */
    double moved;     /* Newton's last move in this step, if it is too large, or 0 [m]       */
    print how;
    counts count;
} shell;

static dc_index red(const shell *s, dc_index e)
{
    return s->mesh.vertex_count + e;
}

/* ---- Section 3.1: red and black nodes ---- */

/* The 4:1 subdivision: three corners and the middle of each triangle. */
static void make_surface(shell *s)
{
    const dc_mesh *mesh = &s->mesh;
    dc_index t, c;
    s->surface.vertex_count = s->node_count = mesh->vertex_count + mesh->edge_count;
    s->surface.triangle_count = 4 * mesh->triangle_count;
    s->surface.triangles = paper_indices(12 * mesh->triangle_count);
    for (t = 0; t < mesh->triangle_count; t++)
        for (c = 0; c < 3; c++) {
            dc_index q = 3 * t + c, *corner = s->surface.triangles + 12 * t + 3 * c;
            corner[0] = mesh->triangles[q];
            corner[1] = red(s, mesh->edge_of_corner[paper_prev(q)]);
            corner[2] = red(s, mesh->edge_of_corner[paper_next(q)]);
            s->surface.triangles[12 * t + 9 + c] = red(s, mesh->edge_of_corner[q]);
        }
}

/* Ours: a third of each of the four triangles goes to each of its corners. */
static void make_masses(shell *s)
{
    dc_index q;
    s->mass = paper_reals(s->node_count);
    s->inv_mass = paper_reals(s->node_count);
    for (q = 0; q < 12 * s->mesh.triangle_count; q++)
        s->mass[s->surface.triangles[q]] += DENSITY * s->mesh.rest_area[q / 12] / 12;
    for (q = 0; q < s->node_count; q++) s->inv_mass[q] = 1 / s->mass[q];
}

/* The vertex at corner q as its triangle's red nodes say: x^(a) + x^(b) - x^(c). */
static void add_corner(shell *s, dc_index q, double factor)
{
    dc_sparse_add(&s->builder, red(s, s->mesh.edge_of_corner[paper_next(q)]), factor);
    dc_sparse_add(&s->builder, red(s, s->mesh.edge_of_corner[paper_prev(q)]), factor);
    dc_sparse_add(&s->builder, red(s, s->mesh.edge_of_corner[q]), -factor);
}

static void finish_row(shell *s, kind what, dc_vec3 g, double length, dc_vec3 goal)
{
    dc_index i = s->builder.row;
    s->kinds[i] = what;
    s->g[i] = g;
    s->length[i] = length;
    s->goal[i] = goal;
    dc_sparse_finish_row(&s->builder);
}

/* (3.1): the red nodes of a triangle keep their distances. */
static void add_lengths(shell *s)
{
    dc_index q;
    for (q = 0; q < 3 * s->mesh.triangle_count; q++) {
        dc_sparse_add(&s->builder, red(s, s->mesh.edge_of_corner[paper_next(q)]), 1);
        dc_sparse_add(&s->builder, red(s, s->mesh.edge_of_corner[paper_prev(q)]), -1);
        finish_row(s, LENGTH, AXIS[0], s->mesh.rest_length[q] / 2, vec_make(0, 0, 0));
    }
}

/* (3.3): a black node is the mean of what the triangles around it say. */
static void add_black(shell *s)
{
    paper_corners at = paper_corners_make(&s->mesh);
    dc_index v, p;
    int axis;
    for (v = 0; v < s->mesh.vertex_count; v++)
        for (axis = 0; axis < 3; axis++) {
            dc_sparse_add(&s->builder, v, 1);
            for (p = at.start[v]; p < at.start[v + 1]; p++)
                add_corner(s, at.corner[p], -1.0 / (at.start[v + 1] - at.start[v]));
            finish_row(s, BLACK, AXIS[axis], s->mesh.rest_length[0], vec_make(0, 0, 0));
        }
    free(at.start);
    free(at.corner);
}

/* (3.4): of a fan on the border the first triangle and the last say the same. */
static void add_border(shell *s)
{
    const dc_mesh *mesh = &s->mesh;
    dc_index fan;
    int axis;
    for (fan = 0; fan < mesh->fan_count; fan++) {
        dc_index first = mesh->fan_corner[mesh->fan_start[fan]];
        dc_index last = mesh->fan_corner[mesh->fan_start[fan + 1] - 1];
        if (first == last || !paper_is_border(mesh, mesh->edge_of_corner[paper_prev(first)]))
            continue;
        for (axis = 0; axis < 3; axis++) {
            add_corner(s, first, 1);
            add_corner(s, last, -1);
            finish_row(s, BORDER, AXIS[axis], mesh->rest_length[0], vec_make(0, 0, 0));
        }
    }
}

/* ---- Section 3.2.1: bending ---- */

/* sqrt(k_b / M_ee). M of (3.7) is diagonal: a third of the areas beside the edge. 0 on the border, whose
   rows are left out (ours, as English and Bridson have it). */
static double bend_scale(const shell *s, dc_index e)
{
    const dc_index *corner = s->mesh.corner_of_edge + 2 * e;
    if (paper_is_border(&s->mesh, e)) return 0;
    return sqrt(s->with.bending /
                ((s->mesh.rest_area[corner[0] / 3] + s->mesh.rest_area[corner[1] / 3]) / 3));
}

/* A of (3.19) without dt: sqrt(k_b) M^-1/2 L, (3.7): L_ij = - 2 cot of the angle between edges i and j.
   Printed, (3.6) has the force - k_b M^-1 L x; mended: - k_b L^T M^-1 L x, as A^T r is. */
static void add_bending(shell *s)
{
    dc_index e, side;
    int axis;
    for (e = 0; e < s->mesh.edge_count; e++) {
        double scale = bend_scale(s, e);
        for (axis = 0; axis < 3 && scale > 0; axis++) {
            for (side = 0; side < 2; side++) {
                dc_index q = s->mesh.corner_of_edge[2 * e + side];
                double a = -2 * paper_cotangent(&s->mesh, paper_prev(q));
                double b = -2 * paper_cotangent(&s->mesh, paper_next(q));
                dc_sparse_add(&s->builder, red(s, s->mesh.edge_of_corner[paper_next(q)]),
                              scale * a);
                dc_sparse_add(&s->builder, red(s, s->mesh.edge_of_corner[paper_prev(q)]),
                              scale * b);
                dc_sparse_add(&s->builder, red(s, e), -scale * (a + b));
            }
            s->edge[s->builder.row] = e;
            finish_row(s, BENDING, AXIS[axis], 1, vec_make(0, 0, 0));
        }
    }
    s->energy_count = s->builder.row;
}

static dc_vec3 unit(dc_vec3 a)
{
    double length = vec_length(a);
    return length > 0 ? vec_scale(1 / length, a) : a;
}

/* Ours: the "average" rotation at a red node is that of a frame of the mean normal of its two triangles
   and the way from the middle of one to that of the other. */
static void frame_at(const shell *s, const dc_vec3 *x, dc_index e, dc_vec3 frame[3])
{
    dc_vec3 normal = vec_make(0, 0, 0), middle[2];
    int side;
    for (side = 0; side < 2; side++) {
        dc_index t = s->mesh.corner_of_edge[2 * e + side] / 3 * 3;
        const dc_index *edge = s->mesh.edge_of_corner + t;
        dc_vec3 a = x[red(s, edge[0])], b = x[red(s, edge[1])], c = x[red(s, edge[2])];
        normal = vec_add(normal, vec_cross(vec_sub(b, a), vec_sub(c, a)));
        middle[side] = vec_add(a, vec_add(b, c));
    }
    frame[0] = unit(normal);
    frame[1] = vec_sub(middle[1], middle[0]);
    frame[1] = unit(vec_axpy(frame[1], -vec_dot(frame[1], frame[0]), frame[0]));
    frame[2] = vec_cross(frame[0], frame[1]);
}

/* (3.8): the goals of the rows of bending, sqrt(k_b) M^-1/2 T(x~) delta. */
static void turn_rest_shape(shell *s, const dc_vec3 *x_free)
{
    dc_index i;
    int k;
    for (i = 0; s->delta && i < s->energy_count; i++) {
        dc_index e = s->edge[i];
        dc_vec3 rest[3], now[3], turned = vec_make(0, 0, 0);
        frame_at(s, s->rest, e, rest);
        frame_at(s, x_free, e, now);
        for (k = 0; k < 3; k++)
            turned = vec_axpy(turned, vec_dot(rest[k], s->delta[e]), now[k]); /* T delta */
        s->goal[i] = turned;
    }
}

static double bending_energy(shell *s)
{
    double sum = 0;
    dc_index i;
    turn_rest_shape(s, s->x);
    dc_sparse_multiply(&s->rows, 3, &s->x->x, &s->y->x);
    for (i = 0; i < s->energy_count; i++)
        sum += pow(vec_dot(s->g[i], vec_sub(s->y[i], s->goal[i])), 2) / 2; /* (3.5), (3.8) */
    return sum;
}

/* ---- Section 3.3: contacts ---- */

/* (3.26), (3.28): a node that touches stays in the tangent plane, and softly where it is. */
static void add_contacts(shell *s)
{
    dc_index i;
    int k;
    s->rows.row_count = s->row_max;
    s->builder = dc_sparse_begin(&s->rows, s->builder.capacity, s->builder.place);
    s->builder.row = s->fixed_count; /* the rows of the last step's contacts are forgotten */
    s->builder.begin = s->builder.end = s->rows.start[s->fixed_count];
    for (i = 0; i < s->contact_count; i++) {
        const contact *c = s->contacts + i;
        dc_vec3 t[3], aside = fabs(c->normal.x) < 0.5 ? AXIS[0] : AXIS[1];
        t[0] = c->normal;
        t[1] = unit(vec_cross(c->normal, aside));
        t[2] = vec_cross(c->normal, t[1]);
        for (k = 0; k < 3; k++) {
            dc_sparse_add(&s->builder, c->node, 1);
            finish_row(s, k == 0 ? NORMAL : ACROSS, t[k], s->mesh.rest_length[0], c->place);
        }
    }
    dc_sparse_finish(&s->builder, NULL);
}

/* Lines 3 and 6: nothing crosses from `from` to `to`. Ours: nodes within reach of the ball are put out
   of it, the collider does the rest; what was moved has a contact along its change, and friction (3.27)
   across it, of its own motion where (3.27) has the relative one: the ball stands still. */
static int collide(shell *s, const dc_vec3 *from, dc_vec3 *to, int is_registered)
{
    dc_vec3 *after = paper_vectors(s->node_count);
    dc_report report;
    dc_error error;
    dc_index i;
    memcpy(after, to, (size_t)s->node_count * sizeof *after);
    for (i = 0; i < s->node_count; i++) {
        double r = vec_length(after[i]);
        if (r < s->reach) after[i] = vec_scale(s->reach / r, after[i]);
    }
    if (is_registered) s->contact_count = 0;
    if (dc_collider_resolve(s->collider, from, after, &report, &error) != DC_OK) {
        fprintf(stderr, "wan12: collisions: %s\n", error.what);
        free(after);
        return 0;
    }
    s->is_certified = report.is_certified;
    for (i = 0; i < s->node_count; i++) {
        dc_vec3 change = vec_sub(after[i], to[i]), across;
        double push = vec_length(change), slip;
        contact *c = s->contacts + s->contact_count;
        to[i] = after[i];
        if (!(push > 1e-12) || !is_registered) continue;
        c->node = i;
        c->normal = vec_scale(1 / push, change);
        across = vec_sub(to[i], from[i]);
        across = vec_axpy(across, -vec_dot(across, c->normal), c->normal);
        slip = vec_length(across);
        if (slip > 0) /* (3.27) */
            to[i] = vec_axpy(to[i], fmax(1 - FRICTION * push / slip, 0) - 1, across);
        c->place = to[i];
        s->contact_count++;
    }
    free(after);
    return 1;
}

/* ---- Section 3.2.5: one Newton step ---- */

/* C(x) and the directions of J. Returns the largest error of rows that are not softened, of lengths as
   strain. Printed, (3.2) has x_i / |x_i - x_j|, which depends on where the origin is. */
static double evaluate(shell *s, const dc_vec3 *x)
{
    double largest = 0;
    dc_index i;
    dc_sparse_multiply(&s->rows, 3, &x->x, &s->y->x);
    for (i = s->energy_count; i < s->rows.row_count; i++) {
        double error = 0;
        if (s->kinds[i] == LENGTH) {
            s->g[i] = unit(s->y[i]);                                         /* (3.2), mended */
            error = fabs(vec_length(s->y[i]) - s->length[i]) / s->length[i]; /* (3.1) */
        } else {
            error = fabs(vec_dot(s->g[i], vec_sub(s->y[i], s->goal[i]))) / s->length[i];
        }
        if (s->with.soft[s->kinds[i]] == 0) largest = paper_max(largest, error);
    }
    return largest;
}

/* (3.29): D of a row with this diagonal entry; of A it is I. */
static double softness(const shell *s, dc_index i, double entry)
{
    return s->with.soft[s->kinds[i]] + (i < s->energy_count ? 0 : s->with.regular * entry);
}

/* Of a row. Printed, (3.19) has dt^2 on its left side alone; mended: r has the root of the weight of Phi. */
static double factor_of(const shell *s, dc_index i, double beta)
{
    return i < s->energy_count ? sqrt(beta) : 1;
}

/* (3.21): b of r = A x + b, d of C(x) = J x + d. Of lengths C = |y| - d_ij and J x = |y|: d = - d_ij. */
static double constant_of(const shell *s, dc_index i, double beta)
{
    if (s->kinds[i] == LENGTH) return -s->length[i];
    return -factor_of(s, i, beta) * vec_dot(s->g[i], s->goal[i]);
}

/* (3.30), which is (3.25) with D: the matrix, its right side, and x. Mended: lambda is minus that of (3.29),
   or (3.30) would have - D. */
static int solve_spd(shell *s, const dc_vec3 *x_free, double beta, dc_vec3 *x)
{
    dc_sparse *matrix = &s->dual.s;
    dc_index i, p;
    for (i = 0; i < matrix->row_count; i++) {
        double f = factor_of(s, i, beta);
        for (p = matrix->start[i]; p < matrix->start[i + 1]; p++) {
            dc_index j = matrix->column[p];
            double entry =
                s->dual.bracket[p] * vec_dot(s->g[i], s->g[j]) * f * factor_of(s, j, beta);
            if (i == j) entry += softness(s, i, entry);
            matrix->value[p] = entry;
        }
        s->rhs[i] = f * vec_dot(s->g[i], s->y_free[i]) + constant_of(s, i, beta);
    }
    if (dc_cholesky_factor(s->dual.factor, matrix->value, 0, DC_PIVOTS_REFUSE, NULL) != DC_OK)
        return 0;
    dc_cholesky_solve(s->dual.factor, 1, s->rhs, s->answer);
    memcpy(x, x_free,
           (size_t)s->node_count * sizeof *x); /* (3.24): x~ - M^-1 (A^T r + J^T lambda) */
    for (i = 0; i < s->rows.row_count; i++)
        for (p = s->rows.start[i]; p < s->rows.start[i + 1]; p++) {
            dc_index k = s->rows.column[p];
            double part = -s->inv_mass[k] * s->rows.value[p] * factor_of(s, i, beta);
            x[k] = vec_axpy(x[k], part * s->answer[i], s->g[i]);
        }
    return 1;
}

/* (3.23), with D of (3.29): the same x from the symmetric indefinite matrix. Small meshes alone. */
static int solve_kkt(shell *s, const dc_vec3 *x_free, double beta, dc_vec3 *x)
{
    dc_index n = 3 * s->node_count, size = n + s->rows.row_count, i, k, p;
    double *a, *b = paper_reals(size);
    int ok, axis;
    a = (double *)paper_memory((size_t)size * (size_t)size * sizeof(double));
    for (k = 0; k < n; k++) {
        a[k * size + k] = s->mass[k / 3]; /* (3.22): M x + A^T r + J^T lambda = M x~ */
        b[k] = s->mass[k / 3] * (&x_free[k / 3].x)[k % 3];
    }
    for (i = 0; i < s->rows.row_count; i++) {
        double entry = 0, f = factor_of(s, i, beta);
        for (p = s->rows.start[i]; p < s->rows.start[i + 1]; p++)
            for (axis = 0; axis < 3; axis++) {
                k = 3 * s->rows.column[p] + axis;
                a[(n + i) * size + k] = a[k * size + n + i] =
                    f * s->rows.value[p] * (&s->g[i].x)[axis];
                entry += pow(a[k * size + n + i], 2) / s->mass[k / 3];
            }
        a[(n + i) * size + n + i] =
            -softness(s, i, entry); /* (3.22), (3.29): A x - r = - b, J x - D lambda = - d */
        b[n + i] = -constant_of(s, i, beta);
    }
    ok = paper_solve_dense(a, b, size);
    for (k = 0; k < n && ok; k++) (&x[k / 3].x)[k % 3] = b[k];
    free(a);
    free(b);
    return ok;
}

/* Lines 2 and 5: (3.15), as (3.20), by Newton's method. x holds a guess, and the result. The thesis has a
   limit of strain and no other end. Ours: iterations go on while x moves by more than moved_max; what meets
   the limit and still moves after NEWTON_MAX is taken, as in the thesis, and counted. */
static int project(shell *s, const dc_vec3 *x_free, double beta, dc_vec3 *x)
{
    dc_vec3 *before = paper_vectors(s->node_count);
    double largest, moved = HUGE_VAL;
    dc_index i;
    int k, ok = 1;
    s->dual = s->contact_count > 0 ? paper_dual_make(&s->rows, s->inv_mass) : s->plain;
    turn_rest_shape(s, x_free); /* (3.8): T(x~) */
    dc_sparse_multiply(&s->rows, 3, &x_free->x, &s->y_free->x);
    largest = evaluate(s, x);
    for (k = 0; ok && k < NEWTON_MAX && !(largest <= s->strain_max && moved <= s->moved_max); k++) {
        memcpy(before, x, (size_t)s->node_count * sizeof *x);
        ok = s->with.is_kkt ? solve_kkt(s, x_free, beta, x) : solve_spd(s, x_free, beta, x);
        for (i = 0, moved = 0; i < s->node_count; i++)
            moved = paper_max(moved, vec_length(vec_sub(x[i], before[i])));
        largest = evaluate(s, x);
        ok = ok && isfinite(largest) && isfinite(moved);
        s->count.newton++;
    }
    if (!(moved <= s->moved_max)) s->moved = paper_max(s->moved, moved);
    if (s->contact_count > 0) paper_dual_free(&s->dual);
    free(before);
    return ok && largest <= s->strain_max;
}

/* ---- Table 3.1 ---- */

/* Line 1: x~; *beta is the weight of Phi, dt^2 by (3.11), which is (3.10) in (3.9), and (3.12). */
static void predict(const shell *s, double dt, double *beta, dc_vec3 *x_free)
{
    int is_second = s->with.is_bdf2 && s->has_past;
    double weight = is_second ? 4 / 9.0 * dt * dt : dt * dt;
    double old = s->how == PRINTED_V ? 1 : dt;
    dc_index i;
    for (i = 0; i < s->node_count; i++) {
        dc_vec3 sum = vec_axpy(s->x[i], dt, s->v[i]);
        if (is_second) {
            sum = vec_axpy(vec_scale(4 / 3.0, s->x[i]), -1 / 3.0, s->x_old[i]);
            sum = vec_axpy(sum, 8 / 9.0 * dt, s->v[i]);
            sum = vec_axpy(sum, -2 / 9.0 * old, s->v_old[i]); /* mended: dt v^(n-1) */
        }
        x_free[i] = vec_axpy(sum, -weight * s->gravity, AXIS[1]);
    }
    *beta = s->how == PRINTED_PHI ? dt * dt : weight;
}

/* Line 7. */
static void advance_state(shell *s, double dt, const dc_vec3 *x)
{
    dc_index i;
    for (i = 0; i < s->node_count; i++) {
        dc_vec3 way = vec_sub(x[i], s->x[i]); /* (3.9) */
        if (s->with.is_bdf2 && s->has_past)
            way = vec_axpy(vec_axpy(vec_scale(1.5, x[i]), -2, s->x[i]), 0.5, s->x_old[i]);
        s->x_old[i] = s->x[i];
        s->v_old[i] = s->v[i];
        s->x[i] = x[i];
        s->v[i] = vec_scale(1 / dt, way);
    }
    s->has_past = 1;
    s->count.steps++;
    s->count.moving += s->moved > 0;
    s->count.moved = fmax(s->count.moved, s->moved);
}

static int step(shell *s, double dt)
{
    size_t bytes = (size_t)s->node_count * sizeof(dc_vec3);
    dc_vec3 *x_free = paper_vectors(s->node_count), *x = paper_vectors(s->node_count);
    dc_vec3 *x_p = paper_vectors(s->node_count);
    double beta;
    dc_index i;
    int ok;
    s->moved = 0;
    predict(s, dt, &beta, x_free); /* 1 */
    memcpy(x, x_free, bytes);
    s->contact_count = 0;
    add_contacts(s);
    ok = project(s, x_free, beta, x); /* 2 */
    memcpy(x_p, x, bytes);
    if (ok && s->collider) ok = collide(s, s->x, x, 1); /* 3 */
    if (ok && s->contact_count > 0 && s->how != STAGGERED) {
        add_contacts(s); /* 4 */
        for (i = 0; i < s->node_count; i++)
            x_free[i] = s->how == PRINTED_5 ? x[i] : vec_add(x_free[i], vec_sub(x[i], x_p[i]));
        ok = project(s, x_free, beta, x); /* 5 */
    }
    if (ok && s->contact_count > 0)
        ok = collide(s, s->x, x, 0); /* 6; staggered, what friction moved */
    if (ok) {
        s->count.uncertified += s->collider && !s->is_certified;
        advance_state(s, dt, x); /* 7 */
    }
    free(x_free);
    free(x_p);
    free(x);
    return ok;
}

/* ---- The scenes ---- */

/* Of the edges of the base mesh. */
static double largest_strain(const shell *s)
{
    double largest = 0;
    dc_index q;
    for (q = 0; q < 3 * s->mesh.triangle_count; q++) {
        dc_vec3 r =
            vec_sub(s->x[s->mesh.triangles[paper_next(q)]], s->x[s->mesh.triangles[paper_prev(q)]]);
        largest = paper_max(largest, fabs(vec_length(r) / s->mesh.rest_length[q] - 1));
    }
    return largest;
}

static void make_collider(shell *s)
{
    dc_collider_body body = paper_body(&s->surface, s->x);
    body.masses = s->mass;
    body.thickness = 1e-4;
    s->collider = paper_ball_collider(&body, RADIUS, 0);
}

/* delta = sqrt(k_b) M^-1/2 L x_0, where x_0 is as near to a cylinder about the z axis as lengths allow. */
static int make_rest_shape(shell *s)
{
    dc_vec3 *cylinder = paper_vectors(s->node_count), *delta = paper_vectors(s->mesh.edge_count);
    dc_index k, i;
    int ok;
    s->rest = paper_vectors(s->node_count);
    for (k = 0; k < s->node_count; k++) {
        double angle = s->x[k].x / CURL;
        s->rest[k] = vec_make(CURL * sin(angle), CURL * (1 - cos(angle)), s->x[k].z);
    }
    memcpy(cylinder, s->rest, (size_t)s->node_count * sizeof *cylinder);
    ok = project(s, cylinder, 0, s->rest) && s->moved == 0; /* (3.13), (3.14): without Phi */
    s->count.newton = 0;
    dc_sparse_multiply(&s->rows, 3, &s->rest->x, &s->y->x);
    for (i = 0; i < s->energy_count; i++) delta[s->edge[i]] = s->y[i];
    s->delta = delta;
    free(cylinder);
    return ok;
}

static shell make_shell(const options *o, int is_curl, print how)
{
    shell s;
    dc_vec3 *flat;
    dc_index i, room, entries;
    memset(&s, 0, sizeof s);
    s.mesh = paper_grid(o->cells, 1, DC_DIAGONALS_FORWARD, &flat);
    s.with = *o;
    s.gravity = is_curl ? 0 : GRAVITY;
    s.reach =
        RADIUS + 1e-3 + 0.25 / (4 * o->cells * o->cells * RADIUS); /* faces between are clear */
    s.how = how;
    s.strain_max = STRAIN_MAX;
    s.moved_max = MOVED_MAX;
    make_surface(&s);
    make_masses(&s);
    s.row_max = room = 9 * s.mesh.triangle_count + 6 * s.mesh.vertex_count + 3 * s.mesh.edge_count +
                       3 * s.node_count;
    entries = 30 * room;
    s.rows = paper_sparse(room, s.node_count, entries);
    s.kinds = (kind *)paper_memory((size_t)room * sizeof(kind));
    s.length = paper_reals(room), s.edge = paper_indices(room);
    s.rhs = paper_reals(room), s.answer = paper_reals(room);
    s.g = paper_vectors(room), s.goal = paper_vectors(room);
    s.y = paper_vectors(room), s.y_free = paper_vectors(room);
    s.contacts = (contact *)paper_memory((size_t)s.node_count * sizeof(contact));
    s.x = paper_vectors(s.node_count), s.v = paper_vectors(s.node_count);
    s.x_old = paper_vectors(s.node_count), s.v_old = paper_vectors(s.node_count);
    for (i = 0; i < s.node_count; i++) { /* laid down, its middle a little off that of the ball */
        dc_index e = i - s.mesh.vertex_count;
        dc_vec3 a = flat[e < 0 ? i : s.mesh.edge_vertices[2 * e]];
        dc_vec3 b = flat[e < 0 ? i : s.mesh.edge_vertices[2 * e + 1]];
        s.x[i] = vec_make((a.x + b.x) / 2 - 0.49, RADIUS + 0.03, 0.51 - (a.y + b.y) / 2);
    }
    s.builder = dc_sparse_begin(&s.rows, entries, paper_indices(s.node_count));
    add_bending(&s);
    add_lengths(&s);
    add_black(&s);
    add_border(&s);
    s.fixed_count = s.builder.row;
    dc_sparse_finish(&s.builder, NULL);
    s.plain = paper_dual_make(&s.rows, s.inv_mass);
    if (!is_curl) make_collider(&s);
    s.is_ready = !is_curl || make_rest_shape(&s);
    return s;
}

/* Returns whether it went to its end with all steps at rest, and its shape is written. */
static int run(const options *o, const char *scene, print how)
{
    int steps = paper_steps(o->seconds, o->dt), every = steps / 10 > 0 ? steps / 10 : 1, i, ok;
    shell s = make_shell(o, strcmp(scene, "curl") == 0, how);
    double strain = 0, varied = 0, bent = bending_energy(&s);
    char path[64];
    printf("%s, %s, %d cells, %s, %g s a step, k_b %g N m: %d nodes, %d rows\n", scene,
           print_names[how], o->cells, s.with.is_bdf2 ? "BDF2" : "backward Euler", o->dt,
           o->bending, (int)s.node_count, (int)s.fixed_count);
    ok = s.is_ready;
    if (!ok) printf("  there is no rest shape\n");
    for (i = 0; ok && i < steps; i++) {
        double was = bent;
        ok = step(&s, o->dt);
        if (!ok) {
            printf("  no step leads on from %.4f s\n", i * o->dt);
            break;
        }
        bent = bending_energy(&s);
        varied += fabs(bent - was);
        strain = paper_max(strain, largest_strain(&s));
        if ((i + 1) % every == 0)
            printf("  %5.2f s  strain %.4f  bending %.4f J  corner %+.3f m  %d contacts\n",
                   (i + 1) * o->dt, largest_strain(&s), bent, s.x[0].y, (int)s.contact_count);
    }
    if (s.count.steps > 0)
        printf("  strain at most %.4f, bending varies by %.3f J in all, %.1f iterations a step, "
               "%ld steps not certified\n"
               "  Newton's method still moved in %ld of %ld steps, by %.1e m at most\n",
               strain, varied, (double)s.count.newton / (double)s.count.steps, s.count.uncertified,
               s.count.moving, s.count.steps, s.count.moved);
    snprintf(path, sizeof path, "out/wan12_%s%s.obj", scene, how == STAGGERED ? "_staggered" : "");
    if ((how == MENDED || how == STAGGERED) && !paper_write_obj(path, &s.surface, s.x)) {
        fprintf(stderr, "cannot write %s\n", path);
        ok = 0;
    }
    return ok && s.count.moving == 0;
}

/* "--D", a kind of rows of J, a number. */
static int read_softness(char **argv, options *o)
{
    int k;
    for (k = LENGTH; k < KINDS && argv[1]; k++)
        if (strcmp(argv[1], kind_names[k]) == 0)
            return paper_number(argv + 1, 0, NUMBER_MAX, &o->soft[k]);
    return 0;
}

static int read_options(int argc, char **argv, options *o, int *is_printed, const char **only)
{
    int i, ok = 1;
    for (i = 1; ok && i < argc; i++) {
        if (strcmp(argv[i], "--printed") == 0)
            *is_printed = 1;
        else if (strcmp(argv[i], "--bdf2") == 0)
            o->is_bdf2 = 1;
        else if (strcmp(argv[i], "--kkt") == 0)
            o->is_kkt = 1;
        else if (strcmp(argv[i], "ball") == 0 || strcmp(argv[i], "curl") == 0)
            ok = !*only, *only = argv[i];
        else if (strcmp(argv[i], "--D") == 0)
            ok = read_softness(argv + i, o), i += 2;
        else if (strcmp(argv[i], "--regular") == 0)
            ok = paper_number(argv + i, 0, NUMBER_MAX, &o->regular), i++;
        else if (strcmp(argv[i], "--cells") == 0)
            ok = paper_count(argv + i, 2, 100, &o->cells), i++;
        else if (strcmp(argv[i], "--dt") == 0)
            ok = paper_number(argv + i, DT_MIN, 1, &o->dt), i++;
        else if (strcmp(argv[i], "--seconds") == 0)
            ok = paper_number(argv + i, DT_MIN, NUMBER_MAX, &o->seconds), i++;
        else if (strcmp(argv[i], "--bending") == 0)
            ok = paper_number(argv + i, 1 / NUMBER_MAX, NUMBER_MAX, &o->bending), i++;
        else
            ok = 0;
    }
    if (ok && o->is_kkt && o->cells > KKT_CELLS_MAX) {
        fprintf(stderr, "--kkt takes at most %d --cells\n", KKT_CELLS_MAX);
        return 0;
    }
    return ok && paper_steps(o->seconds, o->dt) > 0;
}

/* 8 steps for each picture at 100 a second, as in table 4.1. */
static options default_options(void)
{
    options o = {8, 0, 0, 0.00125, 1, 0.1, {1, 0, 0, 0, 0, 1e-2}, 2e-4}; /* 3.3.3: "1e-5 to 1e-2" */
    return o;
}

int main(int argc, char **argv)
{
    /* The ball's runs: which only with --printed, which with BDF2. */
    static const struct ball_run {
        print how;
        int is_printed, is_bdf2;
    } balls[] = {{MENDED, 0, 0}, {STAGGERED, 0, 0}, {PRINTED_5, 1, 0},
                 {MENDED, 1, 1}, {PRINTED_V, 1, 1}, {PRINTED_PHI, 1, 1}};
    options o = default_options();
    const char *only = NULL;
    int is_printed = 0, is_wrong, ok = 1;
    size_t k;
    if (!read_options(argc, argv, &o, &is_printed, &only)) {
        fprintf(stderr,
                "wan12 [--printed] [--bdf2] [--kkt] [--D KIND VALUE] [--regular R] [--cells N] "
                "[--dt S] [--seconds S] [--bending K] [ball|curl]\n");
        return 2;
    }
    for (k = 0; k < sizeof balls / sizeof *balls; k++) {
        options with = o;
        if ((only && strcmp(only, "ball") != 0) || (balls[k].is_printed && !is_printed)) continue;
        with.is_bdf2 |= balls[k].is_bdf2;
        is_wrong = balls[k].how != MENDED && balls[k].how != STAGGERED; /* and may fail */
        ok &= run(&with, "ball", balls[k].how) || is_wrong;
    }
    if (!only || strcmp(only, "curl") == 0) ok &= run(&o, "curl", MENDED);
    return !ok;
}
