/* Chapter 51: sheets that follow curves. */

enum { CURVED_POINTS = 401, CURVED_CELLS = 12 };

typedef enum curve_kind { CURVE_CIRCLE, CURVE_HELIX, CURVE_SINE } curve_kind;

/* A square in the plane z = 0, from the origin to (1, 1, 0), and the curves of its border. */
typedef struct curved {
    draped *d;
    dc_curve_desc curve[2];
    dc_index run[2][CURVED_CELLS + 1];
    dc_vec3 point[2][CURVED_POINTS];
} curved;

static curved *curved_begin(void)
{
    curved *c = (curved *)test_alloc(sizeof *c);
    dc_index v;
    c->d = draped_sheet(CURVED_CELLS, CURVED_CELLS, 1, 1);
    for (v = 0; v < c->d->desc.mesh.vertex_count; v++)
        c->d->positions[v] = dci_vec(c->d->flat[v].x, c->d->flat[v].y, 0);
    c->d->desc.curves = c->curve;
    c->d->desc.tolerance = (dc_real)TOL(1e-5, 1e-4);
    return c;
}

static void curved_close(curved *c)
{
    draped_close(c->d);
    free(c);
}

/* Holds the border at the height y, 0 or 1, to a curve of this length with the radius .25 (circle,
   helix), or to a sine over the width 1. */
static dc_curve_desc *curved_hold(curved *c, curve_kind kind, int y, double length)
{
    const double pi = acos(-1.0), radius = 0.25, rise = kind == CURVE_HELIX ? 0.3 : 0;
    dc_index number = c->d->desc.curve_count++, i;
    dc_curve_desc *curve = c->curve + number;
    memset(curve, 0, sizeof *curve);
    for (i = 0; i < CURVED_POINTS; i++) {
        double way = length * i / (CURVED_POINTS - 1), turn = way / sqrt(1 + rise * rise) / radius;
        dc_vec3 *p = c->point[number] + i;
        *p = dci_vec((dc_real)(radius * sin(turn)), (dc_real)(y + rise * radius * turn),
                     (dc_real)(radius * (1 - cos(turn))));
        if (kind == CURVE_SINE)
            *p = dci_vec((dc_real)way, (dc_real)y, (dc_real)(0.1 * sin(2 * pi * way)));
    }
    for (i = 0; i <= CURVED_CELLS; i++)
        c->run[number][i] = y * CURVED_CELLS * (CURVED_CELLS + 1) + i;
    curve->vertices = c->run[number];
    curve->vertex_count = CURVED_CELLS + 1;
    curve->points = c->point[number];
    curve->point_count = CURVED_POINTS;
    return curve;
}

/* The largest distance of the run of a curve from it, by all of its segments. */
static double curved_distance(const curved *c, int number)
{
    const dc_curve_desc *curve = c->curve + number;
    double most = 0;
    dc_index i, k;
    for (i = 0; i < curve->vertex_count; i++) {
        dc_vec3 x = dc_drape_positions(c->d->drape)[curve->vertices[i]];
        double least = HUGE_VAL;
        for (k = 0; k + 1 < curve->point_count; k++) {
            dc_vec3 side = dci_vec_sub(curve->points[k + 1], curve->points[k]);
            dc_vec3 off = dci_vec_sub(x, curve->points[k]);
            double part = (double)(dci_dot(off, side) / dci_dot(side, side));
            off = dci_vec_axpy(off, (dc_real)-fmin(1, fmax(0, part)), side);
            least = fmin(least, (double)dci_norm(off));
        }
        most = fmax(most, least);
    }
    return most;
}

static void check_curved(curved *c, int has_gravity)
{
    double edge, most = 0;
    int k;
    if (!has_gravity) c->d->desc.down = dci_vec(0, 0, 0);
    check_rests(c->d);
    edge = (double)c->d->drape->unit;
    for (k = 0; k < c->d->desc.curve_count; k++) most = fmax(most, curved_distance(c, k));
    CHECK_AT_MOST(most, 0.0101 * edge);
    CHECK_NEAR(c->d->report.curve_distance, most, TOL(1e-12, 1e-6));
    CHECK(c->d->report.curve_vertex != DC_NONE);
}

/* A border on a curve of its length. */
static void test_sheets_follow_curves(void)
{
    int has_gravity, kind;
    for (has_gravity = 0; has_gravity < 2; has_gravity++)
        for (kind = CURVE_CIRCLE; kind <= CURVE_SINE; kind++) {
            curved *c = curved_begin();
            curved_hold(c, (curve_kind)kind, 1, 1);
            check_curved(c, has_gravity);
            curved_close(c);
        }
}

/* At its straight sides, which are free, it flattens by 2%: there bending has no moment, and a cell
   of an arc is .33 rad. */
static void test_two_circles_make_a_cylinder(void)
{
    int has_gravity;
    dc_index v;
    for (has_gravity = 0; has_gravity < 2; has_gravity++) {
        curved *c = curved_begin();
        double least = HUGE_VAL, most = 0;
        curved_hold(c, CURVE_CIRCLE, 0, 1.1);
        curved_hold(c, CURVE_CIRCLE, 1, 1.1);
        check_curved(c, has_gravity);
        for (v = 0; v < c->d->desc.mesh.vertex_count; v++) {
            dc_vec3 x = dc_drape_positions(c->d->drape)[v];
            double radius = hypot((double)x.x, (double)x.z - 0.25);
            least = fmin(least, radius), most = fmax(most, radius);
        }
        CHECK_AT_MOST(0.25 - least, 0.01 * 0.25);
        CHECK_AT_MOST(most - 0.25, 0.03 * 0.25);
        curved_close(c);
    }
}

/* A strip of the surface of all tangents h + l h' / |h'| of the helix h = (cos t, sin t, t). It
   unrolls to the outside of a circle of radius |h'|^2 = 2, of the helix's curvature 1/2, with l
   along its tangents. Points of one l are another helix, and a circle of radius sqrt(4 + l^2). In
   space, they are sqrt(1 + l^2 / 2) from the axis, turned by atan(l / sqrt(2)) against t, and
   l / sqrt(2) higher. So their height above the angle around the axis is
   l / sqrt(2) - atan(l / sqrt(2)). */
enum { TANGENTS_COLUMNS = 32, TANGENTS_ROWS = 4 };
static const double TANGENTS_ANGLE = 4, TANGENTS_SIDE[2] = {3, 1.2}; /* [rad], l */

static dc_vec3 tangents_point(double angle, double l)
{
    double t = (angle - atan2(l, 2)) * sqrt(2), part = l / sqrt(2);
    return dci_vec((dc_real)(cos(t) - part * sin(t)), (dc_real)(sin(t) + part * cos(t)),
                   (dc_real)(t + part));
}

static draped *tangents_begin(void)
{
    draped *d = draped_sheet(TANGENTS_COLUMNS, TANGENTS_ROWS, 1, 1);
    double outer = sqrt(4 + TANGENTS_SIDE[0] * TANGENTS_SIDE[0]);
    double inner = sqrt(4 + TANGENTS_SIDE[1] * TANGENTS_SIDE[1]);
    dc_index v;
    for (v = 0; v < d->desc.mesh.vertex_count; v++) {
        double angle = TANGENTS_ANGLE * (double)d->flat[v].x;
        double radius = outer + (inner - outer) * (double)d->flat[v].y;
        d->flat[v].x = (dc_real)(radius * cos(angle));
        d->flat[v].y = (dc_real)(radius * sin(angle));
        d->positions[v] = dci_vec(d->flat[v].x, d->flat[v].y, 0);
    }
    return d;
}

/* How far a vertex is from the helix of its radius in the pattern: off the axis, and along it but
   for whole turns. */
static double tangents_distance(dc_vec2 flat, dc_vec3 x)
{
    double part = sqrt(((double)flat.x * (double)flat.x + (double)flat.y * (double)flat.y - 4) / 2);
    double out = hypot((double)x.x, (double)x.y) - sqrt(1 + part * part);
    double up = (double)x.z - atan2((double)x.y, (double)x.x) - (part - atan(part));
    return hypot(out, remainder(up, 2 * acos(-1.0)));
}

/* All vertices of its two long sides are held. Vertices are as near to the surface as an edge
   of length 1/2 is to an arc over it: the curvature across the rulings is 1 / l. */
static void test_strip_between_two_helices_is_the_surface_of_their_tangents(void)
{
    draped *d = tangents_begin();
    dc_curve_desc curve[2];
    dc_index run[2][TANGENTS_COLUMNS + 1], v;
    dc_vec3 point[2][CURVED_POINTS];
    double most = 0;
    int i, k;
    memset(curve, 0, sizeof curve);
    for (k = 0; k < 2; k++) {
        for (i = 0; i < CURVED_POINTS; i++)
            point[k][i] = tangents_point((TANGENTS_ANGLE + 0.2) * i / (CURVED_POINTS - 1) - 0.1,
                                         TANGENTS_SIDE[k]);
        for (i = 0; i <= TANGENTS_COLUMNS; i++)
            run[k][i] = k * TANGENTS_ROWS * (TANGENTS_COLUMNS + 1) + i;
        curve[k].vertices = run[k];
        curve[k].vertex_count = TANGENTS_COLUMNS + 1;
        curve[k].points = point[k];
        curve[k].point_count = CURVED_POINTS;
    }
    d->desc.curves = curve;
    d->desc.curve_count = 2;
    d->desc.down = dci_vec(0, 0, 0);
    d->desc.tolerance = (dc_real)TOL(1e-5, 1e-4);
    check_rests(d);
    for (v = 0; v < d->desc.mesh.vertex_count; v++)
        most = fmax(most, tangents_distance(d->flat[v], dc_drape_positions(d->drape)[v]));
    CHECK_AT_MOST(most, 0.5 * 0.5 / 8 / TANGENTS_SIDE[1]);
    draped_close(d);
}

/* The upper border of a tube on a circle of its own radius: it stays round. */
static void test_closed_curve_holds_a_tube(void)
{
    enum { AROUND = 16 };
    shape_desc shape = shape_defaults(SHAPE_CYLINDER);
    draped *d = draped_begin();
    dc_index run[AROUND], v, count = 0;
    dc_vec3 point[200];
    dc_curve_desc curve;
    double most = 0;
    int i;
    shape.columns = AROUND;
    shape.rows = 8;
    shape.radius = DCI_R(0.4);
    shape.height = 1;
    draped_shape(d, &shape);
    for (i = 0; i < 200; i++) {
        double turn = 2 * acos(-1.0) * i / 200;
        point[i] = dci_vec((dc_real)(0.4 * cos(turn)), 1, (dc_real)(0.4 * sin(turn)));
    }
    for (v = 0; v < d->desc.mesh.vertex_count; v++)
        if (d->positions[v].y > DCI_R(0.999)) run[count++] = v;
    CHECK_EQUAL(count, AROUND);
    memset(&curve, 0, sizeof curve);
    if (dci_cross(d->positions[run[0]], d->positions[run[1]]).y > 0) /* the points go backwards */
        for (i = 0; i < 100; i++) {
            dc_vec3 other = point[i];
            point[i] = point[199 - i], point[199 - i] = other;
        }
    curve.vertices = run;
    curve.vertex_count = AROUND;
    curve.points = point;
    curve.point_count = 200;
    curve.is_closed = 1;
    d->desc.curves = &curve;
    d->desc.curve_count = 1;
    check_rests(d);
    for (v = 0; v < d->desc.mesh.vertex_count; v++) {
        dc_vec3 x = dc_drape_positions(d->drape)[v];
        most = fmax(most, fabs(hypot((double)x.x, (double)x.z) - 0.4));
    }
    CHECK_AT_MOST(most, 0.02 * 0.4);
    draped_close(d);
}

/* A straight curve behind a wall, in front of which the border stays. */
static void test_curve_behind_a_wall_is_told(void)
{
    const double behind = 0.2;
    curved *c = curved_begin();
    dc_vec3 wall = dci_vec(0, 0, DCI_R(-0.1)), x;
    dc_index i;
    curved_hold(c, CURVE_SINE, 1, 1);
    for (i = 0; i < CURVED_POINTS; i++) c->point[0][i].z = wall.z - (dc_real)behind;
    draped_obstacle(c->d, DC_OBSTACLE_PLANE, wall, dci_vec(0, 0, 1), 0);
    CHECK(draped_rest(c->d) == DC_NOT_CONVERGED);
    CHECK(strstr(c->d->error.what, "did not reach its curve") != NULL);
    CHECK_EQUAL(c->d->error.index, c->d->report.curve_vertex);
    CHECK_NEAR(c->d->error.value, curved_distance(c, 0), TOL(1e-12, 1e-6));
    CHECK_NEAR(c->d->error.value, behind, 0.01);
    x = dc_drape_positions(c->d->drape)[c->d->error.index];
    CHECK(c->d->report.is_certified && x.z > wall.z);
    curved_close(c);
}

/* A circle of half its length. */
static void test_curve_that_is_too_short_is_told(void)
{
    curved *c = curved_begin();
    curved_hold(c, CURVE_CIRCLE, 1, 0.5);
    CHECK(draped_rest(c->d) == DC_NOT_CONVERGED);
    CHECK(strstr(c->d->error.what, "length of this edge") != NULL);
    CHECK_EQUAL(c->d->error.index, c->d->report.strain_edge);
    CHECK(c->d->error.value == c->d->report.strain_max);
    CHECK_NEAR(c->d->report.curve_distance, curved_distance(c, 0), TOL(1e-12, 1e-6));
    CHECK(c->d->report.is_certified && c->d->report.curve_distance > 0);
    CHECK_EQUAL(referee_count(dc_drape_mesh(c->d->drape), dc_drape_positions(c->d->drape),
                              dc_drape_mesh(c->d->drape), dc_drape_positions(c->d->drape)),
                0);
    curved_close(c);
}

/* Two circles that are a tenth of the sheet too far apart stretch it by that. All lengths together
   are as near as they can be: nearer than those of a cylinder that is stretched evenly. */
static void test_curves_too_far_apart_stretch_the_sheet(void)
{
    curved *c = curved_begin();
    double side = 1.0 / CURVED_CELLS, along = 0.1 * side;
    double diagonal = (sqrt(1 + 1.1 * 1.1) - sqrt(2)) * side;
    int i, edges = CURVED_CELLS * (CURVED_CELLS + 1);
    curved_hold(c, CURVE_CIRCLE, 0, 1.1);
    curved_hold(c, CURVE_CIRCLE, 1, 1.1);
    for (i = 0; i < CURVED_POINTS; i++) c->point[1][i].y += DCI_R(0.1);
    CHECK(draped_rest(c->d) == DC_NOT_CONVERGED);
    CHECK(c->d->report.strain_max > 0.099);
    CHECK_AT_MOST(c->d->report.length_energy,
                  edges * along * along + CURVED_CELLS * CURVED_CELLS * diagonal * diagonal);
    curved_close(c);
}

static void refuses_curve(curved *c, dc_status status, const char *what, double value)
{
    CHECK(draped_open(c->d) == status);
    CHECK(test_error_names(&c->d->error, what));
    if (value >= 0) CHECK(c->d->error.index == 0 && c->d->error.value == (dc_real)value);
}

/* Points given one by one. */
static dc_vec3 asked_point(void *context, dc_real part)
{
    const dc_vec3 *points = (const dc_vec3 *)context;
    return points[(int)((double)part * (CURVED_POINTS - 1) + 0.5)];
}

static void test_curves_may_be_functions(void)
{
    curved *c = curved_begin(), *same = curved_begin();
    dc_curve_desc *curve = curved_hold(c, CURVE_HELIX, 1, 1);
    int i;
    curve->points = NULL;
    curve->function = asked_point;
    curve->context = c->point[0];
    curved_hold(same, CURVE_HELIX, 1, 1);
    check_rests(c->d);
    check_rests(same->d);
    CHECK(dc_drape_hash(c->d->drape) == dc_drape_hash(same->d->drape));
    CHECK(dc_drape_move_curve(c->d->drape, 0, NULL, &c->d->error) == DC_OK);
    CHECK(dc_drape_look(c->d->drape).state == DC_DRAPE_AT_REST);
    for (i = 0; i < CURVED_POINTS; i++) c->point[0][i].y += DCI_R(0.02);
    CHECK(dc_drape_move_curve(c->d->drape, 0, NULL, &c->d->error) == DC_OK);
    CHECK(dc_drape_move_curve(same->d->drape, 0, c->point[0], &c->d->error) == DC_OK);
    check_posed(c->d);
    check_posed(same->d);
    CHECK(dc_drape_hash(c->d->drape) == dc_drape_hash(same->d->drape));
    CHECK(dc_drape_move_curve(same->d->drape, 0, NULL, &same->d->error) == DC_BAD_ARGUMENT);
    CHECK(strstr(same->d->error.what, "neither") && same->d->error.index == 0);
    curved_close(c);
    curved_close(same);
}

static void test_wrong_curves_are_refused(void)
{
    curved *c = curved_begin();
    dc_curve_desc *curve = curved_hold(c, CURVE_SINE, 1, 1), right = *curve;
    dc_index last = CURVED_POINTS - 1;
    dc_vec3 point = c->point[0][5];
    curve->vertex_count = 0;
    refuses_curve(c, DC_BAD_ARGUMENT, "vertex_count", 0);
    *curve = right;
    curve->vertices = NULL;
    refuses_curve(c, DC_BAD_ARGUMENT, "vertices", 0);
    *curve = right;
    curve->point_count = 1;
    refuses_curve(c, DC_BAD_ARGUMENT, "point_count", 0);
    *curve = right;
    curve->points = NULL;
    refuses_curve(c, DC_BAD_ARGUMENT, "points", 0);
    *curve = right;
    c->run[0][3] = -1;
    refuses_curve(c, DC_BAD_ARGUMENT, "does not exist", -1);
    c->run[0][3] = c->d->desc.mesh.vertex_count;
    refuses_curve(c, DC_BAD_ARGUMENT, "does not exist", (double)c->d->desc.mesh.vertex_count);
    c->run[0][3] = c->run[0][1];
    refuses_curve(c, DC_BAD_ARGUMENT, "twice", (double)c->run[0][1]);
    c->run[0][3] = c->run[0][2] + 1;
    c->point[0][5] = c->point[0][6];
    refuses_curve(c, DC_BAD_ARGUMENT, "where the next one is", 5);
    c->point[0][5].y = (dc_real)NAN;
    refuses_curve(c, DC_NOT_FINITE, "is not finite", 5);
    c->point[0][5] = point;
    curve->is_closed = 1;
    c->point[0][last] = c->point[0][0];
    refuses_curve(c, DC_BAD_ARGUMENT, "where the next one is", (double)last);
    *curve = right;
    c->d->desc.curve_tolerance = 0;
    refuses_curve(c, DC_BAD_ARGUMENT, "curve_tolerance", -1);
    c->d->desc.curve_tolerance = DCI_R(0.01);
    c->d->desc.curve_count = -1;
    refuses_curve(c, DC_BAD_ARGUMENT, "curve_count", -1);
    c->d->desc.curve_count = 1;
    c->d->desc.curves = NULL;
    refuses_curve(c, DC_BAD_ARGUMENT, "curves", -1);
    c->d->desc.curves = c->curve;
    CHECK(draped_open(c->d) == DC_OK);
    curved_close(c);
}

/* A corner that is an anchor, too, is one pin. */
static void test_curves_are_handed_over_as_pins(void)
{
    curved *c = curved_begin();
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_index pins[CURVED_CELLS + 2], i, k;
    curved_hold(c, CURVE_SINE, 1, 1);
    draped_hold(c->d, c->run[0][0], 0, 1, 0);
    check_rests(c->d);
    dc_drape_hand_over(c->d->drape, &cloth, pins);
    CHECK_EQUAL(cloth.pin_count, CURVED_CELLS + 1);
    for (i = 0; i < cloth.pin_count; i++) {
        CHECK(pins[i] >= c->run[0][0] && pins[i] <= c->run[0][CURVED_CELLS]);
        for (k = 0; k < i; k++) CHECK(pins[i] != pins[k]);
    }
    curved_close(c);
}

static const test_case tests_curves[] = {
    {"sheets follow curves", test_sheets_follow_curves},
    {"two circles make a cylinder", test_two_circles_make_a_cylinder},
    {"a strip between two helices is the surface of their tangents",
     test_strip_between_two_helices_is_the_surface_of_their_tangents},
    {"a closed curve holds a tube", test_closed_curve_holds_a_tube},
    {"a curve behind a wall is told", test_curve_behind_a_wall_is_told},
    {"a curve that is too short is told", test_curve_that_is_too_short_is_told},
    {"curves too far apart stretch the sheet", test_curves_too_far_apart_stretch_the_sheet},
    {"curves may be functions", test_curves_may_be_functions},
    {"wrong curves are refused", test_wrong_curves_are_refused},
    {"curves are handed over as pins", test_curves_are_handed_over_as_pins},
};
