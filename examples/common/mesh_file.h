/*
 * mesh_file.h - the mesh of an OBJ file as it is to be used: its unit, its axis that is up, its seams
 */
#ifndef MESH_FILE_H
#define MESH_FILE_H

#include "files.h"
#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the file does not say of itself. */
typedef struct mesh_file_choice {
    double scale;  /* [m] a unit of the file                                              */
    int is_z_up;   /* the file's z is up, and becomes y                                   */
    int is_welded; /* vertices at exactly the same place become one, the earliest of them */
} mesh_file_choice;

/* Metres, y is up, not welded. */
mesh_file_choice mesh_file_defaults(void);

/* Where a point of the file is [m], y up. */
dc_vec3 mesh_file_place(const mesh_file_choice *choice, dc_vec3 p);

/* Reads a mesh. *welded_count, unless NULL, gets the vertices that became one with an earlier one.
   Fails as obj_read() does; then nothing is left to free. */
int mesh_file_read(const char *path, const mesh_file_choice *choice, sim_shape *shape,
                   dc_index *welded_count, failure *why);

#ifdef __cplusplus
}
#endif

#endif
