/* Meshes and obstacles out of bytes. Meshes: shapes, triangles glued to each other one by one, triangles of
   any vertices; and edits to them that may make them bad. All arrays have exactly their size. */
#ifndef FUZZ_SHAPES_H
#define FUZZ_SHAPES_H

#include "../../examples/common/shapes.c"

/* Of worlds and drapes. */
enum { TRIANGLES_MAX = 24, OBSTACLES_MAX = 3 };

typedef struct fuzz_mesh {
    dc_mesh_desc desc;
    dc_vec3 *positions;
    dc_index *triangles;
    dc_vec2 *flat_vertices, *flat_corners; /* or NULL                                            */
    dc_real *rest_lengths;                 /* or NULL                                            */
} fuzz_mesh;

static void fuzz_mesh_free(fuzz_mesh *m)
{
    free(m->positions);
    free(m->triangles);
    free(m->flat_vertices);
    free(m->flat_corners);
    free(m->rest_lengths);
    memset(m, 0, sizeof *m);
}

static void fuzz_mesh_room(fuzz_mesh *m, dc_index vertices, dc_index triangles)
{
    m->desc.vertex_count = vertices;
    m->desc.triangle_count = triangles;
    m->positions = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3));
    m->triangles = (dc_index *)test_alloc(3 * (size_t)triangles * sizeof(dc_index));
}

/* A shape with at most so many triangles, about a metre in size. */
static void fuzz_mesh_shape(fuzz_bytes *f, fuzz_mesh *m, int triangles_max)
{
    shape_desc shape = shape_defaults((shape_kind)fuzz_int(f, 0, SHAPE_CAPSULE));
    int is_round = shape.kind != SHAPE_GRID && shape.kind != SHAPE_STRIP;
    dc_index vertices, triangles;
    shape.columns = fuzz_int(f, is_round ? 3 : 1, 6);
    shape.rows = fuzz_int(f, 1, 4);
    shape.diagonals = (dc_diagonals)fuzz_int(f, 0, DC_DIAGONALS_HERRINGBONE);
    shape.width = fuzz_scale(f, 0.1, 2);
    shape.height = fuzz_scale(f, 0.1, 2);
    shape.radius = fuzz_scale(f, 0.1, 1);
    shape.inner_radius = shape.radius * fuzz_real(f, 0.2, 0.8);
    if (fuzz_once_in(f, 4)) shape.jitter = fuzz_real(f, 0, 0.3);
    shape.seed = fuzz_byte(f);
    while (shape_counts(&shape, &vertices, &triangles, NULL) != DC_OK ||
           triangles > triangles_max) {
        int is_long = shape.columns > (is_round ? 3 : 1);
        shape.jitter = 0;
        shape.width = shape.height = shape.radius = 1, shape.inner_radius = (dc_real)0.5;
        if (is_long) shape.columns--;
        if (!is_long && shape.rows > 1) shape.rows--;
        if (!is_long && shape.rows == 1 && is_round) shape.kind = SHAPE_GRID, is_round = 0;
    }
    fuzz_mesh_room(m, vertices, triangles);
    m->flat_vertices = (dc_vec2 *)test_alloc((size_t)vertices * sizeof(dc_vec2));
    if (shape_build(&shape, m->positions, m->triangles, m->flat_vertices, NULL, NULL) != DC_OK ||
        is_round || fuzz_once_in(f, 2)) {
        free(m->flat_vertices);
        m->flat_vertices = NULL;
    }
}

/* Triangles one after the other, each at a side of one that was there, with a vertex of its own, next
   to the side, or with one that was there. */
static void fuzz_mesh_glue(fuzz_bytes *f, fuzz_mesh *m, int triangles_max)
{
    dc_index count = fuzz_int(f, 1, triangles_max), t;
    fuzz_mesh_room(m, count + 2, count);
    m->desc.vertex_count = 3;
    for (t = 0; t < 3; t++) {
        m->triangles[t] = t;
        m->positions[t] = fuzz_vec(f, -1, 1);
    }
    for (t = 1; t < count; t++) {
        dc_index *own = m->triangles + 3 * t;
        dc_index *at = m->triangles + 3 * fuzz_int(f, 0, (int)t - 1);
        int side = fuzz_int(f, 0, 2);
        own[0] = at[(side + 1) % 3];
        own[1] = at[side];
        if (fuzz_once_in(f, 6)) {
            own[2] = fuzz_int(f, 0, (int)m->desc.vertex_count - 1);
        } else {
            dc_vec3 a = m->positions[own[0]], b = m->positions[own[1]];
            dc_vec3 c = m->positions[at[(side + 2) % 3]], off = fuzz_vec(f, -0.3, 0.3);
            own[2] = m->desc.vertex_count++;
            m->positions[own[2]].x = a.x + b.x - c.x + off.x; /* across the side */
            m->positions[own[2]].y = a.y + b.y - c.y + off.y;
            m->positions[own[2]].z = a.z + b.z - c.z + off.z;
        }
    }
}

static void fuzz_mesh_any(fuzz_bytes *f, fuzz_mesh *m, int triangles_max)
{
    dc_index i;
    fuzz_mesh_room(m, fuzz_int(f, 1, triangles_max), fuzz_int(f, 1, triangles_max));
    for (i = 0; i < 3 * m->desc.triangle_count; i++)
        m->triangles[i] = fuzz_int(f, 0, (int)m->desc.vertex_count - 1);
    for (i = 0; i < m->desc.vertex_count; i++) m->positions[i] = fuzz_vec(f, -1, 1);
}

/* What would be there twice: vertices without triangles, other arrays. */
static void fuzz_mesh_add_vertices(fuzz_bytes *f, fuzz_mesh *m, dc_index count)
{
    dc_index v = m->desc.vertex_count, all = v + count;
    m->positions = (dc_vec3 *)realloc(m->positions, (size_t)all * sizeof(dc_vec3));
    REQUIRE(m->positions);
    if (m->flat_vertices) {
        m->flat_vertices = (dc_vec2 *)realloc(m->flat_vertices, (size_t)all * sizeof(dc_vec2));
        REQUIRE(m->flat_vertices);
    }
    m->desc.vertex_count = all;
    for (; v < all; v++) {
        m->positions[v] = fuzz_vec(f, -1, 1);
        if (m->flat_vertices) m->flat_vertices[v].x = m->flat_vertices[v].y = 0;
    }
}

static void fuzz_mesh_edit(fuzz_bytes *f, fuzz_mesh *m)
{
    dc_index triangles = m->desc.triangle_count, vertices = m->desc.vertex_count, i;
    dc_index *triangle = m->triangles + 3 * fuzz_int(f, 0, (int)triangles - 1), swap;
    dc_index from = fuzz_int(f, 0, (int)vertices - 1), to = fuzz_int(f, 0, (int)vertices - 1);
    switch (fuzz_int(f, 0, 7)) {
    case 0: m->positions[from] = fuzz_vec(f, -1, 1); break;
    case 1: m->positions[from] = m->positions[to]; break;
    case 2: fuzz_mesh_add_vertices(f, m, fuzz_int(f, 1, 3)); break;
    case 3: /* two vertices become one */
        for (i = 0; i < 3 * triangles; i++)
            if (m->triangles[i] == from) m->triangles[i] = to;
        break;
    case 4: triangle[fuzz_int(f, 0, 2)] = fuzz_int(f, -1, (int)vertices); break;
    case 5: swap = triangle[0], triangle[0] = triangle[1], triangle[1] = swap; break;
    case 6: /* turned about, which changes nothing */
        swap = triangle[0], triangle[0] = triangle[1], triangle[1] = triangle[2];
        triangle[2] = swap;
        break;
    case 7: swap = m->triangles[0], m->triangles[0] = triangle[0], triangle[0] = swap; break;
    }
}

static dc_real fuzz_mesh_side(const fuzz_mesh *m, dc_index corner)
{
    dc_index t = corner / 3 * 3, a = m->triangles[t + (corner + 1) % 3],
             b = m->triangles[t + (corner + 2) % 3];
    dc_vec3 p, q;
    if (a < 0 || b < 0 || a >= m->desc.vertex_count || b >= m->desc.vertex_count) return 1;
    p = m->positions[a], q = m->positions[b];
    return (dc_real)sqrt((double)((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) +
                                  (p.z - q.z) * (p.z - q.z)));
}

/* Rest shapes that differ from the positions. */
static void fuzz_mesh_rest(fuzz_bytes *f, fuzz_mesh *m)
{
    dc_index corners = 3 * m->desc.triangle_count, i;
    int kind = fuzz_int(f, 0, 15);
    if (kind == 15) {
        m->rest_lengths = (dc_real *)test_alloc((size_t)corners * sizeof(dc_real));
        for (i = 0; i < corners; i++)
            m->rest_lengths[i] = fuzz_mesh_side(m, i) * fuzz_real(f, 0.9, 1.1);
    }
    if (kind == 14) {
        m->flat_corners = (dc_vec2 *)test_alloc((size_t)corners * sizeof(dc_vec2));
        for (i = 0; i < corners; i++) {
            m->flat_corners[i].x = fuzz_real(f, -1, 1);
            m->flat_corners[i].y = fuzz_real(f, -1, 1);
        }
    }
    if (kind == 13 && !m->flat_vertices) {
        m->flat_vertices = (dc_vec2 *)test_alloc((size_t)m->desc.vertex_count * sizeof(dc_vec2));
        for (i = 0; i < m->desc.vertex_count; i++) {
            m->flat_vertices[i].x = m->positions[i].x;
            m->flat_vertices[i].y = m->positions[i].y;
        }
    }
}

/* At most so many triangles; some more vertices. */
static fuzz_mesh fuzz_mesh_make(fuzz_bytes *f, int triangles_max)
{
    fuzz_mesh m;
    int kind = fuzz_int(f, 0, 7), edits = fuzz_int(f, 0, 11);
    memset(&m, 0, sizeof m);
    if (kind < 5)
        fuzz_mesh_shape(f, &m, triangles_max);
    else if (kind < 7)
        fuzz_mesh_glue(f, &m, triangles_max);
    else
        fuzz_mesh_any(f, &m, triangles_max);
    for (edits -= 8; edits > 0; edits--) fuzz_mesh_edit(f, &m);
    fuzz_mesh_rest(f, &m);
    m.positions = (dc_vec3 *)realloc(m.positions, (size_t)m.desc.vertex_count * sizeof(dc_vec3));
    REQUIRE(m.positions);
    m.desc.positions = m.positions;
    m.desc.triangles = m.triangles;
    m.desc.flat_vertices = m.flat_vertices;
    m.desc.flat_corners = m.flat_corners;
    m.desc.rest_lengths = m.rest_lengths;
    return m;
}

/* ---- Placing ---- */

/* Laid down, set up, or turned a little, and moved. */
static void fuzz_mesh_place(fuzz_bytes *f, fuzz_mesh *m)
{
    int turn = fuzz_int(f, 0, 3);
    dc_vec3 way = fuzz_vec(f, -1, 1);
    dc_real lean = turn == 3 ? fuzz_real(f, -1, 1) : 0;
    dc_index v;
    for (v = 0; v < m->desc.vertex_count; v++) {
        dc_vec3 p = m->positions[v], q = p;
        if (turn == 1) q.y = p.z, q.z = -p.y;
        if (turn == 2) q.x = p.z, q.z = -p.x;
        q.y += lean * p.x;
        m->positions[v] = dci_vec_add(q, way);
    }
}

/* ---- Obstacles ---- */

/* `mesh` gets the mesh of one, to be freed. */
static dc_obstacle_desc fuzz_obstacle(fuzz_bytes *f, fuzz_mesh *mesh)
{
    dc_obstacle_desc o;
    memset(&o, 0, sizeof o);
    memset(mesh, 0, sizeof *mesh);
    o.kind = (dc_obstacle_kind)fuzz_enum(f, 4);
    o.point[0] = fuzz_vec(f, -1, 1);
    o.point[1] = dci_vec_add(o.point[0], fuzz_vec(f, -1, 1));
    if (o.kind == DC_OBSTACLE_PLANE && fuzz_once_in(f, 2)) { /* a floor */
        o.point[0] = dci_vec(0, fuzz_real(f, -2, 0), 0);
        o.point[1] = dci_vec_add(o.point[0], dci_vec(0, 1, 0));
    }
    o.radius = fuzz_scale(f, 0.02, 1);
    o.friction = fuzz_real(f, 0, 1);
    if (o.kind == DC_OBSTACLE_MESH) {
        *mesh = fuzz_mesh_make(f, 16);
        fuzz_mesh_place(f, mesh);
        o.mesh = mesh->desc;
    }
    return o;
}

#endif
