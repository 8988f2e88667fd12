#include "hang.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOP_PART = 1e-3; /* of a piece's height: what still counts as its top */

/* The work arrays of one choice. */
typedef struct pieces {
    const dc_mesh_desc *mesh;
    dc_index *root;    /* (vertex_count) another vertex of the piece; in the end one for all */
    double *top, *low; /* (vertex_count) [m] height of the piece, at its root */
    dc_index *pin[2];  /* (vertex_count) the pins, at the root; DC_NONE: none */
    double *way;       /* (vertex_count) [m] along edges from the nearest pin */
} pieces;

static double distance(dc_vec3 a, dc_vec3 b)
{
    double x = (double)(b.x - a.x), y = (double)(b.y - a.y), z = (double)(b.z - a.z);
    return sqrt(x * x + y * y + z * z);
}

/* ---- Pieces ---- */

static dc_index find_root(dc_index *root, dc_index v)
{
    while (root[v] != v) {
        root[v] = root[root[v]];
        v = root[v];
    }
    return v;
}

static void find_pieces(pieces *p)
{
    const dc_mesh_desc *mesh = p->mesh;
    dc_index v, q, r;
    for (v = 0; v < mesh->vertex_count; v++) p->root[v] = v, p->way[v] = -1;
    for (q = 0; q < 3 * mesh->triangle_count; q++) {
        dc_index other = mesh->triangles[q % 3 == 2 ? q - 2 : q + 1];
        p->root[find_root(p->root, mesh->triangles[q])] = find_root(p->root, other);
        p->way[other] = HUGE_VAL;
    }
    for (v = 0; v < mesh->vertex_count; v++) {
        double height = (double)mesh->positions[v].y;
        p->pin[0][v] = p->pin[1][v] = DC_NONE;
        r = p->root[v] = p->way[v] < 0 ? DC_NONE : find_root(p->root, v);
        if (r == v) p->top[v] = p->low[v] = height;
    }
    for (v = 0; v < mesh->vertex_count; v++) {
        double height = (double)mesh->positions[v].y;
        r = p->root[v];
        if (r == DC_NONE) continue;
        p->top[r] = fmax(p->top[r], height);
        p->low[r] = fmin(p->low[r], height);
    }
}

/* ---- Pins ---- */

/* Sets pin `to` of every piece to the vertex of its top furthest from pin `from`; with from == to:
   to the first one. */
static void choose_furthest(pieces *p, int from, int to)
{
    const dc_vec3 *x = p->mesh->positions;
    dc_index v;
    for (v = 0; v < p->mesh->vertex_count; v++) {
        dc_index r = p->root[v], other, now;
        if (r == DC_NONE) continue;
        other = p->pin[from][r];
        now = p->pin[to][r];
        if ((double)x[v].y < p->top[r] - TOP_PART * (p->top[r] - p->low[r])) continue;
        if (now == DC_NONE || (from != to && distance(x[v], x[other]) > distance(x[now], x[other])))
            p->pin[to][r] = v;
    }
}

/* Twice the furthest from the last one: the ends of a straight edge, nearly so for other tops. */
static int choose_pins(pieces *p, hang *h)
{
    dc_index v, k;
    choose_furthest(p, 0, 0);
    choose_furthest(p, 0, 1);
    choose_furthest(p, 1, 0);
    for (v = 0; v < p->mesh->vertex_count; v++) h->piece_count += p->root[v] == v;
    h->pins = malloc(2 * (size_t)h->piece_count * sizeof *h->pins);
    if (h->pins == NULL) return 0;
    for (v = 0; v < p->mesh->vertex_count; v++) {
        if (p->root[v] != v) continue;
        for (k = 0; k < 2; k++) {
            dc_index pin = p->pin[k][v];
            if (k == 1 && pin == p->pin[0][v]) continue;
            h->pins[h->pin_count++] = pin;
            p->way[pin] = 0;
        }
    }
    return 1;
}

/* ---- Reach ---- */

/* Shortens paths along all edges until none gets shorter. */
static void find_ways(pieces *p)
{
    const dc_mesh_desc *mesh = p->mesh;
    int is_shorter = 1;
    dc_index q;
    while (is_shorter) {
        is_shorter = 0;
        for (q = 0; q < 3 * mesh->triangle_count; q++) {
            dc_index a = mesh->triangles[q], b = mesh->triangles[q % 3 == 2 ? q - 2 : q + 1];
            double length = distance(mesh->positions[a], mesh->positions[b]);
            if (p->way[a] + length < p->way[b]) p->way[b] = p->way[a] + length, is_shorter = 1;
            if (p->way[b] + length < p->way[a]) p->way[a] = p->way[b] + length, is_shorter = 1;
        }
    }
}

static void find_middle(const pieces *p, hang *h)
{
    dc_index k;
    for (k = 0; k < h->pin_count; k++) {
        dc_vec3 x = p->mesh->positions[h->pins[k]];
        h->middle.x += x.x / (dc_real)h->pin_count;
        h->middle.y += x.y / (dc_real)h->pin_count;
        h->middle.z += x.z / (dc_real)h->pin_count;
    }
}

static void find_reach(const pieces *p, hang *h)
{
    const dc_vec3 *x = p->mesh->positions;
    dc_index v;
    h->low = h->high = x[h->pins[0]];
    h->lowest = (double)h->low.y;
    for (v = 0; v < p->mesh->vertex_count; v++) {
        if (p->root[v] == DC_NONE) continue;
        h->low.x = x[v].x < h->low.x ? x[v].x : h->low.x;
        h->low.y = x[v].y < h->low.y ? x[v].y : h->low.y;
        h->low.z = x[v].z < h->low.z ? x[v].z : h->low.z;
        h->high.x = x[v].x > h->high.x ? x[v].x : h->high.x;
        h->high.y = x[v].y > h->high.y ? x[v].y : h->high.y;
        h->high.z = x[v].z > h->high.z ? x[v].z : h->high.z;
        h->lowest = fmin(h->lowest, p->top[p->root[v]] - p->way[v]);
    }
}

int hang_choose(hang *h, const dc_mesh_desc *mesh, failure *why)
{
    size_t count = (size_t)mesh->vertex_count;
    pieces p;
    int is_made;
    memset(h, 0, sizeof *h);
    p.mesh = mesh;
    p.root = malloc(count * sizeof *p.root);
    p.top = malloc(count * sizeof *p.top);
    p.low = malloc(count * sizeof *p.low);
    p.pin[0] = malloc(count * sizeof *p.pin[0]);
    p.pin[1] = malloc(count * sizeof *p.pin[1]);
    p.way = malloc(count * sizeof *p.way);
    is_made = p.root && p.top && p.low && p.pin[0] && p.pin[1] && p.way;
    if (is_made) {
        find_pieces(&p);
        is_made = choose_pins(&p, h);
    }
    if (is_made) {
        find_ways(&p);
        find_middle(&p, h);
        find_reach(&p, h);
    }
    free(p.root);
    free(p.top);
    free(p.low);
    free(p.pin[0]);
    free(p.pin[1]);
    free(p.way);
    return is_made ? 1 : failure_set(why, "not enough memory to choose pins");
}

void hang_free(hang *h)
{
    free(h->pins);
    h->pins = NULL;
}
