/* Ribbons for tests: worlds of some of them, and paper folded crease by crease in double. */
#ifndef TEST_RIBBONS_H
#define TEST_RIBBONS_H

enum { RIBBONS_MAX = 3, RIBBON_SEGMENTS = 128, RIBBON_HOLDS = 4, RIBBON_THINGS = 2 };

/* A world of ribbons, sheets and obstacles, memory from malloc. */
typedef struct ribbons {
    dc_world_desc desc;
    dc_ribbon_desc ribbon[RIBBONS_MAX];
    dc_cloth_desc cloth[RIBBON_THINGS];
    dc_obstacle_desc obstacle[RIBBON_THINGS];
    dc_attachment_desc hold[RIBBONS_MAX][RIBBON_HOLDS];
    dc_real creases[RIBBONS_MAX][RIBBON_SEGMENTS], angles[RIBBONS_MAX][RIBBON_SEGMENTS];
    dc_vec3 velocities[RIBBONS_MAX][2 * RIBBON_SEGMENTS + 2];
    dc_info info;
    dc_world *world;
    dc_report report;
    dc_error error;
    void *memory;
    dc_vec3 *positions; /* of the sheet, see ribbons_sheet() */
    dc_index *triangles;
} ribbons;

/* One ribbon as dc_ribbon_defaults() has it, and no gravity. */
static ribbons *ribbons_begin(void)
{
    ribbons *r = (ribbons *)test_alloc(sizeof *r);
    int i;
    r->desc = dc_world_defaults();
    r->desc.gravity = dci_vec(0, 0, 0);
    r->desc.cloths = r->cloth;
    r->desc.obstacles = r->obstacle;
    r->desc.ribbons = r->ribbon;
    r->desc.ribbon_count = 1;
    for (i = 0; i < RIBBONS_MAX; i++) {
        r->ribbon[i] = dc_ribbon_defaults();
        r->ribbon[i].attachments = r->hold[i];
    }
    return r;
}

/* The next attachment of a ribbon: a point of the flat pattern to a place. */
static dc_attachment_desc *ribbons_hold(ribbons *r, int ribbon, double x, double y, dc_vec3 target)
{
    dc_attachment_desc *hold = &r->hold[ribbon][r->ribbon[ribbon].attachment_count++];
    *hold = dc_attachment_defaults();
    hold->place.x = (dc_real)x;
    hold->place.y = (dc_real)y;
    hold->target = target;
    return hold;
}

/* Angles and creases to start with: all the same. */
static void ribbons_bend(ribbons *r, int ribbon, double crease, double angle)
{
    dc_index j;
    for (j = 0; j < r->ribbon[ribbon].segment_count - 1; j++) {
        r->creases[ribbon][j] = (dc_real)crease;
        r->angles[ribbon][j] = (dc_real)angle;
    }
    r->ribbon[ribbon].start_creases = r->creases[ribbon];
    r->ribbon[ribbon].start_angles = r->angles[ribbon];
}

/* A sheet width x depth in the plane y = height with its middle at (x, z): cloth 0. */
static void ribbons_sheet(ribbons *r, dc_index cells, double width, double depth, double x,
                          double height, double z)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_index vertices, triangles, v;
    r->cloth[0] = dc_cloth_defaults();
    r->desc.cloth_count = 1;
    shape.columns = shape.rows = cells;
    shape.width = (dc_real)width;
    shape.height = (dc_real)depth;
    CHECK(shape_counts(&shape, &vertices, &triangles, &r->error) == DC_OK);
    r->positions = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3));
    r->triangles = (dc_index *)test_alloc(3 * (size_t)triangles * sizeof(dc_index));
    CHECK(shape_build(&shape, r->positions, r->triangles, NULL, &r->cloth[0].mesh, &r->error) ==
          DC_OK);
    for (v = 0; v < vertices; v++) {
        dc_vec3 *p = &r->positions[v];
        *p = dci_vec(p->x + (dc_real)(x - width / 2), (dc_real)height,
                     (dc_real)(z + depth / 2) - p->y);
    }
}

static dc_status ribbons_make(ribbons *r)
{
    return make_world(&r->desc, &r->memory, &r->world, &r->info, &r->error);
}

static dc_status ribbons_open(ribbons *r)
{
    dc_status status = ribbons_make(r);
    if (status != DC_OK)
        printf("    %s: %s (%d), %g\n", r->error.where, r->error.what, (int)r->error.index,
               (double)r->error.value);
    return status;
}

static void ribbons_close(ribbons *r)
{
    free(r->memory);
    free(r->positions);
    free(r->triangles);
    free(r);
}

/* What holds after every step and every rest. */
static void ribbons_check(const ribbons *r, int collides)
{
    dc_index i;
    for (i = 0; i < r->desc.ribbon_count; i++) {
        const dc_ribbon_desc *d = &r->ribbon[i];
        dc_ribbon_measures m = dc_ribbon_measure(r->world, r->desc.cloth_count + i);
        CHECK_AT_MOST(m.crease_limit, TOL(0.95 + 1e-12, 0.95 + 1e-5));
        if (collides) continue; /* moves single vertices */
        CHECK_AT_MOST(m.gap, d->tolerance);
        /* a corner is off by ten units in the last place of the length for each crease before it,
           and a triangle's short side is at least 1 - crease_limit of length / n */
        CHECK_AT_MOST(m.area_error, 20 * (double)DCI_EPSILON * (double)d->segment_count *
                                        (double)d->segment_count / (1 - (double)m.crease_limit));
    }
}

/* Steps for a time [s]; stops at the first failure and says what it was. */
static dc_status ribbons_run(ribbons *r, double time, double dt)
{
    int i, steps = (int)(time / dt + 0.5);
    for (i = 0; i < steps; i++) {
        dc_status status = dc_world_step(r->world, (dc_real)dt, &r->report, &r->error);
        if (status != DC_OK) {
            printf("    step %d: %s (%d), %g\n", i, r->error.what, (int)r->error.index,
                   (double)r->error.value);
            return status;
        }
        ribbons_check(r, r->desc.collides);
        if (r->desc.collides) CHECK(r->report.is_certified && r->report.unresolved == 0);
    }
    return DC_OK;
}

static dc_status ribbons_relax(ribbons *r, int ribbon)
{
    dc_status status =
        dc_ribbon_relax(r->world, r->desc.cloth_count + ribbon, &r->report, &r->error);
    if (status == DC_OK)
        ribbons_check(r, 0);
    else
        printf("    relax: %s (%d), %g\n", r->error.what, (int)r->error.index,
               (double)r->error.value);
    return status;
}

/* Where a point of the flat pattern is now [m]. The segments of an open ribbon are flat as long as
   nothing collided, so each is carried by three of its corners. */
static dc_vec3 ribbons_point(const ribbons *r, int ribbon, double x, double y)
{
    const dc_ribbon_desc *d = &r->ribbon[ribbon];
    const dc_vec3 *p = dc_body_positions(r->world, r->desc.cloth_count + ribbon);
    const dc_real *c = dc_ribbon_creases(r->world, r->desc.cloth_count + ribbon);
    double cell = (double)d->length / d->segment_count, w = (double)d->width, low, high, across, a;
    int j = 0;
    dc_vec3 below, above;
    while (j < d->segment_count - 1 && x > (j + 1) * cell + (double)c[j + 1] * y) j++;
    low = j * cell + (double)c[j] * y;
    high = (j + 1) * cell + (double)c[j + 1] * y;
    across = y / w + 0.5;
    a = (x - low) / (high - low);
    below = dci_vec_add(dci_vec_scale((dc_real)(1 - across), p[2 * j]),
                        dci_vec_scale((dc_real)across, p[2 * j + 1]));
    above = dci_vec_add(dci_vec_scale((dc_real)(1 - across), p[2 * j + 2]),
                        dci_vec_scale((dc_real)across, p[2 * j + 3]));
    return dci_vec_add(dci_vec_scale((dc_real)(1 - a), below), dci_vec_scale((dc_real)a, above));
}

/* The unit normal of a segment. */
static dc_vec3 ribbons_normal(const ribbons *r, int ribbon, int segment)
{
    const dc_vec3 *p = dc_body_positions(r->world, r->desc.cloth_count + ribbon) + 2 * segment;
    dc_vec3 n = dci_cross(dci_vec_sub(p[3], p[0]), dci_vec_sub(p[1], p[2]));
    return dci_vec_scale(1 / dci_norm(n), n);
}

static double ribbons_way(dc_vec3 a, dc_vec3 b)
{
    return (double)dci_norm(dci_vec_sub(a, b));
}

/* ---- Paper ---- */

typedef struct paper_vec {
    double x, y, z;
} paper_vec;

static paper_vec paper_vec_of(double x, double y, double z)
{
    paper_vec v;
    v.x = x, v.y = y, v.z = z;
    return v;
}

static paper_vec paper_sum(paper_vec a, double s, paper_vec b)
{
    return paper_vec_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static double paper_dot(paper_vec a, paper_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static paper_vec paper_cross(paper_vec a, paper_vec b)
{
    return paper_vec_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static double paper_way(paper_vec a, dc_vec3 b)
{
    paper_vec d = paper_vec_of(a.x - (double)b.x, a.y - (double)b.y, a.z - (double)b.z);
    return sqrt(paper_dot(d, d));
}

/* Turns a point about a line through `at` along the unit vector `axis`, right hand: Rodrigues. */
static paper_vec paper_turn(paper_vec p, paper_vec at, paper_vec axis, double angle)
{
    paper_vec r = paper_sum(p, -1, at), across = paper_cross(axis, r), turned;
    turned = paper_sum(paper_vec_of(0, 0, 0), cos(angle), r);
    turned = paper_sum(turned, sin(angle), across);
    turned = paper_sum(turned, (1 - cos(angle)) * paper_dot(axis, r), axis);
    return paper_sum(at, 1, turned);
}

typedef struct paper {
    int n;
    double length, width;
    double c[RIBBON_SEGMENTS + 1], psi[RIBBON_SEGMENTS + 1]; /* 0 to n */
    paper_vec x[2 * RIBBON_SEGMENTS + 2], normal[RIBBON_SEGMENTS];
} paper;

/* Folds it from the last crease to the first: each still lies flat when its turn comes, and
   everything behind it turns about it. First segment in the plane z = 0, along x. */
static void paper_fold(paper *f)
{
    int j, k;
    for (j = 0; j <= f->n; j++) {
        double x = f->length * j / f->n, lean = f->width * f->c[j] / 2;
        f->x[2 * j] = paper_vec_of(x - lean, -f->width / 2, 0);
        f->x[2 * j + 1] = paper_vec_of(x + lean, f->width / 2, 0);
        if (j < f->n) f->normal[j] = paper_vec_of(0, 0, 1);
    }
    for (j = f->n - 1; j > 0; j--) {
        paper_vec at = paper_vec_of(f->length * j / f->n, 0, 0), origin = paper_vec_of(0, 0, 0);
        double size = sqrt(1 + f->c[j] * f->c[j]);
        paper_vec axis = paper_vec_of(-f->c[j] / size, -1 / size, 0);
        for (k = 2 * j + 2; k <= 2 * f->n + 1; k++)
            f->x[k] = paper_turn(f->x[k], at, axis, f->psi[j]);
        for (k = j; k < f->n; k++) f->normal[k] = paper_turn(f->normal[k], origin, axis, f->psi[j]);
    }
}

/* The same in the description's pose; `across` is normal x along. */
static void paper_pose(paper *f, const dc_ribbon_desc *d)
{
    paper_vec o = paper_vec_of((double)d->origin.x, (double)d->origin.y, (double)d->origin.z),
              a = paper_vec_of((double)d->along.x, (double)d->along.y, (double)d->along.z),
              n = paper_vec_of((double)d->normal.x, (double)d->normal.y, (double)d->normal.z), b;
    int k;
    a = paper_sum(paper_vec_of(0, 0, 0), 1 / sqrt(paper_dot(a, a)), a);
    n = paper_sum(n, -paper_dot(n, a), a);
    n = paper_sum(paper_vec_of(0, 0, 0), 1 / sqrt(paper_dot(n, n)), n);
    b = paper_cross(n, a);
    for (k = 0; k < 2 * f->n + 2; k++) {
        paper_vec p = f->x[k];
        f->x[k] = paper_sum(paper_sum(paper_sum(o, p.x, a), p.y, b), p.z, n);
    }
    for (k = 0; k < f->n; k++) {
        paper_vec p = f->normal[k];
        p = paper_sum(paper_sum(paper_sum(paper_vec_of(0, 0, 0), p.x, a), p.y, b), p.z, n);
        f->normal[k] = p;
    }
}

static paper *paper_of(const dc_ribbon_desc *d)
{
    paper *f = (paper *)test_alloc(sizeof *f);
    int j;
    f->n = d->segment_count;
    f->length = (double)d->length;
    f->width = (double)d->width;
    for (j = 1; j < f->n; j++) {
        f->c[j] = d->start_creases ? (double)d->start_creases[j - 1] : 0;
        f->psi[j] = d->start_angles ? (double)d->start_angles[j - 1] : 0;
    }
    paper_fold(f);
    paper_pose(f, d);
    return f;
}

/* ---- Gradients as in appendix A of [PHB15] ---- */

typedef struct paper_matrix {
    double m[3][4]; /* the fourth row is 0 0 0 1, or 0 0 0 0 of a derivative */
} paper_matrix;

/* a b, where the fourth row of b is 0 0 0 `last`. */
static paper_matrix paper_matrix_mul(const paper_matrix *a, const paper_matrix *b, double last)
{
    paper_matrix c;
    int i, k, q;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 4; k++) {
            c.m[i][k] = k == 3 ? a->m[i][3] * last : 0;
            for (q = 0; q < 3; q++) c.m[i][k] += a->m[i][q] * b->m[q][k];
        }
    return c;
}

/* Of a point (last 1) or a direction (last 0). */
static paper_vec paper_matrix_of(const paper_matrix *a, paper_vec p, double last)
{
    double r[3];
    int i;
    for (i = 0; i < 3; i++)
        r[i] = a->m[i][0] * p.x + a->m[i][1] * p.y + a->m[i][2] * p.z + a->m[i][3] * last;
    return paper_vec_of(r[0], r[1], r[2]);
}

/* T_k, with the denominator of entry (2, 4) as it should be, and its derivatives. */
static void paper_matrices(const paper *f, int k, paper_matrix *t, paper_matrix *by_c,
                           paper_matrix *by_psi)
{
    double c = f->c[k], x = f->length * k / f->n, g = c * c + 1, r = sqrt(g), r3 = g * r;
    double cosine = cos(f->psi[k]), sine = sin(f->psi[k]), less = 1 - cosine;
    paper_matrix whole = {
        {{(cosine + c * c) / g, c * less / g, -sine / r, x * less / g},
         {c * less / g, (1 + c * c * cosine) / g, c * sine / r, -c * x * less / g},
         {sine / r, -c * sine / r, cosine, -x * sine / r}}};
    paper_matrix lean = {{{2 * c * less / (g * g), less * (1 - c * c) / (g * g), c * sine / r3,
                           -2 * c * x * less / (g * g)},
                          {less * (1 - c * c) / (g * g), -2 * c * less / (g * g), sine / r3,
                           -x * less * (1 - c * c) / (g * g)},
                          {-c * sine / r3, -sine / r3, 0, c * x * sine / r3}}};
    paper_matrix turn = {{{-sine / g, c * sine / g, -cosine / r, x * sine / g},
                          {c * sine / g, -c * c * sine / g, c * cosine / r, -c * x * sine / g},
                          {cosine / r, -c * cosine / r, -sine, -x * cosine / r}}};
    *t = whole;
    *by_c = lean;
    *by_psi = turn;
}

/* Of a function with the gradients x_gradient (2 n + 2) and normal_gradient (n) by corners and
   normals, the derivatives by c_k and psi_k, each by walking to the end: quadratic work. For a
   first segment in the plane z = 0, along x from the origin. */
static void paper_gradient(const paper *f, const paper_vec *x_gradient,
                           const paper_vec *normal_gradient, double *by_c, double *by_psi)
{
    static const paper_matrix unit = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    paper_matrix before = unit, t, lean, turn;
    int j, k, side;
    for (k = 1; k < f->n; k++) {
        paper_matrix leaned, turned, here;
        paper_matrices(f, k, &t, &lean, &turn);
        leaned = paper_matrix_mul(&before, &lean, 0);
        turned = paper_matrix_mul(&before, &turn, 0);
        here = paper_matrix_mul(&before, &t, 1);
        by_c[k] = by_psi[k] = 0;
        for (j = k; j <= f->n; j++) {
            if (j > k && j < f->n) {
                paper_matrix other, unused;
                paper_matrices(f, j, &other, &unused, &unused);
                leaned = paper_matrix_mul(&leaned, &other, 1);
                turned = paper_matrix_mul(&turned, &other, 1);
            }
            for (side = 0; side < 2; side++) {
                double half = (side ? 0.5 : -0.5) * f->width;
                paper_vec flat = paper_vec_of(f->length * j / f->n + half * f->c[j], half, 0);
                paper_vec g = x_gradient[2 * j + side];
                by_c[k] += paper_dot(g, paper_matrix_of(&leaned, flat, 1));
                by_psi[k] += paper_dot(g, paper_matrix_of(&turned, flat, 1));
                if (j == k)
                    by_c[k] += paper_dot(g, paper_matrix_of(&here, paper_vec_of(half, 0, 0), 0));
            }
            if (j < f->n) {
                paper_vec up = paper_vec_of(0, 0, 1);
                by_c[k] += paper_dot(normal_gradient[j], paper_matrix_of(&leaned, up, 0));
                by_psi[k] += paper_dot(normal_gradient[j], paper_matrix_of(&turned, up, 0));
            }
        }
        before = here;
    }
}

#endif
