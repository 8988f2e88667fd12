#include "figure.h"

/* [m] A figure of 1.75 m. Sideways, height above the hip joints, radius. */
static const double TRUNK[FIGURE_LEFT][4] = {
    {0.08, 0.00, 0.00, 0.115}, /* half width, heights of both ends, radius */
    {0.06, 0.15, 0.15, 0.110}, {0.09, 0.31, 0.31, 0.115}, {0.12, 0.42, 0.42, 0.072},
    {0.00, 0.45, 0.58, 0.055}, {0.00, 0.66, 0.72, 0.098},
};
static const double LIMB_LENGTH[FIGURE_LIMB_PARTS] = {0.28, 0.27, 0.43, 0.43, 0.15};
static const double LIMB_RADIUS[FIGURE_LIMB_PARTS] = {0.050, 0.042, 0.080, 0.058, 0.042};
static const double HIP_APART = 0.095; /* [m] from the middle to a hip joint */

/* [rad] The gait. */
static const double HIP_SWING = 0.42, HIP_MEAN = 0.04;
static const double KNEE_STANCE = 0.12, KNEE_SWING = 0.42, KNEE_LATE = 0.3;
static const double ARM_SWING = 0.42, ELBOW_MEAN = 0.2, ELBOW_SWING = 0.2;
static const double YAW = 0.07, LEAN = 0.04;
static const double BOB = 0.045; /* [m] */

static const double CADENCE = 5.3;     /* [rad/s] */
static const double STEP_LENGTH = 0.7; /* [m] two of them in 2 pi */

figure_posture figure_at(double time, double start, double lift, double hang)
{
    static const double LOWER[2] = {0.2, 1.2}, RAMP = 1; /* [s] */
    figure_posture p;
    p.walk = vec_blend(start, start + RAMP, time);
    p.phase = CADENCE * vec_blend_sum(start, start + RAMP, time);
    p.forward = STEP_LENGTH / VEC_PI * p.phase;
    p.lift = lift + (hang - lift) * vec_blend(LOWER[0], LOWER[1], time);
    return p;
}

static dc_vec3 hips_of(const figure_posture *p)
{
    return vec_make(0, FIGURE_HIP_HEIGHT - p->walk * BOB * (1 - vec_cos(2 * p->phase)) / 2,
                    p->forward);
}

/* From the trunk's own frame at the hips to the world. */
static dc_vec3 trunk_turn(const figure_posture *p, dc_vec3 v)
{
    v = vec_turn_x(v, p->walk * LEAN);
    return vec_turn_y(v, p->walk * YAW * vec_sin(p->phase));
}

dc_vec3 figure_carry(const figure_posture *p, dc_vec3 point)
{
    point.y -= (dc_real)FIGURE_HIP_HEIGHT;
    return vec_add(hips_of(p), trunk_turn(p, point));
}

static void place_limb(figure_part *part, int kind, dc_vec3 from, dc_vec3 direction)
{
    part->end[0] = from;
    part->end[1] = vec_add(from, vec_scale(LIMB_LENGTH[kind], direction));
    part->radius = LIMB_RADIUS[kind];
}

/* side: 1 left, -1 right. An arm swings against its leg. */
static void place_arm(const figure_posture *p, double side, figure_part limb[FIGURE_LIMB_PARTS])
{
    double swing = -side * p->walk * ARM_SWING * vec_sin(p->phase);
    double elbow = p->walk * (ELBOW_MEAN + ELBOW_SWING * vec_sin(p->phase) * -side);
    dc_vec3 down = vec_make(side * vec_sin(p->lift), -vec_cos(p->lift), 0);
    dc_vec3 shoulder =
        vec_make(side * FIGURE_SHOULDER[0], FIGURE_HIP_HEIGHT + FIGURE_SHOULDER[1], 0);
    place_limb(&limb[FIGURE_UPPER_ARM], FIGURE_UPPER_ARM, figure_carry(p, shoulder),
               trunk_turn(p, vec_turn_x(down, -swing)));
    place_limb(&limb[FIGURE_FOREARM], FIGURE_FOREARM, limb[FIGURE_UPPER_ARM].end[1],
               trunk_turn(p, vec_turn_x(down, -swing - elbow)));
}

static void place_leg(const figure_posture *p, double side, figure_part limb[FIGURE_LIMB_PARTS])
{
    double phase = side > 0 ? p->phase : p->phase + VEC_PI;
    double hip = p->walk * (HIP_MEAN + HIP_SWING * vec_sin(phase));
    double knee = p->walk * (KNEE_STANCE + KNEE_SWING * (1 + vec_cos(phase + KNEE_LATE)));
    dc_vec3 down = vec_make(0, -1, 0), ahead = vec_make(0, 0, 1);
    dc_vec3 from = vec_add(hips_of(p), vec_make(side * HIP_APART, 0, 0));
    place_limb(&limb[FIGURE_THIGH], FIGURE_THIGH, from, vec_turn_x(down, -hip));
    place_limb(&limb[FIGURE_SHIN], FIGURE_SHIN, limb[FIGURE_THIGH].end[1],
               vec_turn_x(down, knee - hip));
    place_limb(&limb[FIGURE_FOOT], FIGURE_FOOT, limb[FIGURE_SHIN].end[1],
               vec_turn_x(ahead, knee - hip));
}

void figure_place(const figure_posture *p, figure_part part[FIGURE_PARTS])
{
    int i;
    for (i = 0; i < FIGURE_LEFT; i++) {
        const double *t = TRUNK[i];
        part[i].end[0] = figure_carry(p, vec_make(-t[0], FIGURE_HIP_HEIGHT + t[1], 0));
        part[i].end[1] = figure_carry(p, vec_make(t[0], FIGURE_HIP_HEIGHT + t[2], 0));
        part[i].radius = t[3];
    }
    for (i = 0; i < 2; i++) {
        figure_part *limb = part + FIGURE_LEFT + i * FIGURE_LIMB_PARTS;
        place_arm(p, i == 0 ? 1 : -1, limb);
        place_leg(p, i == 0 ? 1 : -1, limb);
    }
}
