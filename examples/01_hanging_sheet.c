/*
 * 01_hanging_sheet.c - the shortest useful program
 *
 * What one will see: a square sheet of 1 m lies flat in the air, held by its two far corners. It
 * falls, swings through below them and rises on the other side, all in one second. Ten lines tell
 * where the middle of its free border is; out/01_hanging_sheet.obj is the sheet at the end.
 */
#include "../devcloth.h"
#include "common/obj.h"

enum { CELLS = 16, PINS = 2, STEPS = 250, STEPS_A_LINE = 25 };
static const dc_real DT = (dc_real)0.004; /* [s] */

static dc_vec3 positions[DC_GRID_VERTICES(CELLS, CELLS)];
static dc_index triangles[3 * DC_GRID_TRIANGLES(CELLS, CELLS)];
static unsigned char memory[DC_GRID_BYTES(CELLS, CELLS, PINS)];

static int fail(const char *reason)
{
    fprintf(stderr, "01_hanging_sheet: %s\n", reason);
    return 1;
}

int main(void)
{
    const dc_index pins[PINS] = {CELLS * (CELLS + 1), CELLS * (CELLS + 1) + CELLS};
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    dc_world *world;
    dc_report report;
    dc_error error;
    failure why;
    int v, step;

    cloth.mesh = dc_grid(CELLS, CELLS, 1, 1, DC_DIAGONALS_FORWARD, positions, triangles);
    for (v = 0; v < cloth.mesh.vertex_count; v++) { /* it comes upright; lay it down */
        positions[v].z = -positions[v].y;
        positions[v].y = 0;
    }
    cloth.pin_vertices = pins;
    cloth.pin_count = PINS;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    if (dc_world_init(&desc, memory, sizeof memory, &world, NULL, &error) != DC_OK)
        return fail(error.what);

    for (step = 1; step <= STEPS; step++) {
        dc_vec3 edge;
        if (dc_world_step(world, DT, &report, &error) != DC_OK) return fail(error.what);
        if (step % STEPS_A_LINE != 0) continue;
        edge = dc_body_positions(world, 0)[CELLS / 2];
        printf("%.1f s: free border at height %6.3f m, %6.3f m in front of the pins\n",
               (double)dc_world_time(world), (double)edge.y, (double)edge.z + 1);
    }
    if (!files_make_directory("out", &why) ||
        !obj_write("out/01_hanging_sheet.obj", cloth.mesh.vertex_count, dc_body_positions(world, 0),
                   cloth.mesh.triangle_count, triangles, &why))
        return fail(why.text);
    printf("wrote out/01_hanging_sheet.obj\n");
    return 0;
}
