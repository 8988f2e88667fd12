/*
 * pattern.h - flat patterns of ribbons and sheets at true scale, to print, cut and fold: SVG files
 */
#ifndef PATTERN_H
#define PATTERN_H

#include "../../devcloth.h"
#include "files.h"
#include "rulings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pattern_strip {
    dc_index segment_count; /* n */
    double length, width;   /* [m] */
    dc_ribbon_ends ends;
    const dc_real *creases; /* (n + 1) c_0 to c_n, tangents from straight across */
    const dc_real *angles;  /* (n + 1) psi_0 to psi_n [rad] */
} pattern_strip;

/* The strip that a ribbon of a world is cut from; it points into the world. */
pattern_strip pattern_strip_of(const dc_world *world, dc_index ribbon, const dc_ribbon_desc *desc);

/* Writes the strips below each other, a millimetre of the file a millimetre of paper. Outlines are
   solid; valleys, folded towards the printed side, are dashed and blue, mountains dash-dotted and
   red; fold angles are in degrees. Corners of joined ends that belong together bear one letter. */
int pattern_write_svg(const char *path, const char *title, const pattern_strip *strips, int count,
                      failure *why);

/* Writes the flat pattern (vertex_count) [m] of a sheet likewise, with its rulings as thin lines:
   blue and dashed where it bends towards the printed side, otherwise red and dash-dotted. A bar of
   50 mm shows whether the printer kept the scale. The printed side is that of the normals, if
   triangles are counter-clockwise in the pattern. */
int pattern_write_sheet(const char *path, const char *title, const dc_mesh *mesh,
                        const dc_vec2 *flat, const rulings *lines, failure *why);

#ifdef __cplusplus
}
#endif

#endif
