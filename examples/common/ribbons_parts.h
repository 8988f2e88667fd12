/*
 * ribbons_parts.h - what the files that build scenes of ribbons share; others want ribbons.h
 */
#ifndef RIBBONS_PARTS_H
#define RIBBONS_PARTS_H

#include "ribbons.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Building: functions return NULL or 0 for want of memory or room, and say so ---- */

/* Adds a straight ribbon of s->segments, one metre by 5 cm of common paper, with room for what the
   header of ribbons.h names; its arrays are zero. */
ribbon_body *ribbon_add(ribbon_scene *s, failure *why);

/* Its new attachment, held at `target` or spring-like if stiffness > 0; returns its number. */
int ribbon_attach_point(ribbon_body *b, double x, double y, dc_vec3 target, double stiffness);
int ribbon_attach_normal(ribbon_body *b, double x, dc_vec3 direction);

/* Nothing is behind the plane y = height. */
void ribbon_add_floor(ribbon_scene *s, double height, double friction);

/* A closed band at rest, without gravity: its creases and angles, and how it lies. */
typedef struct ribbon_band {
    dc_ribbon_desc desc;       /* what it was made of; start_creases and start_angles are below */
    dc_real *creases, *angles; /* (segment_count - 1), from malloc() */
    dc_vec3 origin, along, normal; /* of the first segment */
    dc_vec3 centre;                /* of the centre line */
    dc_vec3 axis[3]; /* unit: from the centre towards the first segment; across; of its area */
    double reach[2]; /* [m] along axis[0] from the centre: towards the first segment, and away */
} ribbon_band;

/* Lets a ribbon of this description come to rest with its ends joined. */
int ribbon_band_make(ribbon_band *band, const dc_ribbon_desc *desc, failure *why);
void ribbon_band_free(ribbon_band *band);

/* Gives a ribbon the band's shape, its centre at `centre`, axis[0] along `up`, axis[2] along `face`,
   both unit and at right angles. */
void ribbon_band_place(const ribbon_band *band, ribbon_body *b, dc_vec3 centre, dc_vec3 up,
                       dc_vec3 face);

/* ---- The scenes, by the files they are in ---- */

int ribbon_build_twist(ribbon_scene *s, failure *why);
void ribbon_drive_twist(ribbon_scene *s, double time);
int ribbon_build_drag(ribbon_scene *s, failure *why);
void ribbon_drive_drag(ribbon_scene *s, double time);
int ribbon_build_torsion(ribbon_scene *s, failure *why);
void ribbon_drive_torsion(ribbon_scene *s, double time);
int ribbon_build_helix(ribbon_scene *s, failure *why);
int ribbon_build_rotating(ribbon_scene *s, failure *why);
int ribbon_build_fall(ribbon_scene *s, failure *why);

int ribbon_build_moebius(ribbon_scene *s, failure *why);
int ribbon_build_chains(ribbon_scene *s, failure *why);

/* Where the ends of `torsion` are at a time: corners (0, -w/2), (0, w/2), (l, -w/2), (l, w/2) [m]. */
void ribbon_torsion_corners(double time, dc_vec3 corner[4]);

#ifdef __cplusplus
}
#endif

#endif
