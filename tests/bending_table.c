/* Prints the table of bending errors of the README: heavy cantilevers of several elements, forms of
   energy, meshes and sizes against the elastica. `make table`; a few minutes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include "support/meshes.h"
#include "support/worlds.h"
#include "support/cantilever.h"

/* theta'' = -gamma (1 - s) cos theta: gamma, tip x, drop, by shooting, of length 1. */
static const double exact[3][3] = {{1, .9912463953, .1234714020},
                                   {5, .8466571800, .4959050446},
                                   {20, .4452320522, .8298814434}};

typedef struct way {
    const char *name;
    dc_element element;
    dc_bending form;
} way;

static const way ways[] = {
    {"nonconforming", DC_ELEMENT_NONCONFORMING, DC_BENDING_VERTEX_HESSIAN},
    {"isometric", DC_ELEMENT_ISOMETRIC, DC_BENDING_VERTEX_HESSIAN},
    {"nonconforming, published energy", DC_ELEMENT_NONCONFORMING, DC_BENDING_LAPLACIAN},
    {"conforming", DC_ELEMENT_CONFORMING, DC_BENDING_VERTEX_HESSIAN},
};

static const struct {
    const char *name;
    int kind;
} meshes[] = {{"even", 0}, {"jittered", 2}, {"Delaunay", 3}, {"turned", 4}};

/* Errors of x and drop in per cent of the length. */
static void print_cell(const cantilever *c, const double *right)
{
    double x, drop;
    if (cantilever_settle(c, &x, &drop))
        printf(" %+.2f / %+.2f |", 100 * (x - right[1]), 100 * (drop - right[2]));
    else
        printf(" fails |");
    fflush(stdout);
}

static void print_row(const way *w, int mesh, int cells)
{
    cantilever c = cantilever_defaults();
    int g;
    c.element = w->element;
    c.form = w->form;
    c.kind = meshes[mesh].kind;
    c.cells = cells;
    c.rows = cells / 4 > 3 ? cells / 4 : 3;
    printf("| %s | %s | %d |", w->name, meshes[mesh].name, cells);
    for (g = 0; g < 3; g++) {
        c.gamma = exact[g][0];
        print_cell(&c, exact[g]);
    }
    printf("\n");
}

/* Wide strips, and thin ones of three cells. */
static void print_widths(const way *w)
{
    static const double widths[4] = {0.15, 0.25, 0.5, 1};
    int i, g;
    for (i = 0; i < 4; i++) {
        cantilever c = cantilever_defaults();
        c.element = w->element;
        c.form = w->form;
        c.width = widths[i];
        c.rows = (int)(widths[i] * c.cells + 0.5);
        printf("| %s | even, %.2f wide | %d |", w->name, widths[i], c.cells);
        for (g = 0; g < 3; g++) {
            c.gamma = exact[g][0];
            print_cell(&c, exact[g]);
        }
        printf("\n");
    }
}

int main(void)
{
    size_t w;
    int mesh, cells;
    printf("| element | mesh | cells | gamma 1 | 5 | 20 |\n");
    printf("| --- | --- | --- | --- | --- | --- |\n");
    for (w = 0; w < sizeof ways / sizeof *ways; w++)
        for (mesh = 0; mesh < (w < 2 ? 4 : 1); mesh++)
            for (cells = 10; cells <= 40; cells *= 2) print_row(&ways[w], mesh, cells);
    for (w = 0; w < 2; w++) print_widths(&ways[w]);
    return 0;
}
