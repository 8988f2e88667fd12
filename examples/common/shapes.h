/*
 * shapes.h - meshes to begin with: grids, disks, tubes, balls; the same bits on every machine
 */
#ifndef SHAPES_H
#define SHAPES_H

#include "../../devcloth.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shape_kind {
    SHAPE_GRID,     /* width x height in the xy plane, from the origin: columns x rows cells */
    SHAPE_STRIP,    /* likewise, but by default long and low, with herringbone diagonals     */
    SHAPE_DISK,     /* radius, around the origin in the xy plane; rows rings                 */
    SHAPE_ANNULUS,  /* inner_radius to radius; columns around, rows rings                    */
    SHAPE_CYLINDER, /* radius, height along y, open; columns around, rows along              */
    SHAPE_SPHERE,   /* radius; columns around, rows from pole to pole                        */
    SHAPE_CAPSULE   /* radius, a cylinder of height between two half spheres; columns around,
                       rows along the cylinder                                               */
} shape_kind;

typedef struct shape_desc {
    shape_kind kind;
    dc_index columns, rows;       /* of cells, see shape_kind                                 */
    dc_real width, height;        /* [m]                                                      */
    dc_real radius, inner_radius; /* [m]                                                      */
    dc_diagonals diagonals;       /* of all shapes but the disk                               */
    dc_real jitter;               /* moves inner vertices of a grid, strip or disk by up to this
                                     fraction of a cell along each axis; 0 to 0.3             */
    uint32_t seed;                /* of the jitter                                            */
} shape_desc;

/* A grid 1 m x 1 m of 20 x 20 cells; a strip 1 m x 0.25 m of 40 x 10; round shapes of radius 0.5 m
   (inner 0.25 m) and height 1 m with 40 columns and 10 rows, the sphere 20. No jitter. */
shape_desc shape_defaults(shape_kind kind);

/* The counts of the mesh that shape_build() makes; 0 after an error. Errors are told as the library
   tells them; `error` may be NULL.
   DC_BAD_ARGUMENT: error->what names the field. DC_TOO_LARGE: more than 50 million of either. */
dc_status shape_counts(const shape_desc *desc, dc_index *vertex_count, dc_index *triangle_count,
                       dc_error *error);

/* Writes positions (vertex_count) [m] and triangles (triangle_count, 3), counted by shape_counts();
   for grid, strip, disk and annulus also flat (vertex_count) [m], unless NULL. Makes `mesh`, unless
   NULL, describe these arrays. Errors as shape_counts(). */
dc_status shape_build(const shape_desc *desc, dc_vec3 *positions, dc_index *triangles,
                      dc_vec2 *flat, dc_mesh_desc *mesh, dc_error *error);

/* Writes triangle t and returns the number of the next one. */
dc_index shape_put_triangle(dc_index *triangles, dc_index t, dc_index a, dc_index b, dc_index c);

#ifdef __cplusplus
}
#endif

#endif
