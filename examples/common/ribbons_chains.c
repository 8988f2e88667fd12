/* Closed bands, and chains of them. */
#include "ribbons_parts.h"

#include <stdlib.h>
#include <string.h>

static double dot(dc_vec3 a, dc_vec3 b)
{
    return (double)(a.x * b.x + a.y * b.y + a.z * b.z);
}

static dc_vec3 cross(dc_vec3 a, dc_vec3 b)
{
    dc_vec3 v = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return v;
}

static dc_vec3 unit(dc_vec3 a)
{
    return vec_scale(1 / vec_length(a), a);
}

/* ---- Bands ---- */

/* A ring of n segments of which the last and the first lie in one plane: with n - 1 equal angles it
   would end a segment too far; ones that are larger near the join by a cosine close it, but for the
   second order. A Moebius band starts as a helix whose ends face each other turned by half a turn. */
static void guess_band(ribbon_band *band)
{
    static const double LEAN = 0.5; /* a twist of pi in 2 pi of bending */
    int n = (int)band->desc.segment_count, i;
    double mean = 2 * VEC_PI / (n - 1), extra = 2 * mean / (n - 1);
    for (i = 1; i < n; i++) {
        int is_moebius = band->desc.ends == DC_RIBBON_MOEBIUS;
        double turn = 2 * VEC_PI * (i - 0.5) / (n - 1);
        band->creases[i - 1] = (dc_real)(is_moebius ? LEAN : 0);
        band->angles[i - 1] =
            (dc_real)(is_moebius ? mean * sqrt(1 + LEAN * LEAN) : mean + extra * vec_cos(turn));
    }
}

/* The middle of crease j. */
static dc_vec3 middle_of(const dc_vec3 *x, int j)
{
    return vec_scale(0.5, vec_add(x[2 * j], x[2 * j + 1]));
}

/* The plane of the first segment, by its end across and a rim. */
static void find_pose(ribbon_band *band, const dc_vec3 *x)
{
    dc_vec3 across = unit(vec_sub(x[1], x[0])), rim = vec_sub(x[2], x[0]);
    band->origin = middle_of(x, 0);
    band->along = unit(vec_sub(rim, vec_scale(dot(rim, across), across)));
    band->normal = cross(band->along, across);
}

static void find_axes(ribbon_band *band, const dc_vec3 *x)
{
    int n = (int)band->desc.segment_count, j;
    dc_vec3 sum = vec_make(0, 0, 0), area = sum, up;
    for (j = 0; j < n; j++) sum = vec_add(sum, middle_of(x, j));
    band->centre = vec_scale(1.0 / n, sum);
    for (j = 0; j < n; j++)
        area = vec_add(area, cross(vec_sub(middle_of(x, j), band->centre),
                                   vec_sub(middle_of(x, (j + 1) % n), band->centre)));
    band->axis[2] = unit(area);
    up = vec_sub(vec_add(band->origin, vec_scale((double)band->desc.length / n / 2, band->along)),
                 band->centre);
    band->axis[0] = unit(vec_sub(up, vec_scale(dot(up, band->axis[2]), band->axis[2])));
    band->axis[1] = cross(band->axis[2], band->axis[0]);
    band->reach[0] = band->reach[1] = 0;
    for (j = 0; j < n; j++) {
        double at = dot(vec_sub(middle_of(x, j), band->centre), band->axis[0]);
        band->reach[0] = fmax(band->reach[0], at);
        band->reach[1] = fmax(band->reach[1], -at);
    }
}

static int settle_band(ribbon_band *band, failure *why)
{
    dc_world_desc desc = dc_world_defaults();
    size_t bytes = (size_t)(band->desc.segment_count - 1) * sizeof(dc_real);
    dc_error error;
    sim s;
    int is_settled;
    desc.gravity = vec_make(0, 0, 0);
    desc.ribbons = &band->desc;
    desc.ribbon_count = 1;
    if (!sim_open(&s, &desc, NULL, why)) return 0;
    is_settled = dc_ribbon_relax(s.world, 0, NULL, &error) == DC_OK;
    if (is_settled) {
        memcpy(band->creases, dc_ribbon_creases(s.world, 0) + 1, bytes);
        memcpy(band->angles, dc_ribbon_angles(s.world, 0) + 1, bytes);
        find_pose(band, dc_body_positions(s.world, 0));
        find_axes(band, dc_body_positions(s.world, 0));
    } else {
        sim_failure(why, &error);
    }
    sim_close(&s);
    return is_settled;
}

int ribbon_band_make(ribbon_band *band, const dc_ribbon_desc *desc, failure *why)
{
    size_t count = (size_t)(desc->segment_count - 1);
    memset(band, 0, sizeof *band);
    band->desc = *desc;
    band->creases = malloc(count * sizeof *band->creases);
    band->angles = malloc(count * sizeof *band->angles);
    if (!band->creases || !band->angles) {
        ribbon_band_free(band);
        return failure_set(why, "not enough memory for a band");
    }
    band->desc.start_creases = band->creases;
    band->desc.start_angles = band->angles;
    band->desc.start_velocities = NULL;
    band->desc.attachment_count = 0;
    band->desc.is_fixed = 1;                 /* it may be anywhere: here it stays in place */
    band->desc.solver.residual_tol = (dc_real)1e-6; /* it starts a good way from rest */
    band->desc.solver.iteration_max = 500;
    band->desc.solver.round_max = 60;
    guess_band(band);
    if (settle_band(band, why)) return 1;
    ribbon_band_free(band);
    return 0;
}

void ribbon_band_free(ribbon_band *band)
{
    free(band->creases);
    free(band->angles);
    band->creases = band->angles = NULL;
}

void ribbon_band_place(const ribbon_band *band, ribbon_body *b, dc_vec3 centre, dc_vec3 up,
                       dc_vec3 face)
{
    const dc_vec3 to[3] = {up, cross(face, up), face};
    const dc_vec3 from[3] = {vec_sub(band->origin, band->centre), band->along, band->normal};
    size_t bytes = (size_t)(band->desc.segment_count - 1) * sizeof(dc_real);
    dc_vec3 turned[3];
    int i, k;
    for (i = 0; i < 3; i++) {
        turned[i] = vec_make(0, 0, 0);
        for (k = 0; k < 3; k++)
            turned[i] = vec_add(turned[i], vec_scale(dot(band->axis[k], from[i]), to[k]));
    }
    memcpy(b->creases, band->creases, bytes);
    memcpy(b->angles, band->angles, bytes);
    b->desc.origin = vec_add(centre, turned[0]);
    b->desc.along = turned[1];
    b->desc.normal = turned[2];
}

/* ---- Chains ---- */

enum { LINKS = 9 };
static const double CARD = 5e-3;          /* [N m] stiffness: thin card */
static const double CHAIN_FRICTION = 0.2; /* [1] */

static void make_card(dc_ribbon_desc *desc, dc_ribbon_ends ends)
{
    desc->ends = ends;
    desc->bending = (dc_real)CARD;
    desc->self_contact = 1;
    desc->friction = (dc_real)CHAIN_FRICTION;
    desc->drag = (dc_real)0.1;
}

/* Links one through the other from `top` down along -up; every other one faces sideways. The first
   segment of the first is held. */
static int add_chain(ribbon_scene *s, dc_ribbon_ends ends, dc_vec3 top, dc_vec3 up, dc_vec3 face,
                     failure *why)
{
    /* [m] from link to link on the centre line, where they will touch. A Moebius band has its join
       there, upright and half its width high. */
    const double gap = ends == DC_RIBBON_MOEBIUS ? 0.07 : 0.03;
    dc_vec3 faces[2] = {face, cross(up, face)};
    ribbon_band band;
    int i;
    memset(&band, 0, sizeof band);
    for (i = 0; i < LINKS; i++) {
        ribbon_body *b = ribbon_add(s, why);
        double down;
        if (b == NULL) break;
        make_card(&b->desc, ends);
        if (i == 0 && !ribbon_band_make(&band, &b->desc, why)) return 0;
        down = band.reach[0] + i * (band.reach[0] + band.reach[1] - gap);
        b->desc.is_fixed = i == 0;
        ribbon_band_place(&band, b, vec_sub(top, vec_scale(down, up)), up, faces[i % 2]);
    }
    ribbon_band_free(&band);
    return i == LINKS;
}

int ribbon_build_moebius(ribbon_scene *s, failure *why)
{
    s->collides = 1;
    return add_chain(s, DC_RIBBON_MOEBIUS, vec_make(0, 0, 0), vec_make(0, 1, 0), vec_make(0, 0, 1),
                     why);
}

/* The second chain starts lifted to the side, as a pendulum. */
int ribbon_build_chains(ribbon_scene *s, failure *why)
{
    static const double APART = 0.5, TILT = 0.7; /* [m], [rad] */
    dc_vec3 up = vec_turn_z(vec_make(0, 1, 0), TILT);
    s->collides = 1;
    return add_chain(s, DC_RIBBON_LOOP, vec_make(0, 0, 0), vec_make(0, 1, 0), vec_make(0, 0, 1),
                     why) &&
           add_chain(s, DC_RIBBON_LOOP, vec_make(APART, 0, 0), up, vec_make(0, 0, 1), why);
}
