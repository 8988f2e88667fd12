/*
 * ct10.c - cloth sinks without masses and seconds, after
 *
 *     M. Chen, K. Tang: A fully geometric approach for developable cloth deformation simulation.
 *     The Visual Computer 26, 2010
 *
 * What one will see: square sheets of 31 x 31 vertices, held by some anchors, over a ball or over
 * nothing, sink by iterations of linear least squares; borders go to curves; a skirt takes five
 * postures. For the paper's I.b to I.f, II.a, II.c (923 vertices there) and III.b to III.f (1361) a
 * line of its table 1 is printed, below it what this program got; out/ct10_NAME.obj is the shape.
 *
 *     ct10 [--printed] [--cells N] [SCENE...]
 *
 * --printed also runs (8), (11) and step 10 of UpdateMesh as they were printed, and the limit of changes of
 * edges in its other reading, but for postures.
 *
 * Where to find what, by the paper's numbers:
 *
 *     (1) E_L  (2) w  E_I  E_G        section 3   energies, weights
 *     (3), Omega, dynamic anchors     section 4
 *     (4) to (7)                      section 5   what is asked of heights, lengths, anchors; gamma
 *     (8) to (12) least squares       section 5.1, 5.2
 *     UpdateMesh, AdjustParameter     section 6   in steps as printed
 *     curves, postures                section 7   ours: how they become anchors
 *
 * z is up; lengths are in edges. What the method cannot do shows: no scene comes to rest within 200
 * iterations, edges stretch by 1% to 6%, and a tenth to more than half of iterations are undone.
 * Nor is the result certain: with 0 to 1e-9 on the diagonal of L^T L, E_I of scene I.d is 2.3 to 4.3.
 */
#include "paper.h"

#include "../common/shapes.c"

enum { CELLS = 30, ITERATION_MAX = 200, RATE_SPAN = 5, STALL = 15, CROSSINGS_MAX = 4096 };

/* Weights w1, w2, w3: factors and caps of AdjustParameter. */
static const double FACTOR[3] = {1.75, 1.5, 1.25}, CAP[3] = {0.8, 0.6, 0.4};
static const double PHI = 0.15;         /* of (7)                                              */
static const double CHANGE_MAX = 0.005; /* of an edge's length, as a part of it                */
static const double WEIGHTS[3] = {0.6, 0.3, 0.1}; /* ours: at the start                          */
/* Ours: minimum_rate_of_E, the part by which an energy sinks in an iteration; epsilon_L for each edge
   and epsilon_I for each anchor, [edge^2]; iterations undone one after the other that are a lock. */
static const double RATE_LEAST = 0.01, LENGTH_SMALL = 1e-6, ANCHOR_SMALL = 1e-4;
enum { LOCKED = 10 };
/* Ours: an axis in which no row holds a vertex leaves it where it is. */
static const double REGULAR = 1e-10;

/* What is run as it was printed. */
typedef enum print {
    MENDED,
    PRINTED_8,    /* rows (8): each axis gets all of l_0 - l                                      */
    PRINTED_11,   /* the same divided by (z_1 - z_2) / l, as in (11)                              */
    PRINTED_STEP, /* step 10 of UpdateMesh takes the new anchors back                             */
    TOTAL_CHANGE, /* not mended: the other reading of "if any edge length change exceeds"         */
    PRINTS
} print;
static const char *const print_names[PRINTS] = {"mended", "(8)", "(11)", "step 10", "total"};

/* What holds a vertex: Psi is given; Omega of dynamic anchors comes and goes. */
enum { FREE = 0, OBSTACLE = 1, SELF = 2, GIVEN = 4 };

typedef struct sheet {
    dc_mesh mesh;
    dc_index *star_start, *star; /* neighbours of each vertex                                     */
    double *rest;                /* (edges) l_0(e)                                                */
    double *mass;                /* (vertices) m_i, 1 on average                                  */
    double rest_area;
    dc_vec3 *start;  /* (vertices) M^0                                                */
    dc_vec3 *x;      /* X_0                                                           */
    dc_vec3 *next;   /* X_0 + Delta X                                                 */
    dc_vec3 *clear;  /* X^f, the last shape that did not cross itself                 */
    dc_vec3 *target; /* T(v), where it is held                                        */
    unsigned char *held;
    dc_vec3 *clear_target; /* both as they were at X^f: Omega^f                             */
    unsigned char *clear_held;
    int has_gravity, has_ball;
    double w[3]; /* of (2)                                                        */
    double energy[3][RATE_SPAN + 1]; /* E_L, E_I, E_G of the last iterations                      */

    dc_sparse l;      /* L of (11) without its weights: edges, then vertices           */
    dc_sparse normal; /* L^T W^2 L                                                     */
    dc_cholesky *factor;
    double *weight, *asked; /* (rows of L)                                                   */
    double *b, *delta;      /* (vertices)                                                    */
    dc_index *work;
    dc_collider *collider; /* finds what crosses                                            */
} sheet;

static const dc_vec3 BALL = {0, 0, -8.3};
static const double BALL_RADIUS = 8;

static double *component(dc_vec3 *v, int axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

static dc_vec3 edge_of(const sheet *s, const dc_vec3 *x, dc_index e)
{
    return vec_sub(x[s->mesh.edge_vertices[2 * e]], x[s->mesh.edge_vertices[2 * e + 1]]);
}

/* ---- Section 3: energies ---- */

static double length_energy(const sheet *s, double *strain)
{
    double sum = 0;
    dc_index e;
    *strain = 0;
    for (e = 0; e < s->mesh.edge_count; e++) {
        double excess = vec_length(edge_of(s, s->x, e)) - s->rest[e];
        sum += excess * excess; /* (1) */
        *strain = paper_max(*strain, fabs(excess) / s->rest[e]);
    }
    return sum;
}

static double anchor_energy(const sheet *s)
{
    double sum = 0;
    dc_index v;
    for (v = 0; v < s->mesh.vertex_count; v++)
        if (s->held[v] != FREE) sum += pow(vec_length(vec_sub(s->x[v], s->target[v])), 2); /* (3) */
    return sum;
}

/* E_G. Printed: (sum m_i z_i)^2, which depends on where heights begin; mended: the sum, as in (4). */
static double gravity_energy(const sheet *s)
{
    double sum = 0;
    dc_index v;
    for (v = 0; v < s->mesh.vertex_count; v++)
        if (s->held[v] != GIVEN) sum += s->mass[v] * s->x[v].z;
    return s->has_gravity ? sum : 0;
}

static double area(const sheet *s)
{
    double sum = 0;
    dc_index t;
    for (t = 0; t < s->mesh.triangle_count; t++) {
        const dc_index *v = s->mesh.triangles + 3 * t;
        dc_vec3 a = vec_sub(s->x[v[1]], s->x[v[0]]), b = vec_sub(s->x[v[2]], s->x[v[0]]);
        sum += vec_length(vec_cross(a, b)) / 2;
    }
    return sum;
}

/* ---- Section 5: linear least squares ---- */

static double star_length(const sheet *s, dc_index v, dc_vec3 at)
{
    double sum = 0;
    dc_index k;
    for (k = s->star_start[v]; k < s->star_start[v + 1]; k++)
        sum += vec_length(vec_sub(at, s->x[s->star[k]]));
    return sum;
}

/* gamma_i of (7): how far a vertex sinks by itself until the lengths around it are changed by 15%. Ours:
   of several such depths, as below a crest, any. */
static double allowable(const sheet *s, dc_index v)
{
    double length = star_length(s, v, s->x[v]), low = 0, high = 3 * length;
    int k;
    for (k = 0; k < 40; k++) {
        double middle = (low + high) / 2;
        dc_vec3 at = vec_axpy(s->x[v], -middle, vec_make(0, 0, 1));
        if (fabs(star_length(s, v, at) - length) < PHI * length)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The row of an edge. (8) makes the three axes overshoot together: each moves the ends by as much as
   the length lacks. Mended: each does its share, d_a / l of it, and they add up to it. (11) divides by
   z_1 - z_2, which weighs edges anew and cannot be where that is 0. */
static void write_edge(sheet *s, dc_sparse_builder *rows, dc_index e, int axis, print how)
{
    dc_vec3 d = edge_of(s, s->x, e);
    double l = vec_length(d), c = *component(&d, axis) / l, lacks = s->rest[e] - l; /* (5) */
    double factor = how == PRINTED_11 ? 1 : c;
    s->weight[e] = s->w[0];
    s->asked[e] = how == PRINTED_11 ? lacks / c : how == PRINTED_8 ? lacks : c * c * lacks;
    dc_sparse_add(rows, s->mesh.edge_vertices[2 * e], factor); /* (8) */
    dc_sparse_add(rows, s->mesh.edge_vertices[2 * e + 1], -factor);
    dc_sparse_finish_row(rows);
}

/* That of a vertex. Printed, (10) has rows for Omega, and (11) does not: mended. */
static void write_vertex(sheet *s, dc_sparse_builder *rows, dc_index v, int axis)
{
    dc_index row = s->mesh.edge_count + v;
    s->weight[row] = s->asked[row] = 0;
    if (s->held[v] != FREE) {
        dc_vec3 way = vec_sub(s->target[v], s->x[v]); /* (6) */
        s->weight[row] = s->w[1];
        s->asked[row] = *component(&way, axis); /* (9) */
    } else if (s->has_gravity && axis == 2) {
        s->weight[row] = s->w[2];
        s->asked[row] = -allowable(s, v); /* (10) */
    }
    dc_sparse_add(rows, v, 1);
    dc_sparse_finish_row(rows);
}

/* (11) for one axis. */
static void write_rows(sheet *s, int axis, print how)
{
    dc_index i, edges = s->mesh.edge_count, vertices = s->mesh.vertex_count;
    dc_sparse_builder rows = dc_sparse_begin(&s->l, 2 * edges + vertices, s->work);
    for (i = 0; i < edges; i++) write_edge(s, &rows, i, axis, how);
    for (i = 0; i < vertices; i++) write_vertex(s, &rows, i, axis);
    dc_sparse_finish(&rows, NULL);
    /* As (11) has them; to minimise (2) rows would have the roots of w. */
    for (i = 0; i < edges + vertices; i++) s->weight[i] *= s->weight[i];
}

/* (12): delta = (L^T L)^-1 L^T b. False if (11) cannot be. */
static int solve_axis(sheet *s, int axis, print how)
{
    dc_index i, p;
    write_rows(s, axis, how);
    memset(s->b, 0, (size_t)s->l.column_count * sizeof(double));
    for (i = 0; i < s->l.row_count; i++)
        for (p = s->l.start[i]; p < s->l.start[i + 1]; p++)
            s->b[s->l.column[p]] += s->l.value[p] * s->weight[i] * s->asked[i];
    for (i = 0; i < s->l.column_count; i++)
        if (!isfinite(s->b[i])) return 0;
    dc_gram_values(&s->l, s->weight, &s->normal, s->work);
    for (i = 0; i < s->l.column_count; i++) s->normal.value[s->normal.start[i]] += REGULAR;
    if (dc_cholesky_factor(s->factor, s->normal.value, 0, DC_PIVOTS_REFUSE, NULL) != DC_OK)
        return 0;
    dc_cholesky_solve(s->factor, 1, s->b, s->delta);
    return 1;
}

/* ---- Section 4: dynamic anchors ---- */

/* Marks what is in the ball, and the vertices of edges and triangles that cross. The paper looks for
   the latter between convex regions of the sheet; ours asks all pairs that are close. */
static void find_crossings(sheet *s, unsigned char *crosses)
{
    static dc_feature_pair pair[CROSSINGS_MAX];
    dc_index count = dc_collider_crossings(s->collider, s->next, CROSSINGS_MAX, pair), i, k, v;
    memset(crosses, 0, (size_t)s->mesh.vertex_count);
    if (count == DC_NONE || count > CROSSINGS_MAX) count = CROSSINGS_MAX;
    for (i = 0; i < count; i++) {
        for (k = 0; k < 2; k++) crosses[pair[i].first.vertex[k]] |= SELF;
        for (k = 0; k < 3; k++) crosses[pair[i].second.vertex[k]] |= SELF;
    }
    for (v = 0; v < s->mesh.vertex_count && s->has_ball; v++)
        if (vec_length(vec_sub(s->next[v], BALL)) < BALL_RADIUS) crosses[v] |= OBSTACLE;
}

/* X^f and Omega^f. */
static void keep_clear(sheet *s, const dc_vec3 *x)
{
    size_t n = (size_t)s->mesh.vertex_count;
    memcpy(s->clear, x, n * sizeof(dc_vec3));
    memcpy(s->clear_target, s->target, n * sizeof(dc_vec3));
    memcpy(s->clear_held, s->held, n);
}

/* Steps 7 to 10 of UpdateMesh. `crossed` and what is returned: whether Omega had and has vertices that
   cross something, a union of SELF and OBSTACLE. */
static int collide(sheet *s, int crossed, print how)
{
    dc_index n = s->mesh.vertex_count, v;
    unsigned char *crosses = (unsigned char *)paper_memory((size_t)n);
    int now = 0;
    find_crossings(s, crosses);
    for (v = 0; v < n; v++) {
        now |= crosses[v];
        if (!crosses[v] && s->held[v] != GIVEN) s->held[v] = FREE; /* step 7 */
        if (!crosses[v] || s->held[v] != FREE) continue;
        s->held[v] = crosses[v] & SELF ? SELF : OBSTACLE; /* step 8 */
        s->target[v] = s->held[v] == SELF ? s->clear[v] : s->x[v];
    }
    if (!(now & SELF)) { /* step 9 */
        keep_clear(s, s->next);
    } else if (!(crossed & SELF)) { /* step 10 */
        memcpy(s->next, s->clear, (size_t)n * sizeof(dc_vec3));
        /* Printed, Omega goes back to Omega^f as well. Mended by section 4, which resumes from X^f with
           the new anchors. */
        if (how == PRINTED_STEP) {
            memcpy(s->held, s->clear_held, (size_t)n);
            memcpy(s->target, s->clear_target, (size_t)n * sizeof(dc_vec3));
        }
    }
    free(crosses);
    return now;
}

/* ---- Section 6: the algorithm ---- */

/* The weights of the next iteration; `small` are epsilon_L, epsilon_I, epsilon_G. The common factor of
   500 has no effect on (12) and is left out. */
static void adjust_parameter(sheet *s, int iteration, const double small[3])
{
    int span = iteration < RATE_SPAN ? iteration : RATE_SPAN, k, is_capped = 0;
    double sum;
    for (k = 0; k < 3 && span > 0; k++) { /* steps 1.1 to 1.3 */
        double now = s->energy[k][iteration % (RATE_SPAN + 1)];
        double then = s->energy[k][(iteration - span) % (RATE_SPAN + 1)];
        double rate = (then - now) / (span * fmax(fabs(then), 1e-300));
        if (rate < RATE_LEAST && now > small[k]) s->w[k] *= FACTOR[k];
    }
    sum = s->w[0] + s->w[1] + s->w[2];
    for (k = 0; k < 3; k++) {
        s->w[k] /= sum; /* step 2 */
        is_capped |= s->w[k] > CAP[k];
        s->w[k] = fmin(s->w[k], CAP[k]); /* step 3 */
    }
    sum = s->w[0] + s->w[1] + s->w[2];
    for (k = 0; k < 3 && is_capped; k++) s->w[k] /= sum; /* step 4, which may exceed the caps */
}

/* The largest change of an edge in this iteration, or (TOTAL_CHANGE) since the start, as a part of it. */
static double largest_change(const sheet *s, print how)
{
    double largest = 0;
    dc_index e;
    for (e = 0; e < s->mesh.edge_count; e++) {
        double from = how == TOTAL_CHANGE ? s->rest[e] : vec_length(edge_of(s, s->x, e));
        double change = vec_length(edge_of(s, s->next, e)) - from;
        largest = paper_max(largest, fabs(change) / s->rest[e]);
    }
    return largest;
}

typedef struct outcome {
    int iterations, undone, dynamic;
    int is_at_rest; /* condition A; else B, the limit                                             */
    int has_failed; /* (11) has no solution                                                       */
    double length_energy, anchor_energy, rise, area_error, strain;
} outcome;

/* E_G has not been improved for 15 iterations. */
static int has_stalled(const sheet *s, double *lowest, int *stalled)
{
    double now = gravity_energy(s);
    *stalled = now < *lowest ? 0 : *stalled + 1;
    *lowest = fmin(*lowest, now);
    return *stalled >= STALL;
}

static void measure(const sheet *s, outcome *o)
{
    dc_index v;
    o->length_energy = length_energy(s, &o->strain);
    o->anchor_energy = anchor_energy(s);
    o->area_error = fabs(area(s) - s->rest_area) / s->rest_area;
    o->rise = o->dynamic = 0;
    for (v = 0; v < s->mesh.vertex_count; v++) {
        o->rise += s->x[v].z - s->start[v].z;
        o->dynamic += s->held[v] == SELF || s->held[v] == OBSTACLE;
    }
}

static void note_energies(sheet *s, int iteration)
{
    double strain;
    s->energy[0][iteration % (RATE_SPAN + 1)] = length_energy(s, &strain);
    s->energy[1][iteration % (RATE_SPAN + 1)] = anchor_energy(s);
    s->energy[2][iteration % (RATE_SPAN + 1)] = gravity_energy(s);
}

/* Steps 3 to 6, on a copy. */
static int solve(sheet *s, print how)
{
    int axis;
    dc_index v;
    memcpy(s->next, s->x, (size_t)s->mesh.vertex_count * sizeof(dc_vec3));
    for (axis = 0; axis < 3; axis++) {
        if (!solve_axis(s, axis, how)) return 0;
        for (v = 0; v < s->mesh.vertex_count; v++) *component(s->next + v, axis) += s->delta[v];
    }
    return 1;
}

static outcome update_mesh(sheet *s, int anchor_count, print how)
{
    outcome o;
    double change_max = CHANGE_MAX, lowest = HUGE_VAL,
           small[3] = {0, 0, -HUGE_VAL}; /* ours: gravity is never done */
    int crossed = 0, stalled = 0, in_a_row = 0;
    memset(&o, 0, sizeof o);
    memcpy(s->w, WEIGHTS, sizeof s->w);
    if (!s->has_gravity) s->w[2] = 0;
    keep_clear(s, s->x);
    small[0] = LENGTH_SMALL * s->mesh.edge_count;
    while (o.iterations < ITERATION_MAX && !o.is_at_rest) { /* step 1, condition B */
        note_energies(s, o.iterations);
        small[1] = ANCHOR_SMALL * (anchor_count + o.dynamic);
        adjust_parameter(s, o.iterations++, small); /* step 2 */
        o.has_failed = !solve(s, how);
        if (o.has_failed) break;
        if (!(largest_change(s, how) <= change_max)) { /* back to M^(k-1), and w1 doubled */
            o.undone++;
            s->w[0] *= 2;
            if (++in_a_row < LOCKED) continue;
            in_a_row = 0; /* "once lock occurs": less w1, and (ours) twice the change */
            s->w[0] /= 4;
            change_max *= 2;
            continue;
        }
        in_a_row = 0;
        crossed = collide(s, crossed, how); /* steps 7 to 10 */
        memcpy(s->x, s->next, (size_t)s->mesh.vertex_count * sizeof(dc_vec3));
        measure(s, &o);
        small[1] = ANCHOR_SMALL * (anchor_count + o.dynamic);
        /* condition A; ours: and nothing crosses */
        o.is_at_rest = has_stalled(s, &lowest, &stalled) && !crossed &&
                       o.length_energy < small[0] && o.anchor_energy <= small[1];
    }
    measure(s, &o);
    return o;
}

/* ---- The sheet ---- */

/* The rows of L, to find its pattern; they are written anew in each iteration. */
static void make_matrices(sheet *s)
{
    dc_index edges = s->mesh.edge_count, vertices = s->mesh.vertex_count;
    s->l = paper_sparse(edges + vertices, vertices, 2 * edges + vertices);
    s->weight = paper_reals(edges + vertices);
    s->asked = paper_reals(edges + vertices);
    s->b = paper_reals(vertices);
    s->delta = paper_reals(vertices);
    s->work = paper_indices(vertices);
    write_rows(s, 0, MENDED);
    s->normal = paper_gram(&s->l);
    s->factor = paper_cholesky(&s->normal, 1);
}

static void make_stars(sheet *s)
{
    const dc_index *end = s->mesh.edge_vertices;
    dc_index i, v;
    s->star_start = paper_indices(s->mesh.vertex_count + 2);
    s->star = paper_indices(2 * s->mesh.edge_count);
    for (i = 0; i < 2 * s->mesh.edge_count; i++) s->star_start[end[i] + 2]++;
    for (v = 0; v < s->mesh.vertex_count; v++) s->star_start[v + 2] += s->star_start[v + 1];
    for (i = 0; i < 2 * s->mesh.edge_count; i++) s->star[s->star_start[end[i] + 1]++] = end[i ^ 1];
}

static void make_collider(sheet *s)
{
    dc_collider_desc desc = dc_collider_defaults();
    dc_collider_body body = paper_body(&s->mesh, s->start);
    desc.bodies = &body;
    desc.body_count = 1;
    desc.pair_capacity = 200 * s->mesh.vertex_count; /* a heap of cloth that crosses has many */
    s->collider = paper_collider(&desc);
}

static sheet make(dc_mesh mesh, dc_vec3 *start)
{
    sheet s;
    dc_index i, n = mesh.vertex_count;
    memset(&s, 0, sizeof s);
    s.mesh = mesh;
    s.start = start;
    s.rest = paper_reals(s.mesh.edge_count);
    s.mass = paper_reals(n);
    for (i = 0; i < s.mesh.triangle_count; i++) s.rest_area += s.mesh.rest_area[i];
    for (i = 0; i < 3 * s.mesh.triangle_count; i++) {
        s.rest[s.mesh.edge_of_corner[i]] = s.mesh.rest_length[i];
        s.mass[s.mesh.triangles[i]] += s.mesh.rest_area[i / 3] / 3 * n / s.rest_area;
    }
    s.x = paper_vectors(n);
    s.next = paper_vectors(n);
    s.clear = paper_vectors(n);
    s.clear_target = paper_vectors(n);
    s.clear_held = (unsigned char *)paper_memory((size_t)n);
    s.target = paper_vectors(n);
    s.held = (unsigned char *)paper_memory((size_t)n);
    memcpy(s.x, start, (size_t)n * sizeof(dc_vec3));
    make_stars(&s);
    make_matrices(&s);
    make_collider(&s);
    keep_clear(&s, start);
    return s;
}

/* A square of unit cells about the origin. */
static sheet make_sheet(int cells)
{
    dc_vec3 *flat;
    dc_mesh mesh = paper_grid(cells, cells, DC_DIAGONALS_HERRINGBONE, &flat);
    dc_index i;
    for (i = 0; i < mesh.vertex_count; i++)
        flat[i] = vec_sub(flat[i], vec_make(cells / 2.0, cells / 2.0, 0));
    return make(mesh, flat);
}

/* Ours, as the paper has only a picture: a cone about z, which is developable, of edges of about 1.
   Its waist, the last ring, has z = 0. */
static sheet make_skirt(int cells)
{
    const double waist = 0.19 * cells, hem = 0.45 * cells, length = 2 * cells / 3.0;
    shape_desc shape = shape_defaults(SHAPE_ANNULUS);
    dc_index vertices, triangles, v;
    dc_mesh_desc desc;
    dc_error error;
    dc_vec3 *cone;
    shape.columns = 2 * cells;
    shape.rows = (dc_index)length;
    shape.inner_radius = waist;
    shape.radius = hem;
    shape_counts(&shape, &vertices, &triangles, &error);
    cone = paper_vectors(vertices);
    shape_build(&shape, cone, paper_indices(3 * triangles), NULL, &desc, &error);
    for (v = 0; v < desc.vertex_count; v++)
        cone[v].z = (waist - vec_length(cone[v])) / (hem - waist) *
                    sqrt(length * length - (hem - waist) * (hem - waist));
    return make(paper_mesh(&desc), cone);
}

/* ---- Section 7: the scenes ---- */

/* Of the border at y > 0; the sine holds that at y < 0, too. The rail is level. */
typedef enum curve { NO_CURVE, CIRCLE, HELIX, SINE, RAIL } curve;

typedef struct scene {
    const char *name, *published; /* its row of table 1                                          */
    int has_gravity, has_ball, anchor_count;
    double place[4][2]; /* of anchors, as parts of half a side                                    */
    double target[4][3];
    curve curve;
    int is_posture;          /* of the skirt                                                     */
    double lean, thin, rise; /* of its waist: about x [degree], along y, along z                  */
} scene;

/* clang-format off */
static const scene scenes[] = {
    {.name = "I.b", .published = "E_I 6.1e-04  E_L 2.3e-03  dz  12959  E_A 2.0e-03   56 iterations",
     .anchor_count = 3, .place = {{-1, -1}, {1, -1}, {0, 1}},
     .target = {{-11.25, -11.25, 7.5}, {11.25, -11.25, 7.5}, {0, 11.25, 7.5}}},
    {.name = "I.c", .published = "E_I 8.4e-04  E_L 4.7e-03  dz  -3929  E_A 2.2e-03   92 iterations",
     .has_gravity = 1, .anchor_count = 3, .place = {{-1, -1}, {1, -1}, {0, 1}},
     .target = {{-11.25, -11.25, 7.5}, {11.25, -11.25, 7.5}, {0, 11.25, 7.5}}},
    {.name = "I.d", .published = "E_I 7.7e-03  E_L 2.1e-03  dz  -6949  E_A 1.9e-03   36 iterations",
     .has_gravity = 1, .anchor_count = 2, .place = {{-1, -1}, {1, -1}},
     .target = {{-12, -12, 0}, {12, -12, 0}}},
    {.name = "I.e", .published = "E_I 7.1e-03  E_L 2.1e-03  dz  -6410  E_A 2.2e-03   23 iterations",
     .has_gravity = 1, .anchor_count = 4, .place = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}},
     .target = {{-12, -12, 0}, {12, -12, 0}, {-12, 12, 0}, {12, 12, 0}}},
    {.name = "I.f", .published = "E_I 6.3e-03  E_L 2.3e-03  dz -16888  E_A 1.9e-03   32 iterations",
     .has_gravity = 1, .anchor_count = 1, .place = {{0, 0}}, .target = {{0, 0, 0}}},
    {.name = "II.a",
     .published = "E_I 1.2e-04  E_L 2.1e-03  dz -32721  E_A 1.7e-03  158 iterations",
     .has_gravity = 1, .has_ball = 1},
    {.name = "II.c",
     .published = "E_I 3.1e-04  E_L 2.3e-03  dz -21508  E_A 1.9e-03  200 iterations",
     .has_gravity = 1, .has_ball = 1, .anchor_count = 2, .place = {{-1, -1}, {1, -1}},
     .target = {{-12, -12, 2}, {12, -12, 2}}},
    {.name = "circle", .curve = CIRCLE},
    {.name = "helix", .curve = HELIX},
    {.name = "sine", .curve = SINE},
    {.name = "rail", .curve = RAIL, .has_gravity = 1},
    {.name = "III.b",
     .published = "E_I 1.1e-05  E_L 2.6e-03  dz  -3622  E_A 7.1e-03   32 iterations",
     .has_gravity = 1, .is_posture = 1, .thin = 1},
    {.name = "III.c",
     .published = "E_I 3.1e-05  E_L 3.5e-03  dz   3011  E_A 2.2e-03   38 iterations",
     .has_gravity = 1, .is_posture = 1, .lean = 30, .thin = 1},
    {.name = "III.d",
     .published = "E_I 7.7e-04  E_L 3.3e-03  dz   4771  E_A 3.1e-03  176 iterations",
     .has_gravity = 1, .is_posture = 1, .lean = 30, .thin = 0.6},
    {.name = "III.e",
     .published = "E_I 6.3e-05  E_L 3.2e-03  dz   3125  E_A 2.1e-03  107 iterations",
     .has_gravity = 1, .is_posture = 1, .thin = 0.6, .rise = 3},
    {.name = "III.f",
     .published = "E_I 5.1e-05  E_L 4.2e-03  dz   2160  E_A 3.1e-03  132 iterations",
     .has_gravity = 1, .is_posture = 1, .thin = 1},
};
/* clang-format on */
enum { SCENES = sizeof scenes / sizeof scenes[0] };

static const double PI = 3.141592653589793;

/* Ours. At t from 0 to 1: half a circle, a helix, a wave; all longer than the side. */
static dc_vec3 curve_point(curve kind, double side, double t)
{
    double radius = 1.1 * side / PI, turn = PI * (t - 0.5), wave = 0.1 * side * sin(2 * PI * t);
    if (kind == SINE) return vec_make((t - 0.5) * side, side / 2, wave);
    if (kind == RAIL) return vec_make((t - 0.5) * side, side / 2 + wave, 0);
    return vec_make(radius * sin(turn), side / 2 + (kind == HELIX ? 0.3 * radius * turn : 0),
                    radius * (1 - cos(turn)));
}

static void hold(sheet *s, dc_index v, dc_vec3 target)
{
    s->held[v] = GIVEN;
    s->target[v] = target;
}

/* The abstract has "points or space curves"; (3) and (6) have only points, each for a given vertex.
   Ours: those of a curve are an edge apart, from its start on, so that (5) and (6) agree. */
static int hold_border(sheet *s, curve kind, int cells, int side)
{
    const double speed = 1.15 * cells; /* [edge] about | d point / d t |, so that t converges */
    double t = 0;
    int i, k;
    for (i = 0; i <= cells; i++) {
        dc_vec3 p = curve_point(kind, cells, t);
        hold(s, side * cells * (cells + 1) + i, vec_make(p.x, side ? p.y : -p.y, p.z));
        for (k = 0; k < 30; k++)
            t += (1 - vec_length(vec_sub(curve_point(kind, cells, t), p))) / speed;
    }
    return cells + 1;
}

static int hold_curve(sheet *s, curve kind, int cells)
{
    return hold_border(s, kind, cells, 1) + (kind == SINE ? hold_border(s, kind, cells, 0) : 0);
}

/* The paper names "postures and anchor points", but not which. Ours: four loops of the waist are
   held, and there is no body in the skirt. */
static int hold_waist(sheet *s, const scene *example, int cells)
{
    double cosine = cos(example->lean * PI / 180), sine = sin(example->lean * PI / 180);
    dc_index last = s->mesh.vertex_count - 2 * cells;
    int i;
    for (i = 0; i < 4; i++) {
        dc_vec3 p = s->start[last + i * cells / 2];
        double y = example->thin * p.y, rise = example->rise * cells / CELLS;
        hold(s, last + i * cells / 2, vec_make(p.x, cosine * y, sine * y + rise));
    }
    return 4;
}

/* The scene's start and its anchors, which it counts; targets are of 30 cells, scaled to others.
   Where a posture starts is not told. Ours: where the one before it ended, in its X^f. */
static int begin(sheet *s, const scene *example, int cells)
{
    size_t n = (size_t)s->mesh.vertex_count;
    int i;
    memcpy(s->x, example->is_posture ? s->clear : s->start, n * sizeof(dc_vec3));
    memset(s->held, 0, n);
    s->has_gravity = example->has_gravity;
    s->has_ball = example->has_ball;
    if (example->curve != NO_CURVE) return hold_curve(s, example->curve, cells);
    if (example->is_posture) return hold_waist(s, example, cells);
    for (i = 0; i < example->anchor_count; i++) {
        dc_index column = (dc_index)(cells / 2 * (1 + example->place[i][0]));
        dc_index row = (dc_index)(cells / 2 * (1 + example->place[i][1]));
        const double *to = example->target[i];
        hold(s, row * (cells + 1) + column,
             vec_scale((double)cells / CELLS, vec_make(to[0], to[1], to[2])));
    }
    return example->anchor_count;
}

static void tell(const char *name, const outcome *o)
{
    printf("%-8s  E_I %.1e  E_L %.1e  dz %6.0f  E_A %.1e  %3d iterations (%d undone), strain %.3f, "
           "%d dynamic, %s\n",
           name, o->anchor_energy, o->length_energy, o->rise, o->area_error, o->iterations,
           o->undone, o->strain, o->dynamic,
           o->has_failed   ? "no solution"
           : o->is_at_rest ? "at rest"
                           : "at the limit");
}

/* Returns whether it came to an end that the paper knows, and its shape is written. */
static int run(sheet *s, const scene *example, int cells, int is_printed)
{
    char path[64];
    print how;
    int ok = 1;
    printf("%s\npaper     %s\n", example->name, example->published ? example->published : "none");
    is_printed &= !example->is_posture; /* the next posture starts where this one ends */
    for (how = MENDED; how < (is_printed ? PRINTS : MENDED + 1); how = (print)(how + 1)) {
        outcome o = update_mesh(s, begin(s, example, cells), how);
        tell(print_names[how], &o);
        if (how != MENDED) continue;
        snprintf(path, sizeof path, "out/ct10_%s.obj", example->name);
        ok = !o.has_failed;
        if (paper_write_obj(path, &s->mesh, s->x)) continue;
        fprintf(stderr, "cannot write %s\n", path);
        ok = 0;
    }
    return ok;
}

/* wanted: each scene that is named, or all if none is; and the postures before one that is. */
static int read_options(int argc, char **argv, int *cells, int *is_printed, int wanted[SCENES])
{
    int i, k, has_names = 0, ok = 1;
    for (k = 0; k < SCENES; k++) wanted[k] = 0;
    for (i = 1; ok && i < argc; i++) {
        if (strcmp(argv[i], "--printed") == 0) {
            *is_printed = 1;
        } else if (strcmp(argv[i], "--cells") == 0) {
            ok = paper_count(argv + i, 2, 200, cells), i++;
        } else {
            for (k = 0; k < SCENES && strcmp(argv[i], scenes[k].name) != 0; k++) continue;
            ok = k < SCENES;
            if (ok) wanted[k] = has_names = 1;
        }
    }
    for (k = 0; k < SCENES; k++) wanted[k] |= !has_names;
    for (k = SCENES - 1; k > 0; k--) wanted[k - 1] |= wanted[k] && scenes[k - 1].is_posture;
    if (ok && *cells % 2 != 0) fprintf(stderr, "--cells takes an even number\n");
    return ok && *cells % 2 == 0;
}

int main(int argc, char **argv)
{
    int cells = CELLS, is_printed = 0, ok = 1, k, wanted[SCENES];
    sheet square, skirt;
    if (!read_options(argc, argv, &cells, &is_printed, wanted)) {
        fprintf(stderr, "ct10 [--printed] [--cells N] [SCENE...], scenes:");
        for (k = 0; k < SCENES; k++) fprintf(stderr, " %s", scenes[k].name);
        fprintf(stderr, "\n");
        return 2;
    }
    square = make_sheet(cells);
    skirt = make_skirt(cells);
    for (k = 0; k < SCENES; k++)
        if (wanted[k])
            ok &= run(scenes[k].is_posture ? &skirt : &square, &scenes[k], cells, is_printed);
    return !ok;
}
