/* Chapter 19, and what chapters 41 to 43 add to it: small steps. */

/* [s] of the steps below: twenty sub-steps of the default length. */
static const double SMALL_DT = 1.0 / 60;

static fixture small_begin(void)
{
    fixture f = fixture_begin();
    f.cloth.step = DC_STEP_SMALL;
    return f;
}

/* On a mesh of square_of_kind(). */
static fixture small_square(int kind, int cells)
{
    fixture f = small_begin();
    f.cloth.mesh = square_of_kind(kind, cells);
    return f;
}

static dci_relax *small_relax(const fixture *f)
{
    return fixture_cloth(f)->relax;
}

static dc_vec3 small_noise(dc_index k, double size)
{
    return dci_vec_scale((dc_real)size,
                         dci_vec(dci_random(1, (uint32_t)k), dci_random(2, (uint32_t)k),
                                 dci_random(3, (uint32_t)k)));
}

/* Turned about an axis through the origin by its length [rad]. */
static dc_vec3 small_turn(dc_vec3 turn, dc_vec3 x)
{
    double angle = (double)dci_norm(turn);
    if (angle == 0) return x;
    dc_vec3 axis = dci_vec_scale((dc_real)(1 / angle), turn);
    dc_vec3 turned = dci_vec_scale((dc_real)((1 - cos(angle)) * (double)dci_dot(axis, x)), axis);
    turned = dci_vec_axpy(turned, (dc_real)cos(angle), x);
    return dci_vec_axpy(turned, (dc_real)sin(angle), dci_cross(axis, x));
}

/* ---- Triangles ---- */

/* Masses that differ up to fivefold, and the tables made from them. */
static void small_weigh_unevenly(dci_relax *s)
{
    for (dc_index k = 0; k < s->element->node_count; k++)
        s->inv_mass[k] *= DCI_R(1) + DCI_R(0.66) * dci_random(4, (uint32_t)k);
    dci_relax_set_blocks(s);
}

/* The flat sheet, turned in space, and all nodes moved by up to `size` [m] along each axis. */
static void small_place(const fixture *f, double size)
{
    dci_relax *s = small_relax(f);
    const dc_vec3 turn = dci_vec(DCI_R(0.7), DCI_R(-0.4), DCI_R(1.1));
    for (dc_index k = 0; k < s->element->node_count; k++) {
        dc_vec2 at = flat_node(fixture_cloth(f), k);
        dc_vec3 x = small_turn(turn, dci_vec(at.x, at.y, 0));
        s->x[k] = dci_vec_add(x, small_noise(k, size));
    }
    s->x[s->element->node_count] = dci_vec(0, 0, 0);
}

static void test_blocks_have_each_triangle_once_and_no_node_twice(void)
{
    for (int kind = 0; kind < 5; kind++) {
        fixture f = small_square(kind, 9);
        CHECK(fixture_open(&f) == DC_OK);
        const dci_relax *s = small_relax(&f);
        dc_index places = DCI_TILE * s->block_count, found = 0, triangles = s->mesh->triangle_count;
        int *times = (int *)test_alloc((size_t)triangles * sizeof(int));
        for (dc_index i = 0; i < places; i++) {
            const dci_relax_block *b = s->block + i / DCI_TILE;
            dc_index t = s->triangle[i];
            if (t != DC_NONE) times[t]++, found++;
            for (dc_index k = 0; k < 3; k++) {
                dc_index node = b->node[k][i % DCI_TILE];
                CHECK_EQUAL(node, t == DC_NONE ? s->element->node_count
                                               : s->mesh->edge_of_corner[3 * t + k]);
                for (dc_index j = 0; j < 3 * (i % DCI_TILE); j++)
                    if (t != DC_NONE) CHECK(b->node[j % 3][j / 3] != node);
            }
        }
        for (dc_index t = 0; t < triangles; t++) CHECK_EQUAL(times[t], 1);
        CHECK_EQUAL(found, triangles);
        /* Places stay empty only near the end, where no later triangle could fill them. */
        CHECK_AT_MOST(places, triangles + 4 * DCI_RELAX_OPEN);
        free(times);
        fixture_close(&f);
    }
}

/* sum m |x - y|^2 of three points, y turned by `turn` about the centre. */
static double small_way_sq(const double m[3], const dc_vec3 x[3], const dc_vec3 y[3],
                           dc_vec3 centre, dc_vec3 turn)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        dc_vec3 at = dci_vec_add(centre, small_turn(turn, dci_vec_sub(y[k], centre)));
        at = dci_vec_sub(at, x[k]);
        sum += m[k] * (double)dci_dot(at, at);
    }
    return sum;
}

/* A rigid place y of three masses at x is the nearest if (1) it has the same centre, (2) turning it
   either way changes sum m |y - x|^2 by nothing in first order, sum m (y - centre) x x = 0, and (3)
   no rotation of it, of random axes and angles, is nearer. (1) and (2) also say that momentum and
   angular momentum of the displacements vanish. */
static void small_check_nearest(const fixture *f, dc_index t, const dc_vec3 x[3],
                                const dc_vec3 y[3])
{
    const dci_relax *s = small_relax(f);
    const dc_index *edge = s->mesh->edge_of_corner + 3 * t;
    double m[3], mass = 0, size = 0.1; /* [m] of a triangle */
    dc_vec3 shift = dci_vec(0, 0, 0), centre = shift, moment = shift;
    /* Sums of a few numbers below 2: a few units in the last place, over a triangle of .1 m. */
    double tol = TOL(1e-14, 3e-6);
    for (int k = 0; k < 3; k++) mass += m[k] = 1 / (double)s->inv_mass[edge[k]];
    for (int k = 0; k < 3; k++) {
        shift = dci_vec_axpy(shift, (dc_real)(m[k] / mass), dci_vec_sub(y[k], x[k]));
        centre = dci_vec_axpy(centre, (dc_real)(m[k] / mass), y[k]);
    }
    for (int k = 0; k < 3; k++) {
        dc_vec3 d = dci_vec_sub(y[k], x[k]), side = dci_vec_sub(y[(k + 1) % 3], y[(k + 2) % 3]);
        moment =
            dci_vec_axpy(moment, (dc_real)(m[k] / mass), dci_cross(dci_vec_sub(y[k], centre), d));
        CHECK_NEAR(dci_norm(side), s->mesh->rest_length[3 * t + k] / 2, tol);
    }
    CHECK_NEAR(dci_norm(shift), 0, tol);
    CHECK_NEAR(dci_norm(moment), 0, tol * size);
    for (int i = 0; i < 20; i++) {
        dc_vec3 turn = small_noise(20 * t + i, i < 10 ? 0.01 : 3);
        CHECK_AT_MOST(small_way_sq(m, x, y, centre, dci_vec(0, 0, 0)),
                      small_way_sq(m, x, y, centre, turn) + mass * size * tol);
    }
}

static void test_triangles_move_to_the_nearest_rigid_place(void)
{
    for (int kind = 2; kind < 4; kind++) {
        fixture f = small_square(kind, 9);
        CHECK(fixture_open(&f) == DC_OK);
        dci_relax *s = small_relax(&f);
        dc_index n = s->element->node_count;
        dc_vec3 *before = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3));
        dc_real lambda[3 * DCI_TILE];
        memset(lambda, 0, sizeof lambda);
        small_weigh_unevenly(s);
        for (dc_index b = 0; b < s->block_count; b++) {
            const dc_index *in = s->triangle + DCI_TILE * b;
            dc_index changed = 0, own = 0;
            small_place(&f, 0.01);
            dci_vec_copy(before, s->x, n);
            for (int i = 0; i < DCI_TILE; i += DCI_VECTOR)
                dci_relax_fit(s->block + b, i, s->x, lambda);
            for (int i = 0; i < DCI_TILE; i++) {
                dc_vec3 x[3], y[3];
                if (in[i] == DC_NONE) continue;
                for (int k = 0; k < 3; k++) {
                    dc_index node = s->mesh->edge_of_corner[3 * in[i] + k];
                    x[k] = before[node];
                    y[k] = s->x[node];
                }
                own += 3;
                small_check_nearest(&f, in[i], x, y);
            }
            for (dc_index k = 0; k < n; k++)
                changed += memcmp(before + k, s->x + k, sizeof *before) != 0;
            CHECK_EQUAL(changed, own); /* noise moves every one of its nodes, and no others move */
            CHECK(dci_first_not_finite(s->x, n + 1) == DC_NONE);
        }
        free(before);
        fixture_close(&f);
    }
}

static void test_rigid_triangles_stay_and_store_nothing(void)
{
    fixture f = small_square(3, 9);
    CHECK(fixture_open(&f) == DC_OK);
    dci_relax *s = small_relax(&f);
    dc_index n = s->element->node_count, count = 3 * DCI_TILE * s->block_count;
    dc_vec3 *before = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3));
    dc_real *lambda = (dc_real *)test_alloc((size_t)count * sizeof(dc_real));
    double way = 0, stored = 0;
    small_weigh_unevenly(s);
    small_place(&f, 0);
    dci_vec_copy(before, s->x, n);
    for (int k = 0; k < 100; k++) dci_relax_fit_all(s, lambda, k % 2);
    for (dc_index k = 0; k < n; k++)
        way = fmax(way, (double)dci_norm(dci_vec_sub(s->x[k], before[k])));
    for (dc_index i = 0; i < count; i++) stored = fmax(stored, fabs((double)lambda[i]));
    /* 100 sweeps, each of a rounding error of coordinates up to 1.5 m */
    CHECK_AT_MOST(way, TOL(1e-14, 1e-5));
    /* S^-1 is at most about m/d^2, (.001 kg)/(.02 m)^2; C is d times a rounding error */
    CHECK_AT_MOST(stored, TOL(1e-15, 1e-6));
    free(before), free(lambda);
    fixture_close(&f);
}

/* J of triangle t at positions x of its midpoints: d C_k = sum_j J_kj . dx_j. */
static void small_jacobian(const dc_vec3 x[3], double j[3][3][3])
{
    memset(j, 0, 9 * 3 * sizeof(double));
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        const double side[3] = {(double)x[a].x - (double)x[b].x, (double)x[a].y - (double)x[b].y,
                                (double)x[a].z - (double)x[b].z};
        for (int i = 0; i < 3; i++) {
            j[k][a][i] = side[i];
            j[k][b][i] = -side[i];
        }
    }
}

/* J m^-1 J^T (3, 3) */
static void small_schur(double j[3][3][3], const double inv_mass[3], double s[3][3])
{
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++) {
            s[p][q] = 0;
            for (int k = 0; k < 3; k++)
                for (int i = 0; i < 3; i++) s[p][q] += inv_mass[k] * j[p][k][i] * j[q][k][i];
        }
}

static void test_tables_have_the_inverse_of_the_mobility_of_sides(void)
{
    static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    fixture f = small_square(3, 6);
    CHECK(fixture_open(&f) == DC_OK);
    dci_relax *s = small_relax(&f);
    small_weigh_unevenly(s);
    small_place(&f, 0);
    for (dc_index i = 0; i < DCI_TILE * s->block_count; i++) {
        const dci_relax_block *b = s->block + i / DCI_TILE;
        double j[3][3][3], inv_mass[3], schur[3][3];
        dc_vec3 x[3];
        if (s->triangle[i] == DC_NONE) continue;
        for (int k = 0; k < 3; k++) {
            dc_index node = s->mesh->edge_of_corner[3 * s->triangle[i] + k];
            x[k] = s->x[node];
            inv_mass[k] = (double)s->inv_mass[node];
        }
        small_jacobian(x, j);
        small_schur(j, inv_mass, schur);
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++) {
                double sum = 0;
                for (int k = 0; k < 3; k++)
                    sum += (double)b->inverse[place[p][k]][i % DCI_TILE] * schur[k][q];
                /* A Delaunay triangle's S has a condition below 1000; positions are rounded. */
                CHECK_NEAR(sum, p == q, TOL(1e-12, 1e-3));
            }
    }
    fixture_close(&f);
}

/* lambda = -kappa S^-1 C of the positions before the correction, and v += J^T lambda/(h m). */
static void test_corrections_are_stored_as_forces(void)
{
    fixture f = small_square(2, 4);
    CHECK(fixture_open(&f) == DC_OK);
    dci_relax *s = small_relax(&f);
    dc_index n = s->element->node_count, count = 3 * DCI_TILE * s->block_count;
    dc_real *lambda = (dc_real *)test_alloc((size_t)count * sizeof(dc_real));
    dc_vec3 *v = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3));
    const double h = 0.001;
    small_weigh_unevenly(s);
    for (dc_index i = 0; i < DCI_TILE * s->block_count; i++) {
        dc_index t = s->triangle[i], lane = i % DCI_TILE, first = i / DCI_TILE * 3 * DCI_TILE;
        double j[3][3][3], inv_mass[3], schur[3][3], c[3];
        dense a = dense_new(3, 3);
        dc_vec3 x[3];
        if (t == DC_NONE) continue;
        small_place(&f, 0.02);
        memset(lambda, 0, (size_t)count * sizeof(dc_real));
        memset(v, 0, (size_t)n * sizeof(dc_vec3));
        memset(s->v, 0, (size_t)(n + 1) * sizeof(dc_vec3));
        for (int k = 0; k < 3; k++) {
            dc_index node = s->mesh->edge_of_corner[3 * t + k];
            x[k] = small_turn(dci_vec(DCI_R(0.7), DCI_R(-0.4), DCI_R(1.1)),
                              dci_vec(flat_node(fixture_cloth(&f), node).x,
                                      flat_node(fixture_cloth(&f), node).y, 0));
            inv_mass[k] = (double)s->inv_mass[node];
        }
        small_jacobian(x, j); /* at rest */
        small_schur(j, inv_mass, schur);
        for (int k = 0; k < 3; k++) x[k] = s->x[s->mesh->edge_of_corner[3 * t + k]];
        for (int k = 0; k < 3; k++) {
            dc_vec3 side = dci_vec_sub(x[(k + 1) % 3], x[(k + 2) % 3]);
            double d = (double)s->mesh->rest_length[3 * t + k] / 2;
            c[k] = -(double)DCI_RELAX_KEPT * ((double)dci_dot(side, side) - d * d) / 2;
            for (int q = 0; q < 3; q++) *dense_at(&a, k, q) = schur[k][q];
        }
        CHECK(dense_solve(&a, c));
        for (int part = 0; part < DCI_TILE; part += DCI_VECTOR)
            dci_relax_fit(s->block + i / DCI_TILE, part, s->x, lambda + first);
        /* S^-1 C is of the size of m C/d^2, 1e-6 kg; so are errors of the tables, in their part. */
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(lambda[first + DCI_TILE * k + lane], c[k], TOL(1e-18, 1e-9));
        /* Forces of this triangle alone, at the corrected positions. */
        for (dc_index p = 0; p < count; p++)
            if (p < first || p >= first + 3 * DCI_TILE || p % DCI_TILE != lane) lambda[p] = 0;
        for (int k = 0; k < 3; k++) x[k] = s->x[s->mesh->edge_of_corner[3 * t + k]];
        small_jacobian(x, j);
        for (dc_index b = 0; b < s->block_count; b++)
            for (int part = 0; part < DCI_TILE; part += DCI_VECTOR)
                dci_relax_push(s->block + b, part, s, (dc_real)(1 / h),
                               lambda + 3 * DCI_TILE * b + part);
        for (int k = 0; k < 3; k++) {
            dc_vec3 *at = v + s->mesh->edge_of_corner[3 * t + k];
            for (int q = 0; q < 3; q++) {
                double scale = (double)lambda[first + DCI_TILE * q + lane] * inv_mass[k] / h;
                at->x += (dc_real)(scale * j[q][k][0]);
                at->y += (dc_real)(scale * j[q][k][1]);
                at->z += (dc_real)(scale * j[q][k][2]);
            }
        }
        /* 1e-6 kg times .1 m over (.001 s, .001 kg) is .1 m/s. */
        for (dc_index k = 0; k < n; k++)
            CHECK_NEAR(dci_norm(dci_vec_sub(s->v[k], v[k])), 0, TOL(1e-13, 1e-4));
        free(a.a);
    }
    free(lambda), free(v);
    fixture_close(&f);
}

/* ---- Jumps and held points ---- */

/* After (19.4) for a row, x minimises s h^2/2 |y|^2 + s h tau/2 |R (x - x_0)|^2 + m/2 |dx|^2: the
   gradient at every node vanishes, with y = R x + P b. Once more changes nothing. */
static void small_check_jump(const fixture *f, dci_relax_span *span, dc_index i)
{
    dci_relax *s = small_relax(f);
    const dci_energy *energy = s->energy;
    const dc_sparse *r = &energy->rows, *known = &energy->known;
    dc_index n = s->element->node_count, row = energy->bending_count + i;
    double h = (double)span->h, factor = (double)energy->stiffness[row] * h;
    dc_vec3 *before = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3));
    dc_vec3 y = dci_vec(0, 0, 0), moved = y, pull;
    double way = 0, again = 0;
    dci_vec_copy(before, s->x, n);
    s->jump_impulse[i] = dci_vec(0, 0, 0);
    dci_relax_jump(s, span, i);
    for (dc_index p = r->start[row]; p < r->start[row + 1]; p++) {
        dc_index k = r->column[p];
        y = dci_vec_axpy(y, r->value[p], s->x[k]);
        moved = dci_vec_axpy(moved, r->value[p], dci_vec_sub(s->x[k], s->start[k]));
    }
    for (dc_index p = known->start[row]; span->known && p < known->start[row + 1]; p++)
        y = dci_vec_axpy(y, known->value[p], span->known[known->column[p]]);
    pull = dci_vec_axpy(dci_vec_scale((dc_real)(factor * h), y),
                        (dc_real)(factor * (double)energy->damping[1]), moved);
    for (dc_index p = r->start[row]; p < r->start[row + 1]; p++) {
        dc_index k = r->column[p];
        dc_vec3 d = dci_vec_sub(s->x[k], before[k]);
        way = fmax(way, (double)dci_norm(d));
        d = dci_vec_axpy(d, s->inv_mass[k] * r->value[p], pull);
        CHECK_NEAR(dci_norm(d), 0, TOL(1e-14, 1e-5)); /* of positions below 1 m; R has 1/h */
    }
    CHECK(way > 1e-4); /* the row is not without effect */
    dci_vec_copy(before, s->x, n);
    dci_relax_jump(s, span, i);
    for (dc_index k = 0; k < n; k++)
        again = fmax(again, (double)dci_norm(dci_vec_sub(s->x[k], before[k])));
    CHECK_AT_MOST(again, TOL(1e-14, 1e-5));
    free(before);
}

static void test_a_jump_is_a_spring_for_the_sub_step(void)
{
    static const dc_clamp_desc clamp = {0, 1};
    for (int damped = 0; damped < 2; damped++) {
        fixture f = small_square(0, 4);
        dc_vec3 known[2];
        dci_relax_span span;
        f.cloth.clamps = &clamp;
        f.cloth.clamp_count = 1;
        f.cloth.jump_damping = damped ? DCI_R(0.01) : DCI_R(0);
        CHECK(fixture_open(&f) == DC_OK);
        dci_relax *s = small_relax(&f);
        dc_index jumps = s->energy->elastic_count - s->energy->bending_count, k;
        memset(&span, 0, sizeof span);
        span.h = DCI_R(0.001);
        span.known = known;
        known[0] = small_noise(100, 1);
        known[1] = small_noise(101, 1);
        CHECK_EQUAL(jumps, s->mesh->edge_count - 16 + 1); /* inner edges, and the clamped one */
        for (dc_index i = 0; i < jumps; i++) {
            small_place(&f, 0.05);
            for (k = 0; k < s->element->node_count; k++)
                s->start[k] = dci_vec_add(s->x[k], small_noise(k + 1000, 0.02));
            small_check_jump(&f, &span, i);
        }
        fixture_close(&f);
    }
}

/* Half of its way is done in half of a step; the least displacement in the metric of m brings it
   there: each node moves by w/m times a common vector. */
static void test_held_points_are_at_their_targets_after_each_sub_step(void)
{
    static const dc_index pins[2] = {4, 20};
    static const dc_clamp_desc clamp = {0, 1};
    fixture f = small_square(0, 4);
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 2;
    f.cloth.clamps = &clamp;
    f.cloth.clamp_count = 1;
    CHECK(fixture_open(&f) == DC_OK);
    dci_relax *s = small_relax(&f);
    const dc_sparse *w = &s->rows->weight;
    dci_hold *hold = fixture_cloth(&f)->hold;
    dc_vec3 before[56 + 1];
    CHECK_EQUAL(s->element->node_count, 56);
    CHECK_EQUAL(w->row_count, 3);
    for (dc_index i = 0; i < 3; i++) {
        hold[i].start = small_noise(i, 1);
        hold[i].target = small_noise(i + 10, 1);
    }
    for (int quarter = 0; quarter <= 4; quarter++) {
        double part = quarter / 4.0;
        small_place(&f, 0.05);
        dci_vec_copy(before, s->x, 56);
        dci_relax_hold(s, (dc_real)part);
        for (dc_index i = 0; i < 3; i++) {
            dc_vec3 at = dci_vec(0, 0, 0), to = dci_vec_scale((dc_real)part, hold[i].target), e;
            to = dci_vec_axpy(to, (dc_real)(1 - part), hold[i].start);
            for (dc_index p = w->start[i]; p < w->start[i + 1]; p++)
                at = dci_vec_axpy(at, w->value[p], s->x[w->column[p]]);
            CHECK_NEAR(dci_norm(dci_vec_sub(at, to)), 0, TOL(1e-15, 1e-6) * 4);
            for (dc_index p = w->start[i] + 1; p < w->start[i + 1]; p++) {
                dc_index k = w->column[p], k0 = w->column[p - 1];
                e = dci_vec_scale(w->value[p - 1] * s->inv_mass[k0],
                                  dci_vec_sub(s->x[k], before[k]));
                e = dci_vec_axpy(e, -w->value[p] * s->inv_mass[k],
                                 dci_vec_sub(s->x[k0], before[k0]));
                CHECK_NEAR(dci_norm(e) / (s->inv_mass[k] + s->inv_mass[k0]), 0,
                           TOL(1e-15, 1e-6) * 4);
            }
        }
    }
    /* Released, it stays. */
    for (int i = 0; i < 3; i++) hold[i].is_held = 0;
    dci_vec_copy(before, s->x, 56);
    dci_relax_hold(s, 0);
    CHECK(memcmp(before, s->x, 56 * sizeof(dc_vec3)) == 0);
    fixture_close(&f);
}

/* ---- Reach ---- */

/* A sheet on a grid with an open square or rectangle cut out of it, and the corners around which
   paths in the sheet turn. */
typedef struct small_cut {
    double low[2], high[2]; /* [m] */
    double corner[4][2];    /* [m] */
    int corner_count;
} small_cut;

/* Whether the straight line from a to b passes the open rectangle: its part within both of its
   strips has a length. */
static int small_is_cut(const small_cut *cut, const double a[2], const double b[2])
{
    double from = 0, to = 1;
    for (int i = 0; i < 2; i++) {
        double way = b[i] - a[i], low = cut->low[i] + 1e-6, high = cut->high[i] - 1e-6, swap;
        if (fabs(way) < 1e-12) {
            if (a[i] <= low || a[i] >= high) return 0;
            continue;
        }
        low = (low - a[i]) / way;
        high = (high - a[i]) / way;
        if (low > high) swap = low, low = high, high = swap;
        from = fmax(from, low);
        to = fmin(to, high);
    }
    return from < to;
}

static double small_seen(const small_cut *cut, const double a[2], const double b[2])
{
    return small_is_cut(cut, a, b) ? HUGE_VAL : hypot(b[0] - a[0], b[1] - a[1]);
}

/* The shortest path from a to b in the sheet: straight, or by corners, Bellman and Ford. */
static double small_geodesic(const small_cut *cut, const double a[2], const double b[2])
{
    double to[4], shortest = small_seen(cut, a, b);
    for (int i = 0; i < cut->corner_count; i++) to[i] = small_seen(cut, a, cut->corner[i]);
    for (int k = 0; k < cut->corner_count; k++)
        for (int i = 0; i < cut->corner_count; i++)
            for (int j = 0; j < cut->corner_count; j++)
                to[i] = fmin(to[i], to[j] + small_seen(cut, cut->corner[j], cut->corner[i]));
    for (int i = 0; i < cut->corner_count; i++)
        shortest = fmin(shortest, to[i] + small_seen(cut, cut->corner[i], b));
    return shortest;
}

/* Removes triangles whose centre is in the rectangle from shared_mesh. */
static void small_cut_out(const small_cut *cut)
{
    dc_index kept = 0;
    for (dc_index t = 0; t < shared_mesh.triangle_count; t++) {
        const dc_index *v = shared_mesh.triangles + 3 * t;
        double c[2] = {0, 0};
        for (int k = 0; k < 3; k++) {
            c[0] += (double)shared_mesh.flat[v[k]].x / 3;
            c[1] += (double)shared_mesh.flat[v[k]].y / 3;
        }
        if (c[0] > cut->low[0] && c[0] < cut->high[0] && c[1] > cut->low[1] && c[1] < cut->high[1])
            continue;
        for (int k = 0; k < 3; k++) shared_mesh.triangles[3 * kept + k] = v[k];
        kept++;
    }
    shared_mesh.triangle_count = kept;
}

/* The reach of nodes over the shortest path, of all nodes and pins. */
typedef struct small_ratio {
    double least, most, mean;
    double exact; /* the share of those that are 1, but for 1e-6 (floats: 1e-4) */
} small_ratio;

/* On shared_mesh. At most DCI_RELAX_PINS pins, so that each node has all of them. */
static small_ratio small_compare_reach(const dc_index *pins, dc_index pin_count,
                                       const small_cut *cut)
{
    small_ratio all = {HUGE_VAL, 0, 0, 0};
    fixture f = small_begin();
    f.cloth.mesh = test_mesh_desc(&shared_mesh);
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = pin_count;
    CHECK(fixture_open(&f) == DC_OK);
    const dci_relax *s = small_relax(&f);
    for (dc_index i = 0; i < DCI_RELAX_PINS * s->element->node_count; i++) {
        dc_index pin = s->near_pin[i];
        CHECK((pin != DC_NONE) == (i % DCI_RELAX_PINS < pin_count));
        if (pin == DC_NONE) continue;
        dc_vec2 at = flat_node(fixture_cloth(&f), i / DCI_RELAX_PINS),
                from = shared_mesh.flat[pins[pin]];
        const double a[2] = {(double)from.x, (double)from.y}, b[2] = {(double)at.x, (double)at.y};
        double ratio = (double)s->reach[i] / small_geodesic(cut, a, b);
        double share = 1.0 / (double)(s->element->node_count * pin_count);
        all.least = fmin(all.least, ratio);
        all.most = fmax(all.most, ratio);
        all.mean += share * ratio;
        all.exact += fabs(ratio - 1) < TOL(1e-6, 1e-4) ? share : 0;
        if (i % DCI_RELAX_PINS > 0) CHECK(s->reach[i] >= s->reach[i - 1]);
    }
    fixture_close(&f);
    return all;
}

static void test_flat_sheets_reach_as_far_as_straight_lines(void)
{
    static const small_cut none = {{9, 9}, {9, 9}, {{0, 0}, {0, 0}, {0, 0}, {0, 0}}, 0};
    for (int kind = 0; kind < 5; kind++) {
        static const dc_index pins[4] = {0, 12, 57, 40};
        if (kind < 3) {
            test_mesh_grid(&shared_mesh, 1.5, 1, 12, 7, kind == 2 ? 0.2 : 0);
            if (kind == 1) test_mesh_alternate(&shared_mesh, 12, 7);
        } else {
            square_of_kind(kind, 8);
        }
        small_ratio all = small_compare_reach(pins, 4, &none);
        /* Sums of a dozen squares and roots; paths that differ by DCI_REACH_SAME are the same. */
        CHECK_NEAR(all.least, 1, TOL(1e-8, 1e-4));
        CHECK_NEAR(all.most, 1, TOL(1e-8, 1e-4));
    }
}

/* Paths turn at a corner. Along the border of its shadow triangles have vertices with two roots;
   paths run along edges from there: too long, never too short. */
static void test_reach_goes_around_corners(void)
{
    static const small_cut cut[2] = {
        {{1, 1}, {9, 9}, {{1, 1}, {0, 0}, {0, 0}, {0, 0}}, 1},
        {{0.5, 0.75}, {1.25, 1.5}, {{0.5, 0.75}, {1.25, 0.75}, {1.25, 1.5}, {0.5, 1.5}}, 4}};
    /* At the ends of the L; at a corner, at a border and by the hole. */
    static const dc_index pins[2][3] = {{8, 72, 0}, {0, 76, 38}};
    for (int i = 0; i < 2; i++)
        for (int kind = 0; kind < 2; kind++) {
            test_mesh_grid(&shared_mesh, 2, 2, 8, 8, 0);
            if (kind == 1) test_mesh_alternate(&shared_mesh, 8, 8);
            small_cut_out(&cut[i]);
            small_ratio all = small_compare_reach(pins[i], 3, &cut[i]);
            CHECK(all.least > 1 - TOL(1e-8, 1e-4));
            CHECK_AT_MOST(all.mean, 1.05);
            CHECK(all.exact > 0.6);
        }
}

/* A tube unrolls to a strip, where a point is at two places: the nearer counts. If columns are even in
   number, edges lie on the line on which both are as near, and reach is exact. If not, it is never
   too short. */
static void test_reach_goes_around_tubes(void)
{
    static const dc_index pin = 0;
    for (dc_index columns = 7; columns <= 16; columns++) {
        shape_desc shape = shape_defaults(SHAPE_CYLINDER);
        fixture f = small_begin();
        shape.columns = columns;
        fixture_shape(&f, &shape);
        f.cloth.pin_vertices = &pin;
        f.cloth.pin_count = 1;
        CHECK(fixture_open(&f) == DC_OK);
        const dci_relax *s = small_relax(&f);
        double turn = 2 * acos(-1.0) / columns, side = 2 * (double)shape.radius * sin(turn / 2);
        for (dc_index e = 0; e < s->element->node_count; e++) {
            const dc_index *v = s->mesh->edge_vertices + 2 * e;
            double height = 0, place = 0, at[2]; /* in columns, from the pin's either way */
            for (int i = 0; i < 2; i++) {
                dc_vec3 x = f.positions[v[i]], x0 = f.positions[0];
                double cosine =
                    (double)(x.x * x0.x + x.z * x0.z) / (double)(x0.x * x0.x + x0.z * x0.z);
                at[i] = floor(acos(fmax(-1, fmin(1, cosine))) / turn + 0.5);
                height += ((double)x.y - (double)x0.y) / 2;
                place += at[i] / 2;
            }
            dc_vec3 x0 = f.positions[v[0]], x1 = f.positions[v[1]];
            int is_across = hypot((double)(x1.x - x0.x), (double)(x1.z - x0.z)) > side / 2;
            if (columns % 2 == 1 && is_across && at[0] + at[1] > columns - 1.5)
                place = 0.5 * columns; /* its ends are reached from both sides */
            double exact = hypot(place * side, height), reach = (double)s->reach[DCI_RELAX_PINS * e];
            CHECK(reach > exact - TOL(1e-8, 1e-4));
            if (columns % 2 == 0) CHECK_NEAR(reach, exact, TOL(1e-8, 1e-4));
            CHECK_AT_MOST(reach, 1.1 * exact + 0.5 * side);
        }
        fixture_close(&f);
    }
}

static void test_nodes_know_their_nearest_pins_and_other_pieces_none(void)
{
    enum { PINS = 9 };
    static const small_cut strip = {{0.5, -1}, {0.625, 2}, {{0, 0}, {0, 0}, {0, 0}, {0, 0}}, 0};
    static const dc_index pins[PINS] = {0, 4, 18, 36, 40, 72, 74, 76, 20};
    fixture f = small_begin();
    test_mesh_grid(&shared_mesh, 1, 1, 8, 8, 0);
    small_cut_out(&strip); /* all pins are on the left */
    f.cloth.mesh = test_mesh_desc(&shared_mesh);
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = PINS;
    CHECK(fixture_open(&f) == DC_OK);
    const dci_relax *s = small_relax(&f);
    int right = 0;
    for (dc_index e = 0; e < s->element->node_count; e++) {
        dc_vec2 at = flat_node(fixture_cloth(&f), e);
        double distance[PINS], swap;
        for (int i = 0; i < PINS; i++) {
            dc_vec2 pin = shared_mesh.flat[pins[i]];
            distance[i] = hypot((double)at.x - (double)pin.x, (double)at.y - (double)pin.y);
            for (int j = i; j > 0 && distance[j] < distance[j - 1]; j--)
                swap = distance[j], distance[j] = distance[j - 1], distance[j - 1] = swap;
        }
        for (int i = 0; i < DCI_RELAX_PINS; i++) {
            dc_index place = DCI_RELAX_PINS * e + i;
            if (at.x > DCI_R(0.6)) {
                CHECK_EQUAL(s->near_pin[place], DC_NONE);
                right++;
            } else {
                CHECK(s->near_pin[place] != DC_NONE);
                CHECK_NEAR(s->reach[place], distance[i], TOL(1e-8, 1e-4));
            }
        }
    }
    CHECK(right > 0);
    fixture_close(&f);
}

/* A node beyond reach of a held pin is brought to the end of it, others stay. */
static void test_tethers_bring_nodes_back_within_reach(void)
{
    static const dc_index pin = 0;
    fixture f = small_square(0, 4);
    dc_vec3 before[57];
    int moved = 0;
    f.cloth.pin_vertices = &pin;
    f.cloth.pin_count = 1;
    CHECK(fixture_open(&f) == DC_OK);
    dci_relax *s = small_relax(&f);
    dci_hold *hold = fixture_cloth(&f)->hold;
    hold->start = dci_vec(0, 0, 0);
    hold->target = dci_vec(0, DCI_R(0.01), DCI_R(0.01));
    small_place(&f, 0.02);
    dci_vec_copy(before, s->x, 56);
    dci_relax_tether(s, DCI_R(0.5));
    for (dc_index k = 0; k < 56; k++) {
        dc_vec2 at = flat_node(fixture_cloth(&f), k);
        dc_vec3 to = dci_vec_scale(DCI_R(0.5), hold->target), arm = dci_vec_sub(before[k], to);
        double reach = hypot((double)at.x, (double)at.y), length = (double)dci_norm(arm);
        if (length > reach) {
            to = dci_vec_axpy(to, (dc_real)(reach / length), arm);
            moved++;
        } else {
            to = before[k];
        }
        CHECK_NEAR(dci_norm(dci_vec_sub(s->x[k], to)), 0, TOL(1e-8, 1e-5));
    }
    CHECK(moved > 5 && moved < 51);
    hold->is_held = 0;
    small_place(&f, 0.02);
    dci_relax_tether(s, DCI_R(0.5));
    CHECK(memcmp(before, s->x, sizeof(dc_vec3) * 56) == 0);
    fixture_close(&f);
}

/* ---- The largest sub-step ---- */

/* The largest eigenvalue of m^-1 R^T s R, by iteration of powers from noise; from below. */
static double small_omega_sq(const fixture *f)
{
    const dci_relax *s = small_relax(f);
    const dc_sparse *r = &s->energy->rows;
    dc_index n = s->element->node_count;
    double *x = (double *)test_alloc((size_t)n * sizeof(double)),
           *y = (double *)test_alloc((size_t)n * sizeof(double)), size = 0;
    for (dc_index k = 0; k < n; k++) x[k] = (double)dci_random(9, (uint32_t)k);
    for (int times = 0; times < 1000; times++) {
        memset(y, 0, (size_t)n * sizeof(double));
        for (dc_index i = 0; i < s->energy->bending_count; i++) {
            double sum = 0;
            for (dc_index p = r->start[i]; p < r->start[i + 1]; p++)
                sum += (double)r->value[p] * x[r->column[p]];
            for (dc_index p = r->start[i]; p < r->start[i + 1]; p++)
                y[r->column[p]] += (double)s->energy->stiffness[i] * sum * (double)r->value[p];
        }
        size = 0;
        for (dc_index k = 0; k < n; k++) size = fmax(size, fabs(y[k] *= (double)s->inv_mass[k]));
        for (dc_index k = 0; k < n; k++) x[k] = y[k] / size;
    }
    free(x), free(y);
    return size;
}

static void test_the_bound_on_bending_frequencies_holds_and_is_near(void)
{
    static const dc_clamp_desc clamp = {0, 1};
    for (int kind = 0; kind < 5; kind++) {
        fixture f = small_square(kind, 8);
        if (kind == 0) {
            f.cloth.clamps = &clamp;
            f.cloth.clamp_count = 1;
        }
        CHECK(fixture_open(&f) == DC_OK);
        double ratio = (double)small_relax(&f)->omega_sq / small_omega_sq(&f);
        CHECK(ratio >= 1 - TOL(1e-12, 1e-5));
        /* Rows of magnitudes exceed the eigenvalue little, for its vector alternates in sign. */
        CHECK_AT_MOST(ratio, 4);
        fixture_close(&f);
    }
}

/* The largest energy [J] of 2000 sub-steps, of a free sheet that is shaken at the start; 0 if one
   fails. */
static double small_shaken_energy(fixture *f, double sub_step, double *before)
{
    double most = 0;
    fixture_cloth(f)->desc.sub_step = (dc_real)sub_step;
    for (int i = 0; i < 200; i++) {
        dc_measures m;
        if (fixture_step(f, 10 * sub_step) != DC_OK) return 0;
        m = dc_cloth_measure(f->world, 0);
        if (i == 0) *before = (double)m.kinetic + (double)m.bending + (double)m.jump;
        most = fmax(most, (double)m.kinetic + (double)m.bending + (double)m.jump);
    }
    return most;
}

static fixture small_shaken(dc_vec3 *velocity, double bending, double damping)
{
    fixture f = small_square(0, 6);
    f.cloth.bending = (dc_real)bending;
    f.cloth.bending_damping = (dc_real)damping;
    f.cloth.start_velocities = velocity;
    f.desc.gravity = dci_vec(0, 0, 0);
    for (dc_index v = 0; v < f.cloth.mesh.vertex_count; v++) velocity[v] = small_noise(v, 0.1);
    return f;
}

static void test_a_sub_step_below_the_bound_is_stable_and_one_above_is_refused(void)
{
    static dc_vec3 velocity[49];
    for (int damped = 0; damped < 2; damped++) {
        double tau = damped ? 0.002 : 0, omega_sq, limit, most, before = 0;
        fixture f = small_shaken(velocity, 0.01, tau);
        f.cloth.sub_step = 1;
        CHECK(fixture_open(&f) == DC_BAD_ARGUMENT);
        CHECK(strcmp(f.error.field, "sub_step") == 0);
        limit = (double)f.error.value;
        f.cloth.sub_step = (dc_real)(1.001 * limit);
        CHECK(fixture_open(&f) == DC_BAD_ARGUMENT);
        CHECK(strcmp(f.error.field, "sub_step") == 0);
        f.cloth.sub_step = (dc_real)(0.999 * limit);
        CHECK(fixture_open(&f) == DC_OK);
        CHECK_NEAR(f.info.sub_step, f.cloth.sub_step, 0);
        omega_sq = (double)small_relax(&f)->omega_sq;
        /* (19.7) with the margin's 2.25 in place of 4 */
        CHECK_NEAR(limit * omega_sq * (limit + 2 * tau), 2.25, TOL(1e-12, 1e-4));
        /* Without damping the energy of a linear oscillator at h^2 omega^2 = 2.25 swings by up to
           1/(1 - 2.25/4) of its mean. With it, it falls. */
        most = small_shaken_energy(&f, 0.999 * limit, &before);
        CHECK(before > 0);
        CHECK_AT_MOST(most, 2.3 * before);
        /* Beyond h omega^2 (h + 2 tau) = 4, for the true omega, it grows without bounds. */
        CHECK(fixture_open(&f) == DC_OK);
        omega_sq = small_omega_sq(&f);
        limit = 1.5 * (sqrt(tau * tau + 4 / omega_sq) - tau);
        most = small_shaken_energy(&f, limit, &omega_sq);
        CHECK(most == 0 || most > 100 * before); /* or beyond all numbers: the step fails */
        fixture_close(&f);
    }
}

static void test_stiff_cloth_is_referred_to_exact_steps(void)
{
    fixture f = small_square(0, 6);
    CHECK(fixture_open(&f) == DC_OK);
    CHECK_NEAR(f.info.sub_step, 1.0 / 1200, TOL(1e-15, 1e-9)); /* soft: the default */
    f.cloth.bending = 1000;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT);
    CHECK(strcmp(f.error.field, "step") == 0);
    CHECK(f.error.value > 0 && f.error.value < DCI_R(1.0 / 12000));
    f.cloth.sub_step = f.error.value; /* as the error says */
    CHECK(fixture_open(&f) == DC_OK);
    CHECK_NEAR(f.info.sub_step, f.cloth.sub_step, 0);
    f.cloth.sub_step = -1;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT);
    CHECK(strcmp(f.error.field, "sub_step") == 0);
    fixture_close(&f);
}

/* ---- Motion ---- */

/* x_n = x_0 + n h v_0 + h^2 g n (n + 1)/2, of symplectic Euler. */
static void test_free_fall_is_that_of_symplectic_euler(void)
{
    static dc_vec3 velocity[25];
    const double v0[3] = {0.5, 1, -0.25};
    fixture f = small_square(0, 4);
    f.cloth.start_velocities = velocity;
    for (int v = 0; v < 25; v++)
        velocity[v] = dci_vec((dc_real)v0[0], (dc_real)v0[1], (dc_real)v0[2]);
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 30 * SMALL_DT, SMALL_DT) == DC_OK);
    double n = 30 * 20, h = SMALL_DT / 20, fall = -9.81 * h * h * n * (n + 1) / 2;
    for (int v = 0; v < 25; v++) {
        dc_vec3 x = dc_body_positions(f.world, 0)[v], at = f.cloth.mesh.positions[v];
        dc_vec3 to = dci_vec((dc_real)(n * h * v0[0]), (dc_real)(n * h * v0[1] + fall),
                             (dc_real)(n * h * v0[2]));
        /* An error e of x stays in v as e/h: if all have one sign, n^2/2 of 1e-16 m (6e-8). */
        CHECK_NEAR(dci_norm(dci_vec_sub(x, dci_vec_add(at, to))), 0, TOL(2e-11, 1.1e-2));
    }
    CHECK_AT_MOST(f.report.strain_max, TOL(1e-12, 1e-4));
    fixture_close(&f);
}

/* Rate drag/density: 20/s or more, so that e^-20 of the difference is left after a second. */
static void test_sheets_go_with_the_wind_at_any_drag(void)
{
    static const double drag[2] = {3, 1000};
    for (int i = 0; i < 2; i++) {
        fixture f = small_square(2, 6);
        const dc_vec3 wind = dci_vec(2, 1, 3);
        f.cloth.drag_normal = (dc_real)drag[i];
        f.cloth.drag_tangential = (dc_real)(drag[i] / 2);
        f.desc.wind = wind;
        f.desc.gravity = dci_vec(0, 0, 0);
        CHECK(fixture_open(&f) == DC_OK);
        /* After a sub-step, of the difference 1/(1 + h drag/density) are left along each axis. */
        CHECK(fixture_step(&f, 1.0 / 1200) == DC_OK);
        dc_vec3 v = dc_cloth_measure(f.world, 0).momentum;
        double across = 1 - 1 / (1 + drag[i] / 0.15 / 1200),
               along = 1 - 1 / (1 + drag[i] / 0.3 / 1200);
        CHECK_NEAR(v.x / DCI_R(0.15), 2 * along, TOL(1e-9, 1e-3));
        CHECK_NEAR(v.y / DCI_R(0.15), 1 * across, TOL(1e-9, 1e-3));
        CHECK_NEAR(v.z / DCI_R(0.15), 3 * along, TOL(1e-9, 1e-3));
        CHECK(fixture_run(&f, 2, SMALL_DT) == DC_OK);
        for (dc_index k = 0; k < f.cloth.mesh.vertex_count; k++)
            CHECK_NEAR(
                dci_norm(dci_vec_sub(dc_body_velocities(f.world, 0)[k], wind)), 0,
                TOL(1e-6, 3e-2)); /* floats: 60 errors of 5e-7 m over 1/1200 s, of one sign */
        fixture_close(&f);
    }
}

/* Bent, turning and moving: nothing acts on it but itself. */
static void test_a_free_sheet_keeps_its_momentum(void)
{
    static dc_vec3 velocity[81];
    fixture f = small_begin();
    fixture_grid(&f, 8, 8);
    dc_vec3 *rolled = fixture_rolled(&f, 1.0 / 8, 0.2);
    f.cloth.start_positions = rolled;
    f.cloth.start_velocities = velocity;
    f.cloth.bending = DCI_R(1e-3);
    f.desc.gravity = dci_vec(0, 0, 0);
    for (int v = 0; v < 81; v++) {
        velocity[v] = dci_cross(dci_vec(1, 2, DCI_R(0.5)), rolled[v]);
        velocity[v] = dci_vec_add(velocity[v], dci_vec(DCI_R(0.5), 0, 1));
    }
    CHECK(fixture_open(&f) == DC_OK);
    dc_measures before = dc_cloth_measure(f.world, 0), after;
    CHECK(fixture_run(&f, 1, SMALL_DT) == DC_OK);
    after = dc_cloth_measure(f.world, 0);
    dc_vec3 turn = before.angular_momentum;
    double change = (double)dci_norm(dci_vec_sub(after.momentum, before.momentum)),
           turned = (double)dci_norm(dci_vec_sub(after.angular_momentum, turn));
    /* 1200 errors of x over 1/1200 s: of one sign they were 2e-10 m/s, and .1 m/s with floats. */
    CHECK_AT_MOST(change, (double)dci_norm(before.momentum) * TOL(1e-10, 5e-2));
    /* Corrections keep it to first order; the rest is of their square. */
    CHECK_AT_MOST(turned, TOL(0.01, 0.1) * (double)dci_norm(turn));
    CHECK(dci_norm(turn) > DCI_R(0.01));
    /* It has turned and bent meanwhile. */
    CHECK(fabs((double)after.bending - (double)before.bending) > 0.1 * (double)before.bending);
    free(rolled);
    fixture_close(&f);
}

/* The sum of all energies of a sheet that swings on two pins never exceeds that of the start. */
static void test_a_swinging_sheet_gains_no_energy(void)
{
    static const dc_index pins[2] = {0, 5};
    fixture f = small_begin();
    double most = -HUGE_VAL, start = 0, energy, lowest = 0;
    fixture_grid(&f, 5, 5);
    for (dc_index v = 0; v < 36; v++) /* horizontal, pinned at z = 0 */
        f.positions[v] = dci_vec(f.positions[v].x, 0, f.positions[v].y);
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 2;
    CHECK(fixture_open(&f) == DC_OK);
    for (int i = 0; i < 20 * 60; i++) {
        CHECK(fixture_step(&f, SMALL_DT) == DC_OK);
        dc_measures m = dc_cloth_measure(f.world, 0);
        energy = (double)m.kinetic + (double)m.gravity + (double)m.bending + (double)m.jump;
        if (i == 0) start = energy;
        most = fmax(most, energy);
        lowest = fmin(lowest, (double)m.gravity);
    }
    double potential = 0.15 * 9.81 / 2; /* [J] from horizontal to hanging */
    CHECK_NEAR(start, 0, 0.01 * potential);
    CHECK(lowest < -0.5 * potential); /* it swings */
    CHECK_AT_MOST(most, 1e-3 * potential);
    fixture_close(&f);
}

/* ---- Rest ---- */

/* The centre of mass after so much time of small steps, or where exact ones settle. */
static dc_vec3 small_rest(fixture *f, double time, dc_step step)
{
    dc_vec3 zero = dci_vec(0, 0, 0);
    f->cloth.step = step;
    if (fixture_open(f) != DC_OK) {
        printf("    %s: %s %g\n", f->error.field, f->error.what, (double)f->error.value);
        CHECK(0);
        return zero;
    }
    if (step == DC_STEP_EXACT)
        CHECK(dc_world_settle(f->world, DCI_R(0.01), TOL(DCI_R(1e-4), DCI_R(1e-3)), 3000, NULL,
                              &f->error) == DC_OK);
    else
        CHECK(fixture_run(f, time, SMALL_DT) == DC_OK);
    return dc_cloth_measure(f->world, 0).centre;
}

/* Rolled up a little at the start, so that it sags between its pins. Where small steps bring it to
   rest exact steps leave it, for stored forces carry its weight. */
static void test_a_hung_sheet_rests_where_exact_steps_rest(void)
{
    enum { CELLS = 8, VERTICES = (CELLS + 1) * (CELLS + 1) };
    static const dc_index pins[2] = {CELLS * (CELLS + 1), VERTICES - 1};
    static dc_vec3 start[VERTICES];
    fixture f = small_begin();
    fixture_grid(&f, CELLS, CELLS);
    dc_vec3 *rolled = fixture_rolled(&f, 1.0 / CELLS, 2.0 / CELLS);
    f.cloth.start_positions = rolled;
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 2;
    f.cloth.drag_normal = f.cloth.drag_tangential = DCI_R(0.3);
    dc_vec3 centre = small_rest(&f, 7, DC_STEP_SMALL), exact;
    double rms = (double)f.report.strain_rms, most = (double)f.report.strain_max;
    for (int i = 0; i < 2; i++) {
        dc_vec3 e = dci_vec_sub(dc_body_positions(f.world, 0)[pins[i]], rolled[pins[i]]);
        CHECK_NEAR(dci_norm(e), 0, TOL(1e-14, 1e-6));
    }
    /* Stored forces carry it in sub-steps of another length, too: without them its pins' triangles
       would fall by g t^2/2, .01 m in .05 s. */
    CHECK(fixture_run(&f, 0.05, 1.0 / 3600) == DC_OK);
    CHECK_NEAR(dci_norm(dci_vec_sub(dc_cloth_measure(f.world, 0).centre, centre)), 0, 3e-4);
    CHECK_AT_MOST(f.report.strain_rms, 1.5 * rms);
    dci_vec_copy(start, dc_body_positions(f.world, 0), VERTICES);
    f.cloth.start_positions = start;
    exact = small_rest(&f, 0, DC_STEP_EXACT);
    /* Exact steps let triangles around a pin turn about their midpoints, by some parts in a
       thousand beyond (19.6): the finer the mesh, the less. */
    CHECK_NEAR(dci_norm(dci_vec_sub(centre, exact)), 0, 2.5e-3);
    CHECK_AT_MOST(rms, 1e-3);
    CHECK(rms > 0 && most >= rms);
    free(rolled);
    fixture_close(&f);
}

/* The mean height of the free border of a strip in the xz plane from x = 0 to 1, gravity -y. */
static double small_tip(const fixture *f, const test_mesh *mesh)
{
    double x, drop;
    cantilever_free_edge(f, mesh, &x, &drop);
    return -drop;
}

/* A strip held like in a vice at one end, whose tip sags by a fifth of its length. */
static void test_clamped_strips_sag_as_with_exact_steps(void)
{
    static dc_clamp_desc clamps[CANTILEVER_ROWS];
    static test_mesh mesh;
    fixture f = small_begin();
    double tip, exact;
    test_mesh_grid(&mesh, 1, 0.25, 8, 2, 0);
    f.cloth.mesh = test_mesh_desc(&mesh);
    f.cloth.clamps = clamps;
    f.cloth.clamp_count = cantilever_clamps(&mesh, clamps);
    f.cloth.bending = DCI_R(0.15 * 9.81 / 1.7);
    f.cloth.bending_damping = DCI_R(0);
    f.cloth.drag_normal = f.cloth.drag_tangential = DCI_R(1);
    f.cloth.sub_step = DCI_R(1.0 / 2400);
    small_rest(&f, 3, DC_STEP_SMALL);
    tip = small_tip(&f, &mesh);
    small_rest(&f, 3, DC_STEP_EXACT);
    exact = small_tip(&f, &mesh);
    CHECK(exact < -0.1 && exact > -0.3);
    CHECK_NEAR(tip, exact, 0.02);
    fixture_close(&f);
}

/* ---- Contracts ---- */

/* A sheet of 6 x 6 cells with two pins, a clamp, drag and wind. */
static fixture small_flag(void)
{
    static const dc_index pins[2] = {42, 48};
    static const dc_clamp_desc clamp = {0, 1};
    fixture f = small_begin();
    fixture_grid(&f, 6, 6);
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 2;
    f.cloth.clamps = &clamp;
    f.cloth.clamp_count = 1;
    f.cloth.drag_normal = DCI_R(0.3);
    f.cloth.drag_tangential = DCI_R(0.1);
    f.desc.wind = dci_vec(1, 0, 3);
    return f;
}

static void small_check_refused(fixture *f, const char *field)
{
    CHECK(fixture_open(f) == DC_BAD_ARGUMENT);
    CHECK(strcmp(f->error.field, field) == 0);
}

static void test_small_steps_refuse_what_they_cannot_do(void)
{
    fixture f = small_flag();
    dc_cloth_desc two[2];
    f.cloth.element = DC_ELEMENT_ISOMETRIC;
    small_check_refused(&f, "element");
    f.cloth.element = DC_ELEMENT_NONCONFORMING;
    f.cloth.start_lengths = 1;
    small_check_refused(&f, "start_lengths");
    f.cloth.start_lengths = 0;
    f.desc.collides = 1;
    f.cloth.grab_capacity = 1;
    small_check_refused(&f, "grab_capacity");
    f.cloth.grab_capacity = 0;
    f.cloth.step = (dc_step)2;
    small_check_refused(&f, "step");
    f.cloth.step = DC_STEP_SMALL;
    two[0] = two[1] = f.cloth;
    two[1].step = DC_STEP_EXACT;
    two[1].pin_count = two[1].clamp_count = 0;
    f.desc.cloths = two;
    f.desc.cloth_count = 2;
    CHECK(make_world(&f.desc, &f.memory, &f.world, &f.info, &f.error) == DC_BAD_ARGUMENT);
    CHECK(strcmp(f.error.field, "step") == 0);
    fixture_close(&f);
}

/* Exact and small steps in one world, where nothing collides. */
static void test_cloths_of_both_kinds_share_a_world(void)
{
    fixture f = small_flag();
    dc_cloth_desc two[2];
    dc_vec3 alone[49];
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 10 * SMALL_DT, SMALL_DT) == DC_OK);
    dci_vec_copy(alone, dc_body_positions(f.world, 0), 49);
    two[0] = two[1] = f.cloth;
    two[0].step = DC_STEP_EXACT;
    f.desc.cloths = two;
    f.desc.cloth_count = 2;
    CHECK(make_world(&f.desc, &f.memory, &f.world, &f.info, &f.error) == DC_OK);
    for (int i = 0; i < 10; i++)
        CHECK(dc_world_step(f.world, (dc_real)SMALL_DT, &f.report, &f.error) == DC_OK);
    CHECK(memcmp(alone, dc_body_positions(f.world, 1), sizeof alone) == 0);
    CHECK(f.report.strain_rms > 0);
    fixture_close(&f);
}

/* A step that fails in this way leaves the world as it was. */
static void small_check_fails(fixture *f, double dt, dc_status status)
{
    uint64_t hash = dc_world_hash(f->world);
    double time = (double)dc_world_time(f->world);
    CHECK_EQUAL(fixture_step(f, dt), status);
    CHECK(dc_world_hash(f->world) == hash);
    CHECK((double)dc_world_time(f->world) == time);
}

static void test_failed_small_steps_change_nothing(void)
{
    fixture f = small_flag(), g = small_flag();
    static dc_vec3 force[49];
    CHECK(fixture_open(&f) == DC_OK && fixture_open(&g) == DC_OK);
    CHECK(fixture_run(&f, 5 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK(fixture_run(&g, 5 * SMALL_DT, SMALL_DT) == DC_OK);
    /* 1000 sub-steps of 1/1200 s are the most. */
    small_check_fails(&f, 1, DC_BAD_ARGUMENT);
    CHECK_EQUAL(f.error.body, 0);
    CHECK_NEAR(f.error.value, 1000.0 / 1200, TOL(1e-12, 1e-6));
    small_check_fails(&f, 0, DC_BAD_ARGUMENT);
    small_check_fails(&f, -1, DC_BAD_ARGUMENT);
    /* Forces whose squares are infinite. */
    for (int v = 0; v < 49; v++) force[v] = dci_vec(0, 0, (dc_real)TOL(1e300, 1e37));
    CHECK(dc_cloth_set_forces(f.world, 0, force, &f.error) == DC_OK);
    small_check_fails(&f, SMALL_DT, DC_NOT_FINITE);
    CHECK_EQUAL(f.error.body, 0);
    CHECK(dc_cloth_set_forces(f.world, 0, NULL, &f.error) == DC_OK);
    /* What a failed step left behind in work arrays has no effect. */
    CHECK(fixture_run(&f, 5 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK(fixture_run(&g, 5 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK(dc_world_hash(f.world) == dc_world_hash(g.world));
    /* Nearly the longest step is taken. */
    CHECK(fixture_step(&f, 0.8333) == DC_OK);
    fixture_close(&f);
    fixture_close(&g);
}

static void test_small_steps_keep_to_their_work(void)
{
    fixture f = small_flag();
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 5 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK(f.report.work > 0);
    CHECK(f.info.work_least > 0);
    /* Ten times as many sub-steps take ten times the work. */
    double work = (double)f.report.work;
    CHECK(fixture_step(&f, 10 * SMALL_DT) == DC_OK);
    CHECK_NEAR((double)f.report.work / work, 10, 0.5);
    CHECK(dc_world_set_work_max(f.world, f.info.work_least, &f.error) == DC_OK);
    small_check_fails(&f, 30 * SMALL_DT, DC_WORK_SPENT);
    CHECK(f.error.value > 0);
    CHECK((double)f.report.work < 2 * (double)f.info.work_least);
    /* Steps that fit in are taken. */
    CHECK(dc_world_set_work_max(f.world, 0, &f.error) == DC_OK);
    CHECK(fixture_step(&f, SMALL_DT) == DC_OK);
    /* Instead of failing, it goes on with what it has done. */
    f.desc.takes_unconverged = 1;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(dc_world_set_work_max(f.world, f.info.work_least, &f.error) == DC_OK);
    double time = 0;
    for (int i = 0; i < 10; i++) {
        dc_status status = fixture_step(&f, 30 * SMALL_DT);
        CHECK(status == DC_OK);
        CHECK(f.report.time >= 0 && f.report.time <= DCI_R(0.5001));
        CHECK((double)f.report.work < 2 * (double)f.info.work_least);
        time += (double)f.report.time;
    }
    CHECK(time > 0);
    CHECK_NEAR(dc_world_time(f.world), time, TOL(1e-12, 1e-4));
    fixture_close(&f);
}

/* A sheet that starts too wide by a part. */
static dc_status small_stretched(fixture *f, double part)
{
    static dc_vec3 start[49];
    for (int v = 0; v < 49; v++) {
        start[v] = f->positions[v];
        start[v].x *= (dc_real)(1 + part);
    }
    f->cloth.start_positions = start;
    return fixture_open(f);
}

static void test_starts_are_mended_or_refused(void)
{
    fixture f = small_flag();
    f.cloth.pin_count = 1;
    f.cloth.clamp_count = 0;
    CHECK(small_stretched(&f, 0.01) == DC_OK);
    dc_measures m = dc_cloth_measure(f.world, 0);
    CHECK_AT_MOST(m.constraint_error, 1e-3);
    for (int v = 0; v < 49; v++) /* no part has far to go: 1% of the width, and what is fixed */
        CHECK_AT_MOST(dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[v], f.positions[v])),
                      0.02);
    CHECK_NEAR(dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[42], f.positions[42])), 0,
               TOL(1e-14, 1e-6));
    CHECK(fixture_step(&f, SMALL_DT) == DC_OK);
    CHECK_AT_MOST(f.report.strain_max, 0.01);
    f.cloth.pin_count = 2; /* apart by twice the width */
    CHECK(small_stretched(&f, 1) == DC_NOT_CONVERGED);
    CHECK(f.error.value > DCI_R(1e-3));
    CHECK_EQUAL(f.error.body, 0);
    fixture_close(&f);
}

static void test_small_steps_go_on_from_snapshots(void)
{
    fixture f = small_flag(), g = small_flag();
    CHECK(fixture_open(&f) == DC_OK && fixture_open(&g) == DC_OK);
    CHECK(fixture_run(&f, 10 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK(dc_cloth_release_clamp(f.world, 0, 0, NULL) == DC_OK);
    CHECK(dc_cloth_set_pin(f.world, 0, 0, dci_vec(DCI_R(0.1), 1, DCI_R(0.1)), NULL) == DC_OK);
    size_t bytes = dc_world_save_bytes(f.world);
    void *snapshot = test_alloc(bytes);
    CHECK(dc_world_save(f.world, snapshot, bytes, &f.error) == DC_OK);
    CHECK(dc_world_compare(f.world, snapshot, bytes, &f.error) == DC_OK);
    CHECK(dc_world_compare(g.world, snapshot, bytes, &f.error) == DC_BAD_ARGUMENT);
    CHECK(f.error.field[0] != 0);
    CHECK(fixture_run(&f, 10 * SMALL_DT, SMALL_DT) == DC_OK);
    uint64_t hash = dc_world_hash(f.world);
    CHECK(dc_world_load(f.world, snapshot, bytes, &f.error) == DC_OK);
    CHECK(dc_world_hash(f.world) != hash);
    CHECK(fixture_run(&f, 10 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK(dc_world_hash(f.world) == hash);
    CHECK(fixture_run(&g, 3 * SMALL_DT, SMALL_DT) == DC_OK); /* another world, and its leftovers */
    CHECK(dc_world_load(g.world, snapshot, bytes, &g.error) == DC_OK);
    CHECK(fixture_run(&g, 10 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK(dc_world_hash(g.world) == hash);
    /* A world of another sub-step, or of exact steps, has another description. */
    g.cloth.sub_step = DCI_R(0.0005);
    CHECK(fixture_open(&g) == DC_OK);
    CHECK(dc_world_load(g.world, snapshot, bytes, &g.error) == DC_BAD_ARGUMENT);
    CHECK(test_error_names(&g.error, "sub_step"));
    g.cloth.step = DC_STEP_EXACT;
    CHECK(fixture_open(&g) == DC_OK);
    CHECK(dc_world_load(g.world, snapshot, bytes, &g.error) == DC_BAD_ARGUMENT);
    CHECK(test_error_names(&g.error, "step"));
    free(snapshot);
    fixture_close(&f);
    fixture_close(&g);
}

/* Pins lead where they are told, clamps hold their midpoints; what is released falls. */
static void test_pins_and_clamps_are_set_and_released(void)
{
    fixture f = small_flag();
    const dc_vec3 *x;
    double tol = TOL(1e-14, 1e-6);
    CHECK(fixture_open(&f) == DC_OK);
    for (int i = 1; i <= 30; i++) {
        dc_vec3 to = dci_vec((dc_real)(0.3 * i / 30), DCI_R(0.9), (dc_real)(0.2 * i / 30));
        dc_vec3 end0 = dci_vec(0, (dc_real)(0.2 * i / 30), 0), end1 = end0;
        end1.x += DCI_R(1.0 / 6);
        CHECK(dc_cloth_set_pin(f.world, 0, 0, to, &f.error) == DC_OK);
        CHECK(dc_cloth_set_clamp(f.world, 0, 0, end0, end1, dci_vec(0, -1, 0), &f.error) == DC_OK);
        CHECK(fixture_step(&f, SMALL_DT) == DC_OK);
        x = dc_body_positions(f.world, 0);
        CHECK_NEAR(dci_norm(dci_vec_sub(x[42], to)), 0, tol);
        const dc_mesh *mesh = dc_cloth_mesh(f.world, 0);
        dc_index e = 0;
        while (mesh->edge_vertices[2 * e] + mesh->edge_vertices[2 * e + 1] != 1) e++;
        end0 = dci_vec_scale(DCI_R(0.5), dci_vec_add(end0, end1));
        CHECK_NEAR(dci_norm(dci_vec_sub(dc_cloth_midpoints(f.world, 0)[e], end0)), 0, tol);
    }
    uint64_t hash = dc_world_hash(f.world);
    CHECK(dc_cloth_release_pin(f.world, 0, 0, &f.error) == DC_OK);
    CHECK(dc_cloth_release_pin(f.world, 0, 1, &f.error) == DC_OK);
    CHECK(dc_cloth_release_clamp(f.world, 0, 0, &f.error) == DC_OK);
    CHECK(dc_world_hash(f.world) == hash); /* stored forces are not of pins */
    double y = (double)dc_cloth_measure(f.world, 0).centre.y;
    CHECK(dc_world_set_wind(f.world, dci_vec(0, 0, 0), &f.error) == DC_OK);
    CHECK(fixture_run(&f, 1, SMALL_DT) == DC_OK);
    /* 4.9 m in vacuum; terminal speed g density/drag is 4.9 to 14.7 m/s */
    CHECK((double)dc_cloth_measure(f.world, 0).centre.y < y - 2);
    CHECK(dc_cloth_set_pin(f.world, 0, 1, dc_body_positions(f.world, 0)[48], &f.error) == DC_OK);
    dc_vec3 held = dc_body_positions(f.world, 0)[48];
    CHECK(fixture_run(&f, 0.5, SMALL_DT) == DC_OK);
    CHECK_NEAR(dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[48], held)), 0, TOL(1e-13, 1e-5));
    fixture_close(&f);
}

/* The bend of a free strip, 1/radius from its width w = 2 radius sin(1 m/(2 radius)), bisection. */
static double small_curvature(const fixture *f)
{
    const dc_vec3 *x = dc_body_positions(f->world, 0);
    double chord = (double)dci_norm(dci_vec_sub(x[16], x[0])), low = 1e-6, high = 6;
    for (int i = 0; i < 60; i++) {
        double k = (low + high) / 2;
        if (2 / k * sin(k / 2) > chord)
            low = k;
        else
            high = k;
    }
    return low;
}

static void test_curled_strips_keep_their_curl(void)
{
    fixture f = small_begin();
    shape_desc shape = shape_defaults(SHAPE_GRID);
    double kept[2];
    shape.columns = 16;
    shape.rows = 4;
    shape.height = DCI_R(0.25);
    fixture_shape(&f, &shape);
    dc_vec3 *rolled = fixture_rolled(&f, 1.0 / 16, 3.0 / 16);
    f.cloth.rest_positions = rolled;
    f.cloth.bending = DCI_R(0.01);
    f.cloth.drag_normal = f.cloth.drag_tangential = DCI_R(1);
    f.desc.gravity = dci_vec(0, 0, 0);
    for (int step = 0; step < 2; step++) { /* from flat */
        f.cloth.step = step ? DC_STEP_SMALL : DC_STEP_EXACT;
        CHECK(fixture_open(&f) == DC_OK);
        CHECK_NEAR(small_curvature(&f), 0, 1e-2);
        CHECK(fixture_run(&f, 2.5, step ? SMALL_DT : 0.02) == DC_OK);
        kept[step] = small_curvature(&f);
    }
    CHECK_NEAR(kept[0], 3, 0.15);
    CHECK_NEAR(kept[1], kept[0], 0.03 * kept[0]);
    free(rolled);
    fixture_close(&f);
}

/* A world that is moved takes the same steps, as far as sums round. */
static void test_moved_sheets_take_the_same_steps(void)
{
    fixture f = small_flag(), g = small_flag();
    const dc_vec3 turn = dci_vec(0, DCI_R(0.5), 0), way = dci_vec(1, 2, -1);
    double most = 0;
    CHECK(fixture_open(&f) == DC_OK && fixture_open(&g) == DC_OK);
    CHECK(fixture_run(&f, 6 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK(fixture_run(&g, 6 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK(dc_world_move(g.world, 0, turn, dci_vec(0, 0, 0), way, 0, &g.error) == DC_OK);
    CHECK(dc_world_set_wind(g.world, small_turn(turn, f.desc.wind), &g.error) == DC_OK);
    CHECK(fixture_run(&f, 6 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK(fixture_run(&g, 6 * SMALL_DT, SMALL_DT) == DC_OK);
    for (int v = 0; v < 49; v++) {
        dc_vec3 to = dci_vec_add(small_turn(turn, dc_body_positions(f.world, 0)[v]), way);
        most = fmax(most, (double)dci_norm(dci_vec_sub(to, dc_body_positions(g.world, 0)[v])));
    }
    CHECK_AT_MOST(most, TOL(1e-9, 1e-3)); /* errors of 1e-16 m (6e-8) grow little in .1 s */
    /* Stopped, it has no velocities. */
    CHECK(dc_world_move(g.world, 0, dci_vec(0, 0, 0), way, dci_vec(0, 0, 0), 1, &g.error) == DC_OK);
    CHECK((double)dc_cloth_measure(g.world, 0).kinetic == 0);
    fixture_close(&f);
    fixture_close(&g);
}

static void test_corrections_and_pauses_hold_for_small_steps(void)
{
    static dc_vec3 way[49];
    fixture f = small_flag();
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 6 * SMALL_DT, SMALL_DT) == DC_OK);
    dc_vec3 start = dc_body_positions(f.world, 0)[24];
    CHECK(fixture_step(&f, SMALL_DT) == DC_OK);
    dc_vec3 before = dc_body_positions(f.world, 0)[24];
    way[24] = dci_vec(0, 0, DCI_R(0.001));
    CHECK(dc_cloth_correct(f.world, 0, way, &f.error) == DC_OK);
    dc_vec3 moved = dci_vec_sub(dc_body_positions(f.world, 0)[24], before);
    CHECK_NEAR(dci_norm(dci_vec_sub(moved, way[24])), 0, TOL(1e-12, 1e-6));
    /* As after collisions, the velocity is the displacement in the step over its length. */
    moved = dci_vec_sub(dc_body_positions(f.world, 0)[24], start);
    moved = dci_vec_axpy(dc_body_velocities(f.world, 0)[24], (dc_real)(-1 / SMALL_DT), moved);
    CHECK_NEAR(dci_norm(moved), 0, TOL(1e-9, 1e-3));
    CHECK(fixture_step(&f, SMALL_DT) == DC_OK);
    CHECK_AT_MOST(f.report.strain_max, 0.05);
    CHECK(dc_body_set_active(f.world, 0, 0, &f.error) == DC_OK);
    before = dc_body_positions(f.world, 0)[24];
    CHECK(fixture_run(&f, 6 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK_NEAR(dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[24], before)), 0, 0);
    CHECK(dc_body_set_active(f.world, 0, 1, &f.error) == DC_OK);
    CHECK((double)dc_cloth_measure(f.world, 0).kinetic == 0);
    CHECK(fixture_run(&f, 6 * SMALL_DT, SMALL_DT) == DC_OK);
    CHECK((double)dc_cloth_measure(f.world, 0).kinetic > 0);
    fixture_close(&f);
}

static const test_case tests_small[] = {
    {"blocks have each triangle once and no node twice",
     test_blocks_have_each_triangle_once_and_no_node_twice},
    {"triangles move to the nearest rigid place", test_triangles_move_to_the_nearest_rigid_place},
    {"rigid triangles stay and store nothing", test_rigid_triangles_stay_and_store_nothing},
    {"tables have the inverse of the mobility of sides",
     test_tables_have_the_inverse_of_the_mobility_of_sides},
    {"corrections are stored as forces", test_corrections_are_stored_as_forces},
    {"a jump is a spring for the sub-step", test_a_jump_is_a_spring_for_the_sub_step},
    {"held points are at their targets after each sub-step",
     test_held_points_are_at_their_targets_after_each_sub_step},
    {"flat sheets reach as far as straight lines", test_flat_sheets_reach_as_far_as_straight_lines},
    {"reach goes around corners", test_reach_goes_around_corners},
    {"nodes know their nearest pins and other pieces none",
     test_nodes_know_their_nearest_pins_and_other_pieces_none},
    {"tethers bring nodes back within reach", test_tethers_bring_nodes_back_within_reach},
    {"the bound on bending frequencies holds and is near",
     test_the_bound_on_bending_frequencies_holds_and_is_near},
    {"a sub-step below the bound is stable and one above is refused",
     test_a_sub_step_below_the_bound_is_stable_and_one_above_is_refused},
    {"stiff cloth is referred to exact steps", test_stiff_cloth_is_referred_to_exact_steps},
    {"reach goes around tubes", test_reach_goes_around_tubes},
    {"free fall is that of symplectic Euler", test_free_fall_is_that_of_symplectic_euler},
    {"sheets go with the wind at any drag", test_sheets_go_with_the_wind_at_any_drag},
    {"a free sheet keeps its momentum", test_a_free_sheet_keeps_its_momentum},
    {"a swinging sheet gains no energy", test_a_swinging_sheet_gains_no_energy},
    {"a hung sheet rests where exact steps rest", test_a_hung_sheet_rests_where_exact_steps_rest},
    {"clamped strips sag as with exact steps", test_clamped_strips_sag_as_with_exact_steps},
    {"small steps refuse what they cannot do", test_small_steps_refuse_what_they_cannot_do},
    {"cloths of both kinds share a world", test_cloths_of_both_kinds_share_a_world},
    {"failed small steps change nothing", test_failed_small_steps_change_nothing},
    {"small steps keep to their work", test_small_steps_keep_to_their_work},
    {"starts of small steps are mended or refused", test_starts_are_mended_or_refused},
    {"small steps go on from snapshots", test_small_steps_go_on_from_snapshots},
    {"pins and clamps are set and released in small steps",
     test_pins_and_clamps_are_set_and_released},
    {"curled strips keep their curl in small steps", test_curled_strips_keep_their_curl},
    {"moved sheets take the same small steps", test_moved_sheets_take_the_same_steps},
    {"corrections and pauses hold for small steps",
     test_corrections_and_pauses_hold_for_small_steps},
};
