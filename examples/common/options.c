#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_integer(const option *o, const char *text, char **end, int *value)
{
    long number;
    errno = 0;
    number = strtol(text, end, 10);
    if (*end == text || errno != 0) return 0;
    if ((double)number < o->low || (double)number > o->high) return 0;
    *value = (int)number;
    return 1;
}

static int read_pair(const option *o, const char *text, char **end, int *value)
{
    if (!read_integer(o, text, end, &value[0]) || **end != 'x') return 0;
    return read_integer(o, *end + 1, end, &value[1]);
}

/* Saturates, so that any number of digits will do. */
static int is_pair_above(const option *o, const char *text)
{
    char *end;
    if ((double)strtol(text, &end, 10) > o->high) return 1;
    return *end == 'x' && (double)strtol(end + 1, &end, 10) > o->high;
}

static int read_number(const option *o, const char *text, char **end, double *value)
{
    *value = strtod(text, end);
    return *end != text && *value >= o->low && *value <= o->high; /* false for NaN */
}

static int read_texts(const char *text, option_texts *value)
{
    if (*text == 0 || value->count == OPTION_TEXTS_MAX) return 0;
    value->text[value->count++] = text;
    return 1;
}

/* The one place that knows the kinds. */
static int read_value(const option *o, char *text, failure *why)
{
    char *end = text + strlen(text);
    int is_read = 1;
    switch (o->kind) {
    case OPTION_INTEGER: is_read = read_integer(o, text, &end, o->value); break;
    case OPTION_NUMBER: is_read = read_number(o, text, &end, o->value); break;
    case OPTION_PAIR: is_read = read_pair(o, text, &end, o->value); break;
    case OPTION_UP:
        *(int *)o->value = strcmp(text, "z") == 0;
        is_read = *(int *)o->value || strcmp(text, "y") == 0;
        break;
    case OPTION_TEXT:
        *(const char **)o->value = text;
        is_read = *text != 0;
        break;
    case OPTION_TEXTS: is_read = read_texts(text, o->value); break;
    case OPTION_FLAG: break; /* takes no text */
    case OPTION_END: break;
    }
    if (is_read && *end == 0) return 1;
    if (o->kind == OPTION_UP)
        return failure_set(why, "%s wants y or z, not '%.40s'", o->name, text);
    if (o->kind == OPTION_TEXTS && *text != 0)
        return failure_set(why, "%s can be given %d times, not with '%.40s' as well", o->name,
                           OPTION_TEXTS_MAX, text);
    if (!(o->low < o->high)) return failure_set(why, "%s wants %s after it", o->name, o->argument);
    if (o->kind == OPTION_PAIR && is_pair_above(o, text))
        return failure_set(why,
                           "%s: a picture of '%.40s' pixels is too large, the limit is %.6gx%.6g",
                           o->name, text, o->high, o->high);
    return failure_set(why, "%s wants %s from %.6g to %.6g, not '%.40s'", o->name, o->argument,
                       o->low, o->high, text);
}

static const option *find_option(const option *table, const char *name)
{
    for (; table->kind != OPTION_END; table++)
        if (strcmp(table->name, name) == 0) return table;
    return NULL;
}

int options_read(const option *table, int count, char **argv, const char **word, failure *why)
{
    int i;
    for (i = 0; i < count; i++) {
        const option *o = find_option(table, argv[i]);
        if (o == NULL && argv[i][0] == '-')
            return failure_set(why, "there is no option '%.40s'; devcloth help lists them",
                               argv[i]);
        if (o == NULL) {
            if (word == NULL || *word != NULL)
                return failure_set(why, "one word too many: '%.40s'", argv[i]);
            *word = argv[i];
        } else if (o->kind == OPTION_FLAG) {
            *(int *)o->value = 1;
        } else if (++i == count) {
            return failure_set(why, "%s wants %s after it", o->name, o->argument);
        } else if (!read_value(o, argv[i], why)) {
            return 0;
        }
    }
    return 1;
}

void options_help(const option *table, FILE *file)
{
    for (; table->kind != OPTION_END; table++) {
        int width = fprintf(file, "  %s%s%s", table->name, table->argument ? " " : "",
                            table->argument ? table->argument : "");
        fprintf(file, "%*s%s\n", width < 20 ? 20 - width : 1, "", table->help);
    }
}
