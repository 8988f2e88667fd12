/* Bodies as the exact referees of tests/support see them: their surfaces before a step and after it,
   and what crossed in between or crosses now. Spheres and capsules are beyond the referees, and are
   sampled. */
#ifndef FUZZ_JUDGE_H
#define FUZZ_JUDGE_H

#include "../support/referee.h"
#include "../support/sweep_referee.h"

typedef struct judged {
    dc_mesh mesh; /* vertices, triangles and edges alone; empty of what has no mesh       */
    dc_vec3 *before,
        *now; /* (vertex_count) [m]                                                   */
    dc_index vertex_count;
    dc_obstacle_kind kind;
    dc_real radius; /* [m] of spheres and capsules                                               */
    int is_obstacle, self_contact, is_off;
    unsigned tied; /* a bit for each body of which it need not be clear                          */
} judged;

static void judged_edge(dc_mesh *mesh, dc_index a, dc_index b)
{
    dc_index e;
    for (e = 0; e < mesh->edge_count; e++) {
        const dc_index *edge = mesh->edge_vertices + 2 * e;
        if ((edge[0] == a && edge[1] == b) || (edge[0] == b && edge[1] == a)) return;
    }
    mesh->edge_vertices[2 * e] = a;
    mesh->edge_vertices[2 * e + 1] = b;
    mesh->edge_count++;
}

/* Takes any triangles, a Moebius band's too. */
static judged judged_mesh(dc_index vertex_count, dc_index triangle_count, const dc_index *triangles)
{
    judged j;
    dc_index i;
    size_t corners = 3 * (size_t)triangle_count;
    memset(&j, 0, sizeof j);
    j.vertex_count = j.mesh.vertex_count = vertex_count;
    j.mesh.triangle_count = triangle_count;
    j.mesh.triangles = (dc_index *)test_alloc(corners * sizeof(dc_index));
    j.mesh.edge_vertices = (dc_index *)test_alloc(2 * corners * sizeof(dc_index));
    if (corners > 0) memcpy(j.mesh.triangles, triangles, corners * sizeof(dc_index));
    for (i = 0; i < 3 * triangle_count; i++)
        judged_edge(&j.mesh, triangles[i], triangles[i % 3 == 2 ? i - 2 : i + 1]);
    j.before = (dc_vec3 *)test_alloc((size_t)vertex_count * sizeof(dc_vec3));
    j.now = (dc_vec3 *)test_alloc((size_t)vertex_count * sizeof(dc_vec3));
    return j;
}

static judged judged_obstacle(const dc_obstacle_desc *o)
{
    static const dc_index counts[4] = {0, 1, 2, 3};
    int is_mesh = o->kind == DC_OBSTACLE_MESH;
    judged j = judged_mesh(is_mesh ? o->mesh.vertex_count : counts[o->kind],
                           is_mesh ? o->mesh.triangle_count : 0, o->mesh.triangles);
    j.kind = o->kind;
    j.radius = is_mesh || o->kind == DC_OBSTACLE_PLANE ? 0 : o->radius;
    j.is_obstacle = 1;
    return j;
}

static void judged_free(judged *j)
{
    free(j->mesh.triangles);
    free(j->mesh.edge_vertices);
    free(j->before);
    free(j->now);
    memset(j, 0, sizeof *j);
}

static void judged_look(judged *j, const dc_vec3 *x)
{
    if (j->vertex_count > 0) memcpy(j->now, x, (size_t)j->vertex_count * sizeof(dc_vec3));
}

/* Looks at all bodies of a world with so many cloths, ribbons and obstacles. */
static void judged_look_at_world(judged *bodies, const dc_world *world, const dc_world_desc *desc)
{
    dc_index count = desc->cloth_count + desc->ribbon_count + desc->obstacle_count, i;
    for (i = 0; i < count; i++) judged_look(bodies + i, dc_body_positions(world, i));
}

static void judged_begin(judged *j)
{
    if (j->vertex_count > 0) memcpy(j->before, j->now, (size_t)j->vertex_count * sizeof(dc_vec3));
}

/* Whether exact arithmetic can take all coordinates. */
static int judged_is_in_reach(const judged *j)
{
    dc_index i;
    for (i = 0; i < 3 * j->vertex_count; i++) {
        double a = fabs((double)dci_const_reals(j->before)[i]);
        double b = fabs((double)dci_const_reals(j->now)[i]);
        if (a != 0 && !(a > SWEEP_TINY && a < SWEEP_HUGE)) return 0;
        if (b != 0 && !(b > SWEEP_TINY && b < SWEEP_HUGE)) return 0;
    }
    return 1;
}

static int judged_is_finite(const judged *j)
{
    return dci_first_not_finite(j->now, j->vertex_count) == DC_NONE;
}

/* ---- Spheres and capsules ---- */

enum { JUDGED_TIMES = 6, JUDGED_PARTS = 3 };

static dc_vec3 judged_at(const judged *j, dc_index v, double time)
{
    dc_vec3 x = dci_vec_scale((dc_real)(1 - time), j->before[v]);
    return dci_vec_axpy(x, (dc_real)time, j->now[v]);
}

/* How deep a point is in a thick obstacle; below 0 outside of it. */
static double judged_depth(const judged *thick, double time, dc_vec3 p)
{
    dc_vec3 from = judged_at(thick, 0, time), axis, off = dci_vec_sub(p, from);
    dc_real part = 0, axis_sq;
    if (thick->kind == DC_OBSTACLE_CAPSULE) {
        axis = dci_vec_sub(judged_at(thick, 1, time), from);
        axis_sq = dci_dot(axis, axis);
        part = axis_sq > 0 ? dci_min(1, dci_max(0, dci_dot(off, axis) / axis_sq)) : DCI_R(0);
        off = dci_vec_axpy(off, -part, axis);
    }
    return (double)thick->radius - (double)dci_norm(off);
}

/* The largest coordinate [m], by which sampling is rounded. */
static double judged_size(const judged *j)
{
    double size = 0;
    dc_index i;
    for (i = 0; i < 3 * j->vertex_count; i++) {
        size = fmax(size, fabs((double)dci_const_reals(j->before)[i]));
        size = fmax(size, fabs((double)dci_const_reals(j->now)[i]));
    }
    return size;
}

static int judged_is_sampled_in(const judged *j, const judged *thick, double from)
{
    static const double ROUNDING = sizeof(dc_real) == 4 ? 1e-5 : 1e-13;
    double allowed = ROUNDING * (judged_size(j) + judged_size(thick) + (double)thick->radius);
    dc_index t;
    int k, a, b;
    for (t = 0; t < j->mesh.triangle_count; t++)
        for (k = 0; k <= JUDGED_TIMES; k++) {
            const dc_index *v = j->mesh.triangles + 3 * t;
            double time = from + (1 - from) * k / JUDGED_TIMES;
            dc_vec3 x[3];
            for (a = 0; a < 3; a++) x[a] = judged_at(j, v[a], time);
            for (a = 0; a <= JUDGED_PARTS; a++)
                for (b = 0; b <= JUDGED_PARTS - a; b++) {
                    dc_vec3 p = dci_vec_scale((dc_real)a / JUDGED_PARTS, x[0]);
                    p = dci_vec_axpy(p, (dc_real)b / JUDGED_PARTS, x[1]);
                    p = dci_vec_axpy(p, (dc_real)(JUDGED_PARTS - a - b) / JUDGED_PARTS, x[2]);
                    if (judged_depth(thick, time, p) > allowed) return 1;
                }
        }
    return 0;
}

/* ---- All ---- */

/* Whether two bodies, or one and itself, touch: on the straight way from before to now; or whether
   edges pierce triangles now. */
static int judged_touch(const judged *a, const judged *b, int is_way)
{
    const judged *mesh = a->mesh.triangle_count > 0 ? a : b, *other = mesh == a ? b : a;
    sweep_body one, two;
    if (a->is_obstacle && b->is_obstacle) return 0;
    if (a == b && !a->self_contact) return 0;
    if (a->is_off || b->is_off) return 0;
    if (!judged_is_in_reach(a) || !judged_is_in_reach(b)) return 0;
    if (other->radius > 0) return judged_is_sampled_in(mesh, other, is_way ? 0 : 1);
    one.mesh = &mesh->mesh, one.end = mesh->now, one.start = is_way ? mesh->before : mesh->now;
    if (other->is_obstacle && other->kind == DC_OBSTACLE_PLANE)
        return sweep_count_behind(&one, is_way ? other->before : other->now, other->now) > 0;
    if (!is_way)
        return referee_count(&mesh->mesh, mesh->now, &other->mesh, other->now) > 0 ||
               referee_count(&other->mesh, other->now, &mesh->mesh, mesh->now) > 0;
    two.mesh = &other->mesh, two.end = other->now, two.start = other->before;
    return sweep_count(&one, &two) > 0;
}

/* The first two that touch; false if none do. */
static int judged_any_touch(const judged *bodies, int count, int is_way, int found[2])
{
    int i, k;
    for (i = 0; i < count; i++)
        for (k = i; k < count; k++)
            if (!(bodies[i].tied >> k & 1) && judged_touch(bodies + i, bodies + k, is_way)) {
                found[0] = i, found[1] = k;
                return 1;
            }
    return 0;
}

#endif
