/*
 * record.h - what happened in a run, frame by frame: as CSV and as plots
 */
#ifndef RECORD_H
#define RECORD_H

#include "../../devcloth.h"
#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The columns of the CSV, in its order. Counts are sums over the steps since the frame before. */
enum {
    RECORD_TIME,  /* [s] */
    RECORD_STEPS, /* and sub-steps, and iterations */
    RECORD_SUBSTEPS,
    RECORD_NEWTON,
    RECORD_CG,
    RECORD_CONSTRAINT_ERROR, /* [1] the largest since the frame before */
    RECORD_STRAIN_RMS,       /* [1] at the frame */
    RECORD_STRAIN_MAX,
    RECORD_KINETIC, /* [J] at the frame */
    RECORD_GRAVITY, /* ... above the start */
    RECORD_BENDING,
    RECORD_JUMP,
    RECORD_TOTAL,
    RECORD_PAIRS, /* the largest since the frame before; all that follow: of collisions */
    RECORD_WORLD_SUBSTEPS,
    RECORD_REPULSIONS,
    RECORD_IMPULSES,
    RECORD_MERGES,
    RECORD_CERTIFIED, /* steps proved to be free of crossings */
    RECORD_COLUMNS
};

typedef struct record {
    int count, capacity;            /* frames */
    double *column[RECORD_COLUMNS]; /* (capacity) each, from one malloc() */
    double gravity_start;           /* [J] */
    double now[RECORD_COLUMNS];     /* the frame in the making */
} record;

int record_init(record *r, int frames_max, failure *why);
void record_free(record *r);

/* Adds one step's report to the frame in the making. */
void record_step(record *r, const dc_report *report);

/* Ends a frame with the state of all cloths; the first one is the start. */
void record_frame(record *r, const dc_world *world, dc_index cloth_count);

/* The sum and the largest of a column. */
double record_sum(const record *r, int column);
double record_max(const record *r, int column);

int record_write_csv(const record *r, const char *path, failure *why);

/* Energies over time; strain of the drawn mesh over time. */
int record_plot_energy(const record *r, const char *path, failure *why);
int record_plot_strain(const record *r, const char *path, failure *why);

#ifdef __cplusplus
}
#endif

#endif
