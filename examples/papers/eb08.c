/*
 * eb08.c - sheets that do not stretch, of elements that meet at edge midpoints, after
 *
 *     E. English, R. Bridson: Animating developable surfaces using nonconforming elements.
 *     SIGGRAPH 2008; numbers are those of English's thesis of the same title, UBC 2008
 *
 * What one will see: a square of a metre, pinned at two corners (figure 3), swings for two seconds, or
 * falls on a ball (figure 9). Tenth by tenth the errors of the constraints, the energies and the strain
 * of the ghost mesh are printed. out/eb08_SCENE.obj is the ghost mesh, out/eb08_SCENE_parts.obj the
 * nonconforming triangles that are simulated.
 *
 *     eb08 [--printed] [--border rows|none] [--euler] [--cells N] [--dt S] [--seconds S] [hung|ball]
 *
 * --printed runs each formula that is mended below as it was printed, too. Numbers are the thesis's:
 *
 *     (1) (2)            section 3.1   rigid triangles; the border, conforming
 *     (7) to (9)         section 3.2   bending, K^T W^-1 K; (3) to (6) derive it
 *     (10) to (14)       section 4.1   the ghost mesh, and back
 *     (15) (16)          section 4.2   collisions: in dc_collider, chapters 34 to 38 of the library
 *     (17) (19) to (23)  section 5.1   backward Euler and BDF2; (18), (24) and (25) argue for them
 *     (26) to (30)       section 5.2   projection
 *
 * The border is kept conforming by vertex unknowns in all triangles that touch it; --border rows does
 * it by constraints as printed, which are redundant: S wants a diagonal, 1e-8 to 1e-4 of its own at 16
 * cells, about 1e-5 at 32, and otherwise the projection fails; the ball ends at .3 s, where collisions are
 * not resolved. --border none shows why it is wanted.
 */
#include "paper.h"

typedef enum border { BORDER_UNKNOWNS, BORDER_ROWS, BORDER_NONE } border;

/* What is run as it was printed. */
typedef enum print {
    MENDED,
    PRINTED_22, /* (21), (22): - 2/9 v^(n-1), a velocity among lengths                            */
    PRINTED_9,  /* (9): F_b = B x, which drives away from flat                                    */
    PRINTED_29, /* (29) in the paper's section 5: x_j + J^T lambda, as if all masses were 1        */
    PRINTED_14, /* (14) alone after collisions; x^(n-1) and v^(n-1) know nothing of them          */
    PRINTS
} print;
static const char *const print_names[PRINTS] = {"mended", "(22)", "(9)", "(29)", "(14)"};

static const double DENSITY = 0.15, GRAVITY = 9.81; /* ours [kg/m^2], [m/s^2]                     */
static const double BENDING = 1e-5;                 /* ours: k_b [N m]                            */
static const double TOLERANCE = 1e-4;               /* of |C| / d^2                               */
static const double RADIUS = 0.3;                   /* ours: of the ball [m]                      */
static const double REGULAR = 1e-5; /* ours: of the diagonal of S, with border rows */
static const double PIVOT = 1e-9; /* ours: rows with smaller pivots follow from others            */
static const double DT_MIN = 1e-6, SECONDS_MAX = 1e6; /* ours: what options may say [s]          */
/* Ours: iterations of the projection, halvings of its step, and of the time step where it fails. */
enum { ITERATION_MAX = 60, LINE_MAX = 12, HALVING_MAX = 6 };

static const dc_vec3 AXIS[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

typedef struct counts {
    long steps, iterations, halvings, uncertified;
} counts;

typedef struct sheet {
    dc_mesh mesh;
    border border;
    dc_index node_count;
    dc_sparse midpoint;      /* (edges, nodes) the midpoints of edges                           */
    dc_sparse a;             /* (vertices, nodes) A of (10), the ghost mesh                     */
    double *mass, *inv_mass; /* (nodes) M, M^-1                                                 */

    /* Constraints: (1) for lengths, C = |y|^2 - d^2, and C = g . (y - goal) for others, y = D x     */
    dc_sparse difference;  /* (rows, nodes) D                                                 */
    dc_index length_count; /* the first rows                                                  */
    double *d;             /* (rows) [m] lengths; of others a scale for their error           */
    dc_vec3 *y, *g, *goal; /* (rows) J = g^T D, of lengths with g = 2 y                       */
    double *c, *lambda;    /* (rows)                                                          */
    paper_dual dual;       /* J M^-1 J^T                                                      */

    dc_sparse b, h; /* (9) B; M + beta B, and its factor                               */
    dc_cholesky *h_factor;
    double h_beta; /* for which it is, [s^2]                                          */

    dc_sparse aat; /* (13) A A^T, and its factor                                      */
    dc_cholesky *aat_factor;
    dc_collider *collider; /* or NULL                                                         */
    dc_vec3 *ghost;        /* (vertices) x_c at the start of the step                         */

    dc_vec3 *x, *v, *x_old, *v_old; /* (nodes) at n and n - 1                                     */
    double dt_old; /* [s] between the two; 0: there is no past                        */
    int is_euler;
    double tolerance;
    print how;
    counts count;
} sheet;

/* ---- Section 3.1: a nonconforming element ---- */

static void add_midpoint(const sheet *s, dc_sparse_builder *rows, dc_index e, double factor)
{
    dc_index p;
    for (p = s->midpoint.start[e]; p < s->midpoint.start[e + 1]; p++)
        dc_sparse_add(rows, s->midpoint.column[p], factor * s->midpoint.value[p]);
}

/* The vertex at corner q, "from geometric similarity": x_j + x_k - x_i. */
static void add_corner(const sheet *s, dc_sparse_builder *rows, dc_index q, double factor)
{
    add_midpoint(s, rows, s->mesh.edge_of_corner[paper_next(q)], factor);
    add_midpoint(s, rows, s->mesh.edge_of_corner[paper_prev(q)], factor);
    add_midpoint(s, rows, s->mesh.edge_of_corner[q], -factor);
}

/* Vertices on the border. */
static unsigned char *find_border(const dc_mesh *mesh)
{
    unsigned char *on_border = (unsigned char *)paper_memory((size_t)mesh->vertex_count);
    dc_index i;
    for (i = 0; i < 2 * mesh->edge_count; i++)
        if (paper_is_border(mesh, i / 2)) on_border[mesh->edge_vertices[i]] = 1;
    return on_border;
}

/* Edges of triangles that touch the border have no midpoint of their own: it is midway between two
   vertices, which are unknowns. Then "the corresponding vertices on the incident elements match". */
static void make_nodes(sheet *s)
{
    const dc_mesh *mesh = &s->mesh;
    unsigned char *on_border = find_border(mesh);
    unsigned char *conforms = (unsigned char *)paper_memory((size_t)mesh->edge_count);
    dc_index *node_of_vertex = paper_indices(mesh->vertex_count), e, q, v;
    dc_sparse_builder rows;
    for (q = 0; q < 3 * mesh->triangle_count && s->border == BORDER_UNKNOWNS; q++)
        if (on_border[mesh->triangles[q]])
            conforms[mesh->edge_of_corner[q]] = conforms[mesh->edge_of_corner[paper_next(q)]] =
                conforms[mesh->edge_of_corner[paper_prev(q)]] = 1;
    for (e = 0; e < 2 * mesh->edge_count; e++)
        if (conforms[e / 2]) node_of_vertex[mesh->edge_vertices[e]] = 1;
    for (v = 0; v < mesh->vertex_count; v++)
        node_of_vertex[v] = node_of_vertex[v] ? s->node_count++ : DC_NONE;
    s->midpoint =
        paper_sparse(mesh->edge_count, s->node_count + mesh->edge_count, 2 * mesh->edge_count);
    rows = dc_sparse_begin(&s->midpoint, 2 * mesh->edge_count,
                           paper_indices(s->midpoint.column_count));
    for (e = 0; e < mesh->edge_count; e++) {
        if (!conforms[e]) dc_sparse_add(&rows, s->node_count++, 1);
        for (v = 0; conforms[e] && v < 2; v++)
            dc_sparse_add(&rows, node_of_vertex[mesh->edge_vertices[2 * e + v]], 0.5);
        dc_sparse_finish_row(&rows);
    }
    dc_sparse_finish(&rows, NULL);
    s->midpoint.column_count = s->node_count;
}

/* M: a third of each incident triangle; (10): the mean of what all triangles around a vertex say. */
static void make_masses_and_ghost(sheet *s)
{
    const dc_mesh *mesh = &s->mesh;
    paper_corners at = paper_corners_make(mesh);
    dc_index corners = 3 * mesh->triangle_count, v, q, p;
    dc_sparse_builder rows;
    s->mass = paper_reals(s->node_count);
    s->inv_mass = paper_reals(s->node_count);
    for (q = 0; q < corners; q++) {
        dc_index e = mesh->edge_of_corner[q];
        for (p = s->midpoint.start[e]; p < s->midpoint.start[e + 1]; p++)
            s->mass[s->midpoint.column[p]] +=
                s->midpoint.value[p] * DENSITY * mesh->rest_area[q / 3] / 3;
    }
    for (v = 0; v < s->node_count; v++) s->inv_mass[v] = 1 / s->mass[v];
    s->a = paper_sparse(mesh->vertex_count, s->node_count, 6 * corners);
    rows = dc_sparse_begin(&s->a, 6 * corners, paper_indices(s->node_count));
    for (v = 0; v < mesh->vertex_count; v++) {
        for (p = at.start[v]; p < at.start[v + 1]; p++)
            add_corner(s, &rows, at.corner[p], 1.0 / (at.start[v + 1] - at.start[v]));
        dc_sparse_finish_row(&rows);
    }
    dc_sparse_finish(&rows, NULL);
}

/* ---- The constraints ---- */

/* Whether the triangle of corner q has vertices as unknowns alone. */
static int is_conforming(const sheet *s, dc_index q)
{
    dc_index k, first = q - q % 3;
    for (k = 0; k < 3; k++) {
        dc_index e = s->mesh.edge_of_corner[first + k];
        if (s->midpoint.start[e + 1] - s->midpoint.start[e] == 1) return 0;
    }
    return 1;
}

/* (1), three in a triangle: between two midpoints it is half as long as the edge beside them. Where
   triangles conform that is half of the edge itself, and once is enough. */
static void add_lengths(sheet *s, dc_sparse_builder *rows)
{
    unsigned char *done = (unsigned char *)paper_memory((size_t)s->mesh.edge_count);
    dc_index q;
    for (q = 0; q < 3 * s->mesh.triangle_count; q++) {
        dc_index e = s->mesh.edge_of_corner[q];
        if (is_conforming(s, q)) {
            const dc_index *end = s->midpoint.column + s->midpoint.start[e];
            if (done[e]++) continue;
            dc_sparse_add(rows, end[0], 0.5);
            dc_sparse_add(rows, end[1], -0.5);
        } else {
            add_midpoint(s, rows, s->mesh.edge_of_corner[paper_next(q)], 1);
            add_midpoint(s, rows, s->mesh.edge_of_corner[paper_prev(q)], -1);
        }
        s->d[rows->row] = s->mesh.rest_length[q] / 2;
        dc_sparse_finish_row(rows);
    }
    s->length_count = rows->row;
}

/* The three axes of a vector that is to be at a goal: a row of A less it (ours: a pin holds its vertex
   of the ghost mesh), or if v is DC_NONE the corner q less the corner r. */
static void add_place(sheet *s, dc_sparse_builder *rows, dc_index v, dc_index q, dc_index r,
                      dc_vec3 goal)
{
    dc_index axis, p;
    for (axis = 0; axis < 3; axis++) {
        s->d[rows->row] = s->mesh.rest_length[0];
        s->g[rows->row] = AXIS[axis];
        s->goal[rows->row] = goal;
        if (v == DC_NONE) {
            add_corner(s, rows, q, 1);
            add_corner(s, rows, r, -1);
        } else {
            for (p = s->a.start[v]; p < s->a.start[v + 1]; p++)
                dc_sparse_add(rows, s->a.column[p], s->a.value[p]);
        }
        dc_sparse_finish_row(rows);
    }
}

/* "For each boundary vertex the corresponding vertices on the incident elements match up." */
static void add_border(sheet *s, dc_sparse_builder *rows)
{
    const dc_mesh *mesh = &s->mesh;
    unsigned char *on_border = find_border(mesh);
    dc_index fan, k;
    for (fan = 0; fan < mesh->fan_count; fan++)
        for (k = mesh->fan_start[fan]; k + 1 < mesh->fan_start[fan + 1]; k++)
            if (on_border[mesh->triangles[mesh->fan_corner[k]]])
                add_place(s, rows, DC_NONE, mesh->fan_corner[k], mesh->fan_corner[k + 1],
                          vec_make(0, 0, 0));
}

static void make_constraints(sheet *s, const dc_index *pins, dc_index pin_count,
                             const dc_vec3 *positions)
{
    dc_index room = 3 * s->mesh.triangle_count * 4 + 3 * pin_count, i, n;
    dc_sparse_builder rows;
    s->difference = paper_sparse(room, s->node_count, 24 * room);
    s->d = paper_reals(room);
    s->g = paper_vectors(room);
    s->goal = paper_vectors(room);
    rows = dc_sparse_begin(&s->difference, 24 * room, paper_indices(s->node_count));
    add_lengths(s, &rows);
    if (s->border == BORDER_ROWS) add_border(s, &rows);
    for (i = 0; i < pin_count; i++)
        add_place(s, &rows, pins[i], DC_NONE, DC_NONE, positions[pins[i]]);
    dc_sparse_finish(&rows, NULL);
    n = s->difference.row_count;
    s->y = paper_vectors(n);
    s->c = paper_reals(n);
    s->lambda = paper_reals(n);
    if (s->how == PRINTED_29) /* J J^T */
        for (i = 0; i < s->node_count; i++) s->inv_mass[i] = 1 / s->mass[0];
    s->dual = paper_dual_make(&s->difference, s->inv_mass);
}

/* C(x) and J(x) of (26). Returns the largest |C| / d^2 (of others |C| / d), and the root of the sum of its
   squares. Mended: printed C / d of lengths, which is no relative error. */
static double evaluate(sheet *s, const dc_vec3 *x, double *root)
{
    double largest = 0, sum = 0;
    dc_index i;
    dc_sparse_multiply(&s->difference, 3, &x->x, &s->y->x);
    for (i = 0; i < s->difference.row_count; i++) {
        double error;
        if (i < s->length_count) {
            s->g[i] = vec_scale(2, s->y[i]);
            s->c[i] = vec_dot(s->y[i], s->y[i]) - s->d[i] * s->d[i]; /* (1) */
            error = fabs(s->c[i]) / (s->d[i] * s->d[i]);
        } else {
            s->c[i] = vec_dot(s->g[i], vec_sub(s->y[i], s->goal[i]));
            error = fabs(s->c[i]) / s->d[i];
        }
        largest = paper_max(largest, error);
        sum += error * error;
    }
    *root = sqrt(sum);
    return largest;
}

/* ---- Section 5.2: projection ---- */

/* J M^-1 J^T of (27). Printed, (27) to (30) have W, in (7) the mass matrix of basis functions, where the mass
   matrix M is meant: with one density and nodes at midpoints alone the two are proportional. */
static int factor_s(sheet *s)
{
    double regular = s->border == BORDER_ROWS ? REGULAR : 0;
    dc_sparse *matrix = &s->dual.s;
    dc_index i, p;
    for (i = 0; i < matrix->row_count; i++)
        for (p = matrix->start[i]; p < matrix->start[i + 1]; p++)
            matrix->value[p] = s->dual.bracket[p] * vec_dot(s->g[i], s->g[matrix->column[p]]) *
                               (matrix->column[p] == i ? 1 + regular : 1);
    return dc_cholesky_factor(s->dual.factor, matrix->value, PIVOT, DC_PIVOTS_DROP, NULL) == DC_OK;
}

/* The change of x in (29), (30), from the force (2): - M^-1 J^T lambda. */
static void pull(const sheet *s, dc_vec3 *change)
{
    dc_index i, p;
    memset(change, 0, (size_t)s->node_count * sizeof *change);
    for (i = 0; i < s->difference.row_count; i++)
        for (p = s->difference.start[i]; p < s->difference.start[i + 1]; p++) {
            dc_index k = s->difference.column[p];
            change[k] = vec_axpy(change[k], -s->inv_mass[k] * s->difference.value[p] * s->lambda[i],
                                 s->g[i]);
        }
}

/* (26) to (30): x onto the constraints. False if that does not go. */
static int project(sheet *s, dc_vec3 *x)
{
    dc_vec3 *change = paper_vectors(s->node_count), *trial = paper_vectors(s->node_count);
    double root, root_now, largest = evaluate(s, x, &root);
    dc_index i, k, j;
    for (k = 0; k < ITERATION_MAX && !(largest <= s->tolerance); k++) {
        double l = 1;
        if (!isfinite(largest) || !factor_s(s)) break;
        dc_cholesky_solve(s->dual.factor, 1, s->c, s->lambda); /* (28), without its sign */
        pull(s, change);
        for (j = 0; j < LINE_MAX; j++, l /= 2) { /* ours: the root of the sum has to sink */
            for (i = 0; i < s->node_count; i++) trial[i] = vec_axpy(x[i], l, change[i]); /* (30) */
            largest = evaluate(s, trial, &root_now);
            if (root_now < root || largest <= s->tolerance) break;
        }
        s->count.iterations++;
        memcpy(x, trial, (size_t)s->node_count * sizeof *x);
        root = root_now;
    }
    free(change);
    free(trial);
    return largest <= s->tolerance;
}

/* ---- Section 3.2: bending ---- */

/* K_ij = - 2 cot of the angle between edges i and j; rows of border edges are zeroed out. W is
   diagonal, a third of the areas beside the edge. B = k_b K^T W^-1 K. */
static void make_bending(sheet *s)
{
    const dc_mesh *mesh = &s->mesh;
    dc_index e, side;
    dc_sparse k = paper_sparse(mesh->edge_count, s->node_count, 10 * mesh->edge_count);
    dc_sparse_builder rows =
        dc_sparse_begin(&k, 10 * mesh->edge_count, paper_indices(s->node_count));
    double *weight = paper_reals(mesh->edge_count);
    for (e = 0; e < mesh->edge_count; e++) {
        double w = 0;
        for (side = 0; side < 2 && !paper_is_border(mesh, e); side++) {
            dc_index q = mesh->corner_of_edge[2 * e + side];
            double i = -2 * paper_cotangent(mesh, paper_prev(q)),
                   j = -2 * paper_cotangent(mesh, paper_next(q));
            add_midpoint(s, &rows, mesh->edge_of_corner[paper_next(q)], i);
            add_midpoint(s, &rows, mesh->edge_of_corner[paper_prev(q)], j);
            add_midpoint(s, &rows, e, -i - j);
            w += mesh->rest_area[q / 3] / 3; /* (7) */
        }
        weight[e] = w > 0 ? BENDING / w : 0;
        dc_sparse_finish_row(&rows);
    }
    dc_sparse_finish(&rows, NULL);
    s->b = paper_gram(&k);
    dc_gram_values(&k, weight, &s->b, paper_indices(s->node_count)); /* (8), (9) */
    s->h = s->b;
    s->h.value = paper_reals(s->b.start[s->node_count]);
    s->h_factor = paper_cholesky(&s->h, 3);
}

/* M + beta B; (9) mended: F_b = - B x. */
static int factor_h(sheet *s, double beta)
{
    dc_index i, p;
    if (beta == s->h_beta) return 1;
    s->h_beta = beta;
    for (i = 0; i < s->node_count; i++)
        for (p = s->h.start[i]; p < s->h.start[i + 1]; p++)
            s->h.value[p] = (s->how == PRINTED_9 ? -beta : beta) * s->b.value[p] +
                            (s->h.column[p] == i ? s->mass[i] : 0);
    return dc_cholesky_factor(s->h_factor, s->h.value, 0, DC_PIVOTS_REFUSE, NULL) == DC_OK;
}

/* ---- Section 5.1: time ---- */

/* (20) for steps that may differ (ours), with r = dt / dt_old; for r = 1 4/3, 1/3 and 2/3, and without
   a past, or for backward Euler, (17): 1, 0 and 1.

       x^(n+1) = a x^(n) - b x^(n-1) + c dt v^(n+1),     v^(n+1) likewise                            */
typedef struct formula {
    double a, b, c;
} formula;

static formula formula_of(const sheet *s, double dt)
{
    formula f = {1, 0, 1};
    if (!s->is_euler && s->dt_old > 0) {
        double r = dt / s->dt_old;
        f.a = (1 + r) * (1 + r) / (1 + 2 * r);
        f.b = r * r / (1 + 2 * r);
        f.c = (1 + r) / (1 + 2 * r);
    }
    return f;
}

/* x_0 of (19), (22). Bending is implicit, a part of F as in (21): (M + beta B) x_0 = M (all the rest). */
static int predict(sheet *s, const formula *f, double dt, dc_vec3 *x0)
{
    double beta = f->c * f->c * dt * dt, old = s->how == PRINTED_22 ? 1 : dt;
    dc_index i;
    if (!factor_h(s, beta)) return 0;
    for (i = 0; i < s->node_count; i++) {
        dc_vec3 sum = vec_scale(f->a, s->x[i]);
        sum = vec_axpy(sum, -f->b, s->x_old[i]);
        sum = vec_axpy(sum, f->c * f->a * dt, s->v[i]);
        sum = vec_axpy(sum, -f->c * f->b * old, s->v_old[i]); /* mended: dt v^(n-1) */
        sum = vec_axpy(sum, -beta * GRAVITY, AXIS[1]);
        x0[i] = vec_scale(s->mass[i], sum);
    }
    dc_cholesky_solve(s->h_factor, 3, &x0->x, &x0->x);
    return 1;
}

/* ---- Section 4: the ghost mesh ---- */

static void make_way_back(sheet *s)
{
    dc_sparse transposed = paper_transpose(&s->a);
    double *ones = paper_reals(s->node_count);
    dc_index i;
    for (i = 0; i < s->node_count; i++) ones[i] = 1;
    s->aat = paper_gram(&transposed);
    dc_gram_values(&transposed, ones, &s->aat, paper_indices(s->mesh.vertex_count));
    s->aat_factor = paper_cholesky(&s->aat, 3);
    dc_cholesky_factor(s->aat_factor, s->aat.value, 0, DC_PIVOTS_REFUSE, NULL);
}

/* (11) to (13): x'_n - x_n = A^T lambda, A A^T lambda = x'_c - x_c. */
static void take_back(sheet *s, const dc_vec3 *change_c, dc_vec3 *change_n)
{
    dc_vec3 *lambda = paper_vectors(s->mesh.vertex_count);
    dc_index v, p;
    dc_cholesky_solve(s->aat_factor, 3, &change_c->x, &lambda->x); /* (12), (13) */
    memset(change_n, 0, (size_t)s->node_count * sizeof *change_n);
    for (v = 0; v < s->mesh.vertex_count; v++)
        for (p = s->a.start[v]; p < s->a.start[v + 1]; p++) {
            dc_index k = s->a.column[p];
            change_n[k] = vec_axpy(change_n[k], s->a.value[p], lambda[v]); /* (11) */
        }
    free(lambda);
}

/* Collisions of the ghost mesh between x_c^old and x_c = A x_n. (14) tells the velocity alone, which is
   what backward Euler wants. Mended: BDF2 remembers x^(n-1), and would let a sheet bounce off at half
   its speed; if v^(n-1) changes as well, it goes on as it came. What repulsion pushed is no velocity,
   but a place: then and now. */
static int collide(sheet *s, double dt)
{
    dc_index n = s->mesh.vertex_count, i;
    dc_vec3 *after = paper_vectors(n), *change = paper_vectors(n);
    dc_vec3 *moved = paper_vectors(s->node_count), *pushed = paper_vectors(s->node_count);
    const dc_vec3 *push = dc_collider_pushes(s->collider);
    dc_report report;
    dc_error error;
    int ok;
    dc_sparse_multiply(&s->a, 3, &s->x->x, &after->x); /* (10) */
    memcpy(change, after, (size_t)n * sizeof *change);
    ok = dc_collider_resolve(s->collider, s->ghost, after, &report, &error) == DC_OK;
    if (ok) {
        s->count.uncertified += !report.is_certified;
        for (i = 0; i < n; i++) change[i] = vec_sub(vec_sub(after[i], change[i]), push[i]);
        take_back(s, change, moved);
        take_back(s, push, pushed);
        for (i = 0; i < s->node_count; i++) {
            s->x[i] = vec_add(s->x[i], vec_add(moved[i], pushed[i]));
            s->v[i] = vec_axpy(s->v[i], 1 / dt, moved[i]); /* (14) */
            if (s->how == PRINTED_14) continue;
            s->x_old[i] = vec_add(s->x_old[i], pushed[i]);
            if (!s->is_euler) s->v_old[i] = vec_axpy(s->v_old[i], 1 / dt, moved[i]);
        }
        memcpy(s->ghost, after, (size_t)n * sizeof *after);
    } else {
        fprintf(stderr, "eb08: collisions: %s\n", error.what);
    }
    free(after), free(change), free(moved), free(pushed);
    return ok;
}

/* ---- A step ---- */

/* False if the projection or the collisions fail; then nothing has happened. */
static int step(sheet *s, double dt)
{
    dc_index n = s->node_count, i;
    size_t bytes = (size_t)n * sizeof(dc_vec3);
    dc_vec3 *kept = (dc_vec3 *)paper_memory(4 * bytes), *x0 = paper_vectors(n);
    formula f = formula_of(s, dt);
    int ok = predict(s, &f, dt, x0) && project(s, x0); /* (19), (22) */
    memcpy(kept, s->x, bytes), memcpy(kept + n, s->v, bytes);
    memcpy(kept + 2 * n, s->x_old, bytes), memcpy(kept + 3 * n, s->v_old, bytes);
    if (ok) {
        for (i = 0; i < n; i++) {
            dc_vec3 way = vec_axpy(x0[i], -f.a, s->x[i]);
            way = vec_axpy(way, f.b, s->x_old[i]);
            s->x_old[i] = s->x[i];
            s->v_old[i] = s->v[i];
            s->x[i] = x0[i];
            s->v[i] = vec_scale(1 / (f.c * dt), way); /* (23); of (17) the change over dt */
        }
        ok = !s->collider || collide(s, dt);
    }
    if (ok) {
        s->dt_old = dt;
        s->count.steps++;
    } else {
        memcpy(s->x, kept, bytes), memcpy(s->v, kept + n, bytes);
        memcpy(s->x_old, kept + 2 * n, bytes), memcpy(s->v_old, kept + 3 * n, bytes);
    }
    free(kept);
    free(x0);
    return ok;
}

/* Ours: a step that fails is done in halves, and those in halves again. */
static int advance(sheet *s, double dt)
{
    int total = 1 << HALVING_MAX, size = total, done = 0;
    while (done < total) {
        if (step(s, dt * size / total)) {
            done += size;
            continue;
        }
        if (size == 1) return 0;
        size /= 2;
        s->count.halvings++;
    }
    return 1;
}

/* ---- What is measured and drawn ---- */

typedef struct energies {
    double kinetic, potential, bending; /* [J]                                                   */
} energies;

static energies measure(const sheet *s)
{
    energies e = {0, 0, 0};
    dc_index i, p;
    for (i = 0; i < s->node_count; i++) {
        e.kinetic += s->mass[i] * vec_dot(s->v[i], s->v[i]) / 2;
        e.potential += s->mass[i] * GRAVITY * s->x[i].y;
        for (p = s->b.start[i]; p < s->b.start[i + 1];
             p++) /* (8); the lower half stands for both */
            e.bending += s->b.value[p] * vec_dot(s->x[i], s->x[s->b.column[p]]) *
                         (s->b.column[p] == i ? 0.5 : 1);
    }
    return e;
}

/* Largest strain of the edges of the ghost mesh. */
static double ghost_strain(const sheet *s)
{
    dc_vec3 *x = paper_vectors(s->mesh.vertex_count);
    double largest = 0;
    dc_index q;
    dc_sparse_multiply(&s->a, 3, &s->x->x, &x->x);
    for (q = 0; q < 3 * s->mesh.triangle_count; q++) {
        dc_vec3 r =
            vec_sub(x[s->mesh.triangles[paper_next(q)]], x[s->mesh.triangles[paper_prev(q)]]);
        largest = paper_max(largest, fabs(vec_length(r) / s->mesh.rest_length[q] - 1));
    }
    free(x);
    return largest;
}

/* The ghost mesh; and each triangle from its own midpoints. Returns whether both are written. */
static int write_shapes(const sheet *s, const char *scene)
{
    dc_index corners = 3 * s->mesh.triangle_count, q;
    dc_vec3 *ghost = paper_vectors(s->mesh.vertex_count), *part = paper_vectors(corners);
    dc_vec3 *m = paper_vectors(s->mesh.edge_count);
    dc_mesh parts = s->mesh;
    char path[64];
    int ok = 1;
    dc_sparse_multiply(&s->a, 3, &s->x->x, &ghost->x);
    dc_sparse_multiply(&s->midpoint, 3, &s->x->x, &m->x);
    parts.vertex_count = corners;
    parts.triangles = paper_indices(corners);
    for (q = 0; q < corners; q++) {
        const dc_index *e = s->mesh.edge_of_corner;
        part[q] = vec_sub(vec_add(m[e[paper_next(q)]], m[e[paper_prev(q)]]), m[e[q]]);
        parts.triangles[q] = q;
    }
    snprintf(path, sizeof path, "out/eb08_%s.obj", scene);
    ok &= paper_write_obj(path, &s->mesh, ghost);
    snprintf(path, sizeof path, "out/eb08_%s_parts.obj", scene);
    ok &= paper_write_obj(path, &parts, part);
    if (!ok) fprintf(stderr, "cannot write out/eb08_%s.obj and what belongs to it\n", scene);
    return ok;
}

/* ---- Section 6: the scenes ---- */

typedef struct options {
    int cells, is_euler;
    double dt, seconds;
    border border;
} options;

/* On a shallow arc between the upper corners, .99 m apart, so that it can sag; or flat above a ball. */
static void place(dc_vec3 *x, dc_index count, int has_ball)
{
    const double half = 0.2454; /* [rad] sin(half) / half = .99 */
    dc_index v;
    for (v = 0; v < count; v++) {
        double angle = half * (2 * x[v].x - 1), radius = 1 / (2 * half);
        if (has_ball)
            x[v] = vec_make(x[v].x - 0.5, 0.33, 0.5 - x[v].y);
        else
            x[v] = vec_make(0.5 + radius * sin(angle), radius * (cos(half) - cos(angle)), -x[v].y);
    }
}

/* Ours: the ball, friction, thickness, and the masses of the ghost mesh: thirds of its triangles. */
static void make_collider(sheet *s, const dc_vec3 *positions)
{
    dc_collider_body body = paper_body(&s->mesh, positions);
    double *masses = paper_reals(s->mesh.vertex_count);
    dc_index q;
    for (q = 0; q < 3 * s->mesh.triangle_count; q++)
        masses[s->mesh.triangles[q]] += DENSITY * s->mesh.rest_area[q / 3] / 3;
    body.masses = masses;
    body.thickness = 0.01;
    body.friction = 0.3;
    s->collider = paper_ball_collider(&body, RADIUS, 0.3);
}

static sheet make_sheet(const options *o, int has_ball, print how)
{
    sheet s;
    dc_vec3 *x;
    dc_index pins[2], e, p;
    memset(&s, 0, sizeof s);
    s.mesh = paper_grid(o->cells, 1, DC_DIAGONALS_FORWARD, &x);
    s.border = o->border;
    s.is_euler = o->is_euler;
    s.tolerance = TOLERANCE;
    s.how = how;
    place(x, s.mesh.vertex_count, has_ball);
    pins[0] = o->cells * (o->cells + 1);
    pins[1] = pins[0] + o->cells;
    make_nodes(&s);
    make_masses_and_ghost(&s);
    make_constraints(&s, pins, has_ball ? 0 : 2, x);
    make_bending(&s);
    make_way_back(&s);
    s.x = paper_vectors(s.node_count), s.x_old = paper_vectors(s.node_count);
    s.v = paper_vectors(s.node_count), s.v_old = paper_vectors(s.node_count);
    for (e = 0; e < s.mesh.edge_count; e++) { /* a midpoint, or the vertices where they are */
        dc_vec3 a = x[s.mesh.edge_vertices[2 * e]], b = x[s.mesh.edge_vertices[2 * e + 1]];
        p = s.midpoint.start[e];
        if (s.midpoint.start[e + 1] - p == 1) a = b = vec_scale(0.5, vec_add(a, b));
        s.x[s.midpoint.column[p]] = a;
        s.x[s.midpoint.column[s.midpoint.start[e + 1] - 1]] = b;
    }
    if (!project(&s, s.x)) fprintf(stderr, "eb08: the start cannot be projected\n");
    s.ghost = paper_vectors(s.mesh.vertex_count);
    dc_sparse_multiply(&s.a, 3, &s.x->x, &s.ghost->x);
    if (has_ball) make_collider(&s, x);
    memset(&s.count, 0, sizeof s.count);
    return s;
}

static void tell(sheet *s, double time, double start)
{
    energies e = measure(s);
    double root, error = evaluate(s, s->x, &root);
    printf("  %5.2f s  |C|/d^2 %.1e  kinetic %.4f  potential %+.4f  bending %.5f  lost %.4f J  "
           "ghost strain %.3f\n",
           time, error, e.kinetic, e.potential, e.bending,
           start - e.kinetic - e.potential - e.bending, ghost_strain(s));
}

/* Returns whether it went to its end, and its shapes are written. */
static int run(const options *o, const char *scene, print how)
{
    int has_ball = strcmp(scene, "ball") == 0, steps = paper_steps(o->seconds, o->dt), i, ok = 1;
    sheet s = make_sheet(o, has_ball, how);
    energies e = measure(&s);
    double start = e.kinetic + e.potential + e.bending;
    printf("%s, %s, %d cells, %s, %g s a step: %d nodes, %d constraints\n", scene, print_names[how],
           o->cells, o->is_euler ? "backward Euler" : "BDF2", o->dt, (int)s.node_count,
           (int)s.difference.row_count);
    for (i = 0; ok && i < steps; i++) {
        ok = advance(&s, o->dt);
        if (!ok) printf("  no step leads on from %.3f s\n", i * o->dt);
        if (ok && (i + 1) % (steps / 10 > 0 ? steps / 10 : 1) == 0)
            tell(&s, (i + 1) * o->dt, start);
    }
    if (s.count.steps > 0)
        printf("  %.2f iterations a step, %ld steps halved, %ld of %ld not certified\n",
               (double)s.count.iterations / (double)s.count.steps, s.count.halvings,
               s.count.uncertified, s.count.steps);
    if (how == MENDED) ok &= write_shapes(&s, scene);
    return ok;
}

static int read_border(char **argv, border *b)
{
    if (!argv[1] || (strcmp(argv[1], "rows") != 0 && strcmp(argv[1], "none") != 0)) return 0;
    *b = strcmp(argv[1], "rows") == 0 ? BORDER_ROWS : BORDER_NONE;
    return 1;
}

static int read_options(int argc, char **argv, options *o, int *is_printed, const char **only)
{
    int i, ok = 1;
    for (i = 1; ok && i < argc; i++) {
        if (strcmp(argv[i], "--printed") == 0)
            *is_printed = 1;
        else if (strcmp(argv[i], "--euler") == 0)
            o->is_euler = 1;
        else if (strcmp(argv[i], "hung") == 0 || strcmp(argv[i], "ball") == 0)
            ok = !*only, *only = argv[i];
        else if (strcmp(argv[i], "--cells") == 0)
            ok = paper_count(argv + i, 2, 100, &o->cells), i++;
        else if (strcmp(argv[i], "--dt") == 0)
            ok = paper_number(argv + i, DT_MIN, 1, &o->dt), i++;
        else if (strcmp(argv[i], "--seconds") == 0)
            ok = paper_number(argv + i, DT_MIN, SECONDS_MAX, &o->seconds), i++;
        else if (strcmp(argv[i], "--border") == 0)
            ok = read_border(argv + i, &o->border), i++;
        else
            ok = 0;
    }
    return ok && paper_steps(o->seconds, o->dt) > 0;
}

int main(int argc, char **argv)
{
    static const char *const scenes[2] = {"hung", "ball"};
    options o = {16, 0, 0.002, 2, BORDER_UNKNOWNS};
    const char *only = NULL;
    int is_printed = 0, ok = 1, k;
    print how;
    if (!read_options(argc, argv, &o, &is_printed, &only)) {
        fprintf(stderr, "eb08 [--printed] [--border rows|none] [--euler] [--cells N] [--dt S] "
                        "[--seconds S] [hung|ball]\n");
        return 2;
    }
    for (k = 0; k < 2; k++)
        for (how = MENDED; how < (is_printed ? PRINTS : MENDED + 1); how = (print)(how + 1)) {
            if (only && strcmp(only, scenes[k]) != 0) continue;
            if (how == PRINTED_14 && k == 0) continue; /* nothing collides */
            ok &= run(&o, scenes[k], how) || how != MENDED;
        }
    return !ok;
}
