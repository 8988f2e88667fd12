#include "scenes.h"

#include <stdlib.h>
#include <string.h>

#include "scenes_parts.h"

/* ---- The table ---- */

/* clang-format off */
static const scene_kind kinds[] = {
    {.name = "sphere",
     .title = "A sheet on a sphere",
     .text = "a square sheet falls on a sphere; it wrinkles and creases at once",
     .dt = 0.001, .seconds = 2, .fps = 25,
     .cells = 99, .small_cells = 20, .small_seconds = 1.2,
     .camera = {.target = {0, 0.22, 0}, .distance = 2.9, .turn = 28, .rise = 22},
     .build = scene_build_sphere},
    {.name = "turning",
     .title = "A sheet on a turning sphere",
     .text = "a sheet lies down on a sphere, is carried along when that turns, and stops with it",
     .dt = 0.002, .seconds = 5, .fps = 25,
     .cells = 50, .small_cells = 16, .small_seconds = 4,
     .camera = {.target = {0, 0.2, 0}, .distance = 2.9, .turn = 28, .rise = 28},
     .build = scene_build_turning,
     .drive = scene_drive_turning},
    {.name = "stiff",
     .title = "A stiff sheet on a sphere",
     .text = "a sheet like thin plastic lies down on a sphere, bent in one direction, and rocks",
     .dt = 0.002, .seconds = 2, .fps = 25,
     .cells = 30, .small_cells = 10, .small_seconds = 1,
     .camera = {.target = {0, 0.3, 0}, .distance = 2.6, .turn = 28, .rise = 16},
     .build = scene_build_stiff},
    {.name = "balloon",
     .title = "A soft shell",
     .text = "a hollow creature of foil falls on its feet and collapses like a balloon without air",
     .dt = 0.002, .seconds = 1.2, .fps = 25,
     .cells = 34, .small_cells = 12, .small_seconds = 0.35,
     .bending = 1e-4,
     .camera = {.target = {0, 0.19, 0}, .distance = 1.2, .turn = 35, .rise = 14},
     .takes_mesh = 1,
     .build = scene_build_shell},
    {.name = "shell",
     .title = "A shell",
     .text = "a stiffer creature gives way when it lands, and rises again with all its horns",
     .dt = 0.002, .seconds = 1.2, .fps = 25,
     .cells = 34, .small_cells = 12, .small_seconds = 0.5,
     .bending = 5e-4,
     .camera = {.target = {0, 0.19, 0}, .distance = 1.2, .turn = 35, .rise = 14},
     .takes_mesh = 1,
     .build = scene_build_shell},
    {.name = "rigid",
     .title = "A nearly rigid shell",
     .text = "a creature so stiff that it lands almost like a solid",
     .dt = 0.002, .seconds = 1.2, .fps = 25,
     .cells = 34, .small_cells = 12, .small_seconds = 0.5,
     .bending = 0.1,
     .camera = {.target = {0, 0.19, 0}, .distance = 1.2, .turn = 35, .rise = 14},
     .takes_mesh = 1,
     .build = scene_build_shell},
    {.name = "cape",
     .title = "A cape on a walking figure",
     .text = "a cape falls on the shoulders of a figure, which starts to walk",
     .dt = 0.002, .seconds = 5, .fps = 25,
     .cells = 40, .small_cells = 12, .small_seconds = 3.5,
     .camera = {.target = {0, 0.95, 0}, .distance = 4.2, .turn = 150, .rise = 8},
     .is_followed = 1,
     .build = scene_build_cape,
     .drive = scene_drive_cape},
    {.name = "shirt",
     .title = "A shirt on a walking figure",
     .text = "a wide shirt of irregular triangles settles on a figure, which starts to walk",
     .dt = 0.002, .seconds = 5, .fps = 25,
     .cells = 30, .small_cells = 10, .small_seconds = 3.5,
     .camera = {.target = {0, 0.95, 0}, .distance = 4.2, .turn = 25, .rise = 8},
     .is_followed = 1,
     .build = scene_build_shirt,
     .drive = scene_drive_shirt},
    {.name = "pinched",
     .title = "A shirt pinched under the arms",
     .text = "the same shirt, on a figure whose arms press it against the chest",
     .dt = 0.002, .seconds = 5, .fps = 25,
     .cells = 30, .small_cells = 10, .small_seconds = 3.5,
     .camera = {.target = {0, 0.95, 0}, .distance = 4.2, .turn = 25, .rise = 8},
     .is_followed = 1,
     .build = scene_build_shirt,
     .drive = scene_drive_pinched},
    {.name = "dress",
     .title = "A dress on a figure that turns",
     .text = "a dress of two flat panels takes their shape, then its figure turns around",
     .dt = 1.0 / 300, .seconds = 3, .fps = 25,
     .cells = 39, .small_cells = 10, .small_seconds = 2.6,
     .camera = {.target = {0, 0.95, 0}, .distance = 4.2, .turn = 25, .rise = 8},
     .build = scene_build_dress,
     .drive = scene_drive_dress},
    {.name = "crushed",
     .title = "A cylinder crushed",
     .text = "a plate presses a thin cylinder down, and it buckles",
     .dt = 0.001, .seconds = 2, .fps = 25,
     .cells = 60, .small_cells = 24, .small_seconds = 1.6,
     .camera = {.target = {0, 0.22, 0}, .distance = 1.5, .turn = 20, .rise = 12},
     .build = scene_build_crushed,
     .drive = scene_drive_crushed},
    {.name = "five",
     .title = "Five sheets on a ball",
     .text = "five sheets fall on a ball and on each other",
     .dt = 0.001, .seconds = 2, .fps = 25,
     .cells = 36, .small_cells = 8, .small_seconds = 1.0,
     .camera = {.target = {0, 0.2, 0}, .distance = 2.3, .turn = 28, .rise = 22},
     .build = scene_build_five},
    {.name = "funnel",
     .title = "Through a funnel",
     .text = "a sheet falls into a funnel and is pulled through",
     .dt = 0.001, .seconds = 2, .fps = 25,
     .cells = 40, .small_cells = 16, .small_seconds = 1.6,
     .camera = {.target = {0, 0.6, 0}, .distance = 3.2, .turn = 25, .rise = 34},
     .build = scene_build_funnel,
     .drive = scene_drive_funnel},
    {.name = "twisted",
     .title = "A tube twisted",
     .text = "the ends of a tube of cloth are turned against each other four times",
     .dt = 0.001, .seconds = 4, .fps = 25,
     .cells = 48, .small_cells = 20, .small_seconds = 3,
     .camera = {.target = {0, 0.33, 0}, .distance = 2.3, .turn = 15, .rise = 15},
     .build = scene_build_twisted,
     .drive = scene_drive_twisted},
    {.name = "tied",
     .title = "Two ribbons tied",
     .text = "a reef knot of two ribbons is drawn tight",
     .dt = 0.001, .seconds = 3, .fps = 25,
     .cells = 240, .small_cells = 60, .small_seconds = 2.6,
     .camera = {.target = {0, 0.24, 0}, .distance = 1.4, .turn = 12, .rise = 38},
     .build = scene_build_tied,
     .drive = scene_drive_tied},
};
/* clang-format on */

const scene_kind *scene_kinds(int *count)
{
    *count = (int)(sizeof kinds / sizeof kinds[0]);
    return kinds;
}

const scene_kind *scene_find(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

/* ---- Open, step, close ---- */

static int make_world(scene *s, failure *why)
{
    dc_world_desc desc = dc_world_defaults();
    dc_cloth_desc cloths[SCENE_CLOTHS_MAX];
    int i;
    for (i = 0; i < s->cloth_count; i++) {
        s->cloth[i].desc.mesh = s->cloth[i].shape.mesh;
        s->cloth[i].desc.pin_vertices = s->cloth[i].pins;
        cloths[i] = s->cloth[i].desc;
    }
    desc.gravity = s->gravity;
    desc.cloths = cloths;
    desc.cloth_count = s->cloth_count;
    desc.obstacles = s->obstacle;
    desc.obstacle_count = s->obstacle_count;
    desc.collides = 1;
    desc.quality = s->quality;
    if (!sim_open(&s->sim, &desc, NULL, why)) return 0;
    s->world = s->sim.world;
    return 1;
}

static void choose(scene *s, const scene_choice *choice)
{
    int i;
    if (choice->is_real_time) s->quality = DC_REAL_TIME;
    for (i = 0; i < s->cloth_count; i++) {
        dc_cloth_desc *cloth = &s->cloth[i].desc;
        if (choice->is_isometric) cloth->element = DC_ELEMENT_ISOMETRIC;
        if (choice->tolerance > 0) cloth->tolerance = (dc_real)choice->tolerance;
    }
}

int scene_open_as(scene *s, const char *name, int cells, const scene_choice *choice, failure *why)
{
    failure reason;
    int is_built;
    memset(s, 0, sizeof *s);
    s->kind = scene_find(name);
    if (s->kind == NULL) return failure_set(why, "there is no scene '%.40s'", name);
    s->cells = cells > 0 ? cells : s->kind->cells;
    if (s->cells < SCENE_CELLS_MIN || s->cells > SCENE_CELLS_MAX)
        return failure_set(why, "a scene has %d to %d cells, not %d", SCENE_CELLS_MIN,
                           SCENE_CELLS_MAX, s->cells);
    if (choice->mesh != NULL && !s->kind->takes_mesh)
        return failure_set(why, "scene %s has a mesh of its own and takes no other", name);
    s->mesh = choice->mesh;
    s->gravity = dc_world_defaults().gravity;
    is_built = s->kind->build(s, &reason);
    s->mesh = NULL;
    if (is_built) choose(s, choice);
    if (is_built && make_world(s, &reason)) return 1;
    scene_close(s);
    return failure_set(why, "scene %s: %s", name, reason.text);
}

int scene_open(scene *s, const char *name, int cells, failure *why)
{
    scene_choice own;
    memset(&own, 0, sizeof own);
    return scene_open_as(s, name, cells, &own, why);
}

void scene_close(scene *s)
{
    int i;
    sim_close(&s->sim);
    for (i = 0; i < s->cloth_count; i++) {
        sim_shape_free(&s->cloth[i].shape);
        free(s->cloth[i].pins);
        free(s->cloth[i].pin_home);
    }
    for (i = 0; i < s->obstacle_count; i++) sim_shape_free(&s->obstacle_shape[i]);
    memset(s, 0, sizeof *s);
}

dc_status scene_step(scene *s, dc_report *report, dc_error *error)
{
    double time = (double)dc_world_time(s->world) + s->kind->dt;
    if (s->kind->drive) s->kind->drive(s, time);
    return dc_world_step(s->world, (dc_real)s->kind->dt, report, error);
}

int scene_advance(scene *s, int steps, failure *why)
{
    failure reason;
    dc_error error;
    int k;
    for (k = 0; k < steps; k++)
        if (scene_step(s, NULL, &error) != DC_OK) {
            sim_failure(&reason, &error);
            return failure_set(why, "the step from %.4f s failed: %s",
                               (double)dc_world_time(s->world), reason.text);
        }
    return 1;
}

int scene_steps_a_frame(const scene_kind *kind)
{
    return (int)(1 / (kind->fps * kind->dt) + 0.5);
}

/* ---- Parts ---- */

static const double THICKNESS_OF_EDGE = 0.25; /* [1] */

scene_cloth *scene_add_cloth(scene *s, sim_shape *shape, failure *why)
{
    scene_cloth *cloth = &s->cloth[s->cloth_count];
    if (s->cloth_count == SCENE_CLOTHS_MAX) {
        failure_set(why, "more than %d cloths", SCENE_CLOTHS_MAX);
        sim_shape_free(shape);
        return NULL;
    }
    s->cloth_count++;
    cloth->shape = *shape;
    cloth->desc = dc_cloth_defaults();
    cloth->desc.thickness = (dc_real)(THICKNESS_OF_EDGE * s->edge);
    cloth->desc.self_contact = 1;
    cloth->desc.friction = (dc_real)0.3;
    cloth->desc.drag_normal = (dc_real)0.2;
    cloth->desc.drag_tangential = (dc_real)0.05;
    cloth->desc.bending = (dc_real)2e-5;
    cloth->desc.bending_damping = (dc_real)0.01;
    return cloth;
}

int scene_make_shape(sim_shape *shape, int vertex_count, int triangle_count, failure *why)
{
    memset(shape, 0, sizeof *shape);
    shape->positions = malloc((size_t)vertex_count * sizeof *shape->positions);
    shape->triangles = malloc(3 * (size_t)triangle_count * sizeof *shape->triangles);
    if (!shape->positions || !shape->triangles) {
        sim_shape_free(shape);
        return failure_set(why, "not enough memory for a mesh of %d vertices", vertex_count);
    }
    shape->mesh.vertex_count = vertex_count;
    shape->mesh.triangle_count = triangle_count;
    shape->mesh.positions = shape->positions;
    shape->mesh.triangles = shape->triangles;
    return 1;
}

int scene_make_sheet(sim_shape *shape, int columns, int rows, double width, double height,
                     failure *why)
{
    shape_desc desc = shape_defaults(SHAPE_GRID);
    dc_index v;
    desc.columns = columns;
    desc.rows = rows;
    desc.width = (dc_real)width;
    desc.height = (dc_real)height;
    if (!sim_shape_build(shape, &desc, why)) return 0;
    for (v = 0; v < shape->mesh.vertex_count; v++)
        shape->positions[v] = vec_make((double)shape->flat[v].x - width / 2, 0,
                                       height / 2 - (double)shape->flat[v].y);
    return 1;
}

void scene_place(sim_shape *shape, double turn, dc_vec3 to)
{
    dc_index v;
    for (v = 0; v < shape->mesh.vertex_count; v++)
        shape->positions[v] = vec_add(vec_turn_y(shape->positions[v], turn), to);
}

int scene_make_pins(scene_cloth *cloth, int pin_count_max, failure *why)
{
    cloth->pins = malloc((size_t)pin_count_max * sizeof *cloth->pins);
    cloth->pin_home = malloc((size_t)pin_count_max * sizeof *cloth->pin_home);
    if (cloth->pins && cloth->pin_home) return 1;
    return failure_set(why, "not enough memory for %d pins", pin_count_max);
}

void scene_pin(scene_cloth *cloth, dc_index vertex)
{
    cloth->pins[cloth->desc.pin_count] = vertex;
    cloth->pin_home[cloth->desc.pin_count] = cloth->shape.positions[vertex];
    cloth->desc.pin_count++;
}

static dc_obstacle_desc *add_obstacle(scene *s, dc_obstacle_kind kind, double friction)
{
    dc_obstacle_desc *o = &s->obstacle[s->obstacle_count++];
    *o = dc_obstacle_defaults();
    o->kind = kind;
    o->friction = (dc_real)friction;
    return o;
}

int scene_add_sphere(scene *s, dc_vec3 centre, double radius, double friction)
{
    dc_obstacle_desc *o = add_obstacle(s, DC_OBSTACLE_SPHERE, friction);
    o->point[0] = centre;
    o->radius = (dc_real)radius;
    return s->obstacle_count - 1;
}

int scene_add_capsule(scene *s, dc_vec3 end0, dc_vec3 end1, double radius, double friction)
{
    dc_obstacle_desc *o = add_obstacle(s, DC_OBSTACLE_CAPSULE, friction);
    o->point[0] = end0;
    o->point[1] = end1;
    o->radius = (dc_real)radius;
    return s->obstacle_count - 1;
}

int scene_add_floor(scene *s, double height, double friction)
{
    static const double EXTENT = 5; /* [m] */
    dc_obstacle_desc *o = add_obstacle(s, DC_OBSTACLE_PLANE, friction);
    o->point[0] = vec_make(0, height, 0);
    o->point[1] = vec_make(0, height + 1, 0);
    o->radius = (dc_real)EXTENT;
    return s->obstacle_count - 1;
}

int scene_add_obstacle_mesh(scene *s, sim_shape *shape, double friction)
{
    dc_obstacle_desc *o = add_obstacle(s, DC_OBSTACLE_MESH, friction);
    o->mesh = shape->mesh;
    s->obstacle_shape[s->obstacle_count - 1] = *shape;
    return s->obstacle_count - 1;
}
