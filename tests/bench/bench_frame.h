/* frame: what the library and its peer, XPBD, are compared by: time, strain, crossings, whether the
   mesh locks; and pictures of both. */
#ifndef BENCH_FRAME_H
#define BENCH_FRAME_H

#include "../../examples/common/mesh_crossings.h"
#include "../../examples/common/png.h"
#include "../../examples/common/render.h"
#include "../../examples/common/scenes_draw.h"
#include "xpbd.h"

/* Of the scene `sphere`: 30 x 30 vertices, 1.5 s. */
enum { FRAME_CELLS = 29, FRAME_COUNT = 90 };

enum { FRAME_STEPS = 4 };

/* Frames in which the sheet lands and folds, and from which on it only settles. */
enum { FRAME_LANDS = 4, FRAME_HANGS = 25, FRAME_RESTS = 60 };

static void bench_check(const char *doing, int is_fine, const failure *why)
{
    if (is_fine) return;
    fprintf(stderr, "bench: %s: %s\n", doing, why->text);
    exit(1);
}

static void bench_frame_open(scene *s, dc_quality quality)
{
    scene_choice choice = {0};
    failure why;
    choice.is_real_time = quality == DC_REAL_TIME;
    bench_check("frame", scene_open_as(s, "sphere", FRAME_CELLS, &choice, &why), &why);
}

/* ---- What is measured of the frames ---- */

typedef struct bench_tally {
    double seconds[FRAME_COUNT]; /* processor time of each frame */
    int count;
    double strain_sq, strain_max; /* of drawn edges: sum of mean squares, largest */
    double rigid_sq, rigid_max;   /* of the library's triangles likewise */
    double median;                /* [s] */
    double potential;             /* [J] of gravity at the end, 0 on the floor */
    dc_index crossings;           /* edges and triangles that cross at the end */
} bench_tally;

static bench_tally bench_tally_begin(void)
{
    bench_tally tally;
    memset(&tally, 0, sizeof tally);
    return tally;
}

static void bench_tally_add(bench_tally *tally, double seconds, double strain_rms,
                            double strain_max, double potential)
{
    tally->seconds[tally->count++] = seconds;
    tally->strain_sq += strain_rms * strain_rms;
    tally->strain_max = fmax(tally->strain_max, strain_max);
    tally->potential = potential;
}

/* The library's drawn edges, which join corners, strain more than the sides of its triangles, which
   are what it keeps. */
static void bench_tally_world(bench_tally *tally, double seconds, const dc_world *world)
{
    const dci_cloth *cloth = dci_world_cloth(world, 0);
    dc_measures m = dc_cloth_measure(world, 0);
    double sum = 0;
    dc_index row, end[2];
    for (row = 0; row < cloth->rows.length_count; row++) {
        double strain;
        dci_rows_ends(&cloth->rows, row, end);
        strain = vec_length(vec_sub(cloth->state.x[end[0]], cloth->state.x[end[1]])) /
                     (double)dci_rows_rest(&cloth->rows, row) -
                 1;
        sum += strain * strain;
        tally->rigid_max = fmax(tally->rigid_max, fabs(strain));
    }
    tally->rigid_sq += sum / cloth->rows.length_count;
    bench_tally_add(tally, seconds, (double)m.strain_rms, (double)m.strain_max, (double)m.gravity);
}

static void bench_tally_end(bench_tally *tally, const char *name)
{
    int n = tally->count;
    bench_metric(name, "seconds", bench_mean(tally->seconds, n), "s/frame");
    if (n == FRAME_COUNT) {
        const double *seconds = tally->seconds;
        bench_metric(name, "landing", bench_mean(seconds + FRAME_LANDS, FRAME_HANGS - FRAME_LANDS),
                     "s/frame");
        bench_metric(name, "rest", bench_mean(seconds + FRAME_RESTS, FRAME_COUNT - FRAME_RESTS),
                     "s/frame");
    }
    tally->median = bench_median(tally->seconds, n);
    bench_metric(name, "median", tally->median, "s/frame");
    bench_metric(name, "p95", tally->seconds[(n - 1) * 95 / 100], "s/frame");
    bench_metric(name, "longest", tally->seconds[n - 1], "s/frame");
    bench_metric(name, "strain_rms", sqrt(tally->strain_sq / n), "relative");
    bench_metric(name, "strain_max", tally->strain_max, "relative");
    if (tally->rigid_max > 0) {
        bench_metric(name, "rigid_strain_rms", sqrt(tally->rigid_sq / n), "relative");
        bench_metric(name, "rigid_strain_max", tally->rigid_max, "relative");
    }
    bench_metric(name, "potential", tally->potential, "J");
    bench_metric(name, "crossings", (double)tally->crossings, "pairs");
}

/* Pairs of an edge and a triangle of the sheet that cross at these positions. */
static dc_index bench_crossings(const dc_mesh_desc *mesh, const dc_vec3 *positions)
{
    char *is_sound = (char *)bench_alloc((size_t)mesh->triangle_count);
    dc_mesh_desc now = *mesh;
    mesh_crossings c;
    failure why;
    now.positions = positions;
    memset(is_sound, 1, (size_t)mesh->triangle_count);
    bench_check("crossings", mesh_crossings_find(&c, &now, is_sound, &why), &why);
    free(is_sound);
    return c.count;
}

/* ---- The peer in the same scene ---- */

static void bench_frame_xpbd(const char *name, int substeps, const bench_tally *ours)
{
    bench_tally tally = bench_tally_begin();
    int frames = bench_steps(FRAME_COUNT), frame;
    scene s;
    xpbd peer;
    bench_frame_open(&s, DC_EXACT);
    xpbd_open(&peer, &s.cloth[0].desc, s.gravity, s.obstacle, s.obstacle_count);
    for (frame = 0; frame < frames; frame++) {
        double start = bench_busy(), seconds, rms, most;
        xpbd_frame(&peer, substeps);
        seconds = bench_busy() - start;
        xpbd_strain(&peer, &rms, &most);
        bench_tally_add(&tally, seconds, rms, most, xpbd_potential(&peer));
    }
    tally.crossings = bench_crossings(&s.cloth[0].shape.mesh, peer.x);
    bench_tally_end(&tally, name);
    if (ours->count > 0) {
        bench_metric(name, "library_over_it", ours->median / tally.median, "x");
        bench_metric(name, "potential_ratio", tally.potential / ours->potential, "1");
    }
    xpbd_close(&peer);
    scene_close(&s);
}

/* ---- Whether a mesh locks: a square sheet hangs over its diagonal ----

   Vertices along a diagonal of the square are held in a level line, and the halves fall. A limp
   sheet that does not stretch hangs straight down on both sides, its centre of mass a third of the
   height of a half below the line:

     fall = a / (3 sqrt 2)                       side a

   The mesh is cut by diagonals all in one direction. Where the line is one of them, the mesh can
   fold at it. Where it is the other diagonal, rows of vertices parallel to the line are
   a / (n sqrt 2) apart, and edges join each row to the next but one, straight across. As long as
   rows stay straight, rigid edges hold all of them in one plane: the sheet does not fall at all.

   The metrics `along` and `across` are the fall, relative to that of the limp sheet. The library's
   across is short of 1 by what the fold takes, in proportion to the cells: .62, .78, .88 for 10, 20,
   40. XPBD falls as far as its edges stretch. With more sub-steps they stretch less, and it stops
   falling: it locks. frame.fold.xpbd160 shows that; along, the same still falls. */

enum { FOLD_CELLS = 20, FOLD_SECONDS = 4 };
enum { FOLD_VERTICES = DC_GRID_VERTICES(FOLD_CELLS, FOLD_CELLS) };

typedef struct bench_fold_sheet {
    dc_vec3 x[FOLD_VERTICES];
    dc_index triangles[3 * DC_GRID_TRIANGLES(FOLD_CELLS, FOLD_CELLS)], pins[FOLD_CELLS + 1];
    dc_cloth_desc cloth;
    dc_world_desc world;
} bench_fold_sheet;

/* Of 1 m. is_across: the held diagonal is not that of the cells. */
static void bench_fold_open(bench_fold_sheet *sheet, int is_across)
{
    static const double DRAG = 0.6; /* [kg/m^2 s] so that it comes to rest */
    int v, k;
    sheet->cloth = dc_cloth_defaults();
    sheet->cloth.mesh =
        dc_grid(FOLD_CELLS, FOLD_CELLS, 1, 1, DC_DIAGONALS_FORWARD, sheet->x, sheet->triangles);
    for (v = 0; v < FOLD_VERTICES; v++)
        sheet->x[v] = vec_make((double)sheet->x[v].x, 0, -(double)sheet->x[v].y);
    for (k = 0; k <= FOLD_CELLS; k++)
        sheet->pins[k] = k * (FOLD_CELLS + 1) + (is_across ? FOLD_CELLS - k : k);
    sheet->cloth.pin_vertices = sheet->pins;
    sheet->cloth.pin_count = FOLD_CELLS + 1;
    sheet->cloth.thickness = (dc_real)(0.25 / FOLD_CELLS); /* as in scenes: it limits velocities */
    sheet->cloth.self_contact = 0;
    sheet->cloth.drag_normal = sheet->cloth.drag_tangential = (dc_real)DRAG;
    sheet->world = dc_world_defaults();
    sheet->world.cloths = &sheet->cloth;
    sheet->world.cloth_count = 1;
}

/* The fall, relative to that of a limp sheet. */
static double bench_fold_part(const bench_fold_sheet *sheet, double potential)
{
    double weight = -(double)sheet->world.gravity.y * (double)sheet->cloth.density;
    return -potential / weight * 3 * sqrt(2);
}

static void bench_fold_library(const char *metric, int is_across)
{
    enum { STEPS = 240 * FOLD_SECONDS };
    static bench_fold_sheet sheet;
    failure why;
    dc_error error;
    sim s;
    int step;
    bench_fold_open(&sheet, is_across);
    bench_check("fold", sim_open(&s, &sheet.world, &error, &why), &why);
    for (step = 0; step < STEPS; step++)
        if (dc_world_step(s.world, DCI_R(1) / 240, NULL, &error) != DC_OK)
            bench_fail("fold", &error);
    bench_metric("frame.fold.library", metric,
                 bench_fold_part(&sheet, (double)dc_cloth_measure(s.world, 0).gravity), "1");
    sim_close(&s);
}

static void bench_fold_xpbd(const char *name, const char *metric, int substeps, int is_across)
{
    enum { FRAMES = XPBD_FPS * FOLD_SECONDS };
    static bench_fold_sheet sheet;
    double rms, most;
    char strain[32];
    xpbd s;
    int frame;
    bench_fold_open(&sheet, is_across);
    xpbd_open(&s, &sheet.cloth, sheet.world.gravity, NULL, 0);
    for (frame = 0; frame < FRAMES; frame++) xpbd_frame(&s, substeps);
    bench_metric(name, metric, bench_fold_part(&sheet, xpbd_potential(&s)), "1");
    xpbd_strain(&s, &rms, &most);
    snprintf(strain, sizeof strain, "%s_strain", metric);
    bench_metric(name, strain, rms, "relative");
    xpbd_close(&s);
}

static void bench_fold(void)
{
    static const char *const metric[2] = {"along", "across"};
    int is_across;
    for (is_across = 0; is_across < 2; is_across++) {
        bench_fold_library(metric[is_across], is_across);
        bench_fold_xpbd("frame.fold.xpbd20", metric[is_across], 20, is_across);
        bench_fold_xpbd("frame.fold.xpbd40", metric[is_across], 40, is_across);
        bench_fold_xpbd("frame.fold.xpbd160", metric[is_across], 160, is_across);
    }
}

/* ---- Pictures: a row each of the library and of the peer, at four times ---- */

enum {
    STRIP_COLUMNS = 4,
    STRIP_ROWS = 3,
    STRIP_WIDTH = 320,
    STRIP_HEIGHT = 240, /* [pixel] of a tile */
    STRIP_FACTOR = 2    /* by which tiles are smaller than what is rendered */
};

/* The frames that are drawn: it lands, folds, comes to rest. */
static const int bench_strip_frame[STRIP_COLUMNS] = {12, 24, 40, 90};

/* Draws the scene, with the peer's sheet instead of its own unless that is NULL. */
static void bench_strip_draw(image *strip, int row, int column, const char *name, const scene *s,
                             const xpbd *peer)
{
    static const image_colour ink = {50, 56, 66};
    render_scene view = render_scene_defaults();
    int x = column * STRIP_WIDTH, y = row * STRIP_HEIGHT;
    image tile;
    char text[64];
    failure why;
    scene_add_bodies(s, 0, &view);
    if (peer) {
        render_mesh *sheet = &view.body[view.body_count - 1].mesh; /* cloths come last */
        sheet->vertex_count = peer->mesh.vertex_count;
        sheet->triangle_count = peer->mesh.triangle_count;
        sheet->triangles = peer->mesh.triangles;
        sheet->positions = peer->x;
    }
    bench_check("pictures",
                image_init(&tile, STRIP_FACTOR * STRIP_WIDTH, STRIP_FACTOR * STRIP_HEIGHT, &why) &&
                    render_draw(&view, &tile, &why),
                &why);
    snprintf(text, sizeof text, "%s, %.2f s", name, bench_strip_frame[column] / (double)XPBD_FPS);
    image_paste(strip, x, y, &tile, STRIP_FACTOR);
    image_text(strip, x + 10, y + 10, 1, ink, text);
    image_free(&tile);
}

/* A row of the strip: the peer, or without sub-steps the library as frame.real_time. */
static void bench_strip_row(image *strip, int row, const char *name, int substeps)
{
    int column, frame = 0, k;
    dc_error error;
    scene s;
    xpbd peer;
    bench_frame_open(&s, DC_REAL_TIME);
    if (substeps > 0) xpbd_open(&peer, &s.cloth[0].desc, s.gravity, s.obstacle, s.obstacle_count);
    for (column = 0; column < STRIP_COLUMNS; column++) {
        for (; frame < bench_strip_frame[column]; frame++) {
            if (substeps > 0) xpbd_frame(&peer, substeps);
            for (k = 0; substeps == 0 && k < FRAME_STEPS; k++)
                if (dc_world_step(s.world, DCI_R(1) / (XPBD_FPS * FRAME_STEPS), NULL, &error) !=
                    DC_OK)
                    bench_fail(name, &error);
        }
        bench_strip_draw(strip, row, column, name, &s, substeps > 0 ? &peer : NULL);
    }
    if (substeps > 0) xpbd_close(&peer);
    scene_close(&s);
}

static void bench_frame_pictures(void)
{
    static const char path[] = "out/bench/frame.png";
    image strip;
    failure why;
    bench_check(path, files_make_directory("out/bench", &why), &why);
    bench_check(path,
                image_init(&strip, STRIP_COLUMNS * STRIP_WIDTH, STRIP_ROWS * STRIP_HEIGHT, &why),
                &why);
    bench_strip_row(&strip, 0, "devcloth", 0);
    bench_strip_row(&strip, 1, "XPBD, 20 sub-steps", 20);
    bench_strip_row(&strip, 2, "XPBD, 40 sub-steps", 40);
    bench_check(path, png_write(path, &strip, &why), &why);
    image_free(&strip);
    fprintf(stderr, "bench: wrote %s\n", path);
}

#endif
