/*
 * drape_curves.h - drapes whose borders follow curves from files
 */
#ifndef DRAPE_CURVES_H
#define DRAPE_CURVES_H

#include "drapes.h"
#include "mesh_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct drape_curves {
    const char *const *paths; /* (count) of files as polyline_read() reads them */
    int count;                /* 1 or DRAPE_CURVES_MAX */
    mesh_file_choice file;    /* its scale and the axis that is up are those of curves, too */
    int is_weightless;
    int cells;    /* of a sheet that is made for the curves, along them */
    double width; /* [m] of that sheet, away from the first curve; 0: as the curves ask */
} drape_curves;

/* Fills a scene with a mesh, which is copied. Each curve holds a part of its border: between the
   vertices that its file names, or else from the vertex nearest to its first point to the one
   nearest to its last; on the side whose length is closer to the curve's. A closed curve holds the
   whole border that is nearest to its first point. Fails if a border is longer than its curve,
   among others. Closed as others; on failure nothing is left to free. */
int drape_scene_follow(drape_scene *s, const sim_shape *shape, const drape_curves *curves,
                       const drape_choice *choice, failure *why);

/* The same with a rectangle that is made for one or two open curves: as long as the shorter one; as
   wide as the largest distance of two curves, or as it is long. It starts flat, near to them. */
int drape_scene_span(drape_scene *s, const drape_curves *curves, const drape_choice *choice,
                     failure *why);

#ifdef __cplusplus
}
#endif

#endif
