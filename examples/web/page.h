/*
 * page.h - what scenes are made of, and what shows them
 *
 * A scene (scenes.c) describes cloths, ribbons and obstacles with the functions of the first part.
 * The second part runs it. The module for the browser (module.c) and the native program (native.c)
 * call it alike, so both compute the same bits. All memory is one block that the caller owns.
 */
#ifndef PAGE_H
#define PAGE_H

#include "../../devcloth.h"
#include "../common/shapes.h"
#include "../common/vec.h"

enum {
    PAGE_CLOTHS = 4,
    PAGE_RIBBONS = 4,
    PAGE_OBSTACLES = 24,
    PAGE_SURFACES = PAGE_CLOTHS + PAGE_RIBBONS + PAGE_OBSTACLES + 1,
    PAGE_PINS = 64,      /* of a cloth, from its scene */
    PAGE_GRABS = 16,     /* of a cloth, set by hand */
    PAGE_GRIPS = 9,      /* of a ribbon: places where it can be held */
    PAGE_CONTACTS = 2048 /* whose forces are drawn */
};

/* What the page has sliders for, from where to where, and in which steps. page_open() refuses a row
   of the table that starts a slider elsewhere. */
enum {
    PAGE_CELLS,    /* along a side of a cloth, or of a ribbon: cells_min to cells_max of the row */
    PAGE_RATE,     /* [1/s] steps a second: 60 to 480, by 60                                     */
    PAGE_BENDING,  /* [1e-6 N m] of all bodies: 1 to 1000, by 1                                  */
    PAGE_FRICTION, /* [1] of all bodies and obstacles: 0 to 1, by 0.05                           */
    PAGE_WIND,     /* [m/s] along z: -5 to 5, by 0.1                                             */
    PAGE_GRAVITY,  /* [m/s^2] downwards: -10 to 20, by 0.01                                      */
    PAGE_SETTINGS
};

/* In a row of the table, instead of a slider's start: the scene has no use for that slider. */
#define PAGE_UNUSED (-1e6)

typedef struct page_setting {
    const char *name, *label, *unit;
    double min, max, step, start; /* min = max: the scene has no use for it */
    int restarts;                 /* whether a change needs a new world */
} page_setting;

typedef struct page page;

typedef struct page_scene {
    const char *name, *title, *text;
    double start[PAGE_SETTINGS]; /* where the sliders start, in the order above */
    int cells_min, cells_max;
    dc_vec3 eye, target; /* [m] of the camera */
    void (*build)(page *p);
    /* Before the step that ends at `time` [s]; or NULL. It may call dc_world_*(p->world, ...). */
    void (*drive)(page *p, double time);
} page_scene;

extern const page_scene page_scenes[];
extern const int page_scene_count;

/* ---- Parts of a scene ---- */

typedef struct page_cloth {
    dc_cloth_desc desc;
    dc_vec3 *positions; /* (desc.mesh.vertex_count) [m] at the start */
    dc_vec2 *flat;      /* (desc.mesh.vertex_count) [m] at rest */
    const char *label;
    dc_index pin[PAGE_PINS];
    unsigned char is_held[PAGE_PINS]; /* whether this pin holds now */
} page_cloth;

typedef struct page_ribbon {
    dc_ribbon_desc desc;
    const char *label;
    dc_attachment_desc grip[PAGE_GRIPS];
    dc_index crease[PAGE_GRIPS]; /* the grip is in the middle of this crease */
    unsigned char is_held[PAGE_GRIPS];
    dc_vec3 held_at[PAGE_GRIPS]; /* [m] the targets of those that hold */
} page_ribbon;

typedef struct page_obstacle {
    dc_obstacle_desc desc;
    const char *label;
    dc_vec3 *shape; /* of what is drawn, about the origin, along y; NULL: the obstacle's mesh */
    dc_index *triangles;
    dc_index vertex_count, triangle_count;
    double turned; /* [rad] about y, for the drawing */
    int has_moved; /* since it was last drawn */
} page_obstacle;

/* `count` items of `size` bytes; NULL, and an error, if the block is too small. NULL as well after
   an earlier error. */
void *page_take(page *p, dc_index count, size_t size);

/* In `build`, makes the scene fail with this text; in `drive`, refuses the step. The first error
   counts. */
void page_fail(page *p, const char *what);

/* A sheet of so many cells, upright in the xy plane with a corner at the origin; the scene then
   moves its `positions`. Vertices are numbered row by row from below: row * (columns + 1) + column,
   so that 0 is the corner at the origin. Its bending and friction are those of the sliders; both
   drags are 1 kg/(m^2 s), and hands can hold PAGE_GRABS vertices. NULL after an error. */
page_cloth *page_add_sheet(page *p, const char *label, int columns, int rows, double width,
                           double height);

/* Pins a vertex where `positions` puts it. Pins are numbered in the order in which they come. */
void page_add_pin(page *p, page_cloth *cloth, dc_index vertex);

/* Starts a sheet where it comes to rest on the obstacles, held by desc->anchors, which become its
   pins: dc_drape_solve(). Call it last. */
void page_start_draped(page *p, page_cloth *cloth, dc_drape_desc *desc);

/* A strip of PAGE_CELLS segments, with the bending and friction of the sliders and a drag of
   1 kg/(m^2 s). It can be held at PAGE_GRIPS places. NULL after an error. */
page_ribbon *page_add_ribbon(page *p, const char *label, double length, double width);

/* Their numbers among the bodies of the world. */
dc_index page_ribbon_body(const page *p, dc_index ribbon);
dc_index page_obstacle_body(const page *p, dc_index obstacle);

/* Obstacles make the world collide. A scene without them does not, unless it sets
   p->desc.collides itself. Their numbers are in the order in which they come. */
page_obstacle *page_add_sphere(page *p, const char *label, dc_vec3 centre, double radius);
page_obstacle *page_add_capsule(page *p, const char *label, dc_vec3 from, dc_vec3 to,
                                double radius);
page_obstacle *page_add_box(page *p, const char *label, dc_vec3 low, dc_vec3 high);
page_obstacle *page_add_floor(page *p, double height);

/* For `drive`. A number that is out of range, or an error of the library, refuses the step. */

/* Moves an obstacle in the next step, as dc_obstacle_move(). */
void page_move_obstacle(page *p, dc_index obstacle, const dc_vec3 *positions, dc_vec3 spin);

/* Moves or frees a pin of the scene in the next step, unless it was freed by hand. */
void page_move_pin(page *p, dc_index cloth, dc_index pin, dc_vec3 target);
void page_free_pin(page *p, dc_index cloth, dc_index pin);

/* ---- A running scene ---- */

typedef enum page_kind { PAGE_CLOTH, PAGE_RIBBON, PAGE_OBSTACLE } page_kind;

/* What is drawn. The arrays of floats are written by page_draw(). */
typedef struct page_surface {
    page_kind kind;
    dc_index body; /* the cloth, ribbon or obstacle of this number; DC_NONE: p->own */
    const char *label;
    dc_index vertex_count, triangle_count, midpoint_count;
    const dc_index *triangles;   /* (triangle_count, 3) */
    const dc_index *midpoint_of; /* (triangle_count, 3) the midpoint opposite a corner, or NULL */
    const dc_mesh *mesh;         /* with rest lengths, for the strain; or NULL */
    float *uv;                   /* (vertex_count, 2) [m], or NULL */
    float *positions, *normals;  /* (vertex_count, 3) [m], [1] */
    float *strain;               /* (vertex_count) largest |l - l0| / l0 of an edge there */
    float *midpoints;            /* (midpoint_count, 3) [m] */
    int is_new;                  /* whether it was written since the last page_draw() */
} page_surface;

typedef enum page_state {
    PAGE_MOVES, /* in time: nothing is searched for */
    PAGE_SEARCHES,
    PAGE_AT_REST,
    PAGE_AT_LIMIT
} page_state;

/* A search for a shape at rest. */
typedef struct page_rest {
    page_state state;
    int iterations;  /* since the curve moved */
    double distance; /* [m] from the curve */
    double strain;   /* largest |l - l0| / l0 */
} page_rest;

/* A surface that no world simulates, drawn and hashed beside it. A scene that has one and neither
   cloths nor ribbons has no world. */
typedef struct page_own {
    const char *label;
    dc_mesh mesh;
    const dc_vec3 *positions;
    dc_vec2 *flat;
    void *state; /* of the scene */
    size_t bytes;
    const dc_vec3 *curve; /* (point_count) [m] a line to draw */
    int point_count;
    const dc_vec3 *handle; /* (handle_count) [m] places that hands can take hold of */
    int handle_count;
    page_rest rest;
} page_own;

typedef enum page_grip {
    PAGE_GRIP_NONE,
    PAGE_GRIP_VERTEX,
    PAGE_GRIP_PIN,
    PAGE_GRIP_RIBBON,
    PAGE_GRIP_HANDLE
} page_grip;

/* A vertex that is held by hand: while it is dragged, or pinned. */
typedef struct page_grab {
    dc_index cloth, vertex;
    dc_vec3 target;    /* [m] now; while it is dragged, on the way to page.target */
    double compliance; /* [m/N] */
    int is_pin;        /* it stays when it is let go */
} page_grab;

struct page {
    const page_scene *scene;
    double setting[PAGE_SETTINGS];
    dc_world_desc desc;
    page_cloth cloth[PAGE_CLOTHS];
    page_ribbon ribbon[PAGE_RIBBONS];
    page_obstacle obstacle[PAGE_OBSTACLES];
    dc_cloth_desc cloth_desc[PAGE_CLOTHS]; /* the same, as the world wants them */
    dc_ribbon_desc ribbon_desc[PAGE_RIBBONS];
    dc_obstacle_desc obstacle_desc[PAGE_OBSTACLES];
    page_own own; /* own.positions is NULL if there is nothing */

    unsigned char *memory;
    size_t bytes, used;

    dc_world *world; /* NULL: there is only p->own */
    double time;     /* [s] at the end of the last step */
    dc_info info;
    dc_report report; /* of the last step */
    dc_error error;   /* of the last call that failed */
    page_surface surface[PAGE_SURFACES];
    int surface_count;

    page_grip grip;      /* what the pointer holds */
    dc_index body, item; /* the cloth and vertex, or its pin; the ribbon and its grip;
                            the handle of p->own */
    dc_vec3 target;      /* [m] where to */
    dc_vec3 offset;      /* [m] from the pointer, of a ribbon's grip */
    page_grab grab[PAGE_CLOTHS * PAGE_GRABS];
    int grab_count;
};

/* A slider of a scene. */
page_setting page_slider(int scene, int setting);

/* Builds a scene with p->setting in the block `memory` (bytes). Before `build`, p->desc has gravity
   and wind of the sliders, takes_unconverged, and a work_max that grows with the cells. `build` may
   set them otherwise; gravity and wind then hold until their sliders move.
   DC_TOO_SMALL: p->error.needed. */
dc_status page_open(page *p, int scene, void *memory, size_t bytes);

/* Changes p->setting; those that do not restart act from the next step on. */
void page_set(page *p, int setting, double value);

/* One step. After an error the world is as before, and p->error says why. */
dc_status page_step(page *p);

/* The label of the body that p->error is about, or with `second` of the other one; or NULL. */
const char *page_error_label(const page *p, int second);

/* Takes hold of the handle that is nearest to a ray, if it is at most `reach` times as far from the
   ray as from its origin; or else of what the ray meets. 0: nothing that can be held. `hit` [m]. */
int page_take_hold(page *p, dc_vec3 origin, dc_vec3 direction, double reach, dc_ray_hit *hit);
void page_drag(page *p, dc_vec3 target);
void page_let_go(page *p);

/* Frees the pin where a ray meets a cloth or a ribbon, or pins it there. */
void page_toggle_pin(page *p, dc_vec3 origin, dc_vec3 direction);

/* Where a ribbon's grip is now [m]. */
dc_vec3 page_grip_position(const page *p, dc_index ribbon, dc_index grip);

/* Writes the arrays of all surfaces that have moved. */
void page_draw(page *p);

/* Writes up to `capacity` points that are pinned (3 numbers each), and the forces of springs set by
   hand and of contacts (point and force, 6 numbers each). Returns how many are written. */
int page_pins(const page *p, float *points, int capacity);
int page_arrows(const page *p, float *arrows, int capacity);

/* Writes the segments of p->own's curve (point and way to the next one, 6 numbers each), and its
   handles (3 numbers each). Returns how many are written. */
int page_curve(const page *p, float *segments, int capacity);
int page_handles(const page *p, float *points, int capacity);

/* The force with which the pointer pulls [N], 0 where it is not known; where it pulls [m]. */
double page_pull(const page *p, dc_vec3 *point);

typedef struct page_energy {
    double kinetic, gravity, bending; /* [J] */
    double length_error;              /* largest relative error of a length */
} page_energy;

page_energy page_measure(page *p);

/* The bits of the state, the same on every machine. */
uint64_t page_hash(const page *p);

#endif
