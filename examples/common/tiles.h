/*
 * tiles.h - a contact sheet: a dozen pictures of a run, spread evenly over it, with their times
 */
#ifndef TILES_H
#define TILES_H

#include "files.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tiles {
    image sheet;
    int size[2], frames; /* [pixel] of a picture; how many the run will have */
    int count;           /* pasted so far */
} tiles;

int tiles_init(tiles *t, const int size[2], int frames, failure *why);
void tiles_free(tiles *t);

/* Pastes the picture of this frame, the first is 0, if it is among those that are wanted. */
void tiles_add(tiles *t, int frame, double time, const image *picture);

#ifdef __cplusplus
}
#endif

#endif
