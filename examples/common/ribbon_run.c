#include "ribbon_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "obj.h"
#include "pattern.h"
#include "png.h"
#include "scenes_draw.h"
#include "tiles.h"

/* ---- What happened ---- */

/* The columns of the CSV, in its order. Counts are sums, others the largest, since the frame before;
   energies are those at the frame. */
enum {
    TIME,  /* [s] */
    STEPS, /* from here to CERTIFIED: sums */
    SUBSTEPS,
    ITERATIONS,
    EVALUATIONS,
    REPULSIONS,
    IMPULSES,
    MERGES,
    CERTIFIED,
    ROUNDS, /* from here to SLOWEST: the largest */
    ERROR,  /* [m] */
    AREA,   /* [1] */
    LIMIT,  /* [1] */
    GAP,    /* [m] */
    PAIRS,
    WORLD_SUBSTEPS,
    SLOWEST, /* [s] of computing */
    SECONDS, /* [s] of computing */
    KINETIC, /* [J] */
    GRAVITY,
    BENDING,
    RULING,
    ATTACHED,
    COLUMNS
};

static const char *const names[COLUMNS] = {
    "time_s",         "steps",          "substeps",     "iterations",      "evaluations",
    "repulsions",     "impulses",       "merges",       "certified_steps", "rounds",
    "end_error_m",    "area_error",     "crease_limit", "gap_m",           "pairs",
    "world_substeps", "slowest_step_s", "computing_s",  "kinetic_J",       "gravity_J",
    "bending_J",      "ruling_J",       "attached_J"};

typedef struct ribbon_files {
    ribbon_scene *scene;
    const ribbon_run_desc *desc;
    image picture;
    tiles contact;
    output csv;
    int frames, frame; /* in all; written so far */
    dc_vec3 *x;        /* of all ribbons together (vertex_count) */
    dc_index *corners; /* (triangle_count, 3) */
    dc_index *lines;   /* (line_count, 2) */
    dc_index vertex_count, triangle_count, line_count;
    double now[COLUMNS], all[COLUMNS]; /* since the last frame; of the whole run */
} ribbon_files;

static void record_step(double *now, const dc_report *r, double seconds)
{
    now[STEPS] += 1;
    now[SUBSTEPS] += r->substeps;
    now[ITERATIONS] += r->counters.ribbon_iterations;
    now[EVALUATIONS] += r->counters.ribbon_evaluations;
    now[REPULSIONS] += r->counters.repulsions;
    now[IMPULSES] += r->counters.impulses;
    now[MERGES] += r->counters.merges;
    now[CERTIFIED] += r->is_certified;
    now[ROUNDS] = fmax(now[ROUNDS], r->counters.ribbon_rounds);
    now[ERROR] = fmax(now[ERROR], (double)r->ribbon_error);
    now[PAIRS] = fmax(now[PAIRS], r->counters.pairs);
    now[WORLD_SUBSTEPS] = fmax(now[WORLD_SUBSTEPS], r->counters.world_substeps);
    now[SLOWEST] = fmax(now[SLOWEST], seconds);
    now[SECONDS] += seconds;
}

static void record_state(double *now, const ribbon_scene *s)
{
    int i;
    now[TIME] = (double)dc_world_time(s->world);
    for (i = 0; i < s->body_count; i++) {
        dc_ribbon_measures m = dc_ribbon_measure(s->world, i);
        now[AREA] = fmax(now[AREA], (double)m.area_error);
        now[LIMIT] = fmax(now[LIMIT], (double)m.crease_limit);
        now[GAP] = fmax(now[GAP], (double)m.gap);
        now[KINETIC] += (double)m.kinetic;
        now[GRAVITY] += (double)m.gravity;
        now[BENDING] += (double)m.bending;
        now[RULING] += (double)m.ruling;
        now[ATTACHED] += (double)m.attached;
    }
}

static void record_frame(ribbon_files *f)
{
    int i;
    record_state(f->now, f->scene);
    for (i = 0; i < COLUMNS; i++) {
        fprintf(f->csv.file, "%s%.6g", i ? "," : "\n", f->now[i]);
        if ((i >= STEPS && i <= CERTIFIED) || i == SECONDS)
            f->all[i] += f->now[i];
        else if (i >= ROUNDS && i <= SLOWEST)
            f->all[i] = fmax(f->all[i], f->now[i]);
        else
            f->all[i] = f->now[i];
    }
    memset(f->now, 0, sizeof f->now);
}

/* ---- Meshes ---- */

static int count_meshes(ribbon_files *f, failure *why)
{
    const ribbon_scene *s = f->scene;
    int i;
    for (i = 0; i < s->body_count; i++) {
        dc_index n = s->body[i].desc.segment_count;
        f->vertex_count += dc_body_mesh(s->world, i)->vertex_count;
        f->triangle_count += 2 * n;
        f->line_count += dc_body_mesh(s->world, i)->vertex_count / 2;
    }
    f->x = malloc((size_t)f->vertex_count * sizeof *f->x);
    f->corners = malloc(3 * (size_t)f->triangle_count * sizeof *f->corners);
    f->lines = malloc(2 * (size_t)f->line_count * sizeof *f->lines);
    if (f->x && f->corners && f->lines) return 1;
    return failure_set(why, "not enough memory for %ld vertices", (long)f->vertex_count);
}

/* All ribbons as one mesh, as they are now. Creases have the vertices 2 j and 2 j + 1. */
static void gather(ribbon_files *f)
{
    const ribbon_scene *s = f->scene;
    dc_index first = 0, *corner = f->corners, k;
    int i;
    for (i = 0; i < s->body_count; i++) {
        dc_index count = dc_body_mesh(s->world, i)->vertex_count;
        memcpy(f->x + first, dc_body_positions(s->world, i), (size_t)count * sizeof *f->x);
        for (k = 0; k < 6 * s->body[i].desc.segment_count; k++)
            *corner++ = first + s->body[i].triangles[k];
        first += count;
    }
    for (k = 0; k < 2 * f->line_count; k++) f->lines[k] = k;
}

static int write_mesh(ribbon_files *f, const char *name, failure *why)
{
    char path[FILES_PATH_MAX];
    gather(f);
    return files_join(path, f->desc->directory, name, why) &&
           obj_write(path, f->vertex_count, f->x, f->triangle_count, f->corners, why);
}

static int write_pattern(const ribbon_files *f, failure *why)
{
    const ribbon_scene *s = f->scene;
    pattern_strip strips[RIBBON_BODIES_MAX];
    char path[FILES_PATH_MAX], title[96];
    int i;
    for (i = 0; i < s->body_count; i++) strips[i] = pattern_strip_of(s->world, i, &s->body[i].desc);
    snprintf(title, sizeof title, "%.60s, at %.2f s", s->kind->title,
             (double)dc_world_time(s->world));
    return files_join(path, f->desc->directory, "pattern.svg", why) &&
           pattern_write_svg(path, title, strips, s->body_count, why);
}

/* ---- Pictures ---- */

static int draw(ribbon_files *f, failure *why)
{
    static const double LINES = 1.2; /* [pixel] */
    render_scene view = render_scene_defaults();
    ribbon_add_bodies(f->scene, f->desc->is_plain ? 0 : LINES, &view);
    return render_draw(&view, &f->picture, why);
}

static int write_picture(const ribbon_files *f, const char *name, failure *why)
{
    char path[FILES_PATH_MAX];
    return files_join(path, f->desc->directory, name, why) && png_write(path, &f->picture, why);
}

static int end_frame(ribbon_files *f, failure *why)
{
    char picture[48], mesh[48];
    record_frame(f);
    if (!draw(f, why)) return 0;
    tiles_add(&f->contact, f->frame, (double)dc_world_time(f->scene->world), &f->picture);
    snprintf(picture, sizeof picture, "frames/frame_%04d.png", f->frame);
    snprintf(mesh, sizeof mesh, "meshes/frame_%04d.obj", f->frame);
    f->frame++;
    return write_picture(f, picture, why) && write_mesh(f, mesh, why);
}

/* ---- Open and close ---- */

static int open_csv(ribbon_files *f, failure *why)
{
    char path[FILES_PATH_MAX];
    int i;
    if (!files_join(path, f->desc->directory, "report.csv", why) ||
        !output_open(&f->csv, path, why))
        return 0;
    for (i = 0; i < COLUMNS; i++) fprintf(f->csv.file, "%s%s", i ? "," : "", names[i]);
    return 1;
}

static int open_files(ribbon_files *f, failure *why)
{
    const ribbon_run_desc *d = f->desc;
    char path[FILES_PATH_MAX];
    return image_init(&f->picture, d->size[0], d->size[1], why) &&
           tiles_init(&f->contact, d->size, f->frames, why) && count_meshes(f, why) &&
           run_clear_directory(d->directory, why) &&
           files_join(path, d->directory, "meshes", why) && files_make_directory(path, why) &&
           open_csv(f, why) && end_frame(f, why) && write_mesh(f, "rest.obj", why);
}

static int write_results(ribbon_files *f, failure *why)
{
    char path[FILES_PATH_MAX];
    fprintf(f->csv.file, "\n");
    if (!output_close(&f->csv, why) || !write_mesh(f, "last.obj", why) ||
        !files_join(path, f->desc->directory, "rulings.obj", why) ||
        !obj_write_lines(path, f->vertex_count, f->x, f->line_count, f->lines, why) ||
        !write_pattern(f, why) || !write_picture(f, "last.png", why))
        return 0;
    return files_join(path, f->desc->directory, "contact.png", why) &&
           png_write(path, &f->contact.sheet, why);
}

static void close_files(ribbon_files *f)
{
    if (f->csv.file != NULL) output_discard(&f->csv);
    tiles_free(&f->contact);
    image_free(&f->picture);
    free(f->x);
    free(f->corners);
    free(f->lines);
}

/* ---- The run ---- */

static int take_step(ribbon_scene *s, double *now, failure *why)
{
    double start = files_clock();
    dc_report report;
    dc_error error;
    failure reason;
    if (ribbon_scene_step(s, &report, &error) == DC_OK) {
        record_step(now, &report, files_clock() - start);
        return 1;
    }
    sim_failure(&reason, &error);
    return failure_set(why, "the step from %.4f s failed: %s", (double)dc_world_time(s->world),
                       reason.text);
}

static int run_frames(ribbon_files *f, failure *why)
{
    progress bar = progress_begin();
    int k, is_fine = 1;
    while (is_fine && f->frame < f->frames && !*f->desc->is_stopped) {
        for (k = 0; is_fine && k < ribbon_steps_a_frame(f->scene); k++)
            is_fine = take_step(f->scene, f->now, why);
        is_fine = is_fine && end_frame(f, why);
        if (is_fine) progress_show(&bar, f->frame, f->frames);
    }
    progress_end(&bar);
    return is_fine;
}

static void print_collisions(FILE *file, const double *all)
{
    fprintf(file, "  free of crossings     %.0f of %.0f steps, proved\n", all[CERTIFIED],
            all[STEPS]);
    fprintf(file, "  pairs                 %.0f at most; a step in %.0f parts at most\n",
            all[PAIRS], all[WORLD_SUBSTEPS]);
    fprintf(file, "  contacts a step       %.1f repulsions, %.1f impulses, %.2f merged zones\n",
            all[REPULSIONS] / all[STEPS], all[IMPULSES] / all[STEPS], all[MERGES] / all[STEPS]);
}

static void print_summary(FILE *file, const ribbon_files *f)
{
    const ribbon_scene *s = f->scene;
    const double *all = f->all;
    double steps = fmax(all[STEPS], 1);
    fprintf(file, "%s: %s\n", s->kind->title, s->kind->text);
    fprintf(file, "  ribbons, segments     %d of %d\n", s->body_count, s->segments);
    fprintf(file, "  bytes                 %lu\n", (unsigned long)s->sim.info.bytes);
    fprintf(file, "  simulated             %.3f s in %.0f steps of %.1f ms\n", all[TIME],
            all[STEPS], 1e3 * s->dt);
    fprintf(file, "  sub-steps             %.0f\n", all[SUBSTEPS]);
    fprintf(file, "  iterations            %.1f a step, %.1f evaluations, %.0f rounds at most\n",
            all[ITERATIONS] / steps, all[EVALUATIONS] / steps, all[ROUNDS]);
    fprintf(file, "  time                  %.2f ms a step, the longest %.1f ms\n",
            1e3 * all[SECONDS] / steps, 1e3 * all[SLOWEST]);
    fprintf(file, "  error of ends         %.1e m at most\n", all[ERROR]);
    fprintf(file, "  error of areas        %.1e at most\n", all[AREA]);
    fprintf(file, "  crease limit          %.3f at most (allowed: .95)\n", all[LIMIT]);
    if (s->collides) print_collisions(file, all);
    fprintf(file, "  energies at the end   %.3e kinetic, %.3e bending, %.3e of rulings [J]\n",
            all[KINETIC], all[BENDING], all[RULING]);
    fprintf(file, "\nfiles in %s\n", f->desc->directory);
    fprintf(file, "  frames/ contact.png   %d pictures, and a dozen of them\n", f->frame);
    fprintf(file,
            "  meshes/ rest.obj last.obj  the ribbons as triangles; rulings.obj the creases\n");
    fprintf(file, "  pattern.svg           the flat pattern at the end, to print, cut and fold\n");
    fprintf(file, "  report.csv            a line a frame\n");
}

static int write_summary(const ribbon_files *f, failure *why)
{
    char path[FILES_PATH_MAX];
    output out;
    if (!files_join(path, f->desc->directory, "summary.txt", why) || !output_open(&out, path, why))
        return 0;
    print_summary(out.file, f);
    return output_close(&out, why);
}

static run_end run_all(ribbon_files *f, failure *why)
{
    failure second;
    int is_fine, is_complete;
    if (!open_files(f, why)) return RUN_FAILED;
    is_fine = run_frames(f, why);
    if (!write_results(f, is_fine ? why : &second)) return RUN_FAILED;
    is_complete = is_fine && f->frame == f->frames;
    if (is_complete && !write_summary(f, why)) return RUN_FAILED;
    print_summary(stdout, f);
    if (!is_fine) return RUN_FAILED;
    return is_complete ? RUN_COMPLETE : RUN_STOPPED;
}

run_end ribbon_run(ribbon_scene *s, const ribbon_run_desc *desc, failure *why)
{
    double seconds = desc->seconds > 0 ? desc->seconds : s->kind->seconds;
    ribbon_files f;
    run_end end;
    memset(&f, 0, sizeof f);
    f.scene = s;
    f.desc = desc;
    f.frames = 1 + (int)(seconds / (ribbon_steps_a_frame(s) * s->dt) + 0.5);
    end = run_all(&f, why);
    close_files(&f);
    return end;
}

/* ---- All of them in one picture ---- */

enum { SHEET_COLUMNS = 4, SHEET_FACTOR = 2 /* by which tiles are smaller than pictures */ };

static run_end run_tile(ribbon_files *f, ribbon_scene *s, image *sheet, int i, failure *why)
{
    static const image_colour ink = {50, 56, 66};
    int width = f->desc->size[0] / SHEET_FACTOR, height = f->desc->size[1] / SHEET_FACTOR;
    int x = i % SHEET_COLUMNS * width, y = i / SHEET_COLUMNS * height;
    int k, steps = (int)(s->kind->shown / s->dt + 0.5), is_fine = 1;
    failure second;
    f->scene = s;
    memset(f->now, 0, sizeof f->now);
    for (k = 0; is_fine && k < steps; k++) {
        if (*f->desc->is_stopped) return RUN_STOPPED;
        is_fine = take_step(s, f->now, why);
    }
    printf("%-9s %7.2f ms a step, %6.1f iterations, %4.0f of %4.0f steps proved\n", s->kind->name,
           1e3 * f->now[SECONDS] / fmax(f->now[STEPS], 1),
           f->now[ITERATIONS] / fmax(f->now[STEPS], 1), f->now[CERTIFIED], f->now[STEPS]);
    if (!draw(f, is_fine ? why : &second)) return RUN_FAILED;
    image_paste(sheet, x, y, &f->picture, SHEET_FACTOR);
    image_text(sheet, x + 10, y + 10, 2, ink, s->kind->name);
    return is_fine ? RUN_COMPLETE : RUN_FAILED;
}

/* A scene that fails is told of, and shown as far as it got. */
static run_end fill_sheet(const ribbon_choice *choice, ribbon_files *f, image *sheet, failure *why)
{
    static ribbon_scene s; /* too large for some stacks */
    int count, i, failed = 0;
    const ribbon_kind *kinds = ribbon_kinds(&count);
    for (i = 0; i < count; i++) {
        run_end end = RUN_FAILED;
        if (ribbon_scene_open(&s, kinds[i].name, choice, why)) {
            end = run_tile(f, &s, sheet, i, why);
            ribbon_scene_close(&s);
        }
        if (end == RUN_STOPPED) return end;
        if (end == RUN_FAILED) printf("%-9s %s\n", kinds[i].name, why->text);
        failed += end == RUN_FAILED;
    }
    return failed > 0 ? RUN_FAILED : RUN_COMPLETE;
}

run_end ribbon_run_all(const ribbon_choice *choice, const ribbon_run_desc *desc, failure *why)
{
    char path[FILES_PATH_MAX];
    ribbon_files f;
    failure second;
    image sheet = {0, 0, NULL};
    run_end end = RUN_FAILED;
    int count, rows;
    ribbon_kinds(&count);
    rows = (count + SHEET_COLUMNS - 1) / SHEET_COLUMNS;
    memset(&f, 0, sizeof f);
    f.desc = desc;
    if (image_init(&f.picture, desc->size[0], desc->size[1], why) &&
        image_init(&sheet, SHEET_COLUMNS * (desc->size[0] / SHEET_FACTOR),
                   rows * (desc->size[1] / SHEET_FACTOR), why) &&
        files_make_directory(desc->directory, why) &&
        files_join(path, desc->directory, "ribbons.png", why)) {
        end = fill_sheet(choice, &f, &sheet, why);
        if (!png_write(desc->picture ? desc->picture : path, &sheet,
                       end == RUN_COMPLETE ? why : &second))
            end = RUN_FAILED;
    }
    image_free(&sheet);
    image_free(&f.picture);
    return end;
}
