/* Where a sheet rests whose border is held to a curve: dc_drape_move_curve() leads it along. */
#include "rail.h"

#include <string.h>

enum {
    SPAN_POINTS = 24, /* of the curve, from a handle to the next one */
    POINTS = (RAIL_HANDLES - 1) * SPAN_POINTS + 1,
    COLUMNS_MAX = 64,
    LENGTH_ROUNDS = 20,
    ROOT_ROUNDS = 60,
    HALVINGS = 8,    /* of a move that is too long or bends the curve too much */
    PATIENCE = 8,    /* iterations after which the curve moves on, whatever the strain */
    ITERATIONS = 300 /* without a move, until the sheet is at its limit */
};

static const double SLACK = 0.02;        /* of the border's length: arcs are longer than chords */
static const double LENGTH_ERROR = 1e-3; /* of the curve, relative */
static const double LENGTH_TOLERANCE = 1e-4; /* of the sheet at rest; floats reach no less */
static const double FOLLOWED = 1e-2;         /* strain of a sheet that has followed its curve */
static const double HAND_SPEED = 2;          /* [m/s] the most of a handle */
static const double STEP_MAX = 0.8; /* edges by which the curve moves at once; from 1 on, the
                                              drape would begin anew */
static const double BEND_MAX = 2;   /* [rad] between two spans */

typedef struct rail_curve {
    dc_vec3 handle[RAIL_HANDLES], point[POINTS];
} rail_curve;

typedef struct rail {
    dc_drape_desc desc;
    dc_curve_desc hold;
    dc_index run[COLUMNS_MAX + 1]; /* the border */
    dc_drape *drape;
    void *memory;
    size_t bytes;
    dc_vec3 *start; /* (vertices) [m] from where a search begins */
    rail_curve curve;
    double length;  /* [m] of the curve */
    double edge;    /* [m] of the border */
    double gravity; /* [m/s^2] for which it was planned */
    double surface_density;
    int waited;      /* iterations since the curve moved, or the search began */
    int is_repeated; /* whether the search for this curve was begun anew */
} rail;

/* ---- The curve ---- */

/* A Catmull-Rom spline through the handles; beyond the ends it would go straight on. */
static void draw_curve(rail_curve *c)
{
    const dc_vec3 *h = c->handle;
    int k;
    for (k = 0; k < POINTS - 1; k++) {
        int span = k / SPAN_POINTS;
        double t = (double)(k % SPAN_POINTS) / SPAN_POINTS, u = 1 - t;
        dc_vec3 before, after, sum;
        before = span > 0 ? h[span - 1] : vec_axpy(vec_scale(2, h[0]), -1, h[1]);
        after = span + 2 < RAIL_HANDLES ? h[span + 2]
                                        : vec_axpy(vec_scale(2, h[span + 1]), -1, h[span]);
        sum = vec_scale(-0.5 * t * u * u, before);
        sum = vec_axpy(sum, 1 + t * t * (1.5 * t - 2.5), h[span]);
        sum = vec_axpy(sum, 1 + u * u * (1.5 * u - 2.5), h[span + 1]);
        c->point[k] = vec_axpy(sum, -0.5 * u * t * t, after);
    }
    c->point[POINTS - 1] = h[RAIL_HANDLES - 1];
}

static double curve_length(const rail_curve *c)
{
    double sum = 0;
    int k;
    for (k = 0; k + 1 < POINTS; k++) sum += vec_length(vec_sub(c->point[k + 1], c->point[k]));
    return sum;
}

/* The gradient of the length with respect to a handle, by differences. */
static dc_vec3 length_gradient(const rail_curve *c, int handle)
{
    static const double STEP = 1e-3; /* [m] */
    double slope[3];
    int axis;
    for (axis = 0; axis < 3; axis++) {
        dc_vec3 step = vec_make(axis == 0 ? STEP : 0, axis == 1 ? STEP : 0, axis == 2 ? STEP : 0);
        rail_curve low = *c, high = *c;
        low.handle[handle] = vec_sub(c->handle[handle], step);
        high.handle[handle] = vec_add(c->handle[handle], step);
        draw_curve(&low);
        draw_curve(&high);
        slope[axis] = (curve_length(&high) - curve_length(&low)) / (2 * STEP);
    }
    return vec_make(slope[0], slope[1], slope[2]);
}

/* Moves the handles other than `held` by the least that gives the curve its length. */
static int keep_length(rail_curve *c, int held, double length)
{
    int round, k;
    for (round = 0; round < LENGTH_ROUNDS; round++) {
        dc_vec3 gradient[RAIL_HANDLES];
        double error, sum = 0;
        draw_curve(c);
        error = curve_length(c) - length;
        if (error < LENGTH_ERROR * length && error > -LENGTH_ERROR * length) return 1;
        for (k = 0; k < RAIL_HANDLES; k++) {
            gradient[k] = k == held ? vec_make(0, 0, 0) : length_gradient(c, k);
            sum += vec_dot(gradient[k], gradient[k]);
        }
        if (!(sum > 0)) return 0;
        for (k = 0; k < RAIL_HANDLES; k++)
            c->handle[k] = vec_axpy(c->handle[k], -error / sum, gradient[k]);
    }
    return 0;
}

/* Whether no handle bends the curve by more than BEND_MAX. */
static int is_gentle(const rail_curve *c)
{
    int k;
    for (k = 1; k + 1 < RAIL_HANDLES; k++) {
        dc_vec3 a = vec_sub(c->handle[k], c->handle[k - 1]);
        dc_vec3 b = vec_sub(c->handle[k + 1], c->handle[k]);
        if (!(vec_dot(a, b) > vec_cos(BEND_MAX) * vec_length(a) * vec_length(b))) return 0;
    }
    return 1;
}

static double curve_distance(const rail_curve *a, const rail_curve *b)
{
    double most = 0;
    int k;
    for (k = 0; k < POINTS; k++) {
        double distance = vec_length(vec_sub(a->point[k], b->point[k]));
        if (distance > most) most = distance;
    }
    return most;
}

/* Moves a handle towards a place, as far as the curve allows. 0: it stays. */
static int bend_curve(rail *r, int handle, dc_vec3 to, double most)
{
    dc_vec3 way = vec_sub(to, r->curve.handle[handle]);
    double length = vec_length(way), part = length > most ? most / length : 1;
    int k;
    if (!(length > 0)) return 0;
    for (k = 0; k < HALVINGS; k++, part /= 2) {
        rail_curve next = r->curve;
        next.handle[handle] = vec_axpy(next.handle[handle], part, way);
        if (!keep_length(&next, handle, r->length) || !is_gentle(&next)) continue;
        if (!(curve_distance(&next, &r->curve) < STEP_MAX * r->edge)) continue;
        r->curve = next;
        return 1;
    }
    return 0;
}

/* ---- The drape ---- */

/* By Newton's method: the module has no cbrt(). */
static double cube_root(double x)
{
    double root = 1;
    int k;
    for (k = 0; k < ROOT_ROUNDS; k++) root = (2 * root + x / (root * root)) / 3;
    return root;
}

/* Gravity and bending of the sliders; without gravity any length means that there is bending. */
static void weigh(page *p, rail *r)
{
    double gravity = p->setting[PAGE_GRAVITY], size = gravity < 0 ? -gravity : gravity;
    double bending = 1e-6 * p->setting[PAGE_BENDING];
    r->gravity = gravity;
    r->desc.down = vec_make(0, -gravity, 0);
    r->desc.bending_length = -1;
    if (size > 0)
        r->desc.bending_length = (dc_real)cube_root(bending / (r->surface_density * size));
}

/* The figures of the page. */
static void tell(page *p, const rail *r)
{
    const dc_drape_report report = dc_drape_look(r->drape);
    page_rest *rest = &p->own.rest;
    rest->iterations = report.iterations;
    rest->distance = (double)report.curve_distance;
    rest->strain = (double)report.strain_max;
    rest->state = report.state == DC_DRAPE_MOVING ? PAGE_SEARCHES : PAGE_AT_REST;
    if (report.state == DC_DRAPE_AT_LIMIT) rest->state = PAGE_AT_LIMIT;
    p->report.is_certified = report.is_certified;
    p->report.counters.contact_rows = report.contacts;
    p->own.positions = dc_drape_positions(r->drape);
}

/* Begins the search at r->start, for the curve as it is. 0 after an error. */
static int search(page *p, rail *r)
{
    weigh(p, r);
    if (dc_drape_init(&r->desc, r->memory, r->bytes, &r->drape, &p->info, &p->error) != DC_OK)
        return 0;
    r->waited = 0;
    tell(p, r);
    return 1;
}

/* The drape takes the place of the one before. */
static void search_from_here(page *p, rail *r)
{
    memcpy(r->start, p->own.positions, (size_t)p->own.mesh.vertex_count * sizeof *r->start);
    r->desc.noise = 0; /* which could make folds cross */
    if (search(p, r)) return;
    r->drape = NULL;
    p->own.positions = r->start;
}

/* Hangs the sheet from the curve, straight down. */
static void hang(rail *r, page_cloth *cloth, double width, double height)
{
    dc_index v;
    for (v = 0; v < cloth->desc.mesh.vertex_count; v++) {
        double place = (double)cloth->flat[v].x / width * (POINTS - 1);
        int k = (int)place < POINTS - 2 ? (int)place : POINTS - 2;
        dc_vec3 step = vec_sub(r->curve.point[k + 1], r->curve.point[k]);
        cloth->positions[v] = vec_axpy(r->curve.point[k], place - k, step);
        cloth->positions[v].y -= (dc_real)(height - (double)cloth->flat[v].y);
        r->start[v] = cloth->positions[v];
    }
}

static void describe(rail *r, const page_cloth *cloth, int columns)
{
    dc_index vertices = cloth->desc.mesh.vertex_count;
    int k;
    for (k = 0; k <= columns; k++) r->run[k] = vertices - columns - 1 + k;
    r->hold.vertices = r->run;
    r->hold.vertex_count = columns + 1;
    r->hold.points = r->curve.point;
    r->hold.point_count = POINTS;
    r->desc = dc_drape_defaults();
    r->desc.mesh = cloth->desc.mesh;
    r->desc.start_positions = r->start;
    r->desc.curves = &r->hold;
    r->desc.curve_count = 1;
    r->desc.friction = cloth->desc.friction;
    r->desc.tolerance = (dc_real)LENGTH_TOLERANCE;
    r->desc.solver.iteration_max = ITERATIONS;
}

/* Begins the search in what is left of the block, and keeps what that took for the next ones. */
static int search_first(page *p, rail *r)
{
    r->memory = p->memory + p->used;
    r->bytes = p->bytes - p->used;
    if (!search(p, r)) {
        p->error.needed += p->used;
        return 0;
    }
    r->bytes = p->info.bytes;
    p->used += r->bytes;
    return 1;
}

void rail_open(page *p, page_cloth *cloth, int columns, const dc_vec3 *handles)
{
    dc_index vertices = cloth->desc.mesh.vertex_count;
    dc_vec2 size = cloth->flat[vertices - 1];
    size_t begin = p->used;
    rail *r = page_take(p, 1, sizeof *r);
    dc_vec3 *start = page_take(p, vertices, sizeof *start);
    if (!r || !start) return;
    memset(r, 0, sizeof *r);
    r->start = start;
    r->edge = (double)size.x / columns;
    r->length = (1 + SLACK) * (double)size.x;
    r->surface_density = (double)cloth->desc.density;
    memcpy(r->curve.handle, handles, sizeof r->curve.handle);
    if (columns > COLUMNS_MAX) page_fail(p, "more columns than COLUMNS_MAX");
    if (!keep_length(&r->curve, DC_NONE, r->length))
        page_fail(p, "the curve cannot have the length of the border");
    if (p->error.status != DC_OK) return;
    hang(r, cloth, (double)size.x, (double)size.y);
    describe(r, cloth, columns);
    p->desc.cloth_count--;
    p->desc.collides = 1; /* with itself */
    if (!search_first(p, r)) return;
    p->own.label = cloth->label;
    p->own.mesh = *dc_drape_mesh(r->drape);
    p->own.flat = cloth->flat;
    p->own.state = r;
    p->own.bytes = p->used - begin - r->bytes; /* those are the drape's */
    p->own.curve = r->curve.point;
    p->own.point_count = POINTS;
    p->own.handle = r->curve.handle;
    p->own.handle_count = RAIL_HANDLES;
}

/* ---- Iterations ---- */

void rail_step(page *p)
{
    rail *r = p->own.state;
    dc_drape_report report;
    double most = HAND_SPEED / p->setting[PAGE_RATE];
    int is_held = p->grip == PAGE_GRIP_HANDLE, has_followed;
    if (!r->drape) page_fail(p, "the search could not begin anew: reset the scene");
    if (p->error.status != DC_OK) return;
    report = dc_drape_look(r->drape);
    has_followed = (double)report.strain_max < FOLLOWED;
    if (r->gravity != p->setting[PAGE_GRAVITY]) {
        r->is_repeated = 0;
        search_from_here(p, r);
    }
    if (p->error.status != DC_OK) return;
    if (is_held && (report.state != DC_DRAPE_MOVING || has_followed || r->waited >= PATIENCE) &&
        bend_curve(r, p->item, p->target, most)) {
        r->waited = r->is_repeated = 0;
        /* The first iteration after a change only prepares the next ones. */
        if (dc_drape_move_curve(r->drape, 0, r->curve.point, &p->error) != DC_OK ||
            dc_drape_iterate(r->drape, NULL, &p->error) != DC_OK)
            return;
    }
    if (dc_drape_iterate(r->drape, &report, &p->error) != DC_OK) return;
    r->waited++;
    tell(p, r);
    if (report.state != DC_DRAPE_AT_LIMIT || is_held || r->is_repeated) return;
    r->is_repeated = 1;
    search_from_here(p, r);
}
