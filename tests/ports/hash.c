/* Runs small scenes that between them execute every chapter of the library that computes something,
   and prints what came out as bits. The same lines are expected from every compiler and processor:
   hashes.sh and cross.sh compare them. coverage.txt tells which chapter is executed by which scene.

       hash [carry | write DIRECTORY | read DIRECTORY] [STEPS [SCENE...]]

   STEPS: 200 if not given; a scene of cloth in motion that makes fewer prints fewer of the lines that
   others print, and the rest do not depend on it. 0: the scenes' names. Without SCENE all are run.
   carry: before one step in eight, the world is saved, made anew and loaded; that changes nothing.
   write: the snapshots go to files, too. read: the files are loaded, which another build has written.

   This file is compiled in the compiler's own mode, which may contract a * b + c. So wherever a product
   is added to something here, its factors are such that it is exact, or a function of the library or
   shape_add_product() does it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVCLOTH_IMPLEMENTATION
#include "../../devcloth.h"

#include "../../examples/common/mesh_report.c"
#include "../../examples/common/shapes.c"
#include "../support/impacts.h"

#ifdef DEVCLOTH_SINGLE
#define PRECISION "single"
#else
#define PRECISION "double"
#endif

static void stop(const char *scene, const char *call, const dc_error *error)
{
    printf("%s: %s: %s: %s: %s (%ld), %g\n", scene, call, dc_status_name(error->status),
           error->where, error->what, (long)error->index, (double)error->value);
    exit(1);
}

/* ---- Cloth ---- */

enum { PRINT_EVERY = 50 }; /* steps */

typedef struct scene {
    const char *name;
    shape_desc shape;
    dc_cloth_desc cloth;
    dc_world_desc desc;
    double dt; /* [s] the shortest step; others are up to 1 + 4 longer times as long       */
    int longer;
    dc_index watched; /* a vertex whose position is printed                                       */
    void (*drive)(struct scene *scene, dc_world *world, int step);
} scene;

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory) {
        printf("no memory for %lu bytes\n", (unsigned long)bytes);
        exit(1);
    }
    return memory;
}

/* Makes an object in a block as large as it has to be, which is returned. */
#define DEFINE_MAKE(make_object, dc_object_init, dc_object, desc_type)                             \
    static void *make_object(const char *name, const desc_type *desc, dc_object **object)          \
    {                                                                                              \
        size_t bytes = 4096;                                                                       \
        void *block = allocate(bytes);                                                             \
        dc_error error;                                                                            \
        while (dc_object_init(desc, block, bytes, object, NULL, &error) == DC_TOO_SMALL) {         \
            bytes = error.needed > 2 * bytes ? error.needed : 2 * bytes;                           \
            free(block);                                                                           \
            block = allocate(bytes);                                                               \
        }                                                                                          \
        if (error.status != DC_OK) stop(name, "init", &error);                                     \
        return block;                                                                              \
    }
DEFINE_MAKE(make_world, dc_world_init, dc_world, dc_world_desc)
DEFINE_MAKE(make_drape, dc_drape_init, dc_drape, dc_drape_desc)

#define HASH_BEGIN ((uint64_t)14695981039346656037u)

/* FNV-1a over the bytes of each number from the lowest up, whatever their order in memory. */
static uint64_t hash_bytes(uint64_t hash, uint64_t bits, size_t count)
{
    size_t k;
    for (k = 0; k < count; k++) {
        hash = (hash ^ (bits & 255)) * (((uint64_t)256 << 32) + 0x1b3);
        bits >>= 8;
    }
    return hash;
}

static uint64_t hash_reals(uint64_t hash, const dc_real *x, dc_index count)
{
    dc_index i;
    for (i = 0; i < count; i++) {
        dci_bits bits;
        memcpy(&bits, &x[i], sizeof bits);
        hash = hash_bytes(hash, bits, sizeof bits);
    }
    return hash;
}

static uint64_t hash_indices(uint64_t hash, const dc_index *x, dc_index count)
{
    dc_index i;
    for (i = 0; i < count; i++) hash = hash_bytes(hash, (uint32_t)x[i], sizeof *x);
    return hash;
}

static void print_bits(uint64_t hash)
{
    printf("%08lx%08lx", (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu));
}

static void print_hash(const char *name, uint64_t hash)
{
    printf(PRECISION " %s ", name);
    print_bits(hash);
    printf("\n");
}

/* Integers and bits only, and decimals enough to see what a scene does: 17 digits name a double. */
static void print_state(const scene *s, const dc_world *world, int steps, const dc_report *sum)
{
    dc_vec3 x = dc_body_positions(world, 0)[s->watched];
    uint64_t hash = dc_world_hash(world);
    printf(PRECISION " %s %d %08lx%08lx vertex %ld %.17g %.17g %.17g", s->name, steps,
           (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu), (long)s->watched,
           (double)x.x, (double)x.y, (double)x.z);
    printf(" substeps %ld newton %ld cg %ld error %.17g\n", (long)sum->substeps,
           (long)sum->counters.newton_iterations, (long)sum->counters.cg_iterations,
           (double)sum->constraint_error);
}

/* ---- Snapshots ---- */

static enum { CARRY_NOTHING, CARRY, CARRY_WRITE, CARRY_READ } carrying = CARRY_NOTHING;
static const char *carry_directory;

/* Whether the object of a scene is carried now: before steps that look random. */
static int carry_is_due(int step)
{
    return carrying != CARRY_NOTHING && ((uint32_t)step * 2654435761u) >> 29 == 0;
}

/* Writes the snapshot of an object to a file, or reads it from one. */
static void carry_file(const char *name, int step, void *block, size_t bytes)
{
    char path[512];
    FILE *file;
    size_t done;
    if (carrying == CARRY) return;
    snprintf(path, sizeof path, "%s/%s." PRECISION ".%d", carry_directory, name, step);
    file = fopen(path, carrying == CARRY_WRITE ? "wb" : "rb");
    if (!file) {
        printf("%s cannot be opened\n", path);
        exit(1);
    }
    done = carrying == CARRY_WRITE ? fwrite(block, 1, bytes, file) : fread(block, 1, bytes, file);
    if (done != bytes || (carrying == CARRY_READ && getc(file) != EOF)) {
        printf("%s has not %lu bytes\n", path, (unsigned long)bytes);
        exit(1);
    }
    fclose(file);
}

/* The memory of an object as it was when it was new; NULL if nothing is carried. */
static void *carry_begin(const void *memory, size_t bytes)
{
    void *fresh = carrying == CARRY_NOTHING ? NULL : allocate(bytes);
    if (fresh) memcpy(fresh, memory, bytes);
    return fresh;
}

/* The world is new again, and goes on from its snapshot. */
static void carry_world(const char *name, int step, dc_world *world, void *memory,
                        const void *fresh)
{
    dc_error error;
    uint64_t hash;
    size_t bytes;
    void *block;
    if (!carry_is_due(step)) return;
    hash = dc_world_hash(world);
    bytes = dc_world_save_bytes(world);
    block = allocate(bytes);
    if (dc_world_save(world, block, bytes, &error) != DC_OK) stop(name, "save", &error);
    carry_file(name, step, block, bytes);
    memcpy(memory, fresh, dc_world_bytes(world));
    if (dc_world_load(world, block, bytes, &error) != DC_OK) stop(name, "load", &error);
    if (dc_world_hash(world) != hash) printf("%s: loading differs\n", name);
    free(block);
}

/* Makes `steps` steps, or of a slow scene a part of them, which are counted as more. */
static void run(scene *s, int steps, int part)
{
    dc_index vertices, triangles;
    dc_vec3 *positions;
    dc_index *corners;
    void *memory, *fresh;
    dc_world *world;
    dc_report report, sum;
    dc_error error;
    int i;

    memset(&sum, 0, sizeof sum);
    s->desc.cloths = &s->cloth;
    s->desc.cloth_count = 1;
    if (shape_counts(&s->shape, &vertices, &triangles, &error) != DC_OK)
        stop(s->name, "counts", &error);
    positions = (dc_vec3 *)allocate((size_t)vertices * sizeof *positions);
    corners = (dc_index *)allocate(3 * (size_t)triangles * sizeof *corners);
    if (shape_build(&s->shape, positions, corners, NULL, &s->cloth.mesh, &error) != DC_OK)
        stop(s->name, "build", &error);
    memory = make_world(s->name, &s->desc, &world);
    fresh = carry_begin(memory, dc_world_bytes(world));

    for (i = 0; i < steps / part; i++) {
        s->drive(s, world, i);
        carry_world(s->name, i, world, memory, fresh);
        if (dc_world_step(world, (dc_real)(s->dt * (1 + s->longer * (i % 5))), &report, &error) !=
            DC_OK) {
            printf("step %d: ", i);
            stop(s->name, "step", &error);
        }
        sum.substeps += report.substeps;
        sum.counters.newton_iterations += report.counters.newton_iterations;
        sum.counters.cg_iterations += report.counters.cg_iterations;
        sum.constraint_error = report.constraint_error;
        if ((i + 1) * part % PRINT_EVERY == 0) print_state(s, world, (i + 1) * part, &sum);
    }
    free(fresh);
    free(memory);
    free(positions);
    free(corners);
}

/* A sheet in the xy plane, held by two corners, one of which is led around and later let go; the
   caller pushes it now and then, as a collision handler would. */
static void drive_sheet(scene *s, dc_world *world, int step)
{
    dc_vec3 target = s->cloth.mesh.positions[s->cloth.pin_vertices[1]];
    double angle = 0.05 * step;
    dc_error error;
    if (step > 140) {
        dc_cloth_release_pin(world, 0, 1, NULL);
    } else {
        target.x -= (dc_real)0.125 * (1 - dc_cos((dc_real)angle));
        target.z += (dc_real)0.25 * dc_sin((dc_real)angle);
        if (dc_cloth_set_pin(world, 0, 1, target, &error) != DC_OK) stop(s->name, "pin", &error);
    }
    if (step % 25 == 24) {
        static dc_vec3 push[DC_GRID_VERTICES(12, 12)]; /* as the sheet below */
        dc_index v = (dc_index)(step % s->cloth.mesh.vertex_count);
        push[v].z = (dc_real)0.001;
        if (dc_cloth_correct(world, 0, push, &error) != DC_OK) stop(s->name, "correct", &error);
        push[v].z = 0;
    }
}

static void sheet(const char *name, int steps)
{
    static const dc_index pins[2] = {12 * 13, 12 * 13 + 12};
    scene s;
    s.name = name;
    s.shape = shape_defaults(SHAPE_GRID);
    s.shape.columns = s.shape.rows = 12;
    s.shape.jitter = (dc_real)0.1;
    s.cloth = dc_cloth_defaults();
    s.cloth.pin_vertices = pins;
    s.cloth.pin_count = 2;
    s.cloth.element = DC_ELEMENT_NONCONFORMING;
    s.cloth.integrator = DC_INTEGRATOR_BDF2;
    s.cloth.solver.linear_solver = DC_LINEAR_CHOLESKY;
    s.cloth.solver.iteration_max = 8; /* few, so that long steps are cut */
    s.desc = dc_world_defaults();
    s.dt = 0.004;
    s.longer = 1;
    s.watched = 5;
    s.drive = drive_sheet;
    run(&s, steps, 1);
}

/* A tube in the wind, its upper rim held in three points, of which one lets go on the way. */
static void drive_tube(scene *s, dc_world *world, int step)
{
    dc_vec3 wind;
    dc_error error;
    wind.x = 3 + dc_sin((dc_real)(0.1 * step));
    wind.y = (dc_real)0.5;
    wind.z = dc_cos((dc_real)(0.07 * step));
    if (dc_world_set_wind(world, wind, &error) != DC_OK) stop(s->name, "wind", &error);
    if (step == 30) dc_cloth_release_pin(world, 0, 2, NULL);
}

static void tube(const char *name, int steps)
{
    static const dc_index pins[3] = {12 * 4, 12 * 4 + 4, 12 * 4 + 8};
    scene s;
    s.name = name;
    s.shape = shape_defaults(SHAPE_CYLINDER);
    s.shape.columns = 12;
    s.shape.rows = 4;
    s.shape.radius = (dc_real)0.15;
    s.shape.height = (dc_real)0.4;
    s.cloth = dc_cloth_defaults();
    s.cloth.pin_vertices = pins;
    s.cloth.pin_count = 3;
    s.cloth.drag_normal = (dc_real)0.3;
    s.cloth.drag_tangential = (dc_real)0.02;
    s.cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    s.cloth.solver.linear_solver = DC_LINEAR_CG;
    s.desc = dc_world_defaults();
    s.dt = 0.001;
    s.longer = 2;
    s.watched = 3;
    s.drive = drive_tube;
    run(&s, steps, 1);
}

/* A disk, one rim edge in a vice that turns. */
static void drive_disk(scene *s, dc_world *world, int step)
{
    const dc_vec3 *x = s->cloth.mesh.positions;
    const dc_clamp_desc *clamp = s->cloth.clamps;
    dc_vec3 outward = x[clamp->vertex0];
    dc_real turn = (dc_real)(step / 512.0);
    dc_error error;
    outward.z = outward.x * dc_sin(turn);
    if (dc_cloth_set_clamp(world, 0, 0, x[clamp->vertex0], x[clamp->vertex1], outward, &error) !=
        DC_OK)
        stop(s->name, "clamp", &error);
}

static void disk(const char *name, int steps)
{
    dc_clamp_desc clamp;
    scene s;
    dc_index vertices, triangles;
    dc_error error;
    s.name = name;
    s.shape = shape_defaults(SHAPE_DISK);
    s.shape.rows = 3;
    s.cloth = dc_cloth_defaults();
    if (shape_counts(&s.shape, &vertices, &triangles, &error) != DC_OK)
        stop(s.name, "counts", &error);
    clamp.vertex0 = vertices - 2; /* the last ring ends with them */
    clamp.vertex1 = vertices - 1;
    s.cloth.clamps = &clamp;
    s.cloth.clamp_count = 1;
    s.cloth.solver.linear_solver = DC_LINEAR_CG;
    s.cloth.bending = (dc_real)1e-3;
    s.desc = dc_world_defaults();
    s.dt = 0.004;
    s.longer = 1;
    s.watched = 0;
    s.drive = drive_disk;
    run(&s, steps, 1);
}

/* A sheet stands upright on the floor over a capsule and falls over itself, while a ball that turns
   comes through its middle. */
static void drive_fall(scene *s, dc_world *world, int step)
{
    dc_vec3 centre = s->desc.obstacles[2].point[0], spin = {0, 0, 0};
    dc_error error;
    centre.z += (dc_real)(step / 512.0);
    spin.y = 3;
    if (dc_obstacle_move(world, world->moving_count + 2, &centre, spin, &error) != DC_OK)
        stop(s->name, "move", &error);
}

static void fall_over(const char *name, dc_index rows, dc_element element, int steps, int part)
{
    static dc_vec3 rest[11 * 11]; /* curled, for the isometric element */
    static dc_index corners[3 * 2 * 10 * 10];
    dc_obstacle_desc obstacle[3];
    dc_mesh_desc mesh;
    dc_error error;
    scene s;
    int i;
    memset(obstacle, 0, sizeof obstacle);
    obstacle[0].kind = DC_OBSTACLE_PLANE;
    obstacle[0].point[0].y = (dc_real)-0.0625;
    obstacle[0].point[1].y = 1;
    obstacle[0].friction = (dc_real)0.5;
    obstacle[1].kind = DC_OBSTACLE_CAPSULE;
    obstacle[1].radius = (dc_real)0.03125;
    obstacle[1].point[0].x = obstacle[1].point[1].x = (dc_real)0.5;
    obstacle[1].point[0].y = obstacle[1].point[1].y = (dc_real)-0.046875;
    obstacle[1].point[0].z = -1;
    obstacle[1].point[1].z = 1;
    obstacle[2].kind = DC_OBSTACLE_SPHERE;
    obstacle[2].radius = (dc_real)0.125;
    obstacle[2].friction = (dc_real)0.5;
    obstacle[2].point[0].x = (dc_real)0.4375;
    obstacle[2].point[0].y = (dc_real)0.5;
    obstacle[2].point[0].z = (dc_real)-0.15625;
    s.name = name;
    s.shape = shape_defaults(SHAPE_GRID);
    s.shape.columns = s.shape.rows = 10;
    s.shape.jitter = (dc_real)0.2;
    s.cloth = dc_cloth_defaults();
    s.cloth.thickness = (dc_real)0.015625;
    s.cloth.friction = (dc_real)0.25;
    s.cloth.drag_normal = (dc_real)0.125;
    s.cloth.element = element;
    if (shape_build(&s.shape, rest, corners, NULL, &mesh, &error) != DC_OK)
        stop(name, "build", &error);
    for (i = 0; i < mesh.vertex_count; i++) rest[i].z = rest[i].x * rest[i].x / 8;
    if (element == DC_ELEMENT_ISOMETRIC) s.cloth.rest_positions = rest;
    s.desc = dc_world_defaults();
    s.desc.collides = 1;
    s.desc.row_capacity = rows;
    s.desc.obstacles = obstacle;
    s.desc.obstacle_count = 3;
    s.dt = 0.001;
    s.longer = 1;
    s.watched = 60;
    s.drive = drive_fall;
    run(&s, steps, part);
}

static void fall(const char *name, int steps)
{
    fall_over(name, 1, DC_ELEMENT_NONCONFORMING, steps, 1);
}

static void touch(const char *name, int steps)
{
    fall_over(name, DC_NONE, DC_ELEMENT_ISOMETRIC, steps, 5);
}

/* ---- Building blocks ---- */

/* The Laplacian of a 9 x 9 grid plus a diagonal that is not round, with three right-hand sides. */
static void cholesky(const char *name, int steps)
{
    enum { SIDE = 9, N = SIDE * SIDE, WIDTH = 3 };
    static dc_index start[N + 1], column[5 * N];
    static dc_real value[5 * N], x[N * WIDTH];
    dc_sparse a;
    dc_cholesky_desc desc = dc_cholesky_defaults();
    dc_cholesky_symbolic symbolic;
    dc_cholesky *factor;
    dc_error error;
    void *scratch, *memory;
    dc_index i, p = 0;
    size_t bytes = dc_cholesky_scratch_bytes(N, 5 * N);
    (void)steps;
    for (i = 0; i < N; i++) {
        start[i] = p;
        if (i >= SIDE) column[p] = i - SIDE, value[p++] = -1;
        if (i % SIDE > 0) column[p] = i - 1, value[p++] = (dc_real)-1.1;
        column[p] = i, value[p++] = (dc_real)(4.25 + i / 128.0);
        if (i % SIDE < SIDE - 1) column[p] = i + 1, value[p++] = (dc_real)-1.1;
        if (i < N - SIDE) column[p] = i + SIDE, value[p++] = -1;
    }
    start[N] = p;
    for (i = 0; i < N * WIDTH; i++) x[i] = (dc_real)1 / (dc_real)(1 + i);
    a.row_count = a.column_count = N;
    a.start = start;
    a.column = column;
    a.value = value;
    scratch = allocate(bytes);
    desc.rhs_max = WIDTH;
    if (dc_cholesky_plan(&a, &desc, scratch, bytes, &symbolic, &error) != DC_OK)
        stop(name, "plan", &error);
    memory = allocate(symbolic.bytes);
    if (dc_cholesky_init(&symbolic, memory, symbolic.bytes, &factor, &error) != DC_OK)
        stop(name, "init", &error);
    if (dc_cholesky_factor(factor, value, 0, DC_PIVOTS_REFUSE, &error) != DC_OK)
        stop(name, "factor", &error);
    dc_cholesky_solve(factor, WIDTH, x, x);
    print_hash(name, hash_reals(HASH_BEGIN, x, N * WIDTH));
    free(scratch);
    free(memory);
}

static void functions(const char *name, int steps)
{
    uint64_t sines = HASH_BEGIN, arcs = sines;
    int i;
    (void)name;
    (void)steps;
    for (i = -20000; i <= 20000; i++) {
        dc_real x = (dc_real)i / 64, y = (dc_real)i / 20000, r[2];
        r[0] = dc_sin(x), r[1] = dc_cos(x);
        sines = hash_reals(sines, r, 2);
        r[0] = dc_acos(y), r[1] = dc_atan2(y, x);
        arcs = hash_reals(arcs, r, 2);
    }
    print_hash("sin_cos", sines);
    print_hash("acos_atan2", arcs);
}

/* ---- Drape ---- */

/* A sheet over a ball with friction, held by a corner; it meets itself. Its iterations do not depend
   on the number of steps asked for. */
static void drape(const char *name, int steps)
{
    enum { CELLS = 10 };
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_drape_desc desc = dc_drape_defaults();
    dc_obstacle_desc ball;
    dc_anchor_desc corner = dc_anchor_defaults();
    dc_drape_report report;
    dc_drape *made;
    dc_error error;
    dc_index vertices, triangles, v;
    dc_vec3 *positions;
    dc_index *corners;
    void *memory;
    uint64_t hash;
    (void)steps;
    shape.columns = shape.rows = CELLS;
    shape_counts(&shape, &vertices, &triangles, &error);
    positions = (dc_vec3 *)allocate((size_t)vertices * sizeof *positions);
    corners = (dc_index *)allocate(3 * (size_t)triangles * sizeof *corners);
    shape_build(&shape, positions, corners, NULL, &desc.mesh, &error);
    for (v = 0; v < vertices; v++) {
        positions[v].z = -positions[v].y;
        positions[v].y = 0;
    }
    memset(&ball, 0, sizeof ball);
    ball.kind = DC_OBSTACLE_SPHERE;
    ball.point[0].x = (dc_real)0.5;
    ball.point[0].y = (dc_real)-0.3125;
    ball.point[0].z = (dc_real)-0.4375;
    ball.radius = (dc_real)0.25;
    ball.friction = (dc_real)0.5;
    corner.target = positions[0];
    desc.obstacles = &ball;
    desc.obstacle_count = 1;
    desc.anchors = &corner;
    desc.anchor_count = 1;
    desc.friction = (dc_real)0.5;
    memory = make_drape(name, &desc, &made);
    do { /* wherever it ends, on every machine it is there */
        dc_drape_iterate(made, &report, &error);
    } while (report.state == DC_DRAPE_MOVING);
    hash = dc_drape_hash(made);
    printf(PRECISION " %s %ld %08lx%08lx refused %ld cg %ld contacts %ld strain %.17g\n", name,
           (long)report.iterations, (unsigned long)(hash >> 32),
           (unsigned long)(hash & 0xffffffffu), (long)report.refused, (long)report.cg_iterations,
           (long)report.contacts, (double)report.strain_max);
    free(positions);
    free(corners);
    free(memory);
}

/* ---- Ribbons ---- */

/* A band is bent and closed to a ring, and falls on a sheet that falls on the ground, beside a strip
   that is held by its end and a normal and was at rest; all contacts are resolved at once. The ring
   is attached to the sheet, the strip by a spring to the ring. Its steps do not depend on the number
   asked for. */
static void ribbons(const char *name, int steps)
{
    enum { SEGMENTS = 10, STEPS = 20 };
    dc_world_desc desc = dc_world_defaults();
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_ribbon_desc ribbon[2];
    dc_attachment_desc hold[4];
    dc_obstacle_desc ground;
    dc_real angles[SEGMENTS - 1], bows[SEGMENTS - 1], creases[SEGMENTS - 1];
    dc_vec3 positions[5 * 5], x;
    dc_index corners[3 * 2 * 4 * 4];
    dc_report report;
    dc_world *world;
    dc_error error;
    void *memory;
    uint64_t hash;
    long evaluations = 0, contacts = 0;
    int i;
    (void)steps;
    shape.columns = shape.rows = 4;
    if (shape_build(&shape, positions, corners, NULL, &cloth.mesh, &error) != DC_OK)
        stop(name, "build", &error);
    for (i = 0; i < cloth.mesh.vertex_count; i++) {
        positions[i].z = -positions[i].y;
        positions[i].y = 0;
    }
    for (i = 0; i < SEGMENTS - 1; i++) {
        angles[i] = (dc_real)0.625;
        bows[i] = (dc_real)0.125;
        creases[i] = (dc_real)(i % 2 ? 0.125 : -0.125);
    }
    memset(&ground, 0, sizeof ground);
    ground.kind = DC_OBSTACLE_PLANE;
    ground.point[0].y = (dc_real)-0.015625;
    ground.point[1].y = 1;
    ribbon[0] = ribbon[1] = dc_ribbon_defaults();
    for (i = 0; i < 2; i++) {
        ribbon[i].segment_count = SEGMENTS;
        ribbon[i].width = (dc_real)0.0625;
        ribbon[i].drag = (dc_real)0.125;
        ribbon[i].start_creases = creases;
    }
    ribbon[0].ends = DC_RIBBON_LOOP;
    ribbon[0].start_angles = angles;
    ribbon[1].start_angles = bows;
    ribbon[0].origin.x = (dc_real)0.25;
    ribbon[0].origin.y = (dc_real)0.03125;
    ribbon[0].origin.z = (dc_real)-0.5;
    ribbon[1].is_fixed = 1;
    ribbon[1].origin.y = (dc_real)0.375;
    ribbon[1].origin.z = (dc_real)-0.75;
    hold[0] = hold[1] = hold[2] = hold[3] = dc_attachment_defaults();
    hold[0].place.x = 1;
    hold[0].target.x = (dc_real)0.9375;
    hold[0].target.y = (dc_real)0.375;
    hold[0].target.z = (dc_real)-0.75;
    hold[1].kind = DC_ATTACH_NORMAL;
    hold[1].place.x = 1;
    hold[1].target.y = 1;
    hold[1].target.z = (dc_real)0.25;
    hold[1].is_soft = 1;
    hold[1].stiffness = (dc_real)0.001;
    hold[2].place.x = (dc_real)0.5;
    hold[2].body = 1;
    hold[2].vertex = 4;
    hold[2].is_soft = 1;
    hold[2].stiffness = (dc_real)0.125;
    ribbon[1].attachments = hold;
    ribbon[1].attachment_count = 3;
    hold[3].body = 0;
    hold[3].vertex = 11;
    ribbon[0].attachments = hold + 3;
    ribbon[0].attachment_count = 1;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    desc.ribbons = ribbon;
    desc.ribbon_count = 2;
    desc.obstacles = &ground;
    desc.obstacle_count = 1;
    desc.collides = 1;
    memory = make_world(name, &desc, &world);
    if (dc_ribbon_relax(world, desc.cloth_count + 1, &report, &error) != DC_OK)
        stop(name, "relax", &error);
    for (i = 0; i < STEPS; i++) {
        if (dc_world_step(world, (dc_real)0.0078125, &report, &error) != DC_OK)
            stop(name, "step", &error);
        evaluations += (long)report.counters.ribbon_evaluations;
        contacts += (long)report.counters.global_contacts;
    }
    hash = dc_world_hash(world);
    x = dc_body_positions(world, desc.cloth_count)[SEGMENTS];
    printf(PRECISION " %s %d %08lx%08lx evaluations %ld contacts %ld vertex %.17g %.17g %.17g\n",
           name, STEPS, (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu),
           evaluations, contacts, (double)x.x, (double)x.y, (double)x.z);
    free(memory);
}

#include "hash_blocks.h"
#include "hash_worlds.h"

/* ---- Which there are ---- */

static void float_check(const char *name, int steps)
{
    (void)steps;
    printf(PRECISION " %s %d\n", name, dc_float_check());
}

static const struct {
    const char *name;
    void (*run)(const char *name, int steps);
} scenes[] = {
    {"float_check", float_check},
    {"functions", functions},
    {"cholesky", cholesky},
    {"sheet", sheet},
    {"tube", tube},
    {"disk", disk},
    {"fall", fall},
    {"touch", touch},
    {"drape", drape},
    {"ribbons", ribbons},
    {"shapes", shapes},
    {"adjacency", adjacency},
    {"dissection", dissection},
    {"dropped", dropped},
    {"gradients", gradients},
    {"swept", swept},
    {"sweeps", sweeps},
    {"rolled", rolled},
    {"rolled_in_four", rolled_in_four},
    {"swung", swung},
    {"pressed", pressed},
    {"squeezed", squeezed},
    {"separate", separate},
    {"tolerate", tolerate},
    {"steered", steered},
    {"late", late},
    {"hurried", hurried},
    {"settled", settled},
    {"chains", chains},
    {"folded", folded},
    {"bands", bands},
    {"dragged", dragged},
    {"small", small},
};

int main(int argc, char **argv)
{
    int steps, asked;
    size_t i;
    if (argc > 1 && strcmp(argv[1], "carry") == 0) {
        carrying = CARRY;
        argv++, argc--;
    } else if (argc > 2 && (strcmp(argv[1], "write") == 0 || strcmp(argv[1], "read") == 0)) {
        carrying = argv[1][0] == 'w' ? CARRY_WRITE : CARRY_READ;
        carry_directory = argv[2];
        argv += 2, argc -= 2;
    }
    steps = argc > 1 ? atoi(argv[1]) : 200;
    for (i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (argc > 1 && steps == 0) printf("%s\n", scenes[i].name);
        for (asked = 2; asked < argc && strcmp(argv[asked], scenes[i].name) != 0;) asked++;
        if (steps > 0 && (argc < 3 || asked < argc)) scenes[i].run(scenes[i].name, steps);
    }
    return 0;
}
