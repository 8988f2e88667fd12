/*
 * pc2.h - point caches, one array of positions a frame, as Blender's Mesh Cache modifier reads them
 *
 * "POINTCACHE2" 0, then little-endian: int32 version 1, int32 points, float first frame, float
 * frames a sample, int32 samples; then float32 (samples, points, 3).
 */
#ifndef PC2_H
#define PC2_H

#include "../../devcloth.h"
#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pc2_writer {
    output out;
    dc_index point_count, sample_count;
} pc2_writer;

/* An empty cache. One sample is one frame. */
int pc2_open(pc2_writer *writer, const char *path, dc_index point_count, failure *why);

/* Adds positions (point_count) [m]. */
int pc2_add(pc2_writer *writer, const dc_vec3 *positions, failure *why);

/* Writes the number of samples into the header and gives the file its name. */
int pc2_close(pc2_writer *writer, failure *why);

void pc2_discard(pc2_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
