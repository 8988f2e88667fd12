/*
 * devcloth.h - surfaces that bend and do not stretch: cloth, paper, ribbons
 *
 * A C99 library in two files. It simulates inextensible cloth with the nonconforming elements of
 * English & Bridson 2008: every triangle keeps its lengths to a stated tolerance, and the sheet
 * still folds freely, because the unknowns sit at the edge midpoints and not at the vertices.
 *
 * A WHOLE PROGRAM. Include devcloth.h wherever it is needed. In exactly one translation unit define
 * DEVCLOTH_IMPLEMENTATION first. The library needs only a C99 or C++11 compiler, memcpy, memset,
 * memmove, sqrt, and assert unless DC_NO_CHECKS or DC_ASSERT is defined.
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
 *         dc_cloth_desc cloth = dc_cloth_defaults();
 *         dc_world_desc desc = dc_world_defaults();
 *         dc_world *world;
 *         dc_error error;
 *         dc_status status;
 *         int step;
 *
 *         cloth.mesh = dc_grid(CELLS, CELLS, 1, 1, DC_DIAGONALS_FORWARD, positions, triangles);
 *         cloth.pin_vertices = pins;
 *         cloth.pin_count = PINS;
 *         desc.cloths = &cloth;
 *         desc.cloth_count = 1;
 *         desc.gravity = (dc_vec3){0, 0, (dc_real)-9.81}; // the grid lies in the xy plane
 *         status = dc_world_init(&desc, memory, sizeof memory, &world, NULL, &error);
 *         for (step = 0; step < 1000 && status == DC_OK; step++)
 *             status = dc_world_step(world, (dc_real)0.002, NULL, &error);
 *         if (status == DC_OK)
 *             printf("lowest corner at z = %.3f m\n", (double)dc_body_positions(world, 0)[0].z);
 *         else
 *             printf("%s: %s %s %d\n", error.where, error.what, error.field, (int)error.index);
 *         return status;
 *     }
 *
 * MEMORY. The library never allocates. A large object is made in one block that you own, of any
 * alignment, and leave to it. The arrays of its description are not needed afterwards. A block that
 * is too small is refused, with the bytes needed so far in error.needed; this loop finds the size:
 *
 *     size_t bytes = 0;
 *     void *memory = NULL;
 *     while (dc_world_init(&desc, memory, bytes, &world, NULL, &error) == DC_TOO_SMALL) {
 *         bytes = error.needed > 2 * bytes ? error.needed : 2 * bytes;
 *         memory = realloc(memory, bytes);
 *     }
 *
 * ERRORS. Functions that can fail return a dc_status. They describe the failure in a dc_error that
 * you own (NULL: not wanted). A failed call leaves its object as it was, unless its comment says
 * otherwise. A wrong number of a body, pin, clamp, vertex, attachment, anchor or curve is
 * DC_BAD_ARGUMENT, with error.field "body", "pin" and so on; error.index is the number, as after
 * other errors about one. Functions without a record end the program instead (DC_ASSERT).
 *
 * DETERMINISM. Results are the same bits with every processor and compiler that computes IEEE 754
 * arithmetic as written. Other modes stop compilation where the compiler reveals them;
 * dc_float_check() finds the rest, at the start of a program that relies on equal bits.
 *
 * THREADS. Objects share nothing: two worlds, whose bodies do not meet, may step on two threads.
 * One world is for one thread at a time, unless a function says otherwise. The library starts no
 * threads; dc_world_desc.parallel_for uses yours.
 *
 * UNITS. Metres, kilograms and seconds. Multiply a mesh in centimetres by .01: dc_info.wide_body
 * tells one that may have been forgotten. To keep centimetres, multiply all fields, defaults too;
 * reports and measures are then in centimetres as well:
 *
 *     100    positions, sizes, radius, thickness, bending_length, give, tolerance of a ribbon;
 *            velocities, wind; gravity, residual_tol, jump_acceleration; forces, grab_force_max
 *     1e4    bending; stiffness of DC_ATTACH_NORMAL
 *     1e-4   density; drag, drag_normal, drag_tangential
 *     1      all others: times, friction, compliance, tolerance of a cloth
 *
 * CONFIGURATION (macros, all optional; every translation unit must agree)
 *
 *     DEVCLOTH_IMPLEMENTATION   compile the implementation in this translation unit
 *     DEVCLOTH_STATIC           ... with internal linkage, for one translation unit alone
 *     DEVCLOTH_SINGLE           dc_real is float, not double
 *     DC_API                    precedes each public function (default: extern)
 *     DC_ASSERT(condition)      checks preconditions (default: assert; freestanding: a trap)
 *     DC_NO_CHECKS              no checks of preconditions and numbers; no assert.h
 *     DC_SQRT(x)                square root, correctly rounded (default: sqrt or sqrtf)
 *     DC_MEMCPY, DC_MEMMOVE, DC_MEMSET   (default: those of string.h)
 *     DC_ALLOW_INEXACT          accept compiler modes in which results differ between machines
 *     DC_PLAIN_C                no vectors and attributes of gcc and clang: slower, the same bits
 *
 * Parts left out save this much of 190 KB of code (Cortex-M4F, floats: tests/tables/parts.md):
 *
 *     DC_NO_COLLISIONS          83 KB   collisions, obstacles, colliders, grabs, and drapes
 *     DC_NO_CLOTH               50 KB   cloths
 *     DC_NO_DIRECT              34 KB   fast Cholesky, for cloths too, drapes, DC_IMPACTS_GLOBAL
 *     DC_NO_RIBBONS             36 KB   ribbons
 *     DC_NO_DRAPE               21 KB   drapes: where cloth comes to rest
 *     DC_NO_GLOBAL_IMPACTS       2 KB   DC_IMPACTS_GLOBAL: impacts are resolved one by one
 *     DC_NO_CG                   1 KB   DC_LINEAR_CG of cloths
 *     DC_ONLY_SPARSE           176 KB   all but sparse matrices and their solvers
 *
 * What needs a part goes with it. Functions of meshes go with cloths and collisions, those of
 * sparse matrices with cloths, DC_NO_DIRECT and DC_NO_CG.
 *
 * THE REFERENCE. y is up by default. Triangles run counter-clockwise seen from where their normal
 * points. Corner 3 t + c is the c-th of triangle t, and opposite its edge c. Arrays are row by row.
 * Comments give shapes and units: (triangle_count, 3) [m].
 *
 *     task                        sections of this file
 *     make a mesh                 Meshes; Grids
 *     simulate cloth              Cloth; World: description, init, step
 *     simulate ribbons            Ribbons; Ribbons: watching and driving
 *     let bodies collide          Obstacles; Obstacles: driving; Rays, contacts, crossings
 *     hold, pull, watch           World: watching and driving; Cloth: watching and driving
 *     judge a step                Reports and infos
 *     save                        Saving and comparing
 *     find where cloth rests      Where cloth comes to rest
 *     collide in another solver   Collisions for a solver of one's own; Continuous collision
 *     solve sparse systems        Sparse matrices, Cholesky, conjugate gradients
 *     find an error's cause       Status and error record; Floating point
 *
 * Each function is called in examples/ or examples/README.md. The licence (MIT) is at the end.
 */
#ifndef DEVCLOTH_H
#define DEVCLOTH_H

#define DC_VERSION_MAJOR 0
#define DC_VERSION_MINOR 2
#define DC_VERSION_PATCH 0

#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "devcloth needs C99: without its prototype sqrtf() returns garbage in silence"
#else /* so that nothing else is said */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(DC_API) && defined(DEVCLOTH_STATIC)
#define DC_API static
#elif !defined(DC_API)
#define DC_API extern
#endif

/* ---- Numbers and link names ------------------------------------------------------------------ */

#ifdef DEVCLOTH_SINGLE
typedef float dc_real;
#else
typedef double dc_real;
#endif

typedef int32_t dc_index;
#define DC_NONE ((dc_index)(-1))

typedef struct dc_vec2 { dc_real x, y; } dc_vec2;
typedef struct dc_vec3 { dc_real x, y, z; } dc_vec3;

/* Every public function carries the number type in its link name, so that translation units that
   disagree about DEVCLOTH_SINGLE do not link, and both precisions serve in one program. */
#ifdef DEVCLOTH_SINGLE
#define dc_status_name dc_status_name_single
#define dc_float_check dc_float_check_single
#define dc_sin dc_sin_single
#define dc_cos dc_cos_single
#define dc_acos dc_acos_single
#define dc_atan2 dc_atan2_single
#define dc_mesh_bytes dc_mesh_bytes_single
#define dc_mesh_normals dc_mesh_normals_single
#define dc_mesh_init dc_mesh_init_single
#define dc_grid dc_grid_single
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
#define dc_cg_solve dc_cg_solve_single
#define dc_ccd_vertex_triangle dc_ccd_vertex_triangle_single
#define dc_ccd_edge_edge dc_ccd_edge_edge_single
#define dc_edge_crosses_triangle dc_edge_crosses_triangle_single
#define dc_attachment_defaults dc_attachment_defaults_single
#define dc_ribbon_defaults dc_ribbon_defaults_single
#define dc_ribbon_start dc_ribbon_start_single
#define dc_cloth_defaults dc_cloth_defaults_single
#define dc_world_defaults dc_world_defaults_single
#define dc_world_init dc_world_init_single
#define dc_world_step dc_world_step_single
#define dc_world_settle dc_world_settle_single
#define dc_world_cast_ray dc_world_cast_ray_single
#define dc_world_time dc_world_time_single
#define dc_world_crossings dc_world_crossings_single
#define dc_world_contacts dc_world_contacts_single
#define dc_world_hash dc_world_hash_single
#define dc_world_save_bytes dc_world_save_bytes_single
#define dc_world_save dc_world_save_single
#define dc_world_load dc_world_load_single
#define dc_world_move dc_world_move_single
#define dc_world_compare dc_world_compare_single
#define dc_world_bytes dc_world_bytes_single
#define dc_cloth_mesh dc_cloth_mesh_single
#define dc_cloth_midpoints dc_cloth_midpoints_single
#define dc_world_set_gravity dc_world_set_gravity_single
#define dc_world_set_wind dc_world_set_wind_single
#define dc_world_set_work_max dc_world_set_work_max_single
#define dc_body_positions dc_body_positions_single
#define dc_body_velocities dc_body_velocities_single
#define dc_body_mesh dc_body_mesh_single
#define dc_body_normals dc_body_normals_single
#define dc_body_texture_coordinates dc_body_texture_coordinates_single
#define dc_body_set_active dc_body_set_active_single
#define dc_cloth_set_pin dc_cloth_set_pin_single
#define dc_cloth_release_pin dc_cloth_release_pin_single
#define dc_cloth_grab dc_cloth_grab_single
#define dc_cloth_grab_move dc_cloth_grab_move_single
#define dc_cloth_release dc_cloth_release_single
#define dc_cloth_set_clamp dc_cloth_set_clamp_single
#define dc_cloth_release_clamp dc_cloth_release_clamp_single
#define dc_obstacle_move dc_obstacle_move_single
#define dc_cloth_set_forces dc_cloth_set_forces_single
#define dc_cloth_correct dc_cloth_correct_single
#define dc_ribbon_creases dc_ribbon_creases_single
#define dc_ribbon_angles dc_ribbon_angles_single
#define dc_ribbon_shape dc_ribbon_shape_single
#define dc_ribbon_set_attachment dc_ribbon_set_attachment_single
#define dc_ribbon_release_attachment dc_ribbon_release_attachment_single
#define dc_ribbon_relax dc_ribbon_relax_single
#define dc_ribbon_measure dc_ribbon_measure_single
#define dc_cloth_measure dc_cloth_measure_single
#define dc_obstacle_defaults dc_obstacle_defaults_single
#define dc_collider_defaults dc_collider_defaults_single
#define dc_collider_body_defaults dc_collider_body_defaults_single
#define dc_collider_init dc_collider_init_single
#define dc_collider_set_masses dc_collider_set_masses_single
#define dc_collider_move dc_collider_move_single
#define dc_collider_resolve dc_collider_resolve_single
#define dc_collider_pushes dc_collider_pushes_single
#define dc_collider_crossings dc_collider_crossings_single
#define dc_anchor_defaults dc_anchor_defaults_single
#define dc_drape_defaults dc_drape_defaults_single
#define dc_drape_init dc_drape_init_single
#define dc_drape_iterate dc_drape_iterate_single
#define dc_drape_solve dc_drape_solve_single
#define dc_drape_set_anchor dc_drape_set_anchor_single
#define dc_drape_release_anchor dc_drape_release_anchor_single
#define dc_drape_move_curve dc_drape_move_curve_single
#define dc_drape_move_obstacle dc_drape_move_obstacle_single
#define dc_drape_positions dc_drape_positions_single
#define dc_drape_mesh dc_drape_mesh_single
#define dc_drape_look dc_drape_look_single
#define dc_drape_hash dc_drape_hash_single
#define dc_drape_hand_over dc_drape_hand_over_single
#endif

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Parts that need a part that is left out (see CONFIGURATION) are left out too. */
#ifdef DC_ONLY_SPARSE
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
#if defined(DC_NO_CLOTH) && defined(DC_NO_RIBBONS)
#define DC_NO_WORLD
#endif
#if defined(DC_NO_CLOTH) && defined(DC_NO_DRAPE)
#define DC_NO_BENDING
#endif
#if defined(DC_NO_CLOTH) && defined(DC_NO_COLLISIONS)
#define DC_NO_MESH
#endif
#if defined(DC_NO_CLOTH) && defined(DC_NO_DIRECT) && defined(DC_NO_CG) && !defined(DC_ONLY_SPARSE)
#define DC_NO_SPARSE
#endif

/* ---- Status and error record (chapter 2) ----------------------------------------------------- */

typedef enum dc_status {
    DC_OK = 0,
    DC_BAD_ARGUMENT,  /* a value is out of its range */
    DC_BAD_MESH,      /* the mesh is not a surface that can be simulated */
    DC_TOO_SMALL,     /* a memory block [bytes] or a capacity: error.needed, error.given */
    DC_TOO_LARGE,     /* a count or a size does not fit its integer type */
    DC_SINGULAR,      /* a matrix is not positive definite: error.index is the row */
    DC_NOT_CONVERGED, /* an iteration reached its limit: error.value is the remaining error */
    DC_NOT_FINITE,    /* an input or a result is infinite or not a number */
    DC_CROSSING,      /* surfaces cross or touch: error.pair */
    DC_WORK_SPENT     /* a step reached dc_world_desc.work_max */
} dc_status;

/* A vertex, an edge or a triangle of a body. Bodies are numbered: the cloths from 0 on, then the
   ribbons, then the obstacles. Vertices are those of dc_body_positions(); DC_NONE: unused. */
typedef struct dc_feature { dc_index body, vertex[3]; } dc_feature;
typedef struct dc_feature_pair { dc_feature first, second; } dc_feature_pair;

/* A failure and its place. All text is static. */
typedef struct dc_error {
    dc_status status;
    const char *where;    /* the public function that failed */
    const char *what;     /* one sentence ... */
    const char *field;    /* ... the field in it, of a description or a state, or "" ... */
    dc_index index, body; /* ... the element, and the body it belongs to; or DC_NONE */
    dc_real value;        /* the offending or remaining value, or 0 */
    size_t needed, given; /* with DC_TOO_SMALL, [bytes] or a number */
    dc_feature_pair pair; /* features that touch or cross, if the sentence is about them */
} dc_error;

/* The name of a status, such as "DC_BAD_MESH", or "unknown status". */
DC_API const char *dc_status_name(dc_status status);

#ifndef DC_ONLY_SPARSE
/* ---- Meshes (chapter 7) ---------------------------------------------------------------------- */

/* A triangle mesh; begin with {0}. Its edges have their lengths at rest in each triangle from the
   first of these that is given: rest_lengths; flat_corners, of garments, where vertices on seams
   have several flat positions; flat_vertices; positions. */
typedef struct dc_mesh_desc {
    dc_index vertex_count, triangle_count;
    const dc_vec3 *positions;     /* (vertex_count) [m] */
    const dc_index *triangles;    /* (triangle_count, 3) */
    const dc_vec2 *flat_vertices; /* (vertex_count) [m], or NULL */
    const dc_vec2 *flat_corners;  /* (triangle_count, 3) [m], or NULL */
    const dc_real *rest_lengths;  /* (triangle_count, 3) [m], opposite each corner, or NULL */
} dc_mesh_desc;

/* A checked mesh with its adjacency.

         v1            edge e runs from v0 to v1 as in its left triangle
        /|\            corner_of_edge[2 e]     = the corner opposite e in the left triangle
   left  |  right      corner_of_edge[2 e + 1] = the same in the right one, DC_NONE at a border
        \|/            edge_of_corner[3 t + c] = the edge opposite corner c of triangle t
         v0            a fan is the chain of corners around a vertex, counter-clockwise: where two
                       sheets touch at a vertex, it has two fans, an isolated one none */
typedef struct dc_mesh {
    dc_index vertex_count, triangle_count, edge_count, fan_count, boundary_edge_count;
    dc_index *triangles, *edge_of_corner;     /* (triangle_count, 3) vertices; opposite edges */
    dc_index *edge_vertices, *corner_of_edge; /* (edge_count, 2) */
    dc_index *fan_start, *fan_corner; /* (fan_count + 1) into the second, (3 triangle_count) */
    dc_real *rest_length;             /* (triangle_count, 3) [m] of the edge opposite each corner */
    dc_real *rest_area;               /* (triangle_count) [m^2] */
} dc_mesh;

#ifndef DC_NO_MESH
/* Bytes that dc_mesh_init() needs for these counts; 0 if one is not between 1 and 50 million. */
DC_API size_t dc_mesh_bytes(dc_index vertex_count, dc_index triangle_count);

/* Checks a mesh and builds its adjacency and rest shape in `memory` (bytes), where all arrays of
   `mesh` are. examples/common/mesh_report.h finds needles, seams of two lengths and the like.
   DC_BAD_ARGUMENT: a count that is not positive, a missing array. DC_TOO_SMALL: block.
   DC_TOO_LARGE: more than 50 million. DC_NOT_FINITE: error.index is the vertex or corner.
   DC_BAD_MESH: error.index is the triangle: vertex index out of range; the same vertex twice; an
   edge without length; no area, or lengths that make no triangle; an area that overflows; the third
   triangle at an edge; a neighbour of the opposite orientation; the same triangle again. */
DC_API dc_status dc_mesh_init(const dc_mesh_desc *desc, void *memory, size_t bytes, dc_mesh *mesh,
                              dc_error *error);

/* Writes unit normals (vertex_count) of the surface at these positions (vertex_count) [m]: means of
   the triangles around, weighted by area; 0 where they have none. */
DC_API void dc_mesh_normals(const dc_mesh *mesh, const dc_vec3 *positions, dc_vec3 *normals);
#endif

/* ---- Grids (chapter 8) ----------------------------------------------------------------------- */

/* How cells are cut: all like / or all like \ or alternating from column to column. */
typedef enum { DC_DIAGONALS_FORWARD, DC_DIAGONALS_BACKWARD, DC_DIAGONALS_HERRINGBONE } dc_diagonals;

/* Compile-time counts of a grid of `columns` x `rows` cells, for static arrays. */
#define DC_GRID_VERTICES(columns, rows) (((columns) + 1) * ((rows) + 1))
#define DC_GRID_TRIANGLES(columns, rows) (2 * (columns) * (rows))
#define DC_GRID_EDGES(columns, rows) (3 * (columns) * (rows) + (columns) + (rows))

/* Compile-time bound [bytes] of the block of a world of one such grid: the default element, pins at
   a third of the vertices or fewer, no clamps, rest_positions or collisions. From 16 cells on, with
   few pins, dc_info.bytes is at most a fifth lower. */
#define DC_GRID_BYTES(columns, rows, pins)                                                         \
    ((size_t)DC_GRID_VERTICES(columns, rows) * DC_GRID_LEVELS(columns, rows) * 120 +               \
     (size_t)DC_GRID_EDGES(columns, rows) * (127 * sizeof(dc_real) + 412) +                        \
     (size_t)(pins) * (286 * sizeof(dc_real) +                                                     \
                       (size_t)DC_GRID_LEVELS(columns, rows) * (77 * sizeof(dc_real) + 655)) +     \
     498 * sizeof(dc_real) + 900)

/* Bytes to add for a positive grab_capacity; at most a tenth too many. */
#define DC_GRABS_BYTES(capacity) ((size_t)(capacity) * (72 * sizeof(dc_real) + 104) + 400)

/* Twice the binary logarithm of the shorter side: a factor of n rows takes n log n numbers. */
#define DC_GRID_LEVELS(columns, rows)                                                              \
    DC_GRID_LEVELS_OF(((columns) < (rows) ? (columns) : (rows)) + 1)
#define DC_GRID_LEVELS_OF(n)                                                                       \
    (((n) > 1) + ((n) > 2) + ((n) > 3) + ((n) > 5) + ((n) > 7) + ((n) > 10) + ((n) > 15) +         \
     ((n) > 22) + ((n) > 31) + ((n) > 44) + ((n) > 63) + ((n) > 90) + ((n) > 127) + ((n) > 180) +  \
     ((n) > 255) + ((n) > 361) + ((n) > 511) + ((n) > 723) + ((n) > 1023) + ((n) > 1448) +         \
     ((n) > 2047) + ((n) > 2896) + ((n) > 4095))

#ifndef DC_NO_MESH
/* Makes a grid of cells, width x height [m], in these arrays. It stands in the xy plane, a corner
   at the origin; vertex j (columns + 1) + i is the i-th to the right in the j-th row from below.
   Disks, tubes and balls: examples/common/shapes.h. */
DC_API dc_mesh_desc dc_grid(dc_index columns, dc_index rows, dc_real width, dc_real height,
                            dc_diagonals diagonals, dc_vec3 *positions, dc_index *triangles);
#endif

/* ---- Cloth (chapters 15 to 42) --------------------------------------------------------------- */

/* BDF2 is of second order; backward Euler of first, and damps motion. Ribbons that touch something,
   what touches them or is attached to them, and all that settles use backward Euler meanwhile. */
typedef enum { DC_INTEGRATOR_BDF2, DC_INTEGRATOR_BACKWARD_EULER } dc_integrator;

/* Cholesky is fast, and not there with DC_NO_DIRECT; CG stores no factor. */
typedef enum { DC_LINEAR_CHOLESKY, DC_LINEAR_CG } dc_linear_solver;

/* How equations are solved, for experts. A description uses the fields that name its kind.

   residual_tol is the rms of the unbalanced acceleration. Of a cloth it is, if larger, .3% of the
   initial one after an impact, or of that which jerked pins impose; it grows fourfold every four
   iterations. Of a ribbon it is by mass, from the energy that a Newton step would release; the last
   iteration may exceed it 100 times, or have a twentieth of the kinetic term. */
typedef struct dc_solver_desc {
    dc_linear_solver linear_solver; /* of a cloth, a drape */
    dc_real residual_tol;   /* [m/s^2] see above; of a cloth (.5), of a ribbon (.1) */
    dc_real cg_tol;         /* of conjugate gradients in a cloth's Newton iteration (.01) */
    dc_index iteration_max; /* of a cloth's sub-step (30), a ribbon's round (100), a drape (200) */
    dc_index round_max;     /* rounds of a ribbon's augmented Lagrangian (20), of contacts (3) */
    dc_index halvings_max;  /* 2^halvings_max sub-steps of a cloth, or parts of a step (6; <= 10) */
    dc_index stall_count;   /* iterations of a drape without decrease of F (52.1) before rest (3) */
} dc_solver_desc;

#ifndef DC_NO_BENDING
/* How a cloth is stepped. Exact steps keep lengths to `tolerance`, come to rest in piles, and take
   stiff sheets. Small steps (chapter 19) are for soft cloth in games, pages and on small boards, and
   several times as fast: sub-steps of sub_step [s] or less that solve nothing. Lengths are off by a
   thousandth or so, which dc_report.strain_rms tells, less with shorter sub-steps. What they cannot
   do is refused: the isometric element, start_lengths, grabs, stiff sheets; and where bodies
   collide, exact steps and ribbons beside them. A cloth at rest may still move by a millimetre.
   `integrator`, `tolerance` and `solver` do not count. Give dc_world_step() whole frames: it finds
   contacts once in a frame, or up to four times if the cloth is fast. */
typedef enum dc_step { DC_STEP_EXACT, DC_STEP_SMALL } dc_step;

typedef enum dc_element {
    DC_ELEMENT_NONCONFORMING, /* unknowns at edge midpoints, rigid triangles [EB08] */
    DC_ELEMENT_ISOMETRIC /* vertices are particles too: each triangle is cut in four, [Wan12] */
} dc_element;

/* A border edge, by its ends in either order, that is held as in a vice: its midpoint is fixed, and
   bending restores the directions along and across it. Contact can displace its ends. In an
   obstacle, its midpoint enters that, and only contact_error and velocities show it. */
typedef struct dc_clamp_desc { dc_index vertex0, vertex1; } dc_clamp_desc;

/* rest_positions is the shape of least bending energy: a fold ironed in, a tube, a sphere. Only its
   curvature counts; lengths come from the mesh, which it should fit. After [Wan12] (3.8),

       E = k/2 int |Hess x - T Hess x_rest|^2 dA,

   where T rotates the curvature at rest to the cloth in the position that a step predicts (17.3).
   It is straight beyond a clamped edge, and flat for a step at a vertex where the normals of folded
   triangles cancel. Memory: a vector for each node and four for each vertex. */
typedef struct dc_cloth_desc {
    dc_mesh_desc mesh;
    const dc_vec3 *start_positions; /* (vertex_count) [m]; NULL: mesh.positions */
    const dc_vec3 *start_velocities; /* (vertex_count) [m/s]; NULL: at rest */
    dc_real start_lengths;   /* [s] in which squared lengths change by (42.1) to those of the mesh,
                                which must fit at pins and obstacles. 0: the start is moved to the
                                nearest shape with these lengths, or fails */
    const dc_vec3 *rest_positions; /* (vertex_count) [m], see above; NULL: flat */

    dc_step step;
    dc_real sub_step;        /* [s] of small steps, at most; 0: 1/1200, or 1/1800 where bodies
                                collide; less if bending needs it: see dc_info.sub_step */
    dc_element element;
    dc_real density;         /* [kg/m^2] mass per area */
    dc_real bending;         /* k [N m], of E = k/2 int kappa^2 dA */
    dc_real bending_damping; /* tau [s]: the force -tau B v, as well as -B x */
    dc_real jump_gamma, jump_beta; /* the jump term (16.4) has the weight jump_gamma k + jump_beta
                                density jump_acceleration sqrt(area) h^2, h the mean edge length.
                                More: drawn edges strain less, fine folds are stiffer */
    dc_real jump_acceleration; /* [m/s^2] of loads that must not strain drawn edges: gravity */
    dc_real jump_damping;    /* tau [s] of the jump term alone */
    dc_real thickness;       /* [m] between two layers; half of it to an obstacle, between bodies
                                their mean. Less for a while after impacts, and at low triangles */
    dc_real friction;        /* Coulomb's coefficient; a pair has the mean of its two bodies */
    int self_contact;        /* whether it collides with itself */
    uint32_t category, ignores; /* bits of what it is, such as 1 for garments and 2 for flags; and
                                of bodies it passes through, unlike rays and attachments */
    dc_index grab_capacity;  /* vertices that dc_cloth_grab() can hold at one time */
    dc_real grab_force_max;  /* [N] on each of them */
    dc_real drag_normal, drag_tangential; /* air drag [kg/(m^2 s)], force per area and velocity,
                                across and along the surface; 0 and 0: wind has no effect */

    const dc_index *pin_vertices; /* (pin_count) vertices that can be held; at first all are */
    const dc_clamp_desc *clamps;  /* (clamp_count) border edges, likewise */
    dc_index pin_count, clamp_count;
    dc_integrator integrator;
    dc_real tolerance; /* of squared lengths, relative: about twice the strain */
    dc_solver_desc solver;
} dc_cloth_desc;
#endif /* DC_NO_BENDING */

#ifndef DC_NO_CLOTH
/* Cotton of .15 kg/m^2, k = 1e-5 N m, thickness 2 mm, friction .3, self-contact; lengths to 1e-4;
   grabs pull by 200 N at most; no drag, of which cloth needs .1 to 1 to come to rest. */
DC_API dc_cloth_desc dc_cloth_defaults(void);
#endif

#ifndef DC_NO_RIBBONS
/* ---- Ribbons (chapters 44 to 47) ------------------------------------------------------------- */

/* A ribbon is a long rectangle of paper, divided by creases into flat segments. Its coordinates are
   the slopes of the creases and their fold angles, [PHB15]: it cannot stretch at all.

        y_0       y_1      y_2           y_n      x to the right from 0 to length, y upwards from
         +---------+-------+-------- -----+       -width/2 to width/2: the flat pattern
         |    0     \   1 /     2         |       crease j goes through (j length / n, 0); c_j is
         +-----------+---+---------- -----+       the tangent of its angle from straight across,
        x_0         x_1 x_2              x_n      x_j below and y_j above are its ends

   A positive angle psi_j turns segment j towards the normal, about (-c_j, -1, 0) by the right-hand
   rule. Creases do not cross: |c_j - c_(j-1)| <= 0.95 * 2 length / (width n), and c_0 = c_n = 0. */

/* How the two ends are joined. A point common to both ends is one vertex. */
typedef enum dc_ribbon_ends {
    DC_RIBBON_OPEN,
    DC_RIBBON_LOOP,   /* x_n is x_0 and y_n is y_0, in one plane */
    DC_RIBBON_MOEBIUS /* x_n is y_0 and y_n is x_0, in one plane, normals opposite */
} dc_ribbon_ends;

typedef enum dc_attachment_kind {
    DC_ATTACH_POINT, /* holds a point of the material, even if creases move across it */
    DC_ATTACH_NORMAL /* holds the direction of the normal at a point of the centre line: torsion */
} dc_attachment_kind;

/* A point can follow a vertex of a body instead of its target: of a cloth (of the caller's mesh),
   an obstacle, or a ribbon of lower number. The two begin at one place. What contains the vertex
   (all of a plane) and the triangle around the point do not collide, even after a release. If the
   world collides, the force acts on both bodies, and the distance of a hard attachment decays at
   30/s; else it acts on the ribbon alone. */
typedef struct dc_attachment_desc {
    dc_attachment_kind kind;
    dc_vec2 place;     /* [m] on the flat pattern, see above; of normals only x counts */
    dc_vec3 target;    /* [m] a position; or a direction, of any length */
    int is_soft;       /* a spring; otherwise a constraint, held to the ribbon's tolerance */
    dc_real stiffness; /* of springs: K of K/2 |x - target|^2 [N/m], K/2 |n - target|^2 [N m] */
    dc_index body, vertex; /* what the point follows (see dc_feature); body DC_NONE: nothing */
} dc_attachment_desc;

/* A point at place (0, 0), held by a constraint at the target (0, 0, 0); no body. */
DC_API dc_attachment_desc dc_attachment_defaults(void);

typedef struct dc_ribbon_desc {
    dc_index segment_count;       /* n, at least 2; loops 5 */
    dc_real length, width;        /* [m] */
    dc_ribbon_ends ends;
    int is_fixed;                 /* the first segment stays where it is, clamped at its middle */
    dc_vec3 origin;               /* [m] the middle of the first end at the start */
    dc_vec3 along, normal;        /* directions of the first segment, of any length */
    const dc_real *start_creases; /* (n - 1) c_1 to c_(n-1); NULL: 0, straight across */
    const dc_real *start_angles;  /* (n - 1) psi_1 to psi_(n-1) [rad], |psi| <= .95 pi; NULL: 0 */
    const dc_vec3 *start_velocities; /* (2 n + 2) [m/s], x_j in 2 j, y_j in 2 j + 1; NULL: rest */

    dc_real density; /* [kg/m^2] mass per area */
    dc_real bending; /* k [N m] as of cloth, not 0. Between creases rulings turn evenly, [Wun62] */
    dc_real ruling;  /* beta of beta k sum c_j^2, not 0: straightens creases of flat parts */
    dc_real drag;    /* air drag [kg/(m^2 s)]: force per area and relative velocity */
    dc_real thickness, friction; /* as those of cloth; likewise: */
    int self_contact;
    uint32_t category, ignores;

    const dc_attachment_desc *attachments; /* (attachment_count) all are held at first */
    dc_index attachment_count;
    dc_integrator integrator;
    dc_real tolerance; /* [m] of joined ends and hard attachments; of a normal, times half the
                          width. In motion twenty times that where they pull at a body */
    dc_solver_desc solver;
} dc_ribbon_desc;

/* One metre by .05 m in 50 segments, open, free, along x with its normal up; paper of .1 kg/m^2 and
   k = 1e-4 N m; ruling 1e-4; thickness 2 mm, friction .3, self-contact; tolerance 1e-6 m (floats:
   1e-5). The start is bent to the nearest shape that joins the ends and satisfies hard targets. */
DC_API dc_ribbon_desc dc_ribbon_defaults(void);

/* Makes creases and angles [rad], each (segment_count - 1), of a start shape: a helix that bends by
   `turn` [rad] along its length, with c_j = `lean`, or near the ends as much of it as the limit
   allows. One turn (2 pi) with a lean of 0 closes to a loop, with .5 to a Moebius band.
   DC_NOT_FINITE: turn or lean. DC_BAD_ARGUMENT: the description; or fold error.index > .95 pi. */
DC_API dc_status dc_ribbon_start(const dc_ribbon_desc *ribbon, dc_real turn, dc_real lean,
                                 dc_real *creases, dc_real *angles, dc_error *error);

/* Compile-time bound [bytes] of the block of a world of one ribbon that does not collide. */
#define DC_RIBBON_BYTES(segments, attachments)                                                     \
    ((size_t)((segments) + 1) * (147 * sizeof(dc_real) + 12) +                                     \
     (size_t)(attachments) * (24 * sizeof(dc_real) + 32) + 150 * sizeof(dc_real) + 1720)
#endif /* DC_NO_RIBBONS */

#ifndef DC_NO_COLLISIONS
/* ---- Obstacles ------------------------------------------------------------------------------- */

typedef enum dc_obstacle_kind {
    DC_OBSTACLE_MESH,    /* triangles with two sides */
    DC_OBSTACLE_SPHERE,  /* point[0] and radius */
    DC_OBSTACLE_CAPSULE, /* point[0] to point[1] and radius */
    DC_OBSTACLE_PLANE    /* all space behind point[0]; point[1] - point[0] points away from it */
} dc_obstacle_kind;

typedef struct dc_obstacle_desc {
    dc_obstacle_kind kind;
    dc_mesh_desc mesh;          /* of DC_OBSTACLE_MESH, its positions at the start */
    dc_vec3 point[2];           /* [m] */
    dc_real radius;             /* [m] */
    dc_real friction;           /* as that of cloths */
    uint32_t category, ignores; /* as those of cloths. The sheet of a drape has neither */
} dc_obstacle_desc;

/* Without a shape; friction .3, collides with all. */
DC_API dc_obstacle_desc dc_obstacle_defaults(void);
#endif /* DC_NO_COLLISIONS */

/* What to do about surfaces that cross or touch before a step, which is then not certified. Their
   number does not grow, unless pins, clamps or obstacles force it to. */
typedef enum dc_start {
    DC_START_REFUSE,   /* dc_world_init(), or the step, fails with DC_CROSSING */
    DC_START_TOLERATE, /* they are left as they are; once apart, they stay apart */
    DC_START_SEPARATE  /* they leave each other, at two edges a second, except where the wrong side
                          is open, as at some borders. Held parts must not cross */
} dc_start;

/* ---- World: description, init, step (chapter 49) --------------------------------------------- */

/* Calls task(task_context, i) for each i from 0 to count - 1, in any order, on any threads. It
   returns when all are done and their writes are visible to its caller. It is called on the thread
   that called the library, never from within a task. */
typedef void (*dc_task)(void *task_context, dc_index i);
typedef void (*dc_parallel_for)(void *context, dc_index count, dc_task task, void *task_context);

typedef struct dc_report dc_report; /* see Reports and infos below */
typedef struct dc_info dc_info;
typedef struct dc_world dc_world;

#ifndef DC_NO_WORLD
typedef enum dc_quality {
    DC_EXACT,    /* tolerances as described */
    DC_REAL_TIME /* pictures that have to be ready: residual_tol of all bodies is at least a fifth
                    of gravity; forces of contacts are a tenth as exact; takes_unconverged is set,
                    and work_max 0 means dc_info.work_least. Nothing crosses, as in any step */
} dc_quality;

/* Contact of cloths and ribbons is solved inside the step, as in [Wan12] but with Coulomb friction:
   lengths hold, and stiff sheets do not tremble. Collision stages follow, and prove that nothing
   crosses. It takes 2.5 kB for each vertex, 5 if several bodies move, three times that with the
   isometric element. Bodies that touch are solved together: cloths must have the same integrator,
   and of their solvers the largest limits and the smallest cg_tol apply.

   work_max bounds the work of a step, counted in multiplications (.25 to 1 ns on a desktop), so
   that results do not depend on the machine. dc_report.work tells what steps need,
   dc_info.work_least the least bound, for a few iterations. An impact needs many times as much,
   DC_LINEAR_CG always 20 to 70 times. What was begun may exceed the bound, but never to twice as
   much. Groups of bodies that touch divide what is left by their size, and use what others left.

   takes_unconverged: instead of failing, a step goes on with bodies as far as they have converged,
   and resolves their collisions. It is certified, and the report has its errors. These vanish in a
   few steps that need less than work_max; close to dc_info.work_least they may stay. If a squared
   length would be off by a tenth, or collisions take 1.5 work_max, only the parts of the step done
   so far count: report.time has passed, and report.part_left of all ways to targets is left to the
   next steps, at twice their speed at most. If no part was possible, report.time is 0 and all
   bodies stop. A second such step in a row fails; dc_world_settle() fails at once. */
typedef struct dc_world_desc {
    dc_vec3 gravity; /* [m/s^2] */
    dc_vec3 wind;    /* [m/s] it acts by drag alone: see dc_info.calm_body */
    const struct dc_cloth_desc *cloths;       /* (cloth_count) */
    const struct dc_ribbon_desc *ribbons;     /* (ribbon_count) */
    const struct dc_obstacle_desc *obstacles; /* (obstacle_count) */
    dc_index cloth_count, ribbon_count, obstacle_count; /* of parts that are left out 0 */
    dc_quality quality;
    uint64_t work_max;      /* see above; 0: no bound */
    int takes_unconverged;  /* see above */
    int collides;           /* whether bodies collide at all; obstacles need it */
    dc_start start;
    dc_index pair_capacity; /* pairs at a time; DC_NONE: 32 a vertex of cloth, 128 of a ribbon */
    dc_index row_capacity;  /* contacts to solve inside the step, .5 kB each; others are left to the
                               stages. DC_NONE: 4 a vertex if one cloth moves, 8 of a ribbon or if
                               more bodies do. dc_counters.rows_needed: a sheet on a ball needs 1,
                               one folded in two 5, without friction 9, a pile 8 */
    dc_solver_desc solver;  /* round_max, halvings_max */
    dc_parallel_for parallel_for; /* for groups of bodies that touch; NULL: in order, same bits */
    void *parallel_context;       /* must stay valid as long as the world */
} dc_world_desc;

/* Gravity 9.81 m/s^2 along -y, no wind; no bodies; nothing collides; crossings are refused. */
DC_API dc_world_desc dc_world_defaults(void);

/* Checks the description, builds the world in the block `memory` (bytes), and starts it. `info` may
   be NULL. The start positions are moved onto the constraints. A compressed start folds up, which
   its strain shows; for a slack one, give start_positions with the pins closer together.
   DC_BAD_ARGUMENT: error.field or .what names the field, error.body the body, error.index the
   element; with start_lengths, an edge of triangle error.index has no length at the start; small
   steps cannot do what error.field asks for, or bending needs a sub_step of error.value;
   pair_capacity is less than the pairs of the start, which are error.value. DC_TOO_LARGE: counts.
   DC_BAD_MESH, DC_NOT_FINITE: as dc_mesh_init(); or the start is infinite. DC_TOO_SMALL: block.
   DC_NOT_CONVERGED: the start positions are too far from the rest shape, most in triangle
   error.index, by error.value; or a ribbon cannot be closed or held.
   DC_CROSSING: error.value crossings, the first one error.pair. */
DC_API dc_status dc_world_init(const dc_world_desc *desc, void *memory, size_t bytes,
                               dc_world **world, dc_info *info, dc_error *error);

/* Advances all bodies by dt [s]. After an error the world is as before, but targets remain as set:
   set others before the next step. `report` may be NULL; after an error its counts are of all
   attempts, and its errors those of the last one. DC_BAD_ARGUMENT: dt is not positive and finite,
   or has more than 1000 sub-steps of error.body, and error.value is the longest.
   DC_NOT_CONVERGED: even the shortest sub-step of error.body failed, and error.what says what
   error.value is. Of a cloth, error.index is the triangle with the largest length error, or a held
   point (pins first, then clamps) and error.value its distance from the target in half mean edge
   lengths. Of a ribbon, error.index is an attachment or DC_NONE. With collisions also: error.value
   pairs of features could not be separated, such as error.pair, because closing bodies pinch a
   cloth or a pin is moved through a surface; or contacts keep a clamp from its target, as above.
   DC_TOO_SMALL: more pairs than error.given at one time; error.needed were counted so far.
   DC_CROSSING: after dc_cloth_correct() or dc_world_move() surfaces cross.
   DC_WORK_SPENT: error.value is the work, which reached work_max; a smaller dt, a larger bound, or
   takes_unconverged may help. With that: no part of two steps was possible, and error.index of
   error.body is the held point, attachment or obstacle with the longest way, if any has one.
   DC_NOT_FINITE: forces or targets are too large, or velocities. */
DC_API dc_status dc_world_step(dc_world *world, dc_real dt, dc_report *report, dc_error *error);

/* Takes steps of dt [s] until the forces balance, (49.1). Velocities become 0 at the start and
   whenever the bodies begin to slow down, so that they neither swing nor need damping. It ends when
   the unbalanced acceleration (rms by mass) is at most `tolerance` times that by gravity and the
   caller's forces, or without these its value at the start: about the relative error of the
   deformation. Try steps of 2 to 20 ms and 1e-3; with floats stiff fine meshes may not come that
   close to rest. residual_tol is lowered meanwhile, and contacts closer than the thickness keep
   their distance. *steps, if not NULL, becomes the number of steps.
   DC_BAD_ARGUMENT: dt, tolerance, step_max. DC_NOT_CONVERGED: not at rest after step_max steps; a
   part error.value of the load is unbalanced. Others as dc_world_step(); good steps are kept. */
DC_API dc_status dc_world_settle(dc_world *world, dc_real dt, dc_real tolerance, dc_index step_max,
                                 dc_index *steps, dc_error *error);
#endif /* DC_NO_WORLD */

/* ---- Reports and infos ----------------------------------------------------------------------- */

/* What one step took: mostly sums over all bodies and parts of the step, with failed attempts. */
typedef struct dc_counters {
    dc_index newton_iterations, cg_iterations, factorizations; /* of cloths */
    dc_index ribbon_iterations, ribbon_evaluations; /* of ribbons; of energies and gradients */
    dc_index ribbon_rounds;   /* of the augmented Lagrangian, the most that a ribbon took */
    dc_index released;        /* sub-steps done again without contacts: lengths may be off */
    dc_index world_substeps;  /* parts of the step that were taken */
    dc_index rounds;          /* with contacts, the most solutions of one part of the step */
    dc_index contact_rows, rows_needed; /* of contacts, attachments to free bodies and grabs: solved
                                 in the last part; those needed, also beyond row_capacity */
    dc_index pairs;           /* of features close to each other, the most at one time */
    dc_index repulsions, impulses, merges, zones; /* pushed apart, stopped, in zones; zones */
    dc_index global_contacts, global_rounds; /* DC_IMPACTS_GLOBAL: contacts stopped, rounds */
    dc_index vertex_contacts, edge_contacts, obstacle_contacts; /* resolved after the last part */
} dc_counters;

/* What one step did and found. Fields of collisions are 0 if the world does not collide. */
struct dc_report {
    uint64_t work;      /* counted as dc_world_desc.work_max is */
    int is_unconverged; /* a body was accepted, or stopped, before it converged */
    int is_certified;   /* proved: nothing crosses, and nothing crossed in this step */
    dc_real time;       /* [s] that was simulated: dt, or with takes_unconverged less */
    dc_real part_left;  /* 0 to 1: the part that is left of the ways to targets */
    dc_index substeps;  /* into which a body divided a part of the step, at most: 1 unless one
                           failed, or it is the first; counters.world_substeps are the parts */

    dc_real constraint_error; /* largest relative error of a squared length before collisions ... */
    dc_real contact_error;    /* ... and after them, until the next step corrects it */
    dc_index worst_body, worst_triangle; /* of constraint_error */
    dc_real strain_max, strain_rms; /* relative, of the sides of triangles, with small steps: the
                                       largest, and the largest mean of a cloth (root mean square) */
    dc_real length_left;  /* with start_lengths: largest relative change of a squared length left */
    dc_real ribbon_error; /* [m] largest of joined ends and hard attachments, before collisions */
    dc_index worst_ribbon_body; /* of ribbon_error */

    dc_real smallest_distance; /* [m] that stages kept; negative in obstacles; 0: none */
    dc_real pinched;     /* [m] the most thickness that is missing between two obstacles, at ... */
    dc_index pinched_body, pinched_vertex; /* ... this vertex; or DC_NONE */
    dc_index crossings;  /* edges in triangles, features in obstacles, at the start */
    dc_index unresolved; /* pairs that no stage could separate: the step failed */
    dc_feature_pair first_unresolved;

    dc_counters counters;
};

enum { DC_INFO_SECTIONS = 16, DC_WIDE_CLOTH = 20 /* [m] */ };

/* What is known of an object as soon as it is built, also if its start then fails. The fields after
   `section` are of a world; a body is DC_NONE, and a length 0, if there is no such cloth. */
struct dc_info {
    size_t bytes;           /* of the block that are needed, for the object and to build it */
    uint64_t work_least;    /* of a world: the least bound that work_max may be */
    struct { const char *name; size_t bytes; } section[DC_INFO_SECTIONS]; /* bytes by use */
    dc_index section_count;
    dc_index taut_body, taut_pin[2]; /* two of its pins are as far apart as the cloth allows */
    dc_index thin_body;     /* the first cloth with triangles too low for its thickness ... */
    dc_real self_thickness; /* ... [m] and the least distance that its layers keep */
    dc_index calm_body;     /* the first cloth without drag, if there is wind */
    dc_index wide_body;     /* the first cloth wider than DC_WIDE_CLOTH: see UNITS above ... */
    dc_real wide_width;     /* ... [m] and the longest side of the box around that mesh */
    dc_real sub_step;       /* [s] of small steps, the shortest of all cloths; 0: there are none */
};

#ifndef DC_NO_WORLD
/* ---- World: watching and driving ------------------------------------------------------------- */

/* Sets gravity [m/s^2] or wind [m/s]. What is set takes effect in the next step, which moves what
   is held to its targets in straight lines. DC_NOT_FINITE: gravity, or wind. */
DC_API dc_status dc_world_set_gravity(dc_world *world, dc_vec3 gravity, dc_error *error);
DC_API dc_status dc_world_set_wind(dc_world *world, dc_vec3 wind, dc_error *error);

/* Sets dc_world_desc.work_max. DC_BAD_ARGUMENT: it is below dc_info.work_least, error.value. */
DC_API dc_status dc_world_set_work_max(dc_world *world, uint64_t work_max, dc_error *error);

/* The simulated time [s], the sum of report.time; the bytes of its block that the world needs. */
DC_API dc_real dc_world_time(const dc_world *world);
DC_API size_t dc_world_bytes(const dc_world *world);

/* Positions [m] and velocities [m/s] of a body's vertices, and its mesh, valid until the next step.

   Cloth: the surface, which is drawn and collides. It is the caller's mesh; with the isometric
   element each triangle is cut in four: V vertices, then the midpoint of edge e of dc_cloth_mesh()
   in place V + e; triangles 4 t to 4 t + 2 at the corners of triangle t, and 4 t + 3 in its middle.
   Each vertex is the mean of the corners of the simulated triangles around it: so edges do strain,
   by 1% rms in calm motion, 2% to 8% in lively scenes with collisions, 10% to 40% at single sharp
   folds. After collisions velocities are displacements in the last sub-step over its length.

   Ribbon: the ends of the creases, x_j in 2 j and y_j in 2 j + 1, (2 n + 2) for n segments. The
   mesh has counts and triangles alone, two a segment. With joined ends its vertex_count is 2 n, as
   crease n is crease 0, in a Moebius band reversed. Collisions bend segments until the next step.

   Obstacle: the positions of dc_obstacle_move(); no velocities: NULL; a mesh of counts alone. */
DC_API const dc_vec3 *dc_body_positions(const dc_world *world, dc_index body);
DC_API const dc_vec3 *dc_body_velocities(const dc_world *world, dc_index body);
DC_API const dc_mesh *dc_body_mesh(const dc_world *world, dc_index body);

#ifndef DC_NO_MESH
/* Writes the normals of a cloth or ribbon at its vertices, as dc_mesh_normals(). */
DC_API void dc_body_normals(const dc_world *world, dc_index body, dc_vec3 *normals);
#endif

/* Writes coordinates [m] on the flat pattern for each corner of the triangles of dc_body_mesh()
   (triangle_count, 3): of a cloth, those of flat_corners or flat_vertices in `mesh`, its
   description; of a ribbon (`mesh` may be NULL), those that change as creases turn.
   DC_BAD_ARGUMENT: `mesh` has no flat shape, or other counts; an obstacle. */
DC_API dc_status dc_body_texture_coordinates(const dc_world *world, dc_index body,
                                             const dc_mesh_desc *mesh, dc_vec2 *coordinates,
                                             dc_error *error);

/* Switches a body off or on again; at first all are on. A body that is off stays where it is, at
   rest, costs next to no time, and meets nothing, no rays either. Ribbons stay attached to it, at
   the distance that the last step left if that is less than their thickness. A ribbon that is off
   lets go. An obstacle that is off is at once where it is moved; a target not reached is dropped.

   Targets that are set while a cloth or ribbon is off move it as it is switched on: at once, at
   rest, in the shape that it had, by the mean displacement of its pins and clamps, or attached
   points. The rest of their way is left to the next step. A body cannot be switched on where it
   crosses another, unless `start` lets it. DC_CROSSING: error.pair. DC_TOO_SMALL: pair_capacity. */
DC_API dc_status dc_body_set_active(dc_world *world, dc_index body, int is_active, dc_error *error);

/* Moves a body, or with DC_NONE the whole world, at once and without motion, to centre + R (x -
   centre) + translation [m], with R the rotation about the direction of `rotation` by its length
   [rad], at most 1000. All that belongs to the body goes along and turns: velocities, what holds it
   and targets, contact forces. So set new targets after it. With is_stopped velocities become 0.
   Gravity, wind and the caller's forces stay. Bodies that are off are moved, too.

   Without rotation, and where sums are exact, cloth of the nonconforming element takes the same
   steps, bit for bit, as one that was made there. Contacts with bodies that stay are forgotten. An
   attachment to one is stretched: before the next step move all that hangs together, body by body.
   That step looks for crossings, as dc_world_init() does. DC_BAD_ARGUMENT: the rotation is too
   large. DC_NOT_FINITE: an argument; or the new place or a target of error.body, or its square. */
DC_API dc_status dc_world_move(dc_world *world, dc_index body, dc_vec3 rotation, dc_vec3 centre,
                               dc_vec3 translation, int is_stopped, dc_error *error);

#ifndef DC_NO_CLOTH
/* ---- Cloth: watching and driving (chapter 43) ------------------------------------------------ */

/* The caller's mesh with its adjacency, and its edge midpoints (edge_count) [m], with which every
   triangle has its rest shape; valid until the next step. */
DC_API const dc_mesh *dc_cloth_mesh(const dc_world *world, dc_index body);
DC_API const dc_vec3 *dc_cloth_midpoints(const dc_world *world, dc_index body);

/* Sets the target [m] of a pin at the end of the next step, and holds it if it was released.
   DC_NOT_FINITE: the target. */
DC_API dc_status dc_cloth_set_pin(dc_world *world, dc_index body, dc_index pin, dc_vec3 target,
                                  dc_error *error);

DC_API dc_status dc_cloth_release_pin(dc_world *world, dc_index body, dc_index pin,
                                      dc_error *error);

#ifndef DC_NO_COLLISIONS
/* Grabs a vertex of the surface: from the next step on, a spring of this compliance [m/N] pulls it
   to a target [m], which moves in that step from the vertex to the given position. The pull is at
   most grab_force_max: if the cloth cannot follow, the spring stretches. Grabbing the vertex again
   replaces target and compliance. 1e-3 m/N is a firm grip; with less than 1e-6 two grips that pull
   the cloth apart may make a step fail; less than 1e-8, or a vertex in no triangle, is
   DC_BAD_ARGUMENT. DC_TOO_SMALL: error.given grabs are taken. DC_NOT_FINITE: target or square. */
DC_API dc_status dc_cloth_grab(dc_world *world, dc_index body, dc_index vertex, dc_vec3 target,
                               dc_real compliance, dc_error *error);

/* Sets the target [m] of a grabbed vertex at the end of the next step.
   DC_BAD_ARGUMENT: the vertex is not grabbed. DC_NOT_FINITE: the target, or its square. */
DC_API dc_status dc_cloth_grab_move(dc_world *world, dc_index body, dc_index vertex,
                                    dc_vec3 target, dc_error *error);

/* Lets a grabbed vertex go; any other is left as it is. */
DC_API dc_status dc_cloth_release(dc_world *world, dc_index body, dc_index vertex,
                                  dc_error *error);
#endif

/* Sets the target of a clamp at the end of the next step, and holds it if it was released: the ends
   of the edge [m], in the order of the description, and the direction across it that points away
   from the cloth: (-1, 0, 0) for a strip from x = 0 to 1 that is held at x = 0. Pin the edge's
   vertices too if they must be in place exactly. DC_NOT_FINITE: a vector. DC_BAD_ARGUMENT: the edge
   has no length, or the direction is 0 or along it. */
DC_API dc_status dc_cloth_set_clamp(dc_world *world, dc_index body, dc_index clamp, dc_vec3 end0,
                                    dc_vec3 end1, dc_vec3 outward, dc_error *error);

DC_API dc_status dc_cloth_release_clamp(dc_world *world, dc_index body, dc_index clamp,
                                        dc_error *error);

/* Sets forces on the vertices of the caller's mesh (vertex_count) [N], which act until others are
   set; NULL: none. DC_NOT_FINITE: error.index is the vertex. */
DC_API dc_status dc_cloth_set_forces(dc_world *world, dc_index body, const dc_vec3 *forces,
                                     dc_error *error);

/* Moves the vertices of the surface by displacements (vertex_count of dc_body_mesh()) [m], for a
   collision handler of the caller's own after a step. Edge midpoints move by the mean of their ends
   and the smallest change that puts the vertices there, (26.2). Velocities change by displacement /
   dt, and are then as after collisions. From the next step on, lengths hold again.
   DC_NOT_FINITE: displacement or velocity of error.index. DC_NOT_CONVERGED: no midpoints fit. */
DC_API dc_status dc_cloth_correct(dc_world *world, dc_index body, const dc_vec3 *displacements,
                                  dc_error *error);

typedef struct dc_measures {
    dc_real constraint_error;                /* largest relative error of a squared length ... */
    dc_index constraint_triangle;            /* ... and the triangle that has it */
    dc_real strain_max, strain_rms;          /* (l - l0) / l0 over the edges of dc_body_mesh() */
    dc_index strain_edge;                    /* the edge with the largest strain */
    dc_real kinetic, gravity, bending, jump; /* energies [J]; gravity's zero is at the origin */
    dc_vec3 momentum, angular_momentum;      /* [kg m/s], [kg m^2/s] about the origin */
    dc_vec3 centre;                          /* [m] of mass */
    dc_real mass;                            /* [kg] */
    dc_real angle_defect_max;                /* [rad] of inner vertices, against the rest shape */
    dc_index angle_defect_vertex;
} dc_measures;

/* Measures the current state. Several threads may measure at the same time. */
DC_API dc_measures dc_cloth_measure(const dc_world *world, dc_index body);
#endif /* DC_NO_CLOTH */

#ifndef DC_NO_RIBBONS
/* ---- Ribbons: watching and driving ----------------------------------------------------------- */

/* Slopes c_0 to c_n and fold angles psi_0 to psi_n [rad] (n + 1), valid until the next step. */
DC_API const dc_real *dc_ribbon_creases(const dc_world *world, dc_index body);
DC_API const dc_real *dc_ribbon_angles(const dc_world *world, dc_index body);

/* Computes the start shape of a description, without a world: x (2 n + 2) [m]; normals (n) or NULL;
   flat (2 n + 2) [m] or NULL, the same points on the flat pattern. Reads the size, the pose, the
   creases and the angles. DC_BAD_ARGUMENT, DC_NOT_FINITE: as dc_world_init(). */
DC_API dc_status dc_ribbon_shape(const dc_ribbon_desc *desc, dc_vec3 *x, dc_vec3 *normals,
                                 dc_vec2 *flat, dc_error *error);

/* Sets the target of an attachment at the end of the next step: a position [m] or a direction. It
   is held if it was released, and no longer follows a body.
   DC_NOT_FINITE: the target. DC_BAD_ARGUMENT: a direction of zero length. */
DC_API dc_status dc_ribbon_set_attachment(dc_world *world, dc_index body, dc_index attachment,
                                          dc_vec3 target, dc_error *error);

DC_API dc_status dc_ribbon_release_attachment(dc_world *world, dc_index body, dc_index attachment,
                                              dc_error *error);

/* Moves a ribbon to the minimum of its potential energy near its current shape, at rest: joined
   ends and attachments hold, gravity and bending balance, other bodies have no effect. `report`, if
   not NULL, has the fields of ribbons. DC_BAD_ARGUMENT: there is gravity, and nothing holds it.
   DC_NOT_CONVERGED, DC_NOT_FINITE, DC_TOO_SMALL: as dc_world_step(). DC_CROSSING: new crossings. */
DC_API dc_status dc_ribbon_relax(dc_world *world, dc_index body, dc_report *report,
                                 dc_error *error);

typedef struct dc_ribbon_measures {
    dc_real kinetic, gravity, bending, ruling, attached; /* energies [J] as of cloth, of springs */
    dc_real area_error;   /* largest relative error of a triangle's area: rounding, collisions */
    dc_real crease_limit; /* largest |c_j - c_(j-1)| over 2 length / (width n); at most .95 */
    dc_real gap;          /* [m] between joined ends, before collisions */
    dc_vec3 momentum, angular_momentum, centre; /* as of cloth; likewise: */
    dc_real mass;
} dc_ribbon_measures;

/* Measures the current state, in work arrays: nothing else may use this world meanwhile. */
DC_API dc_ribbon_measures dc_ribbon_measure(dc_world *world, dc_index body);
#endif /* DC_NO_RIBBONS */

#ifndef DC_NO_COLLISIONS
/* ---- Obstacles: driving ---------------------------------------------------------------------- */

/* Sets the target of an obstacle at the end of the next step, where it then stays: positions [m] of
   all vertices of a mesh, the centre of a sphere, both ends of a capsule, or three points of a
   plane, counter-clockwise seen from its free side. spin [rad/s] turns the surface of a sphere or
   capsule about its centre, for friction only. DC_NOT_FINITE: error.index is the position (DC_NONE:
   spin). DC_BAD_ARGUMENT: a plane's points are in one line, to within 6 degrees. */
DC_API dc_status dc_obstacle_move(dc_world *world, dc_index body, const dc_vec3 *positions,
                                  dc_vec3 spin, dc_error *error);
#endif /* DC_NO_COLLISIONS */

/* ---- Saving and comparing -------------------------------------------------------------------- */

/* A hash of the state, the same for the same bits; gravity, wind, forces, targets do not count. */
DC_API uint64_t dc_world_hash(const dc_world *world);

/* A snapshot is the whole state of a world in a block of bytes without pointers, the same bytes on
   every machine, with all that was set. Loaded into a world of the same description (work_max and
   parallel_for may differ), it continues with the same bits. dc_world_save() writes one into
   `snapshot` (bytes), which needs these bytes now; they vary with contacts. DC_TOO_SMALL: block. */
DC_API size_t dc_world_save_bytes(const dc_world *world);
DC_API dc_status dc_world_save(const dc_world *world, void *snapshot, size_t bytes,
                               dc_error *error);

/* Loads a snapshot from a block (bytes) that may be longer. DC_BAD_ARGUMENT: the block is not a
   snapshot, is damaged (any wrong byte is found), or is of another version or number type; or its
   world has another description: error.field is the first that differs, error.body its body. */
DC_API dc_status dc_world_load(dc_world *world, const void *snapshot, size_t bytes,
                               dc_error *error);

/* Finds the first difference between a world and a snapshot (bytes), such as one of another run.
   DC_BAD_ARGUMENT: error.field differs, in item error.index of error.body; as dc_world_load(). */
DC_API dc_status dc_world_compare(const dc_world *world, const void *snapshot, size_t bytes,
                                  dc_error *error);

/* ---- Rays, contacts, crossings --------------------------------------------------------------- */

typedef struct dc_ray_hit {
    dc_index body;      /* as in dc_feature; DC_NONE: it meets nothing */
    dc_index triangle, vertex[3]; /* of dc_body_mesh(), and its corners; or DC_NONE */
    dc_real weight[3];  /* of the corners in the position; their sum is 1 */
    dc_real distance;   /* [m] from the origin; the largest number if it meets nothing */
    dc_vec3 position;   /* [m] */
} dc_ray_hit;

/* Finds where a ray from an origin [m] in a direction, of ordinary length, first meets a surface,
   from either side. No ray passes between two triangles with a common edge. Planes, spheres and
   capsules have no triangles. All are tested. DC_NOT_FINITE, DC_BAD_ARGUMENT: origin, direction. */
DC_API dc_status dc_world_cast_ray(const dc_world *world, dc_vec3 origin, dc_vec3 direction,
                                   dc_ray_hit *hit, dc_error *error);

#ifndef DC_NO_COLLISIONS
/* Counts the pairs of an edge and a triangle that cross or touch now, and those of a vertex or edge
   and the solid obstacle that it is in; writes the first of them to pairs (capacity). 0 if the
   world does not collide; DC_NONE if its pair_capacity is too small to find all. */
DC_API dc_index dc_world_crossings(dc_world *world, dc_index capacity, dc_feature_pair *pairs);

/* A contact of the last step. Either body may be the first. */
typedef struct dc_contact_force {
    dc_feature_pair pair;
    dc_vec3 position; /* [m] midway between the features where they are nearest now */
    dc_vec3 normal; /* unit, from pair.first to pair.second now, limited by theirs (32.5); or 0 */
    dc_vec3 force;  /* [N] on pair.second in the step, with friction; on pair.first its opposite */
} dc_contact_force;

/* Returns the number of contacts that bore a force at the end of the last step, without those of
   bodies that are off; writes the first of them to forces (capacity). A pair can have two. Forces
   on a body at rest carry its weight. Nothing else may use this world meanwhile. */
DC_API dc_index dc_world_contacts(dc_world *world, dc_index capacity, dc_contact_force *forces);
#endif
#endif /* DC_NO_WORLD */

#ifndef DC_NO_DRAPE
/* ---- Where cloth comes to rest (chapters 50 to 53) ------------------------------------------- */

typedef enum dc_anchor_kind {
    DC_ANCHOR_POINT, /* at the target */
    DC_ANCHOR_LINE,  /* free to slide along the line through the target, along the direction */
    DC_ANCHOR_PLANE  /* free to slide in the plane through the target, across the direction */
} dc_anchor_kind;

/* A vertex, or with DC_NONE a point of a triangle, and where it is to be at rest. */
typedef struct dc_anchor_desc {
    dc_index vertex;
    dc_vec3 target;    /* [m] */
    dc_anchor_kind kind;
    dc_vec3 direction; /* of lines and planes, of ordinary length */
    dc_index triangle;
    dc_real weight[3]; /* of its corners in the point, 0 to 1, in sum 1; one is 0 on an edge */
    dc_real give;      /* [m] 0: hard. Else a spring that gives way by so much to the weight of all
                          pieces, or without gravity to bending stiffness / sqrt(area) */
} dc_anchor_desc;

/* A hard one that holds vertex 0 at the origin; no direction, no triangle. */
DC_API dc_anchor_desc dc_anchor_defaults(void);

/* The point [m] of a curve at a part of its parameter, 0 to 1; a closed one is at 1 as at 0. */
typedef dc_vec3 (*dc_curve_function)(void *context, dc_real part);

/* A run of vertices that is held to a curve in space; begin with {0}. They slide along it as the
   lengths between them ask, but not past its ends. At first they are spread over it by their
   distances at the start. A straight border rests on a bent curve at right angles to its plane. */
typedef struct dc_curve_desc {
    const dc_index *vertices; /* (vertex_count) in their order along the curve, each once */
    const dc_vec3 *points; /* (point_count) [m] of a polyline, two or more; NULL: the function's */
    dc_index vertex_count, point_count;
    int is_closed;         /* whether points and vertices lead from the last back to the first */
    dc_curve_function function; /* called for each point, at equal steps of its part */
    void *context;         /* of the function */
} dc_curve_desc;

/* A sheet, its anchors, and the obstacles on which it lies. Lengths may be in any unit. */
typedef struct dc_drape_desc {
    dc_mesh_desc mesh; /* any number of pieces, with or without holes, open or closed */
    const dc_vec3 *start_positions; /* (vertex_count) [m] free of crossings; NULL: mesh.positions */
    const dc_anchor_desc *anchors; /* (anchor_count) */
    const dc_curve_desc *curves; /* (curve_count) */
    const dc_obstacle_desc *obstacles; /* (obstacle_count) where they are at first */
    dc_index anchor_count, curve_count, obstacle_count;
    dc_vec3 down;      /* the direction of gravity, of any length; 0: there is none */
    dc_real thickness; /* [m] between two layers, half of it to obstacles; 0: .1 of the mean edge */
    dc_real friction;  /* as that of cloth; without it or an anchor a sheet slides off a ball */
    dc_real bending_length; /* [m] (k / weight per area)^(1/3) of a cloth with bending k, about a
                          fold's width. 0: none; < 0: the mean edge. Without gravity: 0 or not */
    int self_contact;
    dc_index pair_capacity; /* as in dc_world_desc */
    int is_at_rest;    /* whether it starts in a shape at rest, in which it stays; without noise */
    dc_real noise;     /* random change of the start, in mean edges: breaks symmetries; 0 to 0.1 */
    uint32_t seed;     /* of the noise */
    dc_real tolerance, curve_tolerance; /* at rest: of lengths |l - l0| / l0 and anchors in mean
                          edges; of distances from curves, in mean edges */
    dc_solver_desc solver; /* linear_solver, iteration_max, stall_count */
} dc_drape_desc;

typedef enum dc_drape_state {
    DC_DRAPE_MOVING,
    DC_DRAPE_AT_REST, /* lengths and anchors hold, F has nearly stopped decreasing; what moves very
                         slowly, like a card that stands upright, may be on its way */
    DC_DRAPE_AT_LIMIT /* iteration_max; or no change decreases F */
} dc_drape_state;
enum { DC_DRAPE_STAGES = 7 };

/* The state of a drape after an iteration. */
typedef struct dc_drape_report {
    dc_drape_state state;
    dc_index iterations, refused; /* since the start or the last change of a target; of them those
                              where line search found nothing lower */
    dc_index stage;        /* of chapter 52: gravity from soft to stiff; at last projection */
    dc_index factorizations, cg_iterations;
    dc_real length_energy; /* E_L = sum (l - l0)^2 [m^2] */
    dc_real anchor_energy; /* E_I = sum distance^2 of hard anchors [m^2] */
    dc_real potential;     /* sum m_i h_i [m], m_i area around vertices over its mean, h_i height */
    dc_real bending;       /* E_H of (16.3) with k = 1: half the integral of squared curvature */
    dc_real area_error;    /* E_A = | area - rest area | / rest area */
    dc_real strain_max;    /* largest |l - l0| / l0, of strain_edge in dc_drape_mesh() */
    dc_real anchor_distance; /* [m] largest of a hard one from its target, line or plane */
    dc_real curve_distance; /* [m] largest of a vertex from its curve */
    dc_index strain_edge, worst_anchor, curve_vertex; /* which have these, or DC_NONE */
    dc_index contacts;     /* pairs closer than the thickness */
    int is_certified;      /* proved: nothing crosses, and nothing crossed on the way here */
} dc_drape_report;
typedef struct dc_drape dc_drape;

/* Down along -y, no friction, bending_length -1, self-contact, noise .01, tolerances 1e-5, .01. */
DC_API dc_drape_desc dc_drape_defaults(void);

/* Checks the description, builds a drape in the block `memory` (bytes), and places it at its start.
   `info` may be NULL. The contexts of curves must stay valid. DC_BAD_ARGUMENT: error.field or .what
   names the field, error.index the element, error.value the point or vertex of a curve; two hard
   points of one vertex, error.value [m] apart: error.index is the second; nothing holds a piece
   against gravity: error.index is a vertex of it; pair_capacity.
   DC_BAD_MESH, DC_NOT_FINITE: as dc_mesh_init(). DC_TOO_SMALL: block. DC_TOO_LARGE: counts.
   DC_CROSSING: as dc_world_init(); body 0 is the sheet, the obstacles follow. */
DC_API dc_status dc_drape_init(const dc_drape_desc *desc, void *memory, size_t bytes,
                               dc_drape **drape, dc_info *info, dc_error *error);

/* One change of the shape, UpdateMesh of [CT10]; `report` may be NULL. Nothing changes once it is
   at rest or at its limit, unless a target does. DC_TOO_SMALL: pairs, as in dc_world_step().
   DC_SINGULAR, DC_NOT_FINITE: the least squares. */
DC_API dc_status dc_drape_iterate(dc_drape *drape, dc_drape_report *report, dc_error *error);

/* Iterates until it is at rest or at its limit. At its limit already, it only tells the reason.
   DC_NOT_CONVERGED: it is not at rest, and has the best shape so far. error.what is the reason, of
   several the worst: anchor error.index is error.value [m] from its target, which is beyond reach
   or obstructed; obstacle error.body, in whose way the sheet is, has error.value [m] to go; vertex
   error.index is error.value [m] from its curve; curves do not fit edge error.index, with strain
   error.value; it still moved by error.value [m]; or it falls. Others as dc_drape_iterate(). */
DC_API dc_status dc_drape_solve(dc_drape *drape, dc_drape_report *report, dc_error *error);

/* Postures: other targets for anchors, curves and obstacles, to which the next iterations lead the
   sheet, certified. If nothing has farther to go than a mean edge, they go on where it is: from a
   shape at rest about ten, up to thirty on an obstacle with much friction. The sheet changes little
   more than the targets ask, and comes back when they do. Farther targets, and anchors that are
   released or hold again, take about as many iterations as the start. Obstacles move by a mean edge
   in an iteration, their points in straight lines. Before targets move, the sheet should be at
   rest, or report.strain_max small, some eight iterations: else folds stay.

   This function sets the target [m] of an anchor, and holds it if it was released. Directions stay,
   and a line does not move along itself. DC_NOT_FINITE: the target. */
DC_API dc_status dc_drape_set_anchor(dc_drape *drape, dc_index anchor, dc_vec3 target,
                                     dc_error *error);

/* Likewise the points (point_count) [m] of a curve; NULL: its function is called again.
   DC_NOT_FINITE, DC_BAD_ARGUMENT: as dc_drape_init(). */
DC_API dc_status dc_drape_move_curve(dc_drape *drape, dc_index curve, const dc_vec3 *points,
                                     dc_error *error);

/* Likewise the positions [m] of an obstacle; the first one is body 1. A plane does not slide along
   itself. DC_NOT_FINITE, DC_BAD_ARGUMENT: as dc_obstacle_move(). */
DC_API dc_status dc_drape_move_obstacle(dc_drape *drape, dc_index body, const dc_vec3 *positions,
                                        dc_error *error);

/* Lets go of an anchor. DC_BAD_ARGUMENT: as dc_drape_init(), nothing else would hold a piece. */
DC_API dc_status dc_drape_release_anchor(dc_drape *drape, dc_index anchor, dc_error *error);

/* The positions (vertex_count) [m], valid until the next iteration; mesh, last report, hash. */
DC_API const dc_vec3 *dc_drape_positions(const dc_drape *drape);
DC_API const dc_mesh *dc_drape_mesh(const dc_drape *drape);
DC_API dc_drape_report dc_drape_look(const dc_drape *drape);
DC_API uint64_t dc_drape_hash(const dc_drape *drape);

#ifndef DC_NO_CLOTH
/* Describes a cloth that starts in this shape: sets start_positions, thickness, friction,
   self_contact and pins of `cloth`, whose mesh must be the same. Writes the pinned vertices to pins
   (anchor_count, three for an anchor in a triangle, and the vertices of all curves), without those
   of released anchors. The drape and pins must not change until dc_world_init() has returned. The
   world needs `collides` and the same obstacles; dc_world_settle() then brings it to rest. */
DC_API void dc_drape_hand_over(const dc_drape *drape, dc_cloth_desc *cloth, dc_index *pins);
#endif
#endif /* DC_NO_DRAPE */

#ifndef DC_NO_COLLISIONS
/* ---- Collisions for a solver of one's own (chapter 39) --------------------------------------- */

/* Triangles that collide; any number of them may share an edge, in any orientation. */
typedef struct dc_collider_body {
    dc_mesh_desc mesh;     /* low triangles at rest reduce the thickness within the body */
    const dc_real *masses; /* (vertex_count) [kg]; 0: collisions do not move it. NULL: all 0 */
    dc_real thickness, friction; /* as those of cloth; likewise: */
    int self_contact;
    uint32_t category, ignores;
} dc_collider_body;

/* No mesh, no masses; thickness 2 mm, friction .3, self-contact, collides with all. */
DC_API dc_collider_body dc_collider_body_defaults(void);

/* How impacts that are too fast for repulsion are stopped, before rigid impact zones stop the rest.
   Worlds with ribbons use the second way, others the first. */
typedef enum dc_impacts {
    DC_IMPACTS_LOCAL, /* one contact after another, by impulses on its vertices, [EB08] */
#ifndef DC_NO_GLOBAL_IMPACTS
    DC_IMPACTS_GLOBAL /* all contacts at once, spread over the mesh as if its edges were stiff,
                         [PHB15]: for long steps and coarse meshes. Vertices up to ten edges away
                         slow down. It takes 400 to 750 bytes a vertex, and 1.2 MB for up to 512
                         contacts; others are left to impact zones */
#endif
} dc_impacts;

typedef struct dc_collider_desc {
    const dc_collider_body *bodies; /* (body_count) */
    const dc_obstacle_desc *obstacles; /* (obstacle_count) they do not collide with each other */
    dc_index body_count, obstacle_count;
    dc_start start;
    dc_index pair_capacity; /* as in dc_world_desc; DC_NONE: 32 for each vertex of the bodies */
    dc_impacts impacts;
} dc_collider_desc;

/* No bodies, no obstacles; crossings are refused; local impacts. */
DC_API dc_collider_desc dc_collider_defaults(void);

/* The collision stages of a world, chapters 29 to 38, for positions that another solver finds. In
   each step the solver gives all positions before and after it; the collider changes those after it
   until nothing crosses on the straight paths between: v = (x_next - pushes - x) / dt after
   dc_collider_resolve(collider, x, x_next, &report, &error). See examples/10_collider.c. */
typedef struct dc_collider dc_collider;

/* Checks the description and builds a collider in the block `memory` (bytes). `info` may be NULL.
   DC_BAD_ARGUMENT: error.field or .what names the field; error.body is the body, obstacles after
   the bodies; error.index is the vertex. DC_BAD_MESH: triangle error.index has a vertex out of
   range or twice, or no area. DC_NOT_FINITE: as dc_mesh_init(). DC_TOO_SMALL, DC_TOO_LARGE. */
DC_API dc_status dc_collider_init(const dc_collider_desc *desc, void *memory, size_t bytes,
                                  dc_collider **collider, dc_info *info, dc_error *error);

/* Sets masses of a body (vertex_count) [kg], or NULL. DC_BAD_ARGUMENT: that of error.index. */
DC_API dc_status dc_collider_set_masses(dc_collider *collider, dc_index body, const dc_real *masses,
                                        dc_error *error);

/* Sets the target of an obstacle, as dc_obstacle_move(), but spin is the angle per step [rad].
   Obstacle k is body body_count + k. DC_NOT_FINITE, DC_BAD_ARGUMENT: as there. */
DC_API dc_status dc_collider_move(dc_collider *collider, dc_index body, const dc_vec3 *positions,
                                  dc_vec3 spin, dc_error *error);

/* One step: before and after (vertices of all bodies, one body after the other) [m]. Changes
   `after` so that nothing crosses, with friction, and moves the obstacles; vertices without mass
   stay. The proof, report->is_certified, begins at `before`: if that is not bit for bit what the
   last step made of `after`, it is first searched for crossings. `report`, if not NULL, has the
   fields of collisions. DC_CROSSING: `before` crosses already, as error.pair. DC_NOT_FINITE:
   error.index is the vertex, counted through all bodies. DC_NOT_CONVERGED: error.value pairs could
   not be separated, such as error.pair; two half steps may succeed. DC_TOO_SMALL: pairs. */
DC_API dc_status dc_collider_resolve(dc_collider *collider, const dc_vec3 *before, dc_vec3 *after,
                                     dc_report *report, dc_error *error);

/* Displacements by repulsion in the last step (vertices of all bodies) [m], not for velocities. */
DC_API const dc_vec3 *dc_collider_pushes(const dc_collider *collider);

/* As dc_world_crossings(), for these positions (vertices of all bodies) [m]. */
DC_API dc_index dc_collider_crossings(dc_collider *collider, const dc_vec3 *positions,
                                      dc_index capacity, dc_feature_pair *pairs);

/* ---- Continuous collision (chapter 28) ------------------------------------------------------- */

typedef enum dc_ccd_answer {
    DC_CCD_CLEAR,    /* proved: they are always further apart than the separation */
    DC_CCD_CONTACT,  /* they come as close as the separation, to within the resolution */
    DC_CCD_UNDECIDED /* not proved within the limit of iterations, or a number is not finite */
} dc_ccd_answer;

typedef struct dc_ccd_result {
    dc_ccd_answer answer;
    dc_real time;      /* 0 to 1: until then it is proved clear. At that time: */
    dc_real distance;  /* [m] */
    dc_vec3 normal;    /* unit, from the first feature to the second; 0: none */
    dc_real weight[4]; /* of the four vertices in the two points that are nearest */
} dc_ccd_result;

/* Whether a vertex (the first of four) and a triangle, or two edges (0 1 and 2 3), stay apart by
   more than `separation` [m] (0 or more) while all four vertices move in straight lines from start
   (4) to end (4) [m], (28.1), (28.2). "Clear" is a proof that includes all rounding; treat any
   other answer as contact. The resolution is 1e-11 of the largest coordinate of a difference (1e-5
   in single); where the nearest point passes from a side to the inside, rounding may make it 1e-5
   (1e-2 in single). Degenerate triangles and edges are allowed. It takes about .5 us. */
DC_API dc_ccd_result dc_ccd_vertex_triangle(const dc_vec3 start[4], const dc_vec3 end[4],
                                            dc_real separation);
DC_API dc_ccd_result dc_ccd_edge_edge(const dc_vec3 start[4], const dc_vec3 end[4],
                                      dc_real separation);

/* Whether an edge and a triangle [m] cross or touch, chapter 33. 0 is a proof that they do not; 1
   may be due to rounding, or to a number that is not finite. */
DC_API int dc_edge_crosses_triangle(const dc_vec3 edge[2], const dc_vec3 triangle[3]);
#endif /* DC_NO_COLLISIONS */
#endif /* DC_ONLY_SPARSE */

/* ---- Sparse matrices, Cholesky, conjugate gradients (chapters 9 to 14) ----------------------- */

/* A matrix in compressed rows. Row i has places start[i] to start[i + 1] - 1 of column and value.
   Columns within a row need no order, but none may occur twice. */
typedef struct dc_sparse {
    dc_index row_count, column_count;
    dc_index *start;  /* (row_count + 1) */
    dc_index *column; /* (start[row_count]) */
    dc_real *value;   /* (start[row_count]), NULL where only the pattern matters */
} dc_sparse;

#ifndef DC_NO_SPARSE
/* y = A x, for `width` vectors: x (column_count, width), y (row_count, width), no overlap. */
DC_API void dc_sparse_multiply(const dc_sparse *a, dc_index width, const dc_real *x, dc_real *y);

/* Builds a matrix row by row. */
typedef struct dc_sparse_builder {
    dc_sparse *matrix;
    dc_index *place;      /* (column_count) work */
    dc_index row, begin;  /* rows finished; where the current row begins */
    dc_index end;         /* entries so far, including those beyond capacity */
    dc_index capacity;    /* entries that column and value can hold */
    dc_index bad_row;     /* the first with a column out of range, or DC_NONE */
} dc_sparse_builder;

/* Begins the first row. The caller has set in `matrix` column_count, row_count (the most rows) and
   the arrays start (row_count + 1), column and value (capacity). work (column_count). */
DC_API dc_sparse_builder dc_sparse_begin(dc_sparse *matrix, dc_index capacity, dc_index *work);

/* Adds an entry to the row, or to one in its column. Then ends the row, and begins the next. */
DC_API void dc_sparse_add(dc_sparse_builder *builder, dc_index column, dc_real value);
DC_API void dc_sparse_finish_row(dc_sparse_builder *builder);

/* Ends the matrix: sets matrix->row_count to the number of finished rows. DC_BAD_ARGUMENT: a column
   out of range in row error.index. DC_TOO_SMALL: rows, or entries (capacity). */
DC_API dc_status dc_sparse_finish(dc_sparse_builder *builder, dc_error *error);

/* Writes A^T, with sorted rows: start (column_count of A + 1), column and value (entries of A). */
DC_API void dc_sparse_transpose(const dc_sparse *a, dc_sparse *transposed);

/* The pattern of the lower triangle of the Gram matrix X^T diag(w) X, (9.2), each row with its
   diagonal first; an example is J M^-1 J^T, with X = J^T and w = 1/m. `transposed` is X^T, `work`
   (columns of X). Returns the number of entries; DC_NONE: more than dc_index holds. With
   gram->column NULL it writes only gram->start (columns of X + 1); then call it again. */
DC_API dc_index dc_gram_pattern(const dc_sparse *x, const dc_sparse *transposed, dc_sparse *gram,
                                dc_index *work);

/* Computes gram->value in that pattern, for `weights` w (rows of X); work (columns of X). Fastest
   where up to four adjacent rows of X have the same columns in the same order. */
DC_API void dc_gram_values(const dc_sparse *x, const dc_real *weights, dc_sparse *gram,
                           dc_index *work);

/* A = L L^T row by row, (10.1) and (10.2): 2 KB of code, for systems that are small or in a good
   order. Reads only the lower triangle of `a`. `upper` becomes L^T in compressed rows, each with
   its diagonal first, in `memory` (bytes): about 28 bytes a row and 12 an entry of L, or 24 and 8
   in single. Flops: the sum of the squared row lengths of L^T. After an error `upper` is not valid.
   DC_BAD_ARGUMENT: not square, no rows; a column out of range. DC_TOO_SMALL: memory. DC_TOO_LARGE:
   more than 50 million rows, or more entries of L than dc_index holds. DC_SINGULAR, DC_NOT_FINITE:
   pivot error.value of row error.index; or an entry of A there. */
DC_API dc_status dc_cholesky_small_factor(const dc_sparse *a, void *memory, size_t bytes,
                                          dc_sparse *upper, dc_error *error);

/* x = A^-1 b; b and x (n) may be the same array. It takes 4 flops for each entry of L. */
DC_API void dc_cholesky_small_solve(const dc_sparse *upper, const dc_real *b, dc_real *x);
#endif /* DC_NO_SPARSE */

#ifndef DC_NO_DIRECT
/* The result of planning a factorisation. It points into the scratch block. */
typedef struct dc_cholesky_symbolic {
    dc_index n, factor_nonzeros; /* of L as it is stored, with its diagonal and merged zeros */
    int64_t flops;               /* multiplications and additions of one factorisation, as stored */
    size_t bytes;                /* that dc_cholesky_init() needs, exactly */
    const struct dci_cholesky_analysis *analysis;
} dc_cholesky_symbolic;
typedef struct dc_cholesky dc_cholesky;

/* What L is computed and stored in. Floats halve its memory, and take some two thirds of the time
   on large meshes; entries of A and of right-hand sides have to fit them. A solve is then accurate
   to 1e-7 times the condition number; x += A^-1 (b - A x) in dc_real gains as much. */
typedef enum dc_storage { DC_STORAGE_REAL, DC_STORAGE_FLOAT } dc_storage;

typedef struct dc_cholesky_desc {
    dc_index rhs_max;   /* most right-hand sides of one solve (1) */
    dc_storage storage; /* (DC_STORAGE_REAL) */
} dc_cholesky_desc;

DC_API dc_cholesky_desc dc_cholesky_defaults(void);

/* What to do with a pivot of at most pivot_tol times the diagonal entry of A it came from: fail, or
   drop the row as redundant, which leaves its unknown 0. */
typedef enum dc_pivots { DC_PIVOTS_REFUSE, DC_PIVOTS_DROP } dc_pivots;

/* Bytes of scratch that suffice for a matrix of n rows with nonzero_count stored entries: about 133
   a row and 16 an entry; 0 if n is not between 1 and 50 million, or on overflow. */
DC_API size_t dc_cholesky_scratch_bytes(dc_index n, dc_index nonzero_count);

/* Orders and analyses, in `scratch` (bytes), the symmetric matrix whose lower triangle `a` has;
   entries above the diagonal, and values, are not read. The order is by nested dissection (chapter
   11) and made for meshes: general sparse matrices may need many times the entries and flops of
   other orders. It takes about 4 s for a million rows of four entries.
   DC_BAD_ARGUMENT: not square, no rows, rhs_max or storage; in row error.index a column out of
   range or occurring twice, no diagonal entry. DC_TOO_SMALL: scratch. DC_TOO_LARGE: more than 50
   million rows or right-hand sides, or more entries of the factor than dc_index holds. */
DC_API dc_status dc_cholesky_plan(const dc_sparse *a, const dc_cholesky_desc *desc, void *scratch,
                                  size_t bytes, dc_cholesky_symbolic *symbolic, dc_error *error);

/* Makes a factorisation object in `memory` (bytes, at least symbolic->bytes). The scratch block is
   not needed afterwards. DC_TOO_SMALL: fewer bytes than planned. */
DC_API dc_status dc_cholesky_init(const dc_cholesky_symbolic *symbolic, void *memory, size_t bytes,
                                  dc_cholesky **cholesky, dc_error *error);

/* A = L L^T, [Dav06] ch. 4. `values` are those of the planned matrix, in the order of its entries.
   pivot_tol: 0, or the fraction of a diagonal entry that may be rounding error, such as 1e-11.
   DC_BAD_ARGUMENT: pivot_tol is negative, 1 or more, or NaN. After any other error the object must
   be factored again before it can solve. DC_SINGULAR: with DC_PIVOTS_REFUSE; error.index is the
   first such row of A in the order of elimination, error.value the pivot. DC_NOT_FINITE: A is not
   finite, or its factor does not fit the storage; error.index likewise. */
DC_API dc_status dc_cholesky_factor(dc_cholesky *cholesky, const dc_real *values, dc_real pivot_tol,
                                    dc_pivots rule, dc_error *error);

/* Rows that the last factorisation dropped. */
DC_API dc_index dc_cholesky_dropped(const dc_cholesky *cholesky);

/* x = A^-1 b for rhs_count vectors at once, b and x (n, rhs_count); they may be the same array. */
DC_API void dc_cholesky_solve(dc_cholesky *cholesky, dc_index rhs_count, const dc_real *b,
                              dc_real *x);
#endif /* DC_NO_DIRECT */

#ifndef DC_NO_SPARSE
/* y = A x. x and y do not overlap. */
typedef void (*dc_linear_map)(void *context, const dc_real *x, dc_real *y);

/* The error is sqrt(r . P r), r the residual, P the preconditioner. With a delay d it is a lower
   bound on the energy norm sqrt(e . A e) of the error e that x had d iterations ago, [ST02]. */
typedef struct dc_cg_desc {
    dc_index n;
    dc_linear_map apply; /* symmetric, positive definite */
    dc_linear_map precondition; /* likewise, near the inverse of apply; NULL: identity */
    void *context;
    dc_real *work;       /* (4 n), the first n are the residual; b may be those n. If P is singular,
                            `precondition` may subtract from them what it maps to 0, [GHN01] */
    dc_real tolerance;   /* stop when the error is at most this fraction of its start ... */
    dc_real floor, floor_tolerance; /* ... or at most `floor` and this fraction of its start */
    dc_index delay, iteration_max;  /* 0 to DC_CG_DELAY_MAX; 0 or more */
} dc_cg_desc;
enum { DC_CG_DELAY_MAX = 8 };

typedef struct dc_cg_result {
    dc_index iterations;
    dc_real start, end; /* the error as desc.delay measures it */
} dc_cg_result;

/* Solves A x = b by preconditioned conjugate gradients, [HS52]. On entry x (n) is the start, on
   return the last iterate; b (n). `result` must not be NULL. DC_NOT_CONVERGED: iteration_max
   reached; error.value is result->end. DC_SINGULAR: error.value is a curvature, or r . P r where P
   r is not 0, that is not positive. DC_NOT_FINITE: b or a map; x is not valid then. */
DC_API dc_status dc_cg_solve(const dc_cg_desc *desc, const dc_real *b, dc_real *x,
                             dc_cg_result *result, dc_error *error);
#endif /* DC_NO_SPARSE */

/* ---- Floating point (chapter 4) -------------------------------------------------------------- */

/* What dc_float_check() can find; the bits are or-ed together. */
enum {
    DC_FLOAT_CONTRACTED = 1,   /* a * b + c is computed with one rounding (fused multiply-add) */
    DC_FLOAT_EXCESS = 2,       /* intermediate results are kept in a wider type */
    DC_FLOAT_REASSOCIATED = 4, /* (a + b) - b is simplified to a */
    DC_FLOAT_NAN_LOST = 8,     /* comparisons with NaN are not false */
    DC_FLOAT_FLUSHED = 16      /* subnormal numbers are replaced by zero */
};

/* Returns 0 if this program computes as IEEE 754 says, else the bits above. */
DC_API int dc_float_check(void);

/* Elementary functions that use only + - * / sqrt, so that they give the same bits everywhere.
   Errors stay below 4 units in the last place; those of sine and cosine grow where |x| > 1e5 [rad]
   (6e3 in single), and both are NaN beyond 1e9, or if not defined; dc_atan2(0, 0) is 0. */
DC_API dc_real dc_sin(dc_real x);
DC_API dc_real dc_cos(dc_real x);
DC_API dc_real dc_acos(dc_real x);
DC_API dc_real dc_atan2(dc_real y, dc_real x);

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
 * VERSIONS
 *
 * 0.2, not yet complete. What programs for 0.1 used, and what serves in its place:
 *
 *     dc_shape_build, dc_mesh_report      dc_grid(); shapes.h and mesh_report.h of examples/common
 *     dc_world_plan, dc_plan              dc_world_init(), dc_info; so of drapes and colliders
 *     dc_world_desc.contact, .impacts     row_capacity 1: as DC_CONTACT_STAGGERED; dc_collider_desc
 *     DC_NO_CONTACT_ROWS, DC_NO_SHAPES    DC_NO_COLLISIONS; nothing
 *     dc_ribbon_set_pose                  attachments at three points of the first segment
 *     dc_ribbon_desc.energy, cg_max       nothing
 *     error.cloth, worst_cloth, ...       error.body, worst_body, ...; error.field names fields
 *     getters of cloths and ribbons       dc_body_positions() and so on
 *     counts of dc_report, newton_max     members of `counters`; of `solver`
 *     dc_obstacle_desc = {0}              dc_obstacle_defaults(), which has friction
 *     snapshots                           those of 0.1 are refused
 */

/*
 * MIT License
 *
 * Copyright (c) 2026 the devcloth authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
 * associated documentation files (the "Software"), to deal in the Software without restriction,
 * including without limitation the rights to use, copy, modify, merge, publish, distribute,
 * sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or
 * substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
 * NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
 * NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
 * DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
