/*
 * files.h - failures told in one line, directories, files that are whole or not there, progress
 *
 * Functions of examples/common that can fail return 1 on success and 0 on failure; then the failure
 * holds one line that names the file and the reason.
 */
#ifndef FILES_H
#define FILES_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FILES_PATH_MAX = 1024, FAILURE_TEXT_MAX = 1400 }; /* [bytes], with the final 0 */

typedef struct failure {
    char text[FAILURE_TEXT_MAX];
} failure;

/* Writes the line, as printf does, and returns 0, so that a function can return it. */
int failure_set(failure *why, const char *format, ...);

/* Writes directory/name into path. Fails if that is longer than FILES_PATH_MAX allows. */
int files_join(char path[FILES_PATH_MAX], const char *directory, const char *name, failure *why);

/* Makes a directory and those above it. One that is there already is fine. */
int files_make_directory(const char *path, failure *why);

/* Reads a whole file into a block from malloc(), which the caller frees: *bytes bytes, and a 0. */
int files_read(const char *path, char **text, size_t *bytes, failure *why);

/* Removes a file; a directory stays. Returns whether it is gone. */
int files_remove(const char *path);

/* Seconds since some moment, for differences. */
double files_clock(void);

/* A file in the making. It is called path.part until it is whole. */
typedef struct output {
    FILE *file;
    char path[FILES_PATH_MAX];
    char part[FILES_PATH_MAX];
} output;

/* Fails if something that is no plain file has that name, such as a directory or a device. */
int output_open(output *out, const char *path, failure *why);

/* Gives the file its name if every write into it succeeded, otherwise removes it and fails. */
int output_close(output *out, failure *why);

/* Removes what was written. */
void output_discard(output *out);

/* A line on stderr: percent, frame and time left. On a terminal it is rewritten in place. */
typedef struct progress {
    double start, shown; /* [s] of files_clock() */
    int is_terminal;
} progress;

progress progress_begin(void);
void progress_show(progress *progress, int done, int total);
void progress_end(progress *progress);

#ifdef __cplusplus
}
#endif

#endif
