/*
 * render.h - a small software renderer for cloth: soft shadows, two-coloured sheets, strain colours
 *
 *     render_scene scene = render_scene_defaults();
 *     render_aim(&scene, target, distance, turn, rise);
 *     render_add_mesh(&scene, mesh, material);
 *     render_add_capsule(&scene, foot, top, radius, material);
 *     render_draw(&scene, &picture, &failure);
 *
 * Metres, y up. A scene only points to the meshes' arrays; they must stay until it is drawn.
 */
#ifndef RENDER_H
#define RENDER_H

#include "../../devcloth.h"
#include "files.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RENDER_BODIES_MAX = 64 };

/* sRGB, 0 to 1 */
typedef struct render_colour {
    double r, g, b;
} render_colour;

typedef struct render_material {
    render_colour front, back; /* of the side to which the normals point, and of the other */
    double translucency;       /* part of the light from behind that shines through, 0 to 1 */
    double gloss;              /* strength of the highlight, 0 to 1 */
    double edge_width;         /* [pixel] of lines along the mesh edges; 0: none */
    int has_diagonals;         /* edges opposite the first corners are diagonals, without lines */
} render_material;

typedef struct render_mesh {
    dc_index vertex_count, triangle_count;
    const dc_vec3 *positions;  /* (vertex_count) [m] */
    const dc_index *triangles; /* (triangle_count, 3) */
    const double *values;      /* (vertex_count) to show as colours, or NULL: the material's */
    double value_max;          /* of the colour scale, which goes from -value_max to value_max */
} render_mesh;

/* A mesh, or a capsule if mesh.positions is NULL. */
typedef struct render_body {
    render_mesh mesh;
    dc_vec3 end[2]; /* of the capsule's axis [m] */
    double radius;  /* [m] */
    render_material material;
} render_body;

typedef struct render_scene {
    dc_vec3 eye, target; /* [m] */
    double view_angle;   /* [degree] from the lower to the upper border */
    dc_vec3 light;       /* direction towards the main light, of any length */
    double ground;       /* [m] height of the floor */
    double grid;         /* [m] between the lines on the floor; 0: none */
    int samples;         /* along each side of a pixel, 1 to 4 */
    render_body body[RENDER_BODIES_MAX];
    int body_count;
} render_scene;

/* No bodies, light from the upper left, a floor at height 0 with lines every half metre, 2 x 2
   samples. The camera is not aimed. */
render_scene render_scene_defaults(void);

/* Places the eye at a distance [m] from the target, turned about the vertical [degree] from the z
   axis towards x, and risen above the horizontal [degree]. */
void render_aim(render_scene *scene, dc_vec3 target, double distance, double turn, double rise);

/* A cloth of two colours; a matt solid of one. */
render_material render_cloth(render_colour front, render_colour back);
render_material render_solid(render_colour colour);

/* Beyond RENDER_BODIES_MAX bodies are left out. */
void render_add_mesh(render_scene *scene, render_mesh mesh, render_material material);

/* A capsule between two points; a ball if they are the same. */
void render_add_capsule(render_scene *scene, dc_vec3 end0, dc_vec3 end1, double radius,
                        render_material material);

/* Fills the picture. Triangles that reach behind the eye are left out. Fails for want of memory. */
int render_draw(const render_scene *scene, image *picture, failure *why);

/* The colour scale of values at (x, y) of the picture [pixel], 180 x 34 pixels times scale: a bar
   from -value_max to value_max, numbers in per cent below it, a title above. */
void render_legend(image *picture, int x, int y, int scale, double value_max, const char *title);

#ifdef __cplusplus
}
#endif

#endif
