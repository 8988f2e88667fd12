/*
 * native.c - the scenes of the page without a browser: their hashes and times
 *
 *     native                lists the scenes
 *     native SCENE STEPS    prints the hash after so many steps, and milliseconds a step
 *     native all STEPS      the same for all
 *
 * A hand drags the middle of a curve, if there is one, as tests/web/check.js does on the page.
 * A scene with a step that is refused goes on, as on the page; the first one is told.
 */
#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static page the_page;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Opens a scene with the sliders where they start. 0 after an error. */
static int open_scene(int scene, unsigned char **memory)
{
    size_t bytes = 0;
    int k;
    *memory = NULL;
    for (k = 0; k < PAGE_SETTINGS; k++) the_page.setting[k] = page_slider(scene, k).start;
    while (page_open(&the_page, scene, *memory, bytes) == DC_TOO_SMALL) {
        bytes = the_page.error.needed > 2 * bytes ? the_page.error.needed : 2 * bytes;
        *memory = realloc(*memory, bytes);
        if (*memory == NULL) return 0;
    }
    return the_page.error.status == DC_OK;
}

/* What failed, and the bodies that it is about. */
static void complain(int scene)
{
    const char *first = page_error_label(&the_page, 0), *second = page_error_label(&the_page, 1);
    fprintf(stderr, "%s: %s (index %d, value %g, %s, %s)\n", page_scenes[scene].name,
            the_page.error.what, (int)the_page.error.index, (double)the_page.error.value,
            first ? first : "-", second ? second : "-");
}

/* Takes hold of the handle nearest to a ray, and drags it towards the camera. */
static void drag_handle(void)
{
    dc_ray_hit hit;
    if (the_page.own.handle_count == 0) return;
    page_take_hold(&the_page, vec_make(0.25, 0, 3), vec_make(0, 0, -1), 1, &hit);
    page_drag(&the_page, vec_make(0.25, 0, 0.25));
}

static int run(int scene, int steps)
{
    double *time = malloc((size_t)steps * sizeof *time);
    unsigned char *memory = NULL;
    int i, refused = 0, is_fine = time != NULL && open_scene(scene, &memory);
    if (is_fine) drag_handle();
    for (i = 0; is_fine && i < steps; i++) {
        clock_t start = clock();
        if (page_step(&the_page) != DC_OK && refused++ == 0) complain(scene);
        time[i] = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
    }
    if (is_fine) {
        qsort(time, (size_t)steps, sizeof *time, compare);
        printf("%s %016llx %d steps, %.2f ms (median), %.2f (95%%), %d refused, %d bytes\n",
               page_scenes[scene].name, (unsigned long long)page_hash(&the_page), steps,
               time[steps / 2], time[steps * 95 / 100], refused, (int)the_page.info.bytes);
    } else {
        complain(scene);
    }
    free(memory);
    free(time);
    return is_fine;
}

int main(int count, char **arguments)
{
    int steps = count > 2 ? atoi(arguments[2]) : 0, is_found = 0, is_fine = 1, k;
    for (k = 0; k < page_scene_count; k++) {
        if (count == 1) printf("%s\t%s\n", page_scenes[k].name, page_scenes[k].title);
        if (steps < 1 || (strcmp(arguments[1], page_scenes[k].name) && strcmp(arguments[1], "all")))
            continue;
        is_found = 1;
        is_fine = run(k, steps) && is_fine;
    }
    if (count > 1 && !is_found) fprintf(stderr, "native SCENE STEPS: scene is one of its list\n");
    return count > 1 && !(is_found && is_fine);
}
