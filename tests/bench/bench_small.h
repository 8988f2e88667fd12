/* frame.small: small steps, a sheet of 30 x 30 vertices in frames of a 60th of a second: hung by two
   corners, with these drawn together, and on a ball, there with its own contact and every frame
   proved. Likewise frame.exact, in four steps a frame, and on the ball XPBD with 20 sub-steps. */
#ifndef BENCH_SMALL_H
#define BENCH_SMALL_H

#include "xpbd.h"

enum { SMALL_CELLS = 29, SMALL_FRAMES = 300, SMALL_LANDED = 60, SMALL_RESTS = 200 };
enum { SMALL_VERTICES = DC_GRID_VERTICES(SMALL_CELLS, SMALL_CELLS) };

typedef struct bench_small_scene {
    dc_vec3 x[SMALL_VERTICES];
    dc_index triangles[3 * DC_GRID_TRIANGLES(SMALL_CELLS, SMALL_CELLS)], pins[2];
    dc_cloth_desc cloth;
    dc_obstacle_desc ball;
    dc_world_desc world;
} bench_small_scene;

/* Upright and pinned, with waves of 1 mm that folds begin with; or level, above the ball. */
static void bench_small_open(bench_small_scene *s, dc_step step, int has_ball, int has_waves)
{
    int v;
    s->cloth = dc_cloth_defaults();
    s->cloth.step = step;
    s->cloth.drag_normal = (dc_real)0.1;
    s->cloth.mesh =
        dc_grid(SMALL_CELLS, SMALL_CELLS, 1, 1, DC_DIAGONALS_FORWARD, s->x, s->triangles);
    for (v = 0; v < SMALL_VERTICES; v++) {
        double x = (double)s->x[v].x - 0.5, y = (double)s->x[v].y - 0.5;
        s->x[v] = has_ball ? vec_make(x, 0.56, -y) : vec_make(x, y, has_waves * 1e-3 * sin(40 * x));
    }
    s->pins[0] = SMALL_VERTICES - 1 - SMALL_CELLS;
    s->pins[1] = SMALL_VERTICES - 1;
    s->cloth.pin_vertices = s->pins;
    s->cloth.pin_count = has_ball ? 0 : 2;
    s->ball = dc_obstacle_defaults();
    s->ball.kind = DC_OBSTACLE_SPHERE;
    s->ball.radius = (dc_real)0.25;
    s->ball.point[0] = vec_make(0.01, 0.3, 0.013);
    s->world = dc_world_defaults();
    s->world.cloths = &s->cloth;
    s->world.cloth_count = 1;
    s->world.obstacles = &s->ball;
    s->world.obstacle_count = s->world.collides = has_ball;
}

/* Frames, of which each takes seconds[]; if `draws`, the pins come together to .8 m in the first
   second. Returns the root mean square of the strain of triangles' sides over the last third. */
static double bench_small_run(bench_small_scene *s, int draws, double *seconds, int *uncertified)
{
    int frame, frames = bench_steps(SMALL_FRAMES);
    int steps = s->cloth.step == DC_STEP_SMALL ? 1 : FRAME_STEPS, step;
    double strain_sq = 0;
    failure why;
    dc_error error;
    sim world;
    *uncertified = 0;
    bench_check("small", sim_open(&world, &s->world, &error, &why), &why);
    for (frame = 0; frame < frames; frame++) {
        double start = bench_busy(), in = 0.1 * (frame + 1) / XPBD_FPS;
        dc_report report;
        for (int k = 0; draws && frame < XPBD_FPS && k < 2; k++)
            dc_cloth_set_pin(world.world, 0, k, vec_make(k ? 0.5 - in : in - 0.5, 0.5, 0), NULL);
        for (step = 0; step < steps; step++)
            if (dc_world_step(world.world, DCI_R(1) / (dc_real)(XPBD_FPS * steps), &report,
                              &error) != DC_OK)
                bench_fail("small", &error);
        seconds[frame] = bench_busy() - start;
        *uncertified += s->world.collides && !report.is_certified;
        if (frame >= SMALL_RESTS) strain_sq += (double)(report.strain_rms * report.strain_rms);
    }
    sim_close(&world);
    return sqrt(strain_sq / (SMALL_FRAMES - SMALL_RESTS));
}

static void bench_small_hung(const char *name, dc_step step, double sub_step, int draws)
{
    static bench_small_scene s;
    double seconds[SMALL_FRAMES], strain;
    int unused;
    bench_small_open(&s, step, 0, draws);
    s.cloth.sub_step = (dc_real)sub_step;
    strain = bench_small_run(&s, draws, seconds, &unused);
    bench_metric(name, "seconds", bench_median(seconds, bench_steps(SMALL_FRAMES)), "s/frame");
    if (step == DC_STEP_SMALL) bench_metric(name, "strain_rms", strain, "relative");
}

/* Returns the time of a frame at rest. */
static double bench_small_ball(const char *name, dc_step step)
{
    static bench_small_scene s;
    double seconds[SMALL_FRAMES], strain, rest;
    int uncertified;
    bench_small_open(&s, step, 1, 0);
    strain = bench_small_run(&s, 0, seconds, &uncertified);
    bench_metric(name, "landing", bench_mean(seconds, SMALL_LANDED), "s/frame");
    rest = bench_median(seconds + SMALL_RESTS, SMALL_FRAMES - SMALL_RESTS);
    bench_metric(name, "rest", rest, "s/frame");
    (void)bench_median(seconds, SMALL_LANDED); /* sorts them */
    bench_metric(name, "longest", seconds[SMALL_LANDED - 1], "s/frame");
    if (step == DC_STEP_SMALL) bench_metric(name, "strain_rms", strain, "relative");
    bench_metric(name, "uncertified", uncertified, "frames");
    return rest;
}

static double bench_small_xpbd(void)
{
    static bench_small_scene s;
    double seconds[SMALL_FRAMES];
    int frame;
    xpbd peer;
    bench_small_open(&s, DC_STEP_SMALL, 1, 0);
    xpbd_open(&peer, &s.cloth, s.world.gravity, &s.ball, 1);
    for (frame = 0; frame < SMALL_FRAMES; frame++) {
        double start = bench_busy();
        xpbd_frame(&peer, 20);
        seconds[frame] = bench_busy() - start;
    }
    xpbd_close(&peer);
    return bench_median(seconds + SMALL_RESTS, SMALL_FRAMES - SMALL_RESTS);
}

static void bench_small_steps(void)
{
    double rest;
    bench_small_hung("frame.small.hung", DC_STEP_SMALL, 1.0 / 480, 0);
    bench_small_hung("frame.exact.hung", DC_STEP_EXACT, 0, 0);
    bench_small_hung("frame.small.folds", DC_STEP_SMALL, 0, 1);
    bench_small_hung("frame.exact.folds", DC_STEP_EXACT, 0, 1);
    rest = bench_small_ball("frame.small.ball", DC_STEP_SMALL);
    bench_metric("frame.small.ball", "over_xpbd20", rest / bench_small_xpbd(), "x");
    (void)bench_small_ball("frame.exact.ball", DC_STEP_EXACT);
}

#endif
