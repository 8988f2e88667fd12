/* Tubes of cloth between two rings that are moved: one is crushed, one is twisted. */
#include "scenes_parts.h"

/* A tube around the vertical from height 0, both of its end rings pinned: the lower one's vertices
   first, then as many of the upper one. */
static scene_cloth *add_tube(scene *s, int around, int along, double radius, double height,
                             failure *why)
{
    shape_desc desc = shape_defaults(SHAPE_CYLINDER);
    sim_shape shape;
    scene_cloth *cloth;
    dc_index v;
    desc.columns = around;
    desc.rows = along;
    desc.radius = (dc_real)radius;
    desc.height = (dc_real)height;
    if (!sim_shape_build(&shape, &desc, why)) return NULL;
    cloth = scene_add_cloth(s, &shape, why);
    if (cloth == NULL || !scene_make_pins(cloth, 2 * around, why)) return NULL;
    for (v = 0; v < around; v++) scene_pin(cloth, v);
    for (v = 0; v < around; v++) scene_pin(cloth, cloth->shape.mesh.vertex_count - around + v);
    return cloth;
}

/* ---- crushed ---- */

static const double CAN_RADIUS = 0.15, CAN_HEIGHT = 0.42, CAN_FOOT = 0.01; /* [m] */

/* No can is perfect, and in a perfect one all folds are rings. */
static void dent(sim_shape *shape)
{
    static const double DEPTH = 0.02, WAVES = 5; /* part of the radius, around */
    dc_index v;
    for (v = 0; v < shape->mesh.vertex_count; v++) {
        dc_vec3 *p = &shape->positions[v];
        double angle = (double)dc_atan2(p->z, p->x), up = (double)p->y / CAN_HEIGHT;
        double wave = vec_sin(WAVES * angle + 4 * VEC_PI * up) * vec_sin(VEC_PI * up);
        p->x *= (dc_real)(1 + DEPTH * wave);
        p->z *= (dc_real)(1 + DEPTH * wave);
        p->y += (dc_real)CAN_FOOT;
    }
}

/* The plate that presses the can down, as far above its upper end as the floor is below. */
static int add_plate(scene *s, failure *why)
{
    static const double WIDE = 1.25, FRICTION = 0.3; /* of the can's radius, [1] */
    shape_desc desc = shape_defaults(SHAPE_DISK);
    sim_shape shape;
    dc_index v;
    desc.rows = 8;
    desc.radius = (dc_real)(WIDE * CAN_RADIUS);
    if (!sim_shape_build(&shape, &desc, why)) return 0;
    for (v = 0; v < shape.mesh.vertex_count; v++)
        shape.positions[v] = vec_make((double)shape.positions[v].x, CAN_HEIGHT + 2 * CAN_FOOT,
                                      -(double)shape.positions[v].y);
    scene_add_obstacle_mesh(s, &shape, FRICTION);
    scene_add_floor(s, 0, FRICTION);
    return 1;
}

int scene_build_crushed(scene *s, failure *why)
{
    static const double STIFF = 1e-3; /* [N m] like thick paper: folds stay wide */
    int along;
    scene_cloth *cloth;
    dc_index k;
    s->edge = 2 * VEC_PI * CAN_RADIUS / s->cells;
    along = (int)(CAN_HEIGHT / s->edge + 0.5);
    if (!add_plate(s, why)) return 0;
    cloth = add_tube(s, s->cells, along, CAN_RADIUS, CAN_HEIGHT, why);
    if (cloth == NULL) return 0;
    cloth->desc.bending = (dc_real)STIFF;
    dent(&cloth->shape);
    for (k = 0; k < cloth->desc.pin_count; k++)
        cloth->pin_home[k] = cloth->shape.positions[cloth->pins[k]];
    return 1;
}

void scene_drive_crushed(scene *s, double time)
{
    enum { PLATE_MAX = 1024 };
    static const double START = 0.05, RAMP = 0.2, STOP = 1.5, SPEED = 0.16; /* [s], [m/s] */
    const scene_cloth *cloth = &s->cloth[0];
    const dc_mesh_desc *plate = &s->obstacle[0].mesh;
    dc_vec3 way = vec_make(0, 0, 0), moved[PLATE_MAX];
    dc_index k;
    way.y = (dc_real)(SPEED * (vec_blend_sum(STOP - RAMP, STOP, time) -
                               vec_blend_sum(START, START + RAMP, time)));
    for (k = cloth->desc.pin_count / 2; k < cloth->desc.pin_count; k++)
        dc_cloth_set_pin(s->world, 0, k, vec_add(cloth->pin_home[k], way), NULL);
    for (k = 0; k < plate->vertex_count; k++) moved[k] = vec_add(plate->positions[k], way);
    dc_obstacle_move(s->world, s->cloth_count, moved, vec_make(0, 0, 0), NULL);
}

/* ---- twisted ---- */

static const double TUBE_RADIUS = 0.08, TUBE_LENGTH = 1.0, TUBE_AXIS = 0.4; /* [m] height */

int scene_build_twisted(scene *s, failure *why)
{
    scene_cloth *cloth;
    dc_index k;
    int around;
    s->edge = TUBE_LENGTH / s->cells;
    around = (int)(2 * VEC_PI * TUBE_RADIUS / s->edge + 0.5);
    cloth = add_tube(s, around, s->cells, TUBE_RADIUS, TUBE_LENGTH, why);
    if (cloth == NULL) return 0;
    for (k = 0; k < cloth->shape.mesh.vertex_count; k++) { /* lay it along x */
        dc_vec3 p = cloth->shape.positions[k];
        cloth->shape.positions[k] =
            vec_make((double)p.y - TUBE_LENGTH / 2, TUBE_AXIS - (double)p.x, (double)p.z);
    }
    for (k = 0; k < cloth->desc.pin_count; k++)
        cloth->pin_home[k] = cloth->shape.positions[cloth->pins[k]];
    return 1;
}

/* How much closer the ends must come when the tube is twisted by an angle [rad]. In the first half
   turn straight lines along it become askew by the width of the tube; what is then wound around a
   rope lies askew by angle * rope, its radius [m], more. */
static double twist_way(double angle, double rope)
{
    double first = fmin(angle, VEC_PI), wide = 2 * TUBE_RADIUS * vec_sin(first / 2);
    double wound = rope * (angle - first);
    return TUBE_LENGTH - sqrt(TUBE_LENGTH * TUBE_LENGTH - (wide + wound) * (wide + wound));
}

/* Each end makes half of the turns. */
void scene_drive_twisted(scene *s, double time)
{
    static const double TURNS = 4, START = 0.2, STOP = 3.6, RAMP = 0.4; /* [1], [s] */
    static const double SLACK = 0.03;  /* [m] before the start: a taut tube cannot be twisted */
    static const double PACKED = 0.55; /* lines inside lie less askew */
    const scene_cloth *cloth = &s->cloth[0];
    double part =
        (vec_blend_sum(START, START + RAMP, time) - vec_blend_sum(STOP - RAMP, STOP, time)) /
        (STOP - START - RAMP);
    double angle = 2 * VEC_PI * TURNS * part;
    double thickness = (double)cloth->desc.thickness;
    double rope = PACKED * sqrt(2 * TUBE_RADIUS * thickness); /* all of the cloth in its area */
    double closer = twist_way(angle, rope) + SLACK * vec_blend(0, START, time);
    dc_vec3 axis = vec_make(0, TUBE_AXIS, 0);
    dc_index k, half = cloth->desc.pin_count / 2;
    for (k = 0; k < cloth->desc.pin_count; k++) {
        double sign = k < half ? 1 : -1;
        dc_vec3 p = vec_add(vec_turn_x(vec_sub(cloth->pin_home[k], axis), sign * angle / 2), axis);
        p.x += (dc_real)(sign * closer / 2);
        dc_cloth_set_pin(s->world, 0, k, p, NULL);
    }
}
