/* Chapter 48: contacts of the last step and their forces. */

enum { CONTACTS_MAX = 4000 };

/* The sum of the forces [N] on a body, which may be either one of a pair. */
static dc_vec3 contacts_force_on(const dc_contact_force *forces, dc_index count, dc_index body)
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    dc_index i;
    for (i = 0; i < count; i++) {
        if (forces[i].pair.second.body == body) sum = dci_vec_add(sum, forces[i].force);
        if (forces[i].pair.first.body == body) sum = dci_vec_sub(sum, forces[i].force);
    }
    return sum;
}

/* Steps of 5 ms, then all contacts. */
static dc_index contacts_after(bodies *b, int steps, dc_contact_force *forces)
{
    dc_index count;
    int i;
    for (i = 0; i < steps; i++)
        CHECK(dc_world_step(b->world, DCI_R(0.005), &b->report, &b->error) == DC_OK);
    count = dc_world_contacts(b->world, CONTACTS_MAX, forces);
    CHECK(count > 0 && count <= CONTACTS_MAX);
    return count < CONTACTS_MAX ? count : CONTACTS_MAX;
}

/* A force is as expected [N], straight up or down. */
static void contacts_carry(dc_vec3 force, double expected, double tolerance)
{
    tolerance *= fabs(expected);
    CHECK_NEAR(force.y, expected, tolerance);
    CHECK_AT_MOST(fabs((double)force.x), tolerance);
    CHECK_AT_MOST(fabs((double)force.z), tolerance);
}

static void test_contact_forces_carry_each_sheet_of_a_pile(void)
{
    static dc_contact_force forces[CONTACTS_MAX];
    bodies *b = pile_begin(PILE_SHEETS, DC_ELEMENT_NONCONFORMING, 0.3);
    double g = fabs((double)b->desc.gravity.y), all = 0;
    dc_index count, i;
    CHECK(bodies_open(b) == DC_OK);
    CHECK_EQUAL(dc_world_contacts(b->world, CONTACTS_MAX, forces), 0);
    count = contacts_after(b, 200, forces);
    for (i = 0; i < PILE_SHEETS; i++) {
        double weight = g * (double)dc_cloth_measure(b->world, i).mass;
        contacts_carry(contacts_force_on(forces, count, i), weight, TOL(1e-4, 1e-2));
        all += weight;
    }
    contacts_carry(contacts_force_on(forces, count, PILE_SHEETS), -all, TOL(1e-4, 1e-2));
    for (i = 0; i < count; i++) {
        dc_feature_pair pair = forces[i].pair;
        dc_index a = pair.first.body, c = pair.second.body, above = a < c ? a : c;
        double sign = (a == above) == (c == PILE_SHEETS) ? -1 : 1; /* the plane is the lowest */
        double layer = c == PILE_SHEETS || a == PILE_SHEETS ? 0.25 : above + 1;
        CHECK_NEAR(forces[i].normal.y, sign, 1e-3);
        CHECK_NEAR(forces[i].position.y / PILE_THICKNESS, layer, 0.05 * (layer + 1));
    }
    bodies_close(b);
}

/* The first ones are the same, and no more are written. */
static void test_contacts_are_written_up_to_the_capacity(void)
{
    static dc_contact_force all[CONTACTS_MAX], some[CONTACTS_MAX];
    bodies *b = pile_begin(2, DC_ELEMENT_ISOMETRIC, 0.3);
    dc_index count, room;
    CHECK(bodies_open(b) == DC_OK);
    count = contacts_after(b, 20, all);
    for (room = 0; room <= count; room += count / 3) {
        memset(some, 0x5a, sizeof some);
        CHECK_EQUAL(dc_world_contacts(b->world, room, some), count);
        CHECK(memcmp(some, all, (size_t)room * sizeof *all) == 0);
        CHECK(*(unsigned char *)(some + room) == 0x5a);
    }
    CHECK_EQUAL(dc_world_contacts(b->world, 0, NULL), count);
    bodies_close(b);
}

/* On a ball, or a capsule along x, normals are radial, and positions lie half a gap from both
   surfaces: the middle plane of the cloth lies half a thickness over the other. */
static void contacts_are_around(double length)
{
    static dc_contact_force forces[CONTACTS_MAX];
    const double radius = 0.25;
    bodies *b = sheet_over_round_body(8, 0.4, radius, length);
    double mass, thickness = (double)b->cloth[0].thickness;
    dc_index count, i;
    count = contacts_after(b, 600, forces);
    mass = (double)dc_cloth_measure(b->world, 0).mass;
    contacts_carry(contacts_force_on(forces, count, 0), mass * fabs((double)b->desc.gravity.y),
                   TOL(1e-2, 2e-2));
    for (i = 0; i < count; i++) {
        const dc_contact_force *f = forces + i;
        dc_vec3 out = f->position;
        double far, sign = f->pair.first.body == 1 ? 1 : -1;
        if (length > 0) out.x = 0;
        far = (double)dci_norm(out);
        CHECK(dci_norm(f->force) > 0);
        CHECK_NEAR(dci_dot(out, f->normal), sign * far, 1e-5);
        CHECK_NEAR(dci_norm(f->normal), 1, 1e-5);
        CHECK_NEAR(far - radius, thickness / 4, thickness / 20);
    }
    bodies_close(b);
}

static void test_contacts_with_round_bodies_are_where_they_are_touched(void)
{
    contacts_are_around(0);
    contacts_are_around(0.3);
}

static void test_a_ribbon_on_a_plane_is_carried(void)
{
    static dc_contact_force forces[CONTACTS_MAX];
    bodies *b = bodies_begin();
    dc_ribbon_desc strip = strip_at(0.1, 0.0005, 0);
    dc_index count;
    strip.thickness = DCI_R(0.001);
    b->desc.ribbons = &strip;
    b->desc.ribbon_count = 1;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0)->friction = 1;
    CHECK(bodies_open(b) == DC_OK);
    count = contacts_after(b, 200, forces);
    contacts_carry(contacts_force_on(forces, count, 0),
                   fabs((double)b->desc.gravity.y) *
                       (double)dc_ribbon_measure(b->world, b->desc.cloth_count).mass,
                   TOL(1e-3, 1e-2));
    bodies_close(b);
}

static const test_case tests_contacts[] = {
    {"contact forces carry each sheet of a pile", test_contact_forces_carry_each_sheet_of_a_pile},
    {"contacts are written up to the capacity", test_contacts_are_written_up_to_the_capacity},
    {"contacts with round bodies are where they are touched",
     test_contacts_with_round_bodies_are_where_they_are_touched},
    {"a ribbon on a plane is carried", test_a_ribbon_on_a_plane_is_carried},
};
