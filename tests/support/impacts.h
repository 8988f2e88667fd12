/* Worlds without ribbons that resolve impacts as those with ribbons do: all at once, chapter 37. */
#ifndef TEST_IMPACTS_H
#define TEST_IMPACTS_H

#include <stdlib.h>
#include <string.h>

/* From now on. Returns a block that the world needs. */
static void *impacts_at_once(dc_world *world)
{
    dc_mesh moving;
    size_t bytes = 4096;
    dc_index i;
    memset(&moving, 0, sizeof moving);
    for (i = 0; i < world->moving_count; i++)
        dci_mesh_add_counts(&moving, world->member[i].surface);
    for (;; bytes *= 2) {
        void *block = malloc(bytes);
        dci_arena arena = dci_arena_over(block, bytes);
        if (!block || dci_global_make(&world->surface, &moving, &arena, NULL) == DC_OK)
            return block;
        free(block);
    }
}

#endif
