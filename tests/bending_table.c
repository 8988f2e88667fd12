/* Prints tests/bending_table.md: heavy cantilevers of several elements, forms of
   energy, meshes and sizes against the elastica. `make table`; ten minutes. Argument: the name of one
   element. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include "support/meshes.h"
#include "support/worlds.h"
#include "support/settle.h"
#include "support/cantilever.h"

typedef struct way {
    const char *name;
    dc_element element;
    dc_bending form;
    int cells_max;
    int has_no_jump;
    double jump_beta; /* negative: the default */
} way;

enum { OURS = 2, MESHES = 4 };

static const way ways[] = {
    {"nonconforming", DC_ELEMENT_NONCONFORMING, DC_BENDING_VERTEX_HESSIAN, 40, 0, -1},
    {"isometric", DC_ELEMENT_ISOMETRIC, DC_BENDING_VERTEX_HESSIAN, 40, 0, -1},
    {"published energy", DC_ELEMENT_NONCONFORMING, DC_BENDING_LAPLACIAN, 40, 1, 0},
    /* it bends the right way only after the jumps have relaxed: the default would hold them */
    {"published energy and our jump term", DC_ELEMENT_NONCONFORMING, DC_BENDING_LAPLACIAN, 40, 0,
     0.05},
    {"conforming", DC_ELEMENT_CONFORMING, DC_BENDING_VERTEX_HESSIAN, 20, 0, -1},
};

static const struct {
    const char *name;
    int kind;
} meshes[MESHES] = {{"even", 0}, {"jittered", 2}, {"Delaunay", 3}, {"turned", 4}};

/* The coupled solve does not converge with the conforming element: its rows are dependent while it
   is flat, and leave hardly a way to bend. The mass projection has the right equilibrium in the limit
   of small steps only. */
static const double CONFORMING_DT = 1e-4; /* [s] */
static const double CONFORMING_TIME = 5;  /* [s] these steps are many                            */

static cantilever begin(const way *w, int cells)
{
    cantilever c = cantilever_defaults();
    c.element = w->element;
    c.form = w->form;
    c.has_no_jump = w->has_no_jump;
    c.jump_beta = w->jump_beta;
    c.cells = cells;
    c.rows = cells / 4 > 3 ? cells / 4 : 3;
    if (!dci_element_has_midpoints(w->element)) {
        c.projection = DC_PROJECTION_MASS;
        c.dt = CONFORMING_DT;
        c.time_max = CONFORMING_TIME;
    }
    return c;
}

/* Errors of x and drop in per cent of the length, for each gamma. */
static void print_row(const char *name, const char *mesh, cantilever *c)
{
    const char *why, *last = NULL;
    int g;
    printf("| %s | %s | %d |", name, mesh, c->cells);
    for (g = 0; g < ELASTICAS; g++) {
        double x, drop;
        c->gamma = elasticas[g].gamma;
        if (cantilever_settle(c, &x, &drop, &why) == DC_OK)
            printf(" %+.2f / %+.2f |", 100 * (x - elasticas[g].x),
                   100 * (drop - elasticas[g].drop));
        else
            printf(" - |"), last = why;
        fflush(stdout);
    }
    printf("%s%s\n", last ? " -: " : "", last ? last : "");
}

static void print_meshes(const way *w)
{
    int mesh, cells;
    for (mesh = 0; mesh < MESHES; mesh++)
        for (cells = 10; cells <= w->cells_max; cells *= 2) {
            cantilever c = begin(w, cells);
            c.kind = meshes[mesh].kind;
            print_row(w->name, meshes[mesh].name, &c);
        }
}

/* Wide strips, and thin ones of three cells. */
static void print_widths(const way *w)
{
    static const struct {
        const char *name;
        double width;
    } widths[4] = {
        {"even, 3 cells wide", 0.15}, {"even, 4:1", 0.25}, {"even, 2:1", 0.5}, {"even, 1:1", 1}};
    int i;
    for (i = 0; i < 4; i++) {
        cantilever c = begin(w, 20);
        c.width = widths[i].width;
        c.rows = (int)(widths[i].width * c.cells + 0.5);
        print_row(w->name, widths[i].name, &c);
    }
}

int main(int argc, char **argv)
{
    size_t w;
    int g;
    printf("| element | mesh | cells |");
    for (g = 0; g < ELASTICAS; g++) printf(" gamma %g |", elasticas[g].gamma);
    printf("\n| --- | --- | --- |");
    for (g = 0; g < ELASTICAS; g++) printf(" --- |");
    printf("\n");
    for (w = 0; w < sizeof ways / sizeof *ways; w++)
        if (argc < 2 || strcmp(argv[1], ways[w].name) == 0) print_meshes(&ways[w]);
    for (w = 0; w < OURS && argc < 2; w++) print_widths(&ways[w]);
    return 0;
}
