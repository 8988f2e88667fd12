/*
 * scenes.c - the scenes of the page: the one file to change for another scene
 *
 * A scene is a row of the table at the end: a name, a title, a sentence, where the sliders start,
 * the camera, and two functions. `build` describes cloths, ribbons and obstacles (page.h), in
 * metres, with y up. `drive` moves them in time. README.md goes through it step by step.
 */
#include "page.h"

#include "../common/figure.h"
#include "rail.h"
#include "vertices.h"

/* ---- Where a sheet starts ---- */

/* Lays a sheet down around (0, y, 0), turned about y. */
static void lay_down(page_cloth *cloth, double side, double y, double turn)
{
    dc_index v;
    for (v = 0; v < cloth->desc.mesh.vertex_count; v++) {
        dc_vec2 flat = cloth->flat[v];
        dc_vec3 at = vec_make((double)flat.x - side / 2, y, side / 2 - (double)flat.y);
        cloth->positions[v] = vec_turn_y(at, turn);
    }
}

/* Part of a cylinder, sagging between its upper corners near (x - .5, 0, 0) and (x + .5, 0, 0),
   tilted forward by `tilt` [rad]. */
static void hang_arc(page_cloth *cloth, double x, double tilt)
{
    const double half = 0.65, radius = 0.5 / half; /* [rad] of the arc, [m] */
    dc_index v;
    for (v = 0; v < cloth->desc.mesh.vertex_count; v++) {
        double angle = (2 * (double)cloth->flat[v].x - 1) * half;
        double up = radius * (vec_cos(half) - vec_cos(angle)), out = 1 - (double)cloth->flat[v].y;
        cloth->positions[v] =
            vec_make(x + radius * vec_sin(angle), up * vec_cos(tilt) - out * vec_sin(tilt),
                     up * vec_sin(tilt) + out * vec_cos(tilt));
    }
}

/* A sheet of 1 m that hangs from two corners. */
static page_cloth *hang_sheet(page *p, const char *label, double x, double tilt)
{
    int cells = (int)p->setting[PAGE_CELLS];
    page_cloth *cloth = page_add_sheet(p, label, cells, cells, 1, 1);
    if (!cloth) return NULL;
    hang_arc(cloth, x, tilt);
    page_add_pin(p, cloth, cells * (cells + 1));
    page_add_pin(p, cloth, cells * (cells + 1) + cells);
    return cloth;
}

/* ---- hung ---- */

static void build_hung(page *p)
{
    page_cloth *cloth = hang_sheet(p, "sheet", 0, 0.5);
    if (!cloth) return;
    cloth->desc.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    cloth->desc.tolerance = (dc_real)1e-3;
    cloth->desc.solver.residual_tol = 2;
}

/* ---- ball, turning ---- */

static const double BALL_RADIUS = 0.25; /* [m] */

static page_cloth *drop_sheet_on_ball(page *p)
{
    int cells = (int)p->setting[PAGE_CELLS];
    page_cloth *cloth = page_add_sheet(p, "sheet", cells, cells, 1, 1);
    if (!cloth) return NULL;
    lay_down(cloth, 1, 2 * BALL_RADIUS + 0.03, 0.2);
    cloth->desc.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    cloth->desc.solver.residual_tol = 2;
    cloth->desc.thickness = (dc_real)3e-3;
    p->desc.solver.round_max = 2;
    page_add_sphere(p, "ball", vec_make(0, BALL_RADIUS, 0), BALL_RADIUS);
    page_add_floor(p, 0);
    return cloth;
}

static void build_ball(page *p)
{
    drop_sheet_on_ball(p);
}

/* [s] from when to when the ball begins to turn; [rad/s] */
static const double TURN_START = 1, TURN_FULL = 2, TURN_SPEED = 3;

static void drive_turning(page *p, double time)
{
    double speed = TURN_SPEED * vec_blend(TURN_START, TURN_FULL, time);
    dc_vec3 centre = vec_make(0, BALL_RADIUS, 0);
    p->obstacle[0].turned = TURN_SPEED * vec_blend_sum(TURN_START, TURN_FULL, time);
    page_move_obstacle(p, 0, &centre, vec_make(0, speed, 0));
}

/* ---- table ---- */

static void build_table(page *p)
{
    int cells = (int)p->setting[PAGE_CELLS];
    page_cloth *cloth = page_add_sheet(p, "table cloth", cells, cells, 1, 1);
    if (!cloth) return;
    lay_down(cloth, 1, 0.43, 0.3);
    cloth->desc.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    cloth->desc.solver.residual_tol = 2;
    cloth->desc.thickness = (dc_real)5e-3;
    p->desc.solver.round_max = 2;
    page_add_box(p, "table", vec_make(-0.28, 0, -0.28), vec_make(0.28, 0.4, 0.28));
    page_add_floor(p, 0);
}

/* ---- cape ---- */

/* Cut from a ring: radii [m], the angle it spans [rad]. Rolled up to a cone around the neck, it
   spans more. */
static const double CAPE_INNER = 0.14, CAPE_OUTER = 1, CAPE_SPAN = 3.6;
static const double CAPE_SLOPE = 1.22;   /* [rad] between the cone and its axis */
static const double CAPE_HEIGHT = 1.475; /* [m] of the neckline */
static const double WALK_START = 1.5;    /* [s] */
static const double ARMS_DOWN = 0.22;    /* [rad] as they hang */

/* The place on the cone of a point of the ring; the middle of the cape is behind. */
static dc_vec3 roll_cape(double radius, double angle)
{
    double s = vec_sin(CAPE_SLOPE);
    return vec_make(-radius * s * vec_sin(angle / s),
                    CAPE_HEIGHT - (radius - CAPE_INNER) * vec_cos(CAPE_SLOPE),
                    -radius * s * vec_cos(angle / s));
}

/* Columns go around, rows from the hem to the collar, which is pinned. */
static void build_cape(page *p)
{
    int cells = (int)p->setting[PAGE_CELLS], i;
    page_cloth *cloth = page_add_sheet(p, "cape", cells, cells, 1, 1);
    figure_posture posture = figure_at(0, WALK_START, ARMS_DOWN, ARMS_DOWN);
    figure_part part[FIGURE_PARTS];
    dc_index v;
    if (!cloth) return;
    for (v = 0; v < cloth->desc.mesh.vertex_count; v++) {
        double angle = CAPE_SPAN * ((double)cloth->flat[v].x - 0.5);
        double radius = CAPE_OUTER + (CAPE_INNER - CAPE_OUTER) * (double)cloth->flat[v].y;
        cloth->flat[v].x = (dc_real)(-radius * vec_cos(angle));
        cloth->flat[v].y = (dc_real)(radius * vec_sin(angle));
        cloth->positions[v] = roll_cape(radius, angle);
    }
    for (i = 0; i <= cells; i++) page_add_pin(p, cloth, cells * (cells + 1) + i);
    cloth->desc.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    cloth->desc.solver.residual_tol = 2;
    cloth->desc.thickness = (dc_real)5e-3;
    figure_place(&posture, part);
    for (i = 0; i < FIGURE_PARTS; i++)
        page_add_capsule(p, "figure", part[i].end[0], part[i].end[1], part[i].radius);
    page_add_floor(p, 0);
}

static void drive_cape(page *p, double time)
{
    figure_posture posture = figure_at(time, WALK_START, ARMS_DOWN, ARMS_DOWN);
    const page_cloth *cloth = &p->cloth[0];
    figure_part part[FIGURE_PARTS];
    dc_index k;
    posture.forward = 0; /* it walks on the spot, so that it stays in the picture */
    figure_place(&posture, part);
    for (k = 0; k < FIGURE_PARTS; k++) page_move_obstacle(p, k, part[k].end, vec_make(0, 0, 0));
    for (k = 0; k < cloth->desc.pin_count; k++)
        page_move_pin(p, 0, k, figure_carry(&posture, cloth->positions[cloth->pin[k]]));
}

/* ---- strip, moebius ---- */

/* A strip of paper clamped at one end, as in a vice. */
static void build_strip(page *p)
{
    page_ribbon *ribbon = page_add_ribbon(p, "strip", 0.6, 0.06);
    if (!ribbon) return;
    ribbon->desc.is_fixed = 1;
    ribbon->desc.origin = vec_make(-0.25, 0.45, 0);
    ribbon->desc.along = vec_make(1, 0.6, 0.2);
    ribbon->desc.normal = vec_make(-0.6, 1, 0);
    page_add_floor(p, 0);
}

/* A band with half a turn, hung by one point. */
static void build_moebius(page *p)
{
    page_ribbon *ribbon = page_add_ribbon(p, "band", 0.8, 0.06);
    int segments = (int)p->setting[PAGE_CELLS];
    dc_real *creases = page_take(p, segments, sizeof *creases);
    dc_real *angles = page_take(p, segments, sizeof *angles);
    if (!ribbon || !creases || !angles) return;
    ribbon->desc.ends = DC_RIBBON_MOEBIUS;
    ribbon->desc.start_creases = creases;
    ribbon->desc.start_angles = angles;
    ribbon->desc.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    ribbon->is_held[PAGE_GRIPS / 2] = 1;
    dc_ribbon_start(&ribbon->desc, (dc_real)(2 * VEC_PI), (dc_real)0.5, creases, angles, &p->error);
}

/* ---- drape ---- */

/* [s] when the corners are let go. */
static const double DRAPE_FREED = 1.5;

/* Where a sheet over the ball comes to rest when two of its corners are held up. The world starts
   there. */
static void build_drape(page *p)
{
    int cells = (int)p->setting[PAGE_CELLS];
    page_cloth *cloth = drop_sheet_on_ball(p);
    dc_drape_desc desc = dc_drape_defaults();
    dc_anchor_desc anchor[2];
    if (!cloth) return;
    anchor[0] = anchor[1] = dc_anchor_defaults();
    anchor[1].vertex = cells * (cells + 1) + cells;
    anchor[0].target = vec_scale(0.85, cloth->positions[anchor[0].vertex]);
    anchor[1].target = vec_scale(0.85, cloth->positions[anchor[1].vertex]);
    anchor[0].target.y = anchor[1].target.y = (dc_real)0.6;
    desc.anchors = anchor;
    desc.anchor_count = 2;
    page_start_draped(p, cloth, &desc);
}

static void drive_drape(page *p, double time)
{
    if (time < DRAPE_FREED || time - 1 / p->setting[PAGE_RATE] >= DRAPE_FREED) return;
    page_free_pin(p, 0, 0);
    page_free_pin(p, 0, 1);
}

/* ---- locking ---- */

/* Two sheets that hang by the same arc. One has its unknowns at the edge midpoints, as everywhere
   here; the other, which is not the library's, at the vertices. */
static void build_locking(page *p)
{
    page_cloth *cloth = hang_sheet(p, "midpoints", -0.55, 1.2);
    if (!cloth) return;
    vertices_open(p, cloth, "vertices", vec_make(1.1, 0, 0));
}

static void drive_locking(page *p, double time)
{
    (void)time;
    vertices_step(p);
}

/* ---- integrators ---- */

/* Two sheets that swing without air: BDF2 keeps the energy, backward Euler damps it. */
static void build_integrators(page *p)
{
    static const dc_integrator method[2] = {DC_INTEGRATOR_BDF2, DC_INTEGRATOR_BACKWARD_EULER};
    static const char *const label[2] = {"BDF2", "backward Euler"};
    int k;
    for (k = 0; k < 2; k++) {
        page_cloth *cloth = hang_sheet(p, label[k], k == 0 ? -0.55 : 0.55, 0.5);
        if (!cloth) return;
        cloth->desc.integrator = method[k];
        cloth->desc.drag_normal = cloth->desc.drag_tangential = 0;
        cloth->desc.jump_damping = 0;
    }
}

/* ---- rail ---- */

/* A sheet whose upper border follows a curve that hands bend: where it rests, without steps. */
static void build_rail(page *p)
{
    int cells = (int)p->setting[PAGE_CELLS];
    dc_vec3 handle[RAIL_HANDLES];
    page_cloth *cloth = page_add_sheet(p, "sheet", cells, cells, 1, 1);
    if (!cloth) return;
    handle[0] = vec_make(-0.46, 0, 0);
    handle[1] = vec_make(-0.17, 0, 0.15);
    handle[2] = vec_make(0.17, 0, -0.15);
    handle[3] = vec_make(0.46, 0, 0);
    rail_open(p, cloth, cells, handle);
}

static void drive_rail(page *p, double time)
{
    (void)time;
    rail_step(p);
}

/* ---- The table ---- */

/* Sliders: cells, steps a second, bending, friction, wind, gravity. Then the least and the most
   cells, and the camera: its eye and what it looks at. */
/* clang-format off */
const page_scene page_scenes[] = {
    {"hung", "A sheet hung by two corners",
     "It swings, comes to rest, and keeps its lengths: drag it.",
     {29, 60, 200, 0.3, 0, 9.81}, 4, 40, {1, 0, 2.5}, {0, -0.55, 0}, build_hung, NULL},
    {"ball", "A sheet on a ball",
     "Contact is inside the step, so that the sheet comes to lie still.",
     {19, 60, 100, 0.3, 0, 9.81}, 4, 30, {0.8, 0.9, 1.7}, {0, 0.25, 0}, build_ball, NULL},
    {"turning", "A sheet on a turning ball", "Friction carries the sheet along.",
     {15, 60, 100, 0.6, 0, 9.81}, 4, 30, {0.8, 0.9, 1.7}, {0, 0.25, 0}, build_ball, drive_turning},
    {"table", "A table cloth", "A square falls on a box, and folds at its corners.",
     {19, 60, 100, 0.3, 0, 9.81}, 4, 30, {0.9, 1, 1.7}, {0, 0.25, 0}, build_table, NULL},
    {"cape", "A cape on a walking figure",
     "The collar is pinned to a figure of capsules that walks.",
     {15, 120, 50, 0.3, 0, 9.81}, 6, 24, {-1.9, 1.5, -3.1}, {0, 0.85, 0}, build_cape, drive_cape},
    {"strip", "A strip of paper", "It bends along straight rulings, and cannot stretch at all.",
     {30, 120, 1000, 0.3, 0, 9.81}, 8, 60, {0.3, 0.6, 1.2}, {0, 0.3, 0}, build_strip, NULL},
    {"moebius", "A Moebius band",
     "A strip whose ends are joined after half a turn, hung by a point.",
     {40, 120, 200, 0.3, 0, 9.81}, 16, 60, {0.6, 0.2, 0.35}, {0.07, 0, -0.16}, build_moebius, NULL},
    {"drape", "A drape, found at once and let go",
     "Where the sheet comes to rest is found without steps; then its corners are let go.",
     {19, 60, 100, 0.3, 0, 9.81}, 4, 30, {0.8, 0.9, 1.7}, {0, 0.25, 0}, build_drape, drive_drape},
    {"locking", "How a mesh locks",
     "Left, unknowns at the edge midpoints: it drapes. Right, at the vertices: it hangs like tin.",
     {19, 120, 10, 0.3, 0, 9.81}, 6, 24, {0.9, 0.2, 3}, {0, -0.5, 0}, build_locking, drive_locking},
    {"integrators", "BDF2 beside backward Euler",
     "Two sheets swing without air. BDF2, left, keeps the energy; backward Euler damps it.",
     {15, 60, 100, 0.3, 0, 9.81}, 4, 24, {0.9, 0.2, 3}, {0, -0.5, 0}, build_integrators, NULL},
    {"rail", "A sheet on a curve",
     "Drag the points: the upper border stays on the curve, and the sheet keeps its lengths.",
     {20, 240, 300, 0.3, PAGE_UNUSED, 9.81}, 8, 30, {0.8, 0.7, 2.3}, {0, -0.48, 0}, build_rail,
     drive_rail},
};
/* clang-format on */

const int page_scene_count = (int)(sizeof page_scenes / sizeof *page_scenes);
