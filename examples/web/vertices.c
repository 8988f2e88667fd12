/* Backward Euler, then fast projection onto the lengths of all edges: see ../04_locking.c. */
#include "vertices.h"

enum { ITERATIONS_MAX = 50 };

static const double DRAG = 2;         /* [1/s] of the velocity, so that it comes to rest */
static const double TOLERANCE = 1e-3; /* of squared lengths */
/* Rows of a flat sheet follow from each other: so much is added to the diagonal, relative. */
static const double REGULAR = 1e-5;

typedef struct vertices {
    const dc_mesh *mesh;
    dc_vec3 *x;                        /* (vertices) [m] */
    dc_vec3 *velocity, *before;        /* (vertices) [m/s], [m] */
    dc_real *inv_mass, *change;        /* (3 vertices) */
    dc_real *value, *force;            /* (edges) */
    dc_index *work;                    /* (3 vertices) */
    dc_sparse jacobian, transposed, s; /* s = J M^-1 J^T */
    dc_cholesky *factor;
} vertices;

/* Room for a matrix with so many rows, columns and entries. */
static dc_sparse take_sparse(page *p, dc_index rows, dc_index columns, dc_index entries)
{
    dc_sparse a;
    a.row_count = rows;
    a.column_count = columns;
    a.start = page_take(p, rows + 1, sizeof *a.start);
    a.column = page_take(p, entries, sizeof *a.column);
    a.value = page_take(p, entries, sizeof *a.value);
    return a;
}

/* C = (|d|^2 - l^2) / 2l of each edge, and its gradient. Returns the largest error of |d|^2. */
static double evaluate(vertices *s, const dc_vec3 *x)
{
    const dc_mesh *mesh = s->mesh;
    dc_sparse_builder rows = dc_sparse_begin(&s->jacobian, 6 * mesh->edge_count, s->work);
    double largest = 0;
    dc_index e;
    int c;
    for (e = 0; e < mesh->edge_count; e++) {
        const dc_index *end = mesh->edge_vertices + 2 * e;
        double length = (double)mesh->rest_length[mesh->corner_of_edge[2 * e]];
        dc_vec3 d = vec_sub(x[end[1]], x[end[0]]), g = vec_scale(1 / length, d);
        const dc_real axis[3] = {g.x, g.y, g.z};
        double value = (vec_dot(d, d) - length * length) / (2 * length);
        for (c = 0; c < 3; c++) {
            dc_sparse_add(&rows, 3 * end[0] + c, -axis[c]);
            dc_sparse_add(&rows, 3 * end[1] + c, axis[c]);
        }
        dc_sparse_finish_row(&rows);
        s->value[e] = (dc_real)value;
        value = 2 * (value < 0 ? -value : value) / length;
        if (value > largest) largest = value;
    }
    dc_sparse_transpose(&s->jacobian, &s->transposed);
    return largest;
}

/* x -= M^-1 J^T y with J M^-1 J^T y = C, until C = 0. Returns 0 if that does not end. */
static int project(vertices *s, dc_vec3 *x)
{
    dc_index edges = s->mesh->edge_count, v, k, i;
    for (k = 0; evaluate(s, x) > TOLERANCE; k++) {
        if (k == ITERATIONS_MAX) return 0;
        dc_gram_values(&s->transposed, s->inv_mass, &s->s, s->work);
        for (i = 0; i < edges; i++) s->s.value[s->s.start[i]] *= (dc_real)(1 + REGULAR);
        if (dc_cholesky_factor(s->factor, s->s.value, 0, DC_PIVOTS_DROP, NULL) != DC_OK) return 0;
        dc_cholesky_solve(s->factor, 1, s->value, s->force);
        dc_sparse_multiply(&s->transposed, 1, s->force, s->change);
        for (v = 0; v < s->mesh->vertex_count; v++) {
            const dc_real *change = s->change + 3 * v, *w = s->inv_mass + 3 * v;
            x[v] = vec_sub(x[v], vec_make((double)(w[0] * change[0]), (double)(w[1] * change[1]),
                                          (double)(w[2] * change[2])));
        }
    }
    return 1;
}

/* The pattern of S, and its factorisation. */
static int analyse(page *p, vertices *s)
{
    const dc_cholesky_desc desc = dc_cholesky_defaults();
    dc_index edges = s->mesh->edge_count, entries;
    dc_cholesky_symbolic symbolic;
    size_t scratch_bytes;
    void *memory, *scratch;
    s->s = take_sparse(p, edges, edges, 0);
    if (p->error.status != DC_OK) return 0;
    s->s.column = NULL;
    entries = dc_gram_pattern(&s->transposed, &s->jacobian, &s->s, s->work);
    s->s.column = page_take(p, entries, sizeof *s->s.column);
    s->s.value = page_take(p, entries, sizeof *s->s.value);
    scratch_bytes = dc_cholesky_scratch_bytes(edges, entries);
    scratch = page_take(p, (dc_index)scratch_bytes, 1);
    if (p->error.status != DC_OK) return 0;
    dc_gram_pattern(&s->transposed, &s->jacobian, &s->s, s->work);
    if (dc_cholesky_plan(&s->s, &desc, scratch, scratch_bytes, &symbolic, &p->error) != DC_OK)
        return 0;
    memory = page_take(p, (dc_index)symbolic.bytes, 1);
    return memory &&
           dc_cholesky_init(&symbolic, memory, symbolic.bytes, &s->factor, &p->error) == DC_OK;
}

void vertices_open(page *p, const page_cloth *like, const char *label, dc_vec3 offset)
{
    const dc_mesh_desc *desc = &like->desc.mesh;
    dc_index count = desc->vertex_count, v, k;
    size_t mesh_bytes = dc_mesh_bytes(count, desc->triangle_count), begin = p->used;
    void *memory = page_take(p, (dc_index)mesh_bytes, 1);
    dc_vec3 *x = page_take(p, count, sizeof *x);
    vertices *s = page_take(p, 1, sizeof *s);
    if (!memory || !x || !s) return;
    if (dc_mesh_init(desc, memory, mesh_bytes, &p->own.mesh, &p->error) != DC_OK) return;
    s->mesh = &p->own.mesh;
    s->x = x;
    s->velocity = page_take(p, count, sizeof *s->velocity);
    s->before = page_take(p, count, sizeof *s->before);
    s->inv_mass = page_take(p, 3 * count, sizeof *s->inv_mass);
    s->change = page_take(p, 3 * count, sizeof *s->change);
    s->work = page_take(p, 3 * count, sizeof *s->work);
    s->value = page_take(p, s->mesh->edge_count, sizeof *s->value);
    s->force = page_take(p, s->mesh->edge_count, sizeof *s->force);
    s->jacobian = take_sparse(p, s->mesh->edge_count, 3 * count, 6 * s->mesh->edge_count);
    s->transposed = take_sparse(p, 3 * count, s->mesh->edge_count, 6 * s->mesh->edge_count);
    if (p->error.status != DC_OK) return;
    for (v = 0; v < count; v++) {
        x[v] = vec_add(desc->positions[v], offset);
        s->velocity[v] = vec_make(0, 0, 0);
        for (k = 0; k < 3; k++) s->inv_mass[3 * v + k] = 1;
    }
    for (k = 0; k < 3 * like->desc.pin_count; k++) s->inv_mass[3 * like->pin[k / 3] + k % 3] = 0;
    evaluate(s, x);
    if (!analyse(p, s)) return;
    p->own.label = label;
    p->own.positions = x;
    p->own.flat = like->flat;
    p->own.state = s;
    p->own.bytes = p->used - begin;
}

void vertices_step(page *p)
{
    vertices *s = p->own.state;
    dc_vec3 *x = s->x, gravity = vec_make(0, -p->setting[PAGE_GRAVITY], 0);
    double dt = 1 / p->setting[PAGE_RATE];
    dc_index v;
    for (v = 0; v < s->mesh->vertex_count; v++) {
        s->before[v] = x[v];
        if (s->inv_mass[3 * v] == 0) continue; /* a pin */
        s->velocity[v] = vec_scale(1 - DRAG * dt, s->velocity[v]);
        x[v] = vec_axpy(x[v], dt, vec_axpy(s->velocity[v], dt, gravity));
    }
    if (!project(s, x)) {
        for (v = 0; v < s->mesh->vertex_count; v++) {
            x[v] = s->before[v];
            s->velocity[v] = vec_make(0, 0, 0);
        }
        page_fail(p, "the sheet of vertices finds no way onto its lengths");
        return;
    }
    for (v = 0; v < s->mesh->vertex_count; v++)
        s->velocity[v] = vec_scale(1 / dt, vec_sub(x[v], s->before[v]));
}
