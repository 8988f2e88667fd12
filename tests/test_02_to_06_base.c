/* Chapters 2 to 6: status, memory, numbers, vectors, index tools. */

static void test_every_status_has_its_name(void)
{
    CHECK(strcmp(dc_status_name(DC_OK), "DC_OK") == 0);
    CHECK(strcmp(dc_status_name(DC_BAD_ARGUMENT), "DC_BAD_ARGUMENT") == 0);
    CHECK(strcmp(dc_status_name(DC_BAD_MESH), "DC_BAD_MESH") == 0);
    CHECK(strcmp(dc_status_name(DC_TOO_SMALL), "DC_TOO_SMALL") == 0);
    CHECK(strcmp(dc_status_name(DC_TOO_LARGE), "DC_TOO_LARGE") == 0);
    CHECK(strcmp(dc_status_name(DC_SINGULAR), "DC_SINGULAR") == 0);
    CHECK(strcmp(dc_status_name(DC_NOT_CONVERGED), "DC_NOT_CONVERGED") == 0);
    CHECK(strcmp(dc_status_name(DC_NOT_FINITE), "DC_NOT_FINITE") == 0);
    CHECK(strcmp(dc_status_name((dc_status)99), "unknown status") == 0);
}

static void test_error_record_may_be_missing(void)
{
    dc_error error;
    dci_enter(NULL, "here");
    CHECK(dci_fail(NULL, DC_BAD_MESH, "this", 3, 1) == DC_BAD_MESH);
    CHECK(dci_fail_memory(&error, "this", 10, 9) == DC_TOO_SMALL);
    CHECK(error.needed == 10 && error.given == 9 && error.index == DC_NONE);
    CHECK(dci_succeed(&error) == DC_OK && error.needed == 0);
}

static void test_a_failure_names_the_public_function_and_the_body(void)
{
    dc_error error;
    dci_enter(&error, "dc_here");
    CHECK(strcmp(error.where, "dc_here") == 0 && error.status == DC_OK && error.body == DC_NONE);
    CHECK(dci_in_body(&error, dci_bad(&error, "this", 3, 1), 2) == DC_BAD_ARGUMENT);
    CHECK(strcmp(error.where, "dc_here") == 0 && strcmp(error.what, "this") == 0);
    CHECK(error.index == 3 && error.value == 1 && error.body == 2);
    /* a later failure of the same call leaves nothing of the first */
    CHECK(dci_bad(&error, "that", DC_NONE, 0) == DC_BAD_ARGUMENT && error.body == DC_NONE);
    CHECK(strcmp(error.where, "dc_here") == 0 && error.index == DC_NONE);
    CHECK(dci_in_body(&error, DC_OK, 7) == DC_OK && error.body == DC_NONE);
    CHECK(dci_in_body(NULL, DC_BAD_MESH, 7) == DC_BAD_MESH);
}

static void test_arena_carves_what_it_measured(void)
{
    unsigned char block[512];
    int shift, pass;
    size_t measured = 0;
    for (shift = 0; shift < 20; shift++) {
        dci_arena arena = dci_arena_measure();
        for (pass = 0; pass < 2; pass++) {
            dc_index *a = dci_arena_indices(&arena, 3);
            dc_vec3 *b = dci_arena_vectors(&arena, 2);
            void *c = dci_arena_take(&arena, 0, 8);
            dc_real *d = dci_arena_reals(&arena, 5);
            if (pass == 0) {
                CHECK(!a && !b && !c && !d);
                measured = dci_arena_bytes(&arena);
                arena = dci_arena_over(block + shift, measured);
                continue;
            }
            CHECK(!arena.is_short && dci_arena_bytes(&arena) == measured);
            CHECK((uintptr_t)a % DCI_ALIGNMENT == 0 && (uintptr_t)d % DCI_ALIGNMENT == 0);
            CHECK((unsigned char *)(d + 5) <= block + shift + measured);
            CHECK((unsigned char *)b >= (unsigned char *)(a + 3));
        }
        arena = dci_arena_over(block + shift, measured - 1);
        dci_arena_indices(&arena, 3);
        dci_arena_vectors(&arena, 2);
        dci_arena_take(&arena, 0, 8);
        dci_arena_reals(&arena, 5);
        CHECK(arena.is_short);
    }
    test_allow(block, sizeof block);
}

/* Under AddressSanitizer nothing of a block may be used but the arrays that were taken. */
static void test_arrays_of_an_arena_are_fenced(void)
{
#ifdef TEST_HAS_GAPS
    unsigned char block[512];
    int shift, i;
    for (shift = 0; shift < 20; shift++) {
        dci_arena arena = dci_arena_over(block + shift, 400);
        unsigned char *a = (unsigned char *)dci_arena_take(&arena, 13, 1);
        unsigned char *b = (unsigned char *)dci_arena_take(&arena, 3, sizeof(dc_real));
        unsigned char *end = b + 3 * sizeof(dc_real), *p;
        CHECK(a && b && b - a >= 13 + DCI_GAP);
        for (p = a + 13; p < b; p++) CHECK(__asan_address_is_poisoned(p));
        for (i = 0; i < DCI_GAP; i++) CHECK(__asan_address_is_poisoned(end + i));
        for (p = a; p < a + 13; p++) CHECK(!__asan_address_is_poisoned(p));
        for (p = b; p < end; p++) CHECK(!__asan_address_is_poisoned(p));
        arena = dci_arena_over(block, sizeof block);
        CHECK(__asan_address_is_poisoned(block + 64));
        test_allow(block, sizeof block);
    }
#else
    test_skip("AddressSanitizer");
#endif
}

static void test_arena_refuses_sizes_that_are_no_numbers(void)
{
    dci_arena arena = dci_arena_measure();
    CHECK(dci_arena_take(&arena, DC_NONE, 4) == NULL && arena.is_short);
    CHECK(dci_arena_bytes(&arena) == SIZE_MAX);
    arena = dci_arena_measure();
    dci_arena_take(&arena, INT32_MAX, SIZE_MAX / 8);
    CHECK(arena.is_short);
    arena = dci_arena_over(NULL, 100);
    CHECK(arena.is_short);
}

static void test_arithmetic_is_exact(void)
{
    CHECK_EQUAL(dc_float_check(), 0);
}

/* The distance of x from the true value in units of the last place of the latter. */
static double test_ulps(dc_real x, double truth)
{
    double unit = ldexp((double)DCI_EPSILON, truth == 0 ? -1022 / 2 : ilogb(truth));
    return fabs(((double)x - truth) / unit);
}

static void test_sine_and_cosine_are_within_4_ulps(void)
{
    double worst = 0, range = TOL(1e5, 6e3);
    int i;
    for (i = 0; i < 200000; i++) {
        dc_real x = (dc_real)((double)dci_random(1, (uint32_t)i) * (i % 2 ? 10.0 : range));
        double s = test_ulps(dc_sin(x), sin((double)x)), c = test_ulps(dc_cos(x), cos((double)x));
        if (fabs(sin((double)x)) > 1e-3 && s > worst) worst = s;
        if (fabs(cos((double)x)) > 1e-3 && c > worst) worst = c;
    }
    CHECK_AT_MOST(worst, 4);
    CHECK(dc_sin(0) == 0 && dc_cos(0) == 1);
    for (i = 0; i < 10000; i++) { /* too far for any digits */
        dc_real x = DCI_R(1e9) * dci_random(4, (uint32_t)i);
        CHECK(dci_abs(dc_sin(x)) <= 1 && dci_abs(dc_cos(x)) <= 1);
    }
    CHECK_NEAR(dc_sin(DCI_PI), 0, TOL(1e-15, 1e-6));
    CHECK_NEAR(dc_sin(DCI_PI / 6), 0.5, TOL(2e-16, 1e-7));
}

static void test_inverse_functions_are_within_4_ulps(void)
{
    double worst = 0;
    int i;
    for (i = 0; i < 200000; i++) {
        dc_real x = dci_random(2, (uint32_t)i), y = dci_random(3, (uint32_t)i);
        double a = test_ulps(dc_acos(x), acos((double)x));
        double t = test_ulps(dc_atan2(y, x), atan2((double)y, (double)x));
        if (a > worst) worst = a;
        if (t > worst) worst = t;
    }
    CHECK_AT_MOST(worst, 4);
    CHECK(dc_acos(1) == 0);
    CHECK_NEAR(dc_acos(-1), acos(-1), TOL(5e-16, 3e-7));
    CHECK_NEAR(dc_atan2(0, -1), acos(-1), TOL(5e-16, 3e-7));
    CHECK(dc_atan2(0, 0) == 0);
    CHECK_NEAR(dc_atan2(-1, 0), -acos(-1) / 2, TOL(5e-16, 3e-7));
}

static void test_elementary_functions_answer_nan_to_nonsense(void)
{
    volatile dc_real zero = 0;
    dc_real infinite = 1 / zero, nan = zero / zero;
    CHECK(dc_sin(infinite) != dc_sin(infinite) && dc_sin(nan) != dc_sin(nan));
    CHECK(dc_cos(infinite) != dc_cos(infinite));
    CHECK(dc_sin((dc_real)1e30) != dc_sin((dc_real)1e30));
    CHECK(dc_acos((dc_real)1.5) != dc_acos((dc_real)1.5) && dc_acos(nan) != dc_acos(nan));
    CHECK(dc_atan2(nan, 1) != dc_atan2(nan, 1) && dc_atan2(1, infinite) != dc_atan2(1, infinite));
}

static void test_random_numbers_fill_their_interval(void)
{
    double mean = 0, square = 0;
    int i, inside = 1;
    for (i = 0; i < 100000; i++) {
        double x = (double)dci_random(9, (uint32_t)i);
        inside = inside && x >= -1 && x < 1;
        mean += x / 100000;
        square += x * x / 100000;
    }
    CHECK(inside);
    CHECK_NEAR(mean, 0, 0.01); /* five standard deviations of the mean: 5 sqrt(1/3 / 1e5) = .009 */
    CHECK_NEAR(square, 1.0 / 3, 0.01);
    CHECK(dci_random(1, 5) == dci_random(1, 5) && dci_random(1, 5) != dci_random(2, 5));
}

static void test_cross_product_is_right_handed(void)
{
    dc_vec3 z = dci_cross(dci_vec(1, 0, 0), dci_vec(0, 1, 0));
    CHECK(z.x == 0 && z.y == 0 && z.z == 1);
    CHECK(dci_dot(dci_vec(1, 2, 3), dci_vec(4, 5, 6)) == 32);
    CHECK(dci_norm(dci_vec(2, 3, 6)) == 7);
}

static void test_lists_are_counted_filled_and_rewound(void)
{
    dc_index start[4] = {2, 0, 3, 0}, item[5], key[5] = {2, 0, 2, 2, 0},
             i; /* the chapter's example */
    CHECK_EQUAL(dci_index_offsets(start, 3), 5);
    CHECK(start[0] == 0 && start[1] == 2 && start[2] == 2 && start[3] == 5);
    for (i = 0; i < 5; i++) item[start[key[i]]++] = i;
    CHECK(start[0] == 2 && start[1] == 2 && start[2] == 5);
    dci_index_rewind(start, 3);
    CHECK(start[0] == 0 && start[1] == 2 && start[2] == 2 && start[3] == 5);
    CHECK(item[0] == 1 && item[1] == 4 && item[2] == 0 && item[3] == 2 && item[4] == 3);
}

static void test_offsets_that_do_not_fit_are_refused(void)
{
    dc_index start[3] = {INT32_MAX, 1, 0};
    CHECK_EQUAL(dci_index_offsets(start, 2), DC_NONE);
}

static void test_sort_is_stable(void)
{
    dc_index key[6] = {3, 1, 3, 0, 1, 3}, order[6] = {5, 4, 3, 2, 1, 0}, sorted[6], start[5];
    const dc_index expected[6] = {3, 4, 1, 5, 2, 0};
    dci_index_sort(6, key, 4, order, sorted, start);
    CHECK(memcmp(sorted, expected, sizeof expected) == 0);
}

static const test_case tests_base[] = {
    {"every status has its name", test_every_status_has_its_name},
    {"error record may be missing", test_error_record_may_be_missing},
    {"a failure names the public function and the body",
     test_a_failure_names_the_public_function_and_the_body},
    {"arena carves what it measured", test_arena_carves_what_it_measured},
    {"arrays of an arena are fenced", test_arrays_of_an_arena_are_fenced},
    {"arena refuses sizes that are no numbers", test_arena_refuses_sizes_that_are_no_numbers},
    {"arithmetic is exact", test_arithmetic_is_exact},
    {"sine and cosine are within 4 ulps", test_sine_and_cosine_are_within_4_ulps},
    {"inverse functions are within 4 ulps", test_inverse_functions_are_within_4_ulps},
    {"elementary functions answer NaN to nonsense",
     test_elementary_functions_answer_nan_to_nonsense},
    {"random numbers fill their interval", test_random_numbers_fill_their_interval},
    {"cross product is right-handed", test_cross_product_is_right_handed},
    {"lists are counted, filled and rewound", test_lists_are_counted_filled_and_rewound},
    {"offsets that do not fit are refused", test_offsets_that_do_not_fit_are_refused},
    {"sort is stable", test_sort_is_stable},
};
