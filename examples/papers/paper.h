/*
 * paper.h - what the programs of this directory share: memory, and their meshes as files
 *
 * Each program is the method of one paper, on the building blocks of devcloth.h, and compiles by
 * itself: cc -O2 ct10.c -lm. Remarks in them begin with one of three words:
 *
 *     printed   what the paper has, where the program departs from it
 *     mended    the print is wrong: what is right stands beside it
 *     ours      the print says nothing
 */
#ifndef PAPER_H
#define PAPER_H

/* No program calls all of this and of the library. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define DEVCLOTH_STATIC /* what is not called is not compiled */
#define DEVCLOTH_IMPLEMENTATION
#include "../../devcloth.h"
#include "../common/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed memory, or the end of the program. What it uses until it ends is never freed. */
static void *paper_memory(size_t bytes)
{
    void *memory = calloc(bytes > 0 ? bytes : 1, 1);
    if (memory) return memory;
    fprintf(stderr, "there is no memory\n");
    exit(1);
}

static double *paper_reals(dc_index count)
{
    return (double *)paper_memory((size_t)count * sizeof(double));
}

static dc_index *paper_indices(dc_index count)
{
    return (dc_index *)paper_memory((size_t)count * sizeof(dc_index));
}

static dc_vec3 *paper_vectors(dc_index count)
{
    return (dc_vec3 *)paper_memory((size_t)count * sizeof(dc_vec3));
}

/* Room for a matrix that is made row by row. */
static dc_sparse paper_sparse(dc_index row_count, dc_index column_count, dc_index entry_count)
{
    dc_sparse a;
    a.row_count = row_count;
    a.column_count = column_count;
    a.start = paper_indices(row_count + 1);
    a.column = paper_indices(entry_count);
    a.value = paper_reals(entry_count);
    return a;
}

static void paper_sparse_free(dc_sparse *a)
{
    free(a->start);
    free(a->column);
    free(a->value);
}

static dc_sparse paper_transpose(const dc_sparse *a)
{
    dc_sparse transposed = paper_sparse(a->column_count, a->row_count, a->start[a->row_count]);
    dc_sparse_transpose(a, &transposed);
    return transposed;
}

/* X^T diag(w) X for a matrix that has its pattern; values are to be made. */
static dc_sparse paper_gram(const dc_sparse *x)
{
    dc_index entries, n = x->column_count, *work = paper_indices(n);
    dc_sparse transposed = paper_transpose(x), gram;
    gram.start = paper_indices(n + 1);
    gram.column = NULL;
    entries = dc_gram_pattern(x, &transposed, &gram, work);
    gram.column = paper_indices(entries);
    gram.value = paper_reals(entries);
    dc_gram_pattern(x, &transposed, &gram, work);
    paper_sparse_free(&transposed);
    free(work);
    return gram;
}

/* Plans the factor of a symmetric matrix, for so many right-hand sides at once. *memory is to be freed. */
static dc_cholesky *paper_cholesky_in(const dc_sparse *a, dc_index rhs_max, void **memory)
{
    dc_cholesky_desc desc = dc_cholesky_defaults();
    size_t bytes = dc_cholesky_scratch_bytes(a->row_count, a->start[a->row_count]);
    void *scratch = paper_memory(bytes);
    dc_cholesky_symbolic symbolic;
    dc_cholesky *factor = NULL;
    dc_error error;
    desc.rhs_max = rhs_max;
    if (dc_cholesky_plan(a, &desc, scratch, bytes, &symbolic, &error) != DC_OK ||
        dc_cholesky_init(&symbolic, *memory = paper_memory(symbolic.bytes), symbolic.bytes, &factor,
                         &error) != DC_OK) {
        fprintf(stderr, "%s: %s\n", error.where, error.what);
        exit(1);
    }
    free(scratch);
    return factor;
}

static dc_cholesky *paper_cholesky(const dc_sparse *a, dc_index rhs_max)
{
    void *memory;
    return paper_cholesky_in(a, rhs_max, &memory);
}

/* J M^-1 J^T for rows J_i = g_i^T D_i, with one number for each node in D and a direction g that changes:
   its entries are D_i M^-1 D_j^T, which do not, times g_i . g_j. */
typedef struct paper_dual {
    dc_sparse s; /* the lower half of D M^-1 D^T; its values are those of the product          */
    double
        *bracket; /* (entries of s) D_i M^-1 D_j^T                                              */
    dc_cholesky *factor;
    void *memory; /* of the factor                                                              */
} paper_dual;

static paper_dual paper_dual_make(const dc_sparse *d, const double *inv_mass)
{
    paper_dual dual;
    dc_sparse transposed = paper_transpose(d);
    dc_index *work = paper_indices(d->row_count);
    dual.s = paper_gram(&transposed);
    dc_gram_values(&transposed, inv_mass, &dual.s, work);
    dual.bracket = paper_reals(dual.s.start[d->row_count]);
    memcpy(dual.bracket, dual.s.value, (size_t)dual.s.start[d->row_count] * sizeof(double));
    dual.factor = paper_cholesky_in(&dual.s, 1, &dual.memory);
    paper_sparse_free(&transposed);
    free(work);
    return dual;
}

static void paper_dual_free(paper_dual *dual)
{
    paper_sparse_free(&dual->s);
    free(dual->bracket);
    free(dual->memory);
}

/* The larger one, or NaN if one of them is: fmax() would lose it. */
static double paper_max(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

/* Gaussian elimination with row pivots; a (n, n) and b (n) are lost, b becomes the solution. */
static int paper_solve_dense(double *a, double *b, dc_index n)
{
    dc_index i, j, k;
    for (k = 0; k < n; k++) {
        dc_index best = k;
        for (i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        if (!(fabs(a[best * n + k]) > 0)) return 0;
        for (j = 0; j < n && best != k; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j], a[best * n + j] = swap;
        }
        if (best != k) {
            double swap = b[k];
            b[k] = b[best], b[best] = swap;
        }
        for (i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (j = k; j < n && factor != 0; j++) a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
    return 1;
}

static dc_collider *paper_collider(const dc_collider_desc *desc)
{
    size_t bytes = 0;
    void *memory = NULL;
    dc_collider *collider;
    dc_error error;
    while (dc_collider_init(desc, memory, bytes, &collider, NULL, &error) == DC_TOO_SMALL) {
        free(memory);
        bytes = error.needed > 2 * bytes ? error.needed : 2 * bytes;
        memory = paper_memory(bytes);
    }
    if (error.status != DC_OK) {
        fprintf(stderr, "%s: %s\n", error.where, error.what);
        exit(1);
    }
    return collider;
}

/* The mesh with these positions as a body of a collider. */
static dc_collider_body paper_body(const dc_mesh *mesh, const dc_vec3 *positions)
{
    dc_collider_body body;
    memset(&body, 0, sizeof body);
    body.mesh.vertex_count = mesh->vertex_count;
    body.mesh.triangle_count = mesh->triangle_count;
    body.mesh.triangles = mesh->triangles;
    body.mesh.positions = positions;
    body.self_contact = 1;
    return body;
}

/* Of a body and a ball about the origin. */
static dc_collider *paper_ball_collider(const dc_collider_body *body, double radius,
                                        double friction)
{
    dc_collider_desc desc = dc_collider_defaults();
    dc_obstacle_desc ball;
    memset(&ball, 0, sizeof ball);
    ball.kind = DC_OBSTACLE_SPHERE;
    ball.radius = radius;
    ball.friction = friction;
    desc.bodies = body;
    desc.body_count = 1;
    desc.obstacles = &ball;
    desc.obstacle_count = 1;
    return paper_collider(&desc);
}

/* ---- What a user says and gets ---- */

enum { PAPER_STEPS_MAX = 1000000 };

/* The number after an option, from least to most; or a complaint, and 0. */
static int paper_number(char **option, double least, double most, double *value)
{
    char *end = option[1];
    double number = end ? strtod(option[1], &end) : 0;
    if (option[1] && end != option[1] && !*end && number >= least && number <= most) {
        *value = number;
        return 1;
    }
    fprintf(stderr, "%s takes a number from %g to %g\n", option[0], least, most);
    return 0;
}

/* A whole one. */
static int paper_count(char **option, int least, int most, int *value)
{
    double number;
    if (!paper_number(option, least, most, &number)) return 0;
    *value = (int)number;
    if (*value == number) return 1;
    fprintf(stderr, "%s takes a whole number\n", option[0]);
    return 0;
}

/* How many steps of dt make so many seconds; or a complaint, and 0. */
static int paper_steps(double seconds, double dt)
{
    double steps = seconds / dt + 0.5;
    if (steps >= 1 && steps < PAPER_STEPS_MAX + 1) return (int)steps;
    fprintf(stderr, "--seconds in steps of --dt are %g steps, not 1 to %d\n", seconds / dt,
            PAPER_STEPS_MAX);
    return 0;
}

/* A mesh with its adjacency. */
static dc_mesh paper_mesh(const dc_mesh_desc *desc)
{
    size_t bytes = dc_mesh_bytes(desc->vertex_count, desc->triangle_count);
    dc_mesh mesh;
    dc_error error;
    if (dc_mesh_init(desc, paper_memory(bytes), bytes, &mesh, &error) == DC_OK) return mesh;
    fprintf(stderr, "%s: %s\n", error.where, error.what);
    exit(1);
}

/* A grid of `cells` a side, in the xy plane. `positions` gets its vertices. */
static dc_mesh paper_grid(dc_index cells, double side, dc_diagonals diagonals, dc_vec3 **positions)
{
    dc_index *triangles = paper_indices(3 * DC_GRID_TRIANGLES(cells, cells));
    dc_mesh_desc desc;
    *positions = paper_vectors(DC_GRID_VERTICES(cells, cells));
    desc = dc_grid(cells, cells, side, side, diagonals, *positions, triangles);
    return paper_mesh(&desc);
}

/* Corners of a triangle, counter-clockwise: q is 3 t + c. */
static dc_index paper_next(dc_index q)
{
    return q % 3 == 2 ? q - 2 : q + 1;
}

static dc_index paper_prev(dc_index q)
{
    return q % 3 == 0 ? q + 2 : q - 1;
}

/* The corners at each vertex: corner[start[v]] to corner[start[v + 1] - 1]. */
typedef struct paper_corners {
    dc_index *start, *corner;
} paper_corners;

static paper_corners paper_corners_make(const dc_mesh *mesh)
{
    paper_corners at;
    dc_index q, v;
    at.start = paper_indices(mesh->vertex_count + 2);
    at.corner = paper_indices(3 * mesh->triangle_count);
    for (q = 0; q < 3 * mesh->triangle_count; q++) at.start[mesh->triangles[q] + 2]++;
    for (v = 0; v < mesh->vertex_count; v++) at.start[v + 2] += at.start[v + 1];
    for (q = 0; q < 3 * mesh->triangle_count; q++)
        at.corner[at.start[mesh->triangles[q] + 1]++] = q;
    return at;
}

static int paper_is_border(const dc_mesh *mesh, dc_index e)
{
    return mesh->corner_of_edge[2 * e + 1] == DC_NONE;
}

/* Of the angle at a corner, at rest. */
static double paper_cotangent(const dc_mesh *mesh, dc_index q)
{
    double a = mesh->rest_length[q], b = mesh->rest_length[paper_next(q)];
    double c = mesh->rest_length[paper_prev(q)];
    return (b * b + c * c - a * a) / (4 * mesh->rest_area[q / 3]);
}

/* Returns whether all of it is there. */
static int paper_write_obj(const char *path, const dc_mesh *mesh, const dc_vec3 *x)
{
    FILE *file = fopen(path, "w");
    dc_index i;
    int ok = file != NULL;
    if (ok) {
        for (i = 0; i < mesh->vertex_count; i++)
            fprintf(file, "v %.9g %.9g %.9g\n", x[i].x, x[i].y, x[i].z);
        for (i = 0; i < 3 * mesh->triangle_count; i += 3)
            fprintf(file, "f %d %d %d\n", (int)mesh->triangles[i] + 1,
                    (int)mesh->triangles[i + 1] + 1, (int)mesh->triangles[i + 2] + 1);
        ok = !ferror(file);
        ok &= fclose(file) == 0;
    }
    return ok;
}

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#endif
