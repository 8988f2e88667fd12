/*
 * papers.c - a picture of the figures that the programs of examples/papers run again
 *
 *     make papers && make examples/pictures/papers.png
 *
 * Reads what they wrote to out/, and draws it as one sheet, with captions.
 */
#define DEVCLOTH_STATIC
#define DEVCLOTH_IMPLEMENTATION
#include "../../devcloth.h"
#include "../common/obj.h"
#include "../common/png.h"
#include "../common/render.h"

#include <math.h>
#include <stdio.h>

enum { COLUMNS = 4, ROWS = 4, WIDTH = 300, HEIGHT = 225 };

typedef struct tile {
    const char *name, *caption;
    double ball;       /* [m] radius of one at the origin, or 0         */
    int is_z_up;       /* [CT10] hangs along z                          */
    double turn, rise; /* of the camera [degree]                     */
} tile;

static const tile tiles[ROWS * COLUMNS] = {
    {"eb08_hung", "EB08 fig. 3: pinned at two corners", 0, 0, 30, 15},
    {"eb08_hung_parts", "EB08: the triangles simulated", 0, 0, 30, 15},
    {"eb08_ball", "EB08 fig. 9: a sheet on a ball", 0.3, 0, 30, 20},
    {"ct10_I.b", "CT10 I.b: three points lifted", 0, 1, 30, 25},
    {"wan12_ball_staggered", "Wan12 fig. 4.1: staggered", 0.25, 0, 30, 10},
    {"wan12_ball", "Wan12 fig. 4.1: simultaneous", 0.25, 0, 30, 10},
    {"wan12_curl", "Wan12 (3.8): rest shape a cylinder", 0, 0, 30, 20},
    {"ct10_I.f", "CT10 I.f: held at its middle", 0, 1, 30, 25},
    {"phb15_twist_never", "PHB15 fig. 4: creases do not move", 0, 0, 30, 20},
    {"phb15_twist_seldom", "PHB15 fig. 4: each fifth step", 0, 0, 30, 20},
    {"phb15_twist", "PHB15 fig. 4: each step", 0, 0, 30, 20},
    {"phb15_moebius", "PHB15 fig. 5: a Moebius band", 0, 0, 40, 25},
    {"phb15_unroll", "PHB15 fig. 8: h = .01 s", 0, 0, 40, 10},
    {"phb15_unroll_long", "PHB15 fig. 8: h = .05 s", 0, 0, 40, 10},
    {"phb15_fall_0", "PHB15 fig. 6: K = 0", 0, 0, 40, 20},
    {"phb15_fall_100", "PHB15 fig. 6: K = 100", 0, 0, 40, 20}};

/* Fills the frame with the mesh. */
static int draw(const tile *t, image *picture, failure *why)
{
    static const render_colour orange = {.8, .3, .2}, blue = {.2, .4, .7}, grey = {.6, .6, .6};
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    render_scene scene = render_scene_defaults();
    render_material cloth = render_cloth(orange, blue);
    dc_vec3 middle, origin = {0, 0, 0};
    render_mesh mesh;
    obj_mesh read;
    char path[80];
    dc_index v;
    int k, ok;
    snprintf(path, sizeof path, "out/%s.obj", t->name);
    if (!obj_read(path, &read, why)) return 0;
    for (v = 0; v < read.vertex_count; v++) {
        dc_vec3 *p = read.positions + v;
        double y = p->y;
        if (t->is_z_up) p->y = p->z, p->z = -y;
        for (k = 0; k < 3; k++) {
            low[k] = fmin(low[k], (&p->x)[k]);
            high[k] = fmax(high[k], (&p->x)[k]);
        }
    }
    middle.x = (low[0] + high[0]) / 2;
    middle.y = (low[1] + high[1]) / 2;
    middle.z = (low[2] + high[2]) / 2;
    scene.ground = t->ball > 0 ? fmin(low[1], -t->ball) : low[1] - 1e-3;
    render_aim(
        &scene, middle,
        1.8 * sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2)),
        t->turn, t->rise);
    mesh.vertex_count = read.vertex_count;
    mesh.triangle_count = read.triangle_count;
    mesh.positions = read.positions;
    mesh.triangles = read.triangles;
    mesh.values = NULL;
    mesh.value_max = 0;
    cloth.edge_width = 0.7;
    render_add_mesh(&scene, mesh, cloth);
    if (t->ball > 0) render_add_capsule(&scene, origin, origin, t->ball, render_solid(grey));
    ok = render_draw(&scene, picture, why);
    obj_free(&read);
    return ok;
}

int main(int argc, char **argv)
{
    static const image_colour ink = {40, 40, 40};
    image sheet, picture;
    failure why;
    int k, ok;
    if (argc != 2) {
        fprintf(stderr, "papers PICTURE.png\n");
        return 2;
    }
    ok = image_init(&sheet, COLUMNS * WIDTH, ROWS * HEIGHT, &why);
    for (k = 0; ok && k < ROWS * COLUMNS; k++) {
        int x = k % COLUMNS * WIDTH, y = k / COLUMNS * HEIGHT;
        ok = image_init(&picture, 2 * WIDTH, 2 * HEIGHT, &why) && draw(tiles + k, &picture, &why);
        if (!ok) break;
        image_paste(&sheet, x, y, &picture, 2);
        image_text(&sheet, x + 8, y + 8, 1, ink, tiles[k].caption);
        image_free(&picture);
    }
    ok = ok && png_write(argv[1], &sheet, &why);
    if (!ok) fprintf(stderr, "papers: %s\n", why.text);
    return !ok;
}
