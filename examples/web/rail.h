/*
 * rail.h - a sheet with a border on a curve that hands bend: a drape, without a world
 */
#ifndef RAIL_H
#define RAIL_H

#include "page.h"

/* Makes p->own a drape of this sheet, whose upper border is held to a curve through `handles`
   (RAIL_HANDLES) [m]; the curve keeps its length, SLACK longer than the border. Takes the sheet out
   of p->desc. */
void rail_open(page *p, page_cloth *cloth, int columns, const dc_vec3 *handles);

/* One iteration, before which the curve follows the hand. An error is left in p->error. */
void rail_step(page *p);

enum { RAIL_HANDLES = 4 };

#endif
