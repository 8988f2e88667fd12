/*
 * ribbons.h - the built-in scenes of ribbons, after Pan et al.
 *
 *     ribbon_scene s;
 *     if (!ribbon_scene_open(&s, "fall", NULL, &why)) ...
 *     while ((double)dc_world_time(s.world) < s.kind->seconds)
 *         if (ribbon_scene_step(&s, &report, &error) != DC_OK) ...
 *     ribbon_scene_close(&s);
 *
 * As in scenes.h a scene is told by a row of a table. The paper names sizes and numbers of segments
 * and shows pictures; how ends are led, and the material where it is not common paper, is ours. A
 * scene has pointers to itself and is not to be copied. Drawing is in scenes_draw.h.
 */
#ifndef RIBBONS_H
#define RIBBONS_H

#include "../../devcloth.h"
#include "files.h"
#include "scenes.h"
#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RIBBON_BODIES_MAX = 18, RIBBON_ATTACHMENTS_MAX = 4, RIBBON_OBSTACLES_MAX = 1 };
enum { RIBBON_SEGMENTS_MIN = 8, RIBBON_SEGMENTS_MAX = 2000 };

typedef struct ribbon_scene ribbon_scene;

typedef struct ribbon_kind {
    const char *name, *title;
    const char *text;     /* what one will see, in a line */
    double dt;            /* [s] */
    double seconds;       /* [s] of the whole story */
    double shown;         /* [s] the moment that tells most */
    int fps;              /* pictures a second; a whole number of steps lies between two */
    int segments;         /* of each ribbon, if the caller does not say */
    int small_segments;   /* that still tell the story, in a second of computing, ... */
    double small_seconds; /* [s] ... and how much of it has all that happens */
    scene_camera camera;
    int (*build)(ribbon_scene *s, failure *why);
    void (*drive)(ribbon_scene *s, double time); /* NULL: nothing moves by itself */
} ribbon_kind;

typedef struct ribbon_body {
    dc_ribbon_desc desc;
    dc_real *creases, *angles; /* (segment_count - 1) at the start */
    dc_vec3 *velocities;       /* (2 segment_count + 2) [m/s] at the start */
    dc_attachment_desc attachment[RIBBON_ATTACHMENTS_MAX];
    dc_index *triangles; /* (2 segment_count, 3) those of the world, diagonals opposite the first
                            corners, for drawing */
} ribbon_body;

struct ribbon_scene {
    const ribbon_kind *kind;
    int segments;
    double dt; /* [s] */
    ribbon_body body[RIBBON_BODIES_MAX];
    int body_count;
    dc_obstacle_desc obstacle[RIBBON_OBSTACLES_MAX];
    int obstacle_count;
    dc_vec3 gravity; /* [m/s^2] */
    int collides;
    struct sim sim;
    dc_world *world; /* sim.world */
};

/* What may differ from the scene's own; what is 0 is the scene's. */
typedef struct ribbon_choice {
    int segments; /* of each ribbon */
    double dt;    /* [s] */
} ribbon_choice;

/* The rows of the table: `count` of them. */
const ribbon_kind *ribbon_kinds(int *count);

/* NULL if there is none of that name. */
const ribbon_kind *ribbon_find(const char *name);

/* Makes the world of a scene. choice may be NULL. On failure nothing is left to free. */
int ribbon_scene_open(ribbon_scene *s, const char *name, const ribbon_choice *choice, failure *why);

void ribbon_scene_close(ribbon_scene *s);

/* Leads what is led to where it is at the end of the step, and makes the step, of s->dt. After an
   error the state is as before. `report` and `error` may be NULL. */
dc_status ribbon_scene_step(ribbon_scene *s, dc_report *report, dc_error *error);

/* Steps from one picture to the next. */
int ribbon_steps_a_frame(const ribbon_scene *s);

#ifdef __cplusplus
}
#endif

#endif
