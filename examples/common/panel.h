/*
 * panel.h - flat panels of irregular triangles: what a garment is cut from
 */
#ifndef PANEL_H
#define PANEL_H

#include "../../devcloth.h"
#include "files.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct panel_point {
    double x, y; /* [m] */
} panel_point;

/* The outline comes first among the points, in its own order. */
typedef struct panel {
    panel_point *points; /* (point_count) */
    dc_index *triangles; /* (triangle_count, 3) counter-clockwise */
    int point_count, outline_count, triangle_count;
    int capacity;  /* of points */
    uint32_t seed; /* of what is random */
} panel;

/* An empty panel with room for this many points. */
int panel_init(panel *p, int capacity, failure *why);
void panel_free(panel *p);

/* Adds a point to the outline, which runs counter-clockwise. It is moved by a thousandth of a
   millimetre at random. */
int panel_outline(panel *p, double x, double y, failure *why);

/* Fills the outline with points about `edge` [m] apart, at random places near those of a
   triangular lattice, and triangulates all by Delaunay's rule. Neighbours on the outline must be
   about as far apart. Work grows with the square of the number of points. */
int panel_fill(panel *p, double edge, failure *why);

#ifdef __cplusplus
}
#endif

#endif
