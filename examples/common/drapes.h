/*
 * drapes.h - the fifteen scenes of Chen & Tang 2010: where cloth comes to rest
 *
 *     drape_scene s;
 *     if (!drape_scene_open(&s, "II.c", NULL, &why)) ...
 *     dc_drape_solve(s.drape, &report, &error);
 *     drape_scene_close(&s);
 *
 * Lengths are counted in edges, about 1; y is up. The paper tells vertex counts and shows pictures,
 * but has no coordinates, so sizes, anchors and obstacles are ours. A scene has pointers to
 * itself and is not to be copied. Drawing is in scenes_draw.h.
 */
#ifndef DRAPES_H
#define DRAPES_H

#include "../../devcloth.h"
#include "files.h"
#include "scenes.h"
#include "sim.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DRAPE_OBSTACLES_MAX = 4, DRAPE_CURVES_MAX = 2, DRAPE_STARTS = 3 };

/* What may differ from one run of a scene to the next; all 0 is the scene as in the table. */
typedef struct drape_choice {
    uint32_t seed; /* of the noise in the start */
    int start;     /* 0: flat, or the cone; 1: tilted; 2: bent, nothing crosses in any of them */
} drape_choice;

typedef struct drape_scene drape_scene;

typedef struct drape_kind {
    const char *name;  /* as the rows of the paper's table 1 */
    const char *title; /* what one will see */
    int vertex_count;  /* the paper's */
    scene_camera camera;
    int (*build)(drape_scene *s, failure *why);
} drape_kind;

struct drape_scene {
    const drape_kind *kind;  /* NULL: not of the table */
    sim_shape shape;         /* flat, or the cone: as the scene starts if nothing else is chosen */
    dc_vec2 *flat_corners;   /* (triangle_count, 3) of skirts, else NULL */
    dc_vec3 *start;          /* (vertex_count) */
    dc_anchor_desc *anchors; /* (desc.anchor_count) */
    dc_curve_desc curve[DRAPE_CURVES_MAX];
    dc_index *run[DRAPE_CURVES_MAX];   /* (curve.vertex_count) */
    dc_vec3 *points[DRAPE_CURVES_MAX]; /* (curve.point_count) [m] */
    const char *curve_name[DRAPE_CURVES_MAX];
    double curve_length[DRAPE_CURVES_MAX];  /* [m] */
    double border_length[DRAPE_CURVES_MAX]; /* [m] of the border that it holds */
    int has_pattern; /* whether shape.flat is the whole sheet without a bend */
    dc_obstacle_desc obstacle[DRAPE_OBSTACLES_MAX];
    sim_shape obstacle_shape[DRAPE_OBSTACLES_MAX]; /* of those that are meshes */
    scene_camera camera;
    double
        top; /* height of the highest anchor's target, or of the start where there is no anchor */
    dc_drape_desc desc;
    dc_info info;
    void *memory;
    dc_drape *drape; /* NULL until it is made */
};

/* The rows of the table: `count` of them. */
const drape_kind *drape_kinds(int *count);

/* NULL if there is none of that name. */
const drape_kind *drape_find(const char *name);

/* Fills s->desc and all that it points to, and makes no drape. choice may be NULL. On failure
   nothing is left to free. */
int drape_scene_build(drape_scene *s, const char *name, const drape_choice *choice, failure *why);

/* For those who fill a scene themselves: sets what was chosen; places the start, once the shape is
   there. */
void drape_scene_choose(drape_scene *s, const drape_choice *choice);
int drape_scene_place(drape_scene *s, const drape_choice *choice, failure *why);

/* Plans and makes s->drape. After a failure the scene is still to be closed. */
int drape_scene_make(drape_scene *s, failure *why);

/* Builds and makes; on failure nothing is left to free. */
int drape_scene_open(drape_scene *s, const char *name, const drape_choice *choice, failure *why);

void drape_scene_close(drape_scene *s);

/* What a record of its planning, making or solving says. Returns 0. */
int drape_failure(const drape_scene *s, const dc_error *error, failure *why);

/* The paper's sum of dz: how far all vertices have risen from the start of the table, added up. */
double drape_rise(const drape_scene *s, const dc_vec3 *positions);

/* How far all vertices are below s->top, added up: what shapes of one scene are compared by, for it
   is the same wherever the scene lies. */
double drape_depth(const drape_scene *s, const dc_vec3 *positions);

#ifdef __cplusplus
}
#endif

#endif
