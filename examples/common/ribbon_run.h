/*
 * ribbon_run.h - a scene of ribbons into a directory: pictures, meshes, a table, the flat pattern
 */
#ifndef RIBBON_RUN_H
#define RIBBON_RUN_H

#include <signal.h>

#include "ribbons.h"
#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ribbon_run_desc {
    const char *directory;
    const char *picture;                     /* of all scenes; NULL: ribbons.png in the directory */
    double seconds;                          /* to be simulated; 0: the whole story */
    int size[2];                             /* [pixel] of a picture */
    int is_plain;                            /* without lines along the creases */
    const volatile sig_atomic_t *is_stopped; /* looked at before each frame */
} ribbon_run_desc;

/* Runs a scene and prints a table. Writes frames/ (pictures), meshes/ (OBJ), contact.png, report.csv,
   last.png, and of the end last.obj, rulings.obj, pattern.svg; summary.txt, the table, if the run is
   complete. What an earlier run left there is removed first. */
run_end ribbon_run(ribbon_scene *s, const ribbon_run_desc *desc, failure *why);

/* Runs all scenes up to the moments that tell most and writes one picture of them, with a tile of
   half of desc->size for each. */
run_end ribbon_run_all(const ribbon_choice *choice, const ribbon_run_desc *desc, failure *why);

#ifdef __cplusplus
}
#endif

#endif
