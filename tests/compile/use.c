/* A user's program: two triangles hang by a corner. Nothing here includes the implementation unless
   a macro says so. ENTRY names the function, so that two units can have one each; UNIT_MAIN adds
   main(), which also calls the function SECOND. */
#include "../../devcloth.h"
#ifdef COLLIDES
#include <stdio.h>
#endif

#ifndef ENTRY
#define ENTRY use_devcloth
#endif

#ifdef __cplusplus
extern "C" {
#endif
int ENTRY(void);
#ifdef SECOND
int SECOND(void);
#endif
#ifdef __cplusplus
}
#endif

static unsigned char memory[65536];

/* Returns 0, or the number of the thing that went wrong. */
int ENTRY(void)
{
    static const dc_vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const dc_index triangles[6] = {0, 1, 2, 0, 2, 3};
    static const dc_index pin = 3;
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    dc_info info;
    dc_world *world;
    dc_report report;
    dc_error error;
    int i;

    if (dc_float_check() != 0) return 1;
    cloth.mesh.vertex_count = 4;
    cloth.mesh.triangle_count = 2;
    cloth.mesh.positions = positions;
    cloth.mesh.triangles = triangles;
    cloth.pin_vertices = &pin;
    cloth.pin_count = 1;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
#ifdef COLLIDES
    desc.collides = 1;
    if (dc_world_init(&desc, memory, sizeof memory, &world, &info, &error) == DC_BAD_ARGUMENT)
        printf("refused %s\n", error.field);
#endif
    if (dc_world_init(&desc, memory, sizeof memory, &world, &info, &error) != DC_OK) return 2;
    if (info.bytes > sizeof memory || info.bytes != dc_world_bytes(world)) return 3;
    for (i = 0; i < 100; i++)
        if (dc_world_step(world, (dc_real)0.005, &report, &error) != DC_OK) return 5;
    if (!(dc_body_positions(world, 0)[2].y < (dc_real)0.8)) return 6; /* it has swung down */
    if (error.status != DC_OK || dc_status_name(error.status)[0] != 'D') return 7;
#ifdef BREAK_PRECONDITION
    (void)dc_body_positions(world, 1); /* there is one body, 0 */
#endif
    return 0;
}

#ifdef UNIT_MAIN
int main(void)
{
    int result = ENTRY();
#ifdef SECOND
    if (result == 0) result = SECOND();
#endif
    return result;
}
#endif
