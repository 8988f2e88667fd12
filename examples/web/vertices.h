/*
 * vertices.h - a sheet with its unknowns at the vertices, which locks: example 04, for the page
 */
#ifndef VERTICES_H
#define VERTICES_H

#include "page.h"

/* Makes p->own such a sheet: the mesh and the pins of this one, moved by `offset` [m]. */
void vertices_open(page *p, const page_cloth *like, const char *label, dc_vec3 offset);

/* One step of the length that the page takes; an error is left in p->error. */
void vertices_step(page *p);

#endif
