/*
 * 05_threads.c - two worlds on two threads, bit for bit as one after the other
 *
 * What one will see: how high the middle of the free border of two hanging sheets is after forty
 * steps. Each sheet is a world of its own, and worlds share nothing. They are stepped one after the
 * other, then both at the same time, and all vertices agree in every bit. How long both ways took
 * goes to stderr: on two idle cores the second takes half as long.
 */
#define _POSIX_C_SOURCE 200112L /* clock_gettime */
#include "../devcloth.h"
#include "common/pool.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CELLS = 32, PINS = 2, STEPS = 40, THREADS = 2, SHEETS = 2 };
static const dc_real DT = (dc_real)0.002; /* [s] */

typedef struct sheet {
    dc_vec3 positions[DC_GRID_VERTICES(CELLS, CELLS)], end[DC_GRID_VERTICES(CELLS, CELLS)];
    dc_index triangles[3 * DC_GRID_TRIANGLES(CELLS, CELLS)];
    unsigned char memory[DC_GRID_BYTES(CELLS, CELLS, PINS)];
    dc_error error;
} sheet;

static sheet sheets[2][SHEETS]; /* one after the other, at the same time */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The task of a thread: makes a world with one sheet, and steps it. The first sheet hangs by both
   corners of a border, the second by a corner and the middle. */
static void simulate(void *context, dc_index i)
{
    sheet *s = (sheet *)context + i;
    const dc_index corner = CELLS * (CELLS + 1), pins[PINS] = {corner, corner + CELLS / (i + 1)};
    dc_shape_desc shape = dc_shape_defaults(DC_SHAPE_GRID);
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    dc_plan plan;
    dc_world *world;
    int v, step;

    shape.columns = shape.rows = CELLS;
    if (dc_shape_build(&shape, s->positions, s->triangles, NULL, &cloth.mesh, &s->error) != DC_OK)
        return;
    for (v = 0; v < cloth.mesh.vertex_count; v++) { /* it comes upright; lay it down */
        s->positions[v].z = -s->positions[v].y;
        s->positions[v].y = 0;
    }
    cloth.pin_vertices = pins;
    cloth.pin_count = PINS;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    if (dc_world_plan(&desc, s->memory, sizeof s->memory, &plan, &s->error) != DC_OK ||
        dc_world_init(&plan, &world, &s->error) != DC_OK)
        return;
    for (step = 0; step < STEPS; step++)
        if (dc_world_step(world, DT, NULL, &s->error) != DC_OK) return;
    memcpy(s->end, dc_cloth_positions(world, 0), sizeof s->end);
}

int main(void)
{
    pool threads;
    double start[3];
    int i, k, is_same = 1;

    pool_open(&threads, THREADS);
    start[0] = seconds();
    for (i = 0; i < SHEETS; i++) simulate(sheets[0], i);
    start[1] = seconds();
    pool_run(&threads, SHEETS, simulate, sheets[1]);
    start[2] = seconds();
    pool_close(&threads);
    for (i = 0; i < SHEETS; i++) {
        for (k = 0; k < 2; k++) {
            const dc_error *error = &sheets[k][i].error;
            if (error->status == DC_OK) continue;
            fprintf(stderr, "05_threads: %s: %s\n", error->where, error->what);
            return 1;
        }
        printf("sheet %d: free border at height %.6f m\n", i, (double)sheets[0][i].end[CELLS / 2].y);
        if (memcmp(sheets[0][i].end, sheets[1][i].end, sizeof sheets[0][i].end) != 0) is_same = 0;
    }
    fprintf(stderr, "one after the other: %.2f s; with %d threads: %.2f s\n", start[1] - start[0],
            threads.thread_count, start[2] - start[1]);
    printf("%d worlds, %s\n", SHEETS,
           is_same ? "the same in every bit on threads" : "and not the same bits on threads");
    return is_same ? 0 : 1;
}
