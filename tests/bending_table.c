/* Prints tests/bending_table.md: heavy cantilevers of both elements, on several meshes and of several
   sizes, against the elastica. `make table`, some minutes. Argument: the name of one element. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include "../examples/common/shapes.c"

#include "support/meshes.h"
#include "support/worlds.h"
#include "support/settle.h"
#include "support/cantilever.h"

enum { MESHES = 4, CELLS_MAX = 40 };

static const char *const element_names[2] = {"nonconforming", "isometric"};

static const struct {
    const char *name;
    int kind;
} meshes[MESHES] = {{"even", 0}, {"jittered", 2}, {"Delaunay", 3}, {"turned", 4}};

static cantilever begin(int element, int cells)
{
    cantilever c = cantilever_defaults();
    c.element = cloth_elements[element];
    c.cells = cells;
    c.rows = cells / 4 > 3 ? cells / 4 : 3;
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

static void print_meshes(int element)
{
    int mesh, cells;
    for (mesh = 0; mesh < MESHES; mesh++)
        for (cells = 10; cells <= CELLS_MAX; cells *= 2) {
            cantilever c = begin(element, cells);
            c.kind = meshes[mesh].kind;
            print_row(element_names[element], meshes[mesh].name, &c);
        }
}

/* Wide strips, and thin ones of three cells. */
static void print_widths(int element)
{
    static const struct {
        const char *name;
        double width;
    } widths[4] = {
        {"even, 3 cells wide", 0.15}, {"even, 4:1", 0.25}, {"even, 2:1", 0.5}, {"even, 1:1", 1}};
    int i;
    for (i = 0; i < 4; i++) {
        cantilever c = begin(element, 20);
        c.width = widths[i].width;
        c.rows = (int)(widths[i].width * c.cells + 0.5);
        print_row(element_names[element], widths[i].name, &c);
    }
}

int main(int argc, char **argv)
{
    int element, g;
    printf("| element | mesh | cells |");
    for (g = 0; g < ELASTICAS; g++) printf(" gamma %g |", elasticas[g].gamma);
    printf("\n| --- | --- | --- |");
    for (g = 0; g < ELASTICAS; g++) printf(" --- |");
    printf("\n");
    for (element = 0; element < 2; element++)
        if (argc < 2 || strcmp(argv[1], element_names[element]) == 0) print_meshes(element);
    for (element = 0; element < 2 && argc < 2; element++) print_widths(element);
    return 0;
}
