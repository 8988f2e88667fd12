/* Prints tests/drape_table.md, for the geometric drape: the fifteen scenes of drapes.h. `make
   drape-table`, half a minute; `build/drape_table NAME...` for some scenes alone. With `settle` before
   the names the shapes are handed over to a world instead, and it prints how far they sink there;
   minutes. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime() */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include "../examples/common/drapes.h"
#include "bench/bench.h"
#include "support/drape_bound.h"
#include "support/folds.h"

/* How it ended: at rest, at the limit, or the sentence of the error that stopped it; and whether it
   crosses something there. */
static const char *end_of(dc_status status, const dc_drape_report *r, const dc_error *error)
{
    if (status == DC_OK && r->state == DC_DRAPE_AT_REST)
        return r->is_certified ? "rest" : "rest, crosses";
    if (r->state == DC_DRAPE_AT_LIMIT) return r->is_certified ? "limit" : "limit, crosses";
    return error->what;
}

/* Planning is in the time. */
static void print_drape(const char *name)
{
    dc_drape_report report;
    dc_status status;
    dc_error error;
    drape_scene s;
    failure why;
    double start;
    if (!drape_scene_build(&s, name, NULL, &why)) {
        printf("%s\n", why.text);
        return;
    }
    start = bench_busy();
    if (!drape_scene_make(&s, &why)) {
        printf("| %s | %s |\n", name, why.text);
        drape_scene_close(&s);
        return;
    }
    status = dc_drape_solve(s.drape, NULL, &error);
    report = dc_drape_look(s.drape);
    start = bench_busy() - start;
    printf("| %s | %ld | %s | %.1e | %.1e | %.1e | %.1e | %.1f%% | %.0f | %.2f |\n", name,
           (long)report.iterations, end_of(status, &report, &error), (double)report.anchor_energy,
           (double)report.length_energy, (double)report.area_error, (double)report.strain_max,
           100 * folds_share(dc_drape_mesh(s.drape), dc_drape_positions(s.drape)),
           drape_rise(&s, dc_drape_positions(s.drape)), start);
    fflush(stdout);
    drape_scene_close(&s);
}

/* ---- After the hand-over ---- */

/* A sheet of 1 m of the default cotton, 30 edges long, in a unit of length in which an edge is 1:
   gravity's and bending's parts are the same if k grows by 30^3. */
static const double SETTLE_BENDING = 0.27;   /* [N m]                                             */
static const double SETTLE_DT = 0.02;        /* [s]                                               */
static const double SETTLE_TOLERANCE = 1e-2; /* of the load                                     */
static const double SETTLE_REACH = 3.7;      /* [m] of the bound's strings                        */
enum { SETTLE_STEPS = 1000 };

/* The area around each vertex by the mean: the report's m_i. */
static double *take_weights(const drape_scene *s)
{
    const dc_mesh_desc *mesh = &s->desc.mesh;
    double *weight = test_alloc((size_t)mesh->vertex_count * sizeof *weight), sum = 0;
    dc_index t, v;
    int c;
    memset(weight, 0, (size_t)mesh->vertex_count * sizeof *weight);
    for (t = 0; t < mesh->triangle_count; t++) {
        const dc_index *corner = mesh->triangles + 3 * t;
        dc_vec3 a = s->shape.positions[corner[0]];
        double area = (double)dci_norm(dci_cross(dci_vec_sub(s->shape.positions[corner[1]], a),
                                                 dci_vec_sub(s->shape.positions[corner[2]], a)));
        for (c = 0; c < 3; c++) weight[corner[c]] += area;
        sum += 3 * area;
    }
    for (v = 0; v < mesh->vertex_count; v++) weight[v] *= mesh->vertex_count / sum;
    return weight;
}

static double potential_of(const double *weight, dc_index count, const dc_vec3 *positions)
{
    double sum = 0;
    dc_index v;
    for (v = 0; v < count; v++) sum += weight[v] * (double)positions[v].y;
    return sum;
}

/* Of flat sheets that only anchors hold. */
static void print_bound(const drape_scene *s, const double *weight)
{
    bound_sheet sheet = {0};
    dc_vec2 *flat;
    dc_index v;
    if (s->flat_corners || s->desc.obstacle_count > 0) {
        printf(" |");
        return;
    }
    flat = test_alloc((size_t)s->desc.mesh.vertex_count * sizeof *flat);
    for (v = 0; v < s->desc.mesh.vertex_count; v++) {
        flat[v].x = s->shape.positions[v].x;
        flat[v].y = s->shape.positions[v].z;
    }
    sheet.vertex_count = s->desc.mesh.vertex_count;
    sheet.flat = flat;
    sheet.weight = weight;
    sheet.anchors = s->anchors;
    sheet.anchor_count = s->desc.anchor_count;
    sheet.up[1] = 1;
    sheet.reach = SETTLE_REACH;
    printf(" %.0f |", drape_bound(&sheet).bound);
    free(flat);
}

/* The world of a drape's shape; all that it needs is left to the end of the program. */
static dc_world *hand_over(const drape_scene *s, dc_error *error)
{
    static dc_cloth_desc cloth;
    dc_world_desc desc = dc_world_defaults();
    dc_world *world = NULL;
    size_t bytes = 0;
    void *memory = NULL;
    cloth = dc_cloth_defaults();
    cloth.mesh = s->desc.mesh;
    cloth.bending = (dc_real)SETTLE_BENDING;
    cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    dc_drape_hand_over(s->drape, &cloth,
                       test_alloc((size_t)(s->desc.anchor_count + 1) * sizeof(dc_index)));
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    desc.obstacles = s->desc.obstacles;
    desc.obstacle_count = s->desc.obstacle_count;
    desc.collides = 1;
    while (dc_world_init(&desc, memory, bytes, &world, NULL, error) == DC_TOO_SMALL) {
        free(memory);
        bytes = error->needed > 2 * bytes ? error->needed : 2 * bytes;
        memory = test_alloc(bytes);
    }
    return world;
}

static void print_settled(const char *name)
{
    dc_index steps = 0, count;
    dc_status status;
    dc_world *world;
    dc_error error;
    drape_scene s;
    double *weight, start;
    failure why;
    if (!drape_scene_open(&s, name, NULL, &why)) {
        printf("%s\n", why.text);
        return;
    }
    if (dci_norm(s.desc.down) == 0) { /* nothing to compare */
        drape_scene_close(&s);
        return;
    }
    dc_drape_solve(s.drape, NULL, &error);
    count = s.desc.mesh.vertex_count;
    weight = take_weights(&s);
    printf("| %s | %.0f |", name, potential_of(weight, count, dc_drape_positions(s.drape)));
    start = bench_busy();
    world = hand_over(&s, &error);
    if (world) {
        status = dc_world_settle(world, (dc_real)SETTLE_DT, (dc_real)SETTLE_TOLERANCE, SETTLE_STEPS,
                                 &steps, &error);
        printf(" %.0f |", potential_of(weight, count, dc_body_positions(world, 0)));
        start = bench_busy() - start;
        print_bound(&s, weight);
        printf(" %ld | %.0f | %s |\n", (long)steps, start, status == DC_OK ? "rest" : error.what);
    } else {
        printf(" %s |\n", error.what);
    }
    fflush(stdout);
    free(weight);
    drape_scene_close(&s);
}

static int is_asked(int argc, char **argv, const char *name)
{
    int i;
    for (i = 0; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return 1;
    return argc < 1;
}

int main(int argc, char **argv)
{
    int count, i, is_settled = argc > 1 && strcmp(argv[1], "settle") == 0;
    const drape_kind *kinds = drape_kinds(&count);
    argc -= 1 + is_settled;
    argv += 1 + is_settled;
    if (is_settled)
        printf("| scene | drape | settled | bound | steps | s | end |\n"
               "| --- | --- | --- | --- | --- | --- | --- |\n");
    else
        printf("| scene | iterations | end | E_I | E_L | E_A | largest strain | sharp | sum of dz | s |\n"
               "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (i = 0; i < count; i++) {
        if (!is_asked(argc, argv, kinds[i].name)) continue;
        if (is_settled)
            print_settled(kinds[i].name);
        else
            print_drape(kinds[i].name);
    }
    return 0;
}
