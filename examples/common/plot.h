/*
 * plot.h - line plots in SVG files
 */
#ifndef PLOT_H
#define PLOT_H

#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plot_series {
    const char *label;
    const char *colour; /* as in CSS, such as "#c03020" */
    const double *x, *y;
    int count;
    int is_dashed;
} plot_series;

typedef struct plot {
    const char *title;
    const char *x_label, *y_label;
    const plot_series *series;
    int series_count;
} plot;

/* Axes with round numbers, a legend at the right. Points that are not finite interrupt their line.
   Labels are plain text; < > & are written as SVG wants them. */
int plot_write_svg(const char *path, const plot *p, failure *why);

/* Several of them in one file, the first at the top. */
int plot_write_column(const char *path, const plot *plots, int count, failure *why);

#ifdef __cplusplus
}
#endif

#endif
