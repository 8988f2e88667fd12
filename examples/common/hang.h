/*
 * hang.h - where to hang a mesh, and how far down it will reach
 */
#ifndef HANG_H
#define HANG_H

#include "../../devcloth.h"
#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hang {
    dc_index *pins; /* (pin_count) vertices, from malloc() */
    dc_index pin_count;
    dc_index piece_count;
    dc_vec3 low, high; /* [m] bounds of the mesh as it starts */
    dc_vec3 middle;    /* [m] mean of the pins */
    double lowest;     /* [m] height below which no vertex can hang */
} hang;

/* Chooses pins for each connected piece of a checked mesh: of its vertices within a thousandth of
   its height from the top, the two that are furthest apart, or the only one. */
int hang_choose(hang *h, const dc_mesh_desc *mesh, failure *why);

void hang_free(hang *h);

#ifdef __cplusplus
}
#endif

#endif
