/* Random worlds of sheets, ribbons and obstacles, 100 steps each: every step is certified, and exact
   arithmetic agrees; or it is refused, and changes nothing. No step exceeds twice its bound of work.

   Arguments: how many worlds (200), the number of the first (1), and `small` for small steps. */
#include <math.h>
#include <string.h>

#include "test.h"

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include "fuzz/judge.h"

enum {
    SHEETS_MAX = 3,
    STRIPS_MAX = 2,
    THINGS_MAX = 3,
    BODIES_MAX = SHEETS_MAX + STRIPS_MAX + THINGS_MAX,
    STEPS = 100,
    STATUSES = 32
};

typedef struct random_world {
    uint64_t seed;
    dc_world_desc desc;
    dc_integrator integrator; /* of all bodies                                                    */
    dc_cloth_desc sheet[SHEETS_MAX];
    dc_vec3 *positions[SHEETS_MAX], *velocities[SHEETS_MAX];
    dc_index *triangles[SHEETS_MAX];
    dc_ribbon_desc strip[STRIPS_MAX];
    dc_obstacle_desc thing[THINGS_MAX];
    dc_vec3 thing_velocity[THINGS_MAX]; /* [m/s] */
    judged body[BODIES_MAX];
    int body_count;
    dc_info info;
    void *memory;
    dc_world *world;
    dc_error error;
} random_world;

/* Of all worlds together. */
typedef struct tally {
    long steps[STATUSES]; /* by status                                                            */
    long contacts;        /* steps with constraints of contact                                    */
    double work;          /* the most, as a part of the bound                                     */
} tally;

/* ---- Chance ---- */

/* G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, 2014. */
static uint64_t next_bits(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double any(random_world *w, double least, double most)
{
    return least + (most - least) * (double)(next_bits(&w->seed) >> 11) / 9007199254740992.0;
}

/* As often between 1 and 2 as between 10 and 20. */
static double any_scale(random_world *w, double least, double most)
{
    return exp(any(w, log(least), log(most)));
}

static int any_of(random_world *w, int count)
{
    return (int)(next_bits(&w->seed) % (uint64_t)count);
}

static dc_vec3 any_vector(random_world *w, double size)
{
    double x = any(w, -size, size), y = any(w, -size, size), z = any(w, -size, size);
    return dci_vec((dc_real)x, (dc_real)y, (dc_real)z);
}

/* ---- Bodies: each begins in a layer of its own, above the obstacles ---- */

static dc_vec3 tilted(dc_vec3 p, double lean)
{
    p.y += (dc_real)(lean * (double)p.x);
    return p;
}

static void add_sheet(random_world *w, double height)
{
    dc_index k = w->desc.cloth_count++, columns, rows, v, vertices, triangles;
    dc_real wide, high;
    dc_cloth_desc *d = w->sheet + k;
    double lean = any(w, -.2, .2), x = any(w, -.2, .2), z = any(w, -.2, .2);
    dc_vec3 velocity = any_vector(w, any_of(w, 2) ? 3 : 0);
    *d = dc_cloth_defaults();
    columns = (dc_index)(3 + any_of(w, 6));
    rows = (dc_index)(3 + any_of(w, 6));
    wide = (dc_real)any(w, .3, 1);
    high = (dc_real)any(w, .3, 1);
    vertices = DC_GRID_VERTICES(columns, rows);
    triangles = DC_GRID_TRIANGLES(columns, rows);
    w->positions[k] = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3));
    w->velocities[k] = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3));
    w->triangles[k] = (dc_index *)test_alloc(3 * (size_t)triangles * sizeof(dc_index));
    d->mesh =
        dc_grid(columns, rows, wide, high, DC_DIAGONALS_FORWARD, w->positions[k], w->triangles[k]);
    for (v = 0; v < vertices; v++) {
        dc_vec3 p = w->positions[k][v];
        dc_vec3 flat = dci_vec(p.x - wide / 2, 0, high / 2 - p.y);
        flat = dci_vec_scale((dc_real)(1 / sqrt(1 + lean * lean)), tilted(flat, lean));
        flat.z = high / 2 - p.y;
        w->positions[k][v] = dci_vec_add(flat, dci_vec((dc_real)x, (dc_real)height, (dc_real)z));
        w->velocities[k][v] = velocity;
    }
    d->start_velocities = w->velocities[k];
    d->element = (dc_element)any_of(w, 2);
    d->integrator = w->integrator;
    d->density = (dc_real)any_scale(w, .05, 2);
    d->bending = (dc_real)any_scale(w, 1e-6, 1e-3);
    d->thickness = (dc_real)any_scale(w, 1e-3, 1e-2);
    d->friction = (dc_real)any(w, 0, 1);
    d->drag_normal = d->drag_tangential = (dc_real)(any_of(w, 2) ? any(w, 0, 1) : 0);
    if (any_of(w, 4) == 0) d->solver.linear_solver = DC_LINEAR_CG;
    if (any_of(w, 3) == 0) d->pin_count = 1, d->pin_vertices = w->triangles[k];
}

static void add_strip(random_world *w, double height)
{
    dc_ribbon_desc *d = w->strip + w->desc.ribbon_count++;
    double turn = any(w, 0, 6.28);
    *d = dc_ribbon_defaults();
    d->segment_count = (dc_index)(4 + any_of(w, 9));
    d->length = (dc_real)any(w, .3, 1);
    d->width = (dc_real)any(w, .03, .1);
    d->along = dci_vec((dc_real)cos(turn), 0, (dc_real)sin(turn));
    d->normal = dci_vec(0, 1, 0);
    d->origin = dci_vec_axpy(dci_vec(0, (dc_real)height, 0), -d->length / 2, d->along);
    d->origin = dci_vec_add(d->origin, dci_vec((dc_real)any(w, -.2, .2), 0, 0));
    d->density = (dc_real)any_scale(w, .05, 2);
    d->bending = (dc_real)any_scale(w, 1e-5, 1e-2);
    d->thickness = (dc_real)any_scale(w, 1e-3, 1e-2);
    d->friction = (dc_real)any(w, 0, 1);
    d->drag = (dc_real)any(w, 0, 1);
    d->is_fixed = any_of(w, 4) == 0;
    d->integrator = w->integrator;
}

/* A floor, or something round below 0. */
static void add_thing(random_world *w)
{
    dc_index k = w->desc.obstacle_count++;
    dc_obstacle_desc *o = w->thing + k;
    dc_vec3 middle = any_vector(w, .3);
    memset(o, 0, sizeof *o);
    o->friction = (dc_real)any(w, 0, 1);
    if (k == 0 && any_of(w, 4) > 0) {
        o->kind = DC_OBSTACLE_PLANE;
        o->point[0] = dci_vec(0, (dc_real)any(w, -.8, -.5), 0);
        o->point[1] = dci_vec_add(o->point[0], dci_vec((dc_real)any(w, -.3, .3), 1, 0));
        return;
    }
    o->kind = any_of(w, 2) ? DC_OBSTACLE_SPHERE : DC_OBSTACLE_CAPSULE;
    o->radius = (dc_real)any(w, .05, .25);
    middle.y = -o->radius - DCI_R(.02);
    o->point[0] = o->point[1] = middle;
    if (o->kind == DC_OBSTACLE_CAPSULE)
        o->point[1] =
            dci_vec_add(middle, dci_vec((dc_real)any(w, .1, .5), 0, (dc_real)any(w, -.3, .3)));
    if (any_of(w, 3) == 0) w->thing_velocity[k] = any_vector(w, 1);
}

static void describe(random_world *w)
{
    int sheets = any_of(w, SHEETS_MAX + 1), strips = any_of(w, STRIPS_MAX + 1), i;
    int things = any_of(w, THINGS_MAX + 1);
    double height = .12;
    w->integrator = (dc_integrator)any_of(w, 2);
    w->desc = dc_world_defaults();
    w->desc.cloths = w->sheet;
    w->desc.ribbons = w->strip;
    w->desc.obstacles = w->thing;
    w->desc.collides = 1;
    if (sheets + strips == 0) sheets = 1;
    for (i = 0; i < things; i++) add_thing(w);
    for (; sheets + strips > 0; height += .25)
        if (any_of(w, sheets + strips) < sheets)
            add_sheet(w, height), sheets--;
        else
            add_strip(w, height), strips--;
}

static dc_status make_in(random_world *w, size_t bytes)
{
    free(w->memory);
    w->memory = test_alloc(bytes);
    return dc_world_init(&w->desc, w->memory, bytes, &w->world, &w->info, &w->error);
}

static dc_status make(random_world *w)
{
    size_t bytes = 0;
    dc_status status = make_in(w, bytes);
    while (status == DC_TOO_SMALL && w->error.needed > bytes)
        status = make_in(w, bytes = w->error.needed);
    return status;
}

/* In two of three worlds the work is bounded, in one of these by little; in another sixth of all by
   DC_REAL_TIME. */
static dc_status bound_work(random_world *w)
{
    int kind = any_of(w, 6);
    w->desc.takes_unconverged = kind % 2;
    if (kind == 1) {
        w->desc.quality = DC_REAL_TIME;
        return make(w);
    }
    if (kind == 0) return DC_OK;
    w->desc.work_max = 1;
    CHECK(make(w) == DC_BAD_ARGUMENT);
    w->desc.work_max = (uint64_t)(w->error.value * (kind < 4 ? 1.01 : 4));
    return make(w);
}

/* Soft cloth alone, of the only element that small steps have. */
static void take_small_steps(random_world *w)
{
    w->desc.ribbon_count = 0;
    if (w->desc.cloth_count == 0) add_sheet(w, 0.5);
    for (dc_index k = 0; k < w->desc.cloth_count; k++) {
        w->sheet[k].step = DC_STEP_SMALL;
        w->sheet[k].element = DC_ELEMENT_NONCONFORMING;
        w->sheet[k].bending *= DCI_R(0.01);
    }
}

static int open_world(random_world *w)
{
    return make(w) == DC_OK && bound_work(w) == DC_OK;
}

/* ---- Steps ---- */

static void begin_judging(random_world *w)
{
    dc_index i;
    for (i = 0; i < w->desc.cloth_count; i++) {
        const dc_mesh *m = dc_body_mesh(w->world, i);
        w->body[w->body_count] = judged_mesh(m->vertex_count, m->triangle_count, m->triangles);
        w->body[w->body_count++].self_contact = w->sheet[i].self_contact;
    }
    for (i = 0; i < w->desc.ribbon_count; i++) {
        const dc_mesh *m = dc_body_mesh(w->world, w->desc.cloth_count + i);
        w->body[w->body_count] = judged_mesh(m->vertex_count, m->triangle_count, m->triangles);
        w->body[w->body_count++].self_contact = w->strip[i].self_contact;
    }
    for (i = 0; i < w->desc.obstacle_count; i++)
        w->body[w->body_count++] = judged_obstacle(w->thing + i);
}

/* Obstacles go on from where the last step took them. */
static void move_things(random_world *w, double dt)
{
    dc_index i;
    for (i = 0; i < w->desc.obstacle_count; i++) {
        const dc_vec3 *now = dc_body_positions(w->world, w->world->moving_count + i);
        dc_vec3 to[3];
        int k, count = 1 + (w->thing[i].kind == DC_OBSTACLE_CAPSULE);
        if (w->thing[i].kind == DC_OBSTACLE_PLANE) continue;
        for (k = 0; k < count; k++) to[k] = dci_vec_axpy(now[k], (dc_real)dt, w->thing_velocity[i]);
        CHECK(dc_obstacle_move(w->world, w->world->moving_count + i, to, dci_vec(0, 0, 0), NULL) ==
              DC_OK);
    }
}

static void step(random_world *w, double dt, tally *t)
{
    dc_report report;
    uint64_t hash;
    dc_status status;
    int i, found[2];
    move_things(w, dt);
    for (i = 0; i < w->body_count; i++) judged_begin(w->body + i);
    hash = dc_world_hash(w->world);
    status = dc_world_step(w->world, (dc_real)dt, &report, &w->error);
    t->steps[status]++;
    t->contacts += status == DC_OK && report.counters.contact_rows > 0;
    if (w->desc.work_max > 0) {
        t->work = fmax(t->work, (double)report.work / (double)w->desc.work_max);
        CHECK(report.work <= 2 * w->desc.work_max);
    }
    judged_look_at_world(w->body, w->world, &w->desc);
    if (status != DC_OK) {
        CHECK(dc_world_hash(w->world) == hash && w->error.status == status && w->error.what);
        return;
    }
    CHECK(report.is_certified && report.unresolved == 0);
    for (i = 0; i < w->body_count; i++) CHECK(judged_is_finite(w->body + i));
    CHECK(!judged_any_touch(w->body, w->body_count, report.counters.world_substeps <= 1, found));
}

static void run(uint64_t number, int is_small, tally *t)
{
    random_world *w = (random_world *)test_alloc(sizeof *w);
    double dt;
    int i, is_open;
    w->seed = number;
    describe(w);
    dt = any_scale(w, .002, .017);
    if (is_small) take_small_steps(w);
    is_open = open_world(w);
    CHECK(is_open);
    if (is_open) {
        begin_judging(w);
        judged_look_at_world(w->body, w->world, &w->desc);
        for (i = 0; i < STEPS; i++) step(w, dt, t);
    } else
        printf("    %s\n", w->error.what);
    for (i = 0; i < w->body_count; i++) judged_free(w->body + i);
    for (i = 0; i < SHEETS_MAX; i++)
        free(w->positions[i]), free(w->velocities[i]), free(w->triangles[i]);
    free(w->memory);
    free(w);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 200, first = argc > 2 ? atoi(argv[2]) : 1, i, failed = 0;
    tally t;
    memset(&t, 0, sizeof t);
    for (i = first; i < first + count; i++) {
        int before = test_failures;
        test_shown = 0;
        run((uint64_t)i, argc > 3, &t);
        if (test_failures == before) continue;
        failed++;
        printf("FAILED: random world %d\n", i);
    }
    for (i = 0; i < STATUSES; i++)
        if (t.steps[i] > 0) printf("%6ld steps: %s\n", t.steps[i], dc_status_name((dc_status)i));
    printf("%6ld steps with contact; work at most %.2f of its bound\n", t.contacts, t.work);
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed > 0;
}
