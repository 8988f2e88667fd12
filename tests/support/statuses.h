/* Prints what the tests reach, in the form of tests/statuses.txt: each call that a test makes of a
   public function with a status, and the status. The Makefile writes the header with a
   macro for each of these functions. */
#ifndef TEST_STATUSES_H
#define TEST_STATUSES_H

static int test_tells_statuses;

static dc_status test_status(const char *function, dc_status status)
{
    if (test_tells_statuses) printf("%s %s %s\n", function, dc_status_name(status), test->name);
    return status;
}

#include "../../build/status_calls.h"

#endif
