/*
 * sheet.h - several scenes in one picture, each as it is at some time
 */
#ifndef SHEET_H
#define SHEET_H

#include <signal.h>

#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SHEET_TILES_MAX = 24, SHEET_NAME_BYTES = 16 };

typedef struct sheet_tile {
    char scene[SHEET_NAME_BYTES];
    int cells;      /* 0: the scene's own */
    double seconds; /* [s] to the nearest frame; 0: the whole story */
} sheet_tile;

/* Reads SCENE, SCENE:CELLS or SCENE:CELLS:SECONDS. */
int sheet_read_tile(const char *text, sheet_tile *tile, failure *why);

/* Simulates one scene after the other and prints a line for each; then writes the picture, three
   tiles a row. Where it is stopped (looked at before each frame) or a step fails nothing is written. */
int sheet_write(const char *path, const sheet_tile *tiles, int count,
                const volatile sig_atomic_t *is_stopped, failure *why);

#ifdef __cplusplus
}
#endif

#endif
