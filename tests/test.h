/* The smallest test frame: a test is a function, its name a sentence; a check that fails says where
   and lets the test go on. */
#ifndef TEST_H
#define TEST_H

#include <stdio.h>
#include <stdlib.h>

typedef struct test_case {
    const char *name;
    void (*run)(void);
} test_case;

enum {
    TEST_SHOWN_MAX = 5
}; /* failed checks of one test that are told                            */
static int test_checks, test_failures, test_shown, test_is_skipped;

static void test_check(int ok, const char *condition, const char *file, int line)
{
    test_checks++;
    if (ok) return;
    test_failures++;
    if (test_shown++ < TEST_SHOWN_MAX) printf("    %s:%d: %s\n", file, line, condition);
}

/* Whether a failed check may add a line. */
static int test_tells(int ok)
{
    return !ok && test_shown <= TEST_SHOWN_MAX;
}

static void test_check_near(double value, double expected, double tolerance, const char *text,
                            const char *file, int line)
{
    double error = value - expected;
    int ok = error <= tolerance && error >= -tolerance;
    test_check(ok, text, file, line);
    if (test_tells(ok))
        printf("        is %.17g, expected %.17g within %.3g\n", value, expected, tolerance);
}

static void test_check_at_most(double value, double bound, const char *text, const char *file,
                               int line)
{
    int ok = value <= bound;
    test_check(ok, text, file, line);
    if (test_tells(ok)) printf("        is %.6g, at most %.6g expected\n", value, bound);
}

static void test_check_equal(long long value, long long expected, const char *text,
                             const char *file, int line)
{
    test_check(value == expected, text, file, line);
    if (test_tells(value == expected)) printf("        is %lld, expected %lld\n", value, expected);
}

/* The test has not what it needs; it is counted neither way. */
static void test_skip(const char *why)
{
    printf("    %s: skipped\n", why);
    test_is_skipped = 1;
}

#define CHECK(condition) test_check((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_NEAR(value, expected, tolerance)                                                     \
    test_check_near((double)(value), (double)(expected), (double)(tolerance), #value, __FILE__,    \
                    __LINE__)
#define CHECK_AT_MOST(value, bound)                                                                \
    test_check_at_most((double)(value), (double)(bound), #value, __FILE__, __LINE__)
#define CHECK_EQUAL(value, expected)                                                               \
    test_check_equal((long long)(value), (long long)(expected), #value, __FILE__, __LINE__)

/* A tolerance for double, and the one for float. */
#define TOL(in_double, in_single) (sizeof(dc_real) == 8 ? (in_double) : (in_single))

static void test_assert(int ok, const char *condition, const char *file, int line)
{
    if (ok) return;
    printf("    assertion failed: %s (%s:%d)\n", condition, file, line);
    exit(3);
}
#define DC_ASSERT(condition) test_assert((condition) != 0, #condition, __FILE__, __LINE__)

/* With AddressSanitizer the library's arenas have a gap behind every array, and only what was taken
   of them may be used. */
#if defined(__SANITIZE_ADDRESS__)
#define TEST_HAS_GAPS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_HAS_GAPS 1
#endif
#endif
#ifdef TEST_HAS_GAPS
#include <sanitizer/asan_interface.h>
#define TEST_GAPS 1
#define DCI_GAP 64
#define DCI_FORBID(address, bytes) __asan_poison_memory_region((address), (bytes))
#define DCI_ALLOW(address, bytes) __asan_unpoison_memory_region((address), (bytes))
#else
#define TEST_GAPS 0 /* with gaps, memory takes more than the macros of the header say */
#endif

/* Before a test reads or writes a block as a whole, gaps and all. */
static void test_allow(void *block, size_t bytes)
{
#ifdef TEST_HAS_GAPS
    DCI_ALLOW(block, bytes);
#else
    (void)block, (void)bytes;
#endif
}

/* Memory for tests; the library itself never asks for any. */
static void *test_alloc(size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory) {
        printf("    out of memory for a test\n");
        exit(3);
    }
    return memory;
}

#endif
