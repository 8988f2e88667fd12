/*
 * obj.h - triangle meshes in Wavefront OBJ files
 */
#ifndef OBJ_H
#define OBJ_H

#include "../../devcloth.h"
#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh of the file's own size; its arrays are from malloc(). */
typedef struct obj_mesh {
    dc_index vertex_count, triangle_count;
    dc_vec3 *positions;  /* (vertex_count), as in the file */
    dc_index *triangles; /* (triangle_count, 3), from 0 */
    int *vertex_line;    /* (vertex_count) where each stands in the file; the first line is 1 */
    int *triangle_line;  /* (triangle_count) the same of its face */
} obj_mesh;

/* Reads the lines `v x y z` and `f a b c ...`. A corner may be v, v/vt, v//vn or v/vt/vn, and v
   negative, which counts from the last vertex so far. A face of more than three corners becomes a
   fan around its first one. A backslash at the end of a line joins the next one to it. A UTF-8 byte order mark at the start and everything else is passed over.
   Failures name file, line and reason: a number missing or not finite, a face of fewer than three
   corners, a vertex that is not there, no vertices, no faces, memory. On failure nothing is left to
   free. */
int obj_read(const char *path, obj_mesh *mesh, failure *why);

void obj_free(obj_mesh *mesh);

/* Writes positions (vertex_count) and triangles (triangle_count, 3). */
int obj_write(const char *path, dc_index vertex_count, const dc_vec3 *positions,
              dc_index triangle_count, const dc_index *triangles, failure *why);

/* The same with lines (line_count, 2) instead of triangles. */
int obj_write_lines(const char *path, dc_index vertex_count, const dc_vec3 *positions,
                    dc_index line_count, const dc_index *lines, failure *why);

#ifdef __cplusplus
}
#endif

#endif
