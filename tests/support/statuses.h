/* Prints what the tests reach, in the form of tests/statuses.txt: each call that a test makes of a
   public function with a status, and the status. TEST_STATUSES is a header with a macro for each of
   these functions, made by tests/compile/statuses.sh. */
#ifndef TEST_STATUSES_H
#define TEST_STATUSES_H

static dc_status test_status(const char *function, dc_status status)
{
    printf("%s %s %s\n", function, dc_status_name(status), test->name);
    return status;
}

#include TEST_STATUSES

#endif
