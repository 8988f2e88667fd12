#include "mesh_faults.h"

#include <stdlib.h>
#include <string.h>

#include "mesh_report.h"

const mesh_fault_words *mesh_fault_words_of(mesh_fault_kind kind)
{
    static const mesh_fault_words words[MESH_FAULT_KINDS] = {
        {"triangles name a vertex twice", NULL, 0, 0},
        {"triangles have two corners at one place", NULL, 0, 0},
        {"triangles have no area", NULL, 0, 0},
        {"triangles are too large to compute their area", NULL, 0, 0},
        {"triangles are there twice", "as", 0, 0},
        {"triangles are the third, or a further one, at an edge", "at an edge of", 0, 0},
        {"triangles are oriented against the others", "against", 0, 0},
        {"triangles cannot be oriented as a neighbour: the surface has only one side", "beside", 0,
         0},
        {"triangles are needles", NULL, 1, 0},
        {"vertices without a triangle stay where they are", NULL, 1, 1}};
    return &words[kind];
}

/* A triangle by its vertices in ascending order. */
typedef struct triple {
    dc_index v[3], t;
} triple;

/* A side of a triangle by its ends in ascending order, and whether it runs so. */
typedef struct side {
    dc_index v[2], t;
    int is_forward;
} side;

/* The work arrays of a search, one number for each triangle where nothing else is said. A piece is
   named by one of its triangles, the root. */
typedef struct search {
    mesh_faults *faults;
    const dc_mesh_desc *mesh;
    char *is_none;       /* it has no area                                               */
    char *left_out;      /* it has no sides and no key                                   */
    triple *key;         /* (key_count)                                                  */
    struct side *side;   /* (side_count) up to three for each triangle                   */
    dc_index *root;      /* another one of its piece; in the end one for all             */
    char *is_against;    /* whether it faces the other way than that one                 */
    dc_index *neighbour; /* one that faces the other way, or DC_NONE                     */
    dc_index *balance;   /* at a root: triangles that face as it does, less the others   */
    char *is_one_sided;  /* at a root                                                    */
    dc_index key_count, side_count;
} search;

static void note(search *s, mesh_fault_kind kind, dc_index element, dc_index other)
{
    mesh_fault *f = &s->faults->of[kind];
    if (f->count < MESH_FAULTS_KEPT) f->element[f->count] = element, f->other[f->count] = other;
    f->count++;
}

/* ---- Triangles by themselves ---- */

static int is_same_place(dc_vec3 a, dc_vec3 b)
{
    return !(a.x < b.x) && !(a.x > b.x) && !(a.y < b.y) && !(a.y > b.y) && !(a.z < b.z) &&
           !(a.z > b.z);
}

/* What the library says of a mesh of this triangle alone. `memory` is large enough for one. */
static void judge_triangle(search *s, dc_index t, void *memory, size_t bytes)
{
    static const dc_index corners[3] = {0, 1, 2};
    const dc_index *v = &s->mesh->triangles[3 * t];
    const dc_vec3 *x = s->mesh->positions;
    dc_vec3 positions[3];
    dc_mesh_desc alone;
    dc_mesh mesh;
    dc_error error;
    s->is_none[t] = s->left_out[t] = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
    if (s->left_out[t]) {
        note(s, MESH_FAULT_REPEATED, t, DC_NONE);
        return;
    }
    positions[0] = x[v[0]], positions[1] = x[v[1]], positions[2] = x[v[2]];
    memset(&alone, 0, sizeof alone);
    alone.vertex_count = 3;
    alone.triangle_count = 1;
    alone.positions = positions;
    alone.triangles = corners;
    if (dc_mesh_init(&alone, memory, bytes, &mesh, &error) == DC_OK) {
        if (mesh_is_sliver(&mesh, 0)) note(s, MESH_DOUBT_NEEDLE, t, DC_NONE);
        return;
    }
    s->is_none[t] = 1;
    if (is_same_place(positions[0], positions[1]) || is_same_place(positions[1], positions[2]) ||
        is_same_place(positions[2], positions[0]))
        note(s, MESH_FAULT_SHORT, t, DC_NONE);
    else
        note(s, strstr(error.what, "too large") ? MESH_FAULT_LARGE : MESH_FAULT_FLAT, t, DC_NONE);
}

static int judge_triangles(search *s)
{
    size_t bytes = dc_mesh_bytes(3, 1);
    void *memory = malloc(bytes);
    dc_index t;
    if (memory == NULL) return 0;
    for (t = 0; t < s->mesh->triangle_count; t++) judge_triangle(s, t, memory, bytes);
    free(memory);
    return 1;
}

/* ---- Twins ---- */

static int compare_index(dc_index a, dc_index b)
{
    return (a > b) - (a < b);
}

static void put_in_order(dc_index *a, dc_index *b)
{
    dc_index swap = *a;
    if (*a > *b) *a = *b, *b = swap;
}

static int compare_vertices(const triple *a, const triple *b)
{
    int order = compare_index(a->v[0], b->v[0]);
    if (order == 0) order = compare_index(a->v[1], b->v[1]);
    return order != 0 ? order : compare_index(a->v[2], b->v[2]);
}

/* For qsort(): by vertices, then by number. */
static int compare_triples(const void *first, const void *second)
{
    const triple *a = first, *b = second;
    int order = compare_vertices(a, b);
    return order != 0 ? order : compare_index(a->t, b->t);
}

/* Writes the earlier triangle of each twin into twin_of (triangle_count); DC_NONE: it is none. */
static void find_twins(search *s, dc_index *twin_of)
{
    dc_index t, i, first = 0;
    s->key_count = 0;
    for (t = 0; t < s->mesh->triangle_count; t++) {
        triple *key = &s->key[s->key_count];
        twin_of[t] = DC_NONE;
        if (s->left_out[t]) continue;
        memcpy(key->v, &s->mesh->triangles[3 * t], sizeof key->v);
        put_in_order(&key->v[0], &key->v[1]);
        put_in_order(&key->v[1], &key->v[2]);
        put_in_order(&key->v[0], &key->v[1]);
        key->t = t;
        s->key_count++;
    }
    qsort(s->key, (size_t)s->key_count, sizeof *s->key, compare_triples);
    for (i = 1; i < s->key_count; i++) {
        if (compare_vertices(&s->key[first], &s->key[i]) != 0)
            first = i;
        else
            twin_of[s->key[i].t] = s->key[first].t;
    }
}

static void note_twins(search *s)
{
    dc_index *twin_of = s->neighbour /* borrowed */, t;
    find_twins(s, twin_of);
    for (t = 0; t < s->mesh->triangle_count; t++) {
        if (twin_of[t] == DC_NONE) continue;
        note(s, MESH_FAULT_TWIN, t, twin_of[t]);
        s->left_out[t] = 1;
    }
}

/* ---- Edges ---- */

static int compare_ends(const side *a, const side *b)
{
    int order = compare_index(a->v[0], b->v[0]);
    return order != 0 ? order : compare_index(a->v[1], b->v[1]);
}

/* For qsort(): by ends, then by triangle. */
static int compare_sides(const void *first, const void *second)
{
    const side *a = first, *b = second;
    int order = compare_ends(a, b);
    return order != 0 ? order : compare_index(a->t, b->t);
}

/* The sides of an edge stand together, those of earlier triangles first. */
static void sort_sides(search *s)
{
    dc_index q;
    s->side_count = 0;
    for (q = 0; q < 3 * s->mesh->triangle_count; q++) {
        dc_index from = s->mesh->triangles[q];
        dc_index to = s->mesh->triangles[q % 3 == 2 ? q - 2 : q + 1];
        side *own = &s->side[s->side_count];
        if (s->left_out[q / 3]) continue;
        own->is_forward = from < to;
        own->v[0] = own->is_forward ? from : to;
        own->v[1] = own->is_forward ? to : from;
        own->t = q / 3;
        s->side_count++;
    }
    qsort(s->side, (size_t)s->side_count, sizeof *s->side, compare_sides);
}

/* The number of sides of the edge that begins at place i. */
static dc_index count_sides(const search *s, dc_index i)
{
    dc_index end = i + 1;
    while (end < s->side_count && compare_ends(&s->side[i], &s->side[end]) == 0) end++;
    return end - i;
}

/* Each counts once, at whichever edge. */
static void note_thirds(search *s)
{
    dc_index *beside = s->neighbour /* borrowed */, i, k, t, count;
    for (t = 0; t < s->mesh->triangle_count; t++) beside[t] = DC_NONE;
    for (i = 0; i < s->side_count; i += count) {
        count = count_sides(s, i);
        for (k = 2; k < count; k++) beside[s->side[i + k].t] = s->side[i].t;
    }
    for (t = 0; t < s->mesh->triangle_count; t++)
        if (beside[t] != DC_NONE) note(s, MESH_FAULT_THIRD, t, beside[t]);
}

/* ---- Orientation ---- */

/* The root of a triangle's piece, and whether the triangle faces the other way than it. */
static dc_index find_root(search *s, dc_index t, int *is_against)
{
    *is_against = 0;
    while (s->root[t] != t) { /* halves the way for the next one */
        dc_index up = s->root[t];
        if (s->root[up] != up) {
            s->is_against[t] ^= s->is_against[up];
            s->root[t] = s->root[up];
        }
        *is_against ^= s->is_against[t];
        t = s->root[t];
    }
    return t;
}

/* Joins the pieces of two neighbours. */
static void join_sides(search *s, const side *a, const side *b)
{
    int a_is_against, b_is_against, is_against = a->is_forward == b->is_forward;
    dc_index a_root = find_root(s, a->t, &a_is_against);
    dc_index b_root = find_root(s, b->t, &b_is_against);
    if (is_against && s->neighbour[a->t] == DC_NONE) s->neighbour[a->t] = b->t;
    if (is_against && s->neighbour[b->t] == DC_NONE) s->neighbour[b->t] = a->t;
    is_against ^= a_is_against ^ b_is_against;
    if (a_root != b_root) {
        s->root[b_root] = a_root;
        s->is_against[b_root] = (char)is_against;
        s->is_one_sided[a_root] |= s->is_one_sided[b_root];
    } else if (is_against) {
        s->is_one_sided[a_root] = 1;
        note(s, MESH_FAULT_ONE_SIDED, b->t, a->t);
    }
}

static void join_neighbours(search *s)
{
    dc_index i, t, count;
    for (t = 0; t < s->mesh->triangle_count; t++) {
        s->root[t] = t;
        s->is_against[t] = s->is_one_sided[t] = 0;
        s->neighbour[t] = DC_NONE;
        s->balance[t] = 0;
    }
    for (i = 0; i < s->side_count; i += count) {
        count = count_sides(s, i);
        if (count > 1) join_sides(s, &s->side[i], &s->side[i + 1]);
    }
}

/* How many more triangles of a piece face as its root does than against it. */
static void weigh_pieces(search *s)
{
    int is_against;
    dc_index t;
    for (t = 0; t < s->mesh->triangle_count; t++) {
        dc_index root = find_root(s, t, &is_against);
        s->balance[root] += is_against ? -1 : 1;
    }
}

/* Those that face the other way than most of their piece; where there are as many, than its first. */
static void note_turned(search *s)
{
    int is_against;
    dc_index t;
    weigh_pieces(s);
    for (t = 0; t < s->mesh->triangle_count; t++) {
        dc_index root = find_root(s, t, &is_against);
        if (s->balance[root] == 0) s->balance[root] = is_against ? -1 : 1;
        if (!s->is_one_sided[root] && is_against == (s->balance[root] > 0))
            note(s, MESH_FAULT_TURNED, t, s->neighbour[t]);
    }
}

/* ---- Vertices ---- */

static int note_isolated(search *s)
{
    char *is_used = calloc((size_t)s->mesh->vertex_count, 1);
    dc_index q, v;
    if (is_used == NULL) return 0;
    for (q = 0; q < 3 * s->mesh->triangle_count; q++) is_used[s->mesh->triangles[q]] = 1;
    for (v = 0; v < s->mesh->vertex_count; v++)
        if (!is_used[v]) note(s, MESH_DOUBT_ISOLATED, v, DC_NONE);
    free(is_used);
    return 1;
}

static int allocate(search *s)
{
    size_t n = (size_t)s->mesh->triangle_count;
    s->is_none = malloc(n);
    s->left_out = malloc(n);
    s->side = malloc(3 * n * sizeof *s->side);
    s->key = malloc(n * sizeof *s->key);
    s->root = malloc(n * sizeof *s->root);
    s->neighbour = malloc(n * sizeof *s->neighbour);
    s->balance = malloc(n * sizeof *s->balance);
    s->is_against = malloc(n);
    s->is_one_sided = malloc(n);
    return s->is_none && s->left_out && s->side && s->key && s->root && s->neighbour &&
           s->balance && s->is_against && s->is_one_sided;
}

static void release(search *s)
{
    free(s->is_none);
    free(s->left_out);
    free(s->side);
    free(s->key);
    free(s->root);
    free(s->neighbour);
    free(s->balance);
    free(s->is_against);
    free(s->is_one_sided);
}

int mesh_faults_find(mesh_faults *f, const dc_mesh_desc *mesh, char *is_sound, failure *why)
{
    search s;
    dc_index t;
    int is_made;
    memset(f, 0, sizeof *f);
    memset(&s, 0, sizeof s);
    s.faults = f;
    s.mesh = mesh;
    is_made = allocate(&s) && judge_triangles(&s) && note_isolated(&s);
    if (is_made) {
        note_twins(&s);
        sort_sides(&s);
        note_thirds(&s);
        join_neighbours(&s);
        note_turned(&s);
        for (t = 0; is_sound != NULL && t < mesh->triangle_count; t++)
            is_sound[t] = !s.is_none[t] && !s.left_out[t];
    }
    release(&s);
    return is_made ? 1 : failure_set(why, "not enough memory to look for faults");
}
