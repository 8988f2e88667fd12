/* Chapters 21 and 48: contacts roll on round bodies, (21.11). */

static const double ROLLING_RADIUS = 0.05; /* [m] */

/* A square of two triangles above a sphere or, with a length, a capsule at a slant. */
static bodies *rolling_begin(double x, double z, double length)
{
    bodies *b = bodies_begin();
    dc_vec3 end = dci_vec_scale((dc_real)length, dci_vec(1, 0, DCI_R(0.4)));
    bodies_sheet(b, 1, 1, 0.1, 0.1, x, ROLLING_RADIUS + 0.9e-3, z);
    b->cloth[0].thickness = DCI_R(2e-3);
    bodies_obstacle(b, length > 0 ? DC_OBSTACLE_CAPSULE : DC_OBSTACLE_SPHERE,
                    dci_vec_scale(-1, end), end, ROLLING_RADIUS);
    CHECK(bodies_open(b) == DC_OK);
    return b;
}

/* Makes rows as if every contact had had the force N [N] along its normal in the last step. */
static void rolling_press(bodies *b, const dci_span *span, double force)
{
    dci_contacts *contacts = b->world->contacts;
    dc_index i;
    CHECK(dci_world_predict_contacts(b->world, span, &b->report, &b->error) == DC_OK);
    contacts->warm_count = 0;
    dci_contacts_save(contacts);
    for (i = 0; i < contacts->warm_count; i++) {
        contacts->warm[i].force = dci_vec_scale((dc_real)force, contacts->row[i].normal);
        contacts->warm[i].weight = 1;
    }
    CHECK(dci_world_predict_contacts(b->world, span, &b->report, &b->error) == DC_OK);
}

/* Where the square turns by a little about a contact, the force on each vertex changes as if it
   acted where the square then is nearest: by N times the change of the vertex's weight. */
static void rolling_moves_force(dci_surface *s, const dci_contacts *contacts,
                                const dci_contact_row *contact, dc_vec3 axis, double force)
{
    const double angle = TOL(1e-6, 1e-3);
    dc_index others = dci_first_count(contact->corner_count), i, v;
    dci_pair pair = dci_pair_of(s, contact->vertex, others, contact->vertex + others);
    dc_vec3 centre = dci_vec(0, 0, 0);
    dci_contact now;
    int c;
    for (c = 0; c < 4; c++)
        if (contact->is_free[dci_contact_row_side(contact, c)])
            centre =
                dci_vec_axpy(centre, dci_abs(contact->factor[c]), s->start[contact->vertex[c]]);
    for (v = 0; v < 4; v++) {
        dc_vec3 turn = dci_cross(axis, dci_vec_sub(s->start[v], centre));
        s->end[v] = dci_vec_axpy(s->start[v], (dc_real)angle, turn);
    }
    CHECK(dci_pair_contact(s, &pair, s->end, &now));
    for (c = 0; c < 4; c++) {
        double change = force * (double)(now.factor[c] - contact->factor[c]), found = 0;
        if (!contact->is_free[dci_contact_row_side(contact, c)]) continue;
        for (i = 0; i < contacts->count; i++) {
            dci_contact_row row = contacts->row[i];
            dc_vec3 y = row.known[1];
            if (row.kind != DCI_ROW_ROLLING || row.corner_count != contact->corner_count ||
                !dci_are_vertices_same(row.vertex, contact->vertex))
                continue;
            for (v = 0; v < 4; v++) y = dci_vec_axpy(y, row.factor[v], s->end[row.vertex[v]]);
            row.k_normal = row.own.rolling;
            found += (double)(row.factor[c] * dci_dot(row.normal, dci_contact_row_roll(&row, y)));
        }
        CHECK_NEAR(found, change, TOL(1e-4, 0.05) * force * angle);
    }
}

/* `directions` is the largest number of them for one contact. */
static void rolling_moves_forces(double x, double z, double length, dc_index directions)
{
    const dci_span span = {DCI_R(0.01), 0, 1, 0};
    const double force = 3;
    bodies *b = rolling_begin(x, z, length);
    const dci_contacts *contacts = b->world->contacts;
    dc_index i, rolls = 0;
    int k;
    rolling_press(b, &span, force);
    for (i = 0; i < contacts->count; i++) rolls += contacts->row[i].kind == DCI_ROW_ROLLING;
    CHECK(rolls >= directions);
    for (i = rolls; i < contacts->count; i++)
        for (k = 0; k < 2; k++)
            rolling_moves_force(&b->world->surface, contacts, contacts->row + i,
                                dci_vec_along(2 * k, 1), force);
    bodies_close(b);
}

static void test_forces_on_round_bodies_roll_with_the_cloth(void)
{
    rolling_moves_forces(0.015, 0.003, 0, 2);   /* a triangle on a sphere */
    rolling_moves_forces(0.0505, 0.01, 0, 1);   /* a side on a sphere */
    rolling_moves_forces(0.0505, 0.01, 0.2, 1); /* a side and others across a capsule */
    rolling_moves_forces(-0.01, 0.02, 0.2, 1);
}

/* A square sheet just above a sphere or, with a length, a capsule along x: both rough. [m] */
static bodies *sheet_over_round_body(dc_index cells, double side, double radius, double length)
{
    bodies *b = bodies_begin();
    dc_vec3 end = dci_vec((dc_real)length, 0, 0);
    bodies_sheet(b, cells, cells, side, side, 0, radius + 2e-3, 0);
    b->cloth[0].thickness = DCI_R(3e-3);
    b->cloth[0].friction = 1;
    b->cloth[0].integrator = DC_INTEGRATOR_BACKWARD_EULER;
    bodies_obstacle(b, length > 0 ? DC_OBSTACLE_CAPSULE : DC_OBSTACLE_SPHERE,
                    dci_vec_scale(-1, end), end, radius)
        ->friction = 1;
    CHECK(bodies_open(b) == DC_OK);
    return b;
}

/* It stays where it landed, with hardly any work. */
static void sheet_rests(dc_index cells, double side, double radius, double length)
{
    bodies *b = sheet_over_round_body(cells, side, radius, length);
    dc_index newton = 0, i;
    double speed = 0;
    for (i = 0; i < 180; i++) {
        dc_measures m;
        CHECK(bodies_step(b, 1 / 60.0) == DC_OK && b->report.is_certified);
        if (i < 90) continue;
        newton += b->report.counters.newton_iterations;
        m = dc_cloth_measure(b->world, 0);
        speed += sqrt(2 * (double)(m.kinetic / m.mass)) / 90;
    }
    CHECK_AT_MOST(newton, TOL(1.2, 2) * 90);
    CHECK_AT_MOST(speed, TOL(3e-4, 1e-3));
    bodies_close(b);
}

static void test_sheets_come_to_rest_on_round_bodies(void)
{
    sheet_rests(10, 0.5, 0.25, 0);
    sheet_rests(12, 0.6, 0.25, 0.3);
}

static const test_case tests_rolling[] = {
    {"forces on round bodies roll with the cloth", test_forces_on_round_bodies_roll_with_the_cloth},
    {"sheets come to rest on round bodies", test_sheets_come_to_rest_on_round_bodies},
};
