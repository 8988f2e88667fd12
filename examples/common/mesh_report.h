/*
 * mesh_report.h - what is doubtful in a mesh that can be simulated all the same
 */
#ifndef MESH_REPORT_H
#define MESH_REPORT_H

#include "../../devcloth.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each has a count and the first element found (DC_NONE: none). */
typedef struct mesh_report {
    dc_index piece_count;                     /* connected pieces                              */
    dc_index isolated_count, isolated_vertex; /* vertices without a triangle: they stay put    */
    dc_index sliver_count, sliver_triangle;   /* height below 1/20 of the longest edge         */
    dc_index seam_count, seam_edge;           /* rest lengths differ by over 1% across an edge */
    dc_index alternating_count;               /* interior vertices with four triangles         */
    dc_index alternating_vertex;
    int is_alternating; /* over a quarter of the interior vertices have four triangles: regularly
                           alternating diagonals, whose length constraints are not independent */
} mesh_report;

/* Looks at a mesh of dc_mesh_init() or of the library's objects. Fails only for want of memory. */
int mesh_report_make(mesh_report *report, const dc_mesh *mesh);

/* Whether the height of triangle t is below 1/20 of its longest edge. */
int mesh_is_sliver(const dc_mesh *mesh, dc_index t);

#ifdef __cplusplus
}
#endif

#endif
