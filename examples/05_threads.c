/*
 * 05_threads.c - the factorisations on two threads, bit for bit as on one
 *
 * What one will see: how high the middle of a hanging sheet's border is after forty steps with one
 * thread, the same with two, and that all vertices agree in every bit. How long both took goes to
 * stderr. Only factorisations are shared out, which are a fifth of a step here, so that one with two
 * threads takes nine tenths of the time at best.
 */
#define _POSIX_C_SOURCE 200112L /* clock_gettime */
#include "../devcloth.h"
#include "common/pool.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CELLS = 48, PINS = 2, STEPS = 40, THREADS = 2 };
static const dc_real DT = (dc_real)0.002; /* [s] */

static dc_vec3 positions[DC_GRID_VERTICES(CELLS, CELLS)];
static dc_index triangles[3 * DC_GRID_TRIANGLES(CELLS, CELLS)];
static unsigned char memory[DC_GRID_BYTES(CELLS, CELLS, PINS)];
static dc_vec3 end[2][DC_GRID_VERTICES(CELLS, CELLS)]; /* without threads, with threads */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Simulates the sheet; a pool of NULL: no threads. */
static int simulate(const dc_cloth_desc *cloth, pool *threads, dc_vec3 *result)
{
    dc_world_desc desc = dc_world_defaults();
    dc_plan plan;
    dc_world *world;
    dc_error error;
    double start;
    int step;

    desc.cloths = cloth;
    desc.cloth_count = 1;
    if (threads) {
        desc.parallel_for = pool_run;
        desc.parallel_context = threads;
    }
    if (dc_world_plan(&desc, memory, sizeof memory, &plan, &error) != DC_OK ||
        dc_world_init(&plan, &world, &error) != DC_OK) {
        fprintf(stderr, "05_threads: %s: %s\n", error.where, error.what);
        return 0;
    }
    start = seconds();
    for (step = 0; step < STEPS; step++)
        if (dc_world_step(world, DT, NULL, &error) != DC_OK) {
            fprintf(stderr, "05_threads: %s: %s\n", error.where, error.what);
            return 0;
        }
    memcpy(result, dc_cloth_positions(world, 0), sizeof end[0]);
    fprintf(stderr, "%d thread%s: %.3f s a step\n", threads ? threads->thread_count : 1,
            threads && threads->thread_count > 1 ? "s" : "", (seconds() - start) / STEPS);
    printf("%s threads: free border at height %.6f m\n", threads ? "with" : "without",
           (double)result[CELLS / 2].y);
    return 1;
}

int main(void)
{
    const dc_index pins[PINS] = {CELLS * (CELLS + 1), CELLS * (CELLS + 1) + CELLS};
    dc_shape_desc shape = dc_shape_defaults(DC_SHAPE_GRID);
    dc_cloth_desc cloth = dc_cloth_defaults();
    pool threads;
    int v, is_fine, is_same;

    shape.columns = shape.rows = CELLS;
    if (dc_shape_build(&shape, positions, triangles, NULL, &cloth.mesh, NULL) != DC_OK) return 1;
    for (v = 0; v < cloth.mesh.vertex_count; v++) { /* it comes upright; lay it down */
        positions[v].z = -positions[v].y;
        positions[v].y = 0;
    }
    cloth.pin_vertices = pins;
    cloth.pin_count = PINS;
    pool_open(&threads, THREADS);
    is_fine = simulate(&cloth, NULL, end[0]) && simulate(&cloth, &threads, end[1]);
    pool_close(&threads);
    if (!is_fine) return 1;
    is_same = memcmp(end[0], end[1], sizeof end[0]) == 0;
    printf("%d vertices, %s\n", (int)cloth.mesh.vertex_count,
           is_same ? "the same in every bit" : "and not the same bits");
    return is_same ? 0 : 1;
}
