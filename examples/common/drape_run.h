/*
 * drape_run.h - a drape into a directory: a table, a mesh, pictures of the end and of the way there
 */
#ifndef DRAPE_RUN_H
#define DRAPE_RUN_H

#include <signal.h>

#include "drapes.h"
#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct drape_run_desc {
    const char *directory;
    const char *picture; /* of the end; NULL: last.png in the directory */
    int size[2];         /* [pixel] */
    int has_frames;      /* a picture of each iteration as well, the start included */
    int has_edges;       /* of the mesh, in pictures */
    const volatile sig_atomic_t *is_stopped; /* looked at before each iteration */
} drape_run_desc;

/* Iterates s->drape to its end and prints a line for each iteration. Writes report.csv, rest.obj,
   last.obj, last.png, frames/. If it came to rest, also summary.txt, and pattern.svg if the scene
   has a pattern. What an earlier run left there is removed first. Where it does not come to rest
   the files are there, and it fails with the reason. */
run_end drape_run(drape_scene *s, const drape_run_desc *desc, failure *why);

/* Solves all scenes of the table and writes one picture of them, drapes.png in the directory, with
   a tile of half of desc->size for each; describes each in some lines. One that does not come to
   rest is shown as it is. */
run_end drape_run_all(const drape_choice *choice, const drape_run_desc *desc, failure *why);

/* Fills a scene with a mesh, which is copied, hung by the highest vertices of each piece. Closed as
   others; on failure nothing is left to free. */
int drape_scene_hang(drape_scene *s, const dc_mesh_desc *mesh, const drape_choice *choice,
                     failure *why);

#ifdef __cplusplus
}
#endif

#endif
