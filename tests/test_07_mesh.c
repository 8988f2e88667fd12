/* Chapter 7: the running example by hand, everything that can be wrong with a mesh, and memory. */

static const dc_vec3 square_positions[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const dc_index square_triangles[6] = {0, 1, 2, 0, 2, 3};

static dc_mesh_desc square_desc(void)
{
    dc_mesh_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.vertex_count = 4;
    desc.triangle_count = 2;
    desc.positions = square_positions;
    desc.triangles = square_triangles;
    return desc;
}

/* Builds a mesh in memory that is never freed but reused. `report` may be NULL. */
static dc_status mesh_build(const dc_mesh_desc *desc, dc_mesh *mesh, mesh_report *report,
                            dc_error *error)
{
    static unsigned char memory[1 << 20];
    dc_status status = dc_mesh_init(desc, memory, sizeof memory, mesh, error);
    CHECK(status != DC_OK || !report || mesh_report_make(report, mesh));
    return status;
}

static void test_running_example_has_its_edges(void)
{
    static const dc_index edge_ends[5][2] = {{0, 1}, {2, 0}, {3, 0}, {1, 2}, {2, 3}};
    dc_mesh_desc desc = square_desc();
    dc_mesh mesh;
    mesh_report report;
    dc_error error;
    dc_index e;
    CHECK(mesh_build(&desc, &mesh, &report, &error) == DC_OK);
    CHECK_EQUAL(mesh.edge_count, 5);
    CHECK_EQUAL(mesh.boundary_edge_count, 4);
    for (e = 0; e < 5; e++)
        CHECK(mesh.edge_vertices[2 * e] == edge_ends[e][0] &&
              mesh.edge_vertices[2 * e + 1] == edge_ends[e][1]);
    CHECK(mesh.corner_of_edge[2] == 1 && mesh.corner_of_edge[3] == 5); /* e1: left 0, right 1 */
    CHECK_NEAR(mesh.rest_length[1], sqrt(2.0), TOL(1e-15, 1e-6));
    CHECK_NEAR(mesh.rest_area[0], 0.5, TOL(1e-15, 1e-6));
    CHECK_NEAR(mesh.rest_area[1], 0.5, TOL(1e-15, 1e-6));
    CHECK_EQUAL(mesh.fan_count, 4);
    CHECK_EQUAL(report.piece_count, 1);
    CHECK(report.isolated_count == 0 && report.sliver_count == 0 && report.seam_count == 0 &&
          !report.is_alternating);
    CHECK_NEAR(dci_corner_angle(&mesh, 0), atan(1.0),
               TOL(1e-15, 1e-6)); /* 45 degrees at vertex 0 */
    CHECK_NEAR(dci_corner_angle(&mesh, 1), 2 * atan(1.0), TOL(1e-15, 1e-6));
    CHECK_NEAR(dci_corner_apex(&mesh, 1).x, sqrt(0.5), TOL(1e-15, 1e-6));
    CHECK_NEAR(dci_corner_apex(&mesh, 1).y, sqrt(0.5), TOL(1e-15, 1e-6));
}

/* In every mesh: edges and corners name each other, left sides run v0 to v1, fans cover all corners
   once and turn counter-clockwise. */
static void check_mesh_is_consistent(const dc_mesh *mesh)
{
    dc_index e, q, fan, place, covered = 0, ok = 1;
    for (e = 0; e < mesh->edge_count; e++) {
        dc_index left = mesh->corner_of_edge[2 * e], right = mesh->corner_of_edge[2 * e + 1];
        ok = ok && mesh->edge_of_corner[left] == e;
        ok = ok && mesh->triangles[dci_corner_next(left)] == mesh->edge_vertices[2 * e];
        ok = ok && mesh->triangles[dci_corner_prev(left)] == mesh->edge_vertices[2 * e + 1];
        if (right == DC_NONE) continue;
        ok = ok && mesh->edge_of_corner[right] == e;
        ok = ok && mesh->triangles[dci_corner_next(right)] == mesh->edge_vertices[2 * e + 1];
    }
    for (fan = 0; fan < mesh->fan_count; fan++)
        for (place = mesh->fan_start[fan]; place < mesh->fan_start[fan + 1]; place++) {
            q = mesh->fan_corner[place];
            covered++;
            ok =
                ok && mesh->triangles[q] == mesh->triangles[mesh->fan_corner[mesh->fan_start[fan]]];
            if (place + 1 < mesh->fan_start[fan + 1])
                ok = ok && dci_corner_ccw(mesh, q) == mesh->fan_corner[place + 1];
        }
    CHECK(ok);
    CHECK_EQUAL(covered, 3 * mesh->triangle_count);
}

static void test_all_shapes_make_consistent_meshes(void)
{
    int kind, diagonals;
    for (kind = SHAPE_GRID; kind <= SHAPE_CAPSULE; kind++)
        for (diagonals = 0; diagonals <= DC_DIAGONALS_HERRINGBONE; diagonals++) {
            shape_desc shape = shape_defaults((shape_kind)kind);
            fixture f = fixture_begin();
            dc_mesh mesh;
            shape.columns = 9;
            shape.rows = 5;
            shape.diagonals = (dc_diagonals)diagonals;
            fixture_shape(&f, &shape);
            CHECK(mesh_build(&f.cloth.mesh, &mesh, NULL, &f.error) == DC_OK);
            check_mesh_is_consistent(&mesh);
            fixture_close(&f);
        }
}

/* The same triangle again is the third at an edge, or its twin's only neighbour; turned over it is
   the third. Two triangles back to back are a surface. */
static void test_mesh_tells_a_triangle_that_is_there_twice(void)
{
    static const dc_index meshes[][9] = {
        {0, 1, 2, 0, 2, 3, 1, 2, 0}, /* again, and turned over: the last of three               */
        {0, 1, 2, 0, 2, 3, 0, 2, 1},
        {0, 1, 2, 2, 1, 0, 0, 2, 3}, /* the second of three                                     */
        {0, 1, 2, 1, 2, 0, 0, 2, 3},
        {0, 1, 2, 2, 0, 1}, /* of two                                                           */
        {0, 1, 2, 2, 1, 0}};
    static const dc_index count[] = {3, 3, 3, 3, 2, 2}, twin[] = {2, 2, 1, 1, 1, DC_NONE};
    dc_mesh mesh;
    dc_error error;
    dc_mesh_desc desc = square_desc();
    int i;
    for (i = 0; i < 6; i++) {
        dc_status status;
        desc.triangles = meshes[i];
        desc.triangle_count = count[i];
        status = mesh_build(&desc, &mesh, NULL, &error);
        CHECK(status == (twin[i] == DC_NONE ? DC_OK : DC_BAD_MESH) && error.index == twin[i]);
        CHECK(twin[i] == DC_NONE || strstr(error.what, "there twice") != NULL);
    }
}

static void test_mesh_names_what_is_wrong(void)
{
    dc_mesh mesh;
    dc_error error;
    dc_mesh_desc desc = square_desc();
    dc_index triangles[9] = {0, 1, 2, 0, 2, 3, 2, 0, 4};
    dc_vec3 positions[5] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 1}};
    volatile dc_real zero = 0;
    memcpy(positions, square_positions, sizeof square_positions);
    desc.triangles = triangles;
    desc.positions = positions;

    triangles[4] = 4;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_MESH && error.index == 1 &&
          error.value == 4);
    triangles[4] = -2;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_MESH && error.index == 1 &&
          error.value == -2);
    triangles[4] = 0;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_MESH && error.index == 1);
    CHECK(strstr(error.what, "twice") != NULL);
    triangles[4] = 2;

    desc.vertex_count = 5, desc.triangle_count = 3;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_MESH && error.index == 2);
    CHECK(strstr(error.what, "third") != NULL);
    desc.vertex_count = 4, desc.triangle_count = 2;

    triangles[4] = 3, triangles[5] = 2;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_MESH && error.index == 1);
    CHECK(strstr(error.what, "oriented") != NULL);
    triangles[4] = 2, triangles[5] = 3;

    positions[3] = positions[0];
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_MESH && error.index == 1);
    CHECK(strstr(error.what, "no length") != NULL);
    positions[3] = dci_vec(DCI_R(0.5), DCI_R(0.5), 0);
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_MESH && error.index == 1);
    CHECK(strstr(error.what, "no area") != NULL);
    positions[3] = dci_vec(DCI_R(1e30), DCI_R(1e30), 0);
    positions[3] = dci_vec_scale(DCI_R(1e8), positions[3]);
    CHECK(mesh_build(&desc, &mesh, NULL, &error) != DC_OK);
    positions[3].x = 1 / zero;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_NOT_FINITE && error.index == 3);
    positions[3].x = zero / zero;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_NOT_FINITE && error.index == 3);
}

static void test_mesh_names_missing_arguments(void)
{
    dc_mesh mesh;
    dc_error error;
    dc_mesh_desc desc = square_desc();
    desc.vertex_count = 0;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_ARGUMENT);
    desc = square_desc();
    desc.triangle_count = 0;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_ARGUMENT);
    desc.triangle_count = -7;
    CHECK(mesh_build(&desc, &mesh, NULL, NULL) == DC_BAD_ARGUMENT);
    desc = square_desc();
    desc.positions = NULL;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_ARGUMENT);
    desc = square_desc();
    desc.triangles = NULL;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_ARGUMENT);
    desc = square_desc();
    desc.triangle_count = INT32_MAX;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_TOO_LARGE);
    CHECK(dc_mesh_bytes(0, 1) == 0 && dc_mesh_bytes(1, -1) == 0 &&
          dc_mesh_bytes(INT32_MAX, 1) == 0);
}

static void test_mesh_takes_its_rest_shape_from_what_is_given(void)
{
    static const dc_vec2 flat[4] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
    static const dc_vec2 corners[6] = {{0, 0}, {3, 0}, {3, 3}, {7, 7}, {10, 10}, {7, 10}};
    static const dc_real lengths[6] = {3, 5, 4, 5, 5, 5};
    dc_mesh_desc desc = square_desc();
    dc_mesh mesh;
    mesh_report report;
    dc_error error;
    desc.flat_vertices = flat;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_OK);
    CHECK_NEAR(mesh.rest_area[0], 2, TOL(1e-14, 1e-5));
    desc.flat_corners = corners;
    CHECK(mesh_build(&desc, &mesh, &report, &error) == DC_OK);
    CHECK_NEAR(mesh.rest_area[1], 4.5, TOL(1e-14, 1e-5));
    CHECK_EQUAL(report.seam_count, 0);
    desc.rest_lengths = lengths; /* edge e1: 5 opposite corner 1, 5 opposite corner 5 */
    CHECK(mesh_build(&desc, &mesh, &report, &error) == DC_OK);
    CHECK_NEAR(mesh.rest_area[0], 6, TOL(1e-14, 1e-5)); /* the 3-4-5 triangle */
    CHECK_EQUAL(report.seam_count, 0);
}

static void test_mesh_refuses_bad_rest_shapes(void)
{
    volatile dc_real zero = 0;
    dc_vec2 flat[4] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}},
            corners[6] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    dc_real lengths[6] = {1, 1, 1, 1, 1, 1};
    dc_mesh_desc desc = square_desc();
    dc_mesh mesh;
    mesh_report report;
    dc_error error;
    flat[2].y = 1 / zero;
    desc.flat_vertices = flat;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_NOT_FINITE && error.index == 2);
    desc = square_desc();
    corners[4].x = zero / zero;
    desc.flat_corners = corners;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_NOT_FINITE && error.index == 4);
    desc = square_desc();
    desc.rest_lengths = lengths;
    lengths[5] = 1 / zero;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_NOT_FINITE && error.index == 5);
    lengths[5] = -1;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_MESH && error.index == 1);
    lengths[5] = 3;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_BAD_MESH && error.index == 1);
    lengths[5] = DCI_R(1.5);
    CHECK(mesh_build(&desc, &mesh, &report, &error) == DC_OK);
    CHECK(report.seam_count == 1 && report.seam_edge == 1);
}

static void test_mesh_reports_what_is_doubtful(void)
{
    static const dc_vec3 positions[9] = {{0, 0, 0}, {1, 0, 0},           {1, 1, 0},
                                         {0, 1, 0}, {5, 5, 5},           {7, 0, 0},
                                         {8, 0, 0}, {7, DCI_R(0.04), 0}, {6, 6, 6}};
    static const dc_index triangles[9] = {0, 1, 2, 0, 2, 3, 5, 6, 7};
    dc_mesh_desc desc = square_desc();
    dc_mesh mesh;
    mesh_report report;
    dc_error error;
    desc.vertex_count = 9;
    desc.triangle_count = 3;
    desc.positions = positions;
    desc.triangles = triangles;
    CHECK(mesh_build(&desc, &mesh, &report, &error) == DC_OK);
    CHECK_EQUAL(report.piece_count, 2);
    CHECK(report.isolated_count == 2 && report.isolated_vertex == 4);
    CHECK(report.sliver_count == 1 && report.sliver_triangle == 2);
}

static void test_regularly_alternating_diagonals_are_noticed(void)
{
    static test_mesh square;
    int is_alternating;
    for (is_alternating = 0; is_alternating < 2; is_alternating++) {
        dc_mesh_desc desc;
        dc_mesh mesh;
        mesh_report report;
        dc_error error;
        test_mesh_grid(&square, 1, 1, 8, 8, 0);
        if (is_alternating) test_mesh_alternate(&square, 8, 8);
        desc = test_mesh_desc(&square);
        CHECK(mesh_build(&desc, &mesh, &report, &error) == DC_OK);
        CHECK_EQUAL(report.is_alternating, is_alternating);
    }
}

/* Two triangles that touch in a vertex: one vertex, two fans. */
static void test_bow_tie_has_two_fans_at_one_vertex(void)
{
    static const dc_vec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}};
    static const dc_index triangles[6] = {0, 1, 2, 0, 3, 4};
    dc_mesh_desc desc = square_desc();
    dc_mesh mesh;
    dc_error error;
    desc.vertex_count = 5;
    desc.positions = positions;
    desc.triangles = triangles;
    CHECK(mesh_build(&desc, &mesh, NULL, &error) == DC_OK);
    CHECK_EQUAL(mesh.fan_count, 6);
    check_mesh_is_consistent(&mesh);
}

static void test_every_smaller_block_is_refused_for_a_mesh(void)
{
    dc_mesh_desc desc = square_desc();
    size_t needed = dc_mesh_bytes(4, 2), bytes;
    unsigned char *memory = (unsigned char *)test_alloc(needed + 1);
    dc_mesh mesh;
    dc_error error;
    int refused = 0;
    for (bytes = 0; bytes < needed; bytes++)
        refused += dc_mesh_init(&desc, memory, bytes, &mesh, &error) == DC_TOO_SMALL &&
                   error.needed == needed && error.given == bytes;
    CHECK_EQUAL(refused, needed);
    CHECK(dc_mesh_init(&desc, memory, needed, &mesh, &error) == DC_OK);
    CHECK(dc_mesh_init(&desc, memory + 1, needed, &mesh, &error) == DC_OK);
    CHECK(dc_mesh_init(&desc, NULL, needed, &mesh, &error) == DC_TOO_SMALL);
    free(memory);
}

static void test_area_formula_survives_needles(void)
{
    /* [Kah14]: a needle for which Heron's formula as taught gives nonsense in double */
    double truth = 0.5 * 1e-3 * 1; /* base 1e-3, height about 1 */
    dc_real side = DC_SQRT(1 + DCI_R(0.25e-6));
    CHECK_NEAR(dci_triangle_area(side, side, DCI_R(1e-3)) / truth, 1, TOL(1e-13, 1e-5));
    CHECK(dci_triangle_area(1, 2, 3) == 0 && dci_triangle_area(1, 1, 3) == 0);
}

/* Multiples of one vector, which are exact; rounding makes lengths of them that miss their sum. */
static void test_corners_in_a_line_make_no_triangle_however_lengths_round(void)
{
    uint32_t i, number = 0;
    for (i = 0; i < 1000; i++) {
        dc_mesh_desc desc = square_desc();
        dc_vec3 p[3], way;
        dc_index accepted;
        dc_mesh mesh;
        dc_error error;
        way.x = (dc_real)(int)(1000 * (double)dci_random(1, number++));
        way.y = (dc_real)(int)(1000 * (double)dci_random(1, number++));
        way.z = (dc_real)(int)(1000 * (double)dci_random(1, number++));
        p[0] = dci_vec(0, 0, 0);
        p[1] = dci_vec_scale((dc_real)(1 + i % 16), way);
        p[2] = dci_vec_scale(-(dc_real)(1 + i / 16 % 16), way);
        desc.vertex_count = 3;
        desc.triangle_count = 1;
        desc.positions = p;
        accepted = mesh_build(&desc, &mesh, NULL, &error) == DC_OK;
        CHECK(!accepted && error.status == DC_BAD_MESH && error.index == 0);
    }
}

static const test_case tests_mesh[] = {
    {"running example has its edges", test_running_example_has_its_edges},
    {"all shapes make consistent meshes", test_all_shapes_make_consistent_meshes},
    {"mesh names what is wrong", test_mesh_names_what_is_wrong},
    {"mesh tells a triangle that is there twice", test_mesh_tells_a_triangle_that_is_there_twice},
    {"mesh names missing arguments", test_mesh_names_missing_arguments},
    {"mesh takes its rest shape from what is given",
     test_mesh_takes_its_rest_shape_from_what_is_given},
    {"mesh refuses bad rest shapes", test_mesh_refuses_bad_rest_shapes},
    {"corners in a line make no triangle, however lengths round",
     test_corners_in_a_line_make_no_triangle_however_lengths_round},
    {"mesh reports what is doubtful", test_mesh_reports_what_is_doubtful},
    {"regularly alternating diagonals are noticed",
     test_regularly_alternating_diagonals_are_noticed},
    {"bow tie has two fans at one vertex", test_bow_tie_has_two_fans_at_one_vertex},
    {"every smaller block is refused for a mesh", test_every_smaller_block_is_refused_for_a_mesh},
    {"area formula survives needles", test_area_formula_survives_needles},
};
