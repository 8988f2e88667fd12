/*
 * devcloth.h - surfaces that bend and do not stretch: cloth, paper, ribbons
 *
 * A C99 library in two files. It simulates inextensible cloth with the nonconforming elements of
 * English & Bridson 2008: every triangle keeps its lengths to a stated tolerance, and the sheet
 * still folds freely, because the unknowns sit at the edge midpoints and not at the vertices.
 *
 * USAGE
 *
 * Include devcloth.h wherever it is needed. In exactly one translation unit define
 * DEVCLOTH_IMPLEMENTATION first. Nothing is needed but a C99 (or C++11) compiler, memcpy, memset,
 * memmove and sqrt.
 *
 *     cloth.mesh = mesh; // your vertices and triangles, in metres
 *     desc.cloths = &cloth, desc.cloth_count = 1;
 *     dc_world_plan(&desc, memory, memory_bytes, &plan, &error); // plan.bytes: the memory it takes
 *     dc_world_init(&plan, &world, &error);
 *     dc_world_step(world, 1.0 / 60, NULL, &error); // as often as you like
 *     draw(dc_cloth_positions(world, 0));
 *
 * Descriptions come from dc_cloth_defaults(), dc_world_defaults() and so on.
 *
 * A WHOLE PROGRAM
 *
 *     #define DEVCLOTH_IMPLEMENTATION
 *     #include "devcloth.h"
 *     #include <stdio.h>
 *
 *     enum { CELLS = 16, PINS = 2 };
 *     static dc_vec3 positions[DC_GRID_VERTICES(CELLS, CELLS)];
 *     static dc_index triangles[3 * DC_GRID_TRIANGLES(CELLS, CELLS)];
 *     static unsigned char memory[DC_GRID_BYTES(CELLS, CELLS, PINS)];
 *
 *     int main(void)
 *     {
 *         const dc_index pins[PINS] = {CELLS * (CELLS + 1), CELLS * (CELLS + 1) + CELLS};
 *         dc_shape_desc shape = dc_shape_defaults(DC_SHAPE_GRID);
 *         dc_cloth_desc cloth = dc_cloth_defaults();
 *         dc_world_desc desc = dc_world_defaults();
 *         dc_plan plan;
 *         dc_world *world;
 *         dc_error error;
 *         int step, v;
 *
 *         shape.columns = shape.rows = CELLS;
 *         cloth.pin_vertices = pins;
 *         cloth.pin_count = PINS;
 *         desc.cloths = &cloth;
 *         desc.cloth_count = 1;
 *         dc_shape_build(&shape, positions, triangles, NULL, &cloth.mesh, &error);
 *         for (v = 0; v < cloth.mesh.vertex_count; v++) {
 *             positions[v].z = -positions[v].y; // grids come upright: lay it down
 *             positions[v].y = 0;
 *         }
 *         if (dc_world_plan(&desc, memory, sizeof memory, &plan, &error) != DC_OK ||
 *             dc_world_init(&plan, &world, &error) != DC_OK) {
 *             printf("%s: %s\n", error.where, error.what);
 *             return 1;
 *         }
 *         for (step = 0; step < 1000; step++)
 *             if (dc_world_step(world, (dc_real)0.002, NULL, &error) != DC_OK) {
 *                 printf("%s: %s %d\n", error.where, error.what, (int)error.index);
 *                 return 1;
 *             }
 *         printf("lowest corner at y = %.3f m\n", (double)dc_cloth_positions(world, 0)[0].y);
 *         return 0;
 *     }
 *
 * MEMORY
 *
 * The library never allocates. A large object is made in two calls, in one block that you own. The
 * plan checks the description, and builds the object at the front of the block. It works at the
 * back, and tells the exact number of bytes that all this takes. Then init starts the object.
 *
 * Blocks need no alignment. One that is too small is refused with what was needed so far; this loop
 * finds the size:
 *
 *     size_t bytes = 0;
 *     void *memory = NULL;
 *     while (dc_world_plan(&desc, memory, bytes, &plan, &error) == DC_TOO_SMALL) {
 *         bytes = error.needed > 2 * bytes ? error.needed : 2 * bytes;
 *         memory = realloc(memory, bytes);
 *     }
 *
 * ERRORS
 *
 * Functions that can fail return a dc_status. They describe the failure in a dc_error that you own
 * (NULL: not wanted). A failed call leaves its object as it was. Broken preconditions (a NULL
 * object, an index of a cloth that is not there) are the programmer's errors: DC_ASSERT.
 *
 * DETERMINISM
 *
 * Results are the same bits on every processor and compiler that computes IEEE 754 arithmetic as
 * written. Modes that do not are refused where the compiler tells. dc_float_check() finds the rest
 * at run time; call it once at the start of a program that relies on it.
 *
 * Fused multiply-add is switched off in the implementation. Where gcc 12 fuses all the same, the
 * code forbids it (chapter 1). tcc 0.9.27 is refused for floats: where a function returns a dc_vec3
 * of them, it writes over the next four bytes, and another variable may be there.
 *
 * CONFIGURATION (macros, all optional; every translation unit must agree)
 *
 *     DEVCLOTH_IMPLEMENTATION   bring the implementation into this translation unit
 *     DEVCLOTH_STATIC           ... with internal linkage, for one translation unit alone
 *     DEVCLOTH_SINGLE           dc_real is float, not double
 *     DC_API                    what stands before each public function (default: extern)
 *     DC_ASSERT(condition)      catches the programmer's errors (default: nothing)
 *     DC_SQRT(x)                square root, correctly rounded (default: sqrt or sqrtf)
 *     DC_MEMCPY, DC_MEMMOVE, DC_MEMSET   (default: those of string.h)
 *     DC_ALLOW_INEXACT          accept compiler modes in which results differ between machines
 *     DC_PLAIN_C                standard C alone, without the vectors and attributes of gcc and clang:
 *                               slower; the same bits
 *
 * Parts can be left out; what needs them goes with them. On a Cortex-M4F, with floats and -Os, all
 * is 153 KB of code. A program that steps one sheet takes 57 KB, one ribbon 35, Cholesky 19
 * (tests/tables/parts.md).
 *
 *     DC_NO_COLLISIONS          54 KB   collisions, obstacles, colliders, and drapes
 *     DC_NO_CLOTH               40 KB   cloths
 *     DC_NO_DIRECT              37 KB   fast Cholesky: cloths have DC_LINEAR_CG; no drapes, no impacts
 *                                       all at once
 *     DC_NO_RIBBONS             32 KB   ribbons
 *     DC_NO_DRAPE               15 KB   where cloth comes to rest
 *     DC_NO_GLOBAL_IMPACTS       4 KB   impacts resolved all at once: they are one by one
 *     DC_NO_SHAPES               2 KB   mesh generators
 *     DC_NO_CONTACT_ROWS         5 KB   contact inside the step: it comes after it
 *     DC_NO_CG                   1 KB   DC_LINEAR_CG of cloths
 *     DC_NO_DISSECTION           1 KB   nested dissection: elimination orders are of minimum degree
 *     DC_ONLY_SPARSE           132 KB   all but sparse matrices and their solvers
 *
 * Without cloths, collisions and shapes nobody makes a mesh, and without cloths, DC_NO_DIRECT and
 * DC_NO_CG leave nobody who uses a sparse matrix: then the functions of these are left out, too.
 *
 * THE REFERENCE
 *
 * Metres, kilograms, seconds. y is up by default. Triangles run counter-clockwise seen from the
 * side to which their normal points. A corner is one vertex of one triangle: corner 3 t + c is the
 * c-th of triangle t. Each edge is named by the corner opposite to it. Arrays are row by row; the
 * comment behind an array gives its shape and unit: (triangle_count, 3) [m].
 *
 *     task                        sections of this file
 *     make a mesh                 Meshes; Mesh generators
 *     simulate cloth              Cloth; World: plan, init, step
 *     simulate ribbons            Ribbons; Ribbons: watching and driving
 *     hold, pull, watch, save     World: watching and driving; Cloth: watching and driving
 *     find where cloth rests      Where cloth comes to rest
 *     part what another moves     Collisions for a solver of one's own; Continuous collision
 *     solve sparse systems        Sparse matrices, Cholesky, conjugate gradients
 *     know what went wrong        Status and error record; Floating point
 *
 * LICENSE
 *
 * MIT, at the end of this file.
 */
#ifndef DEVCLOTH_H
#define DEVCLOTH_H

#define DC_VERSION_MAJOR 0
#define DC_VERSION_MINOR 1
#define DC_VERSION_PATCH 0

#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "devcloth needs C99: without its prototype sqrtf() returns garbage in silence"
#else /* all of the header, so that nothing else is said */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DC_API
#ifdef DEVCLOTH_STATIC
#define DC_API static
#else
#define DC_API extern
#endif
#endif

/* ---- Numbers ----------------------------------------------------------------------------- */

#ifdef DEVCLOTH_SINGLE
typedef float dc_real;
#else
typedef double dc_real;
#endif

typedef int32_t dc_index;
#define DC_NONE ((dc_index)(-1))

typedef struct dc_vec2 {
    dc_real x, y;
} dc_vec2;

typedef struct dc_vec3 {
    dc_real x, y, z;
} dc_vec3;

/* ---- Link names -------------------------------------------------------------------------- */

/* Every public function carries the number type in its link name, so that translation units that
   disagree about DEVCLOTH_SINGLE do not link. */
#ifdef DEVCLOTH_SINGLE
#define dc_status_name dc_status_name_single
#define dc_float_check dc_float_check_single
#define dc_sin dc_sin_single
#define dc_cos dc_cos_single
#define dc_acos dc_acos_single
#define dc_atan2 dc_atan2_single
#define dc_mesh_bytes dc_mesh_bytes_single
#define dc_mesh_init dc_mesh_init_single
#define dc_shape_defaults dc_shape_defaults_single
#define dc_shape_counts dc_shape_counts_single
#define dc_shape_build dc_shape_build_single
#define dc_sparse_multiply dc_sparse_multiply_single
#define dc_sparse_begin dc_sparse_begin_single
#define dc_sparse_add dc_sparse_add_single
#define dc_sparse_finish_row dc_sparse_finish_row_single
#define dc_sparse_finish dc_sparse_finish_single
#define dc_sparse_transpose dc_sparse_transpose_single
#define dc_gram_pattern dc_gram_pattern_single
#define dc_gram_values dc_gram_values_single
#define dc_cholesky_small_factor dc_cholesky_small_factor_single
#define dc_cholesky_small_solve dc_cholesky_small_solve_single
#define dc_cholesky_defaults dc_cholesky_defaults_single
#define dc_cholesky_scratch_bytes dc_cholesky_scratch_bytes_single
#define dc_cholesky_plan dc_cholesky_plan_single
#define dc_cholesky_init dc_cholesky_init_single
#define dc_cholesky_factor dc_cholesky_factor_single
#define dc_cholesky_dropped dc_cholesky_dropped_single
#define dc_cholesky_solve dc_cholesky_solve_single
#define dc_cholesky_refine dc_cholesky_refine_single
#define dc_cg_solve dc_cg_solve_single
#define dc_ccd_vertex_triangle dc_ccd_vertex_triangle_single
#define dc_ccd_edge_edge dc_ccd_edge_edge_single
#define dc_edge_crosses_triangle dc_edge_crosses_triangle_single
#define dc_attachment_defaults dc_attachment_defaults_single
#define dc_ribbon_defaults dc_ribbon_defaults_single
#define dc_ribbon_start dc_ribbon_start_single
#define dc_cloth_defaults dc_cloth_defaults_single
#define dc_world_init dc_world_init_single
#define dc_world_step dc_world_step_single
#define dc_world_settle dc_world_settle_single
#define dc_world_time dc_world_time_single
#define dc_world_crossings dc_world_crossings_single
#define dc_world_hash dc_world_hash_single
#define dc_world_save_bytes dc_world_save_bytes_single
#define dc_world_save dc_world_save_single
#define dc_world_load dc_world_load_single
#define dc_world_compare dc_world_compare_single
#define dc_world_bytes dc_world_bytes_single
#define dc_cloth_positions dc_cloth_positions_single
#define dc_cloth_velocities dc_cloth_velocities_single
#define dc_cloth_mesh dc_cloth_mesh_single
#define dc_cloth_surface_positions dc_cloth_surface_positions_single
#define dc_cloth_surface_mesh dc_cloth_surface_mesh_single
#define dc_cloth_midpoints dc_cloth_midpoints_single
#define dc_world_set_gravity dc_world_set_gravity_single
#define dc_world_set_wind dc_world_set_wind_single
#define dc_cloth_set_pin dc_cloth_set_pin_single
#define dc_cloth_release_pin dc_cloth_release_pin_single
#define dc_cloth_set_clamp dc_cloth_set_clamp_single
#define dc_cloth_release_clamp dc_cloth_release_clamp_single
#define dc_obstacle_move dc_obstacle_move_single
#define dc_obstacle_positions dc_obstacle_positions_single
#define dc_cloth_set_forces dc_cloth_set_forces_single
#define dc_cloth_correct dc_cloth_correct_single
#define dc_ribbon_positions dc_ribbon_positions_single
#define dc_ribbon_velocities dc_ribbon_velocities_single
#define dc_ribbon_vertex_count dc_ribbon_vertex_count_single
#define dc_ribbon_triangles dc_ribbon_triangles_single
#define dc_ribbon_creases dc_ribbon_creases_single
#define dc_ribbon_angles dc_ribbon_angles_single
#define dc_ribbon_shape dc_ribbon_shape_single
#define dc_ribbon_set_attachment dc_ribbon_set_attachment_single
#define dc_ribbon_release_attachment dc_ribbon_release_attachment_single
#define dc_ribbon_set_pose dc_ribbon_set_pose_single
#define dc_ribbon_relax dc_ribbon_relax_single
#define dc_ribbon_measure dc_ribbon_measure_single
#define dc_cloth_measure dc_cloth_measure_single
#define dc_collider_defaults dc_collider_defaults_single
#define dc_collider_plan dc_collider_plan_single
#define dc_collider_init dc_collider_init_single
#define dc_collider_set_masses dc_collider_set_masses_single
#define dc_collider_move dc_collider_move_single
#define dc_collider_resolve dc_collider_resolve_single
#define dc_collider_pushes dc_collider_pushes_single
#define dc_collider_crossings dc_collider_crossings_single
#define dc_drape_defaults dc_drape_defaults_single
#define dc_drape_plan dc_drape_plan_single
#define dc_drape_init dc_drape_init_single
#define dc_drape_iterate dc_drape_iterate_single
#define dc_drape_solve dc_drape_solve_single
#define dc_drape_positions dc_drape_positions_single
#define dc_drape_mesh dc_drape_mesh_single
#define dc_drape_look dc_drape_look_single
#define dc_drape_hash dc_drape_hash_single
#define dc_drape_save_bytes dc_drape_save_bytes_single
#define dc_drape_save dc_drape_save_single
#define dc_drape_load dc_drape_load_single
#define dc_drape_hand_over dc_drape_hand_over_single
#endif

/* ---- Parts ------------------------------------------------------------------------------- */

/* What cannot do without a part that is left out (see CONFIGURATION) is left out too. */
#ifdef DC_ONLY_SPARSE
#define DC_NO_SHAPES
#define DC_NO_CLOTH
#define DC_NO_RIBBONS
#define DC_NO_COLLISIONS
#endif
#if (defined(DC_NO_COLLISIONS) || defined(DC_NO_DIRECT)) && !defined(DC_NO_DRAPE)
#define DC_NO_DRAPE
#endif
#if defined(DC_NO_DIRECT) && !defined(DC_NO_GLOBAL_IMPACTS)
#define DC_NO_GLOBAL_IMPACTS
#endif
#if defined(DC_NO_DIRECT) && defined(DC_NO_CG) && !defined(DC_NO_CLOTH)
#error "DC_NO_DIRECT and DC_NO_CG leave a cloth without a linear solver"
#endif
#if (defined(DC_NO_COLLISIONS) || defined(DC_NO_CLOTH)) && !defined(DC_NO_CONTACT_ROWS)
#define DC_NO_CONTACT_ROWS
#endif
#if defined(DC_NO_CLOTH) && defined(DC_NO_RIBBONS)
#define DC_NO_WORLD
#endif
#if defined(DC_NO_CLOTH) && defined(DC_NO_COLLISIONS) && defined(DC_NO_SHAPES)
#define DC_NO_MESH
#endif
#if defined(DC_NO_CLOTH) && defined(DC_NO_DIRECT) && defined(DC_NO_CG) && !defined(DC_ONLY_SPARSE)
#define DC_NO_SPARSE
#endif
#if defined(DC_NO_SHAPES) || defined(DC_NO_CLOTH) || defined(DC_NO_RIBBONS) ||                     \
    defined(DC_NO_CONTACT_ROWS) || defined(DC_NO_DRAPE) || defined(DC_NO_DISSECTION) ||            \
    defined(DC_NO_GLOBAL_IMPACTS) || defined(DC_NO_DIRECT) || defined(DC_NO_CG)
#define DC_NO_PART
#endif

/* The description of a world depends on them; so do the link names of what has it. */
#if defined(DEVCLOTH_SINGLE) || defined(DC_NO_CLOTH) || defined(DC_NO_RIBBONS) ||                  \
    defined(DC_NO_COLLISIONS)
#ifdef DEVCLOTH_SINGLE
#define DC_MARK_SINGLE _single
#else
#define DC_MARK_SINGLE
#endif
#ifdef DC_NO_CLOTH
#define DC_MARK_CLOTH _no_cloth
#else
#define DC_MARK_CLOTH
#endif
#ifdef DC_NO_RIBBONS
#define DC_MARK_RIBBONS _no_ribbons
#else
#define DC_MARK_RIBBONS
#endif
#ifdef DC_NO_COLLISIONS
#define DC_MARK_COLLISIONS _no_collisions
#else
#define DC_MARK_COLLISIONS
#endif
#define DC_PASTE_NAME(verb, a, b, c, d) dc_world_##verb##a##b##c##d
#define DC_MARK_NAME(verb, a, b, c, d) DC_PASTE_NAME(verb, a, b, c, d)
#define dc_world_defaults                                                                          \
    DC_MARK_NAME(defaults, DC_MARK_SINGLE, DC_MARK_CLOTH, DC_MARK_RIBBONS, DC_MARK_COLLISIONS)
#define dc_world_plan                                                                              \
    DC_MARK_NAME(plan, DC_MARK_SINGLE, DC_MARK_CLOTH, DC_MARK_RIBBONS, DC_MARK_COLLISIONS)
#endif

/* ---- Status and error record (chapter 2) -------------------------------------------------- */

typedef enum dc_status {
    DC_OK = 0,
    DC_BAD_ARGUMENT,  /* a value in a description is out of its range                        */
    DC_BAD_MESH,      /* the mesh is not a surface this library can work on                  */
    DC_TOO_SMALL,     /* a memory block is too small: error.needed and error.given [bytes]   */
    DC_TOO_LARGE,     /* a count or a size does not fit its integer type                     */
    DC_SINGULAR,      /* a matrix is not positive definite: error.index is the row           */
    DC_NOT_CONVERGED, /* an iteration ended at its bound: error.value is what was left       */
    DC_NOT_FINITE,    /* an input or a result is infinite or not a number                    */
    DC_CROSSING       /* surfaces cross or touch: error.pair                                 */
} dc_status;

/* A vertex, an edge or a triangle of a body: the cloths are bodies 0 to cloth_count - 1, the
   ribbons follow, then the obstacles. A cloth's vertices are those of dc_cloth_surface_mesh(), a
   ribbon's those of dc_ribbon_positions(). Vertices beyond its one, two or three are DC_NONE, and
   all if there is none. */
typedef struct dc_feature {
    dc_index body;
    dc_index vertex[3];
} dc_feature;

typedef struct dc_feature_pair {
    dc_feature first, second;
} dc_feature_pair;

/* What went wrong, where. All text is static. */
typedef struct dc_error {
    dc_status status;
    const char *where; /* the public function that failed                                    */
    const char *what;  /* one sentence                                                       */
    dc_index index;    /* the element the sentence speaks of, or DC_NONE                     */
    dc_index cloth;    /* the cloth, or the collider's body, it belongs to, or DC_NONE       */
    dc_index ribbon;   /* the ribbon it belongs to, or DC_NONE                               */
    dc_index obstacle; /* the obstacle it belongs to, or DC_NONE                             */
    dc_real value;     /* the offending or remaining value, or 0                             */
    size_t needed;     /* [bytes], with DC_TOO_SMALL                                         */
    size_t given;
    dc_feature_pair pair; /* what touches or crosses, where the sentence speaks of that       */
} dc_error;

/* The name of a status, such as "DC_BAD_MESH". */
DC_API const char *dc_status_name(dc_status status);

/* ---- Floating point (chapter 4) ----------------------------------------------------------- */

/* What dc_float_check() can find; the bits are or-ed together. */
enum {
    DC_FLOAT_CONTRACTED = 1,   /* a * b + c is computed with one rounding (fused multiply-add),
                                  by itself or where a pair is turned by an angle              */
    DC_FLOAT_EXCESS = 2,       /* intermediate results are kept in a wider type                */
    DC_FLOAT_REASSOCIATED = 4, /* (a + b) - b is simplified to a                               */
    DC_FLOAT_NAN_LOST = 8,     /* comparisons with NaN are not false                           */
    DC_FLOAT_FLUSHED = 16      /* subnormal numbers are replaced by zero                       */
};

/* Returns 0 if this program computes as IEEE 754 says, else the bits above. */
DC_API int dc_float_check(void);

/* Elementary functions written on + - * / sqrt, so that they give the same bits everywhere. Errors
   stay below 4 units in the last place; sine and cosine for |x| <= 1e5 (6e3 in single), beyond
   which they lose digits as x grows. Arguments that are not finite, or outside [-1, 1] for dc_acos:
   NaN. */
DC_API dc_real dc_sin(dc_real x);
DC_API dc_real dc_cos(dc_real x);
DC_API dc_real dc_acos(dc_real x);
DC_API dc_real dc_atan2(dc_real y, dc_real x);

#ifndef DC_ONLY_SPARSE

/* ---- Meshes (chapter 7) ------------------------------------------------------------------- */

/* A triangle mesh and its rest shape, as the user has it.

   The rest shape is a length for each edge of each triangle. It comes from the first of these
   that is given: rest_lengths; flat_corners (a garment, each panel in its own plane, so that a
   vertex on a seam has several flat positions); flat_vertices; positions. */
typedef struct dc_mesh_desc {
    dc_index vertex_count;
    dc_index triangle_count;
    const dc_vec3 *positions;     /* (vertex_count) [m]                                       */
    const dc_index *triangles;    /* (triangle_count, 3)                                      */
    const dc_vec2 *flat_vertices; /* (vertex_count) [m], or NULL                              */
    const dc_vec2 *flat_corners;  /* (triangle_count, 3) [m], or NULL                         */
    const dc_real *rest_lengths;  /* (triangle_count, 3) [m], opposite each corner, or NULL   */
} dc_mesh_desc;

/* A checked mesh with its adjacency. All arrays belong to the block it was made in.

         v1            edge e runs from v0 to v1 as in its left triangle
        /|\            corner_of_edge[2 e]     = the corner opposite e in the left triangle
   left  |  right      corner_of_edge[2 e + 1] = the same in the right one, DC_NONE at a border
        \|/            edge_of_corner[3 t + c] = the edge opposite corner c of triangle t
         v0            a fan is the chain of corners around a vertex, counter-clockwise

   A vertex inside or on the border of an ordinary surface has one fan; where two sheets touch in a
   point it has two, an isolated vertex none. */
typedef struct dc_mesh {
    dc_index vertex_count, triangle_count, edge_count, fan_count, boundary_edge_count;
    dc_index *triangles;      /* (triangle_count, 3) vertex of corner                          */
    dc_index *edge_of_corner; /* (triangle_count, 3)                                           */
    dc_index *edge_vertices;  /* (edge_count, 2)                                               */
    dc_index *corner_of_edge; /* (edge_count, 2)                                               */
    dc_index *fan_start;      /* (fan_count + 1) into fan_corner                               */
    dc_index *fan_corner;     /* (3 triangle_count)                                            */
    dc_real *rest_length;     /* (triangle_count, 3) [m] of the edge opposite each corner      */
    dc_real *rest_area;       /* (triangle_count) [m^2]                                        */
} dc_mesh;

/* What is doubtful about a mesh, though it can be simulated. Each kind has a count and the first
   element found (DC_NONE: none). */
typedef struct dc_mesh_report {
    dc_index piece_count;                     /* connected pieces                              */
    dc_index isolated_count, isolated_vertex; /* vertices without a triangle: they stay put    */
    dc_index sliver_count, sliver_triangle;   /* height below 1/20 of the longest edge         */
    dc_index seam_count, seam_edge;           /* rest lengths differ by over 1% across an edge */
    dc_index alternating_count;               /* interior vertices with four triangles         */
    dc_index alternating_vertex;
    int is_alternating; /* over a quarter of the interior vertices have four triangles: regularly
                           alternating diagonals, whose length constraints are not independent */
} dc_mesh_report;

#ifndef DC_NO_MESH

/* Bytes that dc_mesh_init() needs for any mesh with these counts; 0 if that overflows. */
DC_API size_t dc_mesh_bytes(dc_index vertex_count, dc_index triangle_count);

/* Checks a mesh and builds its adjacency and rest shape in `memory`. The description's arrays are
   copied, not kept. `report` may be NULL.
   DC_BAD_ARGUMENT: a count that is not positive, a missing array.
   DC_NOT_FINITE: error.index is the vertex (or the corner, for rest lengths and flat corners).
   DC_BAD_MESH: error.index is the triangle: vertex index out of range; the same vertex twice;
   zero area; lengths that make no triangle; an edge with three triangles; a neighbour of the
   opposite orientation, or the same triangle again.
   DC_TOO_SMALL, DC_TOO_LARGE: memory. */
DC_API dc_status dc_mesh_init(const dc_mesh_desc *desc, void *memory, size_t bytes, dc_mesh *mesh,
                              dc_mesh_report *report, dc_error *error);

#endif /* DC_NO_MESH */

/* ---- Mesh generators (chapter 8) ----------------------------------------------------------- */

typedef enum dc_shape {
    DC_SHAPE_GRID,     /* width x height in the xy plane, from the origin: columns x rows cells */
    DC_SHAPE_STRIP,    /* the same with other defaults: long, low, herringbone                  */
    DC_SHAPE_DISK,     /* radius, around the origin in the xy plane; rows rings                 */
    DC_SHAPE_ANNULUS,  /* inner_radius to radius; columns around, rows rings                    */
    DC_SHAPE_CYLINDER, /* radius, height along y, open; columns around, rows along              */
    DC_SHAPE_SPHERE,   /* radius; columns around, rows from pole to pole                        */
    DC_SHAPE_CAPSULE   /* radius, a cylinder of height between two half spheres; columns around,
                          rows along the cylinder                                              */
} dc_shape;

/* How the cells of a grid are cut: all one way / all the other way \ or alternating from column to
   column. */
typedef enum dc_diagonals {
    DC_DIAGONALS_FORWARD,
    DC_DIAGONALS_BACKWARD,
    DC_DIAGONALS_HERRINGBONE
} dc_diagonals;

typedef struct dc_shape_desc {
    dc_shape kind;
    dc_index columns, rows;       /* cells, as told at dc_shape                               */
    dc_real width, height;        /* [m]                                                      */
    dc_real radius, inner_radius; /* [m]                                                      */
    dc_diagonals diagonals;       /* of grid, strip, annulus, cylinder                        */
    dc_real jitter;               /* moves inner vertices of a flat shape by up to this part of
                                     a cell in each direction; 0 to 0.3                       */
    uint32_t seed;                /* of the jitter                                            */
} dc_shape_desc;

/* Compile-time counts of a grid of `columns` x `rows` cells, for static arrays. */
#define DC_GRID_VERTICES(columns, rows) (((columns) + 1) * ((rows) + 1))
#define DC_GRID_TRIANGLES(columns, rows) (2 * (columns) * (rows))
#define DC_GRID_EDGES(columns, rows) (3 * (columns) * (rows) + (columns) + (rows))

/* Compile-time bound [bytes] of the block that dc_world_plan() needs for a world of one cloth: such a
   grid with this many pins anywhere, no clamps, the default element, no rest_positions. From 16 cells
   on the exact number, which planning tells, is at most a fifth lower. */
#define DC_GRID_BYTES(columns, rows, pins)                                                         \
    ((size_t)DC_GRID_VERTICES(columns, rows) *                                                     \
         (30 * sizeof(dc_real) +                                                                   \
          (size_t)DC_GRID_LEVELS(columns, rows) * (26 * sizeof(dc_real) + 101)) +                  \
     (size_t)DC_GRID_EDGES(columns, rows) * (91 * sizeof(dc_real) + 366) +                         \
     (size_t)(pins) * (298 * sizeof(dc_real) + 114 +                                               \
                       (size_t)DC_GRID_LEVELS(columns, rows) * (77 * sizeof(dc_real) + 655)) +     \
     498 * sizeof(dc_real) + 700)

/* Part of it: a factor takes n log n numbers. Twice the binary logarithm of the shorter side. */
#define DC_GRID_LEVELS(columns, rows)                                                              \
    DC_GRID_LEVELS_OF(((columns) < (rows) ? (columns) : (rows)) + 1)
#define DC_GRID_LEVELS_OF(n)                                                                       \
    (((n) > 1) + ((n) > 2) + ((n) > 3) + ((n) > 5) + ((n) > 7) + ((n) > 10) + ((n) > 15) +         \
     ((n) > 22) + ((n) > 31) + ((n) > 44) + ((n) > 63) + ((n) > 90) + ((n) > 127) + ((n) > 180) +  \
     ((n) > 255) + ((n) > 361) + ((n) > 511) + ((n) > 723) + ((n) > 1023))

#ifndef DC_NO_SHAPES
/* One metre, 20 x 20 cells; a strip 1 m x 0.25 m of 40 x 10; round shapes with 40 columns. */
DC_API dc_shape_desc dc_shape_defaults(dc_shape kind);

/* DC_BAD_ARGUMENT: error.what names the field. DC_TOO_LARGE: more corners than dc_index holds. */
DC_API dc_status dc_shape_counts(const dc_shape_desc *desc, dc_index *vertex_count,
                                 dc_index *triangle_count, dc_error *error);

/* Writes positions (vertex_count) and triangles (triangle_count, 3), of dc_shape_counts(); the flat
   coordinates too if `flat` is not NULL and the shape is flat. Fills `mesh` with what it wrote, if
   that is not NULL. Errors as dc_shape_counts(). */
DC_API dc_status dc_shape_build(const dc_shape_desc *desc, dc_vec3 *positions, dc_index *triangles,
                                dc_vec2 *flat, dc_mesh_desc *mesh, dc_error *error);
#endif

#endif /* DC_ONLY_SPARSE */

/* ---- Sparse matrices, Cholesky, conjugate gradients (chapters 9 to 14) ----------------------- */

#ifndef DC_NO_SPARSE

/* A matrix in compressed rows. Row i holds places start[i] to start[i + 1] of column and value.
   Columns within a row need no order, but none may stand twice. */
typedef struct dc_sparse {
    dc_index row_count, column_count;
    dc_index *start;  /* (row_count + 1)                                                       */
    dc_index *column; /* (start[row_count])                                                    */
    dc_real *value;   /* (start[row_count]), NULL where only the pattern matters               */
} dc_sparse;

/* y = A x, for `width` vectors at once: x (column_count, width), y (row_count, width), not the
   same array. */
DC_API void dc_sparse_multiply(const dc_sparse *a, dc_index width, const dc_real *x, dc_real *y);

/* A matrix that is made row by row. */
typedef struct dc_sparse_builder {
    dc_sparse *matrix;
    dc_index *place;   /* (column_count) work                                                 */
    dc_index row;      /* rows finished                                                       */
    dc_index begin;    /* where the current row begins                                        */
    dc_index end;      /* entries so far, with those for which there was no room              */
    dc_index capacity; /* entries for which there is room                                     */
    dc_index bad_row;  /* the first with a column that is not there, or DC_NONE               */
} dc_sparse_builder;

/* Begins the first row. Of `matrix` row_count (the most there will be), column_count and the arrays
   are set; `capacity` is the room for entries in column and value; work (column_count). */
DC_API dc_sparse_builder dc_sparse_begin(dc_sparse *matrix, dc_index capacity, dc_index *work);

/* Adds to the current row, columns in any order; what is added to one column several times is summed. */
DC_API void dc_sparse_add(dc_sparse_builder *builder, dc_index column, dc_real value);

/* Ends the current row, and begins the next. */
DC_API void dc_sparse_finish_row(dc_sparse_builder *builder);

/* Sets matrix->row_count to the rows that were finished.
   DC_BAD_ARGUMENT: a column was out of range; error.index is the row. DC_TOO_SMALL: row_count or
   capacity; error.needed and error.given are rows, or entries. */
DC_API dc_status dc_sparse_finish(dc_sparse_builder *builder, dc_error *error);

/* Writes A^T: start (column_count + 1), column and value (start[row_count]). Rows come out sorted. */
DC_API void dc_sparse_transpose(const dc_sparse *a, dc_sparse *transposed);

/* The lower triangle of the Gram matrix X^T diag(w) X, (9.2), each row with its diagonal first: a sum
   of squares, or J M^-1 J^T with X = J^T and w = 1/m. `transposed` is X^T, `work` (columns of X). With
   gram->column NULL only gram->start (columns of X + 1) is written: call it first so, and then with
   room for the entries that it returned; DC_NONE: more than dc_index holds. */
DC_API dc_index dc_gram_pattern(const dc_sparse *x, const dc_sparse *transposed, dc_sparse *gram,
                                dc_index *work);

/* Its values, for weights (rows of X), in that pattern, as often as X or they change. */
DC_API void dc_gram_values(const dc_sparse *x, const dc_real *weights, dc_sparse *gram,
                           dc_index *work);

/* A = L L^T row by row, (9.3) and (9.4): 2 KB of code, against 30 of dc_cholesky_plan() and what
   follows it, for systems that are small or come in a good order. Reads the lower triangle of `a`;
   what stands above is ignored. `upper` becomes L^T in compressed rows, each with its diagonal
   first. It lies in `memory` (bytes), which needs no alignment: about 28 bytes a row and 12 an entry
   of L, or 24 and 8 in single. Flops: the sum of the squared row lengths of L^T.
   DC_BAD_ARGUMENT: not square, no rows; a column out of range (index: row).
   DC_TOO_SMALL: memory; error.needed is what was needed so far.
   DC_TOO_LARGE: more than 50 million rows, or more entries of L than dc_index holds.
   DC_SINGULAR: error.index is the first row whose pivot is not positive, error.value the pivot.
   DC_NOT_FINITE: A or a pivot is not finite; error.index is the row.
   After an error `upper` must not be solved with. */
DC_API dc_status dc_cholesky_small_factor(const dc_sparse *a, void *memory, size_t bytes,
                                          dc_sparse *upper, dc_error *error);

/* x = A^-1 b; b and x (n) may be the same array. 4 flops for each entry of L. */
DC_API void dc_cholesky_small_solve(const dc_sparse *upper, const dc_real *b, dc_real *x);

#endif /* DC_NO_SPARSE */

/* Threads are the caller's. A parallel_for calls task(task_context, i) once for each i from 0 to
   count - 1, in any order, on any threads, and returns when all are done, with what they wrote
   visible to its caller. It is called on the thread that called the library, never from within a
   task, and count may be 0 or 1. What tasks compute is the same bits in any order, and those of no
   parallel_for at all. See examples/05_threads.c. */
typedef void (*dc_task)(void *task_context, dc_index i);
typedef void (*dc_parallel_for)(void *context, dc_index count, dc_task task, void *task_context);

#ifndef DC_NO_DIRECT

/* How an elimination order was found: chapter 10 alone, or with the cuts of chapter 11. */
typedef enum dc_ordering { DC_ORDERING_MINIMUM_DEGREE, DC_ORDERING_DISSECTION } dc_ordering;

/* What planning a factorisation found out. It points into the scratch block. */
typedef struct dc_cholesky_symbolic {
    dc_index n;
    dc_index factor_nonzeros; /* of L as it is stored, with its diagonal and merged zeros      */
    int64_t flops;            /* multiplications and additions of one factorisation, as stored */
    size_t bytes;             /* that dc_cholesky_init() needs, exactly                        */
    dc_ordering ordering;     /* which of the orders was kept                                  */
    const struct dci_cholesky_analysis *analysis;
} dc_cholesky_symbolic;

typedef struct dc_cholesky dc_cholesky;

/* How L is kept. Floats halve the memory of L and the time of a solve. The factorisation computes
   in dc_real all the same, which takes room for the largest panels of L beside. In all, floats save
   a quarter to 40% on meshes, nothing on dense matrices. Roots of diagonal entries, and of pivots,
   have to fit floats. dc_cholesky_refine() gets the digits back. */
typedef enum dc_storage { DC_STORAGE_REAL, DC_STORAGE_FLOAT } dc_storage;

typedef struct dc_cholesky_desc {
    dc_index rhs_max;   /* 1: most right-hand sides of one solve                               */
    dc_storage storage; /* DC_STORAGE_REAL                                                     */
    dc_parallel_for parallel_for; /* NULL: the factorisation runs on the caller's thread alone */
    void *parallel_context;
} dc_cholesky_desc;

DC_API dc_cholesky_desc dc_cholesky_defaults(void);

/* What to do with a pivot that is not clearly positive (at or below pivot_tol times the diagonal
   entry it came from): stop, or take the row for a redundant one, which leaves its unknown 0. */
typedef enum dc_pivots { DC_PIVOTS_REFUSE, DC_PIVOTS_DROP } dc_pivots;

/* Enough scratch for a matrix of n rows with nonzero_count stored entries; 0 if that overflows, or
   for more than 50 million rows. It is about 150 bytes a row and 40 an entry. */
DC_API size_t dc_cholesky_scratch_bytes(dc_index n, dc_index nonzero_count);

/* Orders and analyses the symmetric matrix whose lower triangle is the lower triangle of `a`;
   entries above the diagonal are ignored. `a` is read for its pattern only. From 4000 rows on two
   orders are made, by approximate minimum degree and by nested dissection (chapter 11), and the
   one with fewer flops is kept: symbolic->ordering. That takes about 4 s for a million rows of four
   entries.
   DC_BAD_ARGUMENT: not square, no rows, rhs_max or storage out of range; a column out of range or
   standing twice, no diagonal entry (index: row).
   DC_TOO_SMALL: scratch. DC_TOO_LARGE: more than 50 million rows, or more entries of the factor than
   dc_index holds. */
DC_API dc_status dc_cholesky_plan(const dc_sparse *a, const dc_cholesky_desc *desc, void *scratch,
                                  size_t bytes, dc_cholesky_symbolic *symbolic, dc_error *error);

/* Carves a factorisation object. The scratch block is not needed any more after it.
   DC_TOO_SMALL: fewer bytes than planned. */
DC_API dc_status dc_cholesky_init(const dc_cholesky_symbolic *symbolic, void *memory, size_t bytes,
                                  dc_cholesky **cholesky, dc_error *error);

/* A = L L^T, [Dav06] ch. 4. `values` are those of the planned matrix, in its order.
   pivot_tol: 0, or what is below it times the diagonal entry of A is rounding: 1e-11 in double.
   DC_BAD_ARGUMENT: pivot_tol is negative, 1 or more, or NaN; what was factored before stays.
   DC_SINGULAR: with DC_PIVOTS_REFUSE; error.index is the row of A, the first one in the order of
   elimination, error.value the pivot.
   DC_NOT_FINITE: A is not finite, or its factor does not fit the storage; error.index likewise.
   After an error the object must be factored again before it can solve. */
DC_API dc_status dc_cholesky_factor(dc_cholesky *cholesky, const dc_real *values, dc_real pivot_tol,
                                    dc_pivots rule, dc_error *error);

/* Rows dropped by the last factorisation. */
DC_API dc_index dc_cholesky_dropped(const dc_cholesky *cholesky);

/* x = A^-1 b for rhs_count vectors at once, b and x (n, rhs_count); they may be the same array. */
DC_API void dc_cholesky_solve(dc_cholesky *cholesky, dc_index rhs_count, const dc_real *b,
                              dc_real *x);

typedef struct dc_refine_desc {
    const dc_sparse *a; /* the factored matrix with its values: only its lower triangle is read   */
    dc_real *work;      /* (2 n)                                                                 */
    dc_real tolerance;  /* stop when the largest entry of b - A x is at most this part of b's ... */
    dc_index round_max; /* ... or after so many rounds                                           */
} dc_refine_desc;

typedef struct dc_refine_result {
    dc_index rounds;    /* solves that were done                                                 */
    dc_real start, end; /* largest entry of b - A x as a part of b's, for x on entry, on return  */
} dc_refine_result;

/* Improves x, x += A^-1 (b - A x), until A x = b within the tolerance. x (n) holds a start on
   entry, such as dc_cholesky_solve() made it, or 0; the best found on return; b (n) is another
   array. Two or three rounds make up for L kept in floats, unless A is nearly singular: each
   multiplies the error by about 1e-7 times the condition number. A b of zeros gives zeros. The
   residual is summed in dc_real: x gets as good as a factor in dc_real would make it, not better.
   DC_BAD_ARGUMENT: tolerance is negative or NaN, or round_max is negative; x is as it was.
   DC_NOT_CONVERGED: a round did not lower the residual, or round_max was reached; error.value is
   what was left, result->end.
   DC_NOT_FINITE: a number in A, L, b or x, or a result, is not finite. `result` may be NULL. */
DC_API dc_status dc_cholesky_refine(dc_cholesky *cholesky, const dc_refine_desc *desc,
                                    const dc_real *b, dc_real *x, dc_refine_result *result,
                                    dc_error *error);

#endif /* DC_NO_DIRECT */

#ifndef DC_NO_SPARSE

/* y = A x. x and y do not overlap. */
typedef void (*dc_linear_map)(void *context, const dc_real *x, dc_real *y);

typedef struct dc_cg_desc {
    dc_index n;
    dc_linear_map apply;        /* symmetric, positive definite                                */
    dc_linear_map precondition; /* likewise, near the inverse of apply; NULL: identity         */
    void *context;
    dc_real *work;           /* (4 n); begins with the residual on return, with b if one likes  */
    dc_real tolerance;       /* stop when the error is at most this part of its start ...      */
    dc_real floor;           /* ... or when it is at most this ...                             */
    dc_real floor_tolerance; /* ... and at most that part of its start                         */
    dc_index delay;          /* 0: the error is sqrt(r . P r), r the residual, P the preconditioner.
                                d > 0 (at most 8): it is the energy norm sqrt(e . A e) of the error
                                e of x as it was d iterations ago, from below, [ST02]            */
    dc_index iteration_max;
} dc_cg_desc;

enum { DC_CG_DELAY_MAX = 8 };

typedef struct dc_cg_result {
    dc_index iterations;
    dc_real start, end; /* the error as desc.delay measures it                                 */
} dc_cg_result;

/* Preconditioned conjugate gradients, [HS52]. x (n) holds the start on entry, the best found on
   return.
   DC_NOT_CONVERGED: iteration_max reached. DC_SINGULAR: a direction without curvature.
   DC_NOT_FINITE: b or the maps gave something not finite; x is then not to be used. */
DC_API dc_status dc_cg_solve(const dc_cg_desc *desc, const dc_real *b, dc_real *x,
                             dc_cg_result *result, dc_error *error);

#endif /* DC_NO_SPARSE */

#ifndef DC_ONLY_SPARSE

/* ---- Plans and reports ----------------------------------------------------------------------- */

enum { DC_PLAN_SECTIONS = 16 };

/* The outcome of planning: an object that is built in the block, and not started yet. The
   description's arrays must stay until dc_world_init() has returned; the block belongs to the object
   then, and the description's arrays may go. */
typedef struct dc_plan {
    size_t bytes;           /* of the block, that are needed: what stays and the work of planning */
    dc_index section_count; /* who uses the bytes, all cloths together                           */
    struct {
        const char *name;
        size_t bytes;
    } section[DC_PLAN_SECTIONS];
    dc_mesh_report mesh;  /* doubtful things in the meshes, all cloths together                */
    dc_index mesh_cloth;  /* the first cloth with any of them, or DC_NONE                      */
    dc_index taut_pin[2]; /* two pins of taut_cloth that start as far apart as the cloth allows,
                               which makes the constraints nearly singular; or DC_NONE           */
    dc_index taut_cloth;
    dc_index thin_cloth;    /* of a world: the first cloth that keeps less than its thickness from
                               itself, because its triangles are low; or DC_NONE                 */
    dc_real self_thickness; /* [m] the least distance that it keeps; 0: there is no such cloth   */
    struct dc_world *world; /* of dc_world_plan()    */
    struct dc_drape *drape; /* of dc_drape_plan()    */
    struct dc_collider *collider; /* of dc_collider_plan() */
} dc_plan;

/* What one step did and found. */
typedef struct dc_report {
    dc_index substeps;          /* 1 unless the step had to be cut, or is the first one          */
    dc_index newton_iterations; /* of all sub-steps and cloths, failed ones included             */
    dc_index cg_iterations;     /*                                                               */
    dc_index factorizations;    /*                                                               */
    dc_real constraint_error;   /* largest | |r|^2 - d^2 | / d^2, before collisions              */
    dc_index worst_cloth, worst_triangle;

    dc_index ribbon_iterations;  /* of all sub-steps and ribbons, failed ones included           */
    dc_index ribbon_evaluations; /* of energies and gradients                                    */
    dc_index ribbon_rounds;      /* of the augmented Lagrangian, the most of a ribbon            */
    dc_real ribbon_error;        /* [m] largest error of joined ends and hard attachments, before
                                    collisions                                                   */
    dc_index worst_ribbon;

    /* of collisions, all 0 if there are none */
    int is_certified; /* proved: nothing crosses, and nothing crossed in this step            */
    dc_index
        world_substeps; /* parts of the step in which collisions were resolved                  */
    dc_index pairs;     /* features that were close, at most at one time                        */
    dc_index repulsions, impulses, merges;   /* by stage: contacts kept apart, stopped in their way,
                                                joined to impact zones                           */
    dc_index zones, largest_zone;            /* impact zones, and vertices in the largest        */
    dc_index global_contacts, global_rounds; /* DC_IMPACTS_GLOBAL: contacts that were stopped, in
                                                so many rounds of finding and stopping            */
    dc_index vertex_contacts, edge_contacts; /* pairs that met after the step, in the last part:
                                                vertex and triangle (or plane); edge and edge. What
                                                lies still inside the step is in contact_rows    */
    dc_index obstacle_contacts;              /* those of them that are with obstacles            */
    dc_real
        contact_error; /* as constraint_error, after collisions have moved the vertices; the next
                              step mends it                                                      */
    dc_real smallest_distance; /* [m] between the surfaces of those contacts at the end; 0: none */
    dc_index released;         /* sub-steps that did not converge with contact inside: done with
                                  contact after them; still certified, but lengths may be off     */
    dc_index rounds;           /* of projecting and colliding, with contact inside the step      */
    dc_index contact_rows;     /* pairs that the solve reckoned with, in the last part; the stages
                                  have little left to do                                         */
    dc_index rows_lacking;     /* pairs that it should have reckoned with and had no room for, which
                                  is 12 for each vertex of a cloth; stages keep them apart          */
    dc_index crossings;        /* edges and triangles, or features and thick obstacles, that crossed
                                  at the start of the step; then it is not certified             */
    dc_index unresolved;       /* pairs that no stage could part: the step failed                */
    dc_feature_pair first_unresolved;
} dc_report;

#endif /* DC_ONLY_SPARSE */

#ifndef DC_NO_COLLISIONS

/* ---- Continuous collision (chapter 28) ------------------------------------------------------ */

typedef enum dc_ccd_answer {
    DC_CCD_CLEAR,    /* proved: they keep further apart than the separation, all the way         */
    DC_CCD_CONTACT,  /* they come as close as the separation and the resolution                  */
    DC_CCD_UNDECIDED /* not proved within the bound on the work, or a number is not finite       */
} dc_ccd_answer;

typedef struct dc_ccd_result {
    dc_ccd_answer answer;
    dc_real time;      /* 0 to 1: until then it is proved clear                                  */
    dc_real distance;  /* [m] at that time                                                       */
    dc_vec3 normal;    /* unit, from the first feature to the second at that time; 0: none       */
    dc_real weight[4]; /* of the four vertices in the two points that are nearest then           */
} dc_ccd_result;

/* Whether a vertex (the first of four) and a triangle, or two edges (0 1 and 2 3), stay apart by
   more than `separation` [m] (0 or more) while all four vertices move in straight lines from start
   (4) to end (4) [m]. "Clear" is a proof that holds in spite of all rounding; anything else is to
   be taken for contact. The resolution is 1e-11 of the largest coordinate of a difference (1e-5 in
   single); where the nearest point passes from a side to the inside, rounding may make it 1e-5 (1e-2
   in single). Degenerate triangles and edges, and motions in a common plane, are ordinary cases.
   (28.1), (28.2); bounded work, about half a microsecond. */
DC_API dc_ccd_result dc_ccd_vertex_triangle(const dc_vec3 start[4], const dc_vec3 end[4],
                                            dc_real separation);
DC_API dc_ccd_result dc_ccd_edge_edge(const dc_vec3 start[4], const dc_vec3 end[4],
                                      dc_real separation);

/* Whether an edge and a triangle cross or touch as they stand, chapter 31. 0 is a proof, in spite of all
   rounding, that they do not; 1 may come from a distance that is rounding, or a number that is not
   finite. */
DC_API int dc_edge_crosses_triangle(const dc_vec3 edge[2], const dc_vec3 triangle[3]);

#endif /* DC_NO_COLLISIONS */

/* ---- Cloth (chapters 15 to 39) -------------------------------------------------------------- */

typedef enum dc_integrator {
    DC_INTEGRATOR_BDF2,          /* second order                                               */
    DC_INTEGRATOR_BACKWARD_EULER /* first order, damps                                         */
} dc_integrator;

#if !defined(DC_NO_DIRECT) || !defined(DC_NO_CG)
typedef enum dc_linear_solver {
#ifndef DC_NO_DIRECT
    DC_LINEAR_CHOLESKY = 0, /* fast                                                            */
#endif
#ifndef DC_NO_CG
    DC_LINEAR_CG = 1 /* small: no factor is stored                                             */
#endif
} dc_linear_solver;
#endif

#ifndef DC_NO_CLOTH

typedef enum dc_element {
    DC_ELEMENT_NONCONFORMING, /* unknowns at edge midpoints, rigid triangles [EB08]            */
    DC_ELEMENT_ISOMETRIC      /* edge midpoints, and vertices that are particles too: the mesh
                                 cut in four is what moves and collides, [Wan12]               */
} dc_element;

/* An edge on the border that is held like a sheet in a vice: its midpoint stays, and bending leads
   the directions along and across it back. Its ends give way to what they touch. Do not lead it
   into an obstacle: the nonconforming element follows with its midpoints, and only contact_error
   and velocities tell. */
typedef struct dc_clamp_desc {
    dc_index vertex0, vertex1; /* the ends of a border edge, in either order                   */
} dc_clamp_desc;

/* rest_positions is the shape that bending leads back to: a fold ironed in, a tube, a sphere. Only its
   curvature counts, relative to `bending`; where it lies and how it is turned do not, and lengths come
   from the mesh as ever (positions, flat coordinates or rest_lengths), which the shape should fit.
   E = k/2 int |Hess x - T Hess x_rest|^2 dA, after [Wan12] (3.8), where T turns the rest shape's
   curvature to the cloth as it is now, at each vertex by itself; a step takes it from the position it
   predicts, and keeps it (17.3). Beyond a clamped edge the rest shape goes on straight, in the plane of its triangle.
   A vertex whose triangles are folded so that their normals cancel has no frame to turn with: it is
   bent from flat in that step. dc_cloth_measure() counts bending from the rest shape. dc_world_plan()
   fails with DC_NOT_FINITE, error.index the vertex, if a number is not finite. Memory: a vector for each
   node and four for each vertex. The array must stay until dc_world_init() has returned, as all of them
   must. */
typedef struct dc_cloth_desc {
    dc_mesh_desc mesh;
    const dc_vec3 *start_positions;  /* (vertex_count) [m]; NULL: mesh.positions               */
    const dc_vec3 *start_velocities; /* (vertex_count) [m/s]; NULL: at rest                    */
    const dc_vec3 *rest_positions;   /* (vertex_count) [m], see below; NULL: bending is from flat */

    dc_element element;
    dc_real density;         /* [kg/m^2] mass per area                                          */
    dc_real bending;         /* k [N m], of E = k/2 int kappa^2 dA                              */
    dc_real bending_damping; /* tau [s]: the force -tau B v beside -B x                         */
    dc_real jump_gamma;      /* weight of the jump term in units of k                           */
    dc_real jump_beta;       /* ... and in units of density |gravity| size h^2. With more of it the
                                drawn edges strain less; the finest folds are stiffer, and it
                                costs some iterations                                           */
    dc_real jump_damping;    /* tau [s] of the jump term alone: see dc_world_defaults()         */
    dc_real thickness; /* [m] that is kept between two layers; half of it to obstacles; for a while
                            after an impact less; less also within the cloth where triangles are
                            low: see dc_plan.self_thickness                                       */
    dc_real friction;  /* Coulomb's coefficient; of a pair the mean of the two bodies' counts  */
    int self_contact;  /* whether it collides with itself                                     */
    dc_real drag_normal;     /* air drag [kg/(m^2 s)]: force per area and relative velocity,    */
    dc_real drag_tangential; /* across and along the surface                                    */

    const dc_index *pin_vertices; /* (pin_count) vertices that can be held; all are, at first */
    dc_index pin_count;
    const dc_clamp_desc *clamps; /* (clamp_count) border edges that can be held                 */
    dc_index clamp_count;

    dc_integrator integrator;
    dc_linear_solver linear_solver;
    dc_real tolerance;     /* of lengths: | |r|^2 - d^2 | / d^2, about twice the strain          */
    dc_real residual_tol;  /* [m/s^2] rms of the unbalanced acceleration; after impacts and where
                              pins are jerked, from .3% of what that asks for                    */
    dc_real cg_tol;        /* of the conjugate gradients inside it, relative                     */
    dc_index newton_max;   /* iterations, then the step is cut                                   */
    dc_index cg_max;       /* iterations of conjugate gradients in one Newton iteration          */
    dc_index halvings_max; /* a step may be cut into up to 2^halvings_max sub-steps; at most 10  */
} dc_cloth_desc;

#endif /* DC_NO_CLOTH */

#ifndef DC_NO_RIBBONS

/* ---- Ribbons (chapters 41 to 44) ------------------------------------------------------------ */

/* A ribbon is a long rectangle of paper, cut by creases into flat segments. Its shape is told by
   where the creases lie and how far each is folded, [PHB15]: it cannot stretch at all.

        y_0       y_1      y_2           y_n      x to the right from 0 to length, y upwards from
         +---------+-------+-------- -----+       -width/2 to width/2: the flat pattern
         |    0     \   1 /     2         |       crease j goes through (j length / n, 0); c_j is
         +-----------+---+---------- -----+       the tangent of its angle from straight across,
        x_0         x_1 x_2              x_n      x_j below and y_j above are its ends

   Crease j = 1 to n - 1 lies between segments j - 1 and j. A positive angle psi_j turns segment j
   towards the normal, about (-c_j, -1, 0) by the right hand. Creases do not cross:
   |c_j - c_(j-1)| <= 0.95 * 2 length / (width n), with c_0 = c_n = 0. */

/* How the two ends of a ribbon are joined. Positions of joined ends are one vertex each. */
typedef enum dc_ribbon_ends {
    DC_RIBBON_OPEN,
    DC_RIBBON_LOOP,   /* x_n is x_0 and y_n is y_0, in one plane                              */
    DC_RIBBON_MOEBIUS /* x_n is y_0 and y_n is x_0, in one plane, normals opposite            */
} dc_ribbon_ends;

typedef enum dc_attachment_kind {
    DC_ATTACH_POINT, /* a point of the ribbon to a place                                      */
    DC_ATTACH_NORMAL /* the normal of the segment at a point of the centre line to a direction:
                        torsion                                                               */
} dc_attachment_kind;

/* Holds a point of the material, wherever creases wander, or the normal of a segment. */
typedef struct dc_attachment_desc {
    dc_attachment_kind kind;
    dc_vec2 place;     /* [m] on the flat pattern, see above; of normals only x counts           */
    dc_vec3 target;    /* [m] a position; or a direction, of any length                          */
    int is_soft;       /* a spring; otherwise it is held to the tolerance                        */
    dc_real stiffness; /* of springs: K of K/2 |x - target|^2 [N/m], K/2 |n - target|^2 [N m]    */
    dc_index body;     /* DC_NONE; or a body (see dc_feature) whose vertex ...                  */
    dc_index vertex;   /* ... the point follows instead of its target, from the first step on; of
                        cloths one of the caller's mesh. The other body does not feel it. A
                        ribbon follows ribbons of lower number                                */
} dc_attachment_desc;

/* A point, held hard at its target; no body. */
DC_API dc_attachment_desc dc_attachment_defaults(void);

/* An energy of the caller's own. x: (2 n + 2) [m], x_j in 2 j and y_j in 2 j + 1; normals: (n)
   unit. Returns the energy [J] and adds its gradients to x_gradient [N] and normal_gradient [N m].
   What it returns has to be finite and smooth, and the same whenever it is asked the same. It is
   called many times in a step. */
typedef dc_real (*dc_ribbon_energy)(void *context, const dc_vec3 *x, const dc_vec3 *normals,
                                    dc_vec3 *x_gradient, dc_vec3 *normal_gradient);

typedef struct dc_ribbon_desc {
    dc_index segment_count; /* n, at least 2; loops 5                                         */
    dc_real length, width;  /* [m]                                                            */
    dc_ribbon_ends ends;
    int is_fixed;   /* the first segment is held; dc_ribbon_set_pose() moves it. A strip that bends
                       is so clamped at the middle of that segment                            */
    dc_vec3 origin; /* [m] the middle of the first end at the start                    */
    dc_vec3 along, normal; /* directions of the first segment, of any length                  */
    const dc_real *start_creases; /* (n - 1) c_1 to c_(n-1); NULL: 0, straight across      */
    const dc_real *start_angles;  /* (n - 1) psi_1 to psi_(n-1) [rad], to .95 pi; NULL: 0   */
    const dc_vec3
        *start_velocities; /* (2 n + 2) [m/s], x_j in 2 j, y_j in 2 j + 1; NULL: at rest */

    dc_real density; /* [kg/m^2] mass per area                                                */
    dc_real bending; /* k [N m], of E = k/2 int kappa^2 dA, as that of cloth; not 0. Rulings fan
                        out evenly from crease to crease, [Wun62], however wide a ribbon is   */
    dc_real ruling;  /* beta of sum beta c_j^2, in units of bending, not 0: prefers creases straight
                        across where a ribbon is flat                                         */
    dc_real drag;    /* air drag [kg/(m^2 s)]: force per area and relative velocity           */
    dc_real thickness, friction; /* as those of cloth                                         */
    int self_contact;

    const dc_attachment_desc *attachments; /* (attachment_count) all hold at first            */
    dc_index attachment_count;
    dc_ribbon_energy energy; /* NULL: none                                                    */
    void *energy_context;    /* stays with the world                                          */

    dc_integrator integrator;
    dc_real tolerance;    /* [m] of joined ends and of attachments that are not soft; an error of a
                              normal counts by half the width                                 */
    dc_real residual_tol; /* [m/s^2] unbalanced acceleration, root mean square by mass; or what is
                              worth as much energy is more than any step found gains. A step that
                              ends at iteration_max is taken up to 100 times that, or up to a
                              twentieth of the kinetic term. Taut and twisted ribbons may not
                              reach less than the default                                     */
    dc_index iteration_max; /* in one round                                                   */
    dc_index round_max;     /* rounds of the augmented Lagrangian                             */
} dc_ribbon_desc;

/* One metre by .05 m in 50 segments, open, free, along x with its normal up; paper of .1 kg/m^2 and
   k = 1e-4 N m; beta 1e-4 k; nothing attached; BDF2; ends to 1e-6 m (1e-5 m in single precision),
   balanced to .1 m/s^2. A start that does not meet its joined ends, or its hard
   attachments to targets of their own, is bent to the nearest shape that does. */
DC_API dc_ribbon_desc dc_ribbon_defaults(void);

/* A shape to start from: a helix that bends by `turn` [rad] along its length, with creases that lean by
   `lean`, as a c_j. From both ends, which are straight, creases come up to it as fast as they may, so
   that they keep their limits for any length, width and number of segments. Of these three in the
   description it makes creases and angles, each (segment_count - 1). One turn with a lean of 0 closes
   to a loop; with .5 to a Moebius band, mostly: of those wider than a quarter of their length some are
   not found. DC_NOT_FINITE: turn or lean. DC_BAD_ARGUMENT: the description; or error.index is a
   crease that would be folded by more than .95 pi. */
DC_API dc_status dc_ribbon_start(const dc_ribbon_desc *ribbon, dc_real turn, dc_real lean,
                                 dc_real *creases, dc_real *angles, dc_error *error);

/* Memory of a world of one ribbon that does not collide and has no energy of the caller's, with so
   many attachments: at least what is planned, so that static memory can be sized by it. */
#define DC_RIBBON_BYTES(segments, attachments)                                                     \
    ((size_t)((segments) + 1) * (142 * sizeof(dc_real) + 12) +                                     \
     (size_t)(attachments) * (24 * sizeof(dc_real) + 32) + 150 * sizeof(dc_real) + 1640)

#endif /* DC_NO_RIBBONS */

#ifndef DC_NO_COLLISIONS

typedef enum dc_obstacle_kind {
    DC_OBSTACLE_MESH,    /* triangles, both sides of them                                         */
    DC_OBSTACLE_SPHERE,  /* point[0] and radius                                                   */
    DC_OBSTACLE_CAPSULE, /* point[0] to point[1] and radius                                       */
    DC_OBSTACLE_PLANE    /* all space behind the plane through point[0]; point[1] - point[0] points
                            away from it                                                         */
} dc_obstacle_kind;

typedef struct dc_obstacle_desc {
    dc_obstacle_kind kind;
    dc_mesh_desc mesh; /* of DC_OBSTACLE_MESH, its positions at the start                         */
    dc_vec3 point[2];  /* [m]                                                                     */
    dc_real radius;    /* [m] of spheres and capsules                                             */
    dc_real friction;  /* as that of cloths; there is no default                                  */
} dc_obstacle_desc;

/* What to do about surfaces that cross or touch before a step, as a user's mesh may. While anything
   does, no step is certified; dc_world_crossings() names the pairs. */
typedef enum dc_start {
    DC_START_REFUSE,   /* dc_world_init(), or the step, fails with DC_CROSSING                    */
    DC_START_TOLERATE, /* they are left as they are; once apart, they are held apart              */
    DC_START_SEPARATE  /* they are moved apart gently, a part of the way in every step. What is
                          pinned or clamped must not cross: it cannot move, and what is around it
                          is driven the faster                                                    */
} dc_start;

/* Contact is inside the step, as in [Wan12] but with Coulomb friction, between cloths and obstacles and
   of a cloth with itself: lengths hold, stiff sheets do not tremble, and what comes to rest has no
   speed. Collisions come after it all the same, and prove that nothing crosses. It takes 5 kB for each
   vertex. Between two cloths, and with ribbons, contact comes after the step, as in [EB08]: collisions
   move vertices, and the next step repairs lengths. DC_CONTACT_STAGGERED has it so for all. */
typedef enum dc_contact {
    DC_CONTACT_STAGGERED,
#ifndef DC_NO_CONTACT_ROWS
    DC_CONTACT_SIMULTANEOUS
#endif
} dc_contact;

/* How collisions stop what comes too fast for the thickness to hold it off. What is left goes to
   rigid impact zones, either way, and the proof is the same. */
typedef enum dc_impacts {
    DC_IMPACTS_LOCAL, /* contact after contact by impulses, [EB08], on the vertices that touch    */
#ifndef DC_NO_GLOBAL_IMPACTS
    DC_IMPACTS_GLOBAL,  /* all contacts at once, spread over the mesh as if its edges were stiff,
                         [PHB15]: for long steps and coarse meshes. Triangles stay in shape; what is
                         hit is braked as far as ten edges away. Ribbons are resolved by it alone, and
                         lie as close as a hundredth of the thickness. It takes 400 to 750 bytes more
                         for each vertex, and up to 2.2 MB for 512 contacts at a time; if there are
                         more, these are left                                                    */
#endif
    DC_IMPACTS_AUTO = 2 /* the latter if there are ribbons, else the former                       */
} dc_impacts;

#endif /* DC_NO_COLLISIONS */

#ifndef DC_NO_WORLD

typedef struct dc_world_desc {
    dc_vec3 gravity; /* [m/s^2]                                                                  */
    dc_vec3 wind;    /* [m/s]                                                                    */
#ifndef DC_NO_CLOTH
    const dc_cloth_desc *cloths; /* (cloth_count)                                                */
    dc_index cloth_count;
#endif
#ifndef DC_NO_RIBBONS
    const dc_ribbon_desc *ribbons; /* (ribbon_count)                                             */
    dc_index ribbon_count;
#endif
    dc_parallel_for parallel_for; /* with which the factorisations of all cloths share out their
                                     work; NULL: all is done on the caller's thread. It stays with
                                     the world, and so must what its context points at            */
    void *parallel_context;       /*                                                              */
#ifndef DC_NO_COLLISIONS
    const dc_obstacle_desc *obstacles; /* (obstacle_count)                                       */
    dc_index obstacle_count;
    int collides;   /* whether anything meets anything; obstacles need it                        */
    dc_start start; /* what to do about surfaces that cross                                       */
    dc_index pair_capacity; /* features that may be close to each other at one time; DC_NONE: 32 for
                               each vertex of the cloths, 128 for each of the ribbons           */
    dc_index halvings_max;  /* a step whose collisions cannot be resolved is cut into up to
                               2^halvings_max parts; at most 10                                  */
    dc_contact contact;     /* inside the step, or after it                                      */
    dc_index rounds_max;    /* inside: most rounds of projecting and colliding in a step. One is
                               enough where the first, with the contacts that the motion so far
                               lets expect, leaves little to the collisions                      */
    dc_impacts impacts;     /* by default one by one                                             */
#endif
} dc_world_desc;

/* Sensible values: cotton of 0.15 kg/m^2, k = 1e-5 N m; gravity 9.81 down y; lengths to 1e-4;
   thickness 2 mm, friction 0.3. Mesh and pins are empty. Nothing collides; if collides is set,
   cloths also meet themselves, crossings at the start are refused, and a step is cut into up to
   64 parts. Contact is inside the step, in up to 3 rounds. One thread. There is
   no air. jump_damping and the integrator take .3% of the energy of a square metre of 8 x 8 cells, held
   by its upper edge, that swings for a second from 57 degrees (.1% without jump_damping), .3% at
   30 x 30 (.2%); held by two corners 1.4% (.6%) and 2.1% (1.8%). Cloth that is to come to rest
   wants drag_normal and drag_tangential of 0.1 to 1. */
#ifndef DC_NO_CLOTH
DC_API dc_cloth_desc dc_cloth_defaults(void);
#endif
DC_API dc_world_desc dc_world_defaults(void);

/* ---- World: plan, init, step (chapter 45) --------------------------------------------------- */

typedef struct dc_world dc_world;

/* Checks the description, and builds the world in the block `memory` (bytes): topology, matrices
   and their order, room for all that steps need. plan->bytes tells how much of the block is needed;
   it does not depend on the block. A block that is too small is refused with what was needed so far,
   error.needed: make it that large, or twice as large as it was, and plan again.
   DC_BAD_ARGUMENT: error.what names the field, error.cloth, .ribbon or .obstacle the body, error.index
   the element.
   DC_BAD_MESH, DC_NOT_FINITE: as dc_mesh_init(). DC_TOO_SMALL: error.needed. DC_TOO_LARGE: counts. */
DC_API dc_status dc_world_plan(const dc_world_desc *desc, void *memory, size_t bytes, dc_plan *plan,
                               dc_error *error);

/* Starts the planned world, once; after an error it has to be planned again. It starts with the start
   positions, moved onto the constraints. A start that is compressed folds up instead of failing;
   dc_cloth_measure() tells by its strain. For a slack start, give start_positions with the pins
   closer together.
   DC_BAD_ARGUMENT: the plan is not of dc_world_plan(), or was used before. DC_TOO_SMALL:
   error.needed pairs, of error.given. DC_NOT_CONVERGED: the start positions are too far from the
   rest shape; error.index is the triangle with the largest error, error.value that error; or
   error.ribbon cannot be closed or held. DC_NOT_FINITE: the start leads out of all bounds.
   DC_CROSSING: error.value crossings, the first one error.pair. */
DC_API dc_status dc_world_init(const dc_plan *plan, dc_world **world, dc_error *error);

/* Advances all bodies by dt [s]. It is a transaction: after an error the world is as before.
   DC_BAD_ARGUMENT: dt is not positive and finite.
   DC_NOT_CONVERGED: no sub-step length worked; error.cloth; error.index the triangle with the
   largest error of length, or the held point, as error.what says; error.value that error, or the
   unbalanced acceleration. Of a ribbon (error.ribbon) error.index is an attachment or DC_NONE, and
   error.what says what error.value is.
   A held point's index counts pins first, then clamps, and its value is its distance from where it
   is to be, by half the mean edge length. Targets that were set stay: set others before the next
   step.
   With collisions also DC_NOT_CONVERGED: error.value pairs of features could not be parted, such as
   error.pair; it happens where a cloth is pinched between two bodies that close, or a pin is led
   through something. Or a clamp is: error.index the held point, error.value how far the edge is kept
   from it, by half its length. DC_TOO_SMALL: more pairs than error.given at one time in the smallest part of
   the step; error.needed were counted up to there, and the rest may have more. DC_CROSSING: after
   dc_cloth_correct() surfaces cross.
   DC_NOT_FINITE: forces or targets are not finite. `report` may be NULL; after an error its counts
   are of all that was tried, and its errors those of the last try. */
DC_API dc_status dc_world_step(dc_world *world, dc_real dt, dc_report *report, dc_error *error);

/* Steps of dt [s] until the forces balance: where this world comes to rest, with its bending,
   contacts and friction, (45.1). Velocities are taken away at the start and whenever the bodies have
   begun to slow down, so that they neither swing nor need damping. It ends when what is unbalanced,
   as a root mean square by mass, is at most `tolerance` times gravity and the caller's forces (or, if
   there are none, what was unbalanced at the start). Shapes are then off by about that part of what
   the load does to them, whatever the mesh; steps of 2 to 20 ms and 1e-3 are a start. residual_tol
   of cloths and ribbons is lowered meanwhile. In single precision stiff fine meshes may not get
   there. *steps, if not NULL, gets the number of steps taken.
   What lies on something settles with contact inside the step: contacts that are closer than the
   thickness keep their distance meanwhile. With contact after the step it may tremble for ever, or
   steps may fail.
   DC_BAD_ARGUMENT: dt, tolerance or step_max. DC_NOT_CONVERGED: not after step_max steps; error.value
   is what is unbalanced, as a part of the load. Others as dc_world_step(), which leaves the world
   after the last step that went well. */
DC_API dc_status dc_world_settle(dc_world *world, dc_real dt, dc_real tolerance, dc_index step_max,
                                 dc_index *steps, dc_error *error);

/* The simulated time [s] since the start. */
DC_API dc_real dc_world_time(const dc_world *world);

#ifndef DC_NO_COLLISIONS

/* Counts the pairs of an edge and a triangle that cross or touch now, and of a vertex or an edge
   and the thick obstacle or half space in which it is; names the first `capacity` of them. 0 if the
   world does not collide; DC_NONE if pair_capacity is too small to tell. */
DC_API dc_index dc_world_crossings(dc_world *world, dc_index capacity, dc_feature_pair *pairs);

#endif /* DC_NO_COLLISIONS */

/* A hash of the simulated state, the same for the same bits on every machine. Gravity, wind, forces
   and the targets of the next step are not part of it. */
DC_API uint64_t dc_world_hash(const dc_world *world);

/* Snapshots. A snapshot is the state of a world in a block of bytes without pointers, the same bytes
   on every machine: positions, velocities, contact forces, time, gravity, wind, forces, and all pins,
   clamps, attachments and obstacles with their targets. Loaded into a world that was made from the
   same description, by another build or on another machine too, it gives the same bits from there
   on. What a description points at (parallel_for, a ribbon's energy) is not part of it.

   Bytes that dc_world_save() needs now: they vary with the number of contacts. */
DC_API size_t dc_world_save_bytes(const dc_world *world);

/* Writes a snapshot into `snapshot` (bytes). DC_TOO_SMALL: error.needed. */
DC_API dc_status dc_world_save(const dc_world *world, void *snapshot, size_t bytes,
                               dc_error *error);

/* Loads a snapshot; a block that is longer is all right. After an error the world is as before.
   DC_BAD_ARGUMENT: the block is no snapshot of a world, is damaged (each wrong byte is noticed), is
   of another version or number type; or it is of a world with another description: error.what
   names the first field that differs, error.cloth, .ribbon or .obstacle its body. */
DC_API dc_status dc_world_load(dc_world *world, const void *snapshot, size_t bytes,
                               dc_error *error);

/* Finds the first difference between a world and a snapshot: where two runs parted.
   DC_BAD_ARGUMENT: error.what names the field, such as "positions", error.cloth or .ribbon the
   body, error.index the item; or as dc_world_load(). DC_OK: the state is that of the snapshot. */
DC_API dc_status dc_world_compare(const dc_world *world, const void *snapshot, size_t bytes,
                                  dc_error *error);

/* The bytes of the arena that are carved: what was planned. */
DC_API size_t dc_world_bytes(const dc_world *world);

/* ---- World: watching and driving ------------------------------------------------------------ */

/* All of these take effect in the next step. Pins and clamps are named by their place in the
   description; a step moves them from where they were to where they are told, in a straight line.
   After an error nothing was changed.
   DC_NOT_FINITE: gravity, or wind. */
DC_API dc_status dc_world_set_gravity(dc_world *world, dc_vec3 gravity, dc_error *error);
DC_API dc_status dc_world_set_wind(dc_world *world, dc_vec3 wind, dc_error *error);

#ifndef DC_NO_COLLISIONS

/* Where an obstacle is to be at the end of the next step: all vertices of a mesh (vertex_count),
   the centre of a sphere, both ends of a capsule, three points of a plane, counter-clockwise seen
   from where it is free, [m]. It stays there until it is moved again. spin [rad/s] turns the
   surface of a sphere or capsule about its middle, for friction; it does not move it.
   DC_NOT_FINITE: error.index is the position (DC_NONE: spin). DC_BAD_ARGUMENT: a plane's points are
   in one line, to 6 degrees. After an error it goes where it was told before. */
DC_API dc_status dc_obstacle_move(dc_world *world, dc_index obstacle, const dc_vec3 *positions,
                                  dc_vec3 spin, dc_error *error);

/* The present vertices of an obstacle, in that order. */
DC_API const dc_vec3 *dc_obstacle_positions(const dc_world *world, dc_index obstacle);

#endif /* DC_NO_COLLISIONS */

#endif /* DC_NO_WORLD */

#ifndef DC_NO_CLOTH

/* ---- Cloth: watching and driving (chapter 40) ------------------------------------------------ */

/* The user's mesh and its vertices: (vertex_count) [m] and [m/s], valid until the next step. After
   collisions velocities are displacements in the last sub-step over its length. Each vertex is the
   mean of what the triangles around it say, so its edges do strain: a per cent rms in calm motion, 2 to
   8 in lively scenes with collisions, 10 to 40 at single sharp folds. */
DC_API const dc_vec3 *dc_cloth_positions(const dc_world *world, dc_index cloth);
DC_API const dc_vec3 *dc_cloth_velocities(const dc_world *world, dc_index cloth);
DC_API const dc_mesh *dc_cloth_mesh(const dc_world *world, dc_index cloth);

/* The surface, which is drawn and collides, and its positions: (vertex_count of that mesh) [m],
   valid until the next step. It is the user's mesh; with the isometric element that mesh with each
   triangle cut in four. Then its vertices are the user's V vertices and after them the E edge
   midpoints, that of edge e of dc_cloth_mesh() in place V + e. Triangles 4 t to 4 t + 2 are what is
   cut off at the corners of triangle t, and 4 t + 3 is its middle. */
DC_API const dc_vec3 *dc_cloth_surface_positions(const dc_world *world, dc_index cloth);
DC_API const dc_mesh *dc_cloth_surface_mesh(const dc_world *world, dc_index cloth);

/* The edge midpoints: (edge_count) [m], in which every triangle has its rest shape; valid until the
   next step. */
DC_API const dc_vec3 *dc_cloth_midpoints(const dc_world *world, dc_index cloth);

/* Where pin `pin` is to be at the end of the next step [m]. Takes hold of it if it was released.
   DC_NOT_FINITE: error.index is the pin. */
DC_API dc_status dc_cloth_set_pin(dc_world *world, dc_index cloth, dc_index pin, dc_vec3 target,
                                  dc_error *error);
DC_API void dc_cloth_release_pin(dc_world *world, dc_index cloth, dc_index pin);

/* Position of the clamped edge's ends [m], in the order of the description, and the direction in
   the surface that points away from the cloth across the edge, of any length: (-1, 0, 0) for a
   strip from x = 0 to 1 that is held at x = 0. Held are the edge's midpoint and the direction; pin
   its vertices too if they must be in place exactly.
   DC_BAD_ARGUMENT: the edge has no length, or that direction is zero or along it. DC_NOT_FINITE: a
   vector. error.index is the clamp. */
DC_API dc_status dc_cloth_set_clamp(dc_world *world, dc_index cloth, dc_index clamp, dc_vec3 end0,
                                    dc_vec3 end1, dc_vec3 outward, dc_error *error);
DC_API void dc_cloth_release_clamp(dc_world *world, dc_index cloth, dc_index clamp);

/* A force on each vertex of the user's mesh (vertex_count) [N], copied, kept until set again; NULL:
   none.
   DC_NOT_FINITE: error.index is the vertex. After an error the forces are those set before. */
DC_API dc_status dc_cloth_set_forces(dc_world *world, dc_index cloth, const dc_vec3 *forces,
                                     dc_error *error);

/* Moves the vertices of the surface (vertex_count of dc_cloth_surface_mesh()) [m], as a collision
   handler of the caller's own would after a step; the nodes follow by the smallest change with the
   same mean, (26.1), or are those vertices, and the velocity becomes that of having arrived there:
   v += displacement / dt. Lengths are kept again from the next step on. A vertex without triangles
   does not move.
   DC_NOT_FINITE: error.index is the vertex; or the velocity would not be (DC_NONE).
   DC_NOT_CONVERGED. After an error nothing was moved. */
DC_API dc_status dc_cloth_correct(dc_world *world, dc_index cloth, const dc_vec3 *displacements,
                                  dc_error *error);

typedef struct dc_measures {
    dc_real constraint_error;       /* largest | |r|^2 - d^2 | / d^2 over the length rows       */
    dc_index constraint_triangle;   /* where                                                    */
    dc_real strain_max, strain_rms; /* (l - l0) / l0 over the edges of dc_cloth_surface_mesh()  */
    dc_index strain_edge;           /* where the largest is                                     */
    dc_real kinetic, gravity, bending, jump; /* energies [J]; gravity's zero is at the origin   */
    dc_vec3 momentum;         /* [kg m/s], with the velocities of dc_cloth_velocities()   */
    dc_vec3 angular_momentum; /* [kg m^2/s] about the origin                              */
    dc_vec3 centre;           /* [m] of mass                                              */
    dc_real mass;             /* [kg]                                                     */
    dc_real angle_defect_max; /* [rad] of inner vertices, against the rest shape          */
    dc_index angle_defect_vertex;
} dc_measures;

/* Measures the state between two steps. It writes nothing into the world, so several threads may
   measure at the same time. */
DC_API dc_measures dc_cloth_measure(const dc_world *world, dc_index cloth);

#endif /* DC_NO_CLOTH */

#ifndef DC_NO_RIBBONS

/* ---- Ribbons: watching and driving ---------------------------------------------------------- */

/* The ends of the creases, from which it is drawn: x_j in 2 j and y_j in 2 j + 1, [m] and [m/s],
   valid until the next step. 2 n + 2 of them; n = segment_count. Of joined ends, these are the
   first 2 n: crease n is crease 0 then, or it the other way round. After a collision segments need
   not be flat; the next step makes them so. dc_ribbon_triangles() are (2 n, 3): 2 j and 2 j + 1
   make segment j. */
DC_API const dc_vec3 *dc_ribbon_positions(const dc_world *world, dc_index ribbon);
DC_API const dc_vec3 *dc_ribbon_velocities(const dc_world *world, dc_index ribbon);
DC_API dc_index dc_ribbon_vertex_count(const dc_world *world, dc_index ribbon);
DC_API const dc_index *dc_ribbon_triangles(const dc_world *world, dc_index ribbon);

/* The coordinates: c_0 to c_n, and psi_0 to psi_n [rad], of which the first and the last are 0. The
   rulings are the creases themselves, from x_j to y_j. */
DC_API const dc_real *dc_ribbon_creases(const dc_world *world, dc_index ribbon);
DC_API const dc_real *dc_ribbon_angles(const dc_world *world, dc_index ribbon);

/* What a description's creases and angles look like, without a world: x (2 n + 2) [m], normals (n)
   or NULL, flat (2 n + 2) [m] or NULL, the same points on the flat pattern. Of the description the
   size, the pose, the creases and the angles count.
   DC_BAD_ARGUMENT, DC_NOT_FINITE: as dc_world_plan(). */
DC_API dc_status dc_ribbon_shape(const dc_ribbon_desc *desc, dc_vec3 *x, dc_vec3 *normals,
                                 dc_vec2 *flat, dc_error *error);

/* Where an attachment is to be at the end of the next step: a position [m] or a direction. Takes
   hold of it if it was released; it follows no body any more.
   DC_NOT_FINITE; DC_BAD_ARGUMENT: a direction of zero length. Nothing was changed then. */
DC_API dc_status dc_ribbon_set_attachment(dc_world *world, dc_index ribbon, dc_index attachment,
                                          dc_vec3 target, dc_error *error);
DC_API void dc_ribbon_release_attachment(dc_world *world, dc_index ribbon, dc_index attachment);

/* Where the first segment of a fixed ribbon is to be at the end of the next step; the middle of its
   end [m] and directions, as in the description. It goes there in a straight line, turning evenly.
   DC_NOT_FINITE. DC_BAD_ARGUMENT: the ribbon is not fixed; a direction is zero, or both are the
   same. */
DC_API dc_status dc_ribbon_set_pose(dc_world *world, dc_index ribbon, dc_vec3 origin, dc_vec3 along,
                                    dc_vec3 normal, dc_error *error);

/* Brings a ribbon to the least of its potential near its present shape, at rest: joined ends and
   attachments hold, gravity and bending balance. It looks at no other body, and sees no collisions.
   `report`, if not NULL, has the fields of ribbons.
   DC_BAD_ARGUMENT: nothing holds it against gravity: it is not fixed, no point of it is attached,
   and it has no energy of the caller's. DC_NOT_CONVERGED, DC_NOT_FINITE, DC_TOO_SMALL: as
   dc_world_step(). DC_CROSSING: the world collides, and in the new shape surfaces cross. After an
   error nothing was changed. */
DC_API dc_status dc_ribbon_relax(dc_world *world, dc_index ribbon, dc_report *report,
                                 dc_error *error);

typedef struct dc_ribbon_measures {
    dc_real kinetic, gravity, bending, ruling; /* energies [J]; gravity's zero is at the origin  */
    dc_real attached, own;    /* [J] in soft attachments, and of dc_ribbon_desc.energy            */
    dc_real area_error;       /* largest | area - flat area | / flat area of a triangle: rounding;
                                 but after collisions slivers, between creases that almost meet,
                                 may be off by more than they are                                 */
    dc_real crease_limit;     /* largest |c_j - c_(j-1)|, as a part of 2 length / (width n): .95  */
    dc_real gap;              /* [m] between joined ends, before collisions                       */
    dc_vec3 momentum;         /* [kg m/s]                                                         */
    dc_vec3 angular_momentum; /* [kg m^2/s] about the origin                                      */
    dc_vec3 centre;           /* [m] of mass                                                      */
    dc_real mass;             /* [kg]                                                             */
} dc_ribbon_measures;

/* Measures the state between two steps, in the world's own work space: from one thread at a time,
   while nothing else is done with this world. */
DC_API dc_ribbon_measures dc_ribbon_measure(dc_world *world, dc_index ribbon);

#endif /* DC_NO_RIBBONS */

#ifndef DC_NO_COLLISIONS

/* ---- Collisions for a solver of one's own (chapter 36) --------------------------------------- */

/* Triangles that collide. They need not make a surface: edges may have any number of triangles, turned
   any way, and vertices none. */
typedef struct dc_collider_body {
    dc_mesh_desc mesh;     /* positions or lengths at rest, which bound the thickness within it   */
    const dc_real *masses; /* (vertex_count) [kg] by which collisions are shared out; 0: a vertex
                              goes where it is told. NULL: all do                              */
    dc_real thickness;     /* [m] as that of cloth                                                */
    dc_real friction;      /* likewise                                                            */
    int self_contact;
} dc_collider_body;

typedef struct dc_collider_desc {
    const dc_collider_body *bodies; /* (body_count)                                              */
    dc_index body_count;
    const dc_obstacle_desc *obstacles; /* (obstacle_count) they do not meet each other           */
    dc_index obstacle_count;
    dc_start start;         /* what to do about what crosses before a step                       */
    dc_index pair_capacity; /* as in dc_world_desc; DC_NONE: 32 for each vertex of the bodies    */
    dc_impacts impacts;     /* local or global                                                   */
} dc_collider_desc;

/* The collision stages of a world, for positions that another solver finds. In each step it says where
   all vertices were and where they would go; the collider changes the ends until nothing crosses on the
   straight paths between:

       dc_collider_resolve(collider, x, x_next, &report, &error);
       v = (x_next - pushes - x) / dt

   The world's own steps end with the same stages, chapters 29 to 36. See examples/08_collider.c. */
typedef struct dc_collider dc_collider;

/* No bodies, no obstacles; crossings are refused; local impacts. */
DC_API dc_collider_desc dc_collider_defaults(void);

/* Checks the description and builds a collider in the block `memory` (bytes), as dc_world_plan().
   DC_BAD_ARGUMENT: error.what names the field; error.cloth is the body, or error.obstacle the
   obstacle; error.index is the vertex. DC_BAD_MESH: error.index is the triangle: vertex index out of
   range; the same vertex twice; no area. DC_NOT_FINITE: as dc_mesh_init(). DC_TOO_SMALL:
   error.needed. DC_TOO_LARGE: counts. */
DC_API dc_status dc_collider_plan(const dc_collider_desc *desc, void *memory, size_t bytes,
                                  dc_plan *plan, dc_error *error);

/* Hands out the planned collider. The description's arrays are not needed any more.
   DC_BAD_ARGUMENT: the plan is not of dc_collider_plan(). */
DC_API dc_status dc_collider_init(const dc_plan *plan, dc_collider **collider, dc_error *error);

/* Other masses of a body, as in its description: 0 takes hold of a vertex.
   DC_BAD_ARGUMENT: error.index is the vertex. After an error they are as before. */
DC_API dc_status dc_collider_set_masses(dc_collider *collider, dc_index body, const dc_real *masses,
                                        dc_error *error);

/* Where an obstacle is to be after the next step, as dc_obstacle_move(), but spin is the turn in each
   step [rad]. DC_NOT_FINITE, DC_BAD_ARGUMENT: as there. */
DC_API dc_status dc_collider_move(dc_collider *collider, dc_index obstacle,
                                  const dc_vec3 *positions, dc_vec3 spin, dc_error *error);

/* One step: before and after (vertices of all bodies, one body after the other) [m]. Changes `after`,
   and moves the obstacles, so that nothing crosses; friction of what slides is in it. Vertices without
   mass keep their ends. The proof, report->is_certified, begins at `before`: give what the last
   step made of `after`, bit for bit, or all of it is searched for crossings first. `report`, if not
   NULL, has the fields of collisions.
   DC_NOT_FINITE: error.index is the vertex, counted through all bodies. DC_CROSSING: `before` crosses
   already, as error.pair. DC_NOT_CONVERGED: error.value pairs could not be parted, such as
   error.pair; two steps half as long may do. DC_TOO_SMALL: error.needed pairs, of error.given, or more.
   After an error `after` and the obstacles are as they were. */
DC_API dc_status dc_collider_resolve(dc_collider *collider, const dc_vec3 *before, dc_vec3 *after,
                                     dc_report *report, dc_error *error);

/* What repulsion pushed in the last step (vertices of all bodies) [m], a part of the change: a push is
   no velocity. 0 where nothing was too close. */
DC_API const dc_vec3 *dc_collider_pushes(const dc_collider *collider);

/* As dc_world_crossings(), for these positions, and the obstacles as they are. */
DC_API dc_index dc_collider_crossings(dc_collider *collider, const dc_vec3 *positions,
                                      dc_index capacity, dc_feature_pair *pairs);

#endif /* DC_NO_COLLISIONS */

#ifndef DC_NO_DRAPE

/* ---- Where cloth comes to rest (chapters 46 to 49) ------------------------------------------- */

/* A vertex and the place where it is to be in the end. */
typedef struct dc_anchor_desc {
    dc_index vertex;
    dc_vec3 target; /* [m] */
} dc_anchor_desc;

/* A sheet, what holds it and what it lies on. Lengths may be in any unit: only shapes count, and
   there are no masses and no seconds. */
typedef struct dc_drape_desc {
    dc_mesh_desc mesh; /* any number of pieces, with or without holes, open or closed             */
    const dc_vec3
        *start_positions;          /* (vertex_count) [m]; NULL: mesh.positions. Nothing may cross */
    const dc_anchor_desc *anchors; /* (anchor_count)                                             */
    dc_index anchor_count;
    const dc_obstacle_desc
        *obstacles; /* (obstacle_count) they stand still                        */
    dc_index obstacle_count;
    dc_vec3 down;      /* where gravity points, of any length; 0: there is none                   */
    dc_real thickness; /* [m] between two layers, half of it to obstacles; 0: a tenth of the mean
                          edge                                                                    */
    dc_real friction;  /* Coulomb's coefficient; the mean of it and an obstacle's counts. Without
                          friction or an anchor a sheet slides off a ball                         */
    int self_contact;
    dc_index
        pair_capacity; /* as in dc_world_desc                                                 */
    dc_real noise; /* part of an edge by which the start is shaken, to break symmetries; 0 to 0.1 */
    uint32_t seed; /* of the noise                                                       */

    dc_linear_solver linear_solver; /* of the least squares of each iteration                     */
    dc_parallel_for parallel_for;   /* as in dc_world_desc                                        */
    void *parallel_context;
    dc_real tolerance; /* of lengths in the end: |l - l0| / l0; of anchors: by the mean edge */
    /* Condition A: iterations in which F of (48.1) has not sunk, refused ones not counted. More
       find a lower shape, to more digits. */
    dc_index stall_count;
    dc_index iteration_max; /* condition B                                                        */
} dc_drape_desc;

enum { DC_DRAPE_STAGES = 7 };

typedef enum dc_drape_state {
    DC_DRAPE_MOVING,
    DC_DRAPE_AT_REST, /* condition A: lengths and anchors are met, the potential sinks no more    */
    DC_DRAPE_AT_LIMIT /* condition B: iteration_max. Also where no change leads further, or a piece
                         has fallen past all obstacles                                            */
} dc_drape_state;

/* Where a drape stands after an iteration. */
typedef struct dc_drape_report {
    dc_drape_state state;
    dc_index
        iterations;   /* so far, refused ones included                                          */
    dc_index refused; /* of them: line search found nothing lower                               */
    dc_index stage;   /* of chapter 48, 0 to DC_DRAPE_STAGES - 1: gravity from soft to stiff; the
                            last is the projection onto the lengths                               */
    dc_index factorizations, cg_iterations;
    dc_real length_energy;   /* E_L = sum (l - l0)^2 [m^2]                                        */
    dc_real anchor_energy;   /* E_I = sum |x - target|^2 [m^2]                                   */
    dc_real potential;       /* sum m_i h_i [m], h_i the height against `down` above the origin and
                                m_i the area around the vertex by the mean of all vertices        */
    dc_real area_error;      /* E_A = | area - rest area | / rest area                            */
    dc_real strain_max;      /* largest |l - l0| / l0                                             */
    dc_index strain_edge;    /* where, an edge of dc_drape_mesh()                                 */
    dc_real anchor_distance; /* [m] the largest of the given anchors                              */
    dc_index worst_anchor;   /* where, or DC_NONE                                                 */
    dc_index contacts;       /* pairs closer than the thickness                                   */
    int is_certified;        /* proved: nothing crosses, and nothing crossed on the way here      */
} dc_drape_report;

typedef struct dc_drape dc_drape;

/* Downwards along y, no friction, meets itself, thickness 0, noise 1e-3, tolerance 1e-5,
   stall_count 3, at most 200 iterations. */
DC_API dc_drape_desc dc_drape_defaults(void);

/* Checks the description and builds a drape in the block `memory` (bytes), as dc_world_plan().
   DC_BAD_ARGUMENT: error.what names the field, error.index the element; two anchors on one
   vertex: error.index is the second of them, error.value the distance of their targets [m]; a
   piece without anchors while there are no obstacles: error.index is a vertex of it.
   DC_BAD_MESH, DC_NOT_FINITE: as dc_mesh_init(). DC_TOO_SMALL: error.needed. DC_TOO_LARGE: counts. */
DC_API dc_status dc_drape_plan(const dc_drape_desc *desc, void *memory, size_t bytes, dc_plan *plan,
                               dc_error *error);

/* Places the planned drape at its start. The description's arrays are not needed any more then, but
   what parallel_context points at is.
   DC_BAD_ARGUMENT: the plan is not of dc_drape_plan(), or was used before. DC_TOO_SMALL:
   error.needed pairs, of error.given. DC_CROSSING: error.value crossings, the first one error.pair:
   body 0 is the sheet, the obstacles follow. */
DC_API dc_status dc_drape_init(const dc_plan *plan, dc_drape **drape, dc_error *error);

/* One change of the shape, in place of UpdateMesh of [CT10]; draw in between. `report` may be NULL.
   After it is at rest or at its limit nothing changes.
   DC_NOT_CONVERGED: a piece that nothing holds has fallen past all obstacles; error.index is a
   vertex of it. It is at its limit then. DC_TOO_SMALL: pairs, as dc_world_step() has it.
   DC_SINGULAR, DC_NOT_FINITE: the least squares. After those the shape is as before. */
DC_API dc_status dc_drape_iterate(dc_drape *drape, dc_drape_report *report, dc_error *error);

/* Iterates until it is at rest or at its limit.
   DC_NOT_CONVERGED: it is not at rest, and the shape is the best so far. error.what tells why: an
   anchor is not at its target, error.index which and error.value how far [m]: further from another
   than the cloth reaches, inside an obstacle, or in each other's way; lengths are not met,
   error.index the edge and error.value its strain; it has not come to rest; it falls.
   Others as dc_drape_iterate(). */
DC_API dc_status dc_drape_solve(dc_drape *drape, dc_drape_report *report, dc_error *error);

/* The shape: (vertex_count) [m], valid until the next iteration. */
DC_API const dc_vec3 *dc_drape_positions(const dc_drape *drape);
DC_API const dc_mesh *dc_drape_mesh(const dc_drape *drape);

/* What the iteration did so far; dc_drape_iterate()'s report. */
DC_API dc_drape_report dc_drape_look(const dc_drape *drape);

/* A hash of the shape, as dc_world_hash(). */
DC_API uint64_t dc_drape_hash(const dc_drape *drape);

/* Snapshots of a drape between two iterations, as those of a world. */
DC_API size_t dc_drape_save_bytes(const dc_drape *drape);

/* DC_TOO_SMALL: error.needed. */
DC_API dc_status dc_drape_save(const dc_drape *drape, void *snapshot, size_t bytes,
                               dc_error *error);

/* DC_BAD_ARGUMENT: as dc_world_load(); the drape is as before. */
DC_API dc_status dc_drape_load(dc_drape *drape, const void *snapshot, size_t bytes,
                               dc_error *error);

#ifndef DC_NO_CLOTH
/* Hands the shape over to a world: sets start_positions, thickness, friction, self_contact and pins
   of `cloth`, whose mesh is to be the same, and leaves the rest. pins (anchor_count) takes their
   vertices. The positions are the drape's own: it must stay, and not be iterated, until
   dc_world_init() has returned, and so must pins. The world needs `collides` and the same
   obstacles. With `bending`, dc_world_settle() then
   finds where that rests. */
DC_API void dc_drape_hand_over(const dc_drape *drape, dc_cloth_desc *cloth, dc_index *pins);
#endif

#endif /* DC_NO_DRAPE */

#ifdef __cplusplus
}
#endif

#endif /* C99 */
#endif /* DEVCLOTH_H */

/* Outside the guard: another header may have included this one before the macro was defined. */
#if defined(DEVCLOTH_IMPLEMENTATION) && !defined(DEVCLOTH_IMPL_H) && defined(DC_NONE)
#include "devcloth_impl.h"
#endif

/*
 * MIT License
 *
 * Copyright (c) 2026 the devcloth authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all
 * copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */
