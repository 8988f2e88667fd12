/*
 * options.h - command lines: a table says which options there are, one function reads them
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum option_kind {
    OPTION_END,     /* the last row of a table                            */
    OPTION_FLAG,    /* int, set to 1                                      */
    OPTION_INTEGER, /* int, low to high                                   */
    OPTION_NUMBER,  /* double, low to high                                */
    OPTION_PAIR,    /* int[2], a picture's size, each low to high: 640x480 */
    OPTION_UP,      /* int, 0 after y, 1 after z                          */
    OPTION_TEXT,    /* const char *, into argv                            */
    OPTION_TEXTS    /* option_texts, one more each time, OPTION_TEXTS_MAX at most */
} option_kind;

enum { OPTION_TEXTS_MAX = 2 };

typedef struct option_texts {
    const char *text[OPTION_TEXTS_MAX]; /* (count) into argv */
    int count;
} option_texts;

typedef struct option {
    const char *name;     /* such as "--frames"                           */
    const char *argument; /* as help names it, such as "N"; NULL: none    */
    const char *help;
    option_kind kind;
    void *value;
    double low, high;
} option;

/* Reads argv[0] to argv[count - 1]. At most one word that is no option goes to *word (NULL: none is
   taken). Failures name the option and what it wants. */
int options_read(const option *table, int count, char **argv, const char **word, failure *why);

/* Writes the table, a line an option. */
void options_help(const option *table, FILE *file);

#ifdef __cplusplus
}
#endif

#endif
