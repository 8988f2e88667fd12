/*
 * 06_drape.c - where a tablecloth comes to rest, and what its bending makes of it
 *
 * What one will see: a square cloth of 1 m, laid over a ball, is draped in a hundred iterations
 * that know no time: lengths are kept, friction holds it, nothing crosses. Then a world with mass
 * and bending takes it over and lets it settle. The report of the first and how far all sinks in
 * the second are printed; out/06_drape.obj and out/06_drape_settled.obj are the two shapes.
 */
#include "../devcloth.h"
#include "common/obj.h"

enum { CELLS = 20, STEPS_MAX = 500 };
/* Drapes and collisions need what planning tells; these are ample. */
enum { MEMORY_BYTES = 16 << 20 };
static const dc_real DT = (dc_real)0.004;       /* [s] */
static const dc_real TOLERANCE = (dc_real)1e-3; /* of gravity, that may be left unbalanced */

static dc_vec3 positions[DC_GRID_VERTICES(CELLS, CELLS)];
static dc_index triangles[3 * DC_GRID_TRIANGLES(CELLS, CELLS)];
static unsigned char drape_memory[MEMORY_BYTES], world_memory[MEMORY_BYTES];

static int fail(const char *reason)
{
    fprintf(stderr, "06_drape: %s\n", reason);
    return 1;
}

static int write_shape(const char *path, const dc_mesh_desc *mesh, const dc_vec3 *x, failure *why)
{
    return files_make_directory("out", why) &&
           obj_write(path, mesh->vertex_count, x, mesh->triangle_count, mesh->triangles, why);
}

static double mean_height(const dc_vec3 *x, dc_index count)
{
    double sum = 0;
    dc_index v;
    for (v = 0; v < count; v++) sum += (double)x[v].y;
    return sum / count;
}

/* The ball's centre is the origin; the cloth lies flat above it, a little off its middle. */
static dc_mesh_desc make_cloth(void)
{
    /* Herringbone: no direction in which it bends more easily. */
    dc_mesh_desc mesh = dc_grid(CELLS, CELLS, 1, 1, DC_DIAGONALS_HERRINGBONE, positions, triangles);
    dc_index v;
    for (v = 0; v < mesh.vertex_count; v++) { /* it comes upright; lay it down */
        positions[v].z = (dc_real)0.48 - positions[v].y;
        positions[v].x -= (dc_real)0.5;
        positions[v].y = (dc_real)0.32;
    }
    return mesh;
}

static int drape_cloth(const dc_drape_desc *desc, dc_drape **drape, dc_error *error)
{
    dc_drape_report report;
    if (dc_drape_init(desc, drape_memory, sizeof drape_memory, drape, NULL, error) != DC_OK ||
        dc_drape_solve(*drape, &report, error) != DC_OK)
        return 0;
    printf("at rest after %d iterations: largest strain %.0e, area off by %.0e, %d contacts, %s\n",
           (int)report.iterations, (double)report.strain_max, (double)report.area_error,
           (int)report.contacts,
           report.is_certified ? "proved free of crossings" : "not certified");
    return 1;
}

/* The drape and what it stands on must stay until the world is made. */
static int settle_cloth(const dc_drape *drape, const dc_drape_desc *from, dc_world **world,
                        dc_error *error)
{
    static dc_cloth_desc cloth; /* its arrays are the drape's */
    dc_world_desc desc = dc_world_defaults();
    dc_index steps;
    cloth = dc_cloth_defaults();
    cloth.mesh = from->mesh;
    cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    dc_drape_hand_over(drape, &cloth, NULL); /* without anchors there are no pins */
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    desc.obstacles = from->obstacles;
    desc.obstacle_count = from->obstacle_count;
    desc.collides = 1;
    if (dc_world_init(&desc, world_memory, sizeof world_memory, world, NULL, error) != DC_OK ||
        dc_world_settle(*world, DT, TOLERANCE, STEPS_MAX, &steps, error) != DC_OK)
        return 0;
    printf("its bending is at rest after %d steps\n", (int)steps);
    return 1;
}

int main(void)
{
    dc_drape_desc desc = dc_drape_defaults();
    dc_obstacle_desc ball = dc_obstacle_defaults();
    dc_drape *drape;
    dc_world *world;
    dc_error error;
    failure why;
    dc_index count;

    ball.kind = DC_OBSTACLE_SPHERE;
    ball.radius = (dc_real)0.3;
    desc.obstacles = &ball;
    desc.obstacle_count = 1;
    desc.friction = (dc_real)0.3; /* of two that touch, the mean counts */
    desc.mesh = make_cloth();
    if (!drape_cloth(&desc, &drape, &error) || !settle_cloth(drape, &desc, &world, &error))
        return fail(error.what);

    count = desc.mesh.vertex_count;
    printf("mean height %.4f m draped, %.4f m settled\n",
           mean_height(dc_drape_positions(drape), count),
           mean_height(dc_body_positions(world, 0), count));
    if (!write_shape("out/06_drape.obj", &desc.mesh, dc_drape_positions(drape), &why) ||
        !write_shape("out/06_drape_settled.obj", &desc.mesh, dc_body_positions(world, 0), &why))
        return fail(why.text);
    printf("wrote out/06_drape.obj and out/06_drape_settled.obj\n");
    return 0;
}
