/*
 * mesh_check.h - says what is wrong or doubtful in a mesh, by vertex, triangle and line of its file
 */
#ifndef MESH_CHECK_H
#define MESH_CHECK_H

#include "coincident.h"
#include "mesh_file.h"
#include "mesh_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the library takes the mesh: fails with its sentence about the first fault. `name` is what
   failures call the mesh. Then `report` and *border_edges tell of it. */
int mesh_check(const char *name, const sim_shape *shape, mesh_report *report,
               dc_index *border_edges, failure *why);

/* Pieces that lie on each other from the start cannot collide: fails if there are any. `way_out` says
   what else one can do. */
int mesh_check_apart(const char *name, const coincident *c, const sim_shape *shape,
                     const char *way_out, failure *why);

/* Each writes one line for each doubtful thing; returns how many there are. */
int mesh_print_doubts(FILE *file, const sim_shape *shape, const mesh_report *report);
int mesh_print_coincident(FILE *file, const sim_shape *shape, const coincident *c);

/* Writes what was made of the file: how many vertices were welded; and that all lie in one level
   plane, as where its other axis is up. */
void mesh_print_notes(FILE *file, const sim_shape *shape, const mesh_file_choice *choice,
                      dc_index welded_count);

/* Writes all that can be told to stdout. Fails if the mesh is not usable, as mesh_check() does. */
int mesh_print_all(const char *path, const mesh_file_choice *choice, failure *why);

#ifdef __cplusplus
}
#endif

#endif
