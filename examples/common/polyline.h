/*
 * polyline.h - curves in space, as points in a text file
 */
#ifndef POLYLINE_H
#define POLYLINE_H

#include "../../devcloth.h"
#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct polyline {
    dc_vec3 *points; /* (count), from malloc() */
    dc_index count;
    int is_closed;  /* whether it leads from the last point back to the first */
    long border[2]; /* vertices of a mesh, from 1, between which it holds the border; 0: not told */
    int border_line; /* where that stands */
} polyline;

/* Reads a line `x y z` for each point. A line `closed` says that the curve is; its last point may
   then repeat the first. A line `border A B` names two vertices. What follows a # is a comment.
   Failures name file, line and reason: a number missing or not finite, something else, a point
   where the one before it is, fewer than two points, memory. On failure nothing is left to free. */
int polyline_read(const char *path, polyline *curve, failure *why);
void polyline_free(polyline *curve);

double polyline_length(const polyline *curve);

/* The point at this part of the length, 0 to 1. */
dc_vec3 polyline_at(const polyline *curve, double part);

#ifdef __cplusplus
}
#endif

#endif
