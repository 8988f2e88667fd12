/* Whatever is left out, the rest gives the same bits: a line for each part that is there, its name
   and a hash. With WANT_SPARSE, WANT_SHEET or WANT_RIBBON it is the least program that has that
   one: parts.sh measures the size of it. */
#define DEVCLOTH_IMPLEMENTATION
#include "../../devcloth.h"

#if defined(WANT_SPARSE) || defined(WANT_SHEET) || defined(WANT_RIBBON)
static volatile uint64_t said;
#define SAY(name, hash) (said = (hash))
#else
#include <stdio.h>
#define WANT_SPARSE
#define WANT_SHEET
#define WANT_RIBBON
#define WANT_COLLISIONS
#define SAY(name, hash) printf("%s %08lx\n", name, (unsigned long)((hash)&0xffffffffu))
#endif

static unsigned char memory[1000000];

#if defined(WANT_SPARSE) && !defined(DC_NO_DIRECT)
/* 4 x_i - x_(i-1) - x_(i+1) = b_i */
static int try_sparse(void)
{
    enum { N = 6 };
    dc_index start[N + 1] = {0}, column[2 * N], found = 0, i;
    dc_real value[2 * N], b[N], x[N], sum = 0;
    dc_cholesky_desc desc = dc_cholesky_defaults();
    dc_cholesky_symbolic symbolic;
    dc_cholesky *cholesky;
    dc_sparse a = {N, N, NULL, NULL, NULL};
    a.start = start;
    a.column = column;
    a.value = value;
    for (i = 0; i < N; i++) {
        if (i > 0) column[found] = i - 1, value[found++] = -1;
        column[found] = i, value[found++] = 4;
        start[i + 1] = found;
        b[i] = (dc_real)(i + 1);
    }
    if (dc_cholesky_plan(&a, &desc, memory, sizeof memory / 2, &symbolic, NULL) != DC_OK) return 1;
    if (dc_cholesky_init(&symbolic, memory + sizeof memory / 2, sizeof memory / 2, &cholesky,
                         NULL) != DC_OK)
        return 1;
    if (dc_cholesky_factor(cholesky, value, 0, DC_PIVOTS_REFUSE, NULL) != DC_OK) return 1;
    dc_cholesky_solve(cholesky, 1, b, x);
    for (i = 0; i < N; i++) sum += (dc_real)(i + 1) * x[i];
    SAY("sparse", (uint64_t)(uint32_t)(int32_t)(sum * 1000000));
    return 0;
}
#endif

#if !defined(DC_NO_CLOTH) && defined(WANT_SHEET)
static const dc_index triangles[24] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4,
                                       3, 4, 7, 3, 7, 6, 4, 5, 8, 4, 8, 7};

/* A sheet of four cells, hung by two corners, or dropped on a floor if it collides. */
static int try_sheet(const char *name, int collides, int solver)
{
    static const dc_index pins[2] = {6, 8};
    dc_vec3 x[9];
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    dc_world *world;
    int i;
    for (i = 0; i < 9; i++) {
        x[i].x = (dc_real)(i % 3) / 2;
        x[i].z = (dc_real)(i / 3) / 2; /* NOLINT: whole rows */
        x[i].y = collides ? (dc_real)(i % 2) / 100 + (dc_real)0.01 : 0;
    }
    cloth.mesh.positions = x;
    cloth.mesh.vertex_count = 9;
    cloth.mesh.triangles = triangles;
    cloth.mesh.triangle_count = 8;
    cloth.pin_vertices = pins;
    cloth.pin_count = collides ? 0 : 2;
    cloth.solver.linear_solver = (dc_linear_solver)solver;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
#if !defined(DC_NO_COLLISIONS) && defined(WANT_COLLISIONS)
    {
        dc_obstacle_desc floor = {DC_OBSTACLE_PLANE, {0}, {{0, 0, 0}, {0, 1, 0}}, 0, 0, 0, 0};
        if (collides) {
            desc.collides = 1;
            desc.obstacles = &floor;
            desc.obstacle_count = 1;
        }
        if (dc_world_init(&desc, memory, sizeof memory, &world, NULL, NULL) != DC_OK) return 1;
    }
#else
    if (dc_world_init(&desc, memory, sizeof memory, &world, NULL, NULL) != DC_OK) return 1;
#endif
    for (i = 0; i < 20; i++)
        if (dc_world_step(world, (dc_real)0.01, NULL, NULL) != DC_OK) return 1;
    SAY(name, dc_world_hash(world));
    (void)name;
    return 0;
}
#endif

#if !defined(DC_NO_RIBBONS) && defined(WANT_RIBBON)
/* A strip that is held at one end and falls, on a floor if it collides. */
static int try_ribbon(const char *name, int collides)
{
    dc_ribbon_desc ribbon = dc_ribbon_defaults();
    dc_world_desc desc = dc_world_defaults();
    dc_world *world;
    int i;
    ribbon.segment_count = 10;
    ribbon.is_fixed = 1;
    desc.ribbons = &ribbon;
    desc.ribbon_count = 1;
#if !defined(DC_NO_COLLISIONS) && defined(WANT_COLLISIONS)
    {
        dc_obstacle_desc floor = {DC_OBSTACLE_PLANE, {0}, {{0, 0, 0}, {0, 1, 0}}, 0, 0, 0, 0};
        if (collides) {
            ribbon.origin.y = (dc_real)0.01;
            desc.collides = 1;
            desc.obstacles = &floor;
            desc.obstacle_count = 1;
        }
        if (dc_world_init(&desc, memory, sizeof memory, &world, NULL, NULL) != DC_OK) return 1;
    }
#else
    (void)collides;
    if (dc_world_init(&desc, memory, sizeof memory, &world, NULL, NULL) != DC_OK) return 1;
#endif
    for (i = 0; i < 20; i++)
        if (dc_world_step(world, (dc_real)0.01, NULL, NULL) != DC_OK) return 1;
    SAY(name, dc_world_hash(world));
    (void)name;
    return 0;
}
#endif

#if !defined(DC_NO_DRAPE) && defined(WANT_COLLISIONS)
/* Two triangles hang by a corner. */
static int try_drape(void)
{
    static const dc_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    static const dc_index corner[6] = {0, 1, 2, 0, 2, 3};
    const dc_anchor_desc anchor = dc_anchor_defaults();
    dc_drape_desc desc = dc_drape_defaults();
    dc_drape *drape;
    int i;
    desc.mesh.positions = x;
    desc.mesh.vertex_count = 4;
    desc.mesh.triangles = corner;
    desc.mesh.triangle_count = 2;
    desc.anchors = &anchor;
    desc.anchor_count = 1;
    if (dc_drape_init(&desc, memory, sizeof memory, &drape, NULL, NULL) != DC_OK) return 1;
    for (i = 0; i < 10; i++)
        if (dc_drape_iterate(drape, NULL, NULL) != DC_OK) return 1;
    SAY("drape", dc_drape_hash(drape));
    return 0;
}
#endif

int main(void)
{
    int failed = dc_float_check() != 0;
#if defined(WANT_SPARSE) && !defined(DC_NO_DIRECT)
    failed |= try_sparse();
#endif
#if !defined(DC_NO_CLOTH) && defined(WANT_SHEET)
#ifndef DC_NO_DIRECT
    failed |= try_sheet("sheet", 0, DC_LINEAR_CHOLESKY);
#endif
#if !defined(DC_NO_CG) && defined(WANT_COLLISIONS)
    failed |= try_sheet("iterative", 0, DC_LINEAR_CG);
#endif
#if !defined(DC_NO_COLLISIONS) && !defined(DC_NO_DIRECT) && defined(WANT_COLLISIONS)
    failed |= try_sheet("floor", 1, DC_LINEAR_CHOLESKY);
#endif
#endif
#if !defined(DC_NO_RIBBONS) && defined(WANT_RIBBON)
    failed |= try_ribbon("ribbon", 0);
#if !defined(DC_NO_COLLISIONS) && defined(WANT_COLLISIONS)
    failed |= try_ribbon("strip", 1);
#endif
#endif
#if !defined(DC_NO_DRAPE) && defined(WANT_COLLISIONS)
    failed |= try_drape();
#endif
    return failed;
}
