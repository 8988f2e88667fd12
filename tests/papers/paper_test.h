/* Tests of one program of examples/papers: the test includes it, with its main() under another name. */
#ifndef PAPER_TEST_H
#define PAPER_TEST_H

#include <math.h>
#include <string.h>

#include "../test.h"

/* Runs all, and prints their count. */
static int paper_tests_run(const test_case *tests, size_t count)
{
    size_t i;
    int passed = 0, failed = 0;
    for (i = 0; i < count; i++) {
        int before = test_failures;
        test_shown = 0;
        tests[i].run();
        if (test_failures == before) {
            passed++;
            continue;
        }
        failed++;
        printf("FAILED: %s\n", tests[i].name);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

#endif
