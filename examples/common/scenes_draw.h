/*
 * scenes_draw.h - the bodies of a scene, a drape or a scene of ribbons for the renderer
 */
#ifndef SCENES_DRAW_H
#define SCENES_DRAW_H

#include "drapes.h"
#include "render.h"
#include "ribbons.h"
#include "scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Aims the camera and adds cloths and obstacles as they are now. The view points to arrays of the
   scene. edge_width: of the cloths' edges [pixel], 0: none. */
void scene_add_bodies(const scene *s, double edge_width, render_scene *view);

/* The same for the sheet of a drape at `positions`, with red dots for its anchors. */
void drape_add_bodies(const drape_scene *s, const dc_vec3 *positions, double edge_width,
                      render_scene *view);

/* The same for ribbons as they are now. crease_width: of lines
   along the creases and rims [pixel], 0: none. */
void ribbon_add_bodies(const ribbon_scene *s, double crease_width, render_scene *view);

#ifdef __cplusplus
}
#endif

#endif
