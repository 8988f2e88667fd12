/* Two ribbons in a reef knot, drawn tight by their ends. */
#include "scenes_parts.h"

#include <stdlib.h>
#include <string.h>

/*
 * Each ribbon is a bight; seen from above, with the ribbons standing on edge:
 *
 *                 .-----B--------.     .---------A-----.
 *                /                \   /                 \
 *     A --------|-------------------X--------------------|------- B
 *               |                                        |
 *     A --------|-------------------X--------------------|------- B
 *                \                /   \                 /
 *                 `--------------'     `---------------'
 *
 * A lies below B at both bends and above it where the legs cross, in the middle. The surface is a
 * cylinder over that plane curve, so it bends in one direction only and keeps its lengths: the
 * ribbons are cut a little wavy.
 */
static const double LEG_END = 0.6;                  /* [m] x of the held ends */
static const double LEGS_APART = 0.06, BEND = 0.12; /* [m] from the middle; radius of the bend */
static const double BEND_X = 0.1;                   /* [m] where the bend's half circle begins */
static const double WIDTH = 0.05, HEIGHT = 0.036;   /* [m] of the ribbon; of its waves */

static const double HOVER = 0.25; /* [m] height of the knot */

enum { FINE = 4000 }; /* points of the curve, to measure its length */

/* Half of the curve, from the held end to the tip of the bend; part from 0 to 1. */
static dc_vec3 half_curve(double part)
{
    const double leg = LEG_END + BEND_X, bend = VEC_PI / 2 * BEND;
    const double cross_x = BEND_X + sqrt(BEND * BEND - LEGS_APART * LEGS_APART);
    double way = part * (leg + bend), x, z, wave;
    if (way < leg) {
        x = way - LEG_END;
        z = LEGS_APART + (BEND - LEGS_APART) * vec_blend(-BEND_X, BEND_X, x);
    } else {
        double angle = (way - leg) / BEND;
        x = BEND_X + BEND * vec_sin(angle);
        z = BEND * vec_cos(angle);
    }
    wave = fmin(fabs(x) / cross_x, 1);
    return vec_make(x, HEIGHT * vec_cos(VEC_PI * wave), z);
}

static dc_vec3 whole_curve(double part)
{
    dc_vec3 p = half_curve(1 - fabs(1 - 2 * part));
    if (part > 0.5) p.z = -p.z;
    return p;
}

/* Level length of the curve up to each of its points. */
static void measure_curve(double length[FINE + 1])
{
    dc_vec3 last = whole_curve(0);
    int i;
    length[0] = 0;
    for (i = 1; i <= FINE; i++) {
        dc_vec3 p = whole_curve((double)i / FINE), step = vec_sub(p, last);
        step.y = 0;
        length[i] = length[i - 1] + vec_length(step);
        last = p;
    }
}

static dc_vec3 curve_at(const double length[FINE + 1], double way)
{
    int low = 0, high = FINE;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (length[middle] <= way)
            low = middle;
        else
            high = middle;
    }
    return whole_curve((low + (way - length[low]) / (length[high] - length[low])) / FINE);
}

/* Ribbon B is A turned half around the z axis. */
static int add_ribbon(scene *s, const double length[FINE + 1], int is_second, failure *why)
{
    int across = (int)fmax(2, WIDTH / s->edge + 0.5), i, j;
    sim_shape shape;
    scene_cloth *cloth;
    if (!scene_make_sheet(&shape, s->cells, across, length[FINE], WIDTH, why)) return 0;
    shape.mesh.flat_vertices = NULL; /* it is cut as it lies, not straight */
    for (j = 0; j <= across; j++)
        for (i = 0; i <= s->cells; i++) {
            dc_vec3 p = curve_at(length, length[FINE] * i / s->cells);
            p.y += (dc_real)(WIDTH * ((double)j / across - 0.5));
            if (is_second) p = vec_make(-(double)p.x, -(double)p.y, (double)p.z);
            p.y += (dc_real)HOVER;
            shape.positions[j * (s->cells + 1) + i] = p;
        }
    cloth = scene_add_cloth(s, &shape, why);
    if (cloth == NULL || !scene_make_pins(cloth, 2 * (across + 1), why)) return 0;
    for (j = 0; j <= across; j++) {
        scene_pin(cloth, j * (s->cells + 1));
        scene_pin(cloth, j * (s->cells + 1) + s->cells);
    }
    return 1;
}

int scene_build_tied(scene *s, failure *why)
{
    double *length = malloc((FINE + 1) * sizeof *length);
    int is_built;
    if (length == NULL) return failure_set(why, "not enough memory for the curve");
    measure_curve(length);
    s->edge = length[FINE] / s->cells;
    s->gravity = vec_make(0, 0, 0); /* it would pull the ribbons down before they are taut */
    is_built = add_ribbon(s, length, 0, why) && add_ribbon(s, length, 1, why);
    free(length);
    return is_built;
}

void scene_drive_tied(scene *s, double time)
{
    static const double WAY = 0.2, STOP = 2.5; /* [m], [s] */
    double way = WAY * vec_blend(0, STOP, time);
    int cloth;
    dc_index k;
    for (cloth = 0; cloth < s->cloth_count; cloth++)
        for (k = 0; k < s->cloth[cloth].desc.pin_count; k++) {
            dc_vec3 p = s->cloth[cloth].pin_home[k];
            p.x += (dc_real)(cloth == 0 ? -way : way);
            dc_cloth_set_pin(s->world, cloth, k, p, NULL);
        }
}
