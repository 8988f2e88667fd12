/*
 * 12_driving.c - what a program can do to a world while it runs
 *
 * What one will see: a line for each thing that is done to a sheet in front of a ball. It says what
 * came of it, and is checked: after "not as expected" the program ends.
 */
#include "../devcloth.h"
#include "common/sim.h"
#include "common/vec.h"

#include <stdlib.h>

enum { CELLS = 12, VERTICES = DC_GRID_VERTICES(CELLS, CELLS), TOP = VERTICES - CELLS - 1 };
enum { SHEET, BALL }; /* bodies */

typedef struct stage {
    sim sim;
    sim_shape shape;
    dc_world *world;
    dc_error error;
} stage;

/* The sheet stands upright and hangs by two corners and a clamp; the ball is behind it. */
static int open_stage(stage *s, failure *why)
{
    const dc_index pins[2] = {TOP, TOP + CELLS};
    const dc_clamp_desc clamp = {TOP + CELLS / 2, TOP + CELLS / 2 + 1};
    dc_obstacle_desc ball = dc_obstacle_defaults();
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    shape_desc shape = shape_defaults(SHAPE_GRID);
    shape.columns = shape.rows = CELLS;
    if (!sim_shape_build(&s->shape, &shape, why)) return 0;
    cloth.mesh = s->shape.mesh;
    cloth.pin_vertices = pins, cloth.pin_count = 2;
    cloth.clamps = &clamp, cloth.clamp_count = 1;
    cloth.drag_normal = 1, cloth.bending = (dc_real)1e-3;
    ball.kind = DC_OBSTACLE_SPHERE, ball.radius = (dc_real)0.2;
    ball.point[0] = vec_make(0.5, 0.4, -0.3);
    desc.cloths = &cloth, desc.cloth_count = 1;
    desc.obstacles = &ball, desc.obstacle_count = 1;
    desc.collides = 1;
    if (!sim_open(&s->sim, &desc, NULL, why)) return 0;
    s->world = s->sim.world;
    return 1;
}

static int run(stage *s, int steps)
{
    for (; steps > 0; steps--)
        if (dc_world_step(s->world, (dc_real)0.01, NULL, &s->error) != DC_OK) return 0;
    return 1;
}

/* A snapshot brings a state back, and tells what differs from it. */
static int save_and_load(stage *s)
{
    size_t bytes = dc_world_save_bytes(s->world);
    uint64_t hash = dc_world_hash(s->world);
    void *block = malloc(bytes);
    int is_fine = block && dc_world_save(s->world, block, bytes, &s->error) == DC_OK && run(s, 1);
    is_fine = is_fine && dc_world_compare(s->world, block, bytes, &s->error) == DC_BAD_ARGUMENT;
    printf("saved %d KB of %d; a step later the %s differs\n", (int)(bytes / 1000),
           (int)(dc_world_bytes(s->world) / 1000), s->error.field);
    is_fine = is_fine && dc_world_load(s->world, block, bytes, &s->error) == DC_OK &&
              dc_world_compare(s->world, block, bytes, &s->error) == DC_OK;
    free(block);
    return is_fine && dc_world_hash(s->world) == hash;
}

/* Forces act on the vertices until others are set. */
static int push(stage *s)
{
    dc_vec3 forces[VERTICES], now;
    int v;
    for (v = 0; v < VERTICES; v++) forces[v] = vec_make(0, 0, 0.005); /* [N] */
    if (dc_cloth_set_forces(s->world, SHEET, forces, &s->error) != DC_OK || !run(s, 10)) return 0;
    now = dc_body_velocities(s->world, SHEET)[CELLS / 2];
    printf("pushed to %.2f m/s\n", (double)now.z);
    return now.z > 0 && dc_cloth_set_forces(s->world, SHEET, NULL, &s->error) == DC_OK;
}

/* A clamp holds the direction of a border edge, too. Here it leans back, and then lets go. */
static int lean(stage *s)
{
    const dc_vec3 *end = s->shape.positions + TOP + CELLS / 2;
    const dc_vec3 outward = vec_make(0, vec_cos(0.8), -vec_sin(0.8));
    dc_vec3 normals[VERTICES];
    double angle;
    if (dc_cloth_set_clamp(s->world, SHEET, 0, end[0], end[1], outward, &s->error) != DC_OK ||
        !run(s, 20))
        return 0;
    dc_body_normals(s->world, SHEET, normals);
    angle = (double)dc_acos(normals[TOP + CELLS / 2].z);
    printf("below its clamp the sheet leans by %.2f rad\n", angle);
    return angle > 0.05 &&
           dc_cloth_release_clamp(s->world, SHEET, 0, &s->error) == DC_OK && run(s, 20);
}

/* Contacts of the last step; what crosses; a body that is switched off. */
static int touch(stage *s)
{
    dc_contact_force first;
    dc_ray_hit hit;
    dc_index count;
    if (dc_world_set_gravity(s->world, vec_make(0, -9.81, -9.81), &s->error) != DC_OK) return 0;
    if (!run(s, 60)) return 0;
    count = dc_world_contacts(s->world, 1, &first);
    if (count == 0 || dc_world_crossings(s->world, 0, NULL) != 0) return 0;
    if (dc_body_set_active(s->world, BALL, 0, &s->error) != DC_OK ||
        dc_world_cast_ray(s->world, vec_make(0.5, 0.4, -2), vec_make(0, 0, 1), &hit, &s->error))
        return 0;
    printf("%d contacts; through the ball, which is off, a ray meets body %d\n", (int)count,
           (int)hit.body);
    return hit.body == SHEET && dc_body_set_active(s->world, BALL, 1, &s->error) == DC_OK;
}

/* All of the world is set down elsewhere; then the cloth alone, by a handler of the caller's. */
static int move(stage *s)
{
    const dc_vec3 none = vec_make(0, 0, 0), before = dc_body_positions(s->world, SHEET)[0];
    dc_vec3 lift[VERTICES], way;
    int v;
    for (v = 0; v < VERTICES; v++) lift[v] = vec_make(0, 0.001, 0);
    if (dc_world_move(s->world, DC_NONE, none, none, vec_make(8, 0, 0), 1, &s->error) != DC_OK ||
        dc_cloth_correct(s->world, SHEET, lift, &s->error) != DC_OK)
        return 0;
    way = vec_sub(dc_body_positions(s->world, SHEET)[0], before);
    printf("moved by %.3f m, lifted by %.3f m\n", (double)way.x, (double)way.y);
    return way.x > 7.99 && way.y > 0.0009 && run(s, 1);
}

int main(void)
{
    static int (*const tasks[])(stage *) = {save_and_load, push, lean, touch, move};
    stage s = {0};
    failure why;
    size_t i;
    int is_fine = open_stage(&s, &why);
    if (!is_fine) fprintf(stderr, "12_driving: %s\n", why.text);
    for (i = 0; is_fine && i < sizeof tasks / sizeof tasks[0]; i++) {
        is_fine = tasks[i](&s);
        if (!is_fine) fprintf(stderr, "12_driving: not as expected; %s\n", s.error.what);
    }
    if (s.world) sim_close(&s.sim);
    sim_shape_free(&s.shape);
    return is_fine ? 0 : 1;
}
