/* Closed shells fall on a floor. Their rest shape is the curved one that they start with, and only
   their bending stiffness differs, which is in the table: [Wan12] figures 4.6 and 4.7. */
#include "scenes_parts.h"

#include <string.h>

/* ---- The mesh: an octahedron with n edges along each of its own ----
 *
 * Rings run around from pole to pole, 0 to 2 n. Ring r has 4 m vertices, m = min(r, 2 n - r), and a pole
 * one. A quarter of two rings of the upper half:
 *
 *     ring r          0 - 1 - 2          triangles (r, i) (r + 1, i) (r + 1, i + 1)   i = 0 to m
 *                    / \ / \ / \                   (r, i) (r + 1, i + 1) (r, i + 1)   i = 0 to m - 1
 *     ring r + 1    0 - 1 - 2 - 3
 */

static int ring_quarter(int n, int r)
{
    return r < n ? r : 2 * n - r;
}

static int ring_size(int n, int r)
{
    int m = ring_quarter(n, r);
    return m > 0 ? 4 * m : 1;
}

/* The vertex in place i of ring r, counted around as often as one likes. */
static dc_index ring_vertex(int n, int r, int i)
{
    int k, vertex = i % ring_size(n, r);
    for (k = 0; k < r; k++) vertex += ring_size(n, k);
    return vertex;
}

static dc_vec3 unit(dc_vec3 a)
{
    return vec_scale(1 / vec_length(a), a);
}

/* Where the vertex is on the unit sphere. */
static dc_vec3 ring_direction(int n, int r, int i)
{
    static const double CORNER[5][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {0, 1}}; /* x, z */
    int m = ring_quarter(n, r), quarter = m > 0 ? i / m : 0;
    double part = m > 0 ? (double)(i % m) / m : 0, wide = (double)m / n;
    const double *a = CORNER[quarter], *b = CORNER[quarter + 1];
    return unit(vec_make(wide * (a[0] + (b[0] - a[0]) * part), 1 - (double)r / n,
                         wide * (a[1] + (b[1] - a[1]) * part)));
}

static dc_index *put_triangle(dc_index *at, dc_index a, dc_index b, dc_index c)
{
    at[0] = a;
    at[1] = b;
    at[2] = c;
    return at + 3;
}

/* Between ring r and the next, counter-clockwise from outside. */
static dc_index *fill_rings(int n, int r, dc_index *at)
{
    int is_upper = r < n, narrow = is_upper ? r : r + 1, broad = is_upper ? r + 1 : r;
    int m = ring_quarter(n, narrow), quarter, i;
    for (quarter = 0; quarter < 4; quarter++)
        for (i = 0; i <= m; i++) {
            dc_index a = ring_vertex(n, narrow, quarter * m + i);
            dc_index b = ring_vertex(n, broad, quarter * (m + 1) + i);
            dc_index c = ring_vertex(n, broad, quarter * (m + 1) + i + 1);
            dc_index d = ring_vertex(n, narrow, quarter * m + i + 1);
            at = is_upper ? put_triangle(at, a, b, c) : put_triangle(at, a, c, b);
            if (i < m) at = is_upper ? put_triangle(at, a, c, d) : put_triangle(at, a, d, c);
        }
    return at;
}

static int make_ball(sim_shape *shape, int n, failure *why)
{
    dc_index *at;
    dc_vec3 *p;
    int r, i;
    if (!scene_make_shape(shape, 4 * n * n + 2, 8 * n * n, why)) return 0;
    at = shape->triangles;
    p = shape->positions;
    for (r = 0; r <= 2 * n; r++)
        for (i = 0; i < ring_size(n, r); i++) *p++ = ring_direction(n, r, i);
    for (r = 0; r < 2 * n; r++) at = fill_rings(n, r, at);
    return 1;
}

/* ---- The creature: a ball with horns ---- */

typedef struct horn {
    double direction[3]; /* of any length; y is up, z ahead */
    double height;       /* in radii of the ball */
    double width;        /* from its axis to where it ends, on the unit sphere */
} horn;

/* Two ears, a nose, a tail, four feet. */
static const horn HORNS[] = {{{0.5, 0.9, 0.55}, 0.9, 0.55},   {{-0.5, 0.9, 0.55}, 0.9, 0.55},
                             {{0, 0.2, 1}, 0.45, 0.6},        {{0, 0.45, -1}, 1.0, 0.5},
                             {{0.62, -0.75, 0.6}, 0.7, 0.6},  {{-0.62, -0.75, 0.6}, 0.7, 0.6},
                             {{0.62, -0.75, -0.6}, 0.7, 0.6}, {{-0.62, -0.75, -0.6}, 0.7, 0.6}};

/* Where a point of the unit sphere goes: straight out, by the horns around it. */
static dc_vec3 creature_point(dc_vec3 direction)
{
    static const double BLUNT = 0.1; /* how round tips are, on the unit sphere */
    double radius = 1;
    size_t i;
    for (i = 0; i < sizeof HORNS / sizeof HORNS[0]; i++) {
        const double *d = HORNS[i].direction;
        double away = vec_length(vec_sub(direction, unit(vec_make(d[0], d[1], d[2]))));
        double part = 1 - (sqrt(away * away + BLUNT * BLUNT) - BLUNT) / HORNS[i].width;
        if (part > 0) radius += HORNS[i].height * part * part;
    }
    return vec_scale(radius, direction);
}

static int make_creature(sim_shape *shape, int n, failure *why)
{
    dc_index v;
    if (!make_ball(shape, n, why)) return 0;
    for (v = 0; v < shape->mesh.vertex_count; v++)
        shape->positions[v] = creature_point(shape->positions[v]);
    return 1;
}

/* ---- The scenes ---- */

static int copy_mesh(sim_shape *shape, const dc_mesh_desc *mesh, failure *why)
{
    if (!scene_make_shape(shape, mesh->vertex_count, mesh->triangle_count, why)) return 0;
    memcpy(shape->positions, mesh->positions, (size_t)mesh->vertex_count * sizeof(dc_vec3));
    memcpy(shape->triangles, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(dc_index));
    return 1;
}

static void find_box(const sim_shape *shape, dc_vec3 *low, dc_vec3 *high)
{
    dc_index v;
    *low = *high = shape->positions[0];
    for (v = 1; v < shape->mesh.vertex_count; v++) {
        double x = (double)shape->positions[v].x, y = (double)shape->positions[v].y;
        double z = (double)shape->positions[v].z;
        *low = vec_make(fmin((double)low->x, x), fmin((double)low->y, y), fmin((double)low->z, z));
        *high =
            vec_make(fmax((double)high->x, x), fmax((double)high->y, y), fmax((double)high->z, z));
    }
}

/* Gives a body its size and puts it over the middle of the floor. */
static int fit(sim_shape *shape, failure *why)
{
    static const double SIZE = 0.4, DROP = 0.05; /* [m] the longest side of its box; to the floor */
    dc_vec3 low, high, middle;
    double longest;
    dc_index v;
    find_box(shape, &low, &high);
    longest =
        fmax(fmax((double)(high.x - low.x), (double)(high.y - low.y)), (double)(high.z - low.z));
    if (!(longest > 0)) return failure_set(why, "the mesh is only a point");
    middle = vec_scale(0.5, vec_add(low, high));
    for (v = 0; v < shape->mesh.vertex_count; v++) {
        dc_vec3 *p = &shape->positions[v];
        p->x -= middle.x;
        p->y -= low.y;
        p->z -= middle.z;
        *p = vec_scale(SIZE / longest, *p);
        p->y += (dc_real)DROP;
    }
    return 1;
}

/* [m] the mean over all corners */
static double mean_edge(const sim_shape *shape)
{
    const dc_mesh_desc *mesh = &shape->mesh;
    double sum = 0;
    dc_index q;
    for (q = 0; q < 3 * mesh->triangle_count; q++) {
        dc_index a = mesh->triangles[q], b = mesh->triangles[q - q % 3 + (q + 1) % 3];
        sum += vec_length(vec_sub(shape->positions[b], shape->positions[a]));
    }
    return sum / (3 * mesh->triangle_count);
}

/* [m] the lowest height of a triangle over its sides */
static double lowest_height(const sim_shape *shape)
{
    const dc_mesh_desc *mesh = &shape->mesh;
    double lowest = mean_edge(shape);
    dc_index t, c;
    for (t = 0; t < mesh->triangle_count; t++)
        for (c = 0; c < 3; c++) {
            dc_vec3 tip = shape->positions[mesh->triangles[3 * t + c]];
            dc_vec3 foot = shape->positions[mesh->triangles[3 * t + (c + 1) % 3]];
            dc_vec3 end = shape->positions[mesh->triangles[3 * t + (c + 2) % 3]];
            dc_vec3 away = vec_sub(tip, foot), along = vec_sub(end, foot);
            double length_sq = (double)(along.x * along.x + along.y * along.y + along.z * along.z);
            double part = (double)(away.x * along.x + away.y * along.y + away.z * along.z);
            if (!(length_sq > 0)) continue; /* the library refuses it */
            away = vec_sub(away, vec_scale(part / length_sq, along));
            lowest = fmin(lowest, vec_length(away));
        }
    return lowest;
}

static int make_body(scene *s, sim_shape *shape, failure *why)
{
    int is_made =
        s->mesh ? copy_mesh(shape, s->mesh, why) : make_creature(shape, s->cells / 2, why);
    if (!is_made || fit(shape, why)) return is_made;
    sim_shape_free(shape);
    return 0;
}

int scene_build_shell(scene *s, failure *why)
{
    static const double FRICTION = 0.4;
    /* of an edge, and of the lowest height of a triangle, which is cut in halves: so that a body does
       not touch itself where its mesh is fine */
    static const double THICKNESS = 0.1, THICKNESS_LOW = 0.4;
    static const double AIR = 0.2, DAMPING = 0.005; /* [kg/m^2 s], [s] */
    static const double JUMPS = 0.05;               /* jump_beta */
    double thickness;
    sim_shape shape;
    scene_cloth *cloth;
    if (!make_body(s, &shape, why)) return 0;
    if (s->mesh) s->cells = 0;
    s->edge = mean_edge(&shape);
    thickness = fmin(THICKNESS * s->edge, THICKNESS_LOW * lowest_height(&shape));
    cloth = scene_add_cloth(s, &shape, why);
    if (cloth == NULL) return 0;
    cloth->desc.rest_positions = cloth->shape.positions;
    cloth->desc.element = DC_ELEMENT_ISOMETRIC;
    cloth->desc.thickness = (dc_real)thickness;
    cloth->desc.friction = (dc_real)FRICTION;
    cloth->desc.bending = (dc_real)s->kind->bending;
    cloth->desc.bending_damping = (dc_real)DAMPING;
    cloth->desc.jump_beta = (dc_real)JUMPS; /* the default is stiffer than a coarse shell */
    cloth->desc.drag_normal = cloth->desc.drag_tangential = (dc_real)AIR;
    scene_add_floor(s, 0, FRICTION);
    return 1;
}
