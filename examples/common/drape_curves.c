#include "drape_curves.h"

#include <stdlib.h>
#include <string.h>

#include "polyline.h"
#include "scenes_parts.h"

/* ---- Curves ---- */

typedef struct lines {
    polyline curve[DRAPE_CURVES_MAX];
    int count;
} lines;

static void free_lines(lines *l)
{
    while (l->count > 0) polyline_free(&l->curve[--l->count]);
}

static int read_lines(lines *l, const drape_curves *curves, failure *why)
{
    int k;
    dc_index i;
    l->count = 0;
    for (k = 0; k < curves->count; k++) {
        polyline *curve = &l->curve[k];
        if (!polyline_read(curves->paths[k], curve, why)) {
            free_lines(l);
            return 0;
        }
        l->count++;
        for (i = 0; i < curve->count; i++)
            curve->points[i] = mesh_file_place(&curves->file, curve->points[i]);
    }
    return 1;
}

/* A view of the curves, and of a sheet of this size that hangs from them. */
static void aim(drape_scene *s, const lines *l, double size)
{
    static const double FAR = 2, TURN = 28, RISE = 18; /* of the size, [degree] */
    dc_vec3 low = l->curve[0].points[0], high = low;
    int k;
    dc_index i;
    for (k = 0; k < l->count; k++)
        for (i = 0; i < l->curve[k].count; i++) {
            dc_vec3 p = l->curve[k].points[i];
            low = vec_make(fmin((double)low.x, (double)p.x), fmin((double)low.y, (double)p.y),
                           fmin((double)low.z, (double)p.z));
            high = vec_make(fmax((double)high.x, (double)p.x), fmax((double)high.y, (double)p.y),
                            fmax((double)high.z, (double)p.z));
        }
    s->top = (double)high.y;
    if (l->count == 1) low.y -= (dc_real)size;
    s->camera.target[0] = (double)(low.x + high.x) / 2;
    s->camera.target[1] = (double)(low.y + high.y) / 2;
    s->camera.target[2] = (double)(low.z + high.z) / 2;
    s->camera.distance = FAR * fmax(size, vec_length(vec_sub(high, low)));
    s->camera.turn = TURN;
    s->camera.rise = RISE;
}

/* ---- Borders ---- */

/* The borders of a mesh as chains: the vertex after each one, counter-clockwise; or DC_NONE. */
typedef struct borders {
    dc_index *next; /* (vertex_count) */
    dc_index count; /* vertices on borders */
} borders;

static int find_borders(borders *b, const dc_mesh_desc *desc, failure *why)
{
    size_t bytes = dc_mesh_bytes(desc->vertex_count, desc->triangle_count);
    void *memory = malloc(bytes);
    dc_mesh mesh;
    dc_index e;
    b->count = 0;
    b->next = malloc((size_t)desc->vertex_count * sizeof *b->next);
    if (memory == NULL || b->next == NULL ||
        dc_mesh_init(desc, memory, bytes, &mesh, NULL) != DC_OK) {
        free(memory);
        free(b->next);
        return failure_set(why, "not enough memory for the borders");
    }
    for (e = 0; e < desc->vertex_count; e++) b->next[e] = DC_NONE;
    for (e = 0; e < mesh.edge_count; e++)
        if (mesh.corner_of_edge[2 * e + 1] == DC_NONE) {
            b->count += b->next[mesh.edge_vertices[2 * e]] == DC_NONE;
            b->next[mesh.edge_vertices[2 * e]] = mesh.edge_vertices[2 * e + 1];
        }
    free(memory);
    return 1;
}

static double distance(dc_vec3 a, dc_vec3 b)
{
    return vec_length(vec_sub(a, b));
}

/* The vertex on a border that is nearest to p; DC_NONE: there are no borders. */
static dc_index nearest(const borders *b, const dc_mesh_desc *mesh, dc_vec3 p)
{
    dc_index v, best = DC_NONE;
    for (v = 0; v < mesh->vertex_count; v++)
        if (b->next[v] != DC_NONE && (best == DC_NONE || distance(mesh->positions[v], p) <
                                                             distance(mesh->positions[best], p)))
            best = v;
    return best;
}

/* The length [m] from one vertex along its border to another, or around to itself, and the number
   of edges; 0 edges: it is on another border. */
static double way(const borders *b, const dc_mesh_desc *mesh, dc_index from, dc_index to,
                  dc_index *edges)
{
    double length = 0;
    dc_index v = from;
    *edges = 0;
    do {
        length += distance(mesh->positions[v], mesh->positions[b->next[v]]);
        v = b->next[v];
        ++*edges;
    } while (v != to && v != from && *edges <= b->count);
    if (v != to) *edges = 0;
    return length;
}

/* Whether the vertices of a closed border, of this length, come in the order of the curve: how far
   they are in sum from points that are spread alike, both ways. */
static int goes_along(const borders *b, const dc_mesh_desc *mesh, dc_index from, double length,
                      const polyline *curve)
{
    double along = 0, against = 0, at = 0;
    dc_index v = from;
    do {
        along += distance(mesh->positions[v], polyline_at(curve, at / length));
        against += distance(mesh->positions[v], polyline_at(curve, 1 - at / length));
        at += distance(mesh->positions[v], mesh->positions[b->next[v]]);
        v = b->next[v];
    } while (v != from);
    return along <= against;
}

/* ---- Holding ---- */

/* Curve k holds this chain (count). */
static int hold(drape_scene *s, int k, const polyline *curve, const dc_index *chain, dc_index count,
                failure *why)
{
    dc_curve_desc *desc = &s->curve[k];
    s->run[k] = malloc((size_t)count * sizeof *s->run[k]);
    s->points[k] = malloc((size_t)curve->count * sizeof *s->points[k]);
    if (s->run[k] == NULL || s->points[k] == NULL)
        return failure_set(why, "not enough memory for a curve");
    memcpy(s->points[k], curve->points, (size_t)curve->count * sizeof *curve->points);
    memcpy(s->run[k], chain, (size_t)count * sizeof *chain);
    desc->vertices = s->run[k];
    desc->vertex_count = count;
    desc->points = s->points[k];
    desc->point_count = curve->count;
    desc->is_closed = curve->is_closed;
    s->desc.curves = s->curve;
    s->desc.curve_count = k + 1;
    return 1;
}

/* A border that keeps its length cannot be longer than its curve. */
static int fits(drape_scene *s, int k, const char *path, double curve, double border, failure *why)
{
    static const double SLACK = 1e-4; /* [1] of the length, for rounding in files */
    s->curve_name[k] = path;
    s->curve_length[k] = curve;
    s->border_length[k] = border;
    if (border <= (1 + SLACK) * curve) return 1;
    return failure_set(why, "%s: the curve is %.4g m long, the border that it is to hold %.4g m",
                       path, curve, border);
}

/* ---- A mesh ---- */

/* A chain of border vertices. */
typedef struct chain {
    dc_index first, count;
    int is_backward; /* it is to be read from its end */
    double length;   /* [m] */
} chain;

/* The vertex on a border of this number in its file. */
static int find_vertex(dc_index *v, const borders *b, const sim_shape *shape, long number,
                       const char *path, int line, failure *why)
{
    *v = 0;
    while (*v < shape->mesh.vertex_count &&
           number != (shape->vertex_number ? (long)shape->vertex_number[*v] : (long)*v + 1))
        ++*v;
    if (*v == shape->mesh.vertex_count)
        return failure_set(why, "%s:%d: the mesh has no vertex %ld", path, line, number);
    if (b->next[*v] != DC_NONE) return 1;
    return failure_set(why, "%s:%d: vertex %ld is not on a border of the mesh", path, line, number);
}

/* The ends of the border that a curve holds; of a closed one twice the same. */
static int find_ends(dc_index end[2], const borders *b, const sim_shape *shape,
                     const polyline *curve, const char *path, failure *why)
{
    const dc_mesh_desc *mesh = &shape->mesh;
    int i;
    for (i = 0; i < 2; i++) {
        end[i] = nearest(b, mesh, curve->points[i == 0 || curve->is_closed ? 0 : curve->count - 1]);
        if (end[i] == DC_NONE) return failure_set(why, "%s: the mesh has no border for it", path);
        if (curve->border_line > 0 &&
            !find_vertex(&end[i], b, shape, curve->border[i], path, curve->border_line, why))
            return 0;
    }
    if (end[0] != end[1] || curve->is_closed) return 1;
    return failure_set(why, "%s: both of its ends would hold one vertex; name two: border A B",
                       path);
}

static int find_chain(chain *c, const borders *b, const sim_shape *shape, const polyline *curve,
                      const char *path, failure *why)
{
    const dc_mesh_desc *mesh = &shape->mesh;
    dc_index from, to, end[2], edges[2];
    double ways[2], length = polyline_length(curve);
    int side;
    if (!find_ends(end, b, shape, curve, path, why)) return 0;
    from = end[0], to = end[1];
    c->first = from;
    c->is_backward = 0;
    if (curve->is_closed) {
        c->length = way(b, mesh, from, from, &c->count);
        c->is_backward = !goes_along(b, mesh, from, c->length, curve);
        return 1;
    }
    ways[0] = way(b, mesh, from, to, &edges[0]);
    ways[1] = way(b, mesh, to, from, &edges[1]);
    if (edges[0] == 0) return failure_set(why, "%s: its ends are on two borders of the mesh", path);
    side = fabs(ways[1] - length) < fabs(ways[0] - length);
    if (side == 1) c->first = to;
    c->is_backward = side;
    c->count = edges[side] + 1;
    c->length = ways[side];
    return 1;
}

static int hold_chain(drape_scene *s, int k, const polyline *curve, const chain *c,
                      const borders *b, failure *why)
{
    dc_index *vertices = malloc((size_t)c->count * sizeof *vertices), v = c->first, i;
    int is_held;
    if (vertices == NULL) return failure_set(why, "not enough memory for a curve");
    for (i = 0; i < c->count; i++, v = b->next[v])
        vertices[c->is_backward ? c->count - 1 - i : i] = v;
    is_held = hold(s, k, curve, vertices, c->count, why);
    free(vertices);
    return is_held;
}

static int hold_mesh(drape_scene *s, const lines *l, const sim_shape *shape,
                     const drape_curves *curves, failure *why)
{
    chain c[DRAPE_CURVES_MAX];
    borders b;
    int k, is_held = 1;
    if (!find_borders(&b, &shape->mesh, why)) return 0;
    for (k = 0; is_held && k < l->count; k++)
        is_held = find_chain(&c[k], &b, shape, &l->curve[k], curves->paths[k], why) &&
                  fits(s, k, curves->paths[k], polyline_length(&l->curve[k]), c[k].length, why) &&
                  hold_chain(s, k, &l->curve[k], &c[k], &b, why);
    free(b.next);
    return is_held;
}

static int copy_mesh(sim_shape *shape, const dc_mesh_desc *mesh, failure *why)
{
    if (!scene_make_shape(shape, mesh->vertex_count, mesh->triangle_count, why)) return 0;
    memcpy(shape->positions, mesh->positions, (size_t)mesh->vertex_count * sizeof(dc_vec3));
    memcpy(shape->triangles, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(dc_index));
    return 1;
}

static double size_of(const dc_mesh_desc *mesh)
{
    double most = 0;
    dc_index v;
    for (v = 0; v < mesh->vertex_count; v++)
        most = fmax(most, distance(mesh->positions[0], mesh->positions[v]));
    return most;
}

/* If the mesh is plane, this is its pattern, seen from its front. */
static int lay_flat(sim_shape *shape, int *is_flat, failure *why)
{
    static const double PLANE = 1e-6; /* [1] of the size */
    const dc_mesh_desc *mesh = &shape->mesh;
    const dc_index *t = mesh->triangles;
    dc_vec3 x = vec_sub(mesh->positions[t[1]], mesh->positions[t[0]]), normal, y;
    double size = size_of(mesh);
    dc_index v;
    normal = vec_cross(x, vec_sub(mesh->positions[t[2]], mesh->positions[t[0]]));
    x = vec_scale(1 / vec_length(x), x);
    normal = vec_scale(1 / vec_length(normal), normal);
    y = vec_cross(normal, x);
    shape->flat = malloc((size_t)mesh->vertex_count * sizeof *shape->flat);
    if (shape->flat == NULL) return failure_set(why, "not enough memory for a pattern");
    *is_flat = 1;
    for (v = 0; v < mesh->vertex_count; v++) {
        dc_vec3 off = vec_sub(mesh->positions[v], mesh->positions[t[0]]);
        shape->flat[v].x = (dc_real)vec_dot(off, x);
        shape->flat[v].y = (dc_real)vec_dot(off, y);
        if (fabs(vec_dot(off, normal)) > PLANE * size) *is_flat = 0;
    }
    return 1;
}

static void begin(drape_scene *s, const drape_curves *curves, const drape_choice *choice)
{
    memset(s, 0, sizeof *s);
    drape_scene_choose(s, choice);
    s->desc.self_contact = 1;
    if (curves->is_weightless) s->desc.down = vec_make(0, 0, 0);
}

int drape_scene_follow(drape_scene *s, const sim_shape *shape, const drape_curves *curves,
                       const drape_choice *choice, failure *why)
{
    lines l;
    int is_held;
    begin(s, curves, choice);
    if (!read_lines(&l, curves, why)) return 0;
    is_held = copy_mesh(&s->shape, &shape->mesh, why) && lay_flat(&s->shape, &s->has_pattern, why);
    if (is_held) {
        s->desc.mesh = s->shape.mesh;
        aim(s, &l, size_of(&shape->mesh));
        is_held = hold_mesh(s, &l, shape, curves, why) && drape_scene_place(s, choice, why);
    }
    free_lines(&l);
    if (!is_held) drape_scene_close(s);
    return is_held;
}

/* ---- A sheet for the curves ---- */

typedef struct span {
    double length, width; /* [m] */
    dc_vec3 centre;       /* [m] of the side that the first curve holds */
    dc_vec3 along, up;    /* unit vectors */
} span;

/* The length of as many chords of the curve as there are cells: what an edge takes of it. */
static double chords(const polyline *curve, int cells)
{
    double length = 0;
    int i;
    for (i = 0; i < cells; i++)
        length += distance(polyline_at(curve, (double)i / cells),
                           polyline_at(curve, (double)(i + 1) / cells));
    return length;
}

/* The part of v across a unit vector, of unit length; if there is none, anything across. */
static dc_vec3 across(dc_vec3 v, dc_vec3 unit)
{
    static const double LEAST = 1e-6; /* [1] of the length of v */
    double length = vec_length(v);
    v = vec_axpy(v, -vec_dot(v, unit), unit);
    if (vec_length(v) <= LEAST * length)
        v = vec_cross(unit, fabs((double)unit.x) < 0.5 ? vec_make(1, 0, 0) : vec_make(0, 0, 1));
    return vec_scale(1 / vec_length(v), v);
}

static span measure(const lines *l, const drape_curves *curves)
{
    const polyline *first = &l->curve[0], *last = &l->curve[l->count - 1];
    dc_vec3 chord = vec_make(0, 0, 0), up = vec_make(0, 1, 0);
    span p;
    int i, k;
    p.length = HUGE_VAL;
    p.width = 0;
    p.centre = vec_scale(0.5, vec_add(polyline_at(first, 0), polyline_at(first, 1)));
    for (k = 0; k < l->count; k++) {
        p.length = fmin(p.length, chords(&l->curve[k], curves->cells));
        chord = vec_add(chord, vec_sub(polyline_at(&l->curve[k], 1), polyline_at(&l->curve[k], 0)));
    }
    for (i = 0; i <= curves->cells; i++) {
        double part = (double)i / curves->cells;
        p.width = fmax(p.width, distance(polyline_at(first, part), polyline_at(last, part)));
    }
    if (l->count == 1) p.width = p.length;
    if (curves->width > 0) p.width = curves->width;
    if (l->count > 1)
        up = vec_sub(p.centre, vec_scale(0.5, vec_add(polyline_at(last, 0), polyline_at(last, 1))));
    p.along = vec_length(chord) > 0 ? vec_scale(1 / vec_length(chord), chord) : vec_make(1, 0, 0);
    p.up = across(up, p.along);
    return p;
}

static int make_sheet(drape_scene *s, const span *p, const drape_curves *curves, failure *why)
{
    enum { ROWS_MIN = 2, ROWS_MAX = 200 };
    shape_desc desc = shape_defaults(SHAPE_GRID);
    double rows = p->width / p->length * curves->cells;
    dc_index v;
    desc.columns = curves->cells;
    desc.rows = (dc_index)(fmin(ROWS_MAX, fmax(ROWS_MIN, rows)) + 0.5);
    desc.width = (dc_real)p->length;
    desc.height = (dc_real)p->width;
    desc.diagonals = DC_DIAGONALS_HERRINGBONE;
    if (!sim_shape_build(&s->shape, &desc, why)) return 0;
    s->has_pattern = 1;
    for (v = 0; v < s->shape.mesh.vertex_count; v++)
        s->shape.positions[v] =
            vec_axpy(vec_axpy(p->centre, (double)s->shape.flat[v].x - p->length / 2, p->along),
                     (double)s->shape.flat[v].y - p->width, p->up);
    s->desc.mesh = s->shape.mesh;
    return 1;
}

/* The first curve holds the upper side, the second one the lower. */
static int hold_sides(drape_scene *s, const lines *l, const span *p, const drape_curves *curves,
                      failure *why)
{
    dc_index columns = curves->cells + 1, rows = s->shape.mesh.vertex_count / columns, i;
    dc_index *side = malloc((size_t)columns * sizeof *side);
    int k, is_held = side != NULL || failure_set(why, "not enough memory for a side");
    for (k = 0; is_held && k < l->count; k++) {
        for (i = 0; i < columns; i++) side[i] = (k == 0 ? (rows - 1) * columns : 0) + i;
        is_held = fits(s, k, curves->paths[k], polyline_length(&l->curve[k]), p->length, why) &&
                  hold(s, k, &l->curve[k], side, columns, why);
    }
    free(side);
    return is_held;
}

int drape_scene_span(drape_scene *s, const drape_curves *curves, const drape_choice *choice,
                     failure *why)
{
    lines l;
    span p = {0};
    int k, is_held = 1;
    begin(s, curves, choice);
    if (!read_lines(&l, curves, why)) return 0;
    for (k = 0; k < l.count; k++)
        if (l.curve[k].is_closed)
            is_held = failure_set(why, "%s: a closed curve wants a mesh with such a border",
                                  curves->paths[k]);
        else if (l.curve[k].border_line > 0)
            is_held = failure_set(why, "%s:%d: there is no mesh with these vertices",
                                  curves->paths[k], l.curve[k].border_line);
    if (is_held) p = measure(&l, curves);
    if (is_held && !(p.width > 0))
        is_held = failure_set(why, "the curves are at one place, and no --width is given");
    if (is_held) {
        aim(s, &l, p.width);
        is_held = make_sheet(s, &p, curves, why) && hold_sides(s, &l, &p, curves, why) &&
                  drape_scene_place(s, choice, why);
    }
    free_lines(&l);
    if (!is_held) drape_scene_close(s);
    return is_held;
}
