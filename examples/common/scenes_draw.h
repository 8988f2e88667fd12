/*
 * scenes_draw.h - the bodies of a scene or a drape for the renderer
 */
#ifndef SCENES_DRAW_H
#define SCENES_DRAW_H

#include "drapes.h"
#include "render.h"
#include "scenes.h"

/* Aims the camera and adds cloths and obstacles as they are now. The view points to arrays of the
   scene. edge_width: of the cloths' edges [pixel], 0: none. */
void scene_add_bodies(const scene *s, double edge_width, render_scene *view);

/* The same for the sheet of a drape at `positions`, with red dots for its anchors. */
void drape_add_bodies(const drape_scene *s, const dc_vec3 *positions, double edge_width,
                      render_scene *view);

#endif
