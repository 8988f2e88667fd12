#include "sheet.h"

#include <string.h>

#include "png.h"
#include "scenes.h"
#include "scenes_draw.h"

enum {
    COLUMNS = 3,
    WIDTH = 320,
    HEIGHT = 240, /* [pixel] of a tile */
    FACTOR = 2    /* by which tiles are smaller than what is rendered */
};

int sheet_read_tile(const char *text, sheet_tile *tile, failure *why)
{
    static const double SECONDS_MAX = 1e3;
    int end = 0, has_cells, has_seconds;
    memset(tile, 0, sizeof *tile);
    sscanf(text, "%15[^:]%n:%5d%n:%lf%n", tile->scene, &end, &tile->cells, &end, &tile->seconds,
           &end);
    has_cells = strchr(text, ':') != NULL;
    has_seconds = has_cells && strchr(strchr(text, ':') + 1, ':') != NULL;
    if (text[end] != 0 || scene_find(tile->scene) == NULL || (has_cells && tile->cells < 1) ||
        (has_seconds && !(tile->seconds > 0 && tile->seconds <= SECONDS_MAX)))
        return failure_set(
            why, "sheet wants scenes such as sphere:30:1.5, cells and seconds, not '%.40s'", text);
    return 1;
}

static int simulate(scene *s, double seconds, const volatile sig_atomic_t *is_stopped, failure *why)
{
    int frames = (int)((seconds > 0 ? seconds : s->kind->seconds) * s->kind->fps + 0.5);
    double start = files_clock();
    for (; frames > 0; frames--) {
        if (*is_stopped) return failure_set(why, "interrupted");
        if (!scene_advance(s, scene_steps_a_frame(s->kind), why)) return 0;
    }
    printf("%-8s %3d cells, %.2f s: %.1f s of computing\n", s->kind->name, s->cells,
           (double)dc_world_time(s->world), files_clock() - start);
    fflush(stdout);
    return 1;
}

static int draw(const scene *s, image *picture, failure *why)
{
    render_scene view = render_scene_defaults();
    scene_add_bodies(s, 0, &view);
    return render_draw(&view, picture, why);
}

static int add_tile(const sheet_tile *tile, const volatile sig_atomic_t *is_stopped, int x, int y,
                    image *picture, image *sheet, failure *why)
{
    static const image_colour ink = {50, 56, 66};
    scene s;
    int is_drawn;
    if (!scene_open(&s, tile->scene, tile->cells, why)) return 0;
    is_drawn = simulate(&s, tile->seconds, is_stopped, why) && draw(&s, picture, why);
    scene_close(&s);
    if (!is_drawn) return 0;
    image_paste(sheet, x, y, picture, FACTOR);
    image_text(sheet, x + 10, y + 10, 2, ink, tile->scene);
    return 1;
}

/* Before minutes of simulation. */
static int check_writable(const char *path, failure *why)
{
    output out;
    if (!output_open(&out, path, why)) return 0;
    output_discard(&out);
    return 1;
}

int sheet_write(const char *path, const sheet_tile *tiles, int count,
                const volatile sig_atomic_t *is_stopped, failure *why)
{
    image picture = {0, 0, NULL}, sheet = {0, 0, NULL};
    int columns = count < COLUMNS ? count : COLUMNS, rows = (count + COLUMNS - 1) / COLUMNS;
    int i, is_fine = check_writable(path, why) &&
                     image_init(&picture, FACTOR * WIDTH, FACTOR * HEIGHT, why) &&
                     image_init(&sheet, columns * WIDTH, rows * HEIGHT, why);
    for (i = 0; is_fine && i < count; i++)
        is_fine = add_tile(&tiles[i], is_stopped, i % COLUMNS * WIDTH, i / COLUMNS * HEIGHT,
                           &picture, &sheet, why);
    is_fine = is_fine && png_write(path, &sheet, why);
    image_free(&sheet);
    image_free(&picture);
    return is_fine;
}
