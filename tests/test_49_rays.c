/* Rays and normals: what a program needs that draws a world and lets one point at it. */

typedef struct rays_found {
    long double distance,
        margin; /* margin: the least weight at the nearest hit, or at a near miss */
    int body, triangle;
} rays_found;

/* A triangle by Cramer's rule in long double, [MT97]. */
static void rays_try(rays_found *found, dc_vec3 o, dc_vec3 d, const dc_vec3 x[3], int body,
                     int triangle)
{
    long double a[3], b[3], s[3], p[3], q[3], det, u, v, t, least, size;
    const long double e[3] = {(long double)d.x, (long double)d.y, (long double)d.z};
    a[0] = (long double)x[1].x - x[0].x, a[1] = (long double)x[1].y - x[0].y;
    a[2] = (long double)x[1].z - x[0].z, b[0] = (long double)x[2].x - x[0].x;
    b[1] = (long double)x[2].y - x[0].y, b[2] = (long double)x[2].z - x[0].z;
    s[0] = (long double)o.x - x[0].x, s[1] = (long double)o.y - x[0].y;
    s[2] = (long double)o.z - x[0].z;
    p[0] = e[1] * b[2] - e[2] * b[1], p[1] = e[2] * b[0] - e[0] * b[2];
    p[2] = e[0] * b[1] - e[1] * b[0];
    q[0] = s[1] * a[2] - s[2] * a[1], q[1] = s[2] * a[0] - s[0] * a[2];
    q[2] = s[0] * a[1] - s[1] * a[0];
    det = a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
    if (det == 0) return;
    u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / det;
    v = (e[0] * q[0] + e[1] * q[1] + e[2] * q[2]) / det;
    t = (b[0] * q[0] + b[1] * q[1] + b[2] * q[2]) / det;
    size = sqrtl(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    least = fminl(fminl(u, v), 1 - u - v);
    if (t >= 0 && fabsl(least) < found->margin) found->margin = fabsl(least);
    if (!(least >= 0 && t >= 0 && t * size < found->distance)) return;
    found->distance = t * size;
    found->body = body;
    found->triangle = triangle;
}

static dc_vec3 rays_random(uint32_t seed, uint32_t place)
{
    return dci_vec(dci_random(seed, place), dci_random(seed, place + 1),
                   dci_random(seed, place + 2));
}

/* Every ray meets the same triangle at the same distance, unless it is within rounding of a side. */
static void test_rays_meet_what_brute_force_finds(void)
{
    bodies *b = bodies_begin();
    shape_desc ball = shape_defaults(SHAPE_SPHERE);
    dc_obstacle_desc *mesh;
    dc_vec3 *x;
    dc_index *triangles, vertices, count, v;
    uint32_t ray;
    int hits = 0, checked = 0;
    bodies_sheet(b, 7, 7, 1, 1, 0, 0.5, 0);
    bodies_sheet(b, 5, 4, 0.8, 0.8, 0.1, -0.2, 0.1);
    for (v = 0; v < b->cloth[0].mesh.vertex_count; v++)
        b->positions[0][v].y += DCI_R(0.1) * dci_random(1, (uint32_t)v);
    mesh = bodies_obstacle(b, DC_OBSTACLE_MESH, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0);
    ball.columns = 8, ball.rows = 6, ball.radius = DCI_R(0.3);
    CHECK(shape_counts(&ball, &vertices, &count, &b->error) == DC_OK);
    x = (dc_vec3 *)test_alloc((size_t)vertices * sizeof *x);
    triangles = (dc_index *)test_alloc(3 * (size_t)count * sizeof *triangles);
    CHECK(shape_build(&ball, x, triangles, NULL, &mesh->mesh, &b->error) == DC_OK);
    for (v = 0; v < vertices; v++) x[v].y -= DCI_R(0.9);
    CHECK(bodies_open(b) == DC_OK);
    for (ray = 0; ray < 5000; ray++) {
        const dc_vec3 origin = dci_vec_scale(2, rays_random(ray, 10));
        const dc_vec3 target = dci_vec_scale(DCI_R(0.6), rays_random(ray, 20));
        const dc_vec3 direction = dci_vec_scale(DCI_R(0.3), dci_vec_sub(target, origin));
        rays_found found = {1e30L, 1, DC_NONE, DC_NONE};
        dc_ray_hit hit;
        int body, t, c;
        for (body = 0; body < 3; body++) {
            const dc_mesh *m = body < 2 ? dc_body_mesh(b->world, body) : NULL;
            const dc_vec3 *at = body < 2 ? dc_body_positions(b->world, body)
                                         : dc_body_positions(b->world, b->world->moving_count);
            const dc_index *corner = body < 2 ? m->triangles : triangles;
            for (t = 0; t < (body < 2 ? m->triangle_count : count); t++) {
                dc_vec3 y[3];
                for (c = 0; c < 3; c++) y[c] = at[corner[3 * t + c]];
                rays_try(&found, origin, direction, y, body, t);
            }
        }
        CHECK(dc_world_cast_ray(b->world, origin, direction, &hit, &b->error) == DC_OK);
        if (found.margin < TOL(1e-12L, 1e-4L)) continue;
        checked++;
        CHECK_EQUAL(hit.body, found.body);
        CHECK_EQUAL(hit.triangle, found.triangle);
        if (hit.body == DC_NONE) continue;
        hits++;
        CHECK_NEAR(hit.distance, (double)found.distance, TOL(1e-13, 1e-5));
        CHECK_NEAR(hit.weight[0] + hit.weight[1] + hit.weight[2], 1, TOL(1e-14, 1e-5));
        if (hit.body < 2) {
            const dc_vec3 *at = dc_body_positions(b->world, hit.body);
            dc_vec3 mean = dci_vec(0, 0, 0);
            for (c = 0; c < 3; c++) mean = dci_vec_axpy(mean, hit.weight[c], at[hit.vertex[c]]);
            CHECK_AT_MOST(dci_norm(dci_vec_sub(mean, hit.position)), TOL(1e-13, 1e-5));
        }
    }
    CHECK(hits > 1000 && checked > 4900 - TOL(0, 500));
    free(x);
    free(triangles);
    bodies_close(b);
}

/* Rays at the inner edges and vertices of a sheet, from everywhere, do not pass. */
static void test_no_ray_passes_between_triangles(void)
{
    bodies *b = bodies_begin();
    const dc_mesh *mesh;
    uint32_t ray;
    dc_index e;
    int tried = 0;
    bodies_sheet(b, 6, 6, 1, 1, 0, 0, 0);
    b->desc.collides = 0;
    CHECK(bodies_open(b) == DC_OK);
    mesh = dc_body_mesh(b->world, 0);
    for (ray = 0; ray < 40; ray++)
        for (e = 0; e < mesh->edge_count; e++) {
            const dc_vec3 *x = dc_body_positions(b->world, 0);
            dc_vec3 from = x[mesh->edge_vertices[2 * e]], to = x[mesh->edge_vertices[2 * e + 1]];
            dc_real part = (dci_random(ray, (uint32_t)e) + 1) / 2;
            dc_vec3 at = dci_vec_axpy(from, ray % 4 ? part : 0, dci_vec_sub(to, from));
            dc_vec3 origin = dci_vec(dci_random(ray, 1), 1, dci_random(ray, 2));
            dc_ray_hit hit;
            if (dci_abs(at.x) > DCI_R(0.4) || dci_abs(at.z) > DCI_R(0.4)) continue;
            CHECK(dc_world_cast_ray(b->world, origin, dci_vec_sub(at, origin), &hit, &b->error) ==
                  DC_OK);
            CHECK_EQUAL(hit.body, 0);
            tried++;
        }
    CHECK(tried > 1000);
    bodies_close(b);
}

static dc_real rays_distance(bodies *b, dc_vec3 origin, dc_vec3 direction, dc_index body)
{
    dc_ray_hit hit;
    CHECK(dc_world_cast_ray(b->world, origin, direction, &hit, &b->error) == DC_OK);
    CHECK_EQUAL(hit.body, body);
    CHECK(hit.triangle == DC_NONE && hit.vertex[0] == DC_NONE);
    return hit.distance;
}

/* Distances by hand: a sphere, the side and the ends of a capsule, a half space, from both sides. */
static void test_rays_meet_round_obstacles(void)
{
    bodies *b = bodies_begin();
    const double eps = TOL(1e-14, 1e-5);
    dc_ray_hit hit;
    bodies_sheet(b, 2, 2, 0.1, 0.1, 9, 9, 9);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 2, 0), dci_vec(0, 0, 0), 0.5);
    bodies_obstacle(b, DC_OBSTACLE_CAPSULE, dci_vec(3, 2, 0), dci_vec(5, 2, 0), 0.5);
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    CHECK(bodies_open(b) == DC_OK);
    CHECK_NEAR(rays_distance(b, dci_vec(0, 5, 0), dci_vec(0, -2, 0), 1), 2.5, eps);
    CHECK_NEAR(rays_distance(b, dci_vec(0, 2, 0), dci_vec(0, 0, 7), 1), 0.5, eps);
    CHECK_NEAR(rays_distance(b, dci_vec(DCI_R(0.3), 2, -3), dci_vec(0, 0, 1), 1), 2.6, eps);
    CHECK_NEAR(rays_distance(b, dci_vec(4, 5, 0), dci_vec(0, -1, 0), 2), 2.5, eps);
    CHECK_NEAR(rays_distance(b, dci_vec(4, 2, 0), dci_vec(0, -1, 0), 2), 0.5, eps);
    CHECK_NEAR(rays_distance(b, dci_vec(8, 2, 0), dci_vec(-1, 0, 0), 2), 2.5, eps);
    CHECK_NEAR(rays_distance(b, dci_vec(4, 2, 0), dci_vec(-1, 0, 0), 2), 1.5, eps);
    CHECK_NEAR(rays_distance(b, dci_vec(DCI_R(5.3), 5, 0), dci_vec(0, -1, 0), 2), 2.6, eps);
    CHECK_NEAR(rays_distance(b, dci_vec(-2, 3, 0), dci_vec(0, -1, 0), 3), 3, eps);
    CHECK_NEAR(rays_distance(b, dci_vec(-2, -3, 0), dci_vec(0, 3, 4), 3), 5, eps);
    CHECK(dc_world_cast_ray(b->world, dci_vec(0, 6, 0), dci_vec(0, 1, 0), &hit, &b->error) ==
          DC_OK);
    CHECK(hit.body == DC_NONE && hit.triangle == DC_NONE);
    CHECK(dc_world_cast_ray(b->world, dci_vec(0, 6, 0), dci_vec(0, 0, 0), &hit, &b->error) ==
          DC_BAD_ARGUMENT);
    CHECK(dc_world_cast_ray(b->world, dci_vec((dc_real)NAN, 6, 0), dci_vec(0, 0, 1), &hit,
                            &b->error) == DC_NOT_FINITE);
    CHECK(dc_world_cast_ray(b->world, dci_vec(0, 6, 0), dci_vec(0, (dc_real)INFINITY, 1), &hit,
                            &b->error) == DC_NOT_FINITE);
    bodies_close(b);
}

/* Rays at the seams of a tilted capsule meet its near side. */
static void test_no_ray_passes_the_seam_of_a_capsule(void)
{
    bodies *b = bodies_begin();
    const dc_vec3 end[2] = {{DCI_R(-0.3), DCI_R(0.1), 0}, {DCI_R(0.4), DCI_R(0.5), DCI_R(0.2)}};
    const double radius = 0.2;
    dc_vec3 axis = dci_vec_sub(end[1], end[0]);
    uint32_t ray;
    bodies_sheet(b, 2, 2, 0.1, 0.1, 9, 9, 9);
    bodies_obstacle(b, DC_OBSTACLE_CAPSULE, end[0], end[1], radius);
    CHECK(bodies_open(b) == DC_OK);
    axis = dci_vec_scale(1 / dci_norm(axis), axis);
    for (ray = 0; ray < 5000; ray++) {
        dc_vec3 out = rays_random(ray, 1), origin, at;
        dc_ray_hit hit;
        out = dci_vec_axpy(out, -dci_dot(out, axis), axis);
        out = dci_vec_scale(1 / dci_norm(out), out);
        at = dci_vec_axpy(end[ray % 2], (dc_real)radius, out);
        origin =
            dci_vec_axpy(at, 2, dci_vec_add(out, dci_vec_scale(DCI_R(0.5), rays_random(ray, 9))));
        CHECK(dc_world_cast_ray(b->world, origin, dci_vec_sub(at, origin), &hit, &b->error) ==
              DC_OK);
        CHECK_NEAR(hit.distance, (double)dci_norm(dci_vec_sub(at, origin)), TOL(1e-6, 1e-3));
    }
    bodies_close(b);
}

/* The normals of a sphere are its radii, those of a flat sheet and of a flat ribbon the same. */
static void test_normals_are_those_of_the_surface(void)
{
    bodies *b = bodies_begin();
    ribbons *r = ribbons_begin();
    shape_desc ball = shape_defaults(SHAPE_SPHERE);
    dc_vec3 normal[2000];
    dc_index v, n;
    ball.columns = 40, ball.rows = 20;
    bodies_shape(b, &ball);
    bodies_sheet(b, 4, 4, 1, 1, 0, 3, 0);
    b->cloth[1].element = DC_ELEMENT_ISOMETRIC;
    b->cloth[0].rest_positions = b->positions[0];
    b->desc.collides = 0;
    CHECK(bodies_open(b) == DC_OK);
    n = b->cloth[0].mesh.vertex_count;
    CHECK(n <= 2000);
    dc_body_normals(b->world, 0, normal);
    for (v = 0; v < n; v++) {
        dc_vec3 x = dc_body_positions(b->world, 0)[v];
        CHECK_AT_MOST(dci_norm(dci_vec_sub(normal[v], dci_vec_scale(1 / dci_norm(x), x))), 0.05);
    }
    dc_body_normals(b->world, 1, normal);
    for (v = 0; v < dc_body_mesh(b->world, 1)->vertex_count; v++)
        CHECK_AT_MOST(dci_norm(dci_vec_sub(normal[v], dci_vec(0, 1, 0))), TOL(1e-12, 1e-5));
    CHECK(ribbons_open(r) == DC_OK);
    dc_body_normals(r->world, r->desc.cloth_count, normal);
    for (v = 0; v < dc_body_mesh(r->world, r->desc.cloth_count)->vertex_count; v++)
        CHECK_AT_MOST(dci_norm(dci_vec_sub(normal[v], r->ribbon[0].normal)), TOL(1e-12, 1e-5));
    ribbons_close(r);
    bodies_close(b);
}

static const test_case tests_rays[] = {
    {"rays meet what brute force finds", test_rays_meet_what_brute_force_finds},
    {"no ray passes between triangles", test_no_ray_passes_between_triangles},
    {"rays meet round obstacles", test_rays_meet_round_obstacles},
    {"no ray passes the seam of a capsule", test_no_ray_passes_the_seam_of_a_capsule},
    {"normals are those of the surface", test_normals_are_those_of_the_surface},
};
