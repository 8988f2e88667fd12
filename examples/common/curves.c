#include "curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "scenes.h"

enum { WAYS = 2 };

static const scene_choice CHOICES[WAYS] = {{.is_staggered = 1}, {.is_staggered = 0}};
static const char *const NAMES[WAYS] = {"after the step", "inside the step"};
static const char *const COLOURS[WAYS] = {"#d0532b", "#2b6cb0"};

/* Of one run; arrays (frames + 1) */
typedef struct curve {
    double *time, *strain, *bending; /* [s], [1], [J] */
} curve;

static void add_point(curve *c, int frame, const scene *s)
{
    int i;
    c->time[frame] = (double)dc_world_time(s->world);
    c->strain[frame] = c->bending[frame] = 0;
    for (i = 0; i < s->cloth_count; i++) {
        dc_measures m = dc_cloth_measure(s->world, i);
        c->strain[frame] = fmax(c->strain[frame], (double)m.strain_max);
        c->bending[frame] += (double)m.bending;
    }
}

static int follow(const curves_desc *d, const scene_choice *choice, curve *c, failure *why)
{
    progress bar = progress_begin();
    int frame, steps, is_fine = 1;
    scene s;
    if (!scene_open_as(&s, d->scene, d->cells, choice, why)) return 0;
    steps = (int)fmax(1, s.kind->seconds / (s.kind->dt * d->frames) + 0.5);
    add_point(c, 0, &s);
    for (frame = 1; is_fine && frame <= d->frames; frame++) {
        is_fine = *d->is_stopped ? failure_set(why, "interrupted") : scene_advance(&s, steps, why);
        if (!is_fine) break;
        add_point(c, frame, &s);
        progress_show(&bar, frame + 1, d->frames + 1);
    }
    progress_end(&bar);
    scene_close(&s);
    return is_fine;
}

static int write_csv(const curves_desc *d, const curve c[WAYS], failure *why)
{
    char path[FILES_PATH_MAX];
    output out;
    int i;
    if (!files_join(path, d->directory, "curves.csv", why) || !output_open(&out, path, why))
        return 0;
    fprintf(out.file,
            "time_s,strain_max_after,strain_max_inside,bending_J_after,bending_J_inside\n");
    for (i = 0; i <= d->frames; i++)
        fprintf(out.file, "%.6g,%.6g,%.6g,%.6g,%.6g\n", c[0].time[i], c[0].strain[i],
                c[1].strain[i], c[0].bending[i], c[1].bending[i]);
    return output_close(&out, why);
}

static int write_svg(const curves_desc *d, const curve c[WAYS], failure *why)
{
    char path[FILES_PATH_MAX];
    plot_series strain[WAYS], bending[WAYS];
    plot plots[2] = {{"Largest strain of an edge", "time [s]", "strain [1]", strain, WAYS},
                     {"Bending energy", "time [s]", "energy [J]", bending, WAYS}};
    int i;
    for (i = 0; i < WAYS; i++) {
        plot_series one = {NAMES[i], COLOURS[i], c[i].time, c[i].strain, d->frames + 1, 0};
        strain[i] = bending[i] = one;
        bending[i].y = c[i].bending;
    }
    return files_join(path, d->directory, "curves.svg", why) &&
           plot_write_column(path, plots, 2, why);
}

int curves_write(const curves_desc *desc, failure *why)
{
    size_t count = (size_t)desc->frames + 1;
    double *block = malloc(3 * WAYS * count * sizeof *block);
    curve c[WAYS];
    int i, is_fine = block != NULL;
    if (!is_fine) return failure_set(why, "not enough memory for %d frames", desc->frames);
    for (i = 0; is_fine && i < WAYS; i++) {
        c[i].time = block + 3 * (size_t)i * count;
        c[i].strain = c[i].time + count;
        c[i].bending = c[i].strain + count;
        is_fine = follow(desc, &CHOICES[i], &c[i], why);
    }
    is_fine = is_fine && files_make_directory(desc->directory, why) && write_csv(desc, c, why) &&
              write_svg(desc, c, why);
    free(block);
    return is_fine;
}
