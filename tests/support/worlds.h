/* Worlds for tests: one cloth, memory from malloc. */
#ifndef TEST_WORLDS_H
#define TEST_WORLDS_H

#include <string.h>

#include "impacts.h"

typedef struct fixture {
    dc_cloth_desc cloth;
    dc_world_desc desc;
    dc_info info;
    dc_world *world;
    dc_report report;
    dc_error error;
    void *memory, *impacts; /* if these are resolved at once */
    dc_vec3 *positions;
    dc_index *triangles;
} fixture;

/* In the order of their names. */
static const dc_element cloth_elements[2] = {DC_ELEMENT_NONCONFORMING, DC_ELEMENT_ISOMETRIC};

static fixture fixture_begin(void)
{
    fixture f;
    memset(&f, 0, sizeof f);
    f.cloth = dc_cloth_defaults();
    f.desc = dc_world_defaults();
    return f;
}

/* A shape of the library as the cloth's mesh. */
static void fixture_shape(fixture *f, const shape_desc *shape)
{
    dc_index vertex_count, triangle_count;
    CHECK(shape_counts(shape, &vertex_count, &triangle_count, &f->error) == DC_OK);
    f->positions = (dc_vec3 *)test_alloc((size_t)vertex_count * sizeof(dc_vec3));
    f->triangles = (dc_index *)test_alloc(3 * (size_t)triangle_count * sizeof(dc_index));
    CHECK(shape_build(shape, f->positions, f->triangles, NULL, &f->cloth.mesh, &f->error) == DC_OK);
}

static void fixture_grid(fixture *f, dc_index columns, dc_index rows)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    shape.columns = columns;
    shape.rows = rows;
    fixture_shape(f, &shape);
}

/* Makes a world in a block of *memory, which is made as large as it has to be. */
static dc_status make_world(const dc_world_desc *desc, void **memory, dc_world **world,
                            dc_info *info, dc_error *error)
{
    size_t bytes = 4096;
    dc_status status;
    for (;;) {
        free(*memory);
        *memory = test_alloc(bytes);
        status = dc_world_init(desc, *memory, bytes, world, info, error);
        if (status != DC_TOO_SMALL) return status;
        CHECK(error->needed > bytes && error->given == bytes);
        bytes = error->needed > 2 * bytes ? error->needed : 2 * bytes;
    }
}

/* Can be called again. */
static dc_status fixture_open(fixture *f)
{
    f->desc.cloths = &f->cloth;
    f->desc.cloth_count = 1;
    return make_world(&f->desc, &f->memory, &f->world, &f->info, &f->error);
}

static void fixture_close(fixture *f)
{
    free(f->memory);
    free(f->impacts);
    free(f->positions);
    free(f->triangles);
}

static dc_status fixture_step(fixture *f, double dt)
{
    return dc_world_step(f->world, (dc_real)dt, &f->report, &f->error);
}

/* Steps for a time [s]; stops at the first failure and says what it was. */
static dc_status fixture_run(fixture *f, double time, double dt)
{
    int i, steps = (int)(time / dt + 0.5);
    for (i = 0; i < steps; i++) {
        dc_status status = fixture_step(f, dt);
        if (status == DC_OK) continue;
        printf("    step %d: %s (%d), %g\n", i, f->error.what, (int)f->error.index,
               (double)f->error.value);
        return status;
    }
    return DC_OK;
}

/* The grid of the fixture rolled up about an axis along y, by an angle at each column of cells
   [rad], all lengths kept. To be freed. */
static dc_vec3 *fixture_rolled(const fixture *f, double cell, double angle)
{
    dc_index count = f->cloth.mesh.vertex_count, v;
    dc_vec3 *x = (dc_vec3 *)test_alloc((size_t)count * sizeof(dc_vec3));
    double radius = cell / (2 * sin(angle / 2));
    for (v = 0; v < count; v++) {
        double turned = angle * floor((double)f->positions[v].x / cell + 0.5);
        x[v].x = (dc_real)(radius * sin(turned));
        x[v].y = f->positions[v].y;
        x[v].z = (dc_real)(radius * (1 - cos(turned)));
    }
    return x;
}

static dci_cloth *fixture_cloth(const fixture *f)
{
    return dci_world_cloth(f->world, 0);
}

/* G = M */
static void fixture_weigh_by_mass(dci_cloth *c)
{
    dc_index k;
    for (k = 0; k < c->element.node_count; k++) c->node.mobility[k] = 1 / c->mass[k];
}

#endif
