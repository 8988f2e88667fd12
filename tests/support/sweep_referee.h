/* Whether features of two meshes touch while their vertices move in straight lines, decided by exact
   arithmetic and without the method of chapter 28.

   A vertex p touches a triangle t_0 t_1 t_2, and an edge a_0 a_1 an edge b_0 b_1, if and only if the
   origin lies in the convex hull of their differences: a triangle d_i = t_i - p, or a parallelogram
   d_00 d_10 d_11 d_01 with d_ij = b_j - a_i. It lies outside if one of these holds:

       a coordinate has one strict sign at all corners               linear in time
       in a projection along an axis, one d_i x d_(i+1) > 0 and
       another < 0, as a closed convex polygon around the origin
       has them all >= 0 or all <= 0                                 quadratic
       det(d_first, d_second, d_last) != 0: its plane misses it      cubic

   and whenever it lies outside, one of them does hold. If the determinant is 0, hull and origin lie in
   a plane. If they span one, look along an axis that keeps it a plane: the products of opposite sides
   (of a triangle all three) sum up to the area A of the projection. For A != 0 the origin is beyond
   some side, whose product has the sign of -A, so another has that of A. For A = 0 the hull is on a
   line beside the origin, the products are not all 0 and their sum is. If hull and origin are on one
   line or in one point, some coordinate tells.

   So the time from 0 to 1 is halved again and again until in every piece one of the three holds
   throughout: all coefficients of a polynomial in Bernstein form have one strict sign. The pieces are
   compact, so this ends if the features keep apart. What is not decided after SWEEP_DEPTH halvings
   counts as touching.

   The corners at both ends of a piece are expansions (referee.h), times 2^depth to avoid divisions. A
   sign is taken from plain arithmetic where the rounding cannot change it. */
#ifndef TEST_SWEEP_REFEREE_H
#define TEST_SWEEP_REFEREE_H

enum {
    SWEEP_DEPTH = 60, /* then a piece is 1e-18 of the step                                      */
    SWEEP_TERMS = 18  /* a coefficient of the cubic is a sum of three determinants               */
};
/* Relative; a product of three rounded numbers, 18 of them summed up, is off by less than 40 times
   1.1e-16 of the sum of their magnitudes. */
#define SWEEP_ROUNDING 1e-14
/* Coordinates are 0 or between these in magnitude, so that no product over- or underflows: the last
   bit of the smallest is 1e-96, and of a product of three 1e-288; what is not counts as touching. */
#define SWEEP_TINY 1e-80
#define SWEEP_HUGE 1e60

typedef struct sweep_piece {
    int depth;
    expansion corner[2][4][3]; /* (end, corner, axis)                                            */
} sweep_piece;

typedef struct sweep_term {
    const expansion *factor[3];
    double sign;
} sweep_term;

/* The sign of a sum of products of two or three factors. */
static int sweep_sign(const sweep_term *term, int term_count, int factor_count)
{
    static const double one = 1;
    double sum = 0, size = 0;
    expansion total, product, next;
    int i, k, p;
    for (i = 0; i < term_count; i++) {
        double value = term[i].sign;
        for (k = 0; k < factor_count; k++) {
            double factor = 0;
            for (p = 0; p < term[i].factor[k]->count; p++) factor += term[i].factor[k]->part[p];
            value *= factor;
        }
        sum += value;
        size += fabs(value);
    }
    if (fabs(sum) > SWEEP_ROUNDING * size) return sum > 0 ? 1 : -1;
    total.count = 0;
    for (i = 0; i < term_count; i++) {
        product.count = 0;
        expansion_add_product(&product, term[i].factor[0], term[i].factor[1], term[i].sign);
        if (factor_count == 3) {
            next.count = 0;
            expansion_add_product(&next, &product, term[i].factor[2], one);
            for (p = 0; p < next.count; p++) expansion_add(&total, next.part[p]);
        } else {
            for (p = 0; p < product.count; p++) expansion_add(&total, product.part[p]);
        }
    }
    return expansion_sign(&total);
}

/* All corners strictly on one side of a coordinate plane, at both ends and so throughout. */
static int sweep_is_beside(const sweep_piece *piece, int corner_count, int axis)
{
    int above = 0, below = 0, end, i;
    for (end = 0; end < 2; end++)
        for (i = 0; i < corner_count; i++) {
            int sign = expansion_sign(&piece->corner[end][i][axis]);
            above += sign > 0;
            below += sign < 0;
        }
    return above == 2 * corner_count || below == 2 * corner_count;
}

/* Appends corner i at one end x corner k at another, seen along an axis. */
static int sweep_cross(const sweep_piece *piece, int end_i, int i, int end_k, int k, int axis,
                       sweep_term *term, int count)
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    term[count].factor[0] = &piece->corner[end_i][i][x];
    term[count].factor[1] = &piece->corner[end_k][k][y];
    term[count++].sign = 1;
    term[count].factor[0] = &piece->corner[end_i][i][y];
    term[count].factor[1] = &piece->corner[end_k][k][x];
    term[count++].sign = -1;
    return count;
}

/* The sign that corner i x corner k keeps throughout; 0: not known. */
static int sweep_turn(const sweep_piece *piece, int i, int k, int axis)
{
    sweep_term term[4];
    int sign, count;
    count = sweep_cross(piece, 0, i, 0, k, axis, term, 0);
    sign = sweep_sign(term, count, 2);
    count = sweep_cross(piece, 1, i, 1, k, axis, term, 0);
    if (sign == 0 || sweep_sign(term, count, 2) != sign) return 0;
    count = sweep_cross(piece, 0, i, 1, k, axis, term, 0);
    count = sweep_cross(piece, 1, i, 0, k, axis, term, count);
    return sweep_sign(term, count, 2) == sign ? sign : 0;
}

static int sweep_is_outside(const sweep_piece *piece, int corner_count, int axis)
{
    int has_left = 0, has_right = 0, i;
    for (i = 0; i < corner_count; i++) {
        int sign = sweep_turn(piece, i, (i + 1) % corner_count, axis);
        has_left |= sign > 0;
        has_right |= sign < 0;
    }
    return has_left && has_right;
}

/* Appends the determinant of the first two corners and the last, each at one of the ends. */
static int sweep_det(const sweep_piece *piece, int last, const int end[3], sweep_term *term,
                     int count)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    int i;
    for (i = 0; i < 6; i++, count++) {
        term[count].factor[0] = &piece->corner[end[0]][0][order[i][0]];
        term[count].factor[1] = &piece->corner[end[1]][1][order[i][1]];
        term[count].factor[2] = &piece->corner[end[2]][last][order[i][2]];
        term[count].sign = i < 3 ? 1 : -1;
    }
    return count;
}

/* The plane of the hull misses the origin throughout: three times the coefficients are det(start),
   the sum of the three with one corner at its end, that with two, and det(end), but for positive
   factors. */
static int sweep_is_off_plane(const sweep_piece *piece, int corner_count)
{
    int ends, sign[4], at_end, count;
    for (at_end = 0; at_end < 4; at_end++) {
        sweep_term term[SWEEP_TERMS];
        for (ends = count = 0; ends < 8; ends++) {
            int end[3];
            end[0] = ends & 1, end[1] = ends >> 1 & 1, end[2] = ends >> 2;
            if (end[0] + end[1] + end[2] == at_end)
                count = sweep_det(piece, corner_count - 1, end, term, count);
        }
        sign[at_end] = sweep_sign(term, count, 3);
        if (sign[at_end] == 0 || sign[at_end] != sign[0]) return 0;
    }
    return 1;
}

static int sweep_is_clear_throughout(const sweep_piece *piece, int corner_count)
{
    int axis;
    for (axis = 0; axis < 3; axis++)
        if (sweep_is_beside(piece, corner_count, axis)) return 1;
    for (axis = 0; axis < 3; axis++)
        if (sweep_is_outside(piece, corner_count, axis)) return 1;
    return sweep_is_off_plane(piece, corner_count);
}

/* to = a + b */
static void expansion_sum(const expansion *a, const expansion *b, expansion *to)
{
    expansion sum = {0, {0}};
    int p;
    for (p = 0; p < a->count; p++) sum.part[sum.count++] = a->part[p];
    for (p = 0; p < b->count; p++) expansion_add(&sum, b->part[p]);
    to->count = sum.count;
    for (p = 0; p < sum.count; p++) to->part[p] = sum.part[p];
}

/* The two halves of a piece, twice as large. `first` may be the piece. */
static void sweep_halve(const sweep_piece *piece, sweep_piece *first, sweep_piece *second)
{
    int i, axis;
    second->depth = first->depth = piece->depth + 1;
    for (i = 0; i < 4; i++)
        for (axis = 0; axis < 3; axis++) {
            const expansion *start = &piece->corner[0][i][axis], *end = &piece->corner[1][i][axis];
            expansion_sum(end, end, &second->corner[1][i][axis]);
            expansion_sum(start, end, &second->corner[0][i][axis]);
            expansion_sum(start, end, &first->corner[1][i][axis]);
            expansion_sum(start, start, &first->corner[0][i][axis]);
        }
}

static double sweep_coordinate(dc_vec3 a, int axis)
{
    return (double)(axis == 0 ? a.x : axis == 1 ? a.y : a.z);
}

/* False if a coordinate is out of bounds. */
static int sweep_begin(const dc_vec3 *start, const dc_vec3 *end, int corner_count,
                       sweep_piece *piece)
{
    static const int from[4] = {0, 1, 1, 0}, to[4] = {2, 2, 3, 3};
    int i, axis, at;
    piece->depth = 0;
    for (at = 0; at < 2; at++)
        for (axis = 0; axis < 3; axis++) {
            double x[4];
            for (i = 0; i < 4; i++) {
                x[i] = sweep_coordinate(at ? end[i] : start[i], axis);
                if (x[i] != 0 && !(fabs(x[i]) > SWEEP_TINY && fabs(x[i]) < SWEEP_HUGE)) return 0;
            }
            for (i = 0; i < 4; i++) {
                int b = corner_count == 4 ? to[i] : i % 3 + 1;
                piece->corner[at][i][axis] =
                    expansion_difference(x[b], x[corner_count == 4 ? from[i] : 0]);
            }
        }
    return 1;
}

typedef enum sweep_kind { SWEEP_VERTEX_TRIANGLE, SWEEP_EDGES, SWEEP_VERTEX_PLANE } sweep_kind;

static int sweep_is_clear(const sweep_piece *piece, sweep_kind kind)
{
    return kind == SWEEP_VERTEX_PLANE
               ? sweep_is_off_plane(piece, 3)
               : sweep_is_clear_throughout(piece, kind == SWEEP_EDGES ? 4 : 3);
}

/* Whether a vertex (the first of four) and a triangle, or the whole plane through its corners, or two
   edges (0 1 and 2 3), touch on the way from start (4) to end (4). */
static int sweep_touches(const dc_vec3 *start, const dc_vec3 *end, sweep_kind kind)
{
    static sweep_piece stack[SWEEP_DEPTH + 2];
    int top = 0;
    if (!sweep_begin(start, end, kind == SWEEP_EDGES ? 4 : 3, &stack[0])) return 1;
    while (top >= 0) {
        if (sweep_is_clear(&stack[top], kind)) {
            top--;
            continue;
        }
        if (stack[top].depth == SWEEP_DEPTH) return 1;
        sweep_halve(&stack[top], &stack[top], &stack[top + 1]);
        top++;
    }
    return 0;
}

/* ---- Meshes ---- */

/* A mesh in one step. */
typedef struct sweep_body {
    const dc_mesh *mesh;
    const dc_vec3 *start, *end; /* (vertex_count) [m]                                            */
} sweep_body;

static dci_box sweep_box(const sweep_body *body, const dc_index *vertex, int count)
{
    return dci_box_join(referee_box(body->start, vertex, count),
                        referee_box(body->end, vertex, count));
}

/* Two features, the first of `count` vertices: whether they have no vertex in common and touch. */
static int sweep_pair_touches(const sweep_body *a, const dc_index *first, int count,
                              const sweep_body *b, const dc_index *second)
{
    dc_vec3 start[4], end[4];
    int i, k;
    for (i = 0; i < count; i++)
        for (k = 0; k < 4 - count; k++)
            if (a->mesh == b->mesh && first[i] == second[k]) return 0;
    for (i = 0; i < 4; i++) {
        const sweep_body *body = i < count ? a : b;
        dc_index v = i < count ? first[i] : second[i - count];
        start[i] = body->start[v];
        end[i] = body->end[v];
    }
    return sweep_touches(start, end, count == 2 ? SWEEP_EDGES : SWEEP_VERTEX_TRIANGLE);
}

/* How many vertices of a touch triangles of b. */
static int sweep_count_vertices(const sweep_body *a, const sweep_body *b)
{
    dc_index v, t;
    int count = 0;
    for (t = 0; t < b->mesh->triangle_count; t++) {
        const dc_index *triangle = b->mesh->triangles + 3 * t;
        dci_box box = sweep_box(b, triangle, 3);
        for (v = 0; v < a->mesh->vertex_count; v++) {
            dci_box way = sweep_box(a, &v, 1);
            if (dci_box_overlaps(&way, &box)) count += sweep_pair_touches(a, &v, 1, b, triangle);
        }
    }
    return count;
}

/* How many pairs of features without a common vertex touch in the step: of two meshes, or of one
   with itself. */
static int sweep_count(const sweep_body *a, const sweep_body *b)
{
    int is_one = a->mesh == b->mesh, count = sweep_count_vertices(a, b);
    dc_index e, f;
    if (!is_one) count += sweep_count_vertices(b, a);
    for (e = 0; e < a->mesh->edge_count; e++) {
        const dc_index *edge = a->mesh->edge_vertices + 2 * e;
        dci_box box = sweep_box(a, edge, 2);
        for (f = is_one ? e + 1 : 0; f < b->mesh->edge_count; f++) {
            const dc_index *other = b->mesh->edge_vertices + 2 * f;
            dci_box way = sweep_box(b, other, 2);
            if (dci_box_overlaps(&way, &box)) count += sweep_pair_touches(a, edge, 2, b, other);
        }
    }
    return count;
}

/* How many vertices are not in front of a plane through three points throughout the step. It may move;
   its front is where they are seen counter-clockwise. */
static int sweep_count_behind(const sweep_body *body, const dc_vec3 *plane_start,
                              const dc_vec3 *plane_end)
{
    dc_vec3 start[4], end[4];
    dc_index v;
    int count = 0, i;
    for (i = 0; i < 3; i++) start[i + 1] = plane_start[i], end[i + 1] = plane_end[i];
    for (v = 0; v < body->mesh->vertex_count; v++) {
        start[0] = body->start[v], end[0] = body->end[v];
        count += exact_side(start[1], start[2], start[3], start[0]) <= 0 ||
                 sweep_touches(start, end, SWEEP_VERTEX_PLANE);
    }
    return count;
}

#endif
