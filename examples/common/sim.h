/*
 * sim.h - a world in memory from malloc(), and what pictures of it need
 */
#ifndef SIM_H
#define SIM_H

#include "../../devcloth.h"
#include "files.h"

typedef struct sim {
    dc_world *world;
    dc_plan plan; /* its pointers are not to be followed any more */
    void *memory;
} sim;

/* Plans and makes a world. On failure nothing is left to free. `error`, if not NULL, gets the
   library's record: its status is DC_OK if memory was short. */
int sim_open(sim *s, const dc_world_desc *desc, dc_error *error, failure *why);
void sim_close(sim *s);

/* Plans alone, for the sizes. The plan's pointers are not to be followed. */
int sim_plan(dc_plan *plan, const dc_world_desc *desc, failure *why);

/* Writes what an error record says: the sentence, the element, the value. Returns 0. */
int sim_failure(failure *why, const dc_error *error);

/* Mean strain (l - l0) / l0 of the edges at each vertex (vertex_count), of the drawn mesh. */
void sim_vertex_strain(const dc_world *world, dc_index cloth, double *strain);

/* A mesh of a library shape; positions, triangles and flat are from malloc(), and mesh points to
   them. On failure nothing is left to free. */
typedef struct sim_shape {
    dc_vec3 *positions;
    dc_index *triangles;
    dc_vec2 *flat;
    dc_mesh_desc mesh;
} sim_shape;

int sim_shape_build(sim_shape *shape, const dc_shape_desc *desc, failure *why);
void sim_shape_free(sim_shape *shape);

#endif
