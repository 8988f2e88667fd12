/*
 * devcloth - the command line tool: simulate and draw a sheet, check a mesh, print memory tables
 *
 *     demo     mesh, pins, world -> frames, point cache, tables
 *     check    what is wrong or doubtful in a mesh
 *     size     who uses the memory
 *     help
 */
#define DEVCLOTH_IMPLEMENTATION
#include "../../devcloth.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../common/hang.h"
#include "../common/obj.h"
#include "../common/options.h"
#include "../common/pc2.h"
#include "../common/png.h"
#include "../common/record.h"
#include "../common/render.h"
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

static int read_mesh(const char *path, double scale, sim_shape *shape, failure *why)
{
    obj_mesh mesh;
    dc_index v;
    memset(shape, 0, sizeof *shape);
    if (!obj_read(path, &mesh, why)) return 0;
    for (v = 0; v < mesh.vertex_count; v++) {
        dc_vec3 *p = &mesh.positions[v];
        p->x *= (dc_real)scale;
        p->y *= (dc_real)scale;
        p->z *= (dc_real)scale;
    }
    shape->mesh.vertex_count = mesh.vertex_count;
    shape->mesh.triangle_count = mesh.triangle_count;
    shape->mesh.positions = shape->positions = mesh.positions;
    shape->mesh.triangles = shape->triangles = mesh.triangles;
    return 1;
}

/* A square sheet in the air: part of a cylinder of this half angle, whose chord is .93 of its arc,
   so that it sags between two sides; tilted, so that the two corners to hang it by are highest. */
static int make_sheet(int cells, double side, sim_shape *shape, failure *why)
{
    static const double HALF_ANGLE = 0.654, TILT = 0.1; /* [rad] */
    const double radius = 0.5 * side / HALF_ANGLE;
    dc_shape_desc desc = dc_shape_defaults(DC_SHAPE_GRID);
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

static int check_mesh(const char *name, const dc_mesh_desc *desc, dc_mesh_report *report,
                      dc_index *border_edges, failure *why)
{
    size_t bytes = dc_mesh_bytes(desc->vertex_count, desc->triangle_count);
    void *memory = malloc(bytes > 0 ? bytes : 1);
    dc_mesh mesh;
    dc_error error;
    failure reason;
    dc_status status;
    if (memory == NULL) return failure_set(why, "not enough memory to check %s", name);
    status = dc_mesh_init(desc, memory, bytes, &mesh, report, &error);
    free(memory);
    *border_edges = mesh.boundary_edge_count;
    if (status == DC_OK) return 1;
    sim_failure(&reason, &error);
    return failure_set(why, "%s: %s", name, reason.text);
}

/* One line for each doubtful thing; returns how many there are. */
static int print_doubts(FILE *file, const dc_mesh_report *r)
{
    int count = 0;
    if (r->isolated_count > 0 && ++count)
        fprintf(file,
                "doubtful: %ld vertices without a triangle stay where they are (vertex %ld)\n",
                (long)r->isolated_count, (long)r->isolated_vertex + 1);
    if (r->sliver_count > 0 && ++count)
        fprintf(file, "doubtful: %ld triangles are needles (triangle %ld)\n", (long)r->sliver_count,
                (long)r->sliver_triangle + 1);
    if (r->seam_count > 0 && ++count)
        fprintf(file, "doubtful: %ld edges have different lengths on their two sides (edge %ld)\n",
                (long)r->seam_count, (long)r->seam_edge + 1);
    if (r->is_alternating && ++count)
        fprintf(file,
                "doubtful: diagonals alternate (%ld vertices with four triangles, such as %ld): "
                "constraints are not independent\n",
                (long)r->alternating_count, (long)r->alternating_vertex + 1);
    return count;
}

/* ---- Options ---- */

enum { OPTIONS_MAX = 24 };

typedef struct options {
    const char *mesh; /* NULL: the built-in sheet */
    const char *directory;
    int frames, fps, cells, size[2], is_strain, has_edges, is_euler, is_cg;
    double dt, bending, density, damping, drag, wind, scale, tolerance;
} options;

static options options_defaults(void)
{
    dc_cloth_desc cloth = dc_cloth_defaults();
    options o;
    memset(&o, 0, sizeof o);
    o.directory = "out/demo";
    o.frames = 90;
    o.fps = 30;
    o.cells = 40;
    o.size[0] = 800;
    o.size[1] = 600;
    o.dt = 1.0 / 240;
    o.bending = (double)cloth.bending;
    o.density = (double)cloth.density;
    o.damping = (double)cloth.bending_damping;
    o.drag = 0.12;
    o.tolerance = (double)cloth.tolerance;
    o.scale = 1;
    return o;
}

/* The rows point into *o. */
static void options_table(options *o, option table[OPTIONS_MAX])
{
    const option rows[] = {
        {"-o", "DIR", "where the files go (out/demo)", OPTION_TEXT, (void *)&o->directory, 0, 0},
        {"--frames", "N", "pictures, the start included (90)", OPTION_INTEGER, &o->frames, 1, 9999},
        {"--fps", "N", "pictures a second (30)", OPTION_INTEGER, &o->fps, 1, 1000},
        {"--size", "WxH", "of a picture [pixel] (800x600)", OPTION_PAIR, o->size, 64, 4096},
        {"--dt", "S", "longest time step [s] (1/240)", OPTION_NUMBER, &o->dt, 1e-6, 1},
        {"--bending", "K", "stiffness [N m] (1e-5)", OPTION_NUMBER, &o->bending, 0, 1e6},
        {"--density", "D", "mass per area [kg/m^2] (0.15)", OPTION_NUMBER, &o->density, 1e-6, 1e6},
        {"--damping", "T", "of bending [s] (0)", OPTION_NUMBER, &o->damping, 0, 1e3},
        {"--drag", "D", "of air, across [kg/(m^2 s)] (0.12)", OPTION_NUMBER, &o->drag, 0, 1e3},
        {"--wind", "V", "towards x [m/s], with drag (0)", OPTION_NUMBER, &o->wind, -1e3, 1e3},
        {"--tolerance", "E", "of squared lengths (1e-4)", OPTION_NUMBER, &o->tolerance, 1e-12, 1},
        {"--scale", "S", "metres in a unit of the mesh; side of the sheet (1)", OPTION_NUMBER,
         &o->scale, 1e-6, 1e6},
        {"--cells", "N", "of the sheet, along a side (40)", OPTION_INTEGER, &o->cells, 1, 500},
        {"--euler", NULL, "backward Euler instead of BDF2", OPTION_FLAG, &o->is_euler, 0, 0},
        {"--cg", NULL, "conjugate gradients: less memory, slower", OPTION_FLAG, &o->is_cg, 0, 0},
        {"--strain", NULL, "colours show strain", OPTION_FLAG, &o->is_strain, 0, 0},
        {"--edges", NULL, "draw the edges of the mesh", OPTION_FLAG, &o->has_edges, 0, 0},
        {NULL, NULL, NULL, OPTION_END, NULL, 0, 0}};
    memcpy(table, rows, sizeof rows);
}

/* ---- Demo: the run ---- */

enum { TILES = 12, TILE_COLUMNS = 4, TILE_WIDTH = 400 /* [pixel] of the contact sheet, about */ };

typedef struct demo {
    const options *o;
    sim_shape shape;
    hang hang;
    sim sim;
    record record;
    pc2_writer cache;
    render_scene view; /* without bodies */
    image picture, contact;
    double *strain;           /* (vertex_count) */
    int steps_a_frame, tiles; /* tiles: pasted so far */
    double dt;                /* [s] */
    double seconds;           /* spent in steps */
} demo;

static int path_in(const demo *d, const char *name, char path[FILES_PATH_MAX], failure *why)
{
    return files_join(path, d->o->directory, name, why);
}

/* Removes what an earlier run left, the mark of completion first and the last frames before the
   first, so that even a run stopped here leaves nothing that looks whole. */
static int clear_directory(const demo *d, failure *why)
{
    static const char *const stale[] = {"summary.txt", "report.csv", "contact.png", "energy.svg",
                                        "strain.svg",  "last.obj",   "rest.obj",    "cache.pc2"};
    char path[FILES_PATH_MAX], name[32];
    int i, count = 0;
    FILE *file;
    if (!path_in(d, "frames", path, why) || !files_make_directory(path, why)) return 0;
    for (i = 0; i < (int)(sizeof stale / sizeof stale[0]); i++) {
        if (!path_in(d, stale[i], path, why)) return 0;
        remove(path);
    }
    for (;; count++) {
        snprintf(name, sizeof name, "frames/frame_%04d.png", count);
        if (!path_in(d, name, path, why)) return 0;
        if ((file = fopen(path, "rb")) == NULL) break;
        fclose(file);
    }
    while (count-- > 0) {
        snprintf(name, sizeof name, "frames/frame_%04d.png", count);
        if (!path_in(d, name, path, why)) return 0;
        if (remove(path) != 0) return failure_set(why, "%s: cannot remove it", path);
    }
    return 1;
}

static int load_mesh(demo *d, failure *why)
{
    const options *o = d->o;
    dc_mesh_report report;
    dc_index border;
    if (o->mesh == NULL) return make_sheet(o->cells, o->scale, &d->shape, why);
    return read_mesh(o->mesh, o->scale, &d->shape, why) &&
           check_mesh(o->mesh, &d->shape.mesh, &report, &border, why);
}

static int make_world(demo *d, failure *why)
{
    const options *o = d->o;
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    cloth.mesh = d->shape.mesh;
    cloth.bending = (dc_real)o->bending;
    cloth.density = (dc_real)o->density;
    cloth.bending_damping = (dc_real)o->damping;
    cloth.drag_normal = (dc_real)o->drag;
    cloth.drag_tangential = (dc_real)(o->drag / 10);
    cloth.tolerance = (dc_real)o->tolerance;
    cloth.integrator = o->is_euler ? DC_INTEGRATOR_BACKWARD_EULER : DC_INTEGRATOR_BDF2;
    cloth.linear_solver = o->is_cg ? DC_LINEAR_CG : DC_LINEAR_CHOLESKY;
    cloth.pin_vertices = d->hang.pins;
    cloth.pin_count = d->hang.pin_count;
    desc.wind.x = (dc_real)o->wind;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    return sim_open(&d->sim, &desc, NULL, why);
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
    const options *o = d->o;
    int tile = (o->size[0] + TILE_WIDTH - 1) / TILE_WIDTH;
    char path[FILES_PATH_MAX];
    dc_index vertex_count;
    if (!load_mesh(d, why) || !hang_choose(&d->hang, &d->shape.mesh, why)) return 0;
    vertex_count = d->shape.mesh.vertex_count;
    d->strain = malloc((size_t)vertex_count * sizeof *d->strain);
    if (d->strain == NULL) return failure_set(why, "not enough memory for the strain");
    d->steps_a_frame = (int)ceil(1 / (o->fps * o->dt) - 1e-9); /* a whole number, up to rounding */
    d->dt = 1.0 / (o->fps * d->steps_a_frame);
    aim_camera(d);
    return image_init(&d->picture, o->size[0], o->size[1], why) &&
           image_init(&d->contact, TILE_COLUMNS * (o->size[0] / tile),
                      TILES / TILE_COLUMNS * (o->size[1] / tile), why) &&
           record_init(&d->record, o->frames, why) && make_world(d, why) &&
           clear_directory(d, why) && path_in(d, "cache.pc2", path, why) &&
           pc2_open(&d->cache, path, vertex_count, why);
}

static void close_demo(demo *d)
{
    if (d->cache.out.file != NULL) pc2_discard(&d->cache);
    sim_close(&d->sim);
    record_free(&d->record);
    image_free(&d->contact);
    image_free(&d->picture);
    free(d->strain);
    hang_free(&d->hang);
    sim_shape_free(&d->shape);
}

/* ---- Demo: pictures ---- */

static const double STRAIN_SHOWN = 0.05; /* [1] the end of the colour scale */

static int draw(demo *d, failure *why)
{
    static const render_colour front = {.12, .53, .62}, back = {.95, .72, .42},
                               steel = {.2, .2, .22};
    render_scene scene = d->view;
    render_material material = render_cloth(front, back);
    render_mesh mesh = {0};
    double size = (double)d->hang.middle.y - d->hang.lowest;
    dc_index k;
    mesh.vertex_count = d->shape.mesh.vertex_count;
    mesh.triangle_count = d->shape.mesh.triangle_count;
    mesh.positions = dc_cloth_positions(d->sim.world, 0);
    mesh.triangles = d->shape.triangles;
    if (d->o->is_strain) {
        sim_vertex_strain(d->sim.world, 0, d->strain);
        mesh.values = d->strain;
        mesh.value_max = STRAIN_SHOWN;
    }
    material.edge_width = d->o->has_edges ? 1 : 0; /* [pixel] */
    render_add_mesh(&scene, mesh, material);
    for (k = 0; k < d->hang.pin_count; k++) {
        dc_vec3 pin = mesh.positions[d->hang.pins[k]];
        render_add_capsule(&scene, pin, pin, 0.012 * size, render_solid(steel));
    }
    if (!render_draw(&scene, &d->picture, why)) return 0;
    if (d->o->is_strain) render_legend(&d->picture, 16, 16, 2, STRAIN_SHOWN, "strain");
    return 1;
}

/* Pastes the picture if it is among those that spread evenly over the run. */
static void add_tile(demo *d, int frame)
{
    static const image_colour ink = {50, 56, 66};
    int factor = (d->o->size[0] + TILE_WIDTH - 1) / TILE_WIDTH, last = d->o->frames - 1;
    char text[32];
    while (d->tiles < TILES && frame >= (d->tiles * last + (TILES - 1) / 2) / (TILES - 1)) {
        int x = d->tiles % TILE_COLUMNS * (d->o->size[0] / factor);
        int y = d->tiles / TILE_COLUMNS * (d->o->size[1] / factor);
        image_paste(&d->contact, x, y, &d->picture, factor);
        snprintf(text, sizeof text, "%.2f s", (double)dc_world_time(d->sim.world));
        image_text(&d->contact, x + 10, y + d->o->size[1] / factor - 24, 2, ink, text);
        d->tiles++;
        if (last < TILES) break; /* fewer frames than tiles: each once */
    }
}

static int end_frame(demo *d, int frame, failure *why)
{
    char name[32], path[FILES_PATH_MAX];
    record_frame(&d->record, d->sim.world, 0);
    if (!draw(d, why)) return 0;
    add_tile(d, frame);
    snprintf(name, sizeof name, "frames/frame_%04d.png", frame);
    return path_in(d, name, path, why) && png_write(path, &d->picture, why) &&
           pc2_add(&d->cache, dc_cloth_positions(d->sim.world, 0), why);
}

/* ---- Demo: the run ---- */

static int take_steps(demo *d, failure *why)
{
    double start = files_clock();
    dc_report report;
    dc_error error;
    failure reason;
    int k;
    for (k = 0; k < d->steps_a_frame; k++) {
        if (dc_world_step(d->sim.world, (dc_real)d->dt, &report, &error) != DC_OK) {
            sim_failure(&reason, &error);
            return failure_set(why, "the step from %.4f s failed: %s; all before it is written",
                               (double)dc_world_time(d->sim.world), reason.text);
        }
        record_step(&d->record, &report);
    }
    d->seconds += files_clock() - start;
    return 1;
}

static int run_frames(demo *d, failure *why)
{
    progress bar = progress_begin();
    int frame, is_fine = end_frame(d, 0, why);
    for (frame = 1; is_fine && frame < d->o->frames && !is_interrupted; frame++) {
        is_fine = take_steps(d, why) && end_frame(d, frame, why);
        if (is_fine) progress_show(&bar, frame + 1, d->o->frames);
    }
    progress_end(&bar);
    return is_fine;
}

static int write_mesh(const demo *d, const char *name, const dc_vec3 *positions, failure *why)
{
    char path[FILES_PATH_MAX];
    return path_in(d, name, path, why) &&
           obj_write(path, d->shape.mesh.vertex_count, positions, d->shape.mesh.triangle_count,
                     d->shape.triangles, why);
}

/* All files but the frames, whole for as far as the run got. */
static int write_results(demo *d, failure *why)
{
    char path[FILES_PATH_MAX];
    return pc2_close(&d->cache, why) &&
           write_mesh(d, "last.obj", dc_cloth_positions(d->sim.world, 0), why) &&
           path_in(d, "report.csv", path, why) && record_write_csv(&d->record, path, why) &&
           path_in(d, "energy.svg", path, why) && record_plot_energy(&d->record, path, why) &&
           path_in(d, "strain.svg", path, why) && record_plot_strain(&d->record, path, why) &&
           path_in(d, "contact.png", path, why) && png_write(path, &d->contact, why);
}

/* ---- Demo: the table ---- */

static void print_memory(FILE *file, const dc_plan *plan)
{
    dc_index i;
    fprintf(file, "\nmemory [bytes]\n");
    for (i = 0; i < plan->section_count; i++)
        fprintf(file, "  %-28s %12lu\n", plan->section[i].name,
                (unsigned long)plan->section[i].bytes);
    fprintf(file, "  %-28s %12lu\n", "all", (unsigned long)plan->bytes);
    fprintf(file, "  %-28s %12lu\n", "scratch, for planning only",
            (unsigned long)plan->scratch_bytes);
}

static void print_mesh(FILE *file, const demo *d)
{
    const hang *h = &d->hang;
    dc_index k;
    fprintf(file, "%s\n", d->o->mesh ? d->o->mesh : "a square sheet");
    fprintf(file, "  size                  %.3g x %.3g x %.3g m (--scale if that is not meant)\n",
            (double)(h->high.x - h->low.x), (double)(h->high.y - h->low.y),
            (double)(h->high.z - h->low.z));
    fprintf(file, "  vertices, triangles   %ld, %ld\n", (long)d->shape.mesh.vertex_count,
            (long)d->shape.mesh.triangle_count);
    fprintf(file, "  pieces                %ld\n", (long)h->piece_count);
    fprintf(file, "  hung by vertices     ");
    for (k = 0; k < h->pin_count && k < 8; k++) fprintf(file, " %ld", (long)h->pins[k] + 1);
    fprintf(file, "%s (the first is 1)\n", h->pin_count > 8 ? " ..." : "");
}

static void print_run(FILE *file, const demo *d)
{
    const record *r = &d->record;
    int last = r->count - 1;
    double steps = fmax(record_sum(r, RECORD_STEPS), 1);
    fprintf(file, "\nrun\n");
    fprintf(file, "  simulated             %.3f s in %.0f steps of %.3f ms\n",
            r->column[RECORD_TIME][last], record_sum(r, RECORD_STEPS), 1e3 * d->dt);
    fprintf(file, "  sub-steps             %.0f\n", record_sum(r, RECORD_SUBSTEPS));
    fprintf(file, "  Newton, CG iterations %.2f, %.1f a step\n",
            record_sum(r, RECORD_NEWTON) / steps, record_sum(r, RECORD_CG) / steps);
    fprintf(file, "  time                  %.1f ms a step\n", 1e3 * d->seconds / steps);
    fprintf(file, "  constraint error      %.1e at most (allowed: %.1e)\n",
            record_max(r, RECORD_CONSTRAINT_ERROR), d->o->tolerance);
    fprintf(file, "  strain as drawn       rms %.2f%%, largest %.1f%%\n",
            100 * record_max(r, RECORD_STRAIN_RMS), 100 * record_max(r, RECORD_STRAIN_MAX));
    fprintf(file, "\nenergy [J]         start       end\n");
    fprintf(file, "  kinetic     %10.4f%10.4f\n", r->column[RECORD_KINETIC][0],
            r->column[RECORD_KINETIC][last]);
    fprintf(file, "  gravity     %10.4f%10.4f\n", 0.0, r->column[RECORD_GRAVITY][last]);
    fprintf(file, "  bending     %10.4f%10.4f\n", r->column[RECORD_BENDING][0],
            r->column[RECORD_BENDING][last]);
    fprintf(file, "  sum         %10.4f%10.4f\n", r->column[RECORD_TOTAL][0],
            r->column[RECORD_TOTAL][last]);
}

static void print_summary(FILE *file, const demo *d)
{
    print_mesh(file, d);
    print_memory(file, &d->sim.plan);
    print_run(file, d);
    fprintf(file, "\nfiles in %s\n", d->o->directory);
    fprintf(file, "  rest.obj last.obj     the mesh at the start and at the end\n");
    fprintf(file, "  cache.pc2             point cache on rest.obj, %d samples at %d a second\n",
            d->record.count, d->o->fps);
    fprintf(file, "  frames/frame_*.png    %d pictures of %d x %d\n", d->record.count,
            d->o->size[0], d->o->size[1]);
    fprintf(file, "  contact.png           %d of them\n", d->tiles);
    fprintf(file, "  report.csv            a line a frame; energy.svg, strain.svg its plots\n");
    if (d->record.count == d->o->frames)
        fprintf(file, "  summary.txt           this table, there only when a run is complete\n");
    else
        fprintf(file, "  no summary.txt        the run ended before frame %d\n", d->o->frames - 1);
}

static int write_summary(const demo *d, failure *why)
{
    char path[FILES_PATH_MAX];
    output out;
    if (!path_in(d, "summary.txt", path, why) || !output_open(&out, path, why)) return 0;
    print_summary(out.file, d);
    return output_close(&out, why);
}

/* ---- Demo ---- */

static int run_demo(demo *d, failure *why)
{
    failure second;
    int is_fine;
    if (!open_demo(d, why)) return EXIT_FAILED;
    print_doubts(stderr, &d->sim.plan.mesh);
    if (d->sim.plan.taut_pin[0] != DC_NONE)
        fprintf(stderr,
                "warning: pins at vertices %ld and %ld start as far apart as the cloth allows; "
                "steps may need more iterations\n",
                (long)d->hang.pins[d->sim.plan.taut_pin[0]] + 1,
                (long)d->hang.pins[d->sim.plan.taut_pin[1]] + 1);
    if (!write_mesh(d, "rest.obj", d->shape.positions, why)) return EXIT_FAILED;
    is_fine = run_frames(d, why);
    if (!write_results(d, is_fine ? why : &second)) return EXIT_FAILED;
    if (is_fine && d->record.count == d->o->frames && !write_summary(d, why)) return EXIT_FAILED;
    print_summary(stdout, d);
    if (!is_fine) return EXIT_FAILED;
    return d->record.count == d->o->frames ? EXIT_FINE : EXIT_INTERRUPTED;
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
    code = run_demo(&d, &why);
    close_demo(&d);
    if (code == EXIT_INTERRUPTED) failure_set(&why, "interrupted");
    return code == EXIT_FINE ? code : fail(code, &why);
}

/* ---- Check and size ---- */

static int command_check(int count, char **argv)
{
    const char *path = NULL;
    const option none = {NULL, NULL, NULL, OPTION_END, NULL, 0, 0};
    sim_shape shape;
    dc_mesh_report report;
    dc_index border;
    failure why;
    int is_usable;
    if (!options_read(&none, count, argv, &path, &why)) return fail(EXIT_USAGE, &why);
    if (path == NULL) {
        failure_set(&why, "check wants a mesh: devcloth check MESH.obj");
        return fail(EXIT_USAGE, &why);
    }
    if (!read_mesh(path, 1, &shape, &why)) return fail(EXIT_FAILED, &why);
    is_usable = check_mesh(path, &shape.mesh, &report, &border, &why);
    if (is_usable) {
        printf("%s: %ld vertices, %ld triangles, %ld pieces, %ld border edges\n", path,
               (long)shape.mesh.vertex_count, (long)shape.mesh.triangle_count,
               (long)report.piece_count, (long)border);
        printf("%s\n", print_doubts(stdout, &report) ? "usable" : "nothing is wrong with it");
    }
    sim_shape_free(&shape);
    return is_usable ? EXIT_FINE : fail(EXIT_FAILED, &why);
}

/* A grid if the word is COLUMNSxROWS, else a mesh file. */
static int make_sized(const char *word, sim_shape *shape, failure *why)
{
    enum { CELLS_MAX = 2000 };
    dc_shape_desc desc = dc_shape_defaults(DC_SHAPE_GRID);
    int columns, rows, end = 0;
    if (sscanf(word, "%5dx%5d%n", &columns, &rows, &end) != 2 || word[end] != 0)
        return read_mesh(word, 1, shape, why);
    if (columns < 1 || rows < 1 || columns > CELLS_MAX || rows > CELLS_MAX)
        return failure_set(why, "a grid has 1 to %d cells each way, not %s", CELLS_MAX, word);
    desc.columns = columns;
    desc.rows = rows;
    return sim_shape_build(shape, &desc, why);
}

static void print_sizes(const char *word, const dc_mesh_desc *mesh, const dc_plan plan[2])
{
    dc_index i;
    printf("%s: %ld vertices, %ld triangles, in bytes\n\n", word, (long)mesh->vertex_count,
           (long)mesh->triangle_count);
    printf("%-28s %14s %14s\n", "", "Cholesky", "CG");
    for (i = 0; i < plan[0].section_count; i++)
        printf("%-28s %14lu %14lu\n", plan[0].section[i].name,
               (unsigned long)plan[0].section[i].bytes, (unsigned long)plan[1].section[i].bytes);
    printf("%-28s %14lu %14lu\n", "all", (unsigned long)plan[0].bytes,
           (unsigned long)plan[1].bytes);
    printf("%-28s %14lu %14lu\n", "scratch, for planning only",
           (unsigned long)plan[0].scratch_bytes, (unsigned long)plan[1].scratch_bytes);
}

static int plan_both(const sim_shape *shape, dc_plan plan[2], failure *why)
{
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    hang h;
    int is_planned = hang_choose(&h, &shape->mesh, why);
    if (!is_planned) return 0;
    cloth.mesh = shape->mesh;
    cloth.pin_vertices = h.pins;
    cloth.pin_count = h.pin_count;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    is_planned = sim_plan(&plan[0], &desc, why);
    cloth.linear_solver = DC_LINEAR_CG;
    is_planned = is_planned && sim_plan(&plan[1], &desc, why);
    hang_free(&h);
    return is_planned;
}

static int command_size(int count, char **argv)
{
    const option none = {NULL, NULL, NULL, OPTION_END, NULL, 0, 0};
    const char *word = NULL;
    sim_shape shape;
    dc_plan plan[2];
    failure why;
    int is_planned;
    if (!options_read(&none, count, argv, &word, &why)) return fail(EXIT_USAGE, &why);
    if (word == NULL) {
        failure_set(&why, "size wants a mesh or a grid: devcloth size MESH.obj | COLUMNSxROWS");
        return fail(EXIT_USAGE, &why);
    }
    if (!make_sized(word, &shape, &why)) return fail(EXIT_FAILED, &why);
    is_planned = plan_both(&shape, plan, &why);
    if (is_planned) print_sizes(word, &shape.mesh, plan);
    sim_shape_free(&shape);
    return is_planned ? EXIT_FINE : fail(EXIT_FAILED, &why);
}

/* ---- Help ---- */

static int command_help(FILE *file)
{
    options o = options_defaults();
    option table[OPTIONS_MAX];
    options_table(&o, table);
    fprintf(
        file,
        "devcloth demo [MESH.obj] [options]   simulate a sheet, or the mesh hung by its highest\n"
        "                                     vertices, and draw it\n"
        "devcloth check MESH.obj              what is wrong or doubtful in a mesh\n"
        "devcloth size MESH.obj               memory that it needs, by use\n"
        "devcloth size COLUMNSxROWS           the same for a grid of cells\n"
        "devcloth help                        this\n\n"
        "Options of demo, with their defaults:\n");
    options_help(table, file);
    fprintf(file,
            "\nLengths are metres, y is up. The exit code is 0 if all went well, 1 if a file\n"
            "or a step failed, 2 if the command line was wrong, 130 if interrupted.\n");
    return EXIT_FINE;
}

int main(int argc, char **argv)
{
    failure why;
    if (argc >= 2 && strcmp(argv[1], "demo") == 0) return command_demo(argc - 2, argv + 2);
    if (argc >= 2 && strcmp(argv[1], "check") == 0) return command_check(argc - 2, argv + 2);
    if (argc >= 2 && strcmp(argv[1], "size") == 0) return command_size(argc - 2, argv + 2);
    if (argc >= 2 && (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0))
        return command_help(stdout);
    failure_set(&why, "%s%.40s%s; devcloth help lists the commands",
                argc < 2 ? "a command is missing" : "there is no command '",
                argc < 2 ? "" : argv[1], argc < 2 ? "" : "'");
    return fail(EXIT_USAGE, &why);
}
