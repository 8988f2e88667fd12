/* A peer of `frame`: position based dynamics as games use it, [Macklin, Mueller, Chentanez 2016],
   with one iteration in each of many sub-steps [Macklin et al. 2019], on vertices.

   For each sub-step:
     1. gravity and drag change velocities, which are limited; x += dt v
     2. edges: |x_b - x_a| = l, without compliance
     3. bending: L x = 0 at inner vertices, with compliance A / k
     4. vertices that are too close to each other, to the spheres and to planes, with friction
     5. v = (x - before) / dt

   L is the cotangent Laplacian and A a third of the triangles' area around a vertex. So the energy
   k / 2 sum |L x|^2 / A is that of the library, k / 2 int kappa^2, and like it independent of the
   directions of edges. All is solved in the order of the mesh.

   What it leaves out: contact of edges and triangles, and any proof. Vertices are further apart
   than the thickness, so layers pass between them. Without the limit of velocities energy grows in
   collapsed triangles, to several times that of the start. */
#ifndef XPBD_H
#define XPBD_H

#include "../../examples/common/vec.h"
#include "bench.h"

enum { XPBD_FPS = 60, XPBD_PAIRS = 64 }; /* frames a second, pairs for each vertex */

typedef struct xpbd {
    dc_cloth_desc desc;
    const dc_obstacle_desc *obstacle; /* (obstacle_count) spheres and planes at rest */
    int obstacle_count;
    dc_vec3 gravity; /* [m/s^2] */
    dc_mesh mesh;
    void *mesh_memory;
    dc_vec3 *x, *before, *v, *normal; /* (vertices) [m], [m], [m/s], [1] */
    double *area, *inv_mass;          /* (vertices) [m^2], [1/kg]: 0 for a pin */
    double *length, *weight;          /* (edges) [m], [1] of L */
    /* Rows of L: neighbours of vertex v and their edges from ring_start[v] on; none at borders. */
    dc_index *ring_start, *ring, *ring_edge;
    double *stiffness;               /* (vertices) [1/kg] sum of L^2 / m in a row */
    dc_index *bucket_start, *bucket; /* (2 vertices + 1), (vertices): a hash of cells */
    dc_index *pair, pair_count;      /* (pairs, 2) that may meet in this frame */
} xpbd;

/* ---- Making ---- */

static void xpbd_open_rings(xpbd *s)
{
    const dc_mesh *m = &s->mesh;
    char *is_border = (char *)bench_alloc((size_t)m->vertex_count);
    dc_index e, k, v, place = 0;
    memset(is_border, 0, (size_t)m->vertex_count);
    for (e = 0; e < m->edge_count; e++)
        if (m->corner_of_edge[2 * e + 1] == DC_NONE)
            is_border[m->edge_vertices[2 * e]] = is_border[m->edge_vertices[2 * e + 1]] = 1;
    for (v = 0; v < m->vertex_count; v++) s->ring_start[v + 1] = 0;
    for (k = 0; k < 2 * m->edge_count; k++) s->ring_start[m->edge_vertices[k] + 1]++;
    for (v = 0; v < m->vertex_count; v++) {
        dc_index count = is_border[v] ? 0 : s->ring_start[v + 1];
        s->ring_start[v] = place;
        place += count;
    }
    s->ring_start[m->vertex_count] = place;
    for (k = 0; k < 2 * m->edge_count; k++) {
        v = m->edge_vertices[k];
        if (is_border[v]) continue;
        s->ring[s->ring_start[v]] = m->edge_vertices[k ^ 1];
        s->ring_edge[s->ring_start[v]++] = k / 2;
    }
    for (v = m->vertex_count; v > 0; v--) s->ring_start[v] = s->ring_start[v - 1];
    s->ring_start[0] = 0;
    free(is_border);
}

/* Areas, lengths, and weights of L: half the cotangents opposite an edge. */
static void xpbd_measure(xpbd *s)
{
    const dc_mesh *m = &s->mesh;
    double density = (double)s->desc.density;
    dc_index q, e, v, k;
    for (v = 0; v < m->vertex_count; v++) s->area[v] = s->stiffness[v] = 0;
    for (e = 0; e < m->edge_count; e++) s->weight[e] = 0;
    for (q = 0; q < 3 * m->triangle_count; q++) {
        const dc_real *l = m->rest_length + q / 3 * 3;
        double a = (double)l[q % 3], b = (double)l[(q + 1) % 3], c = (double)l[(q + 2) % 3];
        double area = (double)m->rest_area[q / 3];
        s->area[m->triangles[q]] += area / 3;
        s->length[m->edge_of_corner[q]] = a;
        s->weight[m->edge_of_corner[q]] += (b * b + c * c - a * a) / (8 * area);
    }
    for (v = 0; v < m->vertex_count; v++) s->inv_mass[v] = 1 / (s->area[v] * density);
    for (k = 0; k < s->desc.pin_count; k++) s->inv_mass[s->desc.pin_vertices[k]] = 0;
    for (v = 0; v < m->vertex_count; v++) {
        double sum = 0;
        for (k = s->ring_start[v]; k < s->ring_start[v + 1]; k++) {
            double w = s->weight[s->ring_edge[k]];
            sum += w;
            s->stiffness[v] += w * w * s->inv_mass[s->ring[k]];
        }
        s->stiffness[v] += sum * sum * s->inv_mass[v];
    }
}

/* The description's mesh is copied, its pins and the obstacles must stay. */
static void xpbd_open(xpbd *s, const dc_cloth_desc *desc, dc_vec3 gravity,
                      const dc_obstacle_desc *obstacle, int obstacle_count)
{
    size_t n = (size_t)desc->mesh.vertex_count, edges, bytes;
    dc_error error;
    s->desc = *desc;
    s->gravity = gravity;
    s->obstacle = obstacle;
    s->obstacle_count = obstacle_count;
    bytes = dc_mesh_bytes(desc->mesh.vertex_count, desc->mesh.triangle_count);
    s->mesh_memory = bench_alloc(bytes);
    if (dc_mesh_init(&desc->mesh, s->mesh_memory, bytes, &s->mesh, &error) != DC_OK)
        bench_fail("xpbd", &error);
    edges = (size_t)s->mesh.edge_count;
    s->x = (dc_vec3 *)bench_alloc(4 * n * sizeof *s->x);
    s->before = s->x + n;
    s->v = s->x + 2 * n;
    s->normal = s->x + 3 * n;
    s->area = (double *)bench_alloc((3 * n + 2 * edges) * sizeof *s->area);
    s->inv_mass = s->area + n;
    s->stiffness = s->area + 2 * n;
    s->length = s->area + 3 * n;
    s->weight = s->length + edges;
    s->ring_start = (dc_index *)bench_alloc((4 * n + 2 + 4 * edges) * sizeof *s->ring);
    s->bucket_start = s->ring_start + n + 1;
    s->bucket = s->bucket_start + 2 * n + 1;
    s->ring = s->bucket + n;
    s->ring_edge = s->ring + 2 * edges;
    s->pair = (dc_index *)bench_alloc(2 * XPBD_PAIRS * n * sizeof *s->pair);
    memcpy(s->x, desc->mesh.positions, n * sizeof *s->x);
    memset(s->v, 0, n * sizeof *s->v);
    xpbd_open_rings(s);
    xpbd_measure(s);
}

static void xpbd_close(xpbd *s)
{
    free(s->pair);
    free(s->ring_start);
    free(s->area);
    free(s->x);
    free(s->mesh_memory);
}

/* ---- Which vertices may meet: once a frame, by a hash of cells ---- */

static dc_index xpbd_bucket(const xpbd *s, int i, int j, int k)
{
    uint32_t hash = (uint32_t)i * 92837111u ^ (uint32_t)j * 689287499u ^ (uint32_t)k * 283923481u;
    return (dc_index)(hash % (2 * (uint32_t)s->mesh.vertex_count));
}

static void xpbd_cell(const xpbd *s, dc_index v, double cell, int at[3])
{
    dc_vec3 p = vec_scale(1 / cell, s->x[v]);
    at[0] = (int)floor((double)p.x);
    at[1] = (int)floor((double)p.y);
    at[2] = (int)floor((double)p.z);
}

static dc_index xpbd_bucket_of(const xpbd *s, dc_index v, double cell)
{
    int at[3];
    xpbd_cell(s, v, cell, at);
    return xpbd_bucket(s, at[0], at[1], at[2]);
}

static void xpbd_fill_buckets(xpbd *s, double cell)
{
    dc_index n = s->mesh.vertex_count, v, b;
    for (b = 0; b <= 2 * n; b++) s->bucket_start[b] = 0;
    for (v = 0; v < n; v++) s->bucket_start[xpbd_bucket_of(s, v, cell)]++;
    for (b = 0; b < 2 * n; b++) s->bucket_start[b + 1] += s->bucket_start[b];
    for (v = n - 1; v >= 0; v--) s->bucket[--s->bucket_start[xpbd_bucket_of(s, v, cell)]] = v;
}

/* Adds the later vertices of a bucket that are within reach of v. */
static void xpbd_add_pairs(xpbd *s, dc_index v, dc_index bucket, double reach)
{
    dc_index k;
    for (k = s->bucket_start[bucket]; k < s->bucket_start[bucket + 1]; k++) {
        dc_vec3 d = vec_sub(s->x[s->bucket[k]], s->x[v]);
        if (s->bucket[k] <= v || vec_dot(d, d) > reach * reach) continue;
        if (s->pair_count == XPBD_PAIRS * s->mesh.vertex_count) return;
        s->pair[2 * s->pair_count] = v;
        s->pair[2 * s->pair_count++ + 1] = s->bucket[k];
    }
}

/* Pairs that can come closer than the thickness in a frame, if none gets faster. A pair that is
   found twice, in two cells of one bucket, does no harm. Without self-contact there are none. */
static void xpbd_find_pairs(xpbd *s)
{
    static const double REACH = 2; /* edges, at most: faster than that, vertices pass unseen */
    double speed_sq = 0, reach;
    dc_index v;
    int i, j, k;
    s->pair_count = 0;
    if (!s->desc.self_contact) return;
    for (v = 0; v < s->mesh.vertex_count; v++) speed_sq = fmax(speed_sq, vec_dot(s->v[v], s->v[v]));
    reach = (double)s->desc.thickness + 2 * sqrt(speed_sq) / XPBD_FPS;
    reach = fmin(reach, REACH * s->length[0]);
    xpbd_fill_buckets(s, reach);
    for (v = 0; v < s->mesh.vertex_count; v++) {
        int at[3];
        xpbd_cell(s, v, reach, at);
        for (i = at[0] - 1; i <= at[0] + 1; i++)
            for (j = at[1] - 1; j <= at[1] + 1; j++)
                for (k = at[2] - 1; k <= at[2] + 1; k++)
                    xpbd_add_pairs(s, v, xpbd_bucket(s, i, j, k), reach);
    }
}

/* ---- A sub-step ---- */

static const double XPBD_STRIDE_MAX = 0.3; /* thicknesses a sub-step */

static void xpbd_predict(xpbd *s, double dt)
{
    double along = (double)s->desc.drag_tangential / (double)s->desc.density;
    double across = (double)s->desc.drag_normal / (double)s->desc.density;
    double speed_max = XPBD_STRIDE_MAX * (double)s->desc.thickness / dt;
    dc_index v;
    for (v = 0; v < s->mesh.vertex_count; v++) {
        double speed = vec_dot(s->v[v], s->normal[v]);
        s->before[v] = s->x[v];
        if (s->inv_mass[v] == 0) continue;
        s->v[v] = vec_axpy(vec_axpy(s->v[v], dt, s->gravity), -dt * along, s->v[v]);
        s->v[v] = vec_axpy(s->v[v], -dt * (across - along) * speed, s->normal[v]);
        speed = vec_length(s->v[v]);
        if (speed > speed_max) s->v[v] = vec_scale(speed_max / speed, s->v[v]);
        s->x[v] = vec_axpy(s->x[v], dt, s->v[v]);
    }
}

static void xpbd_solve_edges(xpbd *s)
{
    dc_index e;
    for (e = 0; e < s->mesh.edge_count; e++) {
        dc_index a = s->mesh.edge_vertices[2 * e], b = s->mesh.edge_vertices[2 * e + 1];
        double inv_mass = s->inv_mass[a] + s->inv_mass[b], length, force;
        dc_vec3 d = vec_sub(s->x[b], s->x[a]);
        length = vec_length(d);
        if (!(length > 0 && inv_mass > 0)) continue;
        force = (length - s->length[e]) / (inv_mass * length);
        s->x[a] = vec_axpy(s->x[a], s->inv_mass[a] * force, d);
        s->x[b] = vec_axpy(s->x[b], -s->inv_mass[b] * force, d);
    }
}

/* Damping is that of [Macklin 2016] (26): its gamma is tau / dt. */
static void xpbd_solve_bending(xpbd *s, double dt)
{
    double gamma = (double)s->desc.bending_damping / dt;
    dc_index v, k;
    for (v = 0; v < s->mesh.vertex_count; v++) {
        double compliance = s->area[v] / ((double)s->desc.bending * dt * dt), sum = 0;
        dc_vec3 force = vec_make(0, 0, 0), moved = vec_sub(s->x[v], s->before[v]);
        if (s->ring_start[v] == s->ring_start[v + 1]) continue;
        for (k = s->ring_start[v]; k < s->ring_start[v + 1]; k++) {
            dc_index u = s->ring[k];
            double w = s->weight[s->ring_edge[k]];
            dc_vec3 change = vec_sub(vec_sub(s->x[u], s->before[u]), moved);
            force = vec_axpy(force, w, vec_axpy(vec_sub(s->x[u], s->x[v]), gamma, change));
            sum += w;
        }
        force = vec_scale(-1 / ((1 + gamma) * s->stiffness[v] + compliance), force);
        for (k = s->ring_start[v]; k < s->ring_start[v + 1]; k++) {
            dc_index u = s->ring[k];
            s->x[u] = vec_axpy(s->x[u], s->inv_mass[u] * s->weight[s->ring_edge[k]], force);
        }
        s->x[v] = vec_axpy(s->x[v], -s->inv_mass[v] * sum, force);
    }
}

/* What Coulomb friction takes back of a displacement, where `depth` was pushed out along n. */
static dc_vec3 xpbd_friction(dc_vec3 moved, dc_vec3 n, double depth, double friction)
{
    dc_vec3 slide = vec_axpy(moved, -vec_dot(moved, n), n);
    double length = vec_length(slide);
    return vec_scale(length > friction * depth ? friction * depth / length : 1, slide);
}

static void xpbd_solve_pairs(xpbd *s)
{
    dc_index k;
    for (k = 0; k < s->pair_count; k++) {
        dc_index a = s->pair[2 * k], b = s->pair[2 * k + 1];
        double inv_mass = s->inv_mass[a] + s->inv_mass[b], depth, length;
        dc_vec3 d = vec_sub(s->x[b], s->x[a]), moved;
        length = vec_length(d);
        depth = (double)s->desc.thickness - length;
        if (!(depth > 0 && length > 0 && inv_mass > 0)) continue;
        moved = vec_sub(vec_sub(s->x[b], s->before[b]), vec_sub(s->x[a], s->before[a]));
        moved = xpbd_friction(moved, vec_scale(1 / length, d), depth, (double)s->desc.friction);
        moved = vec_sub(vec_scale(depth / length, d), moved);
        s->x[a] = vec_axpy(s->x[a], -s->inv_mass[a] / inv_mass, moved);
        s->x[b] = vec_axpy(s->x[b], s->inv_mass[b] / inv_mass, moved);
    }
}

static void xpbd_solve_obstacle(xpbd *s, const dc_obstacle_desc *o)
{
    double friction = ((double)o->friction + (double)s->desc.friction) / 2;
    int is_plane = o->kind == DC_OBSTACLE_PLANE;
    double radius = (is_plane ? 0 : (double)o->radius) + (double)s->desc.thickness / 2;
    dc_index v;
    for (v = 0; v < s->mesh.vertex_count; v++) {
        dc_vec3 d = vec_sub(s->x[v], o->point[0]), n = d;
        double depth;
        if (is_plane) n = vec_sub(o->point[1], o->point[0]);
        if (!is_plane && vec_dot(d, d) > radius * radius) continue;
        n = vec_scale(1 / vec_length(n), n);
        depth = radius - vec_dot(d, n);
        if (!(depth > 0) || s->inv_mass[v] == 0) continue;
        d = xpbd_friction(vec_sub(s->x[v], s->before[v]), n, depth, friction);
        s->x[v] = vec_axpy(vec_sub(s->x[v], d), depth, n);
    }
}

static void xpbd_frame(xpbd *s, int substeps)
{
    double dt = 1.0 / (XPBD_FPS * substeps);
    dc_index v;
    int i, k;
    xpbd_find_pairs(s);
    dc_mesh_normals(&s->mesh, s->x, s->normal);
    for (k = 0; k < substeps; k++) {
        xpbd_predict(s, dt);
        xpbd_solve_edges(s);
        if (s->desc.bending > 0) xpbd_solve_bending(s, dt);
        xpbd_solve_pairs(s);
        for (i = 0; i < s->obstacle_count; i++) xpbd_solve_obstacle(s, &s->obstacle[i]);
        for (v = 0; v < s->mesh.vertex_count; v++)
            s->v[v] = vec_scale(1 / dt, vec_sub(s->x[v], s->before[v]));
    }
}

/* ---- Measures ---- */

/* (l - l0) / l0 of the edges, as dc_cloth_measure() has it. */
static void xpbd_strain(const xpbd *s, double *rms, double *most)
{
    double sum = 0;
    dc_index e;
    *most = 0;
    for (e = 0; e < s->mesh.edge_count; e++) {
        const dc_index *end = s->mesh.edge_vertices + 2 * e;
        double strain = vec_length(vec_sub(s->x[end[1]], s->x[end[0]])) / s->length[e] - 1;
        sum += strain * strain;
        *most = fmax(*most, fabs(strain));
    }
    *rms = sqrt(sum / s->mesh.edge_count);
}

/* [J] of gravity, 0 at the origin. */
static double xpbd_potential(const xpbd *s)
{
    double sum = 0;
    dc_index v;
    for (v = 0; v < s->mesh.vertex_count; v++)
        sum -= s->area[v] * (double)s->desc.density * vec_dot(s->x[v], s->gravity);
    return sum;
}

#endif
