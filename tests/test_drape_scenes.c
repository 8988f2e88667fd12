/* The fifteen scenes of drapes.h in one program: each comes to rest, with its lengths, where its
   anchors are to be, and nothing crosses. The table of scenes is looped over; a new one is tested
   by its row alone. What the report says is measured again.  Arguments: names of scenes; without
   any, all are run. With `starts` first, each is run from several starts instead, and the
   potentials are compared: `make drape-starts`. */
#include <math.h>
#include <string.h>

#include "test.h"

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include "../examples/common/drapes.h"

#include "support/referee.h"
#include "support/sweep_referee.h"
#include "support/worlds.h"
#include "support/bodies.h"
#include "support/folds.h"

/* What must hold. */
static const double STRAIN_MAX = 1e-4;       /* of every edge                                     */
static const double AREA_ERROR_MAX = 1e-4;   /* E_A                                               */
static const double ANCHOR_MAX = 1e-6;       /* E_I, of the size squared                          */
static const double POTENTIAL_SPREAD = 0.02; /* of the depth that the best has                   */
static const double FOLDS_MAX = 0.025;       /* of the inner edges are sharp; .08 to .11 without
                                                bending                                          */
enum { ITERATIONS_MAX = 120 };

/* ---- Watching a drape ---- */

typedef struct watch {
    drape_scene scene;
    dc_mesh mesh;
    dc_mesh obstacle_mesh[DRAPE_OBSTACLES_MAX]; /* of the obstacles that are meshes              */
    void *mesh_memory, *obstacle_memory[DRAPE_OBSTACLES_MAX];
} watch;

static void take_mesh(const dc_mesh_desc *desc, dc_mesh *mesh, void **memory)
{
    size_t bytes = dc_mesh_bytes(desc->vertex_count, desc->triangle_count);
    *memory = test_alloc(bytes);
    CHECK(dc_mesh_init(desc, *memory, bytes, mesh, NULL) == DC_OK);
}

static int watch_open(watch *w, const drape_kind *kind, uint32_t seed, int start)
{
    drape_choice choice = {seed, start};
    drape_scene *s = &w->scene;
    failure why;
    dc_index i;
    memset(w, 0, sizeof *w);
    if (!drape_scene_build(s, kind->name, &choice, &why)) {
        printf("    %s\n", why.text);
        return 0;
    }
    take_mesh(&s->desc.mesh, &w->mesh, &w->mesh_memory);
    for (i = 0; i < s->desc.obstacle_count; i++)
        if (s->obstacle[i].kind == DC_OBSTACLE_MESH)
            take_mesh(&s->obstacle[i].mesh, &w->obstacle_mesh[i], &w->obstacle_memory[i]);
    return 1;
}

static void watch_close(watch *w)
{
    int i;
    for (i = 0; i < DRAPE_OBSTACLES_MAX; i++) free(w->obstacle_memory[i]);
    free(w->mesh_memory);
    drape_scene_close(&w->scene);
}

/* ---- Judging a shape ---- */

/* Whether a point is on the inner side of all triangles of a convex mesh. */
static int is_inside(const dc_mesh *mesh, const dc_vec3 *x, dc_vec3 p)
{
    dc_index t;
    for (t = 0; t < mesh->triangle_count; t++) {
        const dc_index *v = mesh->triangles + 3 * t;
        if (exact_side(x[v[0]], x[v[1]], x[v[2]], p) >= 0) return 0;
    }
    return 1;
}

/* The sheet is in one piece: where nothing crosses an obstacle, one vertex tells for all. */
static void judge_crossings(const watch *w, const dc_vec3 *x)
{
    const drape_scene *s = &w->scene;
    dc_index i;
    CHECK(s->desc.self_contact);
    CHECK_EQUAL(referee_count(&w->mesh, x, &w->mesh, x), 0);
    for (i = 0; i < s->desc.obstacle_count; i++) {
        const dc_obstacle_desc *o = &s->obstacle[i];
        const dc_mesh *mesh = &w->obstacle_mesh[i];
        if (o->kind == DC_OBSTACLE_MESH) {
            CHECK_EQUAL(judge_meshes(&w->mesh, x, mesh, o->mesh.positions), 0);
            CHECK(!is_inside(mesh, o->mesh.positions, x[0]));
        } else { /* rounding of lengths of 30 */
            dc_vec3 last = o->point[o->kind == DC_OBSTACLE_CAPSULE];
            CHECK_AT_MOST(sampled_depth(&w->mesh, x, o, o->point[0], last), TOL(1e-12, 1e-5));
        }
    }
}

static double length_of(const dc_vec3 *x, const dc_index *edge)
{
    return (double)dci_norm(dci_vec_sub(x[edge[1]], x[edge[0]]));
}

/* Both triangles of an edge have it at the same rest length: sheets are cut from one piece. */
static double rest_of(const watch *w, dc_index edge)
{
    return (double)w->mesh.rest_length[w->mesh.corner_of_edge[2 * edge]];
}

/* ---- Starts ---- */

static void judge_anchors(const watch *w)
{
    const drape_scene *s = &w->scene;
    dc_index i, k;
    for (i = 0; i < s->desc.anchor_count; i++)
        for (k = 0; k < i; k++) {
            const dc_anchor_desc *a = &s->anchors[i], *b = &s->anchors[k];
            dc_index ends[2];
            ends[0] = a->vertex;
            ends[1] = b->vertex;
            /* Equal for the waist of a skirt, but for rounding. */
            CHECK_AT_MOST(dci_norm(dci_vec_sub(a->target, b->target)),
                          length_of(s->shape.positions, ends) * (1 + TOL(1e-12, 1e-5)));
        }
}

/* The scene is what its row says, and may be started: the mesh has the paper's vertices and edges
   of about 1, no anchors are further apart than the cloth, and nothing crosses, whatever the start.
   */
static void test_starts(const drape_kind *kind)
{
    int start;
    for (start = 0; start < DRAPE_STARTS; start++) {
        watch w;
        double sum = 0;
        dc_index e;
        int is_open = watch_open(&w, kind, 1, start);
        CHECK(is_open);
        if (!is_open) return;
        CHECK_EQUAL(w.mesh.vertex_count, kind->vertex_count);
        for (e = 0; e < w.mesh.edge_count; e++) sum += rest_of(&w, e);
        CHECK_NEAR(sum / w.mesh.edge_count, 1, 0.15); /* a third are diagonals in example I */
        judge_anchors(&w);
        judge_crossings(&w, w.scene.start);
        watch_close(&w);
    }
}

/* ---- Rest ---- */

static double area_of(const dc_vec3 *x, const dc_index *corner)
{
    dc_vec3 a = dci_vec_sub(x[corner[1]], x[corner[0]]);
    dc_vec3 b = dci_vec_sub(x[corner[2]], x[corner[0]]);
    return 0.5 * (double)dci_norm(dci_cross(a, b));
}

/* E_L, E_A, and the largest strain, which must be small. */
static void judge_lengths(const watch *w, const dc_vec3 *x, const dc_drape_report *r)
{
    double strain = 0, squares = 0, area = 0, rest_area = 0;
    dc_index e, t;
    for (e = 0; e < w->mesh.edge_count; e++) {
        double rest = rest_of(w, e), change = length_of(x, w->mesh.edge_vertices + 2 * e) - rest;
        strain = fmax(strain, fabs(change) / rest);
        squares += change * change;
    }
    for (t = 0; t < w->mesh.triangle_count; t++) {
        area += area_of(x, w->mesh.triangles + 3 * t);
        rest_area += (double)w->mesh.rest_area[t];
    }
    CHECK_AT_MOST(strain, STRAIN_MAX);
    CHECK_AT_MOST(fabs(area / rest_area - 1), AREA_ERROR_MAX);
    /* The report is rounded as lengths are, 1e-16 of them in double. */
    CHECK_NEAR(r->strain_max, strain, TOL(1e-13, 1e-5));
    CHECK_NEAR(r->area_error, fabs(area / rest_area - 1), TOL(1e-12, 1e-5));
    CHECK_NEAR(r->length_energy, squares, TOL(1e-12, 1e-6) + TOL(1e-9, 1e-2) * squares);
}

static void judge_held(const watch *w, const dc_vec3 *x, const dc_drape_report *r)
{
    const drape_scene *s = &w->scene;
    double squares = 0, size_sq = 0;
    dc_index k, t;
    for (k = 0; k < s->desc.anchor_count; k++) {
        dc_vec3 way = dci_vec_sub(x[s->anchors[k].vertex], s->anchors[k].target);
        squares += (double)dci_dot(way, way);
    }
    for (t = 0; t < w->mesh.triangle_count; t++) size_sq += (double)w->mesh.rest_area[t];
    CHECK_AT_MOST(squares, ANCHOR_MAX * size_sq);
    CHECK_NEAR(r->anchor_energy, squares, TOL(1e-12, 1e-6) + TOL(1e-9, 1e-2) * squares);
}

/* Solves, and tells why if it does not come to rest. */
static int come_to_rest(watch *w, dc_drape_report *report)
{
    failure why;
    dc_error error;
    dc_status status;
    int is_made = drape_scene_make(&w->scene, &why);
    CHECK(is_made);
    if (!is_made) {
        printf("        %s\n", why.text);
        return 0;
    }
    status = dc_drape_solve(w->scene.drape, report, &error);
    CHECK(status == DC_OK);
    if (status != DC_OK)
        printf("        %s: %s, %d, %g\n", dc_status_name(status), error.what, (int)error.index,
               (double)error.value);
    return status == DC_OK || status == DC_NOT_CONVERGED;
}

static void test_rest(const drape_kind *kind)
{
    watch w;
    dc_drape_report report;
    int is_open = watch_open(&w, kind, 1, 0);
    CHECK(is_open);
    if (!is_open) return;
    if (come_to_rest(&w, &report)) {
        const dc_vec3 *x = dc_drape_positions(w.scene.drape);
        CHECK(report.state == DC_DRAPE_AT_REST);
        CHECK_AT_MOST(report.iterations, ITERATIONS_MAX);
        CHECK(report.is_certified);
        judge_lengths(&w, x, &report);
        judge_held(&w, x, &report);
        judge_crossings(&w, x);
        CHECK_AT_MOST(folds_share(&w.mesh, x), FOLDS_MAX);
    }
    watch_close(&w);
}

/* ---- Potentials ---- */

/* Three seeds from the usual start, the usual seed from the others. */
static const struct {
    uint32_t seed;
    int start;
} runs[] = {{1, 0}, {2, 0}, {3, 0}, {1, 1}, {1, 2}};
enum { RUNS = sizeof runs / sizeof runs[0] };

/* The depth below what holds the sheet; 0 if it does not come to rest. */
static double depth_of_run(const drape_kind *kind, int run, int *is_heavy)
{
    watch w;
    dc_drape_report report;
    double depth = 0;
    int is_open = watch_open(&w, kind, runs[run].seed, runs[run].start);
    CHECK(is_open);
    if (!is_open) return 0;
    *is_heavy = dci_dot(w.scene.desc.down, w.scene.desc.down) > 0;
    if (come_to_rest(&w, &report)) depth = drape_depth(&w.scene, dc_drape_positions(w.scene.drape));
    watch_close(&w);
    return depth;
}

/* Each depth is within 2% of the largest. Without gravity any shape will do. */
static void test_potential(const drape_kind *kind)
{
    double depth[RUNS], best = 0;
    int i, is_heavy = 1;
    for (i = 0; i < RUNS; i++) {
        depth[i] = depth_of_run(kind, i, &is_heavy);
        best = fmax(best, depth[i]);
    }
    printf("    %-6s", kind->name);
    for (i = 0; i < RUNS; i++) printf(" %8.1f", depth[i]);
    printf("\n");
    for (i = 0; is_heavy && i < RUNS; i++) CHECK_AT_MOST(1 - depth[i] / best, POTENTIAL_SPREAD);
}

/* ---- One test for each scene ---- */

static void test_scene(const drape_kind *kind, int has_runs)
{
    if (has_runs) {
        test_potential(kind);
        return;
    }
    test_starts(kind);
    test_rest(kind);
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, kind_count, i, k, has_runs, first;
    const drape_kind *kinds = drape_kinds(&kind_count);
    has_runs = argc > 1 && strcmp(argv[1], "starts") == 0;
    first = has_runs ? 2 : 1;
    for (k = first; k < argc; k++)
        if (!drape_find(argv[k])) {
            printf("FAILED: there is no drape %s\n", argv[k]);
            failed++;
        }
    for (i = 0; i < kind_count; i++) {
        int before = test_failures, wanted = argc <= first;
        for (k = first; k < argc; k++) wanted = wanted || strcmp(kinds[i].name, argv[k]) == 0;
        if (!wanted) continue;
        test_shown = 0;
        test_scene(&kinds[i], has_runs);
        if (test_failures == before) {
            passed++;
            continue;
        }
        failed++;
        printf("FAILED: drape %s\n", kinds[i].name);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
