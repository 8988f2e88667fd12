/*
 * devcloth - the command line tool: simulate and draw a sheet or a scene, check meshes
 *
 *     demo     mesh, pins, world -> frames, point cache, tables
 *     scenes   the names of the built-in scenes
 *     run      a built-in scene -> the same files
 *     sheet    several of them -> one picture
 *     drape    where a sheet comes to rest -> its picture, mesh, table; the flat pattern
 *     ribbon   a built-in scene of ribbons -> pictures, meshes, table, the flat pattern
 *     check    all that is wrong or doubtful in a mesh
 *     size     who uses the memory
 *     help
 */
#include "../../devcloth.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../common/coincident.h"
#include "../common/drape_curves.h"
#include "../common/drape_run.h"
#include "../common/hang.h"
#include "../common/mesh_check.h"
#include "../common/mesh_file.h"
#include "../common/options.h"
#include "../common/render.h"
#include "../common/ribbon_run.h"
#include "../common/run.h"
#include "../common/scenes_draw.h"
#include "../common/sheet.h"
#include "../common/sim.h"

/* What the program returns; scripts may rely on it. */
enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    is_interrupted = 1;
    signal(number, SIG_DFL); /* the second one ends the program at once */
}

static int fail(int code, const failure *why)
{
    fprintf(stderr, "devcloth: %s\n", why->text);
    return code;
}

/* ---- Meshes ---- */

/* A square sheet in the air: part of a cylinder of this half angle, whose chord is .93 of its arc,
   so that it sags between two sides; tilted, so that the two corners to hang it by are highest. */
static int make_sheet(int cells, double side, sim_shape *shape, failure *why)
{
    static const double HALF_ANGLE = 0.654, TILT = 0.1; /* [rad] */
    const double radius = 0.5 * side / HALF_ANGLE;
    shape_desc desc = shape_defaults(SHAPE_GRID);
    dc_index v;
    desc.columns = desc.rows = cells;
    desc.width = desc.height = (dc_real)side;
    if (!sim_shape_build(shape, &desc, why)) return 0;
    for (v = 0; v < shape->mesh.vertex_count; v++) {
        double angle = (2 * (double)shape->flat[v].x / side - 1) * HALF_ANGLE;
        double up = radius * (cos(HALF_ANGLE) - cos(angle));
        double forward = side - (double)shape->flat[v].y;
        shape->positions[v].x = (dc_real)(radius * sin(angle));
        shape->positions[v].y = (dc_real)(up * cos(TILT) - forward * sin(TILT));
        shape->positions[v].z = (dc_real)(up * sin(TILT) + forward * cos(TILT));
    }
    return 1;
}

/* To the copy of a mesh. */
static void give_lines(sim_shape *to, sim_shape *from)
{
    to->vertex_line = from->vertex_line;
    to->triangle_line = from->triangle_line;
    to->vertex_number = from->vertex_number;
    from->vertex_line = from->triangle_line = NULL;
    from->vertex_number = NULL;
}

/* Reads a mesh that collides with itself, and tells what is doubtful about it on stderr. On failure
   nothing is left to free. */
static int read_colliding(const char *path, const mesh_file_choice *choice, sim_shape *shape,
                          failure *why)
{
    mesh_report report;
    dc_index border, welded_count;
    coincident c;
    if (!mesh_file_read(path, choice, shape, &welded_count, why)) return 0;
    if (mesh_check(path, shape, &report, &border, why) && coincident_find(&c, &shape->mesh, why) &&
        mesh_check_apart(path, &c, shape, "", why)) {
        mesh_print_notes(stderr, shape, choice, welded_count);
        mesh_print_coincident(stderr, shape, &c);
        return 1;
    }
    sim_shape_free(shape);
    return 0;
}

/* Rows of a table for what the file of a mesh does not say; they point into *choice. */
static option up_row(mesh_file_choice *choice)
{
    const char *help = "the axis that is up in the mesh, y or z (y)";
    const option row = {"--up", "AXIS", help, OPTION_UP, &choice->is_z_up, 0, 0};
    return row;
}

static option weld_row(mesh_file_choice *choice)
{
    const char *help = "vertices of the mesh at the same place become one";
    const option row = {"--weld", NULL, help, OPTION_FLAG, &choice->is_welded, 0, 0};
    return row;
}

/* ---- Options ---- */

enum { OPTIONS_MAX = 24 };

typedef struct options {
    const char *mesh; /* NULL: the built-in sheet */
    const char *directory;
    int frames, fps, cells, size[2], is_strain, has_edges, is_euler, is_cg, passes;
    double dt, bending, density, damping, drag, wind, tolerance;
    mesh_file_choice file; /* its scale is also the side of the built-in sheet */
} options;

static options options_defaults(void)
{
    dc_cloth_desc cloth = dc_cloth_defaults();
    options o;
    memset(&o, 0, sizeof o);
    o.directory = "out/demo";
    o.frames = 60;
    o.fps = 30;
    o.cells = 30;
    o.size[0] = 640;
    o.size[1] = 480;
    o.dt = 1.0 / 120;
    o.bending = (double)cloth.bending;
    o.density = (double)cloth.density;
    o.damping = (double)cloth.bending_damping;
    o.drag = 0.12;
    o.tolerance = (double)cloth.tolerance;
    o.file = mesh_file_defaults();
    return o;
}

/* The rows point into *o. */
static void options_table(options *o, option table[OPTIONS_MAX])
{
    const option rows[] = {
        {"-o", "DIR", "where the files go (out/demo)", OPTION_TEXT, (void *)&o->directory, 0, 0},
        {"--frames", "N", "pictures, the start included (60)", OPTION_INTEGER, &o->frames, 1, 9999},
        {"--fps", "N", "pictures a second (30)", OPTION_INTEGER, &o->fps, 1, 1000},
        {"--size", "WxH", "of a picture [pixel] (640x480)", OPTION_PAIR, o->size, 64, 4096},
        {"--dt", "S", "longest time step [s] (1/120)", OPTION_NUMBER, &o->dt, 1e-6, 1},
        {"--bending", "K", "stiffness [N m] (1e-5)", OPTION_NUMBER, &o->bending, 0, 1e6},
        {"--density", "D", "mass per area [kg/m^2] (0.15)", OPTION_NUMBER, &o->density, 1e-6, 1e6},
        {"--damping", "T", "of bending [s] (0)", OPTION_NUMBER, &o->damping, 0, 1e3},
        {"--drag", "D", "of air, across [kg/(m^2 s)] (0.12)", OPTION_NUMBER, &o->drag, 0, 1e3},
        {"--wind", "V", "towards x [m/s], with drag (0)", OPTION_NUMBER, &o->wind, -1e3, 1e3},
        {"--tolerance", "E", "of squared lengths (1e-4)", OPTION_NUMBER, &o->tolerance, 1e-12, 1},
        {"--scale", "S", "metres in a unit of the mesh; side of the sheet (1)", OPTION_NUMBER,
         &o->file.scale, 1e-6, 1e6},
        {"--cells", "N", "of the sheet, along a side (30)", OPTION_INTEGER, &o->cells, 1, 500},
        {"--euler", NULL, "backward Euler instead of BDF2", OPTION_FLAG, &o->is_euler, 0, 0},
        {"--cg", NULL, "conjugate gradients: less memory, slower", OPTION_FLAG, &o->is_cg, 0, 0},
        {"--no-collisions", NULL, "cloth passes through itself: faster", OPTION_FLAG, &o->passes, 0,
         0},
        {"--strain", NULL, "colours show strain", OPTION_FLAG, &o->is_strain, 0, 0},
        {"--edges", NULL, "draw the edges of the mesh", OPTION_FLAG, &o->has_edges, 0, 0},
        up_row(&o->file),
        weld_row(&o->file),
        {NULL, NULL, NULL, OPTION_END, NULL, 0, 0}};
    memcpy(table, rows, sizeof rows);
}

/* ---- Demo: the world ---- */

typedef struct demo {
    const options *o;
    sim_shape shape;
    mesh_report report; /* of a mesh that was read; otherwise nothing is doubtful */
    coincident coincident;
    dc_index welded_count;
    hang hang;
    sim sim;
    render_scene view; /* without bodies */
    double *strain;    /* (vertex_count) */
    double dt;         /* [s] */
} demo;

static int load_mesh(demo *d, failure *why)
{
    const options *o = d->o;
    dc_index border;
    if (o->mesh == NULL) return make_sheet(o->cells, o->file.scale, &d->shape, why);
    if (!mesh_file_read(o->mesh, &o->file, &d->shape, &d->welded_count, why) ||
        !mesh_check(o->mesh, &d->shape, &d->report, &border, why) ||
        !coincident_find(&d->coincident, &d->shape.mesh, why))
        return 0;
    return o->passes || mesh_check_apart(o->mesh, &d->coincident, &d->shape,
                                         ", or let them come apart with --no-collisions", why);
}

/* What repulsion keeps between layers is at most this part of the mesh's size. */
static const double THICKNESS_PART = 0.002;

static int make_world(demo *d, failure *why)
{
    const options *o = d->o;
    double size = (double)fmax(fmax(d->hang.high.x - d->hang.low.x, d->hang.high.y - d->hang.low.y),
                               d->hang.high.z - d->hang.low.z);
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    sim_names names = {&d->shape, d->hang.pins, NULL, NULL};
    dc_error error;
    cloth.mesh = d->shape.mesh;
    cloth.bending = (dc_real)o->bending;
    cloth.density = (dc_real)o->density;
    cloth.bending_damping = (dc_real)o->damping;
    cloth.drag_normal = (dc_real)o->drag;
    cloth.drag_tangential = (dc_real)(o->drag / 10);
    cloth.tolerance = (dc_real)o->tolerance;
    cloth.integrator = o->is_euler ? DC_INTEGRATOR_BACKWARD_EULER : DC_INTEGRATOR_BDF2;
    cloth.solver.linear_solver = o->is_cg ? DC_LINEAR_CG : DC_LINEAR_CHOLESKY;
    cloth.pin_vertices = d->hang.pins;
    cloth.pin_count = d->hang.pin_count;
    cloth.thickness = (dc_real)fmin((double)cloth.thickness, THICKNESS_PART * size);
    desc.wind.x = (dc_real)o->wind;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    desc.collides = !o->passes;
    desc.start = DC_START_TOLERATE; /* a mesh that crosses itself can be hung all the same */
    if (sim_open(&d->sim, &desc, &error, why)) return 1;
    return error.status == DC_OK ? 0 : sim_failure_of(why, &error, &names);
}

/* The largest of 1, 2, 5 times a power of ten that is not above x. */
static double round_down(double x)
{
    double power = pow(10, floor(log10(x))), part = x / power;
    return power * (part >= 5 ? 5 : part >= 2 ? 2 : 1);
}

/* A view of all that the mesh can reach below its pins, and of a swing as wide as it starts. */
static void aim_camera(demo *d)
{
    static const double TURN = 38, RISE = 15, MARGIN = 0.87; /* [degree], [1] */
    const double degree = 0.017453292519943295;              /* [rad] */
    const hang *h = &d->hang;
    double x = fmax((double)(h->high.x - h->middle.x), (double)(h->middle.x - h->low.x));
    double z = fmax((double)(h->high.z - h->middle.z), (double)(h->middle.z - h->low.z));
    double top = (double)h->high.y, drop = fmax(top - h->lowest, 1e-6), wide, high;
    dc_vec3 target = h->middle;
    x = fmax(x, 0.25 * drop);
    z = fmax(z, 0.25 * drop);
    wide = 2 * (x * cos(degree * TURN) + z * sin(degree * TURN));
    high = drop + wide * sin(degree * RISE);
    wide *= (double)d->o->size[1] / d->o->size[0];
    target.y = (dc_real)(top - 0.5 * drop);
    d->view = render_scene_defaults();
    render_aim(&d->view, target,
               MARGIN * fmax(wide, high) / (2 * tan(0.5 * degree * d->view.view_angle)) + z, TURN,
               RISE);
    d->view.ground = h->lowest - 0.03 * drop;
    d->view.grid = round_down(0.5 * fmax(drop, x));
}

static int open_demo(demo *d, failure *why)
{
    if (!load_mesh(d, why) || !hang_choose(&d->hang, &d->shape.mesh, why)) return 0;
    d->strain = malloc((size_t)d->shape.mesh.vertex_count * sizeof *d->strain);
    if (d->strain == NULL) return failure_set(why, "not enough memory for the strain");
    d->dt = 1.0 / (d->o->fps * run_steps_a_frame(d->o->fps, d->o->dt));
    aim_camera(d);
    return make_world(d, why);
}

static void close_demo(demo *d)
{
    sim_close(&d->sim);
    free(d->strain);
    hang_free(&d->hang);
    sim_shape_free(&d->shape);
}

/* ---- Demo: step, draw, describe ---- */

static const double STRAIN_SHOWN = 0.05; /* [1] the end of the colour scale */

static int draw_demo(void *context, image *picture, failure *why)
{
    static const render_colour front = {.12, .53, .62}, back = {.95, .72, .42},
                               steel = {.2, .2, .22};
    demo *d = context;
    render_scene view = d->view;
    render_material material = render_cloth(front, back);
    render_mesh mesh = {0};
    double size = (double)d->hang.middle.y - d->hang.lowest;
    dc_index k;
    mesh.vertex_count = d->shape.mesh.vertex_count;
    mesh.triangle_count = d->shape.mesh.triangle_count;
    mesh.positions = dc_body_positions(d->sim.world, 0);
    mesh.triangles = d->shape.triangles;
    if (d->o->is_strain) {
        sim_vertex_strain(d->sim.world, 0, d->strain);
        mesh.values = d->strain;
        mesh.value_max = STRAIN_SHOWN;
    }
    material.edge_width = d->o->has_edges ? 1 : 0; /* [pixel] */
    render_add_mesh(&view, mesh, material);
    for (k = 0; k < d->hang.pin_count; k++) {
        dc_vec3 pin = mesh.positions[d->hang.pins[k]];
        render_add_capsule(&view, pin, pin, 0.012 * size, render_solid(steel));
    }
    if (!render_draw(&view, picture, why)) return 0;
    if (d->o->is_strain) render_legend(picture, 16, 16, 2, STRAIN_SHOWN, "strain");
    return 1;
}

static dc_status step_demo(void *context, dc_report *report, dc_error *error)
{
    demo *d = context;
    return dc_world_step(d->sim.world, (dc_real)d->dt, report, error);
}

static void describe_demo(void *context, FILE *file)
{
    enum { PINS_SHOWN = 8 };
    const demo *d = context;
    const hang *h = &d->hang;
    char name[SIM_NAME_MAX];
    dc_index k;
    fprintf(file, "%s\n", d->o->mesh ? d->o->mesh : "a square sheet");
    fprintf(file, "  size                  %.4g x %.4g x %.4g m (--scale if that is not meant)\n",
            (double)(h->high.x - h->low.x), (double)(h->high.y - h->low.y),
            (double)(h->high.z - h->low.z));
    fprintf(file, "  vertices, triangles   %ld, %ld\n", (long)d->shape.mesh.vertex_count,
            (long)d->shape.mesh.triangle_count);
    fprintf(file, "  pieces                %ld\n", (long)h->piece_count);
    for (k = 0; k < h->pin_count && k < PINS_SHOWN; k++) {
        sim_name_vertex(name, &d->shape, h->pins[k]);
        fprintf(file, "  %-20s  %s\n", k == 0 ? "hung by" : "", name);
    }
    if (h->pin_count > PINS_SHOWN)
        fprintf(file, "  %-20s  %ld more\n", "", (long)(h->pin_count - PINS_SHOWN));
}

/* ---- Demo ---- */

static void print_warnings(const demo *d)
{
    const dc_info *info = &d->sim.info;
    char first[SIM_NAME_MAX], second[SIM_NAME_MAX];
    if (d->o->mesh) mesh_print_notes(stderr, &d->shape, &d->o->file, d->welded_count);
    mesh_print_doubts(stderr, &d->shape, &d->report);
    mesh_print_coincident(stderr, &d->shape, &d->coincident);
    if (info->taut_pin[0] == DC_NONE) return;
    sim_name_vertex(first, &d->shape, d->hang.pins[info->taut_pin[0]]);
    sim_name_vertex(second, &d->shape, d->hang.pins[info->taut_pin[1]]);
    fprintf(stderr,
            "warning: the pins at %s and %s start as far apart as the cloth allows; steps may need "
            "more iterations\n",
            first, second);
}

/* Runs, and tells how it ended by the exit code. */
static int run_and_tell(const run_desc *desc)
{
    failure why;
    switch (run_to_files(desc, &why)) {
    case RUN_COMPLETE: return EXIT_FINE;
    case RUN_FAILED: return fail(EXIT_FAILED, &why);
    case RUN_STOPPED: break;
    }
    failure_set(&why, "interrupted");
    return fail(EXIT_INTERRUPTED, &why);
}

static int run_demo(demo *d)
{
    const options *o = d->o;
    run_desc desc;
    failure why;
    if (!open_demo(d, &why)) return fail(EXIT_FAILED, &why);
    print_warnings(d);
    memset(&desc, 0, sizeof desc);
    desc.directory = o->directory;
    desc.frames = o->frames;
    desc.fps = o->fps;
    memcpy(desc.size, o->size, sizeof desc.size);
    desc.steps_a_frame = run_steps_a_frame(o->fps, o->dt);
    desc.dt = d->dt;
    desc.world = d->sim.world;
    desc.info = &d->sim.info;
    desc.mesh = &d->shape.mesh;
    desc.cloth_count = 1;
    desc.names.shape = &d->shape;
    desc.names.pins = d->hang.pins;
    desc.tolerance = o->tolerance;
    desc.context = d;
    desc.step = step_demo;
    desc.draw = draw_demo;
    desc.describe = describe_demo;
    desc.is_stopped = &is_interrupted;
    return run_and_tell(&desc);
}

static int command_demo(int count, char **argv)
{
    options o = options_defaults();
    option table[OPTIONS_MAX];
    failure why;
    demo d;
    int code;
    options_table(&o, table);
    if (!options_read(table, count, argv, &o.mesh, &why)) return fail(EXIT_USAGE, &why);
    memset(&d, 0, sizeof d);
    d.o = &o;
    signal(SIGINT, interrupt);
    code = run_demo(&d);
    close_demo(&d);
    return code;
}

/* ---- Scenes ---- */

enum { RUN_OPTIONS_MAX = 14 };

typedef struct run_options {
    const char *scene, *directory, *mesh;
    int frames, cells, size[2], has_edges;
    double seconds;
    scene_choice choice;
    mesh_file_choice file;
} run_options;

/* What is 0 or NULL is the scene's own. */
static run_options run_options_defaults(void)
{
    run_options o;
    memset(&o, 0, sizeof o);
    o.file = mesh_file_defaults();
    o.size[0] = 800;
    o.size[1] = 600;
    return o;
}

/* The rows point into *o. */
static void run_options_table(run_options *o, option table[RUN_OPTIONS_MAX])
{
    const option rows[] = {
        {"-o", "DIR", "where the files go (out/SCENE)", OPTION_TEXT, (void *)&o->directory, 0, 0},
        {"--cells", "N", "along the scene's main side (its own)", OPTION_INTEGER, &o->cells,
         SCENE_CELLS_MIN, SCENE_CELLS_MAX},
        {"--seconds", "S", "to be simulated (the whole story)", OPTION_NUMBER, &o->seconds, 1e-3,
         1e3},
        {"--frames", "N", "pictures, the start included, instead of --seconds", OPTION_INTEGER,
         &o->frames, 1, 9999},
        {"--size", "WxH", "of a picture [pixel] (800x600)", OPTION_PAIR, o->size, 64, 4096},
        {"--edges", NULL, "draw the edges of the mesh", OPTION_FLAG, &o->has_edges, 0, 0},
        {"--real-time", NULL, "DC_REAL_TIME: faster, with coarser forces", OPTION_FLAG,
         &o->choice.is_real_time, 0, 0},
        {"--isometric", NULL, "cloths of isometric elements", OPTION_FLAG, &o->choice.is_isometric,
         0, 0},
        {"--tolerance", "E", "of squared lengths (the scene's own)", OPTION_NUMBER,
         &o->choice.tolerance, 1e-12, 1},
        {"--mesh", "MESH.obj", "instead of the scene's own: of balloon, shell, rigid", OPTION_TEXT,
         (void *)&o->mesh, 0, 0},
        up_row(&o->file),
        weld_row(&o->file),
        {NULL, NULL, NULL, OPTION_END, NULL, 0, 0}};
    memcpy(table, rows, sizeof rows);
}

typedef struct scene_run {
    const run_options *o;
    scene scene;
} scene_run;

static dc_status step_scene(void *context, dc_report *report, dc_error *error)
{
    scene_run *r = context;
    return scene_step(&r->scene, report, error);
}

static int draw_scene(void *context, image *picture, failure *why)
{
    scene_run *r = context;
    render_scene view = render_scene_defaults();
    scene_add_bodies(&r->scene, r->o->has_edges, &view);
    return render_draw(&view, picture, why);
}

static void describe_scene(void *context, FILE *file)
{
    const scene *s = &((const scene_run *)context)->scene;
    long vertices = 0, triangles = 0, surface = 0;
    int i;
    for (i = 0; i < s->cloth_count; i++) {
        surface += dc_body_mesh(s->world, i)->triangle_count;
        vertices += s->cloth[i].shape.mesh.vertex_count;
        triangles += s->cloth[i].shape.mesh.triangle_count;
    }
    fprintf(file, "%s: %s\n", s->kind->title, s->kind->text);
    if (s->cells > 0)
        fprintf(file, "  cells                 %d along the main side, of %.1f mm\n", s->cells,
                1e3 * s->edge);
    fprintf(file, "  cloths, obstacles     %d, %d\n", s->cloth_count, s->obstacle_count);
    fprintf(file, "  vertices, triangles   %ld, %ld\n", vertices, triangles);
    if (surface > triangles)
        fprintf(file, "  surface               %ld triangles, which move and collide\n", surface);
}

static int run_scene(scene_run *r)
{
    const scene *s = &r->scene;
    char directory[64];
    dc_mesh_desc meshes[SCENE_CLOTHS_MAX];
    run_desc desc;
    double seconds = r->o->seconds > 0 ? r->o->seconds : s->kind->seconds;
    int i;
    snprintf(directory, sizeof directory, "out/%s", s->kind->name);
    for (i = 0; i < s->cloth_count; i++) meshes[i] = s->cloth[i].shape.mesh;
    memset(&desc, 0, sizeof desc);
    desc.directory = r->o->directory ? r->o->directory : directory;
    desc.fps = s->kind->fps;
    desc.frames = r->o->frames > 0 ? r->o->frames : 1 + (int)(seconds * desc.fps + 0.5);
    memcpy(desc.size, r->o->size, sizeof desc.size);
    desc.steps_a_frame = scene_steps_a_frame(s->kind);
    desc.dt = s->kind->dt;
    desc.world = s->world;
    desc.info = &s->sim.info;
    desc.mesh = meshes;
    desc.cloth_count = s->cloth_count;
    if (s->cloth_count == 1) desc.names.shape = &s->cloth[0].shape;
    desc.tolerance = (double)s->cloth[0].desc.tolerance;
    desc.context = r;
    desc.step = step_scene;
    desc.draw = draw_scene;
    desc.describe = describe_scene;
    desc.is_stopped = &is_interrupted;
    return run_and_tell(&desc);
}

/* Scenes go on without the caller's mesh: they copy it. */
static int open_scene(scene_run *r, failure *why)
{
    const run_options *o = r->o;
    scene_choice choice = o->choice;
    sim_shape shape;
    int is_open;
    if (o->mesh == NULL) return scene_open_as(&r->scene, o->scene, o->cells, &choice, why);
    if (!read_colliding(o->mesh, &o->file, &shape, why)) return 0;
    choice.mesh = &shape.mesh;
    is_open = scene_open_as(&r->scene, o->scene, o->cells, &choice, why);
    if (is_open) give_lines(&r->scene.cloth[0].shape, &shape);
    sim_shape_free(&shape);
    return is_open;
}

static int refuse_scene(const char *name)
{
    failure why;
    failure_set(&why, "run wants a scene, such as sphere%s%.40s%s; devcloth scenes lists them",
                name ? ", not '" : "", name ? name : "", name ? "'" : "");
    return fail(EXIT_USAGE, &why);
}

static int command_run(int count, char **argv)
{
    run_options o = run_options_defaults();
    option table[RUN_OPTIONS_MAX];
    scene_run r;
    failure why;
    int code;
    run_options_table(&o, table);
    if (!options_read(table, count, argv, &o.scene, &why)) return fail(EXIT_USAGE, &why);
    if (o.scene == NULL || scene_find(o.scene) == NULL) return refuse_scene(o.scene);
    r.o = &o;
    if (!open_scene(&r, &why)) return fail(EXIT_FAILED, &why);
    signal(SIGINT, interrupt);
    code = run_scene(&r);
    scene_close(&r.scene);
    return code;
}

static int command_sheet(int count, char **argv)
{
    sheet_tile tiles[SHEET_TILES_MAX];
    failure why;
    int i;
    if (count < 2 || count > 1 + SHEET_TILES_MAX) {
        failure_set(&why, "sheet wants a file and 1 to %d scenes: devcloth sheet FILE.png sphere",
                    SHEET_TILES_MAX);
        return fail(EXIT_USAGE, &why);
    }
    for (i = 1; i < count; i++)
        if (!sheet_read_tile(argv[i], &tiles[i - 1], &why)) return fail(EXIT_USAGE, &why);
    signal(SIGINT, interrupt);
    if (sheet_write(argv[0], tiles, count - 1, &is_interrupted, &why)) return EXIT_FINE;
    return fail(is_interrupted ? EXIT_INTERRUPTED : EXIT_FAILED, &why);
}

static int command_scenes(int count, char **argv)
{
    const option none = {NULL, NULL, NULL, OPTION_END, NULL, 0, 0};
    const scene_kind *kinds;
    const drape_kind *drapes;
    const ribbon_kind *ribbons;
    failure why;
    int i, kind_count, drape_count, ribbon_count;
    if (!options_read(&none, count, argv, NULL, &why)) return fail(EXIT_USAGE, &why);
    kinds = scene_kinds(&kind_count);
    drapes = drape_kinds(&drape_count);
    ribbons = ribbon_kinds(&ribbon_count);
    printf("devcloth run\n");
    for (i = 0; i < kind_count; i++)
        printf("  %-8s %3d cells, %.0f s: %s\n", kinds[i].name, kinds[i].cells, kinds[i].seconds,
               kinds[i].text);
    printf("devcloth drape\n");
    for (i = 0; i < drape_count; i++)
        printf("  %-8s %4d vertices: %s\n", drapes[i].name, drapes[i].vertex_count,
               drapes[i].title);
    printf("devcloth ribbon\n");
    for (i = 0; i < ribbon_count; i++)
        printf("  %-8s %3d segments, %.0f s: %s\n", ribbons[i].name, ribbons[i].segments,
               ribbons[i].seconds, ribbons[i].text);
    return EXIT_FINE;
}

/* ---- Drape ---- */

enum { DRAPE_OPTIONS_MAX = 14 };

static const char ALL_DRAPES[] = "all";

typedef struct drape_options {
    const char *name; /* NULL: a sheet that is made for the curves */
    int seed, start, cells, is_weightless;
    double width;
    option_texts curves;
    mesh_file_choice file;
    drape_run_desc run;
} drape_options;

static drape_options drape_options_defaults(void)
{
    drape_options o;
    memset(&o, 0, sizeof o);
    o.cells = 32;
    o.file = mesh_file_defaults();
    o.run.size[0] = 800;
    o.run.size[1] = 600;
    o.run.is_stopped = &is_interrupted;
    return o;
}

/* The rows point into *o. */
static void drape_options_table(drape_options *o, option table[DRAPE_OPTIONS_MAX])
{
    const option rows[] = {
        {"-o", "DIR", "where the files go (out/NAME)", OPTION_TEXT, (void *)&o->run.directory, 0,
         0},
        {"--curve", "FILE", "points x y z, a line each, that hold a border; twice: two",
         OPTION_TEXTS, &o->curves, 0, 0},
        {"--cells", "N", "of a sheet for curves, along them (32)", OPTION_INTEGER, &o->cells, 4,
         200},
        {"--width", "M", "of a sheet for curves [m] (as they ask)", OPTION_NUMBER, &o->width, 1e-6,
         1e6},
        {"--weightless", NULL, "with curves: no gravity, bending decides", OPTION_FLAG,
         &o->is_weightless, 0, 0},
        {"--seed", "N", "of the noise at the start (1)", OPTION_INTEGER, &o->seed, 1, 1e6},
        {"--start", "N", "flat, tilted or bent (0)", OPTION_INTEGER, &o->start, 0,
         DRAPE_STARTS - 1},
        {"--picture", "FILE.png", "of the end (last.png among the files)", OPTION_TEXT,
         (void *)&o->run.picture, 0, 0},
        {"--frames", NULL, "a picture of each iteration as well", OPTION_FLAG, &o->run.has_frames,
         0, 0},
        {"--size", "WxH", "of a picture [pixel] (800x600)", OPTION_PAIR, o->run.size, 64, 4096},
        {"--edges", NULL, "draw the edges of the mesh", OPTION_FLAG, &o->run.has_edges, 0, 0},
        up_row(&o->file),
        weld_row(&o->file),
        {NULL, NULL, NULL, OPTION_END, NULL, 0, 0}};
    memcpy(table, rows, sizeof rows);
}

static int is_mesh_file(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".obj") == 0;
}

static drape_choice chosen_drape(const drape_options *o)
{
    drape_choice choice = {(uint32_t)o->seed, o->start};
    return choice;
}

static int build_drape(drape_scene *s, const drape_options *o, failure *why)
{
    drape_choice choice = chosen_drape(o);
    drape_curves curves = {o->curves.text,   o->curves.count, o->file,
                           o->is_weightless, o->cells,        o->width};
    sim_shape shape;
    int is_built;
    if (o->name == NULL) return drape_scene_span(s, &curves, &choice, why);
    if (!is_mesh_file(o->name)) return drape_scene_build(s, o->name, &choice, why);
    if (!read_colliding(o->name, &o->file, &shape, why)) return 0;
    is_built = curves.count > 0 ? drape_scene_follow(s, &shape, &curves, &choice, why)
                                : drape_scene_hang(s, &shape.mesh, &choice, why);
    if (is_built) give_lines(&s->shape, &shape);
    sim_shape_free(&shape);
    return is_built;
}

static run_end run_drape(const drape_options *o, failure *why)
{
    drape_choice choice = chosen_drape(o);
    drape_scene s;
    run_end end = RUN_FAILED;
    if (o->name != NULL && strcmp(o->name, ALL_DRAPES) == 0)
        return drape_run_all(&choice, &o->run, why);
    if (!build_drape(&s, o, why)) return RUN_FAILED;
    if (drape_scene_make(&s, why)) end = drape_run(&s, &o->run, why);
    drape_scene_close(&s);
    return end;
}

static int is_drape(const char *name)
{
    return drape_find(name) != NULL || is_mesh_file(name) || strcmp(name, ALL_DRAPES) == 0;
}

/* Whether there is something to drape. */
static int is_drape_named(const drape_options *o, failure *why)
{
    const char *name = o->name;
    if (o->curves.count > 0) {
        if (name == NULL || is_mesh_file(name)) return 1;
        return failure_set(why, "--curve holds a mesh, or a sheet without a name, not '%.40s'",
                           name);
    }
    if (name != NULL && is_drape(name)) return 1;
    return failure_set(why,
                       "drape wants a mesh or a scene, such as I.d%s%.40s%s; devcloth scenes "
                       "lists them",
                       name ? ", not '" : "", name ? name : "", name ? "'" : "");
}

static int command_drape(int count, char **argv)
{
    drape_options o = drape_options_defaults();
    option table[DRAPE_OPTIONS_MAX];
    char directory[64];
    failure why;
    run_end end;
    drape_options_table(&o, table);
    if (!options_read(table, count, argv, &o.name, &why)) return fail(EXIT_USAGE, &why);
    if (!is_drape_named(&o, &why)) return fail(EXIT_USAGE, &why);
    snprintf(directory, sizeof directory, "out/%s",
             o.name == NULL       ? "curve"
             : drape_find(o.name) ? o.name
                                  : "drapes");
    if (o.run.directory == NULL) o.run.directory = directory;
    signal(SIGINT, interrupt);
    end = run_drape(&o, &why);
    if (end == RUN_COMPLETE) return EXIT_FINE;
    if (end == RUN_STOPPED) failure_set(&why, "interrupted");
    return fail(end == RUN_STOPPED ? EXIT_INTERRUPTED : EXIT_FAILED, &why);
}

/* ---- Ribbon ---- */

enum { RIBBON_OPTIONS_MAX = 8 };

static const char ALL_RIBBONS[] = "all";

typedef struct ribbon_options {
    const char *name;
    ribbon_choice choice;
    ribbon_run_desc run;
} ribbon_options;

static ribbon_options ribbon_options_defaults(void)
{
    ribbon_options o;
    memset(&o, 0, sizeof o);
    o.run.size[0] = 800;
    o.run.size[1] = 600;
    o.run.is_stopped = &is_interrupted;
    return o;
}

/* The rows point into *o. */
static void ribbon_options_table(ribbon_options *o, option table[RIBBON_OPTIONS_MAX])
{
    const option rows[] = {
        {"-o", "DIR", "where the files go (out/ribbon-NAME)", OPTION_TEXT,
         (void *)&o->run.directory, 0, 0},
        {"--segments", "N", "of each ribbon (the scene's own)", OPTION_INTEGER, &o->choice.segments,
         RIBBON_SEGMENTS_MIN, RIBBON_SEGMENTS_MAX},
        {"--dt", "S", "time step [s] (the scene's own)", OPTION_NUMBER, &o->choice.dt, 1e-6, 1},
        {"--seconds", "S", "to be simulated (the whole story)", OPTION_NUMBER, &o->run.seconds,
         1e-3, 1e3},
        {"--picture", "FILE.png", "of all (ribbons.png among the files)", OPTION_TEXT,
         (void *)&o->run.picture, 0, 0},
        {"--size", "WxH", "of a picture [pixel] (800x600)", OPTION_PAIR, o->run.size, 64, 4096},
        {"--plain", NULL, "no lines along the creases", OPTION_FLAG, &o->run.is_plain, 0, 0},
        {NULL, NULL, NULL, OPTION_END, NULL, 0, 0}};
    memcpy(table, rows, sizeof rows);
}

static run_end run_ribbon(const ribbon_options *o, failure *why)
{
    static ribbon_scene s; /* too large for some stacks */
    run_end end;
    if (strcmp(o->name, ALL_RIBBONS) == 0) return ribbon_run_all(&o->choice, &o->run, why);
    if (!ribbon_scene_open(&s, o->name, &o->choice, why)) return RUN_FAILED;
    end = ribbon_run(&s, &o->run, why);
    ribbon_scene_close(&s);
    return end;
}

static int command_ribbon(int count, char **argv)
{
    ribbon_options o = ribbon_options_defaults();
    option table[RIBBON_OPTIONS_MAX];
    char directory[64];
    failure why;
    run_end end;
    ribbon_options_table(&o, table);
    if (!options_read(table, count, argv, &o.name, &why)) return fail(EXIT_USAGE, &why);
    if (o.name == NULL || (!ribbon_find(o.name) && strcmp(o.name, ALL_RIBBONS) != 0)) {
        failure_set(&why, "ribbon wants a scene, such as fall%s%.40s%s; devcloth scenes lists them",
                    o.name ? ", not '" : "", o.name ? o.name : "", o.name ? "'" : "");
        return fail(EXIT_USAGE, &why);
    }
    snprintf(directory, sizeof directory, "out/ribbon%s%.40s", ribbon_find(o.name) ? "-" : "s",
             ribbon_find(o.name) ? o.name : "");
    if (o.run.directory == NULL) o.run.directory = directory;
    signal(SIGINT, interrupt);
    end = run_ribbon(&o, &why);
    if (end == RUN_COMPLETE) return EXIT_FINE;
    if (end == RUN_STOPPED) failure_set(&why, "interrupted");
    return fail(end == RUN_STOPPED ? EXIT_INTERRUPTED : EXIT_FAILED, &why);
}

/* ---- Check and size ---- */

enum { CHECK_OPTIONS_MAX = 3 };

static void check_options_table(mesh_file_choice *choice, option table[CHECK_OPTIONS_MAX])
{
    const option end = {NULL, NULL, NULL, OPTION_END, NULL, 0, 0};
    table[0] = up_row(choice);
    table[1] = weld_row(choice);
    table[2] = end;
}

static int command_check(int count, char **argv)
{
    const char *path = NULL;
    mesh_file_choice choice = mesh_file_defaults();
    option table[CHECK_OPTIONS_MAX];
    failure why;
    check_options_table(&choice, table);
    if (!options_read(table, count, argv, &path, &why)) return fail(EXIT_USAGE, &why);
    if (path == NULL) {
        failure_set(&why, "check wants a mesh: devcloth check MESH.obj");
        return fail(EXIT_USAGE, &why);
    }
    return mesh_print_all(path, &choice, &why) ? EXIT_FINE : fail(EXIT_FAILED, &why);
}

static int read_sized(const char *path, sim_shape *shape, failure *why)
{
    const mesh_file_choice choice = mesh_file_defaults();
    return mesh_file_read(path, &choice, shape, NULL, why);
}

/* A grid if the word is COLUMNSxROWS, else a mesh file. */
static int make_sized(const char *word, sim_shape *shape, failure *why)
{
    enum { CELLS_MAX = 2000 };
    shape_desc desc = shape_defaults(SHAPE_GRID);
    char *by, *end;
    long columns = strtol(word, &by, 10), rows; /* a number too large becomes the largest */
    if (by == word || *by != 'x') return read_sized(word, shape, why);
    rows = strtol(by + 1, &end, 10);
    if (end == by + 1 || *end != 0) return read_sized(word, shape, why);
    if (columns < 1 || rows < 1 || columns > CELLS_MAX || rows > CELLS_MAX)
        return failure_set(why, "a grid has 1 to %d cells each way, not %.40s", CELLS_MAX, word);
    desc.columns = (dc_index)columns;
    desc.rows = (dc_index)rows;
    return sim_shape_build(shape, &desc, why);
}

static void print_sizes(const char *word, const dc_mesh_desc *mesh, const dc_info info[2])
{
    dc_index i;
    printf("%s: %ld vertices, %ld triangles, in bytes\n\n", word, (long)mesh->vertex_count,
           (long)mesh->triangle_count);
    printf("%-28s %14s %14s\n", "", "Cholesky", "CG");
    for (i = 0; i < info[0].section_count; i++)
        printf("%-28s %14lu %14lu\n", info[0].section[i].name,
               (unsigned long)info[0].section[i].bytes, (unsigned long)info[1].section[i].bytes);
    printf("%-28s %14lu %14lu\n", "all", (unsigned long)info[0].bytes,
           (unsigned long)info[1].bytes);
}

static int size_both(const sim_shape *shape, dc_info info[2], failure *why)
{
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    hang h;
    int is_sized = hang_choose(&h, &shape->mesh, why);
    if (!is_sized) return 0;
    cloth.mesh = shape->mesh;
    cloth.pin_vertices = h.pins;
    cloth.pin_count = h.pin_count;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    is_sized = sim_size(&info[0], &desc, why);
    cloth.solver.linear_solver = DC_LINEAR_CG;
    is_sized = is_sized && sim_size(&info[1], &desc, why);
    hang_free(&h);
    return is_sized;
}

static int command_size(int count, char **argv)
{
    const option none = {NULL, NULL, NULL, OPTION_END, NULL, 0, 0};
    const char *word = NULL;
    sim_shape shape;
    dc_info info[2];
    failure why;
    int is_sized;
    if (!options_read(&none, count, argv, &word, &why)) return fail(EXIT_USAGE, &why);
    if (word == NULL) {
        failure_set(&why, "size wants a mesh or a grid: devcloth size MESH.obj | COLUMNSxROWS");
        return fail(EXIT_USAGE, &why);
    }
    if (!make_sized(word, &shape, &why)) return fail(EXIT_FAILED, &why);
    is_sized = size_both(&shape, info, &why);
    if (is_sized) print_sizes(word, &shape.mesh, info);
    sim_shape_free(&shape);
    return is_sized ? EXIT_FINE : fail(EXIT_FAILED, &why);
}

/* ---- Help ---- */

static int command_help(int count, char **argv)
{
    FILE *file = stdout;
    options o = options_defaults();
    run_options run = run_options_defaults();
    drape_options drape = drape_options_defaults();
    option table[OPTIONS_MAX], run_table[RUN_OPTIONS_MAX];
    ribbon_options ribbon = ribbon_options_defaults();
    option drape_table[DRAPE_OPTIONS_MAX], ribbon_table[RIBBON_OPTIONS_MAX];
    mesh_file_choice choice = mesh_file_defaults();
    option check_table[CHECK_OPTIONS_MAX];
    (void)count; /* whatever follows, help is what is wanted */
    (void)argv;
    options_table(&o, table);
    fprintf(
        file,
        "devcloth demo [MESH.obj] [options]   simulate a sheet, or the mesh hung by its highest\n"
        "                                     vertices, and draw it\n"
        "devcloth scenes                      the built-in scenes: cloth that collides\n"
        "devcloth run SCENE [options]         simulate one and draw it\n"
        "devcloth sheet FILE.png SCENE[:CELLS[:SECONDS]]...\n"
        "                                     several in one picture, each as it is at that time\n"
        "devcloth drape NAME [options]        where a built-in sheet comes to rest\n"
        "devcloth drape all [options]         all of them, in one picture\n"
        "devcloth drape MESH.obj [options]    where a mesh does, hung by its highest vertices\n"
        "devcloth drape [MESH.obj] --curve FILE [--curve FILE] [options]\n"
        "                                     where a sheet does, or a mesh, whose border is held\n"
        "                                     to one or two curves\n"
        "devcloth ribbon NAME [options]       a built-in scene of ribbons, simulated and drawn\n"
        "devcloth ribbon all [options]        all of them, in one picture\n"
        "devcloth check MESH.obj [options]    all that is wrong or doubtful in a mesh, by line\n"
        "devcloth size MESH.obj               memory that it needs, by use\n"
        "devcloth size COLUMNSxROWS           the same for a grid of cells\n"
        "devcloth help                        this\n\n"
        "Options of demo, with their defaults:\n");
    options_help(table, file);
    fprintf(file, "\nOptions of run:\n");
    run_options_table(&run, run_table);
    options_help(run_table, file);
    fprintf(file, "\nOptions of drape:\n");
    drape_options_table(&drape, drape_table);
    options_help(drape_table, file);
    fprintf(file, "\nOptions of ribbon:\n");
    ribbon_options_table(&ribbon, ribbon_table);
    options_help(ribbon_table, file);
    fprintf(file, "\nOptions of check:\n");
    check_options_table(&choice, check_table);
    options_help(check_table, file);
    fprintf(file,
            "\nLengths are metres, y is up. The exit code is 0 if all went well, 1 if a file\n"
            "or a step failed, 2 if the command line was wrong, 130 if interrupted.\n");
    return EXIT_FINE;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int count, char **argv);
    } commands[] = {
        {"demo", command_demo},   {"scenes", command_scenes}, {"run", command_run},
        {"drape", command_drape}, {"ribbon", command_ribbon}, {"sheet", command_sheet},
        {"check", command_check}, {"size", command_size},     {"help", command_help},
        {"--help", command_help}};
    failure why;
    size_t i;
    for (i = 0; argc >= 2 && i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 2, argv + 2);
    failure_set(&why, "%s%.40s%s; devcloth help lists the commands",
                argc < 2 ? "a command is missing" : "there is no command '",
                argc < 2 ? "" : argv[1], argc < 2 ? "" : "'");
    return fail(EXIT_USAGE, &why);
}
