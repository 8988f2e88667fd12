/*
 * png.h - pictures in PNG files
 */
#ifndef PNG_H
#define PNG_H

#include "files.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes 8 bit RGB. Rows are filtered by what suits each best and compressed by deflate with the
   fixed Huffman codes: about half as well as is possible, in a page of code. */
int png_write(const char *path, const image *picture, failure *why);

/* Writes an animated PNG that repeats for ever: `count` frames of one size, each seen for `delay`
   milliseconds. All share 255 colours. Pixels that hardly change from one frame to the next stay. */
int png_write_frames(const char *path, const image *frames, int count, int delay, failure *why);

#ifdef __cplusplus
}
#endif

#endif
