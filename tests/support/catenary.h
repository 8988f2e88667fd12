/* A chain of rigid panels that hangs between two points at one height, in closed form but for one
   root: panel k of n is pulled by the horizontal force H at both ends, and the weights below it, in
   units of a panel's own, pull its middle with k - (n - 1)/2, so that its slope is that over H. The
   length of the chain sets H. How a panel's weight is spread along it does not matter, if that is
   symmetric: half of it at each end, as that of vertices is, gives the same chain. */
#ifndef TEST_CATENARY_H
#define TEST_CATENARY_H

enum { CATENARY_PANELS = 64 };

typedef struct catenary {
    int panels;
    double x[CATENARY_PANELS + 1], y[CATENARY_PANELS + 1]; /* of the ends of panels, from (0, 0) */
} catenary;

static double catenary_reach(catenary *c, double length, double horizontal)
{
    double panel = length / c->panels;
    int k;
    c->x[0] = c->y[0] = 0;
    for (k = 0; k < c->panels; k++) {
        double slope = (k - (c->panels - 1) / 2.0) / horizontal,
               run = panel / sqrt(1 + slope * slope);
        c->x[k + 1] = c->x[k] + run;
        c->y[k + 1] = c->y[k] + slope * run;
    }
    return c->x[c->panels];
}

/* `span` is less than `length`. */
static catenary catenary_of_panels(int panels, double length, double span)
{
    double low = 0, high = 1;
    catenary c;
    int i;
    c.panels = panels;
    while (catenary_reach(&c, length, high) < span) high *= 2;
    for (i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        if (catenary_reach(&c, length, middle) < span)
            low = middle;
        else
            high = middle;
    }
    return c;
}

static double catenary_sag(const catenary *c)
{
    double sag = 0;
    int k;
    for (k = 0; k <= c->panels; k++) sag = fmax(sag, -c->y[k]);
    return sag;
}

/* Sum of the heights of all inner ends. */
static double catenary_potential(const catenary *c)
{
    double sum = 0;
    int k;
    for (k = 1; k < c->panels; k++) sum += c->y[k];
    return sum;
}

#endif
