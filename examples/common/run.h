/*
 * run.h - a simulation into a directory: pictures, point caches, meshes, plots, a table
 */
#ifndef RUN_H
#define RUN_H

#include <signal.h>

#include "../../devcloth.h"
#include "files.h"
#include "image.h"
#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RUN_CLOTHS_MAX = 8 };

typedef struct run_desc {
    const char *directory;
    int frames, fps, size[2]; /* pictures, the start included; a second; [pixel] */
    int steps_a_frame;
    double dt; /* [s] */
    const dc_world *world;
    const dc_info *info;      /* for the sizes */
    const dc_mesh_desc *mesh; /* (cloth_count) as they start */
    int cloth_count;          /* at most RUN_CLOTHS_MAX */
    sim_names names;          /* of the elements that a failed step tells */
    double tolerance;         /* of squared lengths, for the table */
    void *context;            /* of the three functions */
    dc_status (*step)(void *context, dc_report *report, dc_error *error);
    int (*draw)(void *context, image *picture, failure *why);
    void (*describe)(void *context, FILE *file); /* the first lines of the table */
    const volatile sig_atomic_t *is_stopped;     /* looked at before each frame */
} run_desc;

typedef enum run_end { RUN_COMPLETE, RUN_STOPPED, RUN_FAILED } run_end;

/* Removes what an earlier run left there, runs, and writes everything for as far as it got; prints
   the table, which becomes summary.txt only if the run is complete. */
run_end run_to_files(const run_desc *desc, failure *why);

/* Makes the directory, and removes what an earlier run left there: the mark of completion first, so
   that even a run stopped here leaves nothing that looks whole. */
int run_clear_directory(const char *directory, failure *why);

/* Whole steps from one picture to the next, none longer than dt [s]. */
int run_steps_a_frame(int fps, double dt);

#ifdef __cplusplus
}
#endif

#endif
