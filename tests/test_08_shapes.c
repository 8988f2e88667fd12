/* Chapter 8: a grid by hand; of the shapes of examples/common: counts, topology, areas, orientation. */

/* Two cells, cut both ways; width 2, height 3. */
static void test_grid_of_two_cells(void)
{
    static const dc_index forward[12] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
    static const dc_index backward[12] = {0, 1, 3, 1, 4, 3, 1, 2, 4, 2, 5, 4};
    dc_vec3 x[DC_GRID_VERTICES(2, 1)];
    dc_index triangles[3 * DC_GRID_TRIANGLES(2, 1)], v;
    dc_mesh_desc mesh = dc_grid(2, 1, 2, 3, DC_DIAGONALS_FORWARD, x, triangles);
    CHECK(mesh.vertex_count == 6 && mesh.triangle_count == 4);
    CHECK(mesh.positions == x && mesh.triangles == triangles);
    CHECK(!mesh.flat_vertices && !mesh.flat_corners && !mesh.rest_lengths);
    for (v = 0; v < 6; v++)
        CHECK(x[v].x == (dc_real)(v % 3) && x[v].y == (dc_real)(v < 3 ? 0 : 3) && x[v].z == 0);
    CHECK(memcmp(triangles, forward, sizeof forward) == 0);
    dc_grid(2, 1, 2, 3, DC_DIAGONALS_BACKWARD, x, triangles);
    CHECK(memcmp(triangles, backward, sizeof backward) == 0);
    dc_grid(2, 1, 2, 3, DC_DIAGONALS_HERRINGBONE, x, triangles);
    CHECK(memcmp(triangles, forward, sizeof forward / 2) == 0);
    CHECK(memcmp(triangles + 6, backward + 6, sizeof backward / 2) == 0);
}

static void test_shapes_have_the_area_and_topology_of_their_names(void)
{
    const double pi = acos(-1.0);
    /* area of the smooth shape with the default sizes; Euler characteristic V - E + T */
    const struct {
        shape_kind kind;
        double area;
        int euler;
    } expected[] = {
        {SHAPE_GRID, 1, 1},         {SHAPE_STRIP, 0.25, 1},
        {SHAPE_DISK, pi / 4, 1},    {SHAPE_ANNULUS, pi * (0.25 - 0.0625), 0},
        {SHAPE_CYLINDER, pi, 0},    {SHAPE_SPHERE, pi, 2},
        {SHAPE_CAPSULE, 2 * pi, 2},
    };
    size_t i;
    for (i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        shape_desc shape = shape_defaults(expected[i].kind);
        fixture f = fixture_begin();
        dc_mesh mesh;
        double area = 0;
        dc_index t;
        fixture_shape(&f, &shape);
        CHECK(mesh_build(&f.cloth.mesh, &mesh, NULL, &f.error) == DC_OK);
        for (t = 0; t < mesh.triangle_count; t++) area += (double)mesh.rest_area[t];
        CHECK_NEAR(area / expected[i].area, 1, 0.01); /* chords of 1/40 of a turn lose .4% */
        CHECK_EQUAL(mesh.vertex_count - mesh.edge_count + mesh.triangle_count, expected[i].euler);
        CHECK_EQUAL(mesh.boundary_edge_count > 0, expected[i].euler != 2);
        fixture_close(&f);
    }
}

static void test_shapes_look_up_or_outward(void)
{
    int kind;
    for (kind = SHAPE_GRID; kind <= SHAPE_CAPSULE; kind++) {
        shape_desc shape = shape_defaults((shape_kind)kind);
        fixture f = fixture_begin();
        int outward = 1;
        dc_index t;
        fixture_shape(&f, &shape);
        for (t = 0; t < f.cloth.mesh.triangle_count; t++) {
            dc_vec3 a = f.positions[f.triangles[3 * t]], b = f.positions[f.triangles[3 * t + 1]],
                    c = f.positions[f.triangles[3 * t + 2]];
            dc_vec3 normal = dci_cross(dci_vec_sub(b, a), dci_vec_sub(c, a)), side;
            side = kind <= SHAPE_ANNULUS ? dci_vec(0, 0, 1) : dci_vec_add(a, dci_vec_add(b, c));
            if (kind == SHAPE_CYLINDER) side.y = 0;
            outward = outward && dci_dot(normal, side) > 0;
        }
        CHECK(outward);
        fixture_close(&f);
    }
}

static void test_grid_macros_agree_with_counts(void)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_index vertex_count, triangle_count;
    shape.columns = 7;
    shape.rows = 4;
    CHECK(shape_counts(&shape, &vertex_count, &triangle_count, NULL) == DC_OK);
    CHECK_EQUAL(vertex_count, DC_GRID_VERTICES(7, 4));
    CHECK_EQUAL(triangle_count, DC_GRID_TRIANGLES(7, 4));
}

static void test_jitter_moves_inner_vertices_only(void)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    fixture plain = fixture_begin(), jittered = fixture_begin();
    dc_index i, j, moved = 0, border_moved = 0;
    fixture_shape(&plain, &shape);
    shape.jitter = DCI_R(0.2);
    fixture_shape(&jittered, &shape);
    for (j = 0; j <= 20; j++)
        for (i = 0; i <= 20; i++) {
            dc_vec3 way = dci_vec_sub(jittered.positions[21 * j + i], plain.positions[21 * j + i]);
            int inner = i > 0 && i < 20 && j > 0 && j < 20;
            moved += inner && dci_norm(way) > 0 && dci_abs(way.x) <= DCI_R(0.0101) &&
                     dci_abs(way.y) <= DCI_R(0.0101);
            border_moved += !inner && dci_norm(way) > 0;
        }
    CHECK_EQUAL(moved, 19 * 19);
    CHECK_EQUAL(border_moved, 0);
    fixture_close(&plain);
    fixture_close(&jittered);
}

static void test_shapes_name_the_wrong_field(void)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_index v, t;
    dc_error error;
    shape.columns = 0;
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_BAD_ARGUMENT && strstr(error.what, "columns"));
    CHECK(shape_build(&shape, NULL, NULL, NULL, NULL, &error) == DC_BAD_ARGUMENT);
    shape = shape_defaults(SHAPE_SPHERE);
    shape.rows = 1;
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_BAD_ARGUMENT && strstr(error.what, "rows"));
    shape = shape_defaults(SHAPE_DISK);
    shape.radius = 0;
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_BAD_ARGUMENT && strstr(error.what, "radius"));
    shape = shape_defaults(SHAPE_GRID);
    shape.width = -1;
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_BAD_ARGUMENT && strstr(error.what, "width"));
    shape = shape_defaults(SHAPE_CYLINDER);
    shape.height = 0;
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_BAD_ARGUMENT && strstr(error.what, "height"));
    shape = shape_defaults(SHAPE_ANNULUS);
    shape.inner_radius = shape.radius;
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_BAD_ARGUMENT &&
          strstr(error.what, "inner_radius"));
    shape = shape_defaults(SHAPE_GRID);
    shape.jitter = 1;
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_BAD_ARGUMENT && strstr(error.what, "jitter"));
    shape = shape_defaults(SHAPE_GRID);
    shape.diagonals = (dc_diagonals)9;
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_BAD_ARGUMENT &&
          strstr(error.what, "diagonals"));
    shape = shape_defaults(SHAPE_GRID);
    shape.width = DCI_R(1e30);
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_BAD_ARGUMENT && strstr(error.what, "width"));
    shape.kind = (shape_kind)17;
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_BAD_ARGUMENT && strstr(error.what, "kind"));
    shape = shape_defaults(SHAPE_GRID);
    shape.columns = shape.rows = 10000;
    CHECK(shape_counts(&shape, &v, &t, &error) == DC_TOO_LARGE);
    shape.columns = INT32_MAX;
    CHECK(shape_counts(&shape, &v, &t, NULL) == DC_TOO_LARGE);
}

static void test_smallest_shapes_are_meshes(void)
{
    int kind;
    for (kind = SHAPE_GRID; kind <= SHAPE_CAPSULE; kind++) {
        shape_desc shape = shape_defaults((shape_kind)kind);
        fixture f = fixture_begin();
        dc_mesh mesh;
        shape.columns = kind <= SHAPE_STRIP ? 1 : 3;
        shape.rows = kind == SHAPE_SPHERE ? 2 : 1;
        fixture_shape(&f, &shape);
        CHECK(mesh_build(&f.cloth.mesh, &mesh, NULL, &f.error) == DC_OK);
        check_mesh_is_consistent(&mesh);
        fixture_close(&f);
    }
}

static void test_a_shape_that_is_refused_is_not_written(void)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_vec3 position = dci_vec(7, 7, 7);
    dc_index triangle = 7;
    dc_mesh_desc mesh;
    dc_error error;
    mesh.vertex_count = 7;
    shape.columns = shape.rows = 10000; /* 200 million triangles */
    CHECK(shape_build(&shape, &position, &triangle, NULL, &mesh, &error) == DC_TOO_LARGE);
    CHECK(strstr(error.what, "50 million"));
    shape.rows = 0;
    CHECK(shape_build(&shape, &position, &triangle, NULL, &mesh, &error) == DC_BAD_ARGUMENT);
    CHECK(strstr(error.what, "rows"));
    CHECK(position.x == 7 && triangle == 7 && mesh.vertex_count == 7);
}

static const test_case tests_shapes[] = {
    {"grid of two cells", test_grid_of_two_cells},
    {"shapes have the area and topology of their names",
     test_shapes_have_the_area_and_topology_of_their_names},
    {"shapes look up or outward", test_shapes_look_up_or_outward},
    {"grid macros agree with counts", test_grid_macros_agree_with_counts},
    {"jitter moves inner vertices only", test_jitter_moves_inner_vertices_only},
    {"shapes name the wrong field", test_shapes_name_the_wrong_field},
    {"smallest shapes are meshes", test_smallest_shapes_are_meshes},
    {"a shape that is refused is not written", test_a_shape_that_is_refused_is_not_written},
};
