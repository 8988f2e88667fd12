/* Snapshots of worlds. tests/ports/hashes.sh carries each of its scenes on from snapshots,
   and other builds and processors go on from those. */

/* ---- A small world with everything in it ----

   A sheet with two pins and two clamps lies over a ball; a ribbon hangs by one end from a vertex of
   it and by the other from a place; both collide. */

enum { SNAPPED_STEPS = 6 };

typedef struct snapped {
    ribbons *r;
    dc_index pins[2];
    dc_clamp_desc clamps[2];
    unsigned char *block;
    size_t bytes;
} snapped;

static snapped snapped_begin(void)
{
    snapped s;
    dc_obstacle_desc *ball;
    memset(&s, 0, sizeof s);
    s.r = ribbons_begin();
    s.r->desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
    ribbons_sheet(s.r, 3, 0.3, 0.3, 0.15, 0, -0.15);
    s.r->cloth[0].pin_count = s.r->cloth[0].clamp_count = 2;
    s.r->ribbon[0].segment_count = 5;
    s.r->ribbon[0].length = DCI_R(0.3);
    s.r->ribbon[0].width = DCI_R(0.03);
    s.r->ribbon[0].origin = dci_vec(DCI_R(0.6), DCI_R(0.05), DCI_R(0.1));
    s.r->ribbon[0].along = dci_vec(1, 0, 0);
    s.r->ribbon[0].normal = dci_vec(0, 1, 0);
    ribbons_hold(s.r, 0, 0, 0, dci_vec(DCI_R(0.6), DCI_R(0.05), DCI_R(0.1)));
    ribbons_hold(s.r, 0, 0.3, 0, dci_vec(DCI_R(0.9), DCI_R(0.05), DCI_R(0.1)))->is_soft = 1;
    s.r->hold[0][1].stiffness = 1;
    ball = &s.r->obstacle[s.r->desc.obstacle_count++];
    memset(ball, 0, sizeof *ball);
    ball->kind = DC_OBSTACLE_SPHERE;
    ball->radius = DCI_R(0.08);
    ball->friction = DCI_R(0.3);
    ball->point[0] = dci_vec(DCI_R(0.15), DCI_R(-0.0825), DCI_R(-0.15));
    s.r->desc.collides = 1;
    return s;
}

/* Once the pointers to what `s` holds stay where they are. */
static dc_status snapped_open(snapped *s)
{
    s->pins[0] = 0;
    s->pins[1] = 3;
    s->clamps[0].vertex0 = 12;
    s->clamps[0].vertex1 = 13;
    s->clamps[1].vertex0 = 14;
    s->clamps[1].vertex1 = 15;
    s->r->cloth[0].pin_vertices = s->pins;
    s->r->cloth[0].clamps = s->clamps;
    return ribbons_open(s->r);
}

/* What a caller does before step `step`. */
static void snapped_drive(snapped *s, int step)
{
    dc_world *w = s->r->world;
    dc_vec3 forces[16],
        ball = dci_vec(DCI_R(0.15), DCI_R(-0.0825) + DCI_R(0.002) * (dc_real)step, DCI_R(-0.15));
    dc_index v;
    for (v = 0; v < 16; v++) forces[v] = dci_vec(0, 0, DCI_R(1e-3) * (dc_real)(v - step));
    if (step == 1) CHECK(dc_cloth_set_forces(w, 0, forces, &s->r->error) == DC_OK);
    if (step == 1) dc_cloth_release_clamp(w, 0, 1, NULL);
    if (step == 2) dc_cloth_release_pin(w, 0, 1, NULL);
    if (step == 2) CHECK(dc_world_set_wind(w, dci_vec(1, 0, 0), &s->r->error) == DC_OK);
    if (step == 3)
        CHECK(dc_cloth_set_pin(w, 0, 0, dci_vec(0, DCI_R(0.01), 0), &s->r->error) == DC_OK);
    if (step == 3)
        CHECK(dc_ribbon_set_attachment(w, s->r->desc.cloth_count, 1,
                                       dci_vec(DCI_R(0.9), DCI_R(0.06), DCI_R(0.1)),
                                       &s->r->error) == DC_OK);
    if (step == 4) dc_ribbon_release_attachment(w, s->r->desc.cloth_count, 1, NULL);
    CHECK(dc_obstacle_move(w, w->moving_count, &ball, dci_vec(0, 0, 1), &s->r->error) == DC_OK);
}

static void snapped_step(snapped *s, int step)
{
    snapped_drive(s, step);
    CHECK(dc_world_step(s->r->world, DCI_R(0.004), NULL, &s->r->error) == DC_OK);
}

static void snapped_save(snapped *s)
{
    s->bytes = dc_world_save_bytes(s->r->world);
    free(s->block);
    s->block = (unsigned char *)test_alloc(s->bytes);
    CHECK(dc_world_save(s->r->world, s->block, s->bytes, &s->r->error) == DC_OK);
}

static void snapped_close(snapped *s)
{
    free(s->block);
    ribbons_close(s->r);
}

static void test_a_loaded_world_goes_on_with_the_same_bits(void)
{
    snapped a = snapped_begin();
    int step, later;
    CHECK(snapped_open(&a) == DC_OK);
    for (step = 0; step < SNAPPED_STEPS; step++) {
        snapped b = snapped_begin();
        CHECK(snapped_open(&b) == DC_OK);
        snapped_save(&a);
        CHECK(dc_world_hash(b.r->world) != dc_world_hash(a.r->world) || step == 0);
        CHECK(dc_world_load(b.r->world, a.block, a.bytes, &b.r->error) == DC_OK);
        CHECK(b.r->error.status == DC_OK && b.r->error.where[0] == 0);
        CHECK(dc_world_hash(b.r->world) == dc_world_hash(a.r->world));
        CHECK(dc_world_compare(b.r->world, a.block, a.bytes, &b.r->error) == DC_OK);
        CHECK(dc_world_time(b.r->world) == dc_world_time(a.r->world));
        for (later = step; later < SNAPPED_STEPS; later++) snapped_step(&b, later);
        for (later = 0; later < 5; later++) /* back to where it was */
            CHECK(dc_world_load(b.r->world, a.block, a.bytes, &b.r->error) == DC_OK);
        CHECK(dc_world_hash(b.r->world) == dc_world_hash(a.r->world));
        snapped_step(&a, step);
        snapped_step(&b, step);
        CHECK(dc_world_hash(b.r->world) == dc_world_hash(a.r->world));
        CHECK(memcmp(dc_body_velocities(a.r->world, 0), dc_body_velocities(b.r->world, 0),
                     16 * sizeof(dc_vec3)) == 0);
        snapped_close(&b);
    }
    CHECK(a.r->desc.obstacle_count == 1);
    snapped_close(&a);
}

static void test_a_snapshot_needs_its_block(void)
{
    snapped s = snapped_begin();
    size_t bytes;
    CHECK(snapped_open(&s) == DC_OK);
    snapped_step(&s, 0);
    snapped_save(&s);
    for (bytes = 0; bytes < s.bytes; bytes++) {
        dc_error *error = &s.r->error;
        memset(s.block, 0xab, s.bytes);
        CHECK(dc_world_save(s.r->world, s.block, bytes, error) == DC_TOO_SMALL);
        CHECK(error->needed == s.bytes && error->given == bytes && s.block[0] == 0xab);
        CHECK(strcmp(error->where, "dc_world_save") == 0);
    }
    CHECK(dc_world_save(s.r->world, NULL, s.bytes, &s.r->error) == DC_TOO_SMALL);
    snapped_close(&s);
}

static void test_every_wrong_byte_of_a_snapshot_is_refused(void)
{
    snapped s = snapped_begin();
    uint64_t hash;
    size_t i;
    int k;
    CHECK(snapped_open(&s) == DC_OK);
    for (k = 0; k < 3; k++) snapped_step(&s, k);
    snapped_save(&s);
    CHECK(s.r->world->contacts->warm_count > 0); /* contact constraints are part of it */
    snapped_step(&s, 3);
    hash = dc_world_hash(s.r->world);
    for (i = 0; i < s.bytes; i++)
        for (k = 0; k < 3; k++) {
            const unsigned char wrong[3] = {1, 0x80, 0xff};
            s.block[i] ^= wrong[k];
            CHECK(dc_world_load(s.r->world, s.block, s.bytes, &s.r->error) == DC_BAD_ARGUMENT);
            s.block[i] ^= wrong[k];
        }
    CHECK(strcmp(s.r->error.where, "dc_world_load") == 0 && strstr(s.r->error.what, "damaged"));
    for (i = 0; i < s.bytes; i++)
        CHECK(dc_world_load(s.r->world, s.block, i, &s.r->error) == DC_BAD_ARGUMENT);
    CHECK(dc_world_load(s.r->world, NULL, s.bytes, &s.r->error) == DC_BAD_ARGUMENT);
    CHECK(dc_world_compare(s.r->world, s.block, s.bytes - 1, &s.r->error) == DC_BAD_ARGUMENT);
    CHECK(dc_world_hash(s.r->world) == hash);
    CHECK(dc_world_load(s.r->world, s.block, s.bytes, &s.r->error) == DC_OK);
    snapped_close(&s);
}

/* Bytes that somebody made, with the right checksum: refused, or a state that can be stepped. */
static void test_a_forged_snapshot_does_no_harm(void)
{
    snapped s = snapped_begin();
    unsigned char *forged;
    size_t i, k;
    int accepted = 0, refused = 0, step;
    CHECK(snapped_open(&s) == DC_OK);
    for (step = 0; step < 3; step++) snapped_step(&s, step);
    snapped_save(&s);
    forged = (unsigned char *)test_alloc(s.bytes);
    for (i = DCI_SNAPSHOT_BEGIN; i + 4 <= s.bytes; i += 4)
        for (k = 0; k < 3; k++) {
            const unsigned char with[3][4] = {
                {0xff, 0xff, 0xff, 0xff}, {0xff, 0xff, 0xff, 0x7f}, {2, 0, 0, 0}};
            uint64_t sum;
            size_t j;
            memcpy(forged, s.block, s.bytes);
            memcpy(forged + i, with[k], 4);
            sum = dci_snapshot_sum(forged, s.bytes);
            for (j = 0; j < 8; j++) forged[DCI_SNAPSHOT_SUM + j] = (unsigned char)(sum >> (8 * j));
            if (dc_world_load(s.r->world, forged, s.bytes, NULL) == DC_OK) {
                dc_status status = dc_world_step(s.r->world, DCI_R(0.004), NULL, NULL);
                CHECK(status != DC_OK || dci_is_finite(dc_body_positions(s.r->world, 0)[5].x));
                accepted++;
            } else {
                refused++;
            }
        }
    CHECK(accepted > 0 && refused > 0);
    free(forged);
    snapped_close(&s);
}

/* ---- Another description ---- */

typedef struct described {
    const char *name; /* that the sentence has                                                    */
    size_t offset;    /* of a number in the description, which is changed                         */
    char
        type; /* r: a dc_real; of integers, i: one more, d: one less, f: a flag, 0: 0, p: 5000     */
} described;

#define IN_CLOTH(field, type)                                                                      \
    {                                                                                              \
#field, offsetof(dc_cloth_desc, field), type                                               \
    }
#define IN_RIBBON(field, type)                                                                     \
    {                                                                                              \
#field, offsetof(dc_ribbon_desc, field), type                                              \
    }
#define IN_WORLD(field, type)                                                                      \
    {                                                                                              \
#field, offsetof(dc_world_desc, field), type                                               \
    }

static void described_change(void *desc, const described *field)
{
    unsigned char *at = (unsigned char *)desc + field->offset;
    dc_real x;
    int i; /* as wide as an enum and a dc_index here */
    if (field->type == 'r') {
        memcpy(&x, at, sizeof x);
        x = x > 0 ? x * DCI_R(1.25) : DCI_R(0.5);
        memcpy(at, &x, sizeof x);
    } else {
        memcpy(&i, at, sizeof i);
        i = field->type == 'f' ? !i : field->type == 'd' ? i - 1 : field->type == '0' ? 0 : i + 1;
        if (field->type == 'p') i = 5000;
        memcpy(at, &i, sizeof i);
    }
}

/* A snapshot of the plain world is refused by one in which this field is another, and names it. */
static void described_check(snapped *plain, char body, const described *field)
{
    snapped other = snapped_begin();
    dc_error *error = &other.r->error;
    uint64_t hash;
    described_change(body == 'c'   ? (void *)&other.r->cloth[0]
                     : body == 'r' ? (void *)&other.r->ribbon[0]
                                   : (void *)&other.r->desc,
                     field);
    CHECK(snapped_open(&other) == DC_OK);
    hash = dc_world_hash(other.r->world);
    CHECK(dc_world_load(other.r->world, plain->block, plain->bytes, error) == DC_BAD_ARGUMENT);
    CHECK(test_error_names(error, field->name));
    CHECK_EQUAL(error->body, body == 'c' ? 0 : body == 'r' ? other.r->desc.cloth_count : DC_NONE);
    CHECK(dc_world_hash(other.r->world) == hash);
    snapped_close(&other);
}

static void test_a_snapshot_of_another_description_is_refused_by_name(void)
{
    static const described cloth[] = {IN_CLOTH(density, 'r'),
                                      IN_CLOTH(bending, 'r'),
                                      IN_CLOTH(bending_damping, 'r'),
                                      IN_CLOTH(jump_gamma, 'r'),
                                      IN_CLOTH(jump_beta, 'r'),
                                      IN_CLOTH(jump_acceleration, 'r'),
                                      IN_CLOTH(jump_damping, 'r'),
                                      IN_CLOTH(thickness, 'r'),
                                      IN_CLOTH(friction, 'r'),
                                      IN_CLOTH(grab_capacity, 'i'),
                                      IN_CLOTH(grab_force_max, 'r'),
                                      IN_CLOTH(drag_normal, 'r'),
                                      IN_CLOTH(drag_tangential, 'r'),
                                      IN_CLOTH(tolerance, 'r'),
                                      IN_CLOTH(solver.residual_tol, 'r'),
                                      IN_CLOTH(solver.cg_tol, 'r'),
                                      IN_CLOTH(solver.iteration_max, 'i'),
                                      IN_CLOTH(solver.halvings_max, 'i'),
                                      IN_CLOTH(self_contact, 'f'),
                                      IN_CLOTH(category, 'i'),
                                      IN_CLOTH(ignores, 'i'),
                                      IN_CLOTH(solver.linear_solver, 'i'),
                                      IN_CLOTH(integrator, 'f'),
                                      {"pin_vertices", offsetof(dc_cloth_desc, pin_count), 'd'},
                                      {"clamps", offsetof(dc_cloth_desc, clamp_count), 'd'}};
    static const described ribbon[] = {
        IN_RIBBON(width, 'r'),
        IN_RIBBON(density, 'r'),
        IN_RIBBON(bending, 'r'),
        IN_RIBBON(ruling, 'r'),
        IN_RIBBON(drag, 'r'),
        IN_RIBBON(thickness, 'r'),
        IN_RIBBON(friction, 'r'),
        IN_RIBBON(tolerance, 'r'),
        IN_RIBBON(solver.residual_tol, 'r'),
        IN_RIBBON(length, 'r'),
        IN_RIBBON(solver.iteration_max, 'i'),
        IN_RIBBON(solver.round_max, 'i'),
        IN_RIBBON(self_contact, 'f'),
        IN_RIBBON(category, 'i'),
        IN_RIBBON(ignores, 'i'),
        IN_RIBBON(integrator, 'f'),
        IN_RIBBON(segment_count, 'i'),
        {"attachment_count", offsetof(dc_ribbon_desc, attachment_count), 'd'}};
    static const described world[] = {
        IN_WORLD(solver.round_max, 'i'),
        IN_WORLD(solver.halvings_max, 'i'),
        IN_WORLD(start, 'i'),
        {"obstacle_count", offsetof(dc_world_desc, obstacle_count), 'd'},
        {"pair_capacity", offsetof(dc_world_desc, pair_capacity), 'p'}};
    snapped plain = snapped_begin();
    size_t i;
    CHECK(sizeof(int) == sizeof(dc_index) && sizeof(dc_start) == sizeof(int));
    CHECK(snapped_open(&plain) == DC_OK);
    snapped_save(&plain);
    for (i = 0; i < sizeof cloth / sizeof cloth[0]; i++) described_check(&plain, 'c', cloth + i);
    for (i = 0; i < sizeof ribbon / sizeof ribbon[0]; i++) described_check(&plain, 'r', ribbon + i);
    for (i = 0; i < sizeof world / sizeof world[0]; i++) described_check(&plain, 'w', world + i);
    snapped_close(&plain);
}

/* Things of a description that are no single numbers. */
static void test_a_snapshot_of_other_meshes_or_obstacles_is_refused(void)
{
    static const struct {
        const char *what;
        char body; /* the first cloth, ribbon or obstacle, or none */
    } names[] = {{"mesh.triangles", 'c'}, {"rest lengths", 'c'}, {"element", 'c'},
                 {"rest_positions", 'c'}, {"radius", 'o'},       {"friction", 'o'},
                 {"vertex_count", 'o'},   {"cloth_count", 0},    {"ribbon_count", 0},
                 {"attachments", 'r'},    {"category", 'o'},     {"ignores", 'o'}};
    snapped plain = snapped_begin();
    size_t i;
    CHECK(snapped_open(&plain) == DC_OK);
    snapped_save(&plain);
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        snapped s = snapped_begin();
        dc_error *error = &s.r->error;
        dc_real lengths[54];
        dc_index swap, k;
        for (k = 0; k < 54; k++)
            lengths[k] =
                dci_norm(dci_vec_sub(s.r->positions[s.r->triangles[k / 3 * 3 + (k + 1) % 3]],
                                     s.r->positions[s.r->triangles[k / 3 * 3 + (k + 2) % 3]]));
        switch (i) {
        case 0: /* the first triangle begins with another corner */
            swap = s.r->triangles[0];
            s.r->triangles[0] = s.r->triangles[1];
            s.r->triangles[1] = s.r->triangles[2];
            s.r->triangles[2] = swap;
            break;
        case 1:
            for (k = 0; k < 54; k++) lengths[k] *= DCI_R(1.00002);
            s.r->cloth[0].mesh.rest_lengths = lengths;
            break;
        case 2: s.r->cloth[0].element = DC_ELEMENT_ISOMETRIC; break;
        case 3: s.r->cloth[0].rest_positions = s.r->positions; break;
        case 4: s.r->obstacle[0].radius = DCI_R(0.07); break;
        case 5: s.r->obstacle[0].friction = DCI_R(0.4); break;
        case 6:
            s.r->obstacle[0].kind = DC_OBSTACLE_CAPSULE;
            s.r->obstacle[0].point[1] = s.r->obstacle[0].point[0];
            break;
        case 7: s.r->desc.cloth_count = 0; break;
        case 8: s.r->desc.ribbon_count = 0; break;
        case 9: s.r->hold[0][1].stiffness = 2; break;
        case 10: s.r->obstacle[0].category = 1; break;
        case 11: s.r->obstacle[0].ignores = 1; break;
        }
        CHECK(snapped_open(&s) == DC_OK);
        CHECK(dc_world_load(s.r->world, plain.block, plain.bytes, error) == DC_BAD_ARGUMENT);
        CHECK(test_error_names(error, names[i].what));
        CHECK_EQUAL(error->body, names[i].body == 'c'   ? 0
                                 : names[i].body == 'r' ? s.r->desc.cloth_count
                                 : names[i].body == 'o' ? s.r->world->moving_count
                                                        : DC_NONE);
        snapped_close(&s);
    }
    snapped_close(&plain);
}

/* Puts a byte into the header and makes the checksum fit. */
static void snapped_forge(unsigned char *block, size_t bytes, size_t at, unsigned char byte)
{
    uint64_t sum;
    int k;
    block[at] = byte;
    sum = dci_snapshot_sum(block, bytes);
    for (k = 0; k < 8; k++) block[DCI_SNAPSHOT_SUM + k] = (unsigned char)(sum >> (8 * k));
}

static void test_other_versions_and_numbers_are_refused(void)
{
    static const struct {
        size_t at;
        unsigned char byte;
        const char *what;
    } cases[] = {{0, 'D', "not a snapshot"},
                 {4, DCI_SNAPSHOT_VERSION + 1, "version"},
                 {5, 16, "number type"},
                 {14, 1, "cut short"}};
    snapped s = snapped_begin();
    size_t i;
    CHECK(snapped_open(&s) == DC_OK);
    snapped_save(&s);
    CHECK(memcmp(s.block, "dcsn\15", 5) == 0 && s.block[5] == sizeof(dc_real));
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snapped_save(&s);
        snapped_forge(s.block, s.bytes, cases[i].at, cases[i].byte);
        CHECK(dc_world_load(s.r->world, s.block, s.bytes, &s.r->error) == DC_BAD_ARGUMENT);
        CHECK(strstr(s.r->error.what, cases[i].what) != NULL);
    }
    snapped_close(&s);
}

/* FNV-1a of "a" is af63dc4c8601ec8c, as its authors publish. */
static void test_the_checksum_is_fnv(void)
{
    CHECK(dci_hash_byte(DCI_HASH_START, 'a') == UINT64_C(0xaf63dc4c8601ec8c));
    CHECK(dci_snapshot_sum((const unsigned char *)"a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
}

static void test_comparing_names_the_first_difference(void)
{
    snapped s = snapped_begin();
    dc_vec3 change[16];
    dc_error *error = &s.r->error;
    memset(change, 0, sizeof change);
    change[6].y = DCI_R(1e-4);
    CHECK(snapped_open(&s) == DC_OK);
    snapped_save(&s);
    CHECK(dc_world_compare(s.r->world, s.block, s.bytes, error) == DC_OK);
    CHECK(dc_world_set_wind(s.r->world, dci_vec(0, 1, 0), error) == DC_OK);
    CHECK(dc_world_compare(s.r->world, s.block, s.bytes, error) == DC_BAD_ARGUMENT);
    CHECK(strcmp(error->field, "wind") == 0 && error->index == 1 && error->body == DC_NONE);
    CHECK(dc_world_load(s.r->world, s.block, s.bytes, error) == DC_OK);
    CHECK(dc_ribbon_set_attachment(s.r->world, s.r->desc.cloth_count, 1, dci_vec(0, 0, 0), error) ==
          DC_OK);
    CHECK(dc_world_compare(s.r->world, s.block, s.bytes, error) == DC_BAD_ARGUMENT);
    CHECK(test_error_names(error, "targets of attachments") && error->index == 1);
    CHECK(error->body == s.r->desc.cloth_count && strcmp(error->where, "dc_world_compare") == 0);
    CHECK(dc_world_load(s.r->world, s.block, s.bytes, error) == DC_OK);
    CHECK(dc_cloth_correct(s.r->world, 0, change, error) == DC_OK);
    CHECK(dc_world_compare(s.r->world, s.block, s.bytes, error) == DC_BAD_ARGUMENT);
    CHECK(test_error_names(error, "cross") && error->body == DC_NONE); /* it may, from now on */
    CHECK(dc_world_load(s.r->world, s.block, s.bytes, error) == DC_OK);
    CHECK(dc_world_step(s.r->world, DCI_R(0.004), NULL, error) == DC_OK);
    CHECK(dc_world_compare(s.r->world, s.block, s.bytes, error) == DC_BAD_ARGUMENT);
    CHECK(strcmp(error->field, "time") == 0);
    snapped_close(&s);
}

static const test_case tests_snapshots[] = {
    {"a loaded world goes on with the same bits", test_a_loaded_world_goes_on_with_the_same_bits},
    {"a snapshot needs its block", test_a_snapshot_needs_its_block},
    {"every wrong byte of a snapshot is refused", test_every_wrong_byte_of_a_snapshot_is_refused},
    {"a forged snapshot does no harm", test_a_forged_snapshot_does_no_harm},
    {"a snapshot of another description is refused by name",
     test_a_snapshot_of_another_description_is_refused_by_name},
    {"a snapshot of other meshes or obstacles is refused",
     test_a_snapshot_of_other_meshes_or_obstacles_is_refused},
    {"other versions and numbers are refused", test_other_versions_and_numbers_are_refused},
    {"the checksum is FNV", test_the_checksum_is_fnv},
    {"comparing names the first difference", test_comparing_names_the_first_difference},
};
