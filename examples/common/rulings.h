/*
 * rulings.h - the rulings of a bent sheet: the straight lines across which it bends
 */
#ifndef RULINGS_H
#define RULINGS_H

#include "../../devcloth.h"
#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruling {
    dc_vec2 end[2];   /* [m] in the flat pattern, on its border                                */
    dc_vec3 place[2]; /* [m] of the ends, on the sheet                                         */
    double curvature; /* [1/m] across it; positive: bent towards the side of the normals       */
} ruling;

typedef struct rulings {
    ruling *lines; /* (count), from malloc() */
    int count;
} rulings;

/* Finds the rulings of a sheet at the positions x (vertex_count), given its flat pattern
   (vertex_count). They lead from border to border and do not cross; at their middles they are about
   `spacing` [m] apart. Along a ruling the normal does not turn. There are none where the sheet is
   flat or bends in two directions. Fails for want of memory; then nothing is left to free. */
int rulings_find(rulings *r, const dc_mesh *mesh, const dc_vec2 *flat, const dc_vec3 *x,
                 double spacing, failure *why);
void rulings_free(rulings *r);

#ifdef __cplusplus
}
#endif

#endif
