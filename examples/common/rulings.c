#include "rulings.h"

#include <stdlib.h>
#include <string.h>

#include "vec.h"

/* A sheet is fitted near a point, by the triangles within this many mean edges. */
static const double REACH = 2.5;
/* Weaker curvatures, times the size of the pattern, are none: radii of more than ten sizes. */
static const double FLAT = 0.1;
/* Where the smaller curvature is a larger part of the larger one there is no ruling. */
static const double DOUBLE = 0.5;
/* How far a ruling may be turned from what the fit says [rad]: more than fits are off by. */
static const double SEARCH = 0.35;
/* The middle of a ruling is at least this part of the spacing from all others. Rulings shorter than
   so many mean edges are not known well enough. */
static const double APART = 0.7, SHORTEST = 4;

typedef struct sheet {
    const dc_mesh *mesh;
    const dc_vec2 *flat; /* (vertex_count) [m] */
    const dc_vec3 *x;    /* (vertex_count) [m] */
    dc_vec3 *normals;    /* (vertex_count) */
    dc_vec3 *triangle;   /* (triangle_count) their normals */
    double *strength;    /* (triangle_count) curvature [1/m]; 0: tried, or nothing to be tried */
    double edge, size;   /* [m] mean edge and size of the pattern */
    double spacing;      /* [m] */
} sheet;

/* ---- The pattern ---- */

static dc_vec2 along(dc_vec2 p, double way, double angle)
{
    p.x += (dc_real)(way * vec_cos(angle));
    p.y += (dc_real)(way * vec_sin(angle));
    return p;
}

static dc_vec2 middle(dc_vec2 a, dc_vec2 b)
{
    dc_vec2 p = {(a.x + b.x) / 2, (a.y + b.y) / 2};
    return p;
}

/* Twice the area of a triangle, positive if it is counter-clockwise. */
static double doubled_area(dc_vec2 a, dc_vec2 b, dc_vec2 c)
{
    return (double)(b.x - a.x) * (double)(c.y - a.y) - (double)(b.y - a.y) * (double)(c.x - a.x);
}

static double flat_distance(dc_vec2 a, dc_vec2 b)
{
    double x = (double)(b.x - a.x), y = (double)(b.y - a.y);
    return sqrt(x * x + y * y); /* the same on every machine, unlike hypot() */
}

static const dc_index *corners(const sheet *s, dc_index t)
{
    return &s->mesh->triangles[3 * (size_t)t];
}

static dc_vec2 centre(const sheet *s, dc_index t)
{
    const dc_index *v = corners(s, t);
    dc_vec2 p;
    p.x = (s->flat[v[0]].x + s->flat[v[1]].x + s->flat[v[2]].x) / 3;
    p.y = (s->flat[v[0]].y + s->flat[v[1]].y + s->flat[v[2]].y) / 3;
    return p;
}

/* Whether triangle t contains p; then the weights of its corners. */
static int contains(const sheet *s, dc_index t, dc_vec2 p, double weight[3])
{
    static const double OUTSIDE = -1e-9; /* [1] of the area, for points on an edge */
    const dc_index *v = corners(s, t);
    dc_vec2 a = s->flat[v[0]], b = s->flat[v[1]], c = s->flat[v[2]];
    double all = doubled_area(a, b, c);
    weight[0] = doubled_area(p, b, c) / all;
    weight[1] = doubled_area(a, p, c) / all;
    weight[2] = doubled_area(a, b, p) / all;
    return weight[0] >= OUTSIDE && weight[1] >= OUTSIDE && weight[2] >= OUTSIDE;
}

/* The triangle that contains p, first looked for at *t; returns 0 if p is outside. */
static int locate(const sheet *s, dc_vec2 p, dc_index *t, double weight[3])
{
    dc_index k;
    if (contains(s, *t, p, weight)) return 1;
    for (k = 0; k < s->mesh->triangle_count; k++)
        if (contains(s, k, p, weight)) {
            *t = k;
            return 1;
        }
    return 0;
}

/* Extends a line through p to the border, both ways. */
static int trace(const sheet *s, dc_vec2 p, double angle, ruling *line)
{
    const dc_mesh *mesh = s->mesh;
    dc_vec2 ahead = along(p, s->size, angle);
    double far[2] = {-HUGE_VAL, HUGE_VAL};
    dc_index e;
    for (e = 0; e < mesh->edge_count; e++) {
        dc_index a = mesh->edge_vertices[2 * e], b = mesh->edge_vertices[2 * e + 1];
        double left, right, part, way;
        int side;
        if (mesh->corner_of_edge[2 * e + 1] != DC_NONE) continue;
        left = doubled_area(p, ahead, s->flat[a]);
        right = doubled_area(p, ahead, s->flat[b]);
        if ((left > 0) == (right > 0)) continue;
        part = left / (left - right);
        way =
            doubled_area(p, s->flat[a], s->flat[b]) /
            (doubled_area(p, s->flat[a], s->flat[b]) - doubled_area(ahead, s->flat[a], s->flat[b]));
        side = way > 0;
        if (fabs(way) >= fabs(far[side])) continue;
        far[side] = way;
        line->end[side] = along(p, way * s->size, angle);
        line->place[side] = vec_axpy(s->x[a], part, vec_sub(s->x[b], s->x[a]));
    }
    return far[0] > -HUGE_VAL && far[1] < HUGE_VAL;
}

/* ---- Bending near a point ---- */

/* Weighted sums over the triangles nearby, then what moments about their means make of them. */
typedef struct moments {
    double weight, u, v, uu, uv, vv;
    dc_vec3 n, nu, nv; /* of the normals */
    dc_vec3 x, xu, xv; /* of the centres in space */
} moments;

static void add_triangle(moments *m, const sheet *s, dc_index t, double u, double v, double w)
{
    const dc_index *c = corners(s, t);
    dc_vec3 n = s->triangle[t];
    dc_vec3 x = vec_scale(1.0 / 3, vec_add(vec_add(s->x[c[0]], s->x[c[1]]), s->x[c[2]]));
    m->weight += w;
    m->u += w * u, m->v += w * v;
    m->uu += w * u * u, m->uv += w * u * v, m->vv += w * v * v;
    m->n = vec_axpy(m->n, w, n);
    m->nu = vec_axpy(m->nu, w * u, n), m->nv = vec_axpy(m->nv, w * v, n);
    m->x = vec_axpy(m->x, w, x);
    m->xu = vec_axpy(m->xu, w * u, x), m->xv = vec_axpy(m->xv, w * v, x);
}

/* The slopes along u and v of the linear function nearest to a quantity. */
static void slopes(const moments *m, dc_vec3 q, dc_vec3 qu, dc_vec3 qv, dc_vec3 slope[2])
{
    double uu = m->uu - m->u * m->u / m->weight, uv = m->uv - m->u * m->v / m->weight;
    double vv = m->vv - m->v * m->v / m->weight, determinant = uu * vv - uv * uv;
    qu = vec_axpy(qu, -m->u / m->weight, q);
    qv = vec_axpy(qv, -m->v / m->weight, q);
    slope[0] = vec_scale(1 / determinant, vec_axpy(vec_scale(vv, qu), -uv, qv));
    slope[1] = vec_scale(1 / determinant, vec_axpy(vec_scale(uu, qv), -uv, qu));
}

/* Fits a linear function to the normals. The squares of its slopes in all directions are a
   quadratic form; its axes are where the normal turns most, and least. Returns whether the sheet
   bends, and in one direction only; then the angle of the other [rad] and the curvature [1/m]. */
static int fit(const sheet *s, dc_vec2 p, double *angle, double *curvature)
{
    moments m;
    dc_vec3 n[2], x[2], turn, way;
    double uu, uv, vv, mean, spread;
    dc_index t;
    memset(&m, 0, sizeof m);
    for (t = 0; t < s->mesh->triangle_count; t++) {
        dc_vec2 q = centre(s, t);
        double far = flat_distance(p, q) / (REACH * s->edge);
        if (far < 1)
            add_triangle(&m, s, t, (double)(q.x - p.x), (double)(q.y - p.y), 1 - far * far);
    }
    if (!(m.weight > 0)) return 0;
    slopes(&m, m.n, m.nu, m.nv, n);
    slopes(&m, m.x, m.xu, m.xv, x);
    uu = vec_dot(n[0], n[0]), uv = vec_dot(n[0], n[1]), vv = vec_dot(n[1], n[1]);
    mean = (uu + vv) / 2, spread = sqrt((uu - vv) * (uu - vv) / 4 + uv * uv);
    if (!(sqrt(mean + spread) * s->size > FLAT) ||
        !(mean - spread < DOUBLE * DOUBLE * (mean + spread)))
        return 0;
    *angle = (double)dc_atan2((dc_real)(2 * uv), (dc_real)(uu - vv)) / 2; /* of the most */
    turn = vec_axpy(vec_scale(vec_cos(*angle), n[0]), vec_sin(*angle), n[1]);
    way = vec_axpy(vec_scale(vec_cos(*angle), x[0]), vec_sin(*angle), x[1]);
    *curvature = -vec_dot(turn, way);
    *angle += VEC_PI / 2;
    return 1;
}

/* ---- One ruling ---- */

static dc_vec3 normal_at(const sheet *s, dc_vec2 p, dc_index *t)
{
    dc_vec3 n = vec_make(0, 0, 0);
    double weight[3];
    int c;
    if (!locate(s, p, t, weight)) return n;
    for (c = 0; c < 3; c++) n = vec_axpy(n, weight[c], s->normals[corners(s, *t)[c]]);
    return n;
}

/* How much the normal turns along the line through p: its variance. Ends count less, because
   normals at a border are known from one side only. */
static double turning(const sheet *s, dc_vec2 p, double angle)
{
    enum { SAMPLES = 16 };
    double all = 0, squares = 0;
    dc_vec3 sum = vec_make(0, 0, 0);
    dc_index t = 0;
    ruling line;
    int i;
    if (!trace(s, p, angle, &line)) return HUGE_VAL;
    for (i = 1; i < SAMPLES; i++) {
        double part = (double)i / SAMPLES, weight = part * part * (1 - part) * (1 - part);
        dc_vec3 n = normal_at(
            s, along(line.end[0], part * flat_distance(line.end[0], line.end[1]), angle), &t);
        all += weight;
        sum = vec_axpy(sum, weight, n);
        squares += weight * vec_dot(n, n);
    }
    return squares - vec_dot(sum, sum) / all;
}

/* The angle near `angle` with the least turning, by golden section. */
static double straighten(const sheet *s, dc_vec2 p, double angle)
{
    static const double GOLDEN = 0.61803398874989485, FINE = 1e-3; /* [1], [rad] */
    double low = angle - SEARCH, high = angle + SEARCH;
    double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
    double at_a = turning(s, p, a), at_b = turning(s, p, b);
    while (high - low > FINE) {
        if (at_a < at_b) {
            high = b, b = a, at_b = at_a;
            a = high - GOLDEN * (high - low);
            at_a = turning(s, p, a);
        } else {
            low = a, a = b, at_a = at_b;
            b = low + GOLDEN * (high - low);
            at_b = turning(s, p, b);
        }
    }
    return (low + high) / 2;
}

/* The ruling through a point. It is fitted again at its middle, where most of the sheet is near. */
static int find_line(const sheet *s, dc_vec2 p, ruling *line)
{
    enum { ROUNDS = 3 };
    double angle, weight[3];
    dc_index t = 0;
    int i;
    for (i = 0; i < ROUNDS; i++) {
        if (!locate(s, p, &t, weight) || !fit(s, p, &angle, &line->curvature) ||
            !trace(s, p, angle, line))
            return 0;
        p = middle(line->end[0], line->end[1]);
    }
    return trace(s, p, straighten(s, p, angle), line) &&
           flat_distance(line->end[0], line->end[1]) >= SHORTEST * s->edge;
}

/* ---- All of them ---- */

static double line_distance(const ruling *line, dc_vec2 p)
{
    dc_vec2 a = line->end[0], b = line->end[1], q;
    double length = flat_distance(a, b);
    double part =
        ((double)(p.x - a.x) * (double)(b.x - a.x) + (double)(p.y - a.y) * (double)(b.y - a.y)) /
        (length * length);
    part = fmin(1, fmax(0, part));
    q.x = a.x + (dc_real)part * (b.x - a.x);
    q.y = a.y + (dc_real)part * (b.y - a.y);
    return flat_distance(p, q);
}

static int is_apart(const sheet *s, const rulings *r, dc_vec2 p)
{
    int k;
    for (k = 0; k < r->count; k++)
        if (line_distance(&r->lines[k], p) < APART * s->spacing) return 0;
    return 1;
}

static int cross(const ruling *p, const ruling *q)
{
    return (doubled_area(p->end[0], p->end[1], q->end[0]) > 0) !=
               (doubled_area(p->end[0], p->end[1], q->end[1]) > 0) &&
           (doubled_area(q->end[0], q->end[1], p->end[0]) > 0) !=
               (doubled_area(q->end[0], q->end[1], p->end[1]) > 0);
}

/* Adds the ruling through a point, if there is one that keeps its distance from all others. Fails
   for want of memory. */
static int try_point(const sheet *s, rulings *r, dc_vec2 p)
{
    ruling line, *room;
    int k;
    if (!find_line(s, p, &line) || !is_apart(s, r, middle(line.end[0], line.end[1]))) return 1;
    for (k = 0; k < r->count; k++)
        if (cross(&line, &r->lines[k])) return 1;
    room = realloc(r->lines, (size_t)(r->count + 1) * sizeof *room);
    if (room == NULL) return 0;
    r->lines = room;
    r->lines[r->count++] = line;
    return 1;
}

/* Beside a ruling, on both sides of its middle. */
static int try_beside(const sheet *s, rulings *r, ruling line)
{
    dc_vec2 p = middle(line.end[0], line.end[1]);
    double across =
        VEC_PI / 2 + (double)dc_atan2(line.end[1].y - line.end[0].y, line.end[1].x - line.end[0].x);
    return try_point(s, r, along(p, s->spacing, across)) &&
           try_point(s, r, along(p, -s->spacing, across));
}

/* The most bent triangle that was not tried and is apart from all rulings; or DC_NONE. */
static dc_index next_triangle(sheet *s, const rulings *r)
{
    dc_index t, best = DC_NONE;
    for (t = 0; t < s->mesh->triangle_count; t++) {
        if (s->strength[t] > 0 && !is_apart(s, r, centre(s, t))) s->strength[t] = 0;
        if (s->strength[t] > (best == DC_NONE ? 0 : s->strength[best])) best = t;
    }
    return best;
}

/* From one ruling to those beside it, until there are no more; then from elsewhere. */
static int place_rulings(sheet *s, rulings *r)
{
    dc_index t;
    int done = 0;
    while ((t = next_triangle(s, r)) != DC_NONE) {
        s->strength[t] = 0;
        if (!try_point(s, r, centre(s, t))) return 0;
        for (; done < r->count; done++)
            if (!try_beside(s, r, r->lines[done])) return 0;
    }
    return 1;
}

/* ---- The sheet ---- */

static void measure(sheet *s)
{
    const dc_mesh *mesh = s->mesh;
    dc_vec2 low = s->flat[mesh->triangles[0]], high = low;
    double angle, curvature;
    dc_index e, t;
    s->edge = 0;
    for (e = 0; e < mesh->edge_count; e++) {
        dc_vec2 a = s->flat[mesh->edge_vertices[2 * e]],
                b = s->flat[mesh->edge_vertices[2 * e + 1]];
        s->edge += flat_distance(a, b) / mesh->edge_count;
        low.x = a.x < low.x ? a.x : low.x, low.y = a.y < low.y ? a.y : low.y;
        high.x = a.x > high.x ? a.x : high.x, high.y = a.y > high.y ? a.y : high.y;
        low.x = b.x < low.x ? b.x : low.x, low.y = b.y < low.y ? b.y : low.y;
        high.x = b.x > high.x ? b.x : high.x, high.y = b.y > high.y ? b.y : high.y;
    }
    s->size = flat_distance(low, high);
    dc_mesh_normals(mesh, s->x, s->normals);
    for (t = 0; t < mesh->triangle_count; t++) {
        dc_vec3 x = s->x[corners(s, t)[0]];
        dc_vec3 n =
            vec_cross(vec_sub(s->x[corners(s, t)[1]], x), vec_sub(s->x[corners(s, t)[2]], x));
        s->triangle[t] = vec_scale(1 / vec_length(n), n);
    }
    for (t = 0; t < mesh->triangle_count; t++)
        s->strength[t] = fit(s, centre(s, t), &angle, &curvature) ? fabs(curvature) : 0;
}

int rulings_find(rulings *r, const dc_mesh *mesh, const dc_vec2 *flat, const dc_vec3 *x,
                 double spacing, failure *why)
{
    sheet s;
    int is_found;
    memset(r, 0, sizeof *r);
    memset(&s, 0, sizeof s);
    s.mesh = mesh;
    s.flat = flat;
    s.x = x;
    s.spacing = spacing;
    s.normals = malloc((size_t)mesh->vertex_count * sizeof *s.normals);
    s.triangle = malloc((size_t)mesh->triangle_count * sizeof *s.triangle);
    s.strength = malloc((size_t)mesh->triangle_count * sizeof *s.strength);
    is_found = s.normals && s.triangle && s.strength;
    if (is_found) {
        measure(&s);
        is_found = place_rulings(&s, r);
    }
    free(s.normals);
    free(s.triangle);
    free(s.strength);
    if (is_found) return 1;
    rulings_free(r);
    return failure_set(why, "not enough memory for the rulings");
}

void rulings_free(rulings *r)
{
    free(r->lines);
    memset(r, 0, sizeof *r);
}
