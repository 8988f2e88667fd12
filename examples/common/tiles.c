#include "tiles.h"

#include <string.h>

enum { TILES = 12, TILE_COLUMNS = 4, TILE_WIDTH = 400 /* [pixel], about */ };

static int factor_of(const tiles *t)
{
    return (t->size[0] + TILE_WIDTH - 1) / TILE_WIDTH;
}

int tiles_init(tiles *t, const int size[2], int frames, failure *why)
{
    memset(t, 0, sizeof *t);
    t->size[0] = size[0];
    t->size[1] = size[1];
    t->frames = frames;
    return image_init(&t->sheet, TILE_COLUMNS * (size[0] / factor_of(t)),
                      TILES / TILE_COLUMNS * (size[1] / factor_of(t)), why);
}

void tiles_free(tiles *t)
{
    image_free(&t->sheet);
}

void tiles_add(tiles *t, int frame, double time, const image *picture)
{
    static const image_colour ink = {50, 56, 66};
    int factor = factor_of(t), last = t->frames - 1, width = t->size[0] / factor;
    int height = t->size[1] / factor;
    char text[32];
    while (t->count < TILES && frame >= (t->count * last + (TILES - 1) / 2) / (TILES - 1)) {
        int x = t->count % TILE_COLUMNS * width, y = t->count / TILE_COLUMNS * height;
        image_paste(&t->sheet, x, y, picture, factor);
        snprintf(text, sizeof text, "%.2f s", time);
        image_text(&t->sheet, x + 10, y + height - 24, 2, ink, text);
        t->count++;
        if (last < TILES) break; /* fewer frames than tiles: each once */
    }
}
