/*
 * 10_collider.c - the collision stages under another solver
 *
 * What one will see: the twenty lines of a position-based cloth (springs that are projected one after
 * the other) fall on a ball and a floor. That solver knows nothing of contact: a collider takes its
 * positions before and after each step, and changes those after so that nothing crosses on the way.
 * What its stages did, that every step was proved free of crossings, and where the cloth lies are
 * printed; out/10_collider.obj is the cloth.
 */
#include "../devcloth.h"
#include "common/obj.h"

#include <math.h>

enum { CELLS = 20, SPRINGS = DC_GRID_EDGES(CELLS, CELLS), STEPS = 400, SWEEPS = 20 };
enum { MEMORY_BYTES = 4 << 20 };              /* planning tells; this is ample */
static const dc_real DT = (dc_real)0.005;     /* [s] */
static const dc_real DAMPING = (dc_real)0.99; /* of velocities in each step */

static dc_vec3 x[DC_GRID_VERTICES(CELLS, CELLS)], x_next[DC_GRID_VERTICES(CELLS, CELLS)];
static dc_vec3 v[DC_GRID_VERTICES(CELLS, CELLS)];
static dc_real masses[DC_GRID_VERTICES(CELLS, CELLS)];
static dc_index triangles[3 * DC_GRID_TRIANGLES(CELLS, CELLS)];
static dc_real rest[3 * DC_GRID_TRIANGLES(CELLS, CELLS)]; /* [m] of the side after each corner */
static unsigned char memory[MEMORY_BYTES];

static dc_vec3 combine(dc_vec3 a, dc_real s, dc_vec3 b)
{
    a.x += s * b.x, a.y += s * b.y, a.z += s * b.z;
    return a;
}

static dc_real length(dc_vec3 a)
{
    return (dc_real)sqrt((double)(a.x * a.x + a.y * a.y + a.z * a.z));
}

/* ---- Somebody's solver ---- */

/* Moves both ends of each spring by half of what it is too long or too short. */
static void project_springs(dc_index corner_count)
{
    dc_index q;
    for (q = 0; q < corner_count; q++) {
        dc_vec3 *a = x_next + triangles[q], *b = x_next + triangles[q % 3 == 2 ? q - 2 : q + 1];
        dc_vec3 side = combine(*b, -1, *a);
        dc_real part = (1 - rest[q] / length(side)) / 2;
        *a = combine(*a, part, side);
        *b = combine(*b, -part, side);
    }
}

static void predict(const dc_mesh_desc *mesh)
{
    dc_index i, sweep;
    for (i = 0; i < mesh->vertex_count; i++) {
        v[i].y -= (dc_real)9.81 * DT;
        x_next[i] = combine(x[i], DT, v[i]);
    }
    for (sweep = 0; sweep < SWEEPS; sweep++) project_springs(3 * mesh->triangle_count);
}

/* ---- The same with contact ---- */

static int step(dc_collider *collider, const dc_mesh_desc *mesh, dc_report *report, dc_error *error)
{
    const dc_vec3 *push = dc_collider_pushes(collider);
    dc_index i;
    predict(mesh);
    if (dc_collider_resolve(collider, x, x_next, report, error) != DC_OK) return 0;
    for (i = 0; i < mesh->vertex_count; i++) { /* a push is no velocity */
        dc_vec3 way = combine(combine(x_next[i], -1, x[i]), -1, push[i]);
        v[i].x = v[i].y = v[i].z = 0;
        v[i] = combine(v[i], DAMPING / DT, way);
        x[i] = x_next[i];
    }
    return 1;
}

static dc_mesh_desc make_cloth(void)
{
    dc_mesh_desc mesh = dc_grid(CELLS, CELLS, 1, 1, DC_DIAGONALS_FORWARD, x, triangles);
    dc_index i;
    for (i = 0; i < mesh.vertex_count; i++) { /* lie down above the ball, a little off its middle */
        x[i].z = (dc_real)0.53 - x[i].y;
        x[i].x -= (dc_real)0.48;
        x[i].y = (dc_real)0.25;
        masses[i] = (dc_real)0.15 / (CELLS * CELLS);
    }
    for (i = 0; i < 3 * mesh.triangle_count; i++)
        rest[i] = length(combine(x[triangles[i % 3 == 2 ? i - 2 : i + 1]], -1, x[triangles[i]]));
    return mesh;
}

static int make_collider(const dc_mesh_desc *mesh, dc_collider **collider, dc_error *error)
{
    dc_collider_desc desc = dc_collider_defaults();
    dc_collider_body cloth = dc_collider_body_defaults();
    dc_obstacle_desc obstacles[2];
    cloth.mesh = *mesh;
    cloth.masses = masses;
    cloth.thickness = (dc_real)0.005;
    obstacles[0] = obstacles[1] = dc_obstacle_defaults();
    obstacles[0].kind = DC_OBSTACLE_SPHERE;
    obstacles[0].radius = (dc_real)0.2;
    obstacles[1].kind = DC_OBSTACLE_PLANE;
    obstacles[1].point[0].y = (dc_real)-0.3;
    obstacles[1].point[1].y = 0; /* upwards */
    desc.bodies = &cloth;
    desc.body_count = 1;
    desc.obstacles = obstacles;
    desc.obstacle_count = 2;
    return dc_collider_init(&desc, memory, sizeof memory, collider, NULL, error) == DC_OK;
}

int main(void)
{
    int i, certified = 0, repulsions = 0, impulses = 0;
    double lowest = 0, highest = -1;
    const dc_mesh_desc mesh = make_cloth();
    dc_collider *collider;
    dc_report report;
    dc_error error;
    failure why;

    if (!make_collider(&mesh, &collider, &error)) {
        fprintf(stderr, "10_collider: %s: %s\n", error.where, error.what);
        return 1;
    }
    for (i = 0; i < STEPS; i++) {
        if (!step(collider, &mesh, &report, &error)) {
            fprintf(stderr, "10_collider: step %d: %s\n", i, error.what);
            return 1;
        }
        certified += report.is_certified;
        repulsions += (int)report.counters.repulsions;
        impulses += (int)report.counters.impulses;
    }
    for (i = 0; i < mesh.vertex_count; i++) {
        lowest = fmin(lowest, (double)x[i].y);
        highest = fmax(highest, (double)x[i].y);
    }
    printf("%d of %d steps proved free of crossings; %d contacts pushed apart, %d stopped\n",
           certified, STEPS, repulsions, impulses);
    printf("the cloth lies from %.3f m to %.3f m\n", lowest, highest);
    if (!files_make_directory("out", &why) || !obj_write("out/10_collider.obj", mesh.vertex_count,
                                                         x, mesh.triangle_count, triangles, &why)) {
        fprintf(stderr, "10_collider: %s\n", why.text);
        return 1;
    }
    return 0;
}
