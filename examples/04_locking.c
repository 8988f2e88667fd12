/*
 * 04_locking.c - how a mesh locks
 *
 * What one will see: a sheet hung by two corners and a strip clamped at one end, each with elements
 * that meet at edge midpoints (nonconforming, devcloth's own) and with ordinary ones that keep the
 * edge lengths of a mesh (conforming). The nonconforming sheet drapes and its strip bends to where
 * theory puts it. The conforming sheet hangs like tin. Its strip bends only through the slack that
 * the tolerance of lengths leaves, to another place; with a hundredth of that slack no step is
 * found any more: it has locked, and the table says so. out/04_locking/locking.png shows four.
 */
#include "../devcloth.h"

#include "common/png.h"
#include "common/render.h"
#include "common/sim.h"

#include <math.h>

enum { CLAMPS_MAX = 8, TILE = 480 /* [pixel] */, TILES_WIDE = 2, TILES_HIGH = 2 };

/* ---- What is run ---- */

typedef struct scene {
    const char *name;
    dc_index columns, rows;
    double height;  /* [m], of a sheet 1 m wide */
    double bending; /* [N m] */
    double damping; /* of bending [s] */
    double drag;    /* [kg/(m^2 s)] */
    double time;    /* [s] until it is still */
} scene;

enum { DRAPE, STRIP };

/* The strip: Gamma = density g length^3 / bending = 5. */
static const scene scenes[] = {{"drape", 20, 20, 1, 1e-5, 0, 0.3, 4},
                               {"strip", 20, 5, 0.25, 0.15 * 9.81 / 5, 0.15, 0, 8}};
static const double EXACT_X = 0.8466571800, EXACT_DROP = 0.4959050446; /* [m] of the elastica */

/* On such a mesh the stiff conforming strip converges with the mass projection only, which at these
   steps lets it rest a few hundredths of its length too low. */
typedef struct trial {
    int scene;
    dc_element element;
    dc_projection projection;
    double tolerance;
    double dt; /* [s] */
    int tile;  /* in the picture, or -1 */
} trial;

static const trial trials[] = {
    {DRAPE, DC_ELEMENT_NONCONFORMING, DC_PROJECTION_COUPLED, 1e-4, 0.005, 0},
    {DRAPE, DC_ELEMENT_CONFORMING, DC_PROJECTION_MASS, 1e-4, 0.005, 1},
    {STRIP, DC_ELEMENT_NONCONFORMING, DC_PROJECTION_COUPLED, 1e-4, 0.01, 2},
    {STRIP, DC_ELEMENT_NONCONFORMING, DC_PROJECTION_COUPLED, 1e-6, 0.01, -1},
    {STRIP, DC_ELEMENT_CONFORMING, DC_PROJECTION_MASS, 1e-4, 0.001, -1},
    {STRIP, DC_ELEMENT_CONFORMING, DC_PROJECTION_MASS, 1e-6, 0.001, 3}};

enum { TRIALS = sizeof trials / sizeof trials[0] };

/* ---- Meshes ---- */

/* An arc of that half angle sags between the corners that will be pinned, [rad]; the sheet hangs
   down from it, tilted forward by the rest to a right angle. The strip lies straight. */
static const double HALF_ANGLE = 0.65, TILT = 1.2;

static void place(sim_shape *shape, int kind)
{
    dc_index v;
    for (v = 0; v < shape->mesh.vertex_count; v++) {
        double x = (double)shape->flat[v].x, y = (double)shape->flat[v].y;
        double angle = (2 * x - 1) * HALF_ANGLE, radius = 0.5 / HALF_ANGLE;
        double up = radius * (cos(HALF_ANGLE) - cos(angle)), out = 1 - y;
        dc_vec3 *p = &shape->positions[v];
        p->x = (dc_real)(kind == STRIP ? x : radius * sin(angle));
        p->y = (dc_real)(kind == STRIP ? 0 : up * cos(TILT) - out * sin(TILT));
        p->z = (dc_real)(kind == STRIP ? -y : up * sin(TILT) + out * cos(TILT));
    }
}

/* Inner vertices are jittered, so that no straight line of edges is left to fold along. */
static int make_shape(sim_shape *shape, const scene *s, failure *why)
{
    dc_shape_desc desc = dc_shape_defaults(DC_SHAPE_GRID);
    desc.columns = s->columns;
    desc.rows = s->rows;
    desc.height = (dc_real)s->height;
    desc.jitter = (dc_real)0.2;
    if (!sim_shape_build(shape, &desc, why)) return 0;
    place(shape, s == &scenes[STRIP] ? STRIP : DRAPE);
    return 1;
}

static int open_trial(const trial *t, const sim_shape *shape, sim *s, dc_error *error, failure *why)
{
    const scene *of = &scenes[t->scene];
    const dc_index line = of->columns + 1;
    const dc_index pins[2] = {line * of->rows, line * of->rows + of->columns};
    dc_clamp_desc clamps[CLAMPS_MAX];
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc world = dc_world_defaults();
    dc_index i;
    for (i = 0; i < of->rows && i < CLAMPS_MAX; i++) {
        clamps[i].vertex0 = i * line;
        clamps[i].vertex1 = (i + 1) * line;
    }
    cloth.mesh = shape->mesh;
    cloth.pin_vertices = pins;
    cloth.pin_count = t->scene == DRAPE ? 2 : 0;
    cloth.clamps = clamps;
    cloth.clamp_count = t->scene == STRIP ? of->rows : 0;
    cloth.element = t->element;
    cloth.projection = t->projection;
    cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER; /* it is to come to rest */
    cloth.tolerance = (dc_real)t->tolerance;
    cloth.bending = (dc_real)of->bending;
    cloth.bending_damping = (dc_real)of->damping;
    cloth.drag_normal = (dc_real)of->drag;
    world.cloths = &cloth;
    world.cloth_count = 1;
    return sim_open(s, &world, error, why);
}

/* ---- Pictures ---- */

static int draw(const trial *t, const sim_shape *shape, const sim *s, int is_locked, image *picture,
                failure *why)
{
    static const render_colour front = {.12, .53, .62}, back = {.95, .72, .42};
    static const image_colour ink = {50, 56, 66};
    const dc_vec3 drape = {0, (dc_real)-0.58, 0}, strip = {(dc_real)0.45, (dc_real)-0.25, 0};
    render_scene view = render_scene_defaults();
    render_material material = render_cloth(front, back);
    render_mesh mesh = {0};
    image tile = {0};
    int x = t->tile % TILES_WIDE * TILE, y = t->tile / TILES_WIDE * TILE;
    int is_drawn;
    mesh.vertex_count = shape->mesh.vertex_count;
    mesh.triangle_count = shape->mesh.triangle_count;
    mesh.positions = dc_cloth_positions(s->world, 0);
    mesh.triangles = shape->triangles;
    material.edge_width = 1;
    render_aim(&view, t->scene == DRAPE ? drape : strip, t->scene == DRAPE ? 3 : 2.9, 22, 12);
    view.ground = t->scene == DRAPE ? -1.1 : -0.75;
    view.samples = 3;
    render_add_mesh(&view, mesh, material);
    is_drawn = image_init(&tile, TILE, TILE, why) && render_draw(&view, &tile, why);
    if (is_drawn) {
        image_paste(picture, x, y, &tile, 1);
        image_text(picture, x + 14, y + 14, 2, ink,
                   t->element == DC_ELEMENT_CONFORMING ? "conforming" : "nonconforming");
        if (is_locked) image_text(picture, x + 14, y + 36, 2, ink, "locked: no step was found");
    }
    image_free(&tile);
    return is_drawn;
}

/* ---- Runs ---- */

/* Steps until the time is over. Returns 0 if a step failed. */
static int run(const trial *t, const sim *s)
{
    int step, count = (int)(scenes[t->scene].time / t->dt + 0.5);
    for (step = 0; step < count; step++)
        if (dc_world_step(s->world, (dc_real)t->dt, NULL, NULL) != DC_OK) return 0;
    return 1;
}

/* Mean of the free end's vertices. */
static dc_vec3 strip_tip(const sim *s)
{
    const dc_index line = scenes[STRIP].columns + 1, count = scenes[STRIP].rows + 1;
    const dc_vec3 *x = dc_cloth_positions(s->world, 0);
    dc_vec3 tip = {0, 0, 0};
    dc_index i;
    for (i = 0; i < count; i++) {
        tip.x += x[line * (i + 1) - 1].x / (dc_real)count;
        tip.y += x[line * (i + 1) - 1].y / (dc_real)count;
    }
    return tip;
}

/* The middle of the upper border of the drape, between the pins. */
static double drape_sag(const sim *s)
{
    dc_index middle = scenes[DRAPE].rows * (scenes[DRAPE].columns + 1) + scenes[DRAPE].columns / 2;
    return -(double)dc_cloth_positions(s->world, 0)[middle].y;
}

static void print_kind(const trial *t)
{
    printf("%-6s %-14s %8.0e   ", scenes[t->scene].name,
           t->element == DC_ELEMENT_CONFORMING ? "conforming" : "nonconforming", t->tolerance);
}

static void print_result(const trial *t, const sim *s, int is_locked)
{
    if (is_locked)
        printf("locked: the step from %.2f s failed\n", (double)dc_world_time(s->world));
    else if (t->scene == STRIP)
        printf("tip at x = %.3f m, %.3f m down\n", (double)strip_tip(s).x, -(double)strip_tip(s).y);
    else
        printf("border sags %.3f m between the pins\n", drape_sag(s));
}

static int run_open_trial(const trial *t, const sim_shape *shape, sim *s, image *picture,
                          failure *why)
{
    int is_locked = !run(t, s);
    print_result(t, s, is_locked);
    return t->tile < 0 || draw(t, shape, s, is_locked, picture, why);
}

/* In single precision positions cannot keep lengths to the tight tolerance; then there is no run. */
static int run_trial(const trial *t, image *picture, failure *why)
{
    sim_shape shape = {0};
    sim s = {0};
    dc_error error = {0};
    int is_fine = make_shape(&shape, &scenes[t->scene], why);
    if (is_fine) {
        print_kind(t);
        is_fine = open_trial(t, &shape, &s, &error, why);
        if (is_fine)
            is_fine = run_open_trial(t, &shape, &s, picture, why);
        else if (error.status == DC_NOT_CONVERGED)
            is_fine = printf("cannot start: the tolerance is below the precision\n") > 0;
    }
    sim_close(&s);
    sim_shape_free(&shape);
    return is_fine;
}

int main(void)
{
    image picture = {0};
    failure why;
    int i, is_fine = files_make_directory("out/04_locking", &why) &&
                     image_init(&picture, TILES_WIDE * TILE, TILES_HIGH * TILE, &why);
    printf("scene  element       tolerance   result\n");
    printf("strip  exact                 0   tip at x = %.3f m, %.3f m down\n", EXACT_X,
           EXACT_DROP);
    for (i = 0; is_fine && i < TRIALS; i++) is_fine = run_trial(&trials[i], &picture, &why);
    is_fine = is_fine && png_write("out/04_locking/locking.png", &picture, &why);
    if (is_fine)
        printf("wrote out/04_locking/locking.png\n");
    else
        fprintf(stderr, "04_locking: %s\n", why.text);
    image_free(&picture);
    return is_fine ? 0 : 1;
}
