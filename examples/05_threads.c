/*
 * 05_threads.c - five capes on two threads, bit for bit as on one
 *
 * What one will see: where the hem of each cape is, half a second after it was dropped on the back of
 * a figure that walks. The capes do not touch each other, so a world can solve several at the same
 * time, on threads that it is lent. Two worlds take the same steps, one without threads, and all
 * vertices agree in every bit. How long both took goes to stderr. Five capes of equal work could be
 * at most 5/3 times as fast on two idle cores, as one thread has three of them.
 */
#define _POSIX_C_SOURCE 200112L /* clock_gettime */
#include "../devcloth.h"
#include "common/figure.h"
#include "common/pool.h"
#include "common/sim.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CELLS = 20, PINS = 3, CAPES = 5, STEPS = 60, THREADS = 2 };
enum { VERTICES = DC_GRID_VERTICES(CELLS, CELLS), OBSTACLES = CAPES * FIGURE_PARTS };
static const double DT = 1.0 / 120;   /* [s] */
static const double APART = 1.2;      /* [m] between two figures */
static const double ARMS_DOWN = 0.22; /* [rad] */
static const dc_index PIN[PINS] = {VERTICES - 1 - CELLS, VERTICES - 1 - CELLS / 2, VERTICES - 1};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The world's parallel_for. */
static void on_pool(void *context, dc_index count, dc_task task, void *task_context)
{
    pool_run((pool *)context, count, task, task_context);
}

/* ---- A figure and its cape ---- */

/* The parts of figure i, where they are at a time; it starts to walk a little after the one before. */
static figure_posture place_figure(int i, double time, figure_part part[FIGURE_PARTS])
{
    figure_posture posture = figure_at(time, 0.1 * i, ARMS_DOWN, ARMS_DOWN);
    int k, end;
    figure_place(&posture, part);
    for (k = 0; k < FIGURE_PARTS; k++)
        for (end = 0; end < 2; end++) part[k].end[end].x += (dc_real)(APART * i);
    return posture;
}

/* Held behind the neck; the rest is level at first, and drops. */
static dc_vec3 place_pin(int k)
{
    return vec_make(0.25 * (k - 1), 1.435, -0.06);
}

static int make_cape(int i, sim_shape *shape, dc_cloth_desc *cloth, failure *why)
{
    shape_desc desc = shape_defaults(SHAPE_GRID);
    dc_vec3 pin = place_pin(1);
    dc_index v;
    desc.columns = desc.rows = CELLS;
    desc.width = (dc_real)0.5;
    desc.height = (dc_real)0.9;
    if (!sim_shape_build(shape, &desc, why)) return 0;
    for (v = 0; v < VERTICES; v++) { /* it comes upright */
        dc_vec3 *p = &shape->positions[v];
        *p = vec_make(p->x - desc.width / 2 + APART * i, pin.y, pin.z + p->y - desc.height);
    }
    *cloth = dc_cloth_defaults();
    cloth->mesh = shape->mesh;
    cloth->pin_vertices = PIN;
    cloth->pin_count = PINS;
    cloth->drag_normal = (dc_real)0.4;
    return 1;
}

static void make_figure(int i, dc_obstacle_desc *obstacle)
{
    figure_part part[FIGURE_PARTS];
    int k;
    (void)place_figure(i, 0, part);
    for (k = 0; k < FIGURE_PARTS; k++) {
        obstacle[k] = dc_obstacle_defaults();
        obstacle[k].kind = DC_OBSTACLE_CAPSULE;
        memcpy(obstacle[k].point, part[k].end, sizeof part[k].end);
        obstacle[k].radius = (dc_real)part[k].radius;
    }
}

/* ---- The worlds ---- */

/* The step that ends at this time. No target is refused: all are finite. */
static int walk(dc_world *world, double time, failure *why)
{
    dc_error error;
    int i, k;
    for (i = 0; i < CAPES; i++) {
        figure_part part[FIGURE_PARTS];
        figure_posture posture = place_figure(i, time, part);
        for (k = 0; k < FIGURE_PARTS; k++)
            dc_obstacle_move(world, CAPES + i * FIGURE_PARTS + k, part[k].end, vec_make(0, 0, 0),
                             NULL);
        for (k = 0; k < PINS; k++) {
            dc_vec3 target = figure_carry(&posture, place_pin(k));
            target.x += (dc_real)(APART * i);
            dc_cloth_set_pin(world, i, k, target, NULL);
        }
    }
    return dc_world_step(world, (dc_real)DT, NULL, &error) == DC_OK || sim_failure(why, &error);
}

/* Makes a world without threads and one with them. */
static int make_worlds(sim sims[2], pool *threads, failure *why)
{
    static dc_cloth_desc cloths[CAPES];
    static dc_obstacle_desc obstacles[OBSTACLES];
    static sim_shape shapes[CAPES];
    dc_world_desc desc = dc_world_defaults();
    int i;
    for (i = 0; i < CAPES; i++) {
        if (!make_cape(i, shapes + i, cloths + i, why)) return 0;
        make_figure(i, obstacles + i * FIGURE_PARTS);
    }
    desc.cloths = cloths;
    desc.cloth_count = CAPES;
    desc.obstacles = obstacles;
    desc.obstacle_count = OBSTACLES;
    desc.collides = 1;
    if (!sim_open(sims, &desc, NULL, why)) return 0;
    desc.parallel_for = on_pool;
    desc.parallel_context = threads;
    if (!sim_open(sims + 1, &desc, NULL, why)) return 0;
    for (i = 0; i < CAPES; i++) sim_shape_free(shapes + i);
    return 1;
}

/* Steps both in turn, so that what else the machine does slows both down. */
static int run(sim sims[2], double took[2], failure *why)
{
    int step, k;
    for (step = 1; step <= STEPS; step++)
        for (k = 0; k < 2; k++) {
            double start = seconds();
            if (!walk(sims[k].world, DT * step, why)) return 0;
            took[k] += seconds() - start;
        }
    return 1;
}

int main(void)
{
    pool threads;
    sim sims[2];
    double took[2] = {0, 0};
    failure why;
    int i, k, is_same = 1;
    pool_open(&threads, THREADS);
    if (!make_worlds(sims, &threads, &why) || !run(sims, took, &why)) {
        fprintf(stderr, "05_threads: %s\n", why.text);
        return 1;
    }
    for (i = 0; i < CAPES; i++) {
        const dc_vec3 *end[2];
        for (k = 0; k < 2; k++) end[k] = dc_body_positions(sims[k].world, i);
        printf("cape %d: hem at height %.6f m\n", i, (double)end[0][CELLS / 2].y);
        if (memcmp(end[0], end[1], VERTICES * sizeof *end[0]) != 0) is_same = 0;
    }
    fprintf(stderr, "on one thread: %.2f s; on %d: %.2f s, %.2f times as fast\n", took[0],
            threads.thread_count, took[1], took[0] / took[1]);
    printf("%d capes, %s\n", CAPES,
           is_same ? "the same in every bit on threads" : "and not the same bits on threads");
    for (k = 0; k < 2; k++) sim_close(sims + k);
    pool_close(&threads);
    return is_same ? 0 : 1;
}
