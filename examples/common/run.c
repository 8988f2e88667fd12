#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "obj.h"
#include "pc2.h"
#include "png.h"
#include "record.h"
#include "sim.h"
#include "tiles.h"

enum { NAME_MAX_BYTES = 48 };

typedef struct run {
    const run_desc *desc;
    record record;
    pc2_writer cache[RUN_CLOTHS_MAX];
    image picture;
    tiles contact;
    double seconds; /* spent in steps */
} run;

int run_steps_a_frame(int fps, double dt)
{
    return (int)ceil(1 / (fps * dt) - 1e-9); /* a whole number, up to rounding */
}

/* ---- Files ---- */

static int path_in(const run *r, const char *name, char path[FILES_PATH_MAX], failure *why)
{
    return files_join(path, r->desc->directory, name, why);
}

/* The one cloth's file is called cache.pc2, those of several cache_1.pc2 and so on. */
static int cloth_path(const run *r, const char *name, const char *suffix, int cloth,
                      char path[FILES_PATH_MAX], failure *why)
{
    char file[NAME_MAX_BYTES];
    if (r->desc->cloth_count == 1)
        snprintf(file, sizeof file, "%s.%s", name, suffix);
    else
        snprintf(file, sizeof file, "%s_%d.%s", name, cloth + 1, suffix);
    return path_in(r, file, path, why);
}

static int remove_file(const char *directory, const char *name, failure *why)
{
    char path[FILES_PATH_MAX];
    if (!files_join(path, directory, name, why)) return 0;
    files_remove(path); /* if it is there */
    return 1;
}

static int remove_meshes(const char *directory, failure *why)
{
    static const char *const names[] = {"last", "rest", "cache"};
    static const char *const suffixes[] = {"obj", "obj", "pc2"};
    char name[NAME_MAX_BYTES];
    int i, cloth;
    for (i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s.%s", names[i], suffixes[i]);
        if (!remove_file(directory, name, why)) return 0;
        for (cloth = 1; cloth <= RUN_CLOTHS_MAX; cloth++) {
            snprintf(name, sizeof name, "%s_%d.%s", names[i], cloth, suffixes[i]);
            if (!remove_file(directory, name, why)) return 0;
        }
    }
    return 1;
}

/* Files such as frames/frame_0012.png. The last go before the first, so that none is left behind a
   gap. */
static int remove_numbered(const char *directory, const char *part, const char *suffix,
                           failure *why)
{
    char path[FILES_PATH_MAX], name[NAME_MAX_BYTES];
    int count = 0;
    FILE *file;
    for (;; count++) {
        snprintf(name, sizeof name, "%s/frame_%04d.%s", part, count, suffix);
        if (!files_join(path, directory, name, why)) return 0;
        if ((file = fopen(path, "rb")) == NULL) break;
        fclose(file);
    }
    while (count-- > 0) {
        snprintf(name, sizeof name, "%s/frame_%04d.%s", part, count, suffix);
        if (!files_join(path, directory, name, why)) return 0;
        if (!files_remove(path)) return failure_set(why, "%s: cannot remove it", path);
    }
    return 1;
}

int run_clear_directory(const char *directory, failure *why)
{
    static const char *const stale[] = {"summary.txt", "report.csv", "contact.png", "energy.svg",
                                        "strain.svg",  "last.png",   "rulings.obj", "pattern.svg"};
    char path[FILES_PATH_MAX];
    int i;
    if (!files_join(path, directory, "frames", why) || !files_make_directory(path, why)) return 0;
    for (i = 0; i < (int)(sizeof stale / sizeof stale[0]); i++)
        if (!remove_file(directory, stale[i], why)) return 0;
    return remove_meshes(directory, why) && remove_numbered(directory, "meshes", "obj", why) &&
           remove_numbered(directory, "frames", "png", why);
}

static int write_meshes(const run *r, const char *name, int is_start, failure *why)
{
    char path[FILES_PATH_MAX];
    int i;
    for (i = 0; i < r->desc->cloth_count; i++) {
        const dc_mesh_desc *mesh = &r->desc->mesh[i];
        const dc_vec3 *x = is_start ? mesh->positions : dc_body_positions(r->desc->world, i);
        if (!cloth_path(r, name, "obj", i, path, why) ||
            !obj_write(path, mesh->vertex_count, x, mesh->triangle_count, mesh->triangles, why))
            return 0;
    }
    return 1;
}

static int close_caches(run *r, failure *why)
{
    int i;
    for (i = 0; i < r->desc->cloth_count; i++)
        if (!pc2_close(&r->cache[i], why)) return 0;
    return 1;
}

/* All files but the frames, whole for as far as the run got. */
static int write_results(run *r, failure *why)
{
    char path[FILES_PATH_MAX];
    return close_caches(r, why) && write_meshes(r, "last", 0, why) &&
           path_in(r, "report.csv", path, why) && record_write_csv(&r->record, path, why) &&
           path_in(r, "energy.svg", path, why) && record_plot_energy(&r->record, path, why) &&
           path_in(r, "strain.svg", path, why) && record_plot_strain(&r->record, path, why) &&
           path_in(r, "contact.png", path, why) && png_write(path, &r->contact.sheet, why);
}

/* ---- Open and close ---- */

static int open_run(run *r, failure *why)
{
    const run_desc *d = r->desc;
    int i;
    char path[FILES_PATH_MAX];
    if (!image_init(&r->picture, d->size[0], d->size[1], why) ||
        !tiles_init(&r->contact, d->size, d->frames, why) ||
        !record_init(&r->record, d->frames, why) || !run_clear_directory(d->directory, why))
        return 0;
    for (i = 0; i < d->cloth_count; i++)
        if (!cloth_path(r, "cache", "pc2", i, path, why) ||
            !pc2_open(&r->cache[i], path, d->mesh[i].vertex_count, why))
            return 0;
    return write_meshes(r, "rest", 1, why);
}

static void close_run(run *r)
{
    int i;
    for (i = 0; i < RUN_CLOTHS_MAX; i++)
        if (r->cache[i].out.file != NULL) pc2_discard(&r->cache[i]);
    record_free(&r->record);
    tiles_free(&r->contact);
    image_free(&r->picture);
}

/* ---- Frames ---- */

static int end_frame(run *r, int frame, failure *why)
{
    const run_desc *d = r->desc;
    char name[NAME_MAX_BYTES], path[FILES_PATH_MAX];
    int i;
    record_frame(&r->record, d->world, d->cloth_count);
    if (!d->draw(d->context, &r->picture, why)) return 0;
    tiles_add(&r->contact, frame, (double)dc_world_time(d->world), &r->picture);
    snprintf(name, sizeof name, "frames/frame_%04d.png", frame);
    if (!path_in(r, name, path, why) || !png_write(path, &r->picture, why)) return 0;
    for (i = 0; i < d->cloth_count; i++)
        if (!pc2_add(&r->cache[i], dc_body_positions(d->world, i), why)) return 0;
    return 1;
}

static int take_steps(run *r, failure *why)
{
    const run_desc *d = r->desc;
    double start = files_clock();
    dc_report report;
    dc_error error;
    failure reason;
    int k;
    for (k = 0; k < d->steps_a_frame; k++) {
        if (d->step(d->context, &report, &error) != DC_OK) {
            sim_failure_of(&reason, &error, &d->names);
            return failure_set(why, "the step from %.4f s failed: %s; all before it is written",
                               (double)dc_world_time(d->world), reason.text);
        }
        record_step(&r->record, &report);
    }
    r->seconds += files_clock() - start;
    return 1;
}

static int run_frames(run *r, failure *why)
{
    const run_desc *d = r->desc;
    progress bar = progress_begin();
    int frame, is_fine = end_frame(r, 0, why);
    for (frame = 1; is_fine && frame < d->frames && !*d->is_stopped; frame++) {
        is_fine = take_steps(r, why) && end_frame(r, frame, why);
        if (is_fine) progress_show(&bar, frame + 1, d->frames);
    }
    progress_end(&bar);
    return is_fine;
}

/* ---- The table ---- */

static void print_memory(FILE *file, const dc_info *info)
{
    dc_index i;
    fprintf(file, "\nmemory [bytes]\n");
    for (i = 0; i < info->section_count; i++)
        fprintf(file, "  %-28s %12lu\n", info->section[i].name,
                (unsigned long)info->section[i].bytes);
    fprintf(file, "  %-28s %12lu\n", "all", (unsigned long)info->bytes);
}

static void print_collisions(FILE *file, const record *r)
{
    double steps = fmax(record_sum(r, RECORD_STEPS), 1);
    if (!(record_sum(r, RECORD_CERTIFIED) > 0)) return; /* nothing collides */
    fprintf(file, "  free of crossings     %.0f of %.0f steps, proved\n",
            record_sum(r, RECORD_CERTIFIED), record_sum(r, RECORD_STEPS));
    fprintf(file, "  pairs                 %.0f at most\n", record_max(r, RECORD_PAIRS));
    fprintf(file, "  contacts a step       %.1f repulsions, %.1f impulses, %.2f merged zones\n",
            record_sum(r, RECORD_REPULSIONS) / steps, record_sum(r, RECORD_IMPULSES) / steps,
            record_sum(r, RECORD_MERGES) / steps);
}

static void print_energy(FILE *file, const record *r)
{
    static const struct {
        const char *name;
        int column;
    } rows[] = {{"kinetic", RECORD_KINETIC},
                {"gravity", RECORD_GRAVITY},
                {"bending", RECORD_BENDING},
                {"sum", RECORD_TOTAL}};
    int i;
    fprintf(file, "\nenergy [J]               start            end\n");
    for (i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
        const double *value = r->column[rows[i].column];
        fprintf(file, "  %-12s %14.6g %14.6g\n", rows[i].name, value[0], value[r->count - 1]);
    }
}

static void print_run(FILE *file, const run *r)
{
    const record *rec = &r->record;
    double steps = fmax(record_sum(rec, RECORD_STEPS), 1);
    fprintf(file, "\nrun\n");
    fprintf(file, "  simulated             %.3f s in %.0f steps of %.3f ms\n",
            rec->column[RECORD_TIME][rec->count - 1], record_sum(rec, RECORD_STEPS),
            1e3 * r->desc->dt);
    fprintf(file, "  sub-steps             %.0f\n", record_sum(rec, RECORD_SUBSTEPS));
    fprintf(file, "  Newton, CG iterations %.2f, %.1f a step\n",
            record_sum(rec, RECORD_NEWTON) / steps, record_sum(rec, RECORD_CG) / steps);
    fprintf(file, "  time                  %.1f ms a step\n", 1e3 * r->seconds / steps);
    fprintf(file, "  constraint error      %.1e at most (allowed: %.1e)\n",
            record_max(rec, RECORD_CONSTRAINT_ERROR), r->desc->tolerance);
    fprintf(file, "  strain as drawn       rms %.2f%%, largest %.1f%%\n",
            100 * record_max(rec, RECORD_STRAIN_RMS), 100 * record_max(rec, RECORD_STRAIN_MAX));
    print_collisions(file, rec);
    print_energy(file, rec);
}

static void print_summary(FILE *file, const run *r)
{
    const run_desc *d = r->desc;
    int is_one = d->cloth_count == 1;
    d->describe(d->context, file);
    print_memory(file, d->info);
    print_run(file, r);
    fprintf(file, "\nfiles in %s\n", d->directory);
    fprintf(file, "  %s the mesh at the start and at the end\n",
            is_one ? "rest.obj last.obj    " : "rest_*.obj last_*.obj");
    fprintf(file, "  %s point cache on rest, %d samples at %d a second\n",
            is_one ? "cache.pc2            " : "cache_*.pc2          ", r->record.count, d->fps);
    fprintf(file, "  frames/frame_*.png    %d pictures of %d x %d\n", r->record.count, d->size[0],
            d->size[1]);
    fprintf(file, "  contact.png           %d of them\n", r->contact.count);
    fprintf(file, "  report.csv            a line a frame; energy.svg, strain.svg its plots\n");
    if (r->record.count == d->frames)
        fprintf(file, "  summary.txt           this table, there only when a run is complete\n");
    else
        fprintf(file, "  no summary.txt        the run ended before frame %d\n", d->frames - 1);
}

static int write_summary(const run *r, failure *why)
{
    char path[FILES_PATH_MAX];
    output out;
    if (!path_in(r, "summary.txt", path, why) || !output_open(&out, path, why)) return 0;
    print_summary(out.file, r);
    return output_close(&out, why);
}

/* ---- The run ---- */

static run_end run_all(run *r, failure *why)
{
    failure second;
    int is_fine, is_complete;
    if (!open_run(r, why)) return RUN_FAILED;
    is_fine = run_frames(r, why);
    if (!write_results(r, is_fine ? why : &second)) return RUN_FAILED;
    is_complete = is_fine && r->record.count == r->desc->frames;
    if (is_complete && !write_summary(r, why)) return RUN_FAILED;
    print_summary(stdout, r);
    if (!is_fine) return RUN_FAILED;
    return is_complete ? RUN_COMPLETE : RUN_STOPPED;
}

run_end run_to_files(const run_desc *desc, failure *why)
{
    run r;
    run_end end;
    memset(&r, 0, sizeof r);
    r.desc = desc;
    end = run_all(&r, why);
    close_run(&r);
    return end;
}
