#include "drape_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hang.h"
#include "obj.h"
#include "pattern.h"
#include "png.h"
#include "scenes_draw.h"
#include "scenes_parts.h"

/* ---- A mesh of the caller's ---- */

static int copy_mesh(sim_shape *shape, const dc_mesh_desc *mesh, failure *why)
{
    if (!scene_make_shape(shape, mesh->vertex_count, mesh->triangle_count, why)) return 0;
    memcpy(shape->positions, mesh->positions, (size_t)mesh->vertex_count * sizeof(dc_vec3));
    memcpy(shape->triangles, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(dc_index));
    return 1;
}

/* A view of all that the mesh can reach below its anchors. */
static void aim(drape_scene *s, const hang *h)
{
    static const double FAR = 2.4, TURN = 38, RISE = 15; /* of the size, [degree] */
    double x = (double)(h->high.x - h->low.x), z = (double)(h->high.z - h->low.z);
    double drop = (double)h->high.y - h->lowest;
    s->camera.target[0] = (double)h->middle.x;
    s->camera.target[1] = (double)h->high.y - drop / 2;
    s->camera.target[2] = (double)h->middle.z;
    s->camera.distance = FAR * fmax(drop, sqrt(x * x + z * z));
    s->camera.turn = TURN;
    s->camera.rise = RISE;
}

static int hold(drape_scene *s, const hang *h, failure *why)
{
    dc_index k;
    s->anchors = malloc((size_t)h->pin_count * sizeof *s->anchors);
    if (s->anchors == NULL) return failure_set(why, "not enough memory for the anchors");
    for (k = 0; k < h->pin_count; k++) {
        s->anchors[k] = dc_anchor_defaults();
        s->anchors[k].vertex = h->pins[k];
        s->anchors[k].target = s->shape.positions[h->pins[k]];
    }
    s->desc.anchors = s->anchors;
    s->desc.anchor_count = h->pin_count;
    s->top = (double)h->high.y;
    return 1;
}

int drape_scene_hang(drape_scene *s, const dc_mesh_desc *mesh, const drape_choice *choice,
                     failure *why)
{
    hang h;
    int is_held;
    memset(s, 0, sizeof *s);
    drape_scene_choose(s, choice);
    if (!copy_mesh(&s->shape, mesh, why)) return 0;
    s->desc.mesh = s->shape.mesh;
    s->desc.self_contact = 1;
    is_held = hang_choose(&h, mesh, why);
    if (is_held) {
        aim(s, &h);
        is_held = hold(s, &h, why) && drape_scene_place(s, choice, why);
        hang_free(&h);
    }
    if (!is_held) drape_scene_close(s);
    return is_held;
}

/* ---- Files ---- */

typedef struct drape_files {
    drape_scene *scene;
    const drape_run_desc *desc;
    image picture;
    output csv;
    int frames; /* written so far */
} drape_files;

static int draw_picture(drape_files *f, failure *why)
{
    render_scene view = render_scene_defaults();
    drape_add_bodies(f->scene, dc_drape_positions(f->scene->drape), f->desc->has_edges, &view);
    return render_draw(&view, &f->picture, why);
}

static int draw(drape_files *f, const char *path, failure *why)
{
    return draw_picture(f, why) && png_write(path, &f->picture, why);
}

static int add_frame(drape_files *f, failure *why)
{
    char name[48], path[FILES_PATH_MAX];
    if (!f->desc->has_frames) return 1;
    snprintf(name, sizeof name, "frames/frame_%04d.png", f->frames++);
    return files_join(path, f->desc->directory, name, why) && draw(f, path, why);
}

static int write_mesh(const drape_files *f, const char *name, const dc_vec3 *positions,
                      failure *why)
{
    const dc_mesh_desc *mesh = &f->scene->shape.mesh;
    char path[FILES_PATH_MAX];
    return files_join(path, f->desc->directory, name, why) &&
           obj_write(path, mesh->vertex_count, positions, mesh->triangle_count, mesh->triangles,
                     why);
}

static int open_files(drape_files *f, failure *why)
{
    char path[FILES_PATH_MAX];
    if (!image_init(&f->picture, f->desc->size[0], f->desc->size[1], why) ||
        !run_clear_directory(f->desc->directory, why) ||
        !write_mesh(f, "rest.obj", f->scene->shape.positions, why) ||
        !files_join(path, f->desc->directory, "report.csv", why) ||
        !output_open(&f->csv, path, why))
        return 0;
    fprintf(f->csv.file, "iteration,refused,stage,length_energy,anchor_energy,potential,"
                         "area_error,strain_max,anchor_distance,contacts,curve_distance\n");
    return add_frame(f, why);
}

/* All files but the frames and the summary, for as far as it got. */
static int write_results(drape_files *f, failure *why)
{
    char path[FILES_PATH_MAX];
    const char *picture = f->desc->picture;
    if (!output_close(&f->csv, why) ||
        !write_mesh(f, "last.obj", dc_drape_positions(f->scene->drape), why))
        return 0;
    if (picture == NULL && !files_join(path, f->desc->directory, "last.png", why)) return 0;
    return draw(f, picture ? picture : path, why);
}

/* ---- Iterations ---- */

static void print_head(void)
{
    printf("%9s %5s %10s %10s %12s %10s %8s\n", "iteration", "stage", "E_L", "E_I", "potential",
           "strain", "contacts");
}

static void print_row(const dc_drape_report *r)
{
    printf("%9ld %5ld %10.3g %10.3g %12.2f %10.3g %8ld\n", (long)r->iterations, (long)r->stage,
           (double)r->length_energy, (double)r->anchor_energy, (double)r->potential,
           (double)r->strain_max, (long)r->contacts);
}

static void write_row(FILE *file, const dc_drape_report *r)
{
    fprintf(file, "%ld,%ld,%ld,%.9g,%.9g,%.9g,%.6g,%.6g,%.6g,%ld,%.6g\n", (long)r->iterations,
            (long)r->refused, (long)r->stage, (double)r->length_energy, (double)r->anchor_energy,
            (double)r->potential, (double)r->area_error, (double)r->strain_max,
            (double)r->anchor_distance, (long)r->contacts, (double)r->curve_distance);
}

static run_end iterate(drape_files *f, failure *why)
{
    dc_drape *drape = f->scene->drape;
    dc_drape_report report = dc_drape_look(drape);
    dc_error error;
    print_head();
    print_row(&report);
    write_row(f->csv.file, &report);
    while (report.state == DC_DRAPE_MOVING) {
        if (*f->desc->is_stopped) return RUN_STOPPED;
        if (dc_drape_iterate(drape, &report, &error) != DC_OK) {
            drape_failure(f->scene, &error, why);
            return RUN_FAILED;
        }
        print_row(&report);
        write_row(f->csv.file, &report);
        if (!add_frame(f, why)) return RUN_FAILED;
    }
    if (dc_drape_solve(drape, NULL, &error) == DC_OK) return RUN_COMPLETE;
    /* nothing was left to iterate: it tells why it is not at rest */
    drape_failure(f->scene, &error, why);
    return RUN_FAILED;
}

/* ---- The end ---- */

static void describe_curves(const drape_scene *s, const dc_drape_report *r, FILE *file)
{
    dc_index k;
    for (k = 0; k < s->desc.curve_count; k++)
        fprintf(
            file,
            "  curve                 %s, %.4g m long, holds a border of %.4g m by %ld vertices\n",
            s->curve_name[k], s->curve_length[k], s->border_length[k],
            (long)s->curve[k].vertex_count);
    if (k > 0) fprintf(file, "  distance from curves  %.3g m at most\n", (double)r->curve_distance);
}

static void describe(const drape_scene *s, FILE *file)
{
    static const char *const states[] = {"is moving", "is at rest", "has reached its limit"};
    dc_drape_report r = dc_drape_look(s->drape);
    const dc_vec3 *x = dc_drape_positions(s->drape);
    fprintf(file, "%s%s%s\n", s->kind ? s->kind->name : "a sheet", s->kind ? ": " : "",
            s->kind ? s->kind->title : "");
    fprintf(file, "  vertices, triangles   %ld, %ld\n", (long)s->shape.mesh.vertex_count,
            (long)s->shape.mesh.triangle_count);
    fprintf(file, "  anchors, obstacles    %ld, %ld\n", (long)s->desc.anchor_count,
            (long)s->desc.obstacle_count);
    describe_curves(s, &r, file);
    fprintf(file, "  the sheet             %s after %ld iterations, %ld of them refused\n",
            states[r.state], (long)r.iterations, (long)r.refused);
    fprintf(file, "  E_L, E_I, E_A         %.3g, %.3g, %.3g\n", (double)r.length_energy,
            (double)r.anchor_energy, (double)r.area_error);
    fprintf(file, "  largest strain        %.3g\n", (double)r.strain_max);
    fprintf(file, "  sum of rises          %.0f\n", drape_rise(s, x));
    fprintf(file, "  contacts              %ld\n", (long)r.contacts);
    fprintf(file, "  proved free of crossings: %s\n", r.is_certified ? "yes" : "no");
    fprintf(file, "  bytes                 %lu\n", (unsigned long)s->info.bytes);
}

static int write_summary(const drape_files *f, failure *why)
{
    char path[FILES_PATH_MAX];
    output out;
    if (!files_join(path, f->desc->directory, "summary.txt", why) || !output_open(&out, path, why))
        return 0;
    describe(f->scene, out.file);
    return output_close(&out, why);
}

/* Of a sheet that was plane, with its rulings. */
static int write_pattern(const drape_files *f, failure *why)
{
    static const double SPACING = 1.0 / 30; /* of the size of the sheet */
    const drape_scene *s = f->scene;
    const dc_mesh *mesh = dc_drape_mesh(s->drape);
    char path[FILES_PATH_MAX];
    double area = 0;
    rulings found;
    dc_index t;
    int is_written;
    if (!s->has_pattern) return 1;
    for (t = 0; t < mesh->triangle_count; t++) area += (double)mesh->rest_area[t];
    if (!files_join(path, f->desc->directory, "pattern.svg", why) ||
        !rulings_find(&found, mesh, s->shape.flat, dc_drape_positions(s->drape),
                      SPACING * sqrt(area), why))
        return 0;
    is_written = pattern_write_sheet(path, "The pattern", mesh, s->shape.flat, &found, why);
    rulings_free(&found);
    return is_written;
}

run_end drape_run(drape_scene *s, const drape_run_desc *desc, failure *why)
{
    drape_files f;
    failure reason;
    run_end end = RUN_FAILED;
    memset(&f, 0, sizeof f);
    f.scene = s;
    f.desc = desc;
    if (open_files(&f, why)) {
        end = iterate(&f, why);
        if (!write_results(&f, &reason)) {
            *why = reason;
            end = RUN_FAILED;
        } else {
            describe(s, stdout);
        }
        if (end == RUN_COMPLETE && !(write_pattern(&f, why) && write_summary(&f, why)))
            end = RUN_FAILED;
    }
    if (f.csv.file != NULL) output_discard(&f.csv);
    image_free(&f.picture);
    return end;
}

/* ---- All of them in one picture ---- */

enum { SHEET_COLUMNS = 5, SHEET_FACTOR = 2 /* by which tiles are smaller than pictures */ };

/* Into tile i of the sheet, with its name. */
static int add_tile(drape_files *f, image *sheet, int i, failure *why)
{
    static const image_colour ink = {50, 56, 66};
    int width = f->desc->size[0] / SHEET_FACTOR, height = f->desc->size[1] / SHEET_FACTOR;
    int x = i % SHEET_COLUMNS * width, y = i / SHEET_COLUMNS * height;
    if (!draw_picture(f, why)) return 0;
    image_paste(sheet, x, y, &f->picture, SHEET_FACTOR);
    image_text(sheet, x + 10, y + 10, 2, ink, f->scene->kind->name);
    return 1;
}

static int solve_tile(const drape_kind *kind, const drape_choice *choice, drape_files *f,
                      image *sheet, int i, failure *why)
{
    drape_scene s;
    dc_error error;
    int is_drawn;
    if (!drape_scene_open(&s, kind->name, choice, why)) return 0;
    if (dc_drape_solve(s.drape, NULL, &error) != DC_OK) printf("%s: %s\n", kind->name, error.what);
    describe(&s, stdout);
    f->scene = &s;
    is_drawn = add_tile(f, sheet, i, why);
    drape_scene_close(&s);
    return is_drawn;
}

static run_end fill_sheet(const drape_choice *choice, drape_files *f, image *sheet, failure *why)
{
    int count, i;
    const drape_kind *kinds = drape_kinds(&count);
    for (i = 0; i < count; i++) {
        if (*f->desc->is_stopped) return RUN_STOPPED;
        if (!solve_tile(&kinds[i], choice, f, sheet, i, why)) return RUN_FAILED;
    }
    return RUN_COMPLETE;
}

run_end drape_run_all(const drape_choice *choice, const drape_run_desc *desc, failure *why)
{
    char path[FILES_PATH_MAX];
    drape_files f;
    image sheet = {0, 0, NULL};
    run_end end = RUN_FAILED;
    int count, rows;
    drape_kinds(&count);
    rows = (count + SHEET_COLUMNS - 1) / SHEET_COLUMNS;
    memset(&f, 0, sizeof f);
    f.desc = desc;
    if (image_init(&f.picture, desc->size[0], desc->size[1], why) &&
        image_init(&sheet, SHEET_COLUMNS * (desc->size[0] / SHEET_FACTOR),
                   rows * (desc->size[1] / SHEET_FACTOR), why) &&
        files_make_directory(desc->directory, why) &&
        files_join(path, desc->directory, "drapes.png", why))
        end = fill_sheet(choice, &f, &sheet, why);
    if (end == RUN_COMPLETE && !png_write(desc->picture ? desc->picture : path, &sheet, why))
        end = RUN_FAILED;
    image_free(&sheet);
    image_free(&f.picture);
    return end;
}
