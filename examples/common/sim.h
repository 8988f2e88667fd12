/*
 * sim.h - a world in memory from malloc(), and what pictures of it need
 */
#ifndef SIM_H
#define SIM_H

#include "../../devcloth.h"
#include "files.h"
#include "shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sim {
    dc_world *world;
    dc_info info;
    void *memory;
} sim;

/* Makes a world. On failure nothing is left to free. `error`, if not NULL, gets the
   library's record: its status is DC_OK if memory was short. */
int sim_open(sim *s, const dc_world_desc *desc, dc_error *error, failure *why);
void sim_close(sim *s);

/* For the sizes alone, also of a world that could be built but not started. */
int sim_size(dc_info *info, const dc_world_desc *desc, failure *why);

/* Mean strain (l - l0) / l0 of the edges at each vertex (vertex_count), of the drawn mesh. */
void sim_vertex_strain(const dc_world *world, dc_index cloth, double *strain);

/* A mesh; the arrays are from malloc(), and mesh points to the first three. */
typedef struct sim_shape {
    dc_vec3 *positions;
    dc_index *triangles;
    dc_vec2 *flat;           /* NULL: none */
    int *vertex_line;        /* (vertex_count) of the file that it came from; NULL: of none */
    dc_index *vertex_number; /* (vertex_count) in that file, from 1; NULL: in its order */
    int *triangle_line;      /* (triangle_count) of each one's face */
    dc_mesh_desc mesh;
} sim_shape;

/* The mesh of a shape. On failure nothing is left to free. */
int sim_shape_build(sim_shape *shape, const shape_desc *desc, failure *why);
void sim_shape_free(sim_shape *shape);

/* Names an element as the file does: vertices from 1, and the line; without a file from 1 as well. */
enum { SIM_NAME_MAX = 128 }; /* [bytes] */
void sim_name_vertex(char name[SIM_NAME_MAX], const sim_shape *shape, dc_index v);
void sim_name_triangle(char name[SIM_NAME_MAX], const sim_shape *shape, dc_index t);

/* Writes what an error record says: the sentence, the element, the value. Returns 0. */
int sim_failure(failure *why, const dc_error *error);

/* What an index of a record may count where there is one cloth; NULL: is not there. */
typedef struct sim_names {
    const sim_shape *shape;
    const dc_index *pins; /* vertices */
    const dc_anchor_desc *anchors;
    const dc_mesh *mesh; /* for its edges */
} sim_names;

/* The same with elements named as the file of the shape does, if it is of one. */
int sim_failure_of(failure *why, const dc_error *error, const sim_names *names);

#ifdef __cplusplus
}
#endif

#endif
