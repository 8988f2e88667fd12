/*
 * scenes.h - the built-in scenes: cloth that meets spheres, figures, funnels and itself
 *
 *     scene s;
 *     if (!scene_open(&s, "sphere", 0, &why)) ...
 *     while ((double)dc_world_time(s.world) < s.kind->seconds)
 *         if (scene_step(&s, &report, &error) != DC_OK) ...
 *     scene_close(&s);
 *
 * A scene is told by a row of a table: what it is called, how long it takes, a function that builds
 * its bodies, and one that says where pins and obstacles are at any time. It holds no other state,
 * and uses nothing but the library's own elementary functions, so that it has the same bits
 * everywhere. Drawing is apart, in scenes_draw.h.
 */
#ifndef SCENES_H
#define SCENES_H

#include "../../devcloth.h"
#include "files.h"
#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SCENE_CLOTHS_MAX = 5, SCENE_OBSTACLES_MAX = 24 };

typedef struct scene scene;

/* Where the eye is, as render_aim() wants it. */
typedef struct scene_camera {
    double target[3];  /* [m] */
    double distance;   /* [m] */
    double turn, rise; /* [degree] */
} scene_camera;

typedef struct scene_kind {
    const char *name, *title;
    const char *text;     /* what one will see, in a line */
    double dt;            /* [s] */
    double seconds;       /* [s] of the whole story */
    int fps;              /* pictures a second; a whole number of steps lies between two */
    int cells;            /* along the main side, if the caller does not say */
    int small_cells;      /* the fewest that still tell the story, in seconds of computing, ... */
    double small_seconds; /* [s] ... and how much of it has all that happens */
    double bending;       /* [N m] of scenes that differ in nothing else */
    scene_camera camera;
    int is_followed; /* the camera goes along with obstacle 0, level */
    int takes_mesh;  /* the caller's mesh can take the place of the scene's own */
    int (*build)(scene *s, failure *why);
    void (*drive)(scene *s, double time); /* NULL: nothing moves by itself */
} scene_kind;

typedef struct scene_cloth {
    sim_shape shape; /* its positions are the start */
    dc_cloth_desc desc;
    dc_index *pins;    /* (desc.pin_count), from malloc() */
    dc_vec3 *pin_home; /* (desc.pin_count) [m] at the start, from malloc() */
} scene_cloth;

struct scene {
    const scene_kind *kind;
    int cells;   /* along the main side; 0: the mesh is the caller's */
    double edge; /* [m] length of an edge along it: builders measure thickness by it */
    scene_cloth cloth[SCENE_CLOTHS_MAX];
    int cloth_count;
    dc_obstacle_desc obstacle[SCENE_OBSTACLES_MAX];
    sim_shape obstacle_shape[SCENE_OBSTACLES_MAX]; /* of those that are meshes */
    int obstacle_count;
    dc_vec3 gravity; /* [m/s^2] */
    dc_quality quality;
    const dc_mesh_desc *mesh; /* the caller's, while the scene is built; or NULL */
    struct sim sim;
    dc_world *world; /* sim.world */
};

enum { SCENE_CELLS_MIN = 8, SCENE_CELLS_MAX = 400 };

/* The rows of the table: `count` of them. */
const scene_kind *scene_kinds(int *count);

/* NULL if there is none of that name. */
const scene_kind *scene_find(const char *name);

/* Makes the world of a scene. cells: along its main side, the others in proportion; 0: its own
   number. On failure nothing is left to free. */
int scene_open(scene *s, const char *name, int cells, failure *why);

/* The same with another element, tolerance or mesh than the scene's own: what is 0 or NULL is the
   scene's. */
typedef struct scene_choice {
    int is_isometric;
    int is_real_time;         /* DC_REAL_TIME */
    double tolerance;         /* of squared lengths */
    const dc_mesh_desc *mesh; /* of scenes that take one: scaled to their size, and copied */
} scene_choice;
int scene_open_as(scene *s, const char *name, int cells, const scene_choice *choice, failure *why);

void scene_close(scene *s);

/* Moves pins and obstacles to where they are at the end of the step, and makes the step, of
   s->kind->dt. After an error the state is as before. `report` and `error` may be NULL. */
dc_status scene_step(scene *s, dc_report *report, dc_error *error);

/* Makes this many steps. */
int scene_advance(scene *s, int steps, failure *why);

/* The number of steps from one picture to the next. */
int scene_steps_a_frame(const scene_kind *kind);

#ifdef __cplusplus
}
#endif

#endif
