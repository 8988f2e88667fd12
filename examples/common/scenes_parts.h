/*
 * scenes_parts.h - what the files that build scenes share; others want scenes.h
 */
#ifndef SCENES_PARTS_H
#define SCENES_PARTS_H

#include "scenes.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Building: functions return NULL or 0 for want of memory or room, and say so ---- */

/* Adds a cloth that takes over the shape, with common material, and thickness by s->edge. */
scene_cloth *scene_add_cloth(scene *s, sim_shape *shape, failure *why);

/* A shape without positions and triangles yet. */
int scene_make_shape(sim_shape *shape, int vertex_count, int triangle_count, failure *why);

/* A grid of columns x rows cells, width x height [m], around the origin in the xz plane, its front
   up. */
int scene_make_sheet(sim_shape *shape, int columns, int rows, double width, double height,
                     failure *why);

/* Turns a shape about the vertical through the origin [rad], then moves it [m]. */
void scene_place(sim_shape *shape, double turn, dc_vec3 to);

/* Makes room for pins, then pins a vertex where it starts. */
int scene_make_pins(scene_cloth *cloth, int pin_count_max, failure *why);
void scene_pin(scene_cloth *cloth, dc_index vertex);

/* The index of the new obstacle. There is room for SCENE_OBSTACLES_MAX. */
int scene_add_sphere(scene *s, dc_vec3 centre, double radius, double friction);
int scene_add_capsule(scene *s, dc_vec3 end0, dc_vec3 end1, double radius, double friction);
int scene_add_floor(scene *s, double height, double friction);
int scene_add_obstacle_mesh(scene *s, sim_shape *shape, double friction); /* takes it over */

/* ---- The scenes, by the files they are in ---- */

int scene_build_sphere(scene *s, failure *why);
int scene_build_turning(scene *s, failure *why);
int scene_build_stiff(scene *s, failure *why);
void scene_drive_turning(scene *s, double time);
int scene_build_shell(scene *s, failure *why);
int scene_build_five(scene *s, failure *why);
int scene_build_funnel(scene *s, failure *why);
void scene_drive_funnel(scene *s, double time);

int scene_build_crushed(scene *s, failure *why);
void scene_drive_crushed(scene *s, double time);
int scene_build_twisted(scene *s, failure *why);
void scene_drive_twisted(scene *s, double time);
int scene_build_tied(scene *s, failure *why);
void scene_drive_tied(scene *s, double time);

int scene_build_cape(scene *s, failure *why);
void scene_drive_cape(scene *s, double time);
int scene_build_shirt(scene *s, failure *why);
void scene_drive_shirt(scene *s, double time);
void scene_drive_pinched(scene *s, double time);
int scene_build_dress(scene *s, failure *why);
void scene_drive_dress(scene *s, double time);

/* [rad] by which the sphere of `turning` has turned. */
double scene_turning_angle(double time);

/* [rad] by which the figure of `dress` has turned. */
double scene_dress_angle(double time);

#ifdef __cplusplus
}
#endif

#endif
