/* Whether a mesh crosses itself, decided by exact arithmetic.

   A number is an expansion: a sum of doubles that do not overlap, smallest first, as in J. Shewchuk,
   Adaptive precision floating-point arithmetic and fast robust geometric predicates, 1997. Sums and
   products of expansions are exact, so the sign of a determinant of coordinates is as well. */
#ifndef TEST_REFEREE_H
#define TEST_REFEREE_H

enum { EXPANSION_MAX = 256 };

typedef struct expansion {
    int count;
    double part[EXPANSION_MAX];
} expansion;

static void two_sum(double a, double b, double *sum, double *error)
{
    volatile double s = a + b, bb = s - a, aa = s - bb;
    *sum = s;
    *error = (a - aa) + (b - bb);
}

static void two_product(double a, double b, double *product, double *error)
{
    volatile double p = a * b, ca = 134217729.0 * a, cb = 134217729.0 * b;
    volatile double ah = ca - (ca - a), bh = cb - (cb - b);
    double al = a - ah, bl = b - bh;
    *product = p;
    *error = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
}

/* e += b */
static void expansion_add(expansion *e, double b)
{
    double carried = b;
    int i, kept = 0;
    DC_ASSERT(e->count < EXPANSION_MAX);
    for (i = 0; i < e->count; i++) {
        double error;
        two_sum(carried, e->part[i], &carried, &error);
        if (error != 0) e->part[kept++] = error;
    }
    if (carried != 0) e->part[kept++] = carried;
    e->count = kept;
}

static expansion expansion_difference(double a, double b)
{
    expansion e;
    e.count = 0;
    expansion_add(&e, a);
    expansion_add(&e, -b);
    return e;
}

/* to += sign a b */
static void expansion_add_product(expansion *to, const expansion *a, const expansion *b,
                                  double sign)
{
    int i, k;
    for (i = 0; i < a->count; i++)
        for (k = 0; k < b->count; k++) {
            double product, error;
            two_product(a->part[i], sign * b->part[k], &product, &error);
            expansion_add(to, error);
            expansion_add(to, product);
        }
}

static int expansion_sign(const expansion *e)
{
    double last = e->count > 0 ? e->part[e->count - 1] : 0;
    return (last > 0) - (last < 0);
}

/* What exact_side() tells, where rounded arithmetic is sure of it, else 0: Shewchuk's bound of the
   error, (7 + 56 u) u times the same sum of absolute values, u = 2^-53. Products that underflow are
   not in it, and are far below the least that counts. */
static int rounded_side(dc_vec3 a, dc_vec3 b, dc_vec3 c, dc_vec3 d)
{
    static const double BOUND = 8.0 / 9007199254740992.0, LEAST = 1e-200; /* [1], [m^3] */
    const dc_vec3 *from[3];
    double m[3][3], det = 0, size = 0;
    int row, i;
    from[0] = &b, from[1] = &c, from[2] = &d;
    for (row = 0; row < 3; row++) {
        m[row][0] = (double)from[row]->x - (double)a.x;
        m[row][1] = (double)from[row]->y - (double)a.y;
        m[row][2] = (double)from[row]->z - (double)a.z;
    }
    for (i = 0; i < 3; i++) {
        double up = m[0][i] * m[1][(i + 1) % 3], down = m[0][(i + 1) % 3] * m[1][i];
        det += (up - down) * m[2][(i + 2) % 3];
        size += (fabs(up) + fabs(down)) * fabs(m[2][(i + 2) % 3]);
    }
    if (!(fabs(det) > BOUND * size + LEAST)) return 0;
    return det > 0 ? 1 : -1;
}

/* The side of d on the plane of a, b, c: sign of (b - a) x (c - a) . (d - a). */
static int exact_side(dc_vec3 a, dc_vec3 b, dc_vec3 c, dc_vec3 d)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    const dc_vec3 *from[3];
    expansion m[3][3], total;
    int row, i, rounded = rounded_side(a, b, c, d);
    if (rounded != 0) return rounded;
    from[0] = &b, from[1] = &c, from[2] = &d;
    for (row = 0; row < 3; row++) {
        m[row][0] = expansion_difference((double)from[row]->x, (double)a.x);
        m[row][1] = expansion_difference((double)from[row]->y, (double)a.y);
        m[row][2] = expansion_difference((double)from[row]->z, (double)a.z);
    }
    total.count = 0;
    for (i = 0; i < 6; i++) {
        expansion pair;
        pair.count = 0;
        expansion_add_product(&pair, &m[0][order[i][0]], &m[1][order[i][1]], 1);
        expansion_add_product(&total, &pair, &m[2][order[i][2]], i < 3 ? 1 : -1);
    }
    return expansion_sign(&total);
}

/* Whether the edge p q goes through the inside of triangle a b c or touches it, unless all five points
   lie in one plane. */
static int exact_pierces(dc_vec3 p, dc_vec3 q, dc_vec3 a, dc_vec3 b, dc_vec3 c)
{
    int sp = exact_side(a, b, c, p), sq = exact_side(a, b, c, q), s0, s1, s2;
    if (sp * sq > 0 || (sp == 0 && sq == 0)) return 0;
    s0 = exact_side(p, q, a, b);
    s1 = exact_side(p, q, b, c);
    s2 = exact_side(p, q, c, a);
    return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

static dci_box referee_box(const dc_vec3 *x, const dc_index *vertex, int count)
{
    dci_box box = dci_box_of_point(x[vertex[0]]);
    int i;
    for (i = 1; i < count; i++) box = dci_box_join(box, dci_box_of_point(x[vertex[i]]));
    return box;
}

typedef struct referee_entry {
    dci_box box;
    dc_index triangle;
} referee_entry;

static int referee_compare(const void *a, const void *b)
{
    const referee_entry *p = (const referee_entry *)a, *q = (const referee_entry *)b;
    return (p->box.low.x > q->box.low.x) - (p->box.low.x < q->box.low.x);
}

/* The triangles of a mesh by the least x of their boxes. *widest: the largest extent in x [m]. */
static referee_entry *referee_sort(const dc_mesh *mesh, const dc_vec3 *x, dc_real *widest)
{
    dc_index t, count = mesh->triangle_count;
    referee_entry *entry = (referee_entry *)test_alloc((size_t)count * sizeof *entry);
    *widest = 0;
    for (t = 0; t < count; t++) {
        entry[t].triangle = t;
        entry[t].box = referee_box(x, mesh->triangles + 3 * t, 3);
        *widest = dci_max(*widest, entry[t].box.high.x - entry[t].box.low.x);
    }
    qsort(entry, (size_t)count, sizeof *entry, referee_compare);
    return entry;
}

/* The first entry with a box that begins at x or after it; `count` if there is none. */
static dc_index referee_find(const referee_entry *entry, dc_index count, dc_real x)
{
    dc_index low = 0, high = count;
    while (low < high) {
        dc_index middle = (low + high) / 2;
        if (entry[middle].box.low.x < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many edges of one mesh pierce triangles of another (or its own) without a common vertex. */
static int referee_count(const dc_mesh *edges, const dc_vec3 *edge_x, const dc_mesh *triangles,
                         const dc_vec3 *triangle_x)
{
    dc_real widest;
    referee_entry *entry = referee_sort(triangles, triangle_x, &widest);
    dc_index e, k, i;
    int count = 0;
    widest *= DCI_R(1.001); /* sums are rounded */
    for (e = 0; e < edges->edge_count; e++) {
        const dc_index *p = edges->edge_vertices + 2 * e;
        dci_box box = referee_box(edge_x, p, 2);
        k = referee_find(entry, triangles->triangle_count, box.low.x - widest);
        for (; k < triangles->triangle_count && entry[k].box.low.x <= box.high.x; k++) {
            const dc_index *v = triangles->triangles + 3 * entry[k].triangle;
            int is_adjacent = 0;
            for (i = 0; i < 3; i++)
                is_adjacent |= edges == triangles && (p[0] == v[i] || p[1] == v[i]);
            if (is_adjacent || !dci_box_overlaps(&box, &entry[k].box)) continue;
            count += exact_pierces(edge_x[p[0]], edge_x[p[1]], triangle_x[v[0]], triangle_x[v[1]],
                                   triangle_x[v[2]]);
        }
    }
    free(entry);
    return count;
}

#endif
