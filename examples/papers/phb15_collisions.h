/*
 * phb15_collisions.h - the global collision handler of [PHB15], section 5.2, for any mesh
 *
 * From X~, where a step has brought the vertices, to the nearest X without collisions, which keeps the shape
 * of the mesh by springs of stiffness K along its edges:
 *
 *     min 1/2 |X - X~|^2 + K/2 sum over edges |(x_a - x_b) - (x~_a - x~_b)|^2     with N X >= gap       (c1)
 *
 * whose matrix H = Id + K sum over edges is the same for each axis. It is solved in its dual form,
 *
 *     min 1/2 l^T (N H^-1 N^T) l - (gap - N X~)^T l     with l >= 0,     X = X~ + H^-1 N^T l            (c2)
 *
 * ours: by lbfgsb.h. Rows N are the contacts of vertices with triangles, of edges with edges, and of vertices
 * with the ground y = 0, on the straight paths from the start of the step to X; those of one round stay for the
 * next, until nothing more is found.
 */
#ifndef PHB15_COLLISIONS_H
#define PHB15_COLLISIONS_H

#include "lbfgsb.h"
#include "paper.h"

enum { ROUND_MAX = 60, ROW_MAX = 600 };

static const dc_vec3 AXIS_Y = {0, 1, 0};
static const double GAP = 2e-4; /* ours: what collisions keep [m] */

/* normal . sum weight x >= GAP */
typedef struct row {
    dc_index vertex[4];
    double weight[4];
    dc_vec3 normal;
    double *spread; /* (vertex_count) H^-1 weight */
    double lambda;
} row;

typedef struct handler {
    dc_index vertex_count, row_count, triangle_count, edge_count;
    const dc_index *triangles;
    dc_index (*edges)[2]; /* smaller vertices first */
    dc_cholesky *factor;  /* of H */
    row *rows;
} handler;

static handler *handler_make(const dc_index *triangles, dc_index triangle_count,
                             dc_index (*edges)[2], dc_index edge_count, dc_index vertex_count,
                             double stiffness)
{
    handler *s = (handler *)paper_memory(sizeof *s);
    dc_index entries = vertex_count + edge_count, v, e;
    dc_sparse h = paper_sparse(vertex_count, vertex_count, entries); /* its lower half */
    dc_sparse_builder builder = dc_sparse_begin(&h, entries, paper_indices(vertex_count));
    s->triangles = triangles;
    s->triangle_count = triangle_count;
    s->edges = edges;
    s->edge_count = edge_count;
    s->vertex_count = vertex_count;
    s->rows = (row *)paper_memory(ROW_MAX * sizeof *s->rows);
    for (v = 0; v < vertex_count; v++) {
        dc_sparse_add(&builder, v, 1);
        for (e = 0; e < edge_count; e++) {
            if (edges[e][0] == v || edges[e][1] == v) dc_sparse_add(&builder, v, stiffness);
            if (edges[e][1] == v) dc_sparse_add(&builder, edges[e][0], -stiffness);
        }
        dc_sparse_finish_row(&builder);
    }
    dc_sparse_finish(&builder, NULL);
    s->factor = paper_cholesky(&h, 1);
    if (dc_cholesky_factor(s->factor, h.value, 0, DC_PIVOTS_REFUSE, NULL) != DC_OK) exit(1);
    paper_sparse_free(&h);
    return s;
}

/* ---- Rows ---- */

static void handler_add_row(handler *s, const dc_index *vertex, const double *weight,
                            dc_vec3 normal)
{
    row *w = s->rows + s->row_count;
    int k;
    if (s->row_count == ROW_MAX) return;
    s->row_count++;
    w->spread = paper_reals(s->vertex_count);
    w->normal = normal;
    w->lambda = 0;
    for (k = 0; k < 4; k++) {
        w->vertex[k] = vertex[k];
        w->weight[k] = weight[k];
        w->spread[vertex[k]] += weight[k];
    }
    dc_cholesky_solve(s->factor, 1, w->spread, w->spread);
}

/* A vertex and a triangle (first_count 1), or two edges (2), with no vertex in common. */
static int handler_add_pair(handler *s, const dc_vec3 *start, const dc_vec3 *end,
                            const dc_index v[4], int first_count)
{
    dc_vec3 from[4], to[4];
    dc_ccd_result hit;
    double weight[4];
    int k, axis, i;
    for (k = 0; k < first_count; k++)
        for (i = first_count; i < 4; i++)
            if (v[k] == v[i]) return 0;
    for (k = 0; k < 4; k++) from[k] = start[v[k]], to[k] = end[v[k]];
    for (axis = 0; axis < 3; axis++) { /* bounding boxes of what they sweep */
        double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
        for (k = 0; k < 4; k++) {
            double a = (&from[k].x)[axis], b = (&to[k].x)[axis];
            i = k >= first_count;
            low[i] = fmin(low[i], fmin(a, b));
            high[i] = fmax(high[i], fmax(a, b));
        }
        if (low[0] > high[1] + GAP || low[1] > high[0] + GAP) return 0;
    }
    hit = first_count == 1 ? dc_ccd_vertex_triangle(from, to, GAP / 2)
                           : dc_ccd_edge_edge(from, to, GAP / 2);
    if (hit.answer == DC_CCD_CLEAR) return 0;
    for (k = 0; k < 4; k++) weight[k] = k < first_count ? -hit.weight[k] : hit.weight[k];
    handler_add_row(s, v, weight, hit.normal);
    return 1;
}

/* Rows for all that comes too close on the way from start to end. Returns their number. */
static int handler_detect(handler *s, const dc_vec3 *start, const dc_vec3 *end)
{
    static const double one[4] = {1, 0, 0, 0};
    dc_index i, k, v[4] = {0, 0, 0, 0};
    int found = 0;
    for (i = 0; i < s->vertex_count; i++) {
        v[0] = v[1] = v[2] = v[3] = i;
        if (end[i].y >= GAP / 2) continue;
        handler_add_row(s, v, one, AXIS_Y);
        found++;
    }
    for (i = 0; i < s->vertex_count; i++)
        for (k = 0; k < s->triangle_count; k++) {
            v[0] = i;
            memcpy(v + 1, s->triangles + 3 * k, 3 * sizeof *v);
            found += handler_add_pair(s, start, end, v, 1);
        }
    for (i = 0; i < s->edge_count; i++)
        for (k = 0; k < i; k++) {
            memcpy(v, s->edges[k], sizeof s->edges[k]);
            memcpy(v + 2, s->edges[i], sizeof s->edges[i]);
            found += handler_add_pair(s, start, end, v, 2);
        }
    return found;
}

/* ---- The QP ---- */

static dc_vec3 handler_moved(const row *w, const dc_vec3 *x)
{
    dc_vec3 sum = vec_make(0, 0, 0);
    int k;
    for (k = 0; k < 4; k++) sum = vec_axpy(sum, w->weight[k], x[w->vertex[k]]);
    return sum;
}

typedef struct dual {
    dc_index m;
    double *a, *b; /* (m, m) N H^-1 N^T, (m) gap - N X~ */
} dual;

/* (c2) */
static double handler_dual(void *context, const double *lambda, double *gradient)
{
    const dual *d = (const dual *)context;
    double f = 0;
    dc_index i;
    for (i = 0; i < d->m; i++) {
        double pull = lbfgsb_dot(d->m, d->a + i * d->m, lambda);
        gradient[i] = pull - d->b[i];
        f += lambda[i] * (pull / 2 - d->b[i]);
    }
    return f;
}

static void handler_solve(handler *s, const dc_vec3 *x_tilde)
{
    dc_index m = s->row_count, i, k;
    double *low = paper_reals(m), *high = paper_reals(m), *lambda = paper_reals(m);
    lbfgsb_problem problem = {0};
    dual d;
    int c;
    d.m = m;
    d.a = paper_reals(m * m);
    d.b = paper_reals(m);
    for (i = 0; i < m; i++) {
        const row *p = s->rows + i;
        high[i] = HUGE_VAL;
        lambda[i] = p->lambda;
        d.b[i] = GAP - vec_dot(p->normal, handler_moved(p, x_tilde));
        for (k = 0; k < m; k++) {
            double sum = 0;
            for (c = 0; c < 4; c++) sum += p->weight[c] * s->rows[k].spread[p->vertex[c]];
            d.a[i * m + k] = sum * vec_dot(p->normal, s->rows[k].normal);
        }
    }
    problem.n = m;
    problem.memory = LBFGSB_MEMORY_MAX;
    problem.objective = handler_dual;
    problem.context = &d;
    problem.lower = low;
    problem.upper = high;
    problem.gradient_max = 1e-3 * GAP;
    problem.iteration_max = 10000;
    lbfgsb_minimise(&problem, lambda);
    for (i = 0; i < m; i++) s->rows[i].lambda = lambda[i];
    free(low), free(high), free(lambda), free(d.a), free(d.b);
}

/* x = x_tilde + H^-1 N^T lambda */
static void handler_shift(const handler *s, const dc_vec3 *x_tilde, dc_vec3 *x)
{
    dc_index i, v;
    memcpy(x, x_tilde, (size_t)s->vertex_count * sizeof *x);
    for (i = 0; i < s->row_count; i++)
        for (v = 0; v < s->vertex_count && s->rows[i].lambda > 0; v++)
            x[v] = vec_axpy(x[v], s->rows[i].lambda * s->rows[i].spread[v], s->rows[i].normal);
}

/* x: X~, then X. Returns whether nothing collides on the way to it. */
static int handler_resolve(handler *s, const dc_vec3 *start, dc_vec3 *x)
{
    dc_vec3 *x_tilde = paper_vectors(s->vertex_count);
    int round, found = 1;
    memcpy(x_tilde, x, (size_t)s->vertex_count * sizeof *x);
    for (round = 0; round < ROUND_MAX && found && s->row_count < ROW_MAX; round++) {
        found = handler_detect(s, start, x);
        if (found) handler_solve(s, x_tilde);
        if (found) handler_shift(s, x_tilde, x);
    }
    for (; s->row_count > 0; s->row_count--) free(s->rows[s->row_count - 1].spread);
    free(x_tilde);
    return !found;
}

#endif
