/*
 * mesh_crossings.h - where a mesh goes through itself
 */
#ifndef MESH_CROSSINGS_H
#define MESH_CROSSINGS_H

#include "../../devcloth.h"
#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mesh_crossings {
    dc_index count;    /* pairs of an edge and a triangle that cross or touch; DC_NONE: too many */
    dc_index edge[2];  /* the vertices of the first one's edge                                   */
    dc_index triangle; /* and its triangle                                                       */
} mesh_crossings;

/* Looks at those triangles for which is_sound (triangle_count) is not 0, which need not be a
   manifold: see mesh_faults_find(). Vertices at the same place are taken for one, the earliest, so
   that sides that only lie on each other do not count. */
int mesh_crossings_find(mesh_crossings *c, const dc_mesh_desc *mesh, const char *is_sound,
                        failure *why);

#ifdef __cplusplus
}
#endif

#endif
