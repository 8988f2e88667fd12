/*
 * coincident.h - vertices of a mesh that lie at the place of another: where it was not welded
 */
#ifndef COINCIDENT_H
#define COINCIDENT_H

#include "../../devcloth.h"
#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct coincident {
    dc_index count;       /* vertices at exactly the place of an earlier one              */
    dc_index apart_count; /* those of them that belong to another piece of the mesh       */
    dc_index pair[2];     /* one of these, or else of all: the earlier vertex and it        */
    dc_index piece_count; /* pieces of the mesh                                             */
} coincident;

/* Writes, for each vertex, the earliest one at its place into first (vertex_count); a vertex without
   a triangle is its own. Fails for want of memory. */
int coincident_first(dc_index *first, const dc_mesh_desc *mesh, failure *why);

/* Looks at vertices with triangles; the mesh's indices are in range. Fails for want of memory. */
int coincident_find(coincident *c, const dc_mesh_desc *mesh, failure *why);

#ifdef __cplusplus
}
#endif

#endif
