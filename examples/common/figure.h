/*
 * figure.h - a figure of capsules that walks, by sines of its joint angles
 */
#ifndef FIGURE_H
#define FIGURE_H

#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FIGURE_HIPS,
    FIGURE_BELLY,
    FIGURE_CHEST,
    FIGURE_SHOULDERS,
    FIGURE_NECK,
    FIGURE_HEAD,
    FIGURE_LEFT, /* its arm and leg, then those of the right */
    FIGURE_UPPER_ARM = 0,
    FIGURE_FOREARM,
    FIGURE_THIGH,
    FIGURE_SHIN,
    FIGURE_FOOT,
    FIGURE_LIMB_PARTS,
    FIGURE_PARTS = FIGURE_LEFT + 2 * FIGURE_LIMB_PARTS
};

typedef struct figure_part {
    dc_vec3 end[2]; /* [m] */
    double radius;  /* [m] */
} figure_part;

typedef struct figure_posture {
    double walk;    /* 0 stands, 1 walks */
    double phase;   /* [rad] of the walk; two steps are 2 pi */
    double forward; /* [m] along z */
    double lift;    /* [rad] of the arms, sideways; 0: they hang straight down */
} figure_posture;

static const double FIGURE_HIP_HEIGHT = 0.93;         /* [m] of a standing figure's hip joints */
static const double FIGURE_SHOULDER[2] = {.185, .43}; /* [m] to the side of and above the hips */

/* Stands with its arms lifted to `lift`, lowers them to `hang`, and starts to walk at `start` [s]. */
figure_posture figure_at(double time, double start, double lift, double hang);

/* Where all parts are; +x is the figure's left, +z ahead of it. */
void figure_place(const figure_posture *posture, figure_part part[FIGURE_PARTS]);

/* Where a point is that goes with the trunk, given its place on a figure at the origin that
   stands. */
dc_vec3 figure_carry(const figure_posture *posture, dc_vec3 point);

#ifdef __cplusplus
}
#endif

#endif
