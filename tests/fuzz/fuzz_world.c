/* Whole worlds: a description with cloths, ribbons and obstacles of all kinds, and a sequence of calls:
   steps of all sizes, pins, clamps, obstacles, gravity, wind, forces, corrections, attachments,
   settling, relaxing, measuring.

   - Every status is one that devcloth.h names for its call; the record of a failure has it, the
     function, a sentence, and bodies and elements that are there.
   - A block that grows by what was needed comes to info.bytes, and one byte less is refused. The
     description's arrays are gone once it is made.
   - A twin of the world, in other memory, is told all calls that went well, and no others; its hash is
     the same after every call. So calls that fail, and calls that only look, change nothing.
   - After every call all positions and velocities, and what is measured, are finite.
   - A certified step ends without crossings, and if it was done in one part nothing crossed on the
     way, by exact arithmetic (judge.h).
   - Steps go for as long as they were asked to; lengths and what is held are within their tolerances.
     A ribbon's corner that follows a vertex is there.
   - The work in the report is bounded by what the description allows. */
#include "fuzz.h"

#include "judge.h"
#include "shapes.h"

enum {
    CLOTHS_MAX = 2,
    RIBBONS_MAX = 2,
    BODIES_MAX = CLOTHS_MAX + RIBBONS_MAX + OBSTACLES_MAX,
    SEGMENTS_MAX = 12,
    PINS_MAX = 4,
    HOLDS_MAX = 3,
    CALLS_MAX = 10,
    PAIRS_SHOWN = 4
};

/* All that a description points at. */
typedef struct cloth_parts {
    fuzz_mesh mesh;
    dc_vec3 *start_positions, *start_velocities, *rest_positions;
    dc_index *pins;
    dc_clamp_desc *clamps;
} cloth_parts;

typedef struct ribbon_parts {
    dc_real *creases, *angles;
    dc_vec3 *velocities;
    dc_attachment_desc *holds;
} ribbon_parts;

/* What the checks have to know when the description is gone. */
typedef struct known_cloth {
    dc_index vertex_count, triangle_count, pin_count, clamp_count, newton_max, halvings_max;
    dc_real tolerance;
    int is_cg;
} known_cloth;

typedef struct known_hold {
    dc_index corner;       /* of the ribbon that is held, or DC_NONE                              */
    dc_index body, vertex; /* that it follows, or DC_NONE                                         */
    int is_hard, is_held;
    int is_tied; /* it acts on its body, too, and has other tolerances                           */
} known_hold;

typedef struct known_ribbon {
    dc_index vertex_count, segment_count, hold_count, iteration_max, round_max;
    dc_real tolerance;
    known_hold hold[HOLDS_MAX];
    int has_ties;
    unsigned tied; /* a bit for each obstacle without triangles that it is attached to           */
} known_ribbon;

typedef struct scene {
    fuzz_bytes *f;
    dc_world_desc desc;
    dc_cloth_desc cloth[CLOTHS_MAX];
    dc_ribbon_desc ribbon[RIBBONS_MAX];
    dc_obstacle_desc obstacle[OBSTACLES_MAX];
    cloth_parts cloth_part[CLOTHS_MAX];
    ribbon_parts ribbon_part[RIBBONS_MAX];
    fuzz_mesh obstacle_mesh[OBSTACLES_MAX];
    known_cloth known_cloth[CLOTHS_MAX];
    known_ribbon known_ribbon[RIBBONS_MAX];
    judged body[BODIES_MAX];
    int body_count;
    fuzz_block memory, twin_memory;
    dc_info info;
    dc_world *world, *twin;
    dc_report report;
    dc_error error;
} scene;

/* ---- Cloths ---- */

static dc_vec3 *moved_positions(fuzz_bytes *f, const fuzz_mesh *m, double far)
{
    dc_vec3 *x = (dc_vec3 *)test_alloc((size_t)m->desc.vertex_count * sizeof(dc_vec3));
    dc_real scale = fuzz_real(f, 0.9, 1.05);
    dc_index v;
    for (v = 0; v < m->desc.vertex_count; v++)
        x[v] = dci_vec_add(dci_vec_scale(scale, m->positions[v]), fuzz_vec(f, -far, far));
    return x;
}

/* Something else than the plane: rolled up, or anything. */
static dc_vec3 *curved_positions(fuzz_bytes *f, const fuzz_mesh *m)
{
    dc_vec3 *x = moved_positions(f, m, 0.05);
    dc_real bend = fuzz_real(f, -2, 2);
    dc_index v;
    for (v = 0; v < m->desc.vertex_count; v++) x[v].z += bend * x[v].x * x[v].x;
    return x;
}

static void make_pins(fuzz_bytes *f, dc_cloth_desc *d, cloth_parts *p)
{
    dc_index i, k;
    d->pin_count = fuzz_int(f, 0, PINS_MAX);
    p->pins = (dc_index *)test_alloc((size_t)d->pin_count * sizeof(dc_index));
    for (i = 0; i < d->pin_count; i++) {
        p->pins[i] = fuzz_int(f, 0, (int)d->mesh.vertex_count - 1);
        for (k = 0; k < i && !f->is_weird; k++)
            if (p->pins[k] == p->pins[i]) p->pins[i] = (p->pins[i] + 1) % d->mesh.vertex_count;
    }
    d->pin_vertices = p->pins;
}

/* Sides of triangles, many of which are not on the border. */
static void make_clamps(fuzz_bytes *f, dc_cloth_desc *d, cloth_parts *p)
{
    dc_index i;
    d->clamp_count = fuzz_once_in(f, 3) ? fuzz_int(f, 1, 2) : 0;
    p->clamps = (dc_clamp_desc *)test_alloc((size_t)d->clamp_count * sizeof(dc_clamp_desc));
    for (i = 0; i < d->clamp_count; i++) {
        dc_index corner = fuzz_int(f, 0, (int)(3 * d->mesh.triangle_count) - 1);
        p->clamps[i].vertex0 = d->mesh.triangles[corner];
        p->clamps[i].vertex1 = d->mesh.triangles[corner / 3 * 3 + (corner + 1) % 3];
    }
    d->clamps = p->clamps;
}

static void make_material(fuzz_bytes *f, dc_cloth_desc *d)
{
    d->density = fuzz_scale(f, 0.01, 2);
    d->bending = fuzz_once_in(f, 8) ? 0 : fuzz_scale(f, 1e-7, 1e-2);
    d->bending_damping = fuzz_once_in(f, 4) ? fuzz_scale(f, 1e-4, 0.1) : 0;
    d->jump_gamma = fuzz_once_in(f, 8) ? 0 : fuzz_scale(f, 1e-3, 1);
    d->jump_beta = fuzz_once_in(f, 8) ? 0 : fuzz_scale(f, 1e-3, 1);
    d->jump_damping = fuzz_once_in(f, 4) ? 0 : fuzz_scale(f, 1e-4, 0.1);
    d->thickness = fuzz_scale(f, 1e-4, 0.1);
    d->friction = fuzz_real(f, 0, 1);
    d->self_contact = fuzz_once_in(f, 2);
    d->drag_normal = fuzz_once_in(f, 3) ? fuzz_scale(f, 1e-3, 10) : 0;
    d->drag_tangential = fuzz_once_in(f, 3) ? fuzz_scale(f, 1e-3, 10) : 0;
}

static void make_method(fuzz_bytes *f, dc_cloth_desc *d)
{
    d->element = (dc_element)fuzz_enum(f, 2);
    d->integrator = (dc_integrator)fuzz_enum(f, 2);
    d->solver.linear_solver = (dc_linear_solver)fuzz_enum(f, 2);
    d->grab_capacity = d->mesh.vertex_count % 3;
}

/* Conjugate gradients inside conjugate gradients take long. */
static void make_limits(fuzz_bytes *f, dc_cloth_desc *d)
{
    int is_slow = d->solver.linear_solver == DC_LINEAR_CG;
    if (is_slow) d->solver.iteration_max = 8;
    if (fuzz_once_in(f, 2)) return;
    d->tolerance = fuzz_scale(f, 1e-6, 1e-2);
    d->solver.residual_tol = fuzz_scale(f, 1e-2, 10);
    d->solver.cg_tol = fuzz_scale(f, 1e-4, 0.5);
    d->solver.iteration_max = fuzz_int(f, f->is_weird ? 0 : 1, is_slow ? 8 : 16);
    (void)fuzz_int(f, f->is_weird ? 0 : 1,
                   is_slow ? 40 : 200); /* recorded inputs have bytes here */
}

static void make_cloth(fuzz_bytes *f, dc_cloth_desc *d, cloth_parts *p)
{
    *d = dc_cloth_defaults();
    p->mesh = fuzz_mesh_make(f, TRIANGLES_MAX);
    fuzz_mesh_place(f, &p->mesh);
    d->mesh = p->mesh.desc;
    make_pins(f, d, p);
    make_clamps(f, d, p);
    make_material(f, d);
    make_method(f, d);
    make_limits(f, d);
    d->solver.halvings_max = fuzz_int(f, f->is_weird ? -1 : 0, 2);
    if (fuzz_once_in(f, 3)) p->start_positions = moved_positions(f, &p->mesh, 0.02);
    if (fuzz_once_in(f, 3)) p->rest_positions = curved_positions(f, &p->mesh);
    if (fuzz_once_in(f, 3)) {
        dc_index v;
        p->start_velocities = moved_positions(f, &p->mesh, 10);
        if (fuzz_once_in(f, 2)) /* it flies against something */
            for (v = 1; v < d->mesh.vertex_count; v++)
                p->start_velocities[v] = p->start_velocities[0];
    }
    d->start_positions = p->start_positions;
    d->start_velocities = p->start_velocities;
    d->rest_positions = p->rest_positions;
}

/* ---- Ribbons ---- */

/* Half of the points at corners of the ribbon. */
static void make_holds(fuzz_bytes *f, const dc_world_desc *w, dc_ribbon_desc *d, ribbon_parts *p)
{
    dc_index i;
    d->attachment_count = fuzz_int(f, 0, HOLDS_MAX);
    p->holds =
        (dc_attachment_desc *)test_alloc((size_t)d->attachment_count * sizeof(dc_attachment_desc));
    for (i = 0; i < d->attachment_count; i++) {
        dc_attachment_desc *a = p->holds + i;
        int is_corner = fuzz_once_in(f, 2);
        *a = dc_attachment_defaults();
        a->kind = (dc_attachment_kind)fuzz_enum(f, 2);
        a->place.x = d->length * (is_corner ? (dc_real)fuzz_int(f, 0, 1) : fuzz_real(f, 0, 1));
        a->place.y =
            d->width / 2 * (is_corner ? (dc_real)(2 * fuzz_int(f, 0, 1) - 1) : fuzz_real(f, -1, 1));
        a->target = dci_vec_axpy(d->origin, a->place.x, d->along);
        a->target = dci_vec_add(a->target, fuzz_vec(f, -0.2, 0.2));
        a->is_soft = fuzz_once_in(f, 3);
        a->stiffness = fuzz_scale(f, 1e-2, 1e3);
        if (a->kind == DC_ATTACH_POINT && fuzz_once_in(f, 3)) {
            a->body = fuzz_int(f, f->is_weird ? -2 : 0,
                               (int)(w->cloth_count + w->ribbon_count + w->obstacle_count) - 1);
            a->vertex = fuzz_int(f, f->is_weird ? -2 : 0, fuzz_once_in(f, 2) ? 3 : 30);
        }
    }
    d->attachments = p->holds;
}

static void make_shape(fuzz_bytes *f, dc_ribbon_desc *d, ribbon_parts *p)
{
    dc_index n = d->segment_count, i;
    size_t count = n > 1 ? (size_t)n - 1 : 0, ends = 2 * (size_t)(n > 0 ? n : 0) + 2;
    if (fuzz_once_in(f, 3)) {
        p->creases = (dc_real *)test_alloc(count * sizeof(dc_real));
        for (i = 0; i < (dc_index)count; i++) p->creases[i] = fuzz_real(f, -0.3, 0.3);
    }
    if (fuzz_once_in(f, 2)) {
        p->angles = (dc_real *)test_alloc(count * sizeof(dc_real));
        for (i = 0; i < (dc_index)count; i++) p->angles[i] = fuzz_real(f, -1, 1);
    }
    if (fuzz_once_in(f, 3)) {
        p->velocities = (dc_vec3 *)test_alloc(ends * sizeof(dc_vec3));
        for (i = 0; i < (dc_index)ends; i++) p->velocities[i] = fuzz_vec(f, -2, 2);
    }
    d->start_creases = p->creases;
    d->start_angles = p->angles;
    d->start_velocities = p->velocities;
}

static void make_ribbon_limits(fuzz_bytes *f, dc_ribbon_desc *d)
{
    d->integrator = (dc_integrator)fuzz_enum(f, 2);
    d->solver.iteration_max = fuzz_int(f, f->is_weird ? 0 : 1, 60);
    d->solver.round_max = fuzz_int(f, f->is_weird ? 0 : 1, 12);
    if (fuzz_once_in(f, 2)) return;
    d->tolerance = fuzz_scale(f, 1e-7, 1e-3);
    d->solver.residual_tol = fuzz_scale(f, 1e-3, 10);
}

static void make_ribbon(fuzz_bytes *f, const dc_world_desc *w, dc_ribbon_desc *d, ribbon_parts *p)
{
    *d = dc_ribbon_defaults();
    d->ends = (dc_ribbon_ends)fuzz_enum(f, 3);
    d->segment_count = fuzz_int(f,
                                f->is_weird                 ? 0
                                : d->ends == DC_RIBBON_OPEN ? 2
                                                            : 5,
                                SEGMENTS_MAX);
    d->length = fuzz_scale(f, 0.2, 3);
    d->width = fuzz_scale(f, 0.02, 0.5);
    d->is_fixed = fuzz_once_in(f, 3);
    d->origin = fuzz_vec(f, -1, 1);
    d->along = fuzz_once_in(f, 2) ? fuzz_vec(f, -1, 1) : dci_vec(1, 0, 0);
    d->normal = fuzz_once_in(f, 2) ? fuzz_vec(f, -1, 1) : dci_vec(0, 1, 0);
    d->density = fuzz_scale(f, 0.01, 2);
    d->bending = fuzz_scale(f, 1e-6, 1e-1);
    d->ruling = fuzz_scale(f, 1e-5, 1e-1);
    d->drag = fuzz_once_in(f, 3) ? fuzz_scale(f, 1e-3, 10) : 0;
    d->thickness = fuzz_scale(f, 1e-4, 0.05);
    d->friction = fuzz_real(f, 0, 1);
    d->self_contact = fuzz_once_in(f, 2);
    make_shape(f, d, p);
    make_holds(f, w, d, p);
    make_ribbon_limits(f, d);
}

/* ---- The description ---- */

static void make_scene(scene *s)
{
    fuzz_bytes *f = s->f;
    dc_world_desc *w = &s->desc;
    dc_index i;
    *w = dc_world_defaults();
    w->collides = !fuzz_once_in(f, 3);
    w->cloth_count = fuzz_int(f, 0, CLOTHS_MAX);
    w->ribbon_count = fuzz_int(f, 0, RIBBONS_MAX);
    w->obstacle_count = w->collides ? fuzz_int(f, 0, OBSTACLES_MAX) : 0;
    if (w->cloth_count + w->ribbon_count == 0 && !f->is_weird) w->cloth_count = 1;
    if (fuzz_once_in(f, 4)) w->gravity = fuzz_vec(f, -20, 20);
    if (fuzz_once_in(f, 4)) w->wind = fuzz_vec(f, -10, 10);
    w->start = (dc_start)fuzz_enum(f, 3);
    if (fuzz_enum(f, 2) == 0) w->row_capacity = 1; /* contact is left to the stages */
    (void)fuzz_enum(f, 3); /* recorded inputs have a byte here */
    w->solver.round_max = fuzz_int(f, f->is_weird ? 0 : 1, 3);
    w->solver.halvings_max = fuzz_int(f, f->is_weird ? -1 : 0, 2);
    if (fuzz_once_in(f, 4)) w->pair_capacity = fuzz_int(f, f->is_weird ? -1 : 1, 400);
    (void)fuzz_once_in(f, 2); /* recorded inputs have a byte here */
    w->cloths = s->cloth;
    w->ribbons = s->ribbon;
    w->obstacles = s->obstacle;
    for (i = 0; i < w->cloth_count; i++) make_cloth(f, s->cloth + i, s->cloth_part + i);
    for (i = 0; i < w->ribbon_count; i++)
        make_ribbon(f, w, s->ribbon + i, s->ribbon_part + i);
    for (i = 0; i < w->obstacle_count; i++) s->obstacle[i] = fuzz_obstacle(f, s->obstacle_mesh + i);
}

static void free_description(scene *s)
{
    int i;
    for (i = 0; i < CLOTHS_MAX; i++) {
        cloth_parts *p = s->cloth_part + i;
        fuzz_mesh_free(&p->mesh);
        free(p->start_positions);
        free(p->start_velocities);
        free(p->rest_positions);
        free(p->pins);
        free(p->clamps);
        memset(p, 0, sizeof *p);
    }
    for (i = 0; i < RIBBONS_MAX; i++) {
        ribbon_parts *p = s->ribbon_part + i;
        free(p->creases);
        free(p->angles);
        free(p->velocities);
        free(p->holds);
        memset(p, 0, sizeof *p);
    }
    for (i = 0; i < OBSTACLES_MAX; i++) fuzz_mesh_free(s->obstacle_mesh + i);
    memset(s->cloth, 0xcd, sizeof s->cloth);
    memset(s->ribbon, 0xcd, sizeof s->ribbon);
}

/* ---- Knowing what was described ---- */

/* The end of a crease, of those on the surface, that a place on the flat pattern is, or DC_NONE. */
static dc_index corner_at(const dc_ribbon_desc *d, const dc_attachment_desc *a)
{
    dc_index end = a->place.x == d->length ? 2 * d->segment_count : 0;
    if (a->kind != DC_ATTACH_POINT || d->ends != DC_RIBBON_OPEN) return DC_NONE;
    if (a->place.x != 0 && a->place.x != d->length) return DC_NONE;
    if (a->place.y == -d->width / 2) return end;
    return a->place.y == d->width / 2 ? end + 1 : DC_NONE;
}

static void know(scene *s)
{
    const dc_index first = s->desc.cloth_count + s->desc.ribbon_count; /* obstacle */
    dc_index i, k;
    for (i = 0; i < s->desc.cloth_count; i++) {
        const dc_cloth_desc *d = s->cloth + i;
        known_cloth *c = s->known_cloth + i;
        c->vertex_count = d->mesh.vertex_count;
        c->triangle_count = d->mesh.triangle_count;
        c->pin_count = d->pin_count;
        c->clamp_count = d->clamp_count;
        c->newton_max = d->solver.iteration_max;
        c->halvings_max = d->solver.halvings_max;
        c->tolerance = d->tolerance;
        c->is_cg = d->solver.linear_solver == DC_LINEAR_CG;
    }
    for (i = 0; i < s->desc.ribbon_count; i++) {
        const dc_ribbon_desc *d = s->ribbon + i;
        known_ribbon *r = s->known_ribbon + i;
        r->segment_count = d->segment_count;
        r->vertex_count = 2 * d->segment_count + (d->ends == DC_RIBBON_OPEN ? 2 : 0);
        r->hold_count = d->attachment_count;
        r->iteration_max = d->solver.iteration_max;
        r->round_max = d->solver.round_max;
        r->tolerance = d->tolerance;
        for (k = 0; k < d->attachment_count; k++) {
            r->hold[k].corner = corner_at(d, d->attachments + k);
            r->hold[k].body = d->attachments[k].body;
            r->hold[k].vertex = d->attachments[k].vertex;
            r->hold[k].is_hard = !d->attachments[k].is_soft;
            r->hold[k].is_held = 1;
            r->hold[k].is_tied = s->desc.collides && r->hold[k].body != DC_NONE && r->hold[k].body < first;
            r->has_ties |= r->hold[k].is_tied;
            if (r->hold[k].body >= first &&
                s->obstacle[r->hold[k].body - first].kind != DC_OBSTACLE_MESH)
                r->tied |= 1u << r->hold[k].body;
        }
    }
}

/* ---- Records ---- */

static void check_feature(const scene *s, const dc_feature *feature)
{
    int i;
    if (feature->body == DC_NONE) {
        for (i = 0; i < 3; i++) REQUIRE(feature->vertex[i] == DC_NONE);
        return;
    }
    REQUIRE(feature->body >= 0 && feature->body < s->body_count);
    REQUIRE(feature->vertex[0] != DC_NONE);
    for (i = 0; i < 3; i++)
        REQUIRE(
            feature->vertex[i] == DC_NONE ||
            (feature->vertex[i] >= 0 && feature->vertex[i] < s->body[feature->body].vertex_count));
}

static dc_index first_obstacle(const scene *s)
{
    return s->desc.cloth_count + s->desc.ribbon_count;
}

/* Whether an index can be that of any element of the bodies it may speak of. */
static void check_record(const scene *s, dc_status status, const char *where)
{
    const dc_error *e = &s->error;
    dc_index most = 0, i;
    REQUIRE(fuzz_error_is_good(e, status, where));
    REQUIRE(e->body >= DC_NONE && e->body < first_obstacle(s) + s->desc.obstacle_count);
    if (s->body_count > 0) {
        check_feature(s, &e->pair.first);
        check_feature(s, &e->pair.second);
        for (i = 0; i < s->body_count; i++)
            most = most < s->body[i].vertex_count ? s->body[i].vertex_count : most;
        for (i = 0; i < s->desc.cloth_count; i++)
            most = most < 3 * s->known_cloth[i].triangle_count
                       ? 3 * s->known_cloth[i].triangle_count
                       : most;
        REQUIRE(e->index == DC_NONE || (e->index >= 0 && e->index < most + HOLDS_MAX));
    }
    REQUIRE((status == DC_CROSSING) <= (e->pair.first.body != DC_NONE));
}

/* ---- Making ---- */

/* Makes a world in a block. Returns whether it was built, even if it could not start. */
static int build_in(scene *s, size_t bytes, unsigned char fill)
{
    dc_status status;
    fuzz_block_free(&s->memory);
    s->memory = fuzz_block_new(bytes, (unsigned)(bytes % 17), fill);
    memset(&s->info, 0, sizeof s->info);
    status = dc_world_init(&s->desc, s->memory.memory, bytes, &s->world, &s->info, &s->error);
    check_record(s, status, "dc_world_init");
    ALLOW(status, DC_OK, DC_BAD_ARGUMENT, DC_BAD_MESH, DC_NOT_FINITE, DC_TOO_SMALL, DC_TOO_LARGE,
          DC_NOT_CONVERGED, DC_CROSSING);
    return s->info.bytes > 0;
}

/* With as little memory as it takes. */
static int build_scene(scene *s)
{
    int is_built = build_in(s, 1 << 12, 0xff), round;
    size_t wanted;
    for (round = 0; s->error.status == DC_TOO_SMALL; round++) {
        REQUIRE(round < 200);
        is_built = build_in(s, s->error.needed, 0x55);
    }
    if (!is_built || !fuzz_once_in(s->f, 4)) return is_built;
    wanted = s->info.bytes;
    REQUIRE(!build_in(s, wanted - 1, 0) && s->error.status == DC_TOO_SMALL);
    REQUIRE(s->error.needed == wanted);
    REQUIRE(build_in(s, wanted, 0xff) && s->info.bytes == wanted);
    return 1;
}

/* A bound on the work by the number of bytes that are left: none, the least, or 4 times the least,
   and perhaps with bodies that stop, or DC_REAL_TIME. */
static void bound_work(scene *s)
{
    size_t which = s->f->size % 6;
    if (which == 3) s->desc.quality = (dc_quality)(s->f->size / 6 % 2);
    s->desc.takes_unconverged = which >= 3; /* needs a second copy of the state */
    if (which >= 3) REQUIRE(build_in(s, 2 * s->info.bytes, 0));
    if (which % 3 == 0) return;
    s->desc.work_max = 1;
    REQUIRE(!build_in(s, s->info.bytes, 0) && s->error.status == DC_BAD_ARGUMENT);
    REQUIRE(s->error.value >= 1 && strcmp(s->error.field, "work_max") == 0);
    s->desc.work_max = (uint64_t)ceil((double)s->error.value * (which % 3 == 1 ? 1.01 : 4));
    REQUIRE(build_in(s, s->memory.bytes, 0) && s->info.work_least <= s->desc.work_max);
}

static dc_status make_world(scene *s)
{
    size_t bytes = s->info.bytes, sum = 0;
    dc_status status, twin;
    dc_index i;
    for (i = 0; i < s->info.section_count; i++) sum += s->info.section[i].bytes;
    REQUIRE(sum <= bytes && bytes - sum < 16);
    s->world = s->twin = NULL;
    fuzz_block_free(&s->memory);
    s->memory = fuzz_block_new(bytes, (unsigned)fuzz_int(s->f, 0, 16), 0xff);
    s->twin_memory = fuzz_block_new(bytes, (unsigned)fuzz_int(s->f, 0, 16), 0x33);
    status = dc_world_init(&s->desc, s->memory.memory, bytes, &s->world, NULL, &s->error);
    check_record(s, status, "dc_world_init");
    ALLOW(status, DC_OK, DC_BAD_ARGUMENT, DC_NOT_CONVERGED, DC_CROSSING, DC_NOT_FINITE);
    twin = dc_world_init(&s->desc, s->twin_memory.memory, bytes, &s->twin, NULL, NULL);
    REQUIRE(status == twin && (status == DC_OK) == (s->world != NULL));
    return status;
}

/* ---- Looking ---- */

static void open_bodies(scene *s)
{
    dc_index i;
    s->body_count = 0;
    for (i = 0; i < s->desc.cloth_count; i++) {
        const dc_mesh *m = dc_body_mesh(s->world, i);
        s->body[s->body_count] = judged_mesh(m->vertex_count, m->triangle_count, m->triangles);
        s->body[s->body_count++].self_contact = s->cloth[i].self_contact;
    }
    for (i = 0; i < s->desc.ribbon_count; i++) {
        const dc_mesh *m = dc_body_mesh(s->world, s->desc.cloth_count + i);
        s->body[s->body_count] = judged_mesh(m->vertex_count, m->triangle_count, m->triangles);
        s->body[s->body_count].tied = s->known_ribbon[i].tied;
        s->body[s->body_count++].self_contact = s->ribbon[i].self_contact;
    }
    for (i = 0; i < s->desc.obstacle_count; i++)
        s->body[s->body_count++] = judged_obstacle(s->obstacle + i);
}

static void look_at_bodies(scene *s)
{
    judged_look_at_world(s->body, s->world, &s->desc);
}

static int are_finite(const dc_vec3 *x, dc_index count)
{
    return dci_first_not_finite(x, count) == DC_NONE;
}

/* Whether squares of these velocities do not overflow. */
static int have_squares(const dc_vec3 *v, dc_index count)
{
    dc_index i;
    for (i = 0; i < count; i++)
        if (!isfinite(dci_dot(v[i], v[i]))) return 0;
    return 1;
}

static void check_finite(const scene *s)
{
    dc_index i, n;
    for (i = 0; i < s->body_count; i++) REQUIRE(judged_is_finite(s->body + i));
    for (i = 0; i < s->desc.cloth_count; i++) {
        REQUIRE(are_finite(dc_body_velocities(s->world, i), s->known_cloth[i].vertex_count));
        REQUIRE(
            are_finite(dc_cloth_midpoints(s->world, i), dc_cloth_mesh(s->world, i)->edge_count));
    }
    for (i = 0; i < s->desc.ribbon_count; i++) {
        dc_index body = s->desc.cloth_count + i;
        n = s->known_ribbon[i].segment_count;
        REQUIRE(are_finite(dc_body_velocities(s->world, body), 2 * n + 2));
        REQUIRE(dci_array_is_finite(n + 1, dc_ribbon_creases(s->world, body)));
        REQUIRE(dci_array_is_finite(n + 1, dc_ribbon_angles(s->world, body)));
    }
    REQUIRE(isfinite(dc_world_time(s->world)));
}

/* Of the world alone: looking is to change nothing. */
static void look_around(scene *s)
{
    dc_feature_pair pairs[PAIRS_SHOWN];
    dc_index i, count = dc_world_crossings(s->world, PAIRS_SHOWN, pairs);
    REQUIRE(count >= 0 || (count == DC_NONE && s->desc.collides));
    for (i = 0; i < count && i < PAIRS_SHOWN; i++) {
        check_feature(s, &pairs[i].first);
        check_feature(s, &pairs[i].second);
        REQUIRE(pairs[i].first.body != DC_NONE && pairs[i].second.body != DC_NONE);
    }
    for (i = 0; i < s->desc.cloth_count; i++) {
        dc_measures m = dc_cloth_measure(s->world, i);
        REQUIRE(isfinite(m.constraint_error) && m.kinetic >= 0 && m.bending >= 0 && m.jump >= 0);
        REQUIRE(isfinite(m.gravity) && m.mass > 0 && dci_vec_is_finite(m.centre));
    }
    for (i = 0; i < s->desc.ribbon_count; i++) {
        dc_index body = s->desc.cloth_count + i;
        dc_ribbon_measures m = dc_ribbon_measure(s->world, body);
        if (!have_squares(dc_body_velocities(s->world, body),
                          2 * s->known_ribbon[i].segment_count + 2))
            continue;
        REQUIRE(m.kinetic >= 0 && m.bending >= 0 && m.ruling >= 0 && m.attached >= 0);
        REQUIRE(isfinite(m.gravity) && m.mass > 0);
        REQUIRE(dci_vec_is_finite(m.centre) && m.gap >= 0 && m.crease_limit <= (dc_real)0.951);
    }
    REQUIRE(dc_world_bytes(s->world) == s->info.bytes);
}

/* ---- What a step may cost ---- */

/* Of a step that is tried whole, and halved where it fails, and doubled where it does not. */
static double tries(dc_index halvings)
{
    return (double)(1 << (halvings + 1)) + halvings;
}

static void check_work(const scene *s)
{
    const dc_report *r = &s->report;
    double world = s->desc.collides ? tries(s->desc.solver.halvings_max) : 1;
    double newton = 0, cg = 0, all = 0, iterations = 0, evaluations = 0;
    dc_index i, most_substeps = 8, round_max = 0;
    if (s->desc.collides) world *= s->desc.solver.round_max;
    for (i = 0; i < s->desc.cloth_count; i++) {
        const known_cloth *c = s->known_cloth + i;
        double t = 2 * world * tries(c->halvings_max), rows;
        rows = 3.0 * c->triangle_count + 3.0 * (c->pin_count + c->clamp_count);
        all += t;
        newton += t * c->newton_max;
        cg += t * (c->newton_max + 2) *
              (DCI_COUPLE_CG_MAX + (c->is_cg ? (DCI_COUPLE_CG_MAX + 6) * 4 * rows : 0));
        if (most_substeps < 1 << c->halvings_max) most_substeps = (dc_index)1 << c->halvings_max;
    }
    for (i = 0; i < s->desc.ribbon_count; i++) {
        const known_ribbon *b = s->known_ribbon + i;
        double t = world * tries(3) * b->round_max;
        all += world * tries(3);
        iterations += t * b->iteration_max;
        evaluations += t * (3.0 * b->iteration_max + 4);
        if (round_max < b->round_max) round_max = b->round_max;
    }
    REQUIRE(r->counters.newton_iterations <= newton && r->counters.cg_iterations <= cg);
    REQUIRE(r->counters.factorizations <= 2 * newton + 2 * all);
    REQUIRE(r->counters.ribbon_iterations <= iterations &&
            r->counters.ribbon_evaluations <= evaluations);
    REQUIRE(r->counters.ribbon_rounds <= round_max && r->substeps <= most_substeps);
    REQUIRE(r->counters.world_substeps <=
            1 << (s->desc.collides ? s->desc.solver.halvings_max : DCI_WORLD_HALVINGS));
    REQUIRE(r->counters.rounds <= (s->desc.collides ? s->desc.solver.round_max : 0));
    REQUIRE(r->counters.global_rounds <= world * DCI_RESPONSES_MAX);
    REQUIRE(r->counters.released <= all);
    REQUIRE(s->desc.work_max == 0 || r->work <= 2 * s->desc.work_max);
}

/* ---- Calls ---- */

static dc_vec3 any_vec(scene *s, double far)
{
    return fuzz_vec(s->f, -far, far);
}

/* After a call: whatever failed or looked changed nothing, and the twin agrees. */
static void check_twins(scene *s)
{
    REQUIRE(dc_world_hash(s->world) == dc_world_hash(s->twin));
}

static void check_lengths(const scene *s)
{
    dc_real cloth = 0, ribbon = 0;
    dc_index i;
    int has_ties = 0;
    if (s->report.is_unconverged) return;
    for (i = 0; i < s->desc.cloth_count; i++) cloth = dci_max(cloth, s->known_cloth[i].tolerance);
    for (i = 0; i < s->desc.ribbon_count; i++) {
        ribbon = dci_max(ribbon, s->known_ribbon[i].tolerance);
        has_ties |= s->known_ribbon[i].has_ties;
    }
    REQUIRE(s->report.constraint_error <= cloth && isfinite(s->report.ribbon_error));
    REQUIRE(s->report.ribbon_error <= ribbon || has_ties);
    REQUIRE(s->report.worst_body < s->desc.cloth_count);
    REQUIRE(s->report.worst_ribbon_body < first_obstacle(s));
    REQUIRE(isfinite(s->report.contact_error) && isfinite(s->report.smallest_distance));
}

/* Corners of ribbons, if nothing was stopped. */
static void check_holds(const scene *s)
{
    const dc_report *r = &s->report;
    dc_index i, k;
    if (r->counters.repulsions + r->counters.impulses + r->counters.global_contacts +
            r->counters.merges >
        0)
        return;
    if (r->is_unconverged) return;
    for (i = 0; i < s->desc.ribbon_count; i++)
        for (k = 0; k < s->known_ribbon[i].hold_count; k++) {
            const known_hold *h = s->known_ribbon[i].hold + k;
            dc_vec3 off;
            if (s->body[s->desc.cloth_count + i].is_off || !h->is_held || !h->is_hard || h->is_tied)
                continue;
            if (h->body == DC_NONE || h->corner == DC_NONE) continue;
            off = dci_vec_sub(dc_body_positions(s->world, s->desc.cloth_count + i)[h->corner],
                              s->body[h->body].now[h->vertex]);
            REQUIRE(dci_norm(off) <=
                    s->known_ribbon[i].tolerance * (dc_real)1.01 +
                        1000 * DCI_EPSILON * (1 + dci_norm(s->body[h->body].now[h->vertex])));
        }
}

static void check_certificate(scene *s)
{
    const dc_report *r = &s->report;
    int found[2] = {0, 0};
    if (!r->is_certified) return;
    REQUIRE(s->desc.collides && r->crossings == 0 && r->unresolved == 0);
    if (judged_any_touch(s->body, s->body_count, r->counters.world_substeps <= 1, found)) {
        fprintf(stderr, "bodies %d and %d touch\n", found[0], found[1]);
        REQUIRE(!"a certified step has no crossing");
    }
}

static int is_unmoved(const scene *s, dc_index count)
{
    int i;
    for (i = 0; i < count; i++)
        if (memcmp(s->body[i].before, s->body[i].now,
                   (size_t)s->body[i].vertex_count * sizeof(dc_vec3)) != 0)
            return 0;
    return 1;
}

static void call_step(scene *s)
{
    dc_real dt = fuzz_once_in(s->f, 2) ? fuzz_scale(s->f, 1e-3, 2e-2) : fuzz_scale(s->f, 1e-5, 0.1);
    dc_real before = dc_world_time(s->world);
    dc_status status;
    int i, moving = 0;
    for (i = 0; i < s->body_count; i++) judged_begin(s->body + i);
    memset(&s->report, 0, sizeof s->report);
    status = dc_world_step(s->world, dt, &s->report, &s->error);
    check_record(s, status, "dc_world_step");
    ALLOW(status, DC_OK, DC_BAD_ARGUMENT, DC_NOT_CONVERGED, DC_TOO_SMALL, DC_CROSSING,
          DC_NOT_FINITE, DC_WORK_SPENT);
    REQUIRE((status == DC_BAD_ARGUMENT) == !(dt > 0 && isfinite(dt)));
    look_at_bodies(s);
    if (status == DC_BAD_ARGUMENT) return;
    check_work(s);
    if (status != DC_OK) {
        REQUIRE(is_unmoved(s, s->body_count) && !s->report.is_certified);
        return;
    }
    REQUIRE(dc_world_step(s->twin, dt, NULL, NULL) == DC_OK);
    REQUIRE(dc_world_time(s->world) == before + s->report.time);
    check_certificate(s);
    REQUIRE((s->report.counters.world_substeps == 0) == (s->report.time == 0));
    if (s->report.time == 0) { /* work_max */
        REQUIRE(s->report.is_unconverged && is_unmoved(s, s->body_count));
        return;
    }
    for (i = 0; i < s->desc.cloth_count + s->desc.ribbon_count; i++) moving += !s->body[i].is_off;
    REQUIRE(s->report.substeps >= 1 || moving == 0);
    check_lengths(s);
    if (s->report.part_left == 0) check_holds(s);
}

static void call_settle(scene *s)
{
    dc_real dt = fuzz_scale(s->f, 1e-4, 1e-2), speed = fuzz_scale(s->f, 1e-3, 1);
    dc_index step_max = fuzz_int(s->f, s->f->is_weird ? 0 : 1, 3), steps = -1, twin_steps = -1;
    dc_status status = dc_world_settle(s->world, dt, speed, step_max, &steps, &s->error), twin;
    check_record(s, status, "dc_world_settle");
    ALLOW(status, DC_OK, DC_BAD_ARGUMENT, DC_NOT_CONVERGED, DC_TOO_SMALL, DC_CROSSING,
          DC_NOT_FINITE, DC_WORK_SPENT);
    twin = dc_world_settle(s->twin, dt, speed, step_max, &twin_steps, NULL);
    REQUIRE(status == twin && steps == twin_steps && steps >= 0);
    REQUIRE(steps <= (step_max > 0 ? step_max : 0));
    look_at_bodies(s);
}

/* Grabs a vertex, moves it or lets it go; `cloth` may have no room for grabs. */
static void call_grab(scene *s, dc_index cloth)
{
    const known_cloth *c = s->known_cloth + cloth;
    dc_index vertex = fuzz_int(s->f, 0, (int)c->vertex_count - 1);
    dc_vec3 target = dci_vec_add(dc_body_positions(s->world, cloth)[vertex], any_vec(s, 0.5));
    dc_real compliance = fuzz_scale(s->f, 1e-6, 10);
    int is_move = fuzz_once_in(s->f, 3);
    dc_status status;
    if (fuzz_once_in(s->f, 4)) {
        dc_cloth_release(s->world, cloth, vertex, NULL);
        dc_cloth_release(s->twin, cloth, vertex, NULL);
        return;
    }
    status = is_move ? dc_cloth_grab_move(s->world, cloth, vertex, target, &s->error)
                     : dc_cloth_grab(s->world, cloth, vertex, target, compliance, &s->error);
    check_record(s, status, is_move ? "dc_cloth_grab_move" : "dc_cloth_grab");
    ALLOW(status, DC_OK, DC_NOT_FINITE, DC_BAD_ARGUMENT, DC_TOO_SMALL);
    if (status != DC_OK) REQUIRE(s->error.body == cloth && s->error.index == vertex);
    if (status == DC_OK)
        REQUIRE((is_move
                     ? dc_cloth_grab_move(s->twin, cloth, vertex, target, NULL)
                     : dc_cloth_grab(s->twin, cloth, vertex, target, compliance, NULL)) == DC_OK);
}

static void call_pin(scene *s, dc_index cloth)
{
    dc_index count = s->known_cloth[cloth].pin_count, pin;
    dc_vec3 target;
    dc_status status;
    if (count == 0) {
        call_grab(s, cloth);
        return;
    }
    pin = fuzz_int(s->f, 0, (int)count - 1);
    if (fuzz_once_in(s->f, 4)) {
        dc_cloth_release_pin(s->world, cloth, pin, NULL);
        dc_cloth_release_pin(s->twin, cloth, pin, NULL);
        return;
    }
    target = dc_body_positions(
        s->world, cloth)[fuzz_int(s->f, 0, (int)s->known_cloth[cloth].vertex_count - 1)];
    target = dci_vec_add(target, any_vec(s, 0.1));
    status = dc_cloth_set_pin(s->world, cloth, pin, target, &s->error);
    check_record(s, status, "dc_cloth_set_pin");
    ALLOW(status, DC_OK, DC_NOT_FINITE);
    if (status != DC_OK) REQUIRE(s->error.body == cloth && s->error.index == pin);
    if (status == DC_OK) REQUIRE(dc_cloth_set_pin(s->twin, cloth, pin, target, NULL) == DC_OK);
}

/* Switches a body off or on. */
static void call_active(scene *s)
{
    dc_index body = fuzz_int(s->f, 0, s->body_count - 1);
    int is_active = fuzz_once_in(s->f, 2), found[2] = {0, 0}, is_free, i;
    dc_status status = dc_body_set_active(s->world, body, is_active, &s->error);
    check_record(s, status, "dc_body_set_active");
    ALLOW(status, DC_OK, DC_CROSSING, DC_TOO_SMALL);
    if (status != DC_OK) {
        REQUIRE(is_active && s->body[body].is_off);
        return;
    }
    REQUIRE(dc_body_set_active(s->twin, body, is_active, NULL) == DC_OK);
    s->body[body].is_off = !is_active;
    for (i = 0; i < s->body_count; i++) judged_begin(s->body + i);
    is_free = !is_active || !s->desc.collides || s->desc.start != DC_START_REFUSE ||
              !judged_any_touch(s->body, s->body_count, 0, found);
    REQUIRE(is_free);
}

static void call_clamp(scene *s, dc_index cloth)
{
    dc_index count = s->known_cloth[cloth].clamp_count, clamp;
    dc_vec3 end[2], outward;
    dc_status status;
    if (count == 0) {
        call_active(s);
        return;
    }
    clamp = fuzz_int(s->f, 0, (int)count - 1);
    if (fuzz_once_in(s->f, 4)) {
        dc_cloth_release_clamp(s->world, cloth, clamp, NULL);
        dc_cloth_release_clamp(s->twin, cloth, clamp, NULL);
        return;
    }
    end[0] = any_vec(s, 1);
    end[1] = dci_vec_add(end[0], any_vec(s, 0.3));
    outward = any_vec(s, 1);
    status = dc_cloth_set_clamp(s->world, cloth, clamp, end[0], end[1], outward, &s->error);
    check_record(s, status, "dc_cloth_set_clamp");
    ALLOW(status, DC_OK, DC_NOT_FINITE, DC_BAD_ARGUMENT);
    if (status != DC_OK) REQUIRE(s->error.body == cloth && s->error.index == clamp);
    if (status == DC_OK)
        REQUIRE(dc_cloth_set_clamp(s->twin, cloth, clamp, end[0], end[1], outward, NULL) == DC_OK);
}

/* Gravity or wind. */
static void call_weather(scene *s)
{
    int is_wind = fuzz_once_in(s->f, 2);
    dc_vec3 v = any_vec(s, 20);
    dc_status status = is_wind ? dc_world_set_wind(s->world, v, &s->error)
                               : dc_world_set_gravity(s->world, v, &s->error);
    check_record(s, status, is_wind ? "dc_world_set_wind" : "dc_world_set_gravity");
    REQUIRE(status == (dci_vec_is_finite(v) ? DC_OK : DC_NOT_FINITE));
    if (status != DC_OK) return;
    if (is_wind)
        dc_world_set_wind(s->twin, v, NULL);
    else
        dc_world_set_gravity(s->twin, v, NULL);
}

/* (count) vectors, the same everywhere or each its own. */
static dc_vec3 *any_vectors(scene *s, dc_index count, double far)
{
    dc_vec3 *v = (dc_vec3 *)test_alloc((size_t)count * sizeof(dc_vec3));
    int is_same = fuzz_once_in(s->f, 2);
    dc_index i;
    for (i = 0; i < count; i++) v[i] = i > 0 && is_same ? v[0] : any_vec(s, far);
    return v;
}

static void call_forces(scene *s, dc_index cloth)
{
    dc_vec3 *forces =
        fuzz_once_in(s->f, 4) ? NULL : any_vectors(s, s->known_cloth[cloth].vertex_count, 1);
    dc_status status = dc_cloth_set_forces(s->world, cloth, forces, &s->error);
    check_record(s, status, "dc_cloth_set_forces");
    ALLOW(status, DC_OK, DC_NOT_FINITE);
    if (status != DC_OK) REQUIRE(s->error.body == cloth);
    if (status == DC_OK) dc_cloth_set_forces(s->twin, cloth, forces, NULL);
    free(forces);
}

static void call_correct(scene *s, dc_index cloth)
{
    dc_vec3 *by = any_vectors(s, dc_body_mesh(s->world, cloth)->vertex_count, 0.05);
    dc_status status = dc_cloth_correct(s->world, cloth, by, &s->error);
    check_record(s, status, "dc_cloth_correct");
    ALLOW(status, DC_OK, DC_NOT_FINITE, DC_NOT_CONVERGED);
    if (status != DC_OK) REQUIRE(s->error.body == cloth);
    if (status == DC_OK) REQUIRE(dc_cloth_correct(s->twin, cloth, by, NULL) == DC_OK);
    look_at_bodies(s);
    free(by);
}

static void call_obstacle(scene *s)
{
    dc_index obstacle, count, i;
    const judged *body;
    dc_vec3 *to, way, spin = any_vec(s, 3);
    dc_status status;
    if (s->desc.obstacle_count == 0) return;
    obstacle = fuzz_int(s->f, 0, (int)s->desc.obstacle_count - 1);
    obstacle += first_obstacle(s);
    body = s->body + obstacle;
    count = body->vertex_count;
    to = (dc_vec3 *)test_alloc((size_t)count * sizeof(dc_vec3));
    way = any_vec(s, 0.2);
    for (i = 0; i < count; i++) to[i] = dci_vec_add(body->now[i], way);
    if (fuzz_once_in(s->f, 3)) to[fuzz_int(s->f, 0, (int)count - 1)] = any_vec(s, 1);
    status = dc_obstacle_move(s->world, obstacle, to, spin, &s->error);
    check_record(s, status, "dc_obstacle_move");
    ALLOW(status, DC_OK, DC_NOT_FINITE, DC_BAD_ARGUMENT);
    if (status == DC_OK) REQUIRE(dc_obstacle_move(s->twin, obstacle, to, spin, NULL) == DC_OK);
    if (body->is_off) look_at_bodies(s); /* it has moved at once */
    free(to);
}

static void call_attachment(scene *s, dc_index ribbon)
{
    known_ribbon *r = s->known_ribbon + ribbon;
    dc_index body = s->desc.cloth_count + ribbon, hold;
    dc_vec3 target;
    dc_status status;
    if (r->hold_count == 0) return;
    hold = fuzz_int(s->f, 0, (int)r->hold_count - 1);
    if (fuzz_once_in(s->f, 4)) {
        dc_ribbon_release_attachment(s->world, body, hold, NULL);
        dc_ribbon_release_attachment(s->twin, body, hold, NULL);
        r->hold[hold].is_held = 0;
        return;
    }
    target = dci_vec_add(dc_body_positions(s->world, body)[0], any_vec(s, 0.3));
    status = dc_ribbon_set_attachment(s->world, body, hold, target, &s->error);
    check_record(s, status, "dc_ribbon_set_attachment");
    ALLOW(status, DC_OK, DC_NOT_FINITE, DC_BAD_ARGUMENT);
    if (status != DC_OK) REQUIRE(s->error.body == body);
    if (status != DC_OK) return;
    REQUIRE(dc_ribbon_set_attachment(s->twin, body, hold, target, NULL) == DC_OK);
    r->hold[hold].is_held = 1;
    r->hold[hold].body = DC_NONE;
}

static void call_relax(scene *s, dc_index ribbon)
{
    dc_index body = s->desc.cloth_count + ribbon;
    int i, found[2] = {0, 0}, is_free;
    dc_status status;
    for (i = 0; i < s->body_count; i++) judged_begin(s->body + i);
    status = dc_ribbon_relax(s->world, body, &s->report, &s->error);
    check_record(s, status, "dc_ribbon_relax");
    ALLOW(status, DC_OK, DC_BAD_ARGUMENT, DC_NOT_CONVERGED, DC_CROSSING, DC_NOT_FINITE,
          DC_TOO_SMALL);
    look_at_bodies(s);
    if (status != DC_OK) {
        REQUIRE(s->error.body == body || status == DC_CROSSING || status == DC_TOO_SMALL);
        REQUIRE(is_unmoved(s, s->body_count));
        return;
    }
    REQUIRE(dc_ribbon_relax(s->twin, body, NULL, NULL) == DC_OK);
    is_free = !s->desc.collides || !judged_any_touch(s->body, s->body_count, 0, found);
    REQUIRE(is_free);
}

static void call_any(scene *s)
{
    dc_index cloth = s->desc.cloth_count > 0 ? fuzz_int(s->f, 0, (int)s->desc.cloth_count - 1) : -1;
    dc_index ribbon =
        s->desc.ribbon_count > 0 ? fuzz_int(s->f, 0, (int)s->desc.ribbon_count - 1) : -1;
    int call = fuzz_int(s->f, 0, 15);
    if (call < 5) call_step(s);
    if (call == 5) call_settle(s);
    if (call == 6 && cloth >= 0) call_pin(s, cloth);
    if (call == 7 && cloth >= 0) call_clamp(s, cloth);
    if (call == 8) call_weather(s);
    if (call == 9 && cloth >= 0) call_forces(s, cloth);
    if (call == 10 && cloth >= 0) call_correct(s, cloth);
    if (call == 11) call_obstacle(s);
    if ((call == 12 || call == 13) && ribbon >= 0) call_attachment(s, ribbon);
    if (call == 14 && ribbon >= 0) call_relax(s, ribbon);
    if (call == 15) look_around(s);
    check_twins(s);
    check_finite(s);
}

static void play(scene *s)
{
    int calls = fuzz_int(s->f, 1, CALLS_MAX), i;
    open_bodies(s);
    look_at_bodies(s);
    free_description(s);
    check_twins(s);
    check_finite(s);
    call_step(s);
    check_twins(s);
    for (i = 0; i < calls; i++) call_any(s);
    look_around(s);
    check_twins(s);
    for (i = 0; i < s->body_count; i++) judged_free(s->body + i);
}

static int run_world(const uint8_t *data, size_t size)
{
    fuzz_bytes f = fuzz_begin(data, size);
    scene *s = (scene *)test_alloc(sizeof *s);
    s->f = &f;
    f.is_weird = fuzz_once_in(&f, 8);
    make_scene(s);
    know(s);
    f.is_from_end = 1; /* the calls */
    if (build_scene(s)) {
        bound_work(s);
        if (make_world(s) == DC_OK) play(s);
    }
    free_description(s);
    fuzz_block_free(&s->memory);
    fuzz_block_free(&s->twin_memory);
    free(s);
    return 0;
}
