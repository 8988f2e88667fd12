/* Scenes with a mistake each, in place of scenes.c: the sentence of a row is what the page must say
   when it is opened, or in its first step. */
#include "rail.h"

static page_cloth *add_square(page *p, const char *label)
{
    return page_add_sheet(p, label, 1, 1, 1, 1);
}

static void build_square(page *p)
{
    add_square(p, "square");
}

/* The second sheet stands across the first one, at x = 0.3, with y from 0.1 to 0.9. Its lower and
   upper edge and its diagonal cross the first sheet, whose diagonal crosses it: 4 crossings. */
static void build_crossing(page *p)
{
    page_cloth *across;
    dc_index v;
    add_square(p, "square");
    across = add_square(p, "across");
    if (!across) return;
    for (v = 0; v < across->desc.mesh.vertex_count; v++)
        across->positions[v] =
            vec_make(0.3, 0.1 + 0.8 * (double)across->flat[v].y, 0.4 - (double)across->flat[v].x);
    p->desc.collides = 1;
}

/* A sphere after the mistake does not hide it. */
static void build_many_pins(page *p)
{
    page_cloth *cloth = add_square(p, "square");
    int k;
    if (!cloth) return;
    for (k = 0; k <= PAGE_PINS; k++) page_add_pin(p, cloth, 0);
    page_add_sphere(p, "ball", vec_make(0, -2, 0), 0.5);
}

static void build_pinned(page *p)
{
    page_cloth *cloth = add_square(p, "square");
    if (cloth) page_add_pin(p, cloth, 0);
    page_add_sphere(p, "ball", vec_make(0, -2, 0), 0.5);
}

/* A call without a mistake after the one with it does not hide it. */
static void drive_obstacle(page *p, double time)
{
    dc_vec3 centre = vec_make(0, -2, 0), still = vec_make(0, 0, 0);
    (void)time;
    page_move_obstacle(p, 1, &centre, still);
    page_move_obstacle(p, 0, &centre, still);
}

static void drive_sphere(page *p, double time)
{
    dc_vec3 nowhere = vec_make(0, 0 / (time - time), 0);
    page_move_obstacle(p, 0, &nowhere, vec_make(0, 0, 0));
}

static void drive_cloth(page *p, double time)
{
    (void)time;
    page_free_pin(p, 1, 0);
}

static void drive_pin(page *p, double time)
{
    (void)time;
    page_move_pin(p, 0, 1, vec_make(0, 0, 0));
}

static void drive_target(page *p, double time)
{
    page_move_pin(p, 0, 0, vec_make(0 / (time - time), 0, 0));
    page_move_pin(p, 0, 0, vec_make(0, 0, 0));
}

static void drive_refusal(page *p, double time)
{
    if (time > 0) page_fail(p, "not yet");
}

static void drive_trap(page *p, double time)
{
    (void)p;
    if (time > 0) __builtin_trap();
}

/* The handles are in one place, so that nothing tells where the curve could go. */
static void build_rail(page *p)
{
    page_cloth *cloth = add_square(p, "square");
    dc_vec3 handle[RAIL_HANDLES] = {{0, 0, 0}};
    if (cloth) rail_open(p, cloth, 1, handle);
}

static void build_nothing(page *p)
{
    (void)p;
}

/* clang-format off */
const page_scene page_scenes[] = {
    {"wind", "", "outside its range or off its step; index is its place (index 4, value 6)",
     {4, 60, 100, 0.3, 6, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_square, NULL},
    {"rate", "", "off its step; index is its place (index 1, value 100)",
     {4, 100, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_square, NULL},
    {"cells", "", "off its step; index is its place (index 0, value 9)",
     {9, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_square, NULL},
    {"crossing", "", "value is the number of crossings (value 4, across and square)",
     {4, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_crossing, NULL},
    {"many pins", "", "more pins than PAGE_PINS (index 64)",
     {4, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_many_pins, NULL},
    {"obstacle", "", "there is no obstacle of this number (index 1)",
     {4, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_pinned, drive_obstacle},
    {"sphere", "", "not finite (index 0, ball)",
     {4, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_pinned, drive_sphere},
    {"cloth", "", "there is no cloth of this number (index 1)",
     {4, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_pinned, drive_cloth},
    {"pin", "", "the cloth has no pin of this number (index 1)",
     {4, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_pinned, drive_pin},
    {"target", "", "target is not finite (index 0, square)",
     {4, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_pinned, drive_target},
    {"rail", "", "the curve cannot have the length of the border",
     {4, 60, 100, 0.3, PAGE_UNUSED, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_rail, NULL},
    {"nothing", "", "the world has no body that moves freely",
     {4, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_nothing, NULL},
    {"refusal", "", "not yet",
     {4, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_square, drive_refusal},
    {"trap", "", "unreachable",
     {4, 60, 100, 0.3, 0, 9.81}, 4, 8, {0, 0, 3}, {0, 0, 0}, build_square, drive_trap},
};
/* clang-format on */

const int page_scene_count = (int)(sizeof page_scenes / sizeof *page_scenes);
