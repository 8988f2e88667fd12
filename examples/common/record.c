#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

static const char *const names[RECORD_COLUMNS] = {"time_s",         "steps",
                                                  "substeps",       "newton_iterations",
                                                  "cg_iterations",  "constraint_error",
                                                  "strain_rms",     "strain_max",
                                                  "kinetic_J",      "gravity_J",
                                                  "bending_J",      "jump_J",
                                                  "total_J",        "pairs",
                                                  "world_substeps", "repulsions",
                                                  "impulses",       "merges",
                                                  "certified_steps"};

int record_init(record *r, int frames_max, failure *why)
{
    double *block = calloc((size_t)frames_max * RECORD_COLUMNS, sizeof *block);
    int i;
    memset(r, 0, sizeof *r);
    if (block == NULL) return failure_set(why, "not enough memory for %d frames", frames_max);
    r->capacity = frames_max;
    for (i = 0; i < RECORD_COLUMNS; i++) r->column[i] = block + (size_t)i * (size_t)frames_max;
    return 1;
}

void record_free(record *r)
{
    free(r->column[0]);
    memset(r, 0, sizeof *r);
}

void record_step(record *r, const dc_report *report)
{
    r->now[RECORD_STEPS] += 1;
    r->now[RECORD_SUBSTEPS] += report->substeps;
    r->now[RECORD_NEWTON] += report->counters.newton_iterations;
    r->now[RECORD_CG] += report->counters.cg_iterations;
    r->now[RECORD_CONSTRAINT_ERROR] =
        fmax(r->now[RECORD_CONSTRAINT_ERROR], (double)report->constraint_error);
    r->now[RECORD_PAIRS] = fmax(r->now[RECORD_PAIRS], report->counters.pairs);
    r->now[RECORD_WORLD_SUBSTEPS] += report->counters.world_substeps;
    r->now[RECORD_REPULSIONS] += report->counters.repulsions;
    r->now[RECORD_IMPULSES] += report->counters.impulses;
    r->now[RECORD_MERGES] += report->counters.merges;
    r->now[RECORD_CERTIFIED] += report->is_certified;
}

/* Adds a cloth's state to the frame; `edges`: of all cloths so far, to square the mean strain. */
static void add_cloth(record *r, const dc_world *world, dc_index cloth, double *edges)
{
    dc_measures m = dc_cloth_measure(world, cloth);
    double count = dc_body_mesh(world, cloth)->edge_count, *now = r->now;
    double squares = now[RECORD_STRAIN_RMS] * now[RECORD_STRAIN_RMS] * *edges +
                     (double)m.strain_rms * (double)m.strain_rms * count;
    *edges += count;
    now[RECORD_STRAIN_RMS] = sqrt(squares / *edges);
    now[RECORD_STRAIN_MAX] = fmax(now[RECORD_STRAIN_MAX], (double)m.strain_max);
    now[RECORD_KINETIC] += (double)m.kinetic;
    now[RECORD_GRAVITY] += (double)m.gravity;
    now[RECORD_BENDING] += (double)m.bending;
    now[RECORD_JUMP] += (double)m.jump;
    if (r->count == 0)
        now[RECORD_CONSTRAINT_ERROR] =
            fmax(now[RECORD_CONSTRAINT_ERROR], (double)m.constraint_error);
}

void record_frame(record *r, const dc_world *world, dc_index cloth_count)
{
    double edges = 0;
    dc_index cloth;
    int i;
    if (r->count == r->capacity) return;
    for (cloth = 0; cloth < cloth_count; cloth++) add_cloth(r, world, cloth, &edges);
    if (r->count == 0) r->gravity_start = r->now[RECORD_GRAVITY];
    r->now[RECORD_TIME] = (double)dc_world_time(world);
    r->now[RECORD_GRAVITY] -= r->gravity_start;
    r->now[RECORD_TOTAL] = r->now[RECORD_KINETIC] + r->now[RECORD_GRAVITY] +
                           r->now[RECORD_BENDING] + r->now[RECORD_JUMP];
    for (i = 0; i < RECORD_COLUMNS; i++) r->column[i][r->count] = r->now[i];
    memset(r->now, 0, sizeof r->now);
    r->count++;
}

double record_sum(const record *r, int column)
{
    double sum = 0;
    int i;
    for (i = 0; i < r->count; i++) sum += r->column[column][i];
    return sum;
}

double record_max(const record *r, int column)
{
    double largest = 0;
    int i;
    for (i = 0; i < r->count; i++) largest = fmax(largest, r->column[column][i]);
    return largest;
}

int record_write_csv(const record *r, const char *path, failure *why)
{
    output out;
    int i, row;
    if (!output_open(&out, path, why)) return 0;
    for (i = 0; i < RECORD_COLUMNS; i++) fprintf(out.file, "%s%s", i ? "," : "", names[i]);
    for (row = 0; row < r->count; row++)
        for (i = 0; i < RECORD_COLUMNS; i++)
            fprintf(out.file, "%s%.6g", i ? "," : "\n", r->column[i][row]);
    fprintf(out.file, "\n");
    return output_close(&out, why);
}

int record_plot_energy(const record *r, const char *path, failure *why)
{
    const double *t = r->column[RECORD_TIME];
    plot_series series[5] = {{"kinetic", "#d0532b", t, r->column[RECORD_KINETIC], r->count, 0},
                             {"gravity", "#2b6cb0", t, r->column[RECORD_GRAVITY], r->count, 0},
                             {"bending", "#2f8f5b", t, r->column[RECORD_BENDING], r->count, 0},
                             {"jumps", "#a060c0", t, r->column[RECORD_JUMP], r->count, 0},
                             {"sum", "#303030", t, r->column[RECORD_TOTAL], r->count, 1}};
    plot p = {"Energy", "time [s]", "energy [J], 0 at the start", series, 5};
    return plot_write_svg(path, &p, why);
}

int record_plot_strain(const record *r, const char *path, failure *why)
{
    const double *t = r->column[RECORD_TIME];
    plot_series series[2] = {{"largest", "#d0532b", t, r->column[RECORD_STRAIN_MAX], r->count, 0},
                             {"rms", "#2b6cb0", t, r->column[RECORD_STRAIN_RMS], r->count, 0}};
    plot p = {"Strain of the edges as drawn", "time [s]", "strain [1]", series, 2};
    return plot_write_svg(path, &p, why);
}
