/*
 * image.h - pictures in memory, put together from others, with captions
 */
#ifndef IMAGE_H
#define IMAGE_H

#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct image {
    int width, height;  /* [pixel] */
    unsigned char *rgb; /* (height, width, 3) sRGB, the top row first */
} image;

typedef struct image_colour {
    unsigned char r, g, b;
} image_colour;

enum { IMAGE_FONT_WIDTH = 6, IMAGE_FONT_HEIGHT = 8 }; /* [pixel] of a character, with its gap */

/* A white picture from malloc(), to be freed by image_free(). At most 16384 pixels each way. */
int image_init(image *picture, int width, int height, failure *why);
void image_free(image *picture);

/* Parts of the picture; what lies outside is left out. */
void image_fill(image *picture, int x, int y, int width, int height, image_colour colour);

/* Copies `from` with its left upper corner to (x, y), made smaller by a whole factor. */
void image_paste(image *picture, int x, int y, const image *from, int factor);

/* Writes printable ASCII with its left upper corner at (x, y), made larger by a whole factor. */
void image_text(image *picture, int x, int y, int scale, image_colour colour, const char *text);

/* [pixel] */
int image_text_width(int scale, const char *text);

#ifdef __cplusplus
}
#endif

#endif
