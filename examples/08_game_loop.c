/*
 * 08_game_loop.c - a cloth in a game, at 60 pictures a second
 *
 * What one will see: a sheet of 24 x 24 vertices falls on a ball and comes to rest. The loop takes
 * fixed steps, draws between the last two of them, and has bounds on the work of a step and on the
 * steps of a picture. How long pictures took and how far the cloth was behind is printed. The same
 * fall twice must end with the same recorded bits, however slow the machine is.
 *
 * It has the implementation in it, because it is in floats and the other examples are in doubles.
 * With -DGAME_DOUBLE it is in doubles too, and takes a fifth longer.
 */
#ifndef GAME_DOUBLE
#define DEVCLOTH_SINGLE
#endif
#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CELLS = 23, VERTICES = DC_GRID_VERTICES(CELLS, CELLS), STEPS = 300 };
enum { STEPS_A_PICTURE = 2 };         /* the most: what is then left of the time is dropped */
enum { PICTURES_MAX = STEPS };        /* a picture takes one step at least */
enum { MEMORY_BYTES = 9 << 20 };      /* planning tells; this is ample, also for doubles */
static const double DT = 1.0 / 60;    /* [s] of a step */
static const double SHOWN = 1.0 / 60; /* [s] that a picture is shown at least */
static const double RADIUS = 0.25;    /* [m] of the ball */

/* dc_world_hash() after STEPS steps, as this program said when it was run with 0 here, by gcc.
   Other machines and compilers find the same: no bit depends on the clock or on libm. */
#ifdef DEVCLOTH_SINGLE
static const uint64_t RECORDED = UINT64_C(0x30c24d05177c4600);
#else
static const uint64_t RECORDED = UINT64_C(0xe439b4f51625804d);
#endif

static dc_vec3 positions[VERTICES]; /* of the start */
static dc_index triangles[3 * DC_GRID_TRIANGLES(CELLS, CELLS)];
static unsigned char memory[MEMORY_BYTES];

typedef struct game {
    dc_world *world;
    dc_vec3 before[VERTICES]; /* [m] where the cloth was before the last step */
    double unspent;           /* [s] shown, but not simulated yet */
    int steps;

    /* For printing alone. */
    int pictures, unconverged, refused;
    double cost[PICTURES_MAX]; /* [s] of each picture */
    double behind, dropped;    /* [s] the most that was unspent at the end of a picture; lost */
} game;

/* ---- The cloth ---- */

/* A sheet of 1 m lies above the ball, turned a little, so that nothing is symmetric. */
static dc_mesh_desc make_mesh(void)
{
    const dc_real cosine = dc_cos((dc_real)0.2), sine = dc_sin((dc_real)0.2);
    dc_mesh_desc mesh = dc_grid(CELLS, CELLS, 1, 1, DC_DIAGONALS_FORWARD, positions, triangles);
    int v;
    for (v = 0; v < VERTICES; v++) {
        dc_real x = positions[v].x - (dc_real)0.5, z = (dc_real)0.5 - positions[v].y;
        positions[v].x = cosine * x + sine * z;
        positions[v].y = (dc_real)(2 * RADIUS + 0.1);
        positions[v].z = cosine * z - sine * x;
    }
    return mesh;
}

/* Canvas rather than silk: bending that is damped lets it come to rest, and then a step is cheap.
   Tolerances are wide, since 1% of strain cannot be seen. */
static dc_cloth_desc describe_cloth(dc_mesh_desc mesh)
{
    dc_cloth_desc cloth = dc_cloth_defaults();
    cloth.mesh = mesh;
    cloth.bending = (dc_real)3e-4;
    cloth.bending_damping = (dc_real)0.3;
    cloth.drag_normal = cloth.drag_tangential = 1;
    cloth.thickness = (dc_real)0.01;
    cloth.friction = (dc_real)0.5;
    cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    cloth.tolerance = (dc_real)0.03;
    cloth.solver.residual_tol = 5;
    cloth.solver.cg_tol = (dc_real)0.05;
    return cloth;
}

static int make_world(dc_world **world, dc_error *error)
{
    dc_obstacle_desc obstacles[2];
    dc_world_desc desc = dc_world_defaults();
    dc_cloth_desc cloth = describe_cloth(make_mesh());
    obstacles[0] = obstacles[1] = dc_obstacle_defaults();
    obstacles[0].kind = DC_OBSTACLE_SPHERE;
    obstacles[0].point[0].y = obstacles[0].radius = (dc_real)RADIUS;
    obstacles[1].kind = DC_OBSTACLE_PLANE;
    obstacles[1].point[1].y = 1; /* upwards */
    obstacles[0].friction = obstacles[1].friction = (dc_real)0.5;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    desc.obstacles = obstacles;
    desc.obstacle_count = 2;
    desc.collides = 1;
    /* Work is bounded by the least that is possible, about 17 ms of a shared core. A step that
       reaches it goes on with what it has. Then lengths may be off for a few pictures after an
       impact; nothing crosses, though, and the picture is there in time. */
    desc.quality = DC_REAL_TIME;
    desc.pair_capacity = 8 * VERTICES; /* passes over them count as work: less lets it be less */
    return dc_world_init(&desc, memory, sizeof memory, world, NULL, error) == DC_OK;
}

/* ---- The loop ---- */

/* A step that is refused leaves the cloth as it was: it stands still for a picture, and the next
   step is tried with what the game has moved by then. If nothing moves, that one is refused as
   well. DC_REAL_TIME makes this rare: a step that reaches its bound does a part of itself, and
   pins and obstacles follow later. Draw them where the world has them, dc_body_positions(). */
static void take_step(game *g)
{
    dc_report report;
    dc_error error;
    memcpy(g->before, dc_body_positions(g->world, 0), sizeof g->before);
    if (dc_world_step(g->world, (dc_real)DT, &report, &error) == DC_OK)
        g->unconverged += report.is_unconverged;
    else
        g->refused++;
    g->steps++;
}

/* Takes the steps that are due. Slow steps must not ask for more steps, which ask for still more.
   So the steps of a picture are bounded, and the time that they leave is dropped: the cloth is in
   slow motion for a moment. */
static void simulate(game *g, double passed)
{
    int count = 0;
    g->unspent += passed;
    while (g->unspent >= DT && count < STEPS_A_PICTURE && g->steps < STEPS) {
        take_step(g);
        g->unspent -= DT;
        count++;
    }
    if (g->unspent > g->behind) g->behind = g->unspent;
    if (g->unspent >= DT) {
        g->dropped += g->unspent;
        g->unspent = 0;
    }
}

/* The pretended renderer's vertices. The time that no step has simulated yet tells where between
   the last two steps the cloth is drawn: one step late, and smoothly at any rate of pictures. */
static void draw(const game *g, float vertices[3 * VERTICES])
{
    const dc_vec3 *now = dc_body_positions(g->world, 0);
    const double part = g->unspent / DT; /* 0 to 1 */
    int v;
    for (v = 0; v < VERTICES; v++) {
        const dc_vec3 *from = g->before + v, *to = now + v;
        vertices[3 * v] = (float)((double)from->x + part * (double)(to->x - from->x));
        vertices[3 * v + 1] = (float)((double)from->y + part * (double)(to->y - from->y));
        vertices[3 * v + 2] = (float)((double)from->z + part * (double)(to->z - from->z));
    }
}

/* A display shows each picture for 1/60 s, or for as long as the next one takes. A game would wait
   for it; here that time is only counted. A game reads a clock on the wall. clock() is processor
   time, so that the cloth is not blamed for other programs. */
static void run(game *g)
{
    static float vertices[3 * VERTICES];
    double passed = SHOWN;
    while (g->steps < STEPS) {
        clock_t start = clock();
        double cost;
        simulate(g, passed);
        draw(g, vertices);
        cost = (double)(clock() - start) / CLOCKS_PER_SEC;
        g->cost[g->pictures++] = cost;
        passed = cost > SHOWN ? cost : SHOWN;
    }
}

/* ---- What it found ---- */

static int compare(const void *a, const void *b)
{
    const double *x = (const double *)a, *y = (const double *)b;
    return (*x > *y) - (*x < *y);
}

static void print_times(game *g)
{
    qsort(g->cost, (size_t)g->pictures, sizeof g->cost[0], compare);
    printf("%d pictures: median %.1f ms, 99%% below %.1f ms; behind by %.2f of a picture at most, "
           "%.0f ms dropped\n",
           g->pictures, 1e3 * g->cost[g->pictures / 2], 1e3 * g->cost[g->pictures * 99 / 100],
           g->behind / SHOWN, 1e3 * g->dropped);
}

static void print_end(const game *g)
{
    dc_measures m = dc_cloth_measure(g->world, 0);
    printf(
        "%d steps, %d of them unconverged, %d refused; in the end drawn edges strain by %.1f%% and "
        "move at %.1f mm/s, rms\n",
        g->steps, g->unconverged, g->refused, 100 * (double)m.strain_rms,
        1e3 * sqrt(2 * (double)m.kinetic / (double)m.mass));
}

int main(void)
{
    static game games[2];
    uint64_t hash = 0;
    int i;
    if (dc_float_check() != 0) {
        fprintf(stderr, "08_game_loop: this compiler does not compute as written\n");
        return 1;
    }
    for (i = 0; i < 2; i++) {
        dc_error error;
        if (!make_world(&games[i].world, &error)) {
            fprintf(stderr, "08_game_loop: %s: %s %g\n", error.where, error.what,
                    (double)error.value);
            return 1;
        }
        run(games + i);
        print_times(games + i);
        hash = dc_world_hash(games[i].world);
        if (hash != RECORDED) {
            fprintf(stderr, "08_game_loop: hash %016" PRIx64 ", not %016" PRIx64 "\n", hash,
                    RECORDED);
            return 1;
        }
    }
    print_end(games + 1);
    printf("hash %016" PRIx64 ", as recorded, twice\n", hash);
    return 0;
}
