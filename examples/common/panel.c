#include "panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int panel_init(panel *p, int capacity, failure *why)
{
    enum { FRAME = 3 }; /* corners of the triangle around all */
    size_t count = (size_t)capacity + FRAME;
    memset(p, 0, sizeof *p);
    p->capacity = capacity;
    p->seed = 1;
    p->points = malloc(count * sizeof *p->points);
    p->triangles = malloc(2 * 3 * count * sizeof *p->triangles);
    if (p->points && p->triangles) return 1;
    panel_free(p);
    return failure_set(why, "not enough memory for a panel of %d points", capacity);
}

void panel_free(panel *p)
{
    free(p->points);
    free(p->triangles);
    memset(p, 0, sizeof *p);
}

static int add_point(panel *p, double x, double y, failure *why)
{
    if (p->point_count == p->capacity)
        return failure_set(why, "a panel has more than %d points", p->capacity);
    p->points[p->point_count].x = x;
    p->points[p->point_count].y = y;
    p->point_count++;
    return 1;
}

/* -1 to 1; the generator of Numerical Recipes. */
static double random_part(uint32_t *seed)
{
    *seed = *seed * UINT32_C(1664525) + UINT32_C(1013904223);
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

int panel_outline(panel *p, double x, double y, failure *why)
{
    static const double JITTER = 1e-6; /* [m] so that no four points of an arc share a circle */
    x += JITTER * random_part(&p->seed);
    y += JITTER * random_part(&p->seed);
    if (!add_point(p, x, y, why)) return 0;
    p->outline_count++;
    return 1;
}

/* ---- Points inside ---- */

/* Distance from a segment [m]. */
static double distance(panel_point p, panel_point a, panel_point b)
{
    double x = b.x - a.x, y = b.y - a.y;
    double part = ((p.x - a.x) * x + (p.y - a.y) * y) / (x * x + y * y);
    part = fmin(fmax(part, 0), 1);
    x = a.x + part * x - p.x;
    y = a.y + part * y - p.y;
    return sqrt(x * x + y * y);
}

/* Whether a point is inside the outline, and further than `gap` from it. */
static int is_inside(const panel *p, panel_point at, double gap)
{
    int i, is_in = 0;
    for (i = 0; i < p->outline_count; i++) {
        panel_point a = p->points[i], b = p->points[(i + 1) % p->outline_count];
        if (gap > 0 && distance(at, a, b) < gap) return 0;
        if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x))
            is_in = !is_in;
    }
    return is_in;
}

static int fill_points(panel *p, double edge, failure *why)
{
    static const double JITTER = 0.2, GAP = 0.6, ROW = 0.8660254; /* of an edge */
    panel_point low = p->points[0], high = low, at;
    int i, row, column;
    for (i = 0; i < p->outline_count; i++) {
        low.x = fmin(low.x, p->points[i].x);
        low.y = fmin(low.y, p->points[i].y);
        high.x = fmax(high.x, p->points[i].x);
        high.y = fmax(high.y, p->points[i].y);
    }
    for (row = 0; low.y + row * ROW * edge < high.y; row++)
        for (column = 0; low.x + column * edge < high.x; column++) {
            at.x = low.x + edge * (column + row % 2 * 0.5 + JITTER * random_part(&p->seed));
            at.y = low.y + edge * (row * ROW + JITTER * random_part(&p->seed));
            if (is_inside(p, at, GAP * edge) && !add_point(p, at.x, at.y, why)) return 0;
        }
    return 1;
}

/* ---- Delaunay, by [Bowyer 1981] and [Watson 1981] ---- */

/* Whether d is inside the circle through a, b, c, which run counter-clockwise. */
static int is_in_circle(panel_point a, panel_point b, panel_point c, panel_point d)
{
    double ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y;
    double cx = c.x - d.x, cy = c.y - d.y;
    double aa = ax * ax + ay * ay, bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    return ax * (by * cc - bb * cy) - ay * (bx * cc - bb * cx) + aa * (bx * cy - by * cx) > 0;
}

static void remove_triangle(panel *p, int t)
{
    p->triangle_count--;
    memcpy(p->triangles + 3 * t, p->triangles + 3 * p->triangle_count, 3 * sizeof *p->triangles);
}

/* Takes the edge back if it is there the other way round: the cavity has it inside. */
static void add_rim(dc_index *rim, int *count, dc_index a, dc_index b)
{
    int i;
    for (i = 0; i < *count; i++)
        if (rim[2 * i] == b && rim[2 * i + 1] == a) {
            --*count;
            rim[2 * i] = rim[2 * *count];
            rim[2 * i + 1] = rim[2 * *count + 1];
            return;
        }
    rim[2 * *count] = a;
    rim[2 * *count + 1] = b;
    ++*count;
}

/* Removes the triangles whose circle holds the point, and joins their rim to it. */
static int insert_point(panel *p, dc_index v, failure *why)
{
    enum { RIM_MAX = 256 };
    dc_index rim[2 * RIM_MAX];
    int rim_count = 0, t, i;
    for (t = p->triangle_count - 1; t >= 0; t--) {
        const dc_index *w = p->triangles + 3 * t;
        if (!is_in_circle(p->points[w[0]], p->points[w[1]], p->points[w[2]], p->points[v]))
            continue;
        if (rim_count + 3 > RIM_MAX) return failure_set(why, "a panel's outline is too uneven");
        for (i = 0; i < 3; i++) add_rim(rim, &rim_count, w[i], w[(i + 1) % 3]);
        remove_triangle(p, t);
    }
    for (i = 0; i < rim_count; i++) {
        dc_index *w = p->triangles + 3 * p->triangle_count++;
        w[0] = rim[2 * i];
        w[1] = rim[2 * i + 1];
        w[2] = v;
    }
    return 1;
}

static void remove_outside(panel *p)
{
    int t;
    for (t = p->triangle_count - 1; t >= 0; t--) {
        const dc_index *w = p->triangles + 3 * t;
        panel_point middle = {0, 0};
        int i, is_frame = 0;
        for (i = 0; i < 3; i++) {
            middle.x += p->points[w[i]].x / 3;
            middle.y += p->points[w[i]].y / 3;
            is_frame |= w[i] >= p->point_count;
        }
        if (is_frame || !is_inside(p, middle, 0)) remove_triangle(p, t);
    }
}

int panel_fill(panel *p, double edge, failure *why)
{
    static const double FAR = 1e3; /* [m] the frame is a triangle around all */
    const panel_point frame[3] = {{-FAR, -FAR}, {FAR, -FAR}, {0, FAR}};
    dc_index v;
    int i;
    if (!fill_points(p, edge, why)) return 0;
    memcpy(p->points + p->point_count, frame, sizeof frame);
    for (v = 0; v < 3; v++) p->triangles[v] = p->point_count + v;
    p->triangle_count = 1;
    for (i = 0; i < p->point_count; i++) /* the outline last: on an arc all would share a circle */
        if (!insert_point(p, (p->outline_count + i) % p->point_count, why)) return 0;
    remove_outside(p);
    return 1;
}
