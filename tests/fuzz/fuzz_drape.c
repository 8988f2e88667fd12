/* Drapes: sheets of all kinds, anchors, obstacles, both solvers.

   - Every status is one that devcloth.h names for its call; the record has it, the function and a
     sentence, with elements that are there.
   - Scratch and memory: as in fuzz_world.c. A twin in other memory has the same hash after every
     iteration. The description's arrays are gone once it is made.
   - The shape is finite. A failed iteration leaves it as it was; once it is at rest or at its limit
     nothing changes. There are no more than iteration_max iterations.
   - Certified shapes have no crossings, by exact arithmetic, and in the form of chapter 52 nothing
     crossed on the way of an iteration.
   - What solved is at rest with lengths and anchors within the tolerance, and can be handed over to a
     world. */
#include "fuzz.h"

#include "judge.h"
#include "shapes.h"

enum { ANCHORS_MAX = 4, ITERATIONS_SEEN = 6, TRIES_MAX = 6 };

typedef struct drape_scene {
    fuzz_bytes *f;
    dc_drape_desc desc;
    fuzz_mesh mesh, obstacle_mesh[OBSTACLES_MAX];
    dc_obstacle_desc obstacle[OBSTACLES_MAX];
    dc_vec3 *start;
    dc_anchor_desc *anchors;
    double farthest_target; /* [m] the largest coordinate of a target */
    int is_released[ANCHORS_MAX];
    judged body[1 + OBSTACLES_MAX];
    fuzz_block memory, twin_memory;
    dc_info info;
    dc_drape *drape, *twin;
    dc_error error;
} drape_scene;

static double largest_coordinate(dc_vec3 p)
{
    return fmax(fabs((double)p.x), fmax(fabs((double)p.y), fabs((double)p.z)));
}

/* On a line or in a plane, soft, or at a point of a triangle. */
static void vary_anchor(drape_scene *s, dc_anchor_desc *a)
{
    fuzz_bytes *f = s->f;
    a->kind = (dc_anchor_kind)fuzz_enum(f, 3);
    a->direction = fuzz_vec(f, -1, 1);
    if (fuzz_once_in(f, 2)) a->give = fuzz_scale(f, 1e-3, 1);
    if (!fuzz_once_in(f, 2)) return;
    a->vertex = DC_NONE;
    a->triangle = fuzz_int(f, f->is_weird ? -2 : 0, (int)s->mesh.desc.triangle_count - 1);
    a->weight[0] = fuzz_real(f, f->is_weird ? -0.5 : 0, 0.5);
    a->weight[1] = fuzz_once_in(f, 2) ? 0 : fuzz_real(f, 0, 0.5);
    a->weight[2] = 1 - a->weight[0] - a->weight[1];
}

static void make_anchors(drape_scene *s)
{
    dc_drape_desc *d = &s->desc;
    fuzz_bytes *f = s->f;
    dc_index i, k;
    d->anchor_count = fuzz_int(f, 0, ANCHORS_MAX);
    s->anchors = (dc_anchor_desc *)test_alloc((size_t)d->anchor_count * sizeof(dc_anchor_desc));
    for (i = 0; i < d->anchor_count; i++) {
        dc_anchor_desc *a = s->anchors + i;
        *a = dc_anchor_defaults();
        a->vertex = fuzz_int(f, f->is_weird ? -1 : 0, (int)d->mesh.vertex_count - !f->is_weird);
        for (k = 0; k < i && !f->is_weird; k++)
            if (s->anchors[k].vertex == a->vertex)
                a->vertex = (a->vertex + 1) % d->mesh.vertex_count;
        if (a->vertex >= 0 && a->vertex < d->mesh.vertex_count)
            a->target = s->mesh.positions[a->vertex];
        a->target = dci_vec_add(a->target, fuzz_vec(f, -0.3, 0.3));
        s->farthest_target = fmax(s->farthest_target, largest_coordinate(a->target));
        if (fuzz_once_in(f, 3)) vary_anchor(s, a);
    }
    d->anchors = s->anchors;
}

static void make_drape_method(drape_scene *s)
{
    dc_drape_desc *d = &s->desc;
    fuzz_bytes *f = s->f;
    if (fuzz_once_in(f, 4)) d->down = fuzz_vec(f, -1, 1);
    d->thickness = fuzz_once_in(f, 2) ? 0 : fuzz_scale(f, 1e-4, 0.2);
    d->friction = fuzz_real(f, 0, 1);
    d->self_contact = fuzz_once_in(f, 2);
    if (fuzz_once_in(f, 4)) d->pair_capacity = fuzz_int(f, f->is_weird ? -1 : 1, 400);
    d->noise = fuzz_real(f, 0, 0.1);
    d->seed = fuzz_byte(f);
    d->solver.linear_solver = (dc_linear_solver)fuzz_enum(f, 2);
    (void)fuzz_once_in(f, 2); /* recorded inputs have a byte here */
    d->tolerance = fuzz_scale(f, 1e-8, 1e-2);
    d->solver.stall_count = fuzz_int(f, f->is_weird ? 0 : 1, 5);
    d->solver.iteration_max = fuzz_int(f, f->is_weird ? 0 : 1, 40);
}

static void make_drape_scene(drape_scene *s)
{
    dc_drape_desc *d = &s->desc;
    fuzz_bytes *f = s->f;
    dc_index i;
    *d = dc_drape_defaults();
    s->mesh = fuzz_mesh_make(f, TRIANGLES_MAX);
    fuzz_mesh_place(f, &s->mesh);
    d->mesh = s->mesh.desc;
    make_anchors(s);
    make_drape_method(s);
    d->obstacle_count = fuzz_int(f, 0, OBSTACLES_MAX);
    for (i = 0; i < d->obstacle_count; i++) s->obstacle[i] = fuzz_obstacle(f, s->obstacle_mesh + i);
    d->obstacles = s->obstacle;
    if (!fuzz_once_in(f, 3)) return;
    s->start = (dc_vec3 *)test_alloc((size_t)d->mesh.vertex_count * sizeof(dc_vec3));
    for (i = 0; i < d->mesh.vertex_count; i++)
        s->start[i] = dci_vec_add(s->mesh.positions[i], fuzz_vec(f, -0.1, 0.1));
    d->start_positions = s->start;
}

static void free_drape_description(drape_scene *s)
{
    int i;
    fuzz_mesh_free(&s->mesh);
    for (i = 0; i < OBSTACLES_MAX; i++) fuzz_mesh_free(s->obstacle_mesh + i);
    free(s->start);
    free(s->anchors);
    s->start = NULL;
    s->anchors = NULL;
    memset(s->obstacle, 0xcd, sizeof s->obstacle);
}

static void check_drape_record(const drape_scene *s, dc_status status, const char *where)
{
    dc_index most = 3 * TRIANGLES_MAX + 16 + ANCHORS_MAX;
    REQUIRE(fuzz_error_is_good(&s->error, status, where));
    REQUIRE(s->error.index == DC_NONE || (s->error.index >= 0 && s->error.index < most));
    REQUIRE(s->error.body == DC_NONE ||
            (s->error.body > 0 && s->error.body <= s->desc.obstacle_count));
    REQUIRE(s->error.pair.first.body <= s->desc.obstacle_count);
}

/* Whether it was built, even if it could not start. */
static int build_drape_in(drape_scene *s, size_t bytes, unsigned char fill)
{
    dc_status status;
    fuzz_block_free(&s->memory);
    s->memory = fuzz_block_new(bytes, (unsigned)(bytes % 17), fill);
    s->info.bytes = 0;
    status = dc_drape_init(&s->desc, s->memory.memory, bytes, &s->drape, &s->info, &s->error);
    check_drape_record(s, status, "dc_drape_init");
    ALLOW(status, DC_OK, DC_BAD_ARGUMENT, DC_BAD_MESH, DC_NOT_FINITE, DC_TOO_SMALL, DC_TOO_LARGE,
          DC_CROSSING);
    return s->info.bytes > 0;
}

static int build_drape(drape_scene *s)
{
    int is_built = build_drape_in(s, 1 << 12, 0xff), round;
    size_t wanted;
    for (round = 0; s->error.status == DC_TOO_SMALL; round++) {
        REQUIRE(round < 100);
        is_built = build_drape_in(s, s->error.needed, 0x55);
    }
    if (!is_built || !fuzz_once_in(s->f, 4)) return is_built;
    wanted = s->info.bytes;
    REQUIRE(!build_drape_in(s, wanted - 1, 0) && s->error.status == DC_TOO_SMALL);
    REQUIRE(s->error.needed == wanted);
    REQUIRE(build_drape_in(s, wanted, 0xff) && s->info.bytes == wanted);
    return 1;
}

static dc_status make_drape(drape_scene *s)
{
    size_t bytes = s->info.bytes;
    dc_status status, twin;
    fuzz_block_free(&s->memory);
    s->memory = fuzz_block_new(bytes, (unsigned)fuzz_int(s->f, 0, 16), 0xff);
    s->twin_memory = fuzz_block_new(bytes, (unsigned)fuzz_int(s->f, 0, 16), 0x33);
    status = dc_drape_init(&s->desc, s->memory.memory, bytes, &s->drape, NULL, &s->error);
    check_drape_record(s, status, "dc_drape_init");
    ALLOW(status, DC_OK, DC_BAD_ARGUMENT, DC_CROSSING);
    twin = dc_drape_init(&s->desc, s->twin_memory.memory, bytes, &s->twin, NULL, NULL);
    REQUIRE(status == twin);
    return status;
}

static void open_drape_bodies(drape_scene *s)
{
    const dc_mesh *m = dc_drape_mesh(s->drape);
    dc_index i;
    s->body[0] = judged_mesh(m->vertex_count, m->triangle_count, m->triangles);
    s->body[0].self_contact = s->desc.self_contact;
    judged_look(s->body, dc_drape_positions(s->drape));
    judged_begin(s->body);
    for (i = 0; i < s->desc.obstacle_count; i++) {
        const dc_obstacle_desc *o = s->obstacle + i;
        judged *j = s->body + 1 + i;
        *j = judged_obstacle(o);
        if (o->kind == DC_OBSTACLE_PLANE)
            dci_obstacle_plane(o, j->now);
        else
            judged_look(j, o->kind == DC_OBSTACLE_MESH ? o->mesh.positions : o->point);
        judged_begin(j);
    }
}

static void check_drape_report(const drape_scene *s, const dc_drape_report *r)
{
    static const double LARGE =
        sizeof(dc_real) == 4 ? 1e8 : 1e70; /* [m] beyond, areas squared are none */
    REQUIRE(r->state >= DC_DRAPE_MOVING && r->state <= DC_DRAPE_AT_LIMIT);
    REQUIRE(r->iterations >= 0 && r->iterations <= s->desc.solver.iteration_max);
    REQUIRE(r->refused >= 0 && r->refused <= r->iterations);
    REQUIRE(r->stage >= 0 && r->stage < DC_DRAPE_STAGES);
    if (fmax(judged_size(s->body), s->farthest_target) < LARGE) {
        REQUIRE(isfinite(r->length_energy) && isfinite(r->anchor_energy) && isfinite(r->potential));
        REQUIRE(isfinite(r->strain_max) && isfinite(r->area_error));
    }
    REQUIRE(r->worst_anchor >= DC_NONE && r->worst_anchor < s->desc.anchor_count);
}

static void check_drape_certificate(drape_scene *s, const dc_drape_report *r)
{
    size_t bytes = (size_t)s->body[0].vertex_count * sizeof(dc_vec3);
    int is_moved = memcmp(s->body[0].before, s->body[0].now, bytes) != 0;
    int found[2] = {0, 0}, is_way = is_moved;
    if (!r->is_certified) return;
    if (judged_any_touch(s->body, 1 + (int)s->desc.obstacle_count, is_way, found)) {
        fprintf(stderr, "bodies %d and %d touch\n", found[0], found[1]);
        REQUIRE(!"a certified shape has no crossing");
    }
}

static void iterate(drape_scene *s)
{
    dc_drape_report r, twin_report, look;
    uint64_t hash = dc_drape_hash(s->drape);
    dc_drape_state before = dc_drape_look(s->drape).state;
    dc_status status;
    judged_begin(s->body);
    memset(&r, 0, sizeof r);
    status = dc_drape_iterate(s->drape, &r, &s->error);
    check_drape_record(s, status, "dc_drape_iterate");
    ALLOW(status, DC_OK, DC_NOT_CONVERGED, DC_TOO_SMALL, DC_SINGULAR, DC_NOT_FINITE);
    judged_look(s->body, dc_drape_positions(s->drape));
    REQUIRE(judged_is_finite(s->body));
    if (status != DC_OK && status != DC_NOT_CONVERGED) REQUIRE(dc_drape_hash(s->drape) == hash);
    if (before != DC_DRAPE_MOVING) REQUIRE(dc_drape_hash(s->drape) == hash && r.state == before);
    check_drape_report(s, &r);
    check_drape_certificate(s, &r);
    look = dc_drape_look(s->drape);
    REQUIRE(look.iterations == r.iterations && look.state == r.state);
    REQUIRE(dc_drape_iterate(s->twin, &twin_report, NULL) == status);
    REQUIRE(dc_drape_hash(s->twin) == dc_drape_hash(s->drape));
}

static void check_hand_over(drape_scene *s)
{
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_index pins[3 * ANCHORS_MAX], i, held = 0;
    dc_drape_hand_over(s->drape, &cloth, pins);
    for (i = 0; i < s->desc.anchor_count; i++) held += !s->is_released[i];
    REQUIRE(cloth.pin_count <= 3 * held && (cloth.pin_count > 0) == (held > 0));
    REQUIRE(cloth.thickness > 0);
    for (i = 0; i < cloth.pin_count; i++)
        REQUIRE(pins[i] >= 0 && pins[i] < s->body[0].vertex_count);
    REQUIRE(cloth.start_positions == dc_drape_positions(s->drape));
}

/* What does not end is tried again: pairs that did not fit may do so later. */
static void solve_drape(drape_scene *s)
{
    dc_drape_report r;
    dc_status status;
    int tries = 0;
    judged_begin(s->body);
    memset(&r, 0, sizeof r);
    do {
        status = dc_drape_solve(s->drape, &r, &s->error);
        check_drape_record(s, status, "dc_drape_solve");
        ALLOW(status, DC_OK, DC_NOT_CONVERGED, DC_TOO_SMALL, DC_SINGULAR, DC_NOT_FINITE);
        REQUIRE(dc_drape_solve(s->twin, NULL, NULL) == status);
    } while (status != DC_OK && r.state == DC_DRAPE_MOVING && ++tries < TRIES_MAX);
    judged_look(s->body, dc_drape_positions(s->drape));
    judged_begin(s->body); /* the way was not straight */
    REQUIRE(judged_is_finite(s->body));
    REQUIRE(dc_drape_hash(s->twin) == dc_drape_hash(s->drape));
    check_drape_report(s, &r);
    check_drape_certificate(s, &r);
    REQUIRE((status == DC_OK) == (r.state == DC_DRAPE_AT_REST));
    if (status == DC_OK) REQUIRE(r.strain_max <= s->desc.tolerance);
    check_hand_over(s);
}

/* Some anchors get other targets or are released, then it is to rest again. */
static void change_posture(drape_scene *s)
{
    int changes = fuzz_int(s->f, 1, 3);
    for (; changes > 0 && s->desc.anchor_count > 0; changes--) {
        dc_index i = fuzz_int(s->f, 0, (int)s->desc.anchor_count - 1);
        dc_vec3 target = fuzz_vec(s->f, -1, 1);
        dc_status status;
        if (fuzz_once_in(s->f, 3)) {
            status = dc_drape_release_anchor(s->drape, i, &s->error);
            ALLOW(status, DC_OK, DC_BAD_ARGUMENT);
            REQUIRE(dc_drape_release_anchor(s->twin, i, NULL) == status);
            s->is_released[i] |= status == DC_OK;
        } else {
            status = dc_drape_set_anchor(s->drape, i, target, &s->error);
            ALLOW(status, DC_OK, DC_NOT_FINITE);
            REQUIRE(dc_drape_set_anchor(s->twin, i, target, NULL) == status);
            if (status != DC_OK) continue;
            s->is_released[i] = 0;
            s->farthest_target = fmax(s->farthest_target, largest_coordinate(target));
        }
    }
    solve_drape(s);
}

static int run_drape(const uint8_t *data, size_t size)
{
    fuzz_bytes f = fuzz_begin(data, size);
    drape_scene *s = (drape_scene *)test_alloc(sizeof *s);
    int i, count;
    s->f = &f;
    f.is_weird = fuzz_once_in(&f, 8);
    make_drape_scene(s);
    if (build_drape(s) && make_drape(s) == DC_OK) {
        open_drape_bodies(s);
        free_drape_description(s);
        count = fuzz_int(&f, 0, ITERATIONS_SEEN);
        for (i = 0; i < count; i++) iterate(s);
        solve_drape(s);
        if (fuzz_once_in(&f, 3)) change_posture(s);
        iterate(s);
    }
    free_drape_description(s);
    for (i = 0; i < 1 + OBSTACLES_MAX; i++) judged_free(s->body + i);
    fuzz_block_free(&s->memory);
    fuzz_block_free(&s->twin_memory);
    free(s);
    return 0;
}
