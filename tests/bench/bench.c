/* Speed and memory. `build/bench` runs all groups, `build/bench step` one. Each line of the output is
   metric NAME VALUE UNIT; progress goes to stderr.

   The Makefile builds it portable (-O3 alone) and native (build/bench_native); times on one machine
   vary by a third from run to run, so compare what one run printed. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime() */
#define DEVCLOTH_IMPLEMENTATION
#include "../../devcloth.h"

#include "../../examples/common/drapes.h"
#include "../../examples/common/scenes.h"
#include "../support/queries.h"

#include "bench.h"
#include "bench_contact.h"
#include "bench_frame.h"
#include "bench_ribbon.h"
#include "bench_small.h"
#include "bench_solver.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- step: a sheet of 1 m hung by two corners falls from the horizontal and swings through ---- */

typedef struct bench_sheet {
    dc_vec3 *positions;
    dc_index *triangles;
    dc_index pins[2];
    dc_cloth_desc cloth;
    dc_world_desc desc;
    dc_info info;
    void *memory;
    dc_world *world;
    double plan_seconds;
} bench_sheet;

static void bench_sheet_open(bench_sheet *sheet, dc_index cells)
{
    dc_index vertex_count = DC_GRID_VERTICES(cells, cells), v;
    dc_index triangle_count = DC_GRID_TRIANGLES(cells, cells);
    size_t bytes;
    dc_error error;
    double start;
    sheet->cloth = dc_cloth_defaults();
    sheet->positions = (dc_vec3 *)bench_alloc((size_t)vertex_count * sizeof(dc_vec3));
    sheet->triangles = (dc_index *)bench_alloc(3 * (size_t)triangle_count * sizeof(dc_index));
    sheet->cloth.mesh =
        dc_grid(cells, cells, 1, 1, DC_DIAGONALS_FORWARD, sheet->positions, sheet->triangles);
    for (v = 0; v < vertex_count; v++) { /* into the horizontal plane */
        sheet->positions[v].z = -sheet->positions[v].y;
        sheet->positions[v].y = 0;
    }
    sheet->pins[0] = 0;
    sheet->pins[1] = cells;
    sheet->cloth.pin_vertices = sheet->pins;
    sheet->cloth.pin_count = 2;
    sheet->desc = dc_world_defaults();
    sheet->desc.cloths = &sheet->cloth;
    sheet->desc.cloth_count = 1;
    start = bench_now();
    bytes = 7000 * (size_t)DC_GRID_VERTICES(cells, cells) + 100000; /* ample */
    sheet->memory = bench_alloc(bytes);
    if (dc_world_init(&sheet->desc, sheet->memory, bytes, &sheet->world, &sheet->info, &error) !=
        DC_OK)
        bench_fail("init", &error);
    sheet->plan_seconds = bench_now() - start;
}

static void bench_sheet_close(bench_sheet *sheet)
{
    free(sheet->memory);
    free(sheet->triangles);
    free(sheet->positions);
}

/* `steps` steps of `dt`; vertices a side = cells + 1. With is_refereed, CHOLMOD factors and solves the
   cloth's S now and then, off the clock. */
static void bench_step_sheet(const char *scene, dc_index cells, int steps, double dt,
                             int is_refereed)
{
    enum { REFEREE_EVERY = 100 };
    double *seconds = (double *)bench_alloc((size_t)steps * sizeof(double));
    double total = 0, newton = 0, cg = 0, strain_rms = 0, strain_peak = 0, error_max = 0;
    dc_index substeps = 0;
    bench_referee referee;
    bench_sheet sheet;
    int i;
    bench_sheet_open(&sheet, cells);
    if (is_refereed) bench_referee_open(&referee, dci_world_cloth(sheet.world, 0));
    for (i = 0; i < steps; i++) {
        double start = bench_now();
        dc_report report;
        dc_measures measures;
        dc_error error;
        if (dc_world_step(sheet.world, (dc_real)dt, &report, &error) != DC_OK)
            bench_fail("step", &error);
        seconds[i] = bench_now() - start;
        total += seconds[i];
        newton += (double)report.counters.newton_iterations;
        cg += (double)report.counters.cg_iterations;
        substeps += report.substeps;
        if ((double)report.constraint_error > error_max)
            error_max = (double)report.constraint_error;
        measures = dc_cloth_measure(sheet.world, 0);
        if ((double)measures.strain_rms > strain_rms) strain_rms = (double)measures.strain_rms;
        if ((double)measures.strain_max > strain_peak) strain_peak = (double)measures.strain_max;
        if (i % 50 == 49) fprintf(stderr, "%s: step %d of %d\n", scene, i + 1, steps);
        if (is_refereed && i % REFEREE_EVERY == REFEREE_EVERY - 1)
            bench_referee_time(&referee, dci_world_cloth(sheet.world, 0));
    }
    bench_metric(scene, "seconds", total / steps, "s");
    bench_metric(scene, "median", bench_median(seconds, steps), "s");
    bench_metric(scene, "longest", seconds[steps - 1], "s");
    bench_metric(scene, "newton", newton / steps, "iterations/step");
    bench_metric(scene, "cg", cg / steps, "iterations/step");
    bench_metric(scene, "substeps", (double)substeps / steps, "substeps/step");
    bench_metric(scene, "constraint_error", error_max, "relative");
    bench_metric(scene, "strain_rms", strain_rms, "relative");
    bench_metric(scene, "strain_peak", strain_peak, "relative");
    bench_metric(scene, "arena_bytes", (double)sheet.info.bytes, "bytes");
    bench_metric(scene, "plan_seconds", sheet.plan_seconds, "s");
    if (is_refereed && referee.count > 0)
        bench_metric(scene, "over_cholmod_factor",
                     total / steps / bench_median(referee.seconds, referee.count), "x");
    if (is_refereed) bench_referee_close(&referee);
    bench_sheet_close(&sheet);
    free(seconds);
}

static void bench_step(void)
{
    int steps = bench_steps(1000);
    bench_step_sheet("step.30x30", 29, steps, 0.001, 0);
    bench_step_sheet("step.100x100", 99, steps, 0.001, 1);
}

/* ---- growth: the same sheet from the start, at several sizes ---- */

/* Mean seconds, processor time, of the steps after the first ones, which find their way into the
   motion. */
static double bench_growth_sheet(const bench_size *size, int steps, int skipped)
{
    double *seconds = (double *)bench_alloc((size_t)steps * sizeof(double)), mean;
    double newton = 0, cg = 0;
    bench_sheet sheet;
    char name[40];
    int i;
    snprintf(name, sizeof name, "step.growth.%s", size->name);
    bench_sheet_open(&sheet, size->cells);
    for (i = 0; i < steps; i++) {
        double start = bench_busy();
        dc_report report;
        dc_error error;
        if (dc_world_step(sheet.world, DCI_R(0.001), &report, &error) != DC_OK)
            bench_fail("step", &error);
        seconds[i] = bench_busy() - start;
        fprintf(stderr, "%s: step %d of %d\n", name, i + 1, steps);
        if (i < skipped) continue;
        newton += (double)report.counters.newton_iterations;
        cg += (double)report.counters.cg_iterations;
    }
    mean = bench_mean(seconds + skipped, steps - skipped);
    bench_metric(name, "seconds", mean, "s");
    bench_metric(name, "newton", newton / (steps - skipped), "iterations/step");
    bench_metric(name, "cg", cg / (steps - skipped), "iterations/step");
    bench_metric(name, "arena_bytes", (double)sheet.info.bytes, "bytes");
    bench_metric(name, "plan_seconds", sheet.plan_seconds, "s");
    bench_sheet_close(&sheet);
    free(seconds);
    return mean;
}

/* Steps of a millisecond; the exponent p of seconds ~ triangles^p from the smallest to the largest.
   BENCH_SIZES in the environment limits the sizes, BENCH_STEPS the steps. */
static void bench_growth(void)
{
    enum { STEPS = 20, SKIPPED = 5 };
    int steps = bench_steps(STEPS), skipped = steps > SKIPPED ? SKIPPED : 0, i;
    double least = 0, most = 0;
    for (i = 0; i < BENCH_SIZES; i++) {
        double mean;
        if (!bench_wants(bench_sizes[i].name)) continue;
        mean = bench_growth_sheet(&bench_sizes[i], steps, skipped);
        if (i == 0) least = mean;
        if (i == BENCH_SIZES - 1) most = mean;
    }
    if (least > 0 && most > 0)
        bench_metric("step.growth", "exponent", log(most / least) / bench_size_span(), "1");
}

/* ---- ccd: continuous collision tests of the query sets ---- */

enum { CCD_REPEATS = 21 };

static void bench_ccd(void)
{
    static ccd_query queries[QUERIES_MAX];
    double seconds[CCD_REPEATS];
    int count = ccd_read_all(queries), repeat, i, answers = 0;
    if (count == 0) {
        fprintf(stderr, "ccd: query sets skipped\n");
        return;
    }
    for (repeat = 0; repeat < CCD_REPEATS; repeat++) {
        double start = bench_now();
        for (i = 0; i < count; i++) {
            const ccd_query *q = &queries[i];
            dc_ccd_result result = q->is_edges ? dc_ccd_edge_edge(q->start, q->end, 0)
                                               : dc_ccd_vertex_triangle(q->start, q->end, 0);
            answers += result.answer == DC_CCD_CLEAR;
        }
        seconds[repeat] = (bench_now() - start) / count;
    }
    bench_metric("ccd.query", "seconds", bench_median(seconds, CCD_REPEATS), "s");
    bench_metric("ccd.query", "clear", (double)answers / CCD_REPEATS / count, "part");
}

/* ---- collide: the scene `sphere`, whole steps; then collisions alone at several sizes ---- */

enum { COLLIDE_CELLS = 99, COLLIDE_STEPS = 600, COLLIDE_SAMPLED = 10 };

static void bench_scene_open(scene *s, int cells)
{
    failure why;
    if (!scene_open(s, "sphere", cells, &why)) {
        fprintf(stderr, "bench: %s\n", why.text);
        exit(1);
    }
}

/* Seconds of a step's first part alone, the candidate state before any collision. It is computed into
   the trial state, so the step that follows makes it once more, from the same. */
static double bench_advance(scene *s)
{
    dc_real dt = (dc_real)s->kind->dt;
    dci_span span = {dt, 0, 1, 0};
    double start = bench_now();
    dc_report report;
    dc_error error;
    memset(&report, 0, sizeof report);
    report.worst_body = DC_NONE;
    if (dci_world_advance_each(s->world, &span, &report, &error) != DC_OK)
        bench_fail("advance", &error);
    return bench_now() - start;
}

/* The first 0.6 s, in which the sheet falls on the ball and drapes. BENCH_STEPS in the environment
   makes it shorter. The share of collisions is what of whole steps is not the advance of cloths that do
   not collide, measured at every tenth step. */
static void bench_collide_sphere(void)
{
    int steps = bench_steps(COLLIDE_STEPS), touching = 0, i;
    double *seconds, total = 0, sampled = 0, advance = 0, contacts = 0, pairs = 0;
    scene s;
    seconds = (double *)bench_alloc((size_t)steps * sizeof(double));
    bench_scene_open(&s, COLLIDE_CELLS);
    for (i = 0; i < steps; i++) {
        int is_sampled = i % COLLIDE_SAMPLED == COLLIDE_SAMPLED - 1, count;
        double alone = is_sampled ? bench_advance(&s) : 0, start = bench_now();
        dc_report report;
        dc_error error;
        if (scene_step(&s, &report, &error) != DC_OK) bench_fail("step", &error);
        seconds[i] = bench_now() - start;
        total += seconds[i];
        advance += alone;
        sampled += is_sampled ? seconds[i] : 0;
        count = (int)(report.counters.vertex_contacts + report.counters.edge_contacts);
        contacts += count;
        touching += count > 0;
        pairs = fmax(pairs, (double)report.counters.pairs);
        if (i % 50 == 49) fprintf(stderr, "collide.sphere: step %d of %d\n", i + 1, steps);
    }
    bench_metric("collide.sphere", "seconds", total / steps, "s");
    bench_metric("collide.sphere", "median", bench_median(seconds, steps), "s");
    bench_metric("collide.sphere", "longest", seconds[steps - 1], "s");
    if (sampled > 0) bench_metric("collide.sphere", "share", 1 - advance / sampled, "part");
    if (touching > 0)
        bench_metric("collide.sphere", "contacts", contacts / touching, "contacts/step");
    bench_metric("collide.sphere", "pairs", pairs, "pairs");
    scene_close(&s);
    free(seconds);
}

/* A point of the flat sheet, laid on the ball: as far from the axis along the surface as it was, over
   the ball down to its equator, straight down, and out above the floor; `gap` [m] from the ball.
   Circles around the axis shrink instead of folding. */
static dc_vec3 bench_lay(dc_vec3 p, double radius, double gap)
{
    static const double QUARTER = 1.57079632679489662, FOOT = 0.1; /* [rad], [m] */
    double far = sqrt((double)(p.x * p.x + p.z * p.z)), r = radius + gap, angle = far / r;
    double down = far - QUARTER * r, out = r, y = radius - down;
    if (angle < QUARTER) {
        out = r * sin(angle);
        y = radius + r * cos(angle);
    } else if (y < FOOT) {
        out = r + FOOT - y;
        y = FOOT;
    }
    p.x *= far > 0 ? (dc_real)(out / far) : 0;
    p.y = (dc_real)y;
    p.z *= far > 0 ? (dc_real)(out / far) : 0;
    return p;
}

/* Puts the scene's sheet on its ball, at rest and within reach of repulsion, and its trial state where
   a millisecond of gravity would lead. */
static void bench_lay_sheet(scene *s)
{
    dci_cloth *cloth = dci_world_cloth(s->world, 0);
    dc_real dt = (dc_real)s->kind->dt, fall = s->gravity.y * dt;
    double gap = (double)cloth->desc.thickness / 2;
    dc_index k;
    for (k = 0; k < cloth->element.node_count; k++) {
        dc_vec3 p = bench_lay(cloth->state.x[k], (double)s->obstacle[0].radius, gap);
        cloth->state.x[k] = cloth->state.x_prev[k] = cloth->trial.x_prev[k] = p;
        cloth->state.v[k] = cloth->state.v_prev[k] = cloth->trial.v_prev[k] = dci_vec(0, 0, 0);
        cloth->trial.v[k] = dci_vec(0, fall, 0);
        cloth->trial.x[k] = dci_vec_axpy(p, dt, cloth->trial.v[k]);
    }
    dc_sparse_multiply(&cloth->element.vertex, 3, dci_const_reals(cloth->state.x),
                       dci_reals(cloth->vertex_x));
}

/* Median seconds of the collisions of one step. */
static double bench_collide_alone(const char *size, int cells)
{
    enum { REPEATS = 15 };
    double seconds[REPEATS], median;
    char name[40];
    dc_report report;
    dc_error error;
    scene s;
    dc_vec3 *flat;
    size_t bytes;
    int i;
    snprintf(name, sizeof name, "collide.growth.%s", size);
    fprintf(stderr, "%s: %d cells a side\n", name, cells);
    bench_scene_open(&s, cells);
    s.world->surface.has_rows = 0; /* the stages alone */
    bytes = (size_t)dci_world_cloth(s.world, 0)->element.node_count * sizeof *flat;
    flat = (dc_vec3 *)bench_alloc(bytes);
    memcpy(flat, dci_world_cloth(s.world, 0)->state.x, bytes);
    for (i = 0; i < REPEATS; i++) {
        dci_span span = {(dc_real)s.kind->dt, 0, 1, 0};
        double start;
        memcpy(dci_world_cloth(s.world, 0)->state.x, flat, bytes);
        bench_lay_sheet(&s);
        memset(&report, 0, sizeof report);
        start = bench_now();
        if (dci_world_collide(s.world, &span, &report, &error) != DC_OK)
            bench_fail("collide", &error);
        seconds[i] = bench_now() - start;
    }
    median = bench_median(seconds, REPEATS);
    bench_metric(name, "seconds", median, "s");
    bench_metric(name, "contacts",
                 (double)(report.counters.vertex_contacts + report.counters.edge_contacts),
                 "contacts");
    bench_metric(name, "pairs", (double)report.counters.pairs, "pairs");
    free(flat);
    scene_close(&s);
    return median;
}

/* One step of the scene's sheet, laid on the ball as a whole: 2 cells^2 triangles. The exponent p of
   seconds ~ triangles^p is that from the smallest to the largest. */
static void bench_collide(void)
{
    static const int cells[3] = {50, 112, 224};
    double least, most;
    bench_collide_sphere();
    least = bench_collide_alone("5k", cells[0]);
    bench_collide_alone("25k", cells[1]);
    most = bench_collide_alone("100k", cells[2]);
    bench_metric("collide.growth", "exponent",
                 log(most / least) / (2 * log((double)cells[2] / cells[0])), "1");
}

/* ---- frame: what a picture of the scene `sphere` costs, a 60th of a second, 30 x 30 vertices ---- */

/* The first 1.5 s: the fall, the drape, and 0.7 s of rest. Frames end at the step nearest to their
   time. Where a step fails, only when is told. Processor time. What peers are compared with. */
static bench_tally bench_frame_dt(const char *name, double dt, dc_quality quality)
{
    bench_tally tally = bench_tally_begin();
    int frame, frames = bench_steps(FRAME_COUNT), step = 0;
    dc_index substeps = 0;
    scene s;
    bench_frame_open(&s, quality);
    for (frame = 0; frame < frames; frame++) {
        double start = bench_busy();
        for (; (step + 0.5) * dt < (frame + 1.0) / XPBD_FPS; step++) {
            dc_report report;
            dc_error error;
            if (dc_world_step(s.world, (dc_real)dt, &report, &error) != DC_OK) {
                fprintf(stderr, "%s: %s\n", name, error.what);
                bench_metric(name, "stopped", step * dt, "s");
                scene_close(&s);
                return bench_tally_begin();
            }
            substeps += report.substeps;
        }
        bench_tally_world(&tally, bench_busy() - start, s.world);
    }
    tally.crossings = bench_crossings(&s.cloth[0].shape.mesh, dc_body_positions(s.world, 0));
    bench_tally_end(&tally, name);
    bench_metric(name, "substeps", (double)substeps / frames, "substeps/frame");
    scene_close(&s);
    return tally;
}

/* XPBD is compared with DC_REAL_TIME. BENCH_STEPS in the environment limits the frames. */
static void bench_frame(void)
{
    double dt = 1.0 / (XPBD_FPS * FRAME_STEPS);
    bench_tally ours;
    bench_frame_dt("frame.30x30", dt, DC_EXACT);
    ours = bench_frame_dt("frame.real_time", dt, DC_REAL_TIME);
    bench_frame_xpbd("frame.xpbd20", 20, &ours);
    bench_frame_xpbd("frame.xpbd40", 40, &ours);
    bench_small_steps();
    bench_fold();
    bench_frame_dt("frame.30x30.dt_1ms", 0.001, DC_EXACT);
    bench_frame_dt("frame.30x30.dt_120th", 1.0 / 120, DC_EXACT);
}

/* ---- wang: the scenes of [Wan12] table 4.1 ---- */

typedef struct bench_wang_row {
    const char *name, *scene;
    int cells;
    scene_choice choice;
    double lead;  /* [s] from the start until there is contact: not measured */
    double paper; /* [s] a step in the paper, on a Core 2 Duo of 2 GHz: for orientation only */
} bench_wang_row;

/* The paper's strain limits are .1% and 10%, the shirt's 1%; ours are of squared lengths, so these are
   half of the first, and the library's own 1e-4. */
/* clang-format off */
static const bench_wang_row bench_wang_rows[] = {
    {"wang.ball20k", "turning", 100, {.is_isometric = 1, .tolerance = 1e-3},
     0.1, 18.7},
    {"wang.shell10k", "shell", 34, {0}, 0.1, 18.1},
    {"wang.shirt10k", "shirt", 45, {.is_isometric = 1}, 0.1, 30.8},
};
/* clang-format on */

/* The median of WANG_STEPS whole steps: the ball when the sheet begins to drape, the landing of the
   shell, the shirt when it comes to lie on the shoulders; the largest numbers are of all steps from
   the start. Where a step fails, when is told. Processor time. */
static void bench_wang_scene(const bench_wang_row *row)
{
    enum { WANG_STEPS = 30 };
    double seconds[WANG_STEPS], contacts = 0, error_max = 0, newton_max = 0;
    int steps = bench_steps(WANG_STEPS), i;
    failure why;
    scene s;
    if (!scene_open_as(&s, row->scene, row->cells, &row->choice, &why)) {
        fprintf(stderr, "bench: %s\n", why.text);
        exit(1);
    }
    for (i = 0; i < steps;) {
        double start = bench_busy();
        dc_report report;
        dc_error error;
        int is_lead = (double)dc_world_time(s.world) < row->lead;
        if (scene_step(&s, &report, &error) != DC_OK) {
            fprintf(stderr, "%s: %s\n", row->name, error.what);
            bench_metric(row->name, "stopped", (double)dc_world_time(s.world), "s");
            break;
        }
        newton_max = fmax(newton_max, (double)report.counters.newton_iterations);
        error_max = fmax(error_max, (double)report.contact_error);
        if (is_lead) continue;
        seconds[i++] = bench_busy() - start;
        contacts += (double)report.counters.contact_rows;
    }
    bench_metric(row->name, "steps", i, "steps");
    if (i > 0) {
        double median = bench_median(seconds, i);
        bench_metric(row->name, "seconds", median, "s");
        bench_metric(row->name, "over_paper", median / row->paper, "x");
        bench_metric(row->name, "longest", seconds[i - 1], "s");
        bench_metric(row->name, "contacts", contacts / i, "rows/step");
        bench_metric(row->name, "contact_error", error_max, "relative");
        bench_metric(row->name, "newton_max", newton_max, "iterations/step");
    }
    bench_metric(row->name, "triangles", s.cloth[0].shape.mesh.triangle_count, "triangles");
    bench_metric(row->name, "surface", dc_body_mesh(s.world, 0)->triangle_count, "triangles");
    scene_close(&s);
}

static void bench_wang(void)
{
    size_t i;
    for (i = 0; i < sizeof bench_wang_rows / sizeof *bench_wang_rows; i++)
        bench_wang_scene(&bench_wang_rows[i]);
}

/* ---- drape: where the sheets of Chen & Tang 2010 come to rest ---- */

enum { DRAPE_BYTES = 64 << 20 }; /* ample */

/* Makes and solves the scene's drape once, in `memory` (DRAPE_BYTES); processor time of all
   of it, and of making it. A drape that does not come to rest is told, and counts as it is. */
static void bench_drape_once(const char *name, void *memory, double *seconds, double *plan_seconds,
                             dc_drape_report *report)
{
    drape_scene s;
    dc_error error;
    failure why;
    double start;
    dc_drape *drape;
    if (!drape_scene_build(&s, name, NULL, &why)) {
        fprintf(stderr, "bench: %s\n", why.text);
        exit(1);
    }
    start = bench_busy();
    if (dc_drape_init(&s.desc, memory, DRAPE_BYTES, &drape, NULL, &error) != DC_OK)
        bench_fail(name, &error);
    *plan_seconds = bench_busy() - start;
    if (dc_drape_solve(drape, NULL, &error) != DC_OK)
        fprintf(stderr, "drape.%s: %s\n", name, error.what);
    *seconds = bench_busy() - start;
    *report = dc_drape_look(drape);
    drape_scene_close(&s);
}

/* The median of some runs, which are the same to the bit. All share one block of memory, so that
   the first touch of its pages by the system is not counted as planning. */
static double bench_drape_scene(const drape_kind *kind, void *memory)
{
    enum { REPEATS = 5 };
    double seconds[REPEATS], plan_seconds[REPEATS], median;
    int repeats = bench_steps(REPEATS), i;
    dc_drape_report report;
    char name[40];
    for (i = 0; i < repeats; i++)
        bench_drape_once(kind->name, memory, &seconds[i], &plan_seconds[i], &report);
    snprintf(name, sizeof name, "drape.%s", kind->name);
    median = bench_median(seconds, repeats);
    bench_metric(name, "seconds", median, "s");
    bench_metric(name, "plan_seconds", bench_median(plan_seconds, repeats), "s");
    bench_metric(name, "iterations", (double)report.iterations, "iterations");
    bench_metric(name, "factorizations", (double)report.factorizations, "factorizations");
    bench_metric(name, "is_at_rest", report.state == DC_DRAPE_AT_REST, "1");
    return median;
}

static void bench_drape(void)
{
    int count, i;
    const drape_kind *kinds = drape_kinds(&count);
    void *memory = bench_alloc(DRAPE_BYTES);
    double worst = 0;
    for (i = 0; i < count; i++) worst = fmax(worst, bench_drape_scene(&kinds[i], memory));
    bench_metric("drape.worst", "seconds", worst, "s");
    free(memory);
}

/* ---- size: the table of the README, by the number of vertices ---- */

/* A frame is a 60th of a second in four steps; all else is as the defaults have it. */
enum { SIZE_FPS = 60, SIZE_STEPS = 4, SIZE_FRAMES = 60 };

/* The first second; processor time. BENCH_STEPS in the environment limits the frames. */
static void size_frames(const char *name, dc_world *world)
{
    double seconds[SIZE_FRAMES];
    int frames = bench_steps(SIZE_FRAMES), frame, k;
    dc_error error;
    for (frame = 0; frame < frames; frame++) {
        double start = bench_busy();
        for (k = 0; k < SIZE_STEPS; k++)
            if (dc_world_step(world, DCI_R(1) / (SIZE_FPS * SIZE_STEPS), NULL, &error) != DC_OK)
                bench_fail(name, &error);
        seconds[frame] = 1e3 * (bench_busy() - start);
    }
    bench_metric(name, "median", bench_median(seconds, frames), "ms/frame");
    bench_metric(name, "p95", seconds[(frames - 1) * 95 / 100], "ms/frame");
}

/* A sheet of 1 m swings from two corners; nothing collides. With memory for the other solver. */
static void size_hung(int cells)
{
    bench_sheet sheet;
    dc_info info;
    dc_error error;
    size_t bytes;
    double start = bench_busy();
    char name[40];
    snprintf(name, sizeof name, "sheets.hung.%dx%d", cells + 1, cells + 1);
    bench_sheet_open(&sheet, cells);
    bench_metric(name, "plan", 1e3 * (bench_busy() - start), "ms");
    bytes = sheet.info.bytes;
    bench_metric(name, "memory", 1e-6 * (double)sheet.info.bytes, "MB");
    size_frames(name, sheet.world);
    sheet.cloth.solver.linear_solver = DC_LINEAR_CG;
    if (dc_world_init(&sheet.desc, sheet.memory, bytes, &sheet.world, &info, &error) != DC_OK)
        bench_fail(name, &error);
    bench_metric(name, "memory_cg", 1e-6 * (double)info.bytes, "MB");
    bench_sheet_close(&sheet);
}

/* The scene `sphere`: a sheet of 1 m drapes over a ball. */
static void size_ball(int cells)
{
    enum { CELLS_MAX = 49 }; /* the frames of more take minutes: of those memory alone */
    double start = bench_busy();
    char name[40];
    scene s;
    snprintf(name, sizeof name, "sheets.ball.%dx%d", cells + 1, cells + 1);
    bench_scene_open(&s, cells);
    bench_metric(name, "plan", 1e3 * (bench_busy() - start), "ms");
    bench_metric(name, "memory", 1e-6 * (double)s.sim.info.bytes, "MB");
    if (cells <= CELLS_MAX) size_frames(name, s.world);
    scene_close(&s);
}

static void bench_sheets(void)
{
    static const int cells[] = {9, 19, 29, 49, 99};
    size_t i;
    for (i = 0; i < sizeof cells / sizeof *cells; i++) {
        size_hung(cells[i]);
        size_ball(cells[i]);
    }
}

/* ---- size: code on a microcontroller, by the compiler for one ---- */

static void bench_code(void)
{
    fflush(stdout);
    if (system("sh tests/compile/parts.sh metrics") != 0) fprintf(stderr, "bench: size failed\n");
}

/* ---- Groups ---- */

/* Those with dashes run only if asked for: they print no metrics. */
static const struct {
    const char *name;
    void (*run)(void);
} groups[] = {{"step", bench_step},       {"growth", bench_growth},   {"ccd", bench_ccd},
              {"collide", bench_collide}, {"frame", bench_frame},     {"wang", bench_wang},
              {"drape", bench_drape},     {"contact", bench_contact}, {"ribbon", bench_ribbon},
              {"solver", bench_solver},   {"sheets", bench_sheets},   {"size", bench_code},
              {"--pictures", bench_frame_pictures}};

int main(int argument_count, char **arguments)
{
    int group_count = (int)(sizeof groups / sizeof *groups), i, k;
    for (i = 1; i < argument_count; i++) {
        for (k = 0; k < group_count && strcmp(groups[k].name, arguments[i]) != 0; k++) {
        }
        if (k == group_count) {
            fprintf(stderr, "bench: no group %s; there are:", arguments[i]);
            for (k = 0; k < group_count; k++) fprintf(stderr, " %s", groups[k].name);
            fprintf(stderr, "\n");
            return 2;
        }
        groups[k].run();
    }
    for (k = 0; argument_count < 2 && k < group_count; k++)
        if (groups[k].name[0] != '-') groups[k].run();
    return 0;
}
