/* Sheets that fall: on a sphere, on a turning one, on each other, into a funnel. */
#include "scenes_parts.h"

/* ---- sphere, turning ---- */

static const double BALL_RADIUS = 0.25; /* [m] */
static const double DROP = 0.03;        /* [m] height over the ball at the start */

/* A square sheet of 1 m over a ball that stands on the floor. */
static scene_cloth *sheet_over_ball(scene *s, double turn, double friction, failure *why)
{
    sim_shape shape;
    s->edge = 1.0 / s->cells;
    if (!scene_make_sheet(&shape, s->cells, s->cells, 1, 1, why)) return NULL;
    scene_place(&shape, turn, vec_make(0, 2 * BALL_RADIUS + DROP, 0));
    scene_add_sphere(s, vec_make(0, BALL_RADIUS, 0), BALL_RADIUS, friction);
    scene_add_floor(s, 0, friction);
    return scene_add_cloth(s, &shape, why);
}

int scene_build_sphere(scene *s, failure *why)
{
    static const double TURN = 0.2, FRICTION = 0.3; /* [rad], [1] */
    return sheet_over_ball(s, TURN, FRICTION, why) != NULL;
}

int scene_build_turning(scene *s, failure *why)
{
    static const double TURN = 0.2, FRICTION = 0.6; /* [rad], [1] */
    scene_cloth *cloth = sheet_over_ball(s, TURN, FRICTION, why);
    if (cloth == NULL) return 0;
    cloth->desc.friction = (dc_real)FRICTION;
    return 1;
}

/* [s] when the ball starts to turn and has its speed, starts to stop and stands; [rad/s] */
static const double TURNING[4] = {1.2, 1.8, 3, 3.5}, TURNING_SPEED = 4;

double scene_turning_angle(double time)
{
    return TURNING_SPEED * (vec_blend_sum(TURNING[0], TURNING[1], time) -
                            vec_blend_sum(TURNING[2], TURNING[3], time));
}

void scene_drive_turning(scene *s, double time)
{
    double speed =
        vec_blend(TURNING[0], TURNING[1], time) - vec_blend(TURNING[2], TURNING[3], time);
    dc_obstacle_move(s->world, s->cloth_count, &s->obstacle[0].point[0],
                     vec_make(0, TURNING_SPEED * speed, 0), NULL);
}

/* ---- stiff ---- */

int scene_build_stiff(scene *s, failure *why)
{
    static const double TURN = 0.2, FRICTION = 0.3;               /* [rad], [1] */
    static const double BENDING = 0.1, DAMPING = 5e-3, AIR = 0.2; /* [N m], [s], [kg/m^2 s] */
    scene_cloth *cloth = sheet_over_ball(s, TURN, FRICTION, why);
    if (cloth == NULL) return 0;
    cloth->desc.element = DC_ELEMENT_ISOMETRIC;
    cloth->desc.bending = (dc_real)BENDING;
    cloth->desc.bending_damping = (dc_real)DAMPING;
    cloth->desc.drag_normal = cloth->desc.drag_tangential = (dc_real)AIR;
    return 1;
}

/* ---- five ---- */

int scene_build_five(scene *s, failure *why)
{
    enum { SHEETS = 5 };
    static const double SIDE = 0.7, RADIUS = 0.16, HEIGHT = 0.2, FRICTION = 0.6; /* [m], [1] */
    static const double GAP = 0.035, TURN = 0.31;                                /* [m], [rad] */
    scene_cloth *cloth;
    int i;
    s->edge = SIDE / s->cells;
    scene_add_sphere(s, vec_make(0, HEIGHT, 0), RADIUS, FRICTION);
    scene_add_floor(s, 0, FRICTION);
    for (i = 0; i < SHEETS; i++) {
        sim_shape shape;
        if (!scene_make_sheet(&shape, s->cells, s->cells, SIDE, SIDE, why)) return 0;
        scene_place(&shape, TURN * i, vec_make(0, HEIGHT + RADIUS + GAP * (i + 1), 0));
        cloth = scene_add_cloth(s, &shape, why);
        if (cloth == NULL) return 0;
        cloth->desc.friction = (dc_real)FRICTION;
    }
    return 1;
}

/* ---- funnel ---- */

static const double FUNNEL_TOP = 1.2, FUNNEL_HIP = 0.85, FUNNEL_FOOT = 0.73; /* [m] heights */
static const double FUNNEL_WIDE = 0.5, FUNNEL_NARROW = 0.11;                 /* [m] radii */

/* A cone and the pipe below it, of one open cylinder whose rings are moved to their places. */
static int make_funnel(sim_shape *shape, failure *why)
{
    enum { AROUND = 48, CONE_ROWS = 12, PIPE_ROWS = 4, ROWS = CONE_ROWS + PIPE_ROWS };
    shape_desc desc = shape_defaults(SHAPE_CYLINDER);
    dc_index v;
    desc.columns = AROUND;
    desc.rows = ROWS;
    desc.radius = desc.height = 1;
    if (!sim_shape_build(shape, &desc, why)) return 0;
    for (v = 0; v < shape->mesh.vertex_count; v++) {
        dc_vec3 *p = &shape->positions[v];
        double row = (double)p->y * ROWS, up = fmax(row - PIPE_ROWS, 0) / CONE_ROWS;
        double down = fmax(PIPE_ROWS - row, 0) / PIPE_ROWS;
        double radius = FUNNEL_NARROW + (FUNNEL_WIDE - FUNNEL_NARROW) * up;
        p->y = (dc_real)(FUNNEL_HIP + (FUNNEL_TOP - FUNNEL_HIP) * up +
                         (FUNNEL_FOOT - FUNNEL_HIP) * down);
        p->x *= (dc_real)radius;
        p->z *= (dc_real)radius;
    }
    return 1;
}

int scene_build_funnel(scene *s, failure *why)
{
    static const double SIDE = 0.62, HEIGHT = 1.22, TURN = 0.2, FRICTION = 0.1;
    const dc_index middle = s->cells / 2 * (s->cells + 1) + s->cells / 2;
    sim_shape shape;
    scene_cloth *cloth;
    s->edge = SIDE / s->cells;
    if (!make_funnel(&shape, why)) return 0;
    scene_add_obstacle_mesh(s, &shape, FRICTION);
    scene_add_floor(s, 0, FRICTION);
    if (!scene_make_sheet(&shape, s->cells, s->cells, SIDE, SIDE, why)) return 0;
    scene_place(&shape, TURN, vec_make(0, HEIGHT, 0));
    cloth = scene_add_cloth(s, &shape, why);
    if (cloth == NULL || !scene_make_pins(cloth, 1, why)) return 0;
    cloth->desc.friction = (dc_real)FRICTION;
    scene_pin(cloth, middle);
    return 1;
}

/* The middle of the sheet is drawn down as if by a thread: ahead of the rest, which so comes to lie
   in the funnel, then slowly through it; at the end it is let go. */
void scene_drive_funnel(scene *s, double time)
{
    static const double FAST = 1, SLOW = 0.35;                              /* [m/s] */
    static const double START = 0.25, BRAKE = 0.4, SLOWED = 0.6, END = 1.2; /* [s] */
    dc_vec3 p = s->cloth[0].pin_home[0];
    if (time > END) {
        dc_cloth_release_pin(s->world, 0, 0, NULL);
        return;
    }
    p.y -= (dc_real)(FAST * vec_blend_sum(0, START, time) -
                     (FAST - SLOW) * vec_blend_sum(BRAKE, SLOWED, time));
    dc_cloth_set_pin(s->world, 0, 0, p, NULL);
}
