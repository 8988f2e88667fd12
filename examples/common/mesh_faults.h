/*
 * mesh_faults.h - all that is wrong or doubtful in a mesh, where dc_mesh_init() tells the first fault
 */
#ifndef MESH_FAULTS_H
#define MESH_FAULTS_H

#include "../../devcloth.h"
#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a triangle, but for the last one. */
typedef enum mesh_fault_kind {
    MESH_FAULT_REPEATED,  /* it names a vertex twice                                   */
    MESH_FAULT_SHORT,     /* two of its corners are at one place                       */
    MESH_FAULT_FLAT,      /* it has no area                                            */
    MESH_FAULT_LARGE,     /* its area overflows                                        */
    MESH_FAULT_TWIN,      /* an earlier one has the same vertices                      */
    MESH_FAULT_THIRD,     /* two earlier ones have one of its edges                    */
    MESH_FAULT_TURNED,    /* it faces the other way than most of its piece             */
    MESH_FAULT_ONE_SIDED, /* it cannot face as a neighbour does, as in a Moebius band  */
    MESH_DOUBT_NEEDLE,    /* its height is a small part of its longest edge            */
    MESH_DOUBT_ISOLATED,  /* a vertex without a triangle                               */
    MESH_FAULT_KINDS
} mesh_fault_kind;

enum { MESH_FAULTS_KEPT = 3 };

/* The first elements of a kind. Others are the triangles that these are twins of, stand beside, or
   face away from; or DC_NONE. */
typedef struct mesh_fault {
    dc_index count;
    dc_index element[MESH_FAULTS_KEPT];
    dc_index other[MESH_FAULTS_KEPT];
} mesh_fault;

typedef struct mesh_faults {
    mesh_fault of[MESH_FAULT_KINDS];
} mesh_faults;

/* What is said of the elements of a kind, as in "3 triangles have no area". */
typedef struct mesh_fault_words {
    const char *plural; /* "triangles have no area"                                              */
    const char *other;  /* how an element is tied to the other one: "as"; NULL: there is none    */
    int is_doubt;       /* the library takes such a mesh                                         */
    int is_vertex;
} mesh_fault_words;

const mesh_fault_words *mesh_fault_words_of(mesh_fault_kind kind);

/* Looks at a mesh whose indices are in range. A triangle that names a vertex twice, or a twin, counts
   as that alone: its neighbours are looked at as if it were not there. is_sound (triangle_count), if
   not NULL, tells the triangles that have an area and are no twins. Fails for want of memory. Work:
   n log n. */
int mesh_faults_find(mesh_faults *f, const dc_mesh_desc *mesh, char *is_sound, failure *why);

#ifdef __cplusplus
}
#endif

#endif
