/* What the library tells of an error. */
#ifndef TEST_ERRORS_H
#define TEST_ERRORS_H

#include <stdio.h>
#include <string.h>

/* Whether the field or the sentence has these words. */
static int test_error_names(const dc_error *error, const char *words)
{
    int ok = strstr(error->field, words) != NULL || strstr(error->what, words) != NULL;
    if (!ok) printf("    for %s: %s: %s\n", words, error->field, error->what);
    return ok;
}

#endif
