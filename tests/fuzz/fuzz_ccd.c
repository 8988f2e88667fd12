/* Continuous collision of a vertex and a triangle, and of two edges; most of the features meet, or all
   but meet.

   - What is clear does not touch: decided by exact arithmetic (tests/support/sweep_referee.h), and at
     some times keeps further apart than the separation, by distances in long double.
   - Until the time of contact likewise. At that time the distance is as small as the separation and
     the resolution, it is the distance in the record, and that between the points of the weights,
     along the normal.
   - Numbers that are not finite are undecided; nothing else is if all are of moderate size and the
     features are no closer at the start than twice the resolution.
   - Asked again, it gives the same answer. */
#include "fuzz.h"

#include "../support/referee.h"
#include "../support/sweep_referee.h"

enum { TIMES = 9 };

typedef struct spot {
    long double x, y, z;
} spot;

typedef struct query {
    dc_vec3 start[4], end[4];
    dc_real separation;
    int is_edges;
} query;

/* ---- Distances ---- */

/* Seen from the first vertex, which may be far off. */
static spot spot_between(const query *q, int i, long double t)
{
    dc_vec3 start = dci_vec_sub(q->start[i], q->start[0]), end = dci_vec_sub(q->end[i], q->end[0]);
    spot p;
    p.x = (1 - t) * start.x + t * end.x;
    p.y = (1 - t) * start.y + t * end.y;
    p.z = (1 - t) * start.z + t * end.z;
    return p;
}

static spot spot_sub(spot a, spot b)
{
    spot d;
    d.x = a.x - b.x, d.y = a.y - b.y, d.z = a.z - b.z;
    return d;
}

static spot spot_axpy(spot a, long double s, spot b)
{
    a.x += s * b.x, a.y += s * b.y, a.z += s * b.z;
    return a;
}

static long double spot_dot(spot a, spot b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static spot spot_cross(spot a, spot b)
{
    spot c;
    c.x = a.y * b.z - a.z * b.y, c.y = a.z * b.x - a.x * b.z, c.z = a.x * b.y - a.y * b.x;
    return c;
}

static long double spot_size(spot a)
{
    return sqrtl(spot_dot(a, a));
}

static long double part_of(long double a, long double b)
{
    long double part = b > 0 ? a / b : 0;
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

static long double to_segment(spot p, spot a, spot b)
{
    spot way = spot_sub(b, a), off = spot_sub(p, a);
    return spot_size(spot_axpy(off, -part_of(spot_dot(off, way), spot_dot(way, way)), way));
}

/* The normal comes from the corner opposite the longest side, where least is lost. A triangle whose
   height may be rounding is its sides. */
static long double to_triangle(spot p, const spot *t)
{
    long double least = HUGE_VALL, side[3], size;
    int i, k = 0, inside;
    spot n;
    for (i = 0; i < 3; i++) {
        least = fminl(least, to_segment(p, t[(i + 1) % 3], t[(i + 2) % 3]));
        side[i] = spot_size(spot_sub(t[(i + 2) % 3], t[(i + 1) % 3]));
        if (side[i] > side[k]) k = i;
    }
    n = spot_cross(spot_sub(t[(k + 1) % 3], t[k]), spot_sub(t[(k + 2) % 3], t[k]));
    size = spot_size(n);
    inside = size > 1e-16L * side[k] * side[k];
    for (i = 0; i < 3; i++) {
        spot along = spot_sub(t[(i + 1) % 3], t[i]);
        inside &= spot_dot(spot_cross(along, spot_sub(p, t[i])), n) >= 0;
    }
    return inside ? fminl(least, fabsl(spot_dot(spot_sub(p, t[k]), n)) / size) : least;
}

/* Of the lines, if their nearest points are on both segments; else an end is nearest. */
static long double between_segments(const spot *x)
{
    spot u = spot_sub(x[1], x[0]), v = spot_sub(x[3], x[2]), w = spot_sub(x[0], x[2]);
    spot n = spot_cross(u, v);
    long double square = spot_dot(n, n), least;
    least = fminl(to_segment(x[0], x[2], x[3]), to_segment(x[1], x[2], x[3]));
    least = fminl(least, fminl(to_segment(x[2], x[0], x[1]), to_segment(x[3], x[0], x[1])));
    if (square > 0) {
        long double s = -spot_dot(spot_cross(w, v), n) / square;
        long double t = -spot_dot(spot_cross(w, u), n) / square;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
            least = fminl(least, spot_size(spot_axpy(spot_axpy(w, s, u), -t, v)));
    }
    return least;
}

static long double distance_at(const query *q, long double time)
{
    spot x[4];
    int i;
    for (i = 0; i < 4; i++) x[i] = spot_between(q, i, time);
    return q->is_edges ? between_segments(x) : to_triangle(x[0], x + 1);
}

/* ---- Queries ---- */

static dc_vec3 mixed(const dc_vec3 *x, const double *weight, int count)
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    int i;
    for (i = 0; i < count; i++) sum = dci_vec_axpy(sum, (dc_real)weight[i], x[i]);
    return sum;
}

/* Moves the first feature so that a point of it is at a point of the second at some time, or a little
   off. */
static void make_meet(fuzz_bytes *f, query *q)
{
    int first = q->is_edges ? 2 : 1, i;
    double w[4], time = fuzz_number(f, 0, 1), sum = 0;
    dc_vec3 start, end, off = fuzz_vec(f, -1, 1);
    double size = fuzz_once_in(f, 3) ? 0 : (double)fuzz_scale(f, 1e-16, 1e-2);
    w[0] = q->is_edges ? fuzz_number(f, 0, 1) : 1;
    w[1] = 1 - w[0];
    for (i = first; i < 4; i++) sum += w[i] = fuzz_number(f, 0, 1);
    for (i = first; i < 4; i++) w[i] = sum > 0 ? w[i] / sum : i == 3;
    start = dci_vec_sub(mixed(q->start + first, w + first, 4 - first), mixed(q->start, w, first));
    end = dci_vec_sub(mixed(q->end + first, w + first, 4 - first), mixed(q->end, w, first));
    start = dci_vec_axpy(dci_vec_scale((dc_real)(1 - time), start), (dc_real)time, end);
    start = dci_vec_axpy(start, (dc_real)size, off);
    for (i = 0; i < first; i++) {
        q->start[i] = dci_vec_add(q->start[i], start);
        q->end[i] = dci_vec_add(q->end[i], start);
    }
}

static query make_query(fuzz_bytes *f)
{
    query q;
    int i, kind = fuzz_int(f, 0, 15);
    q.is_edges = kind & 1;
    for (i = 0; i < 4; i++) q.start[i] = fuzz_vec(f, -2, 2);
    for (i = 0; i < 4; i++)
        q.end[i] = kind & 2 ? dci_vec_add(q.start[i], fuzz_vec(f, -0.1, 0.1)) : fuzz_vec(f, -2, 2);
    if (kind & 4) make_meet(f, &q);
    if (kind & 8)
        for (i = 0; i < 4; i++) { /* copies and standing still, for what is degenerate */
            int from = fuzz_int(f, 0, 15);
            if (from < 4) q.start[i] = q.start[from];
            if (from >= 4 && from < 8) q.end[i] = q.end[from - 4];
            if (from == 8) q.end[i] = q.start[i];
        }
    q.separation = fuzz_once_in(f, 2) ? 0 : fuzz_scale(f, 1e-12, 1);
    if (!(q.separation >= 0)) q.separation = 0; /* is the caller's to see to */
    if (fuzz_once_in(f, 8)) {
        dc_real scale = fuzz_scale(f, 1e-30, 1e30);
        for (i = 0; i < 4; i++) {
            q.start[i] = dci_vec_scale(scale, q.start[i]);
            q.end[i] = dci_vec_scale(scale, q.end[i]);
        }
    }
    return q;
}

/* The largest coordinate of a difference [m]; infinite or NaN if any is. */
static long double size_of(const query *q)
{
    long double size = 0;
    int i, k;
    for (i = 0; i < 4; i++) {
        if (!dci_vec_is_finite(q->start[i]) || !dci_vec_is_finite(q->end[i])) return HUGE_VALL;
        for (k = 0; k < i; k++) {
            dc_vec3 a = dci_vec_sub(q->start[i], q->start[k]),
                    b = dci_vec_sub(q->end[i], q->end[k]);
            size = fmaxl(size, fmaxl(dci_vec_largest(a), dci_vec_largest(b)));
        }
    }
    return size;
}

/* ---- Checks ---- */

static void check_apart(const query *q, long double until, long double size)
{
    static const long double ROUNDING = sizeof(dc_real) == 4 ? 1e-6L : 1e-15L; /* of differences */
    int i;
    for (i = 0; i <= TIMES; i++) {
        long double time = until * i / TIMES;
        REQUIRE(distance_at(q, time) > q->separation - ROUNDING * size);
    }
}

static void check_clear(const query *q, long double size)
{
    int i, is_in_reach = 1;
    check_apart(q, 1, size);
    for (i = 0; i < 4; i++) { /* of the referee's arithmetic */
        const dc_real *x = &q->start[i].x, *y = &q->end[i].x;
        int k;
        for (k = 0; k < 3; k++) {
            double a = fabs((double)x[k]), b = fabs((double)y[k]);
            is_in_reach &= a == 0 || (a > SWEEP_TINY && a < SWEEP_HUGE);
            is_in_reach &= b == 0 || (b > SWEEP_TINY && b < SWEEP_HUGE);
        }
    }
    if (is_in_reach)
        REQUIRE(
            !sweep_touches(q->start, q->end, q->is_edges ? SWEEP_EDGES : SWEEP_VERTEX_TRIANGLE));
}

/* Whether the features are neither short nor thin nor nearly parallel at that time: else weights are
   rounding. */
static int is_well_shaped(const query *q, long double time, long double size)
{
    static const long double LEAST = sizeof(dc_real) == 4 ? 0.05L : 1e-3L;
    spot x[4], u, v;
    int i;
    for (i = 0; i < 4; i++) x[i] = spot_between(q, i, time);
    u = q->is_edges ? spot_sub(x[1], x[0]) : spot_sub(x[2], x[1]);
    v = spot_sub(x[3], q->is_edges ? x[2] : x[1]);
    return spot_size(u) > LEAST * size && spot_size(v) > LEAST * size &&
           spot_size(spot_cross(u, v)) > LEAST * spot_size(u) * spot_size(v);
}

static void check_contact(const query *q, const dc_ccd_result *r, long double size)
{
    /* The resolution where the nearest point passes between a side and the inside. */
    static const long double COARSE = sizeof(dc_real) == 4 ? 3e-2L : 3e-5L;
    static const long double ROUNDING = sizeof(dc_real) == 4 ? 1e-5L : 1e-13L;
    long double distance = distance_at(q, r->time), sum[2] = {0, 0};
    long double coarse = COARSE * (size + q->separation);
    int first = q->is_edges ? 2 : 1, i;
    spot off = {0, 0, 0};
    REQUIRE(distance <= q->separation + coarse);
    REQUIRE(fabsl(distance - r->distance) <= coarse);
    for (i = 0; i < 4; i++) {
        REQUIRE(r->weight[i] >= -ROUNDING && r->weight[i] <= 1 + ROUNDING);
        sum[i >= first] += r->weight[i];
        off = spot_axpy(off, i < first ? -r->weight[i] : r->weight[i], spot_between(q, i, r->time));
    }
    REQUIRE(fabsl(sum[0] - 1) <= ROUNDING && fabsl(sum[1] - 1) <= ROUNDING);
    if (is_well_shaped(q, r->time, size)) REQUIRE(fabsl(spot_size(off) - distance) <= 16 * coarse);
    if (r->time > 0) check_apart(q, r->time, size);
}

static int run_ccd(const uint8_t *data, size_t size)
{
    static const long double LARGE = sizeof(dc_real) == 4 ? 1e5L : 1e40L; /* [m] */
    fuzz_bytes f = fuzz_begin(data, size);
    query q;
    dc_ccd_result r, again;
    long double extent, length;
    f.is_weird = fuzz_once_in(&f, 4);
    q = make_query(&f);
    extent = size_of(&q);
    memset(&r, 0, sizeof r);
    memset(&again, 0, sizeof again);
    r = q.is_edges ? dc_ccd_edge_edge(q.start, q.end, q.separation)
                   : dc_ccd_vertex_triangle(q.start, q.end, q.separation);
    again = q.is_edges ? dc_ccd_edge_edge(q.start, q.end, q.separation)
                       : dc_ccd_vertex_triangle(q.start, q.end, q.separation);
    REQUIRE(r.answer == again.answer && memcmp(&r.time, &again.time, sizeof r.time) == 0);
    REQUIRE(r.answer >= DC_CCD_CLEAR && r.answer <= DC_CCD_UNDECIDED);
    if (!isfinite(extent) || !isfinite(q.separation)) {
        REQUIRE(r.answer == DC_CCD_UNDECIDED);
        return 0;
    }
    if (r.answer == DC_CCD_CLEAR) check_clear(&q, extent);
    /* Squares of volumes are to be numbers. */
    if (!(extent > 1 / LARGE && extent < LARGE) || r.answer == DC_CCD_UNDECIDED) return 0;
    REQUIRE(r.time >= 0 && r.time <= 1);
    length = (long double)dci_norm(r.normal);
    REQUIRE(length == 0 || fabsl(length - 1) < (sizeof(dc_real) == 4 ? 1e-6L : 1e-14L));
    if (r.answer == DC_CCD_CONTACT) check_contact(&q, &r, extent);
    return 0;
}
