/*
 * turning.c - the moving picture of the README: a sheet falls on a ball, and the ball turns
 *
 *     make examples/pictures/turning.png
 *
 * The sheet is that of the scene `turning`; the ball turns sooner and faster here.
 */
#include "../common/png.h"
#include "../common/render.h"
#include "../common/scenes.h"
#include "../common/vec.h"

#include <stdio.h>

enum {
    CELLS = 36,
    FRAMES = 42, /* that move; */
    STILL = 6,   /* then the last one stays */
    DELAY = 40,  /* [ms] from each to the next */
    WIDTH = 320,
    HEIGHT = 240, /* [pixel] of a frame */
    FACTOR = 2    /* by which frames are smaller than what is rendered */
};

/* [s] when the ball starts to turn and has its speed; [rad/s] */
static const double START = 0.45, FULL = 1, SPEED = 8;

/* All that happens until the next frame. */
static int advance(scene *s, failure *why)
{
    int steps = (int)(1e-3 * DELAY / s->kind->dt + 0.5);
    for (; steps > 0; steps--) {
        double time = (double)dc_world_time(s->world) + s->kind->dt;
        dc_vec3 spin = vec_make(0, SPEED * vec_blend(START, FULL, time), 0);
        dc_error error;
        dc_obstacle_move(s->world, s->cloth_count, s->obstacle[0].point, spin, NULL);
        if (dc_world_step(s->world, (dc_real)s->kind->dt, NULL, &error) != DC_OK)
            return sim_failure(why, &error);
    }
    return 1;
}

static int draw(const scene *s, image *picture, failure *why)
{
    static const render_colour front = {.12, .53, .62}, back = {.95, .72, .42},
                               stone = {.62, .60, .58};
    const dc_mesh *surface = dc_body_mesh(s->world, 0);
    dc_vec3 ball = s->obstacle[0].point[0];
    render_scene view = render_scene_defaults();
    render_mesh mesh = {
        surface->vertex_count, surface->triangle_count, NULL, surface->triangles, NULL, 0};
    mesh.positions = dc_body_positions(s->world, 0);
    render_aim(&view, vec_make(0, 0.22, 0), 2.45, 28, 16);
    render_add_capsule(&view, ball, ball, (double)s->obstacle[0].radius, render_solid(stone));
    render_add_mesh(&view, mesh, render_cloth(front, back));
    return render_draw(&view, picture, why);
}

int main(int argc, char **argv)
{
    image frame[FRAMES + STILL], large;
    failure why;
    scene s;
    int k, ok;
    if (argc != 2) {
        fprintf(stderr, "turning PICTURE.png\n");
        return 2;
    }
    ok = image_init(&large, FACTOR * WIDTH, FACTOR * HEIGHT, &why) &&
         scene_open(&s, "turning", CELLS, &why);
    for (k = 0; ok && k < FRAMES; k++) {
        ok = (k == 0 || advance(&s, &why)) && draw(&s, &large, &why) &&
             image_init(&frame[k], WIDTH, HEIGHT, &why);
        if (ok) image_paste(&frame[k], 0, 0, &large, FACTOR);
    }
    for (; ok && k < FRAMES + STILL; k++) frame[k] = frame[FRAMES - 1];
    ok = ok && png_write_frames(argv[1], frame, k, DELAY, &why);
    if (!ok) fprintf(stderr, "turning: %s\n", why.text);
    return !ok;
}
