#include "plot.h"

#include <math.h>

/* [pixel] */
static const double WIDTH = 860, HEIGHT = 440;
static const double LEFT = 84, RIGHT = 190, TOP = 48, BOTTOM = 60; /* around the axes */
static const double LEGEND_LINE = 20;

enum { TICKS_WANTED = 6 };

/* One axis: data from low to high lie between two places on the page. */
typedef struct axis {
    double low, high;     /* in units of the data, both whole multiples of step */
    double step;          /* from tick to tick */
    double start, finish; /* [pixel] */
} axis;

/* The smallest of 1, 2, 5 times a power of ten that gives no more ticks than wanted. */
static double round_step(double range)
{
    double raw = range / TICKS_WANTED, power = pow(10, floor(log10(raw))), part = raw / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static axis make_axis(double low, double high, double start, double finish)
{
    axis a;
    if (!(low <= high)) low = 0, high = 1; /* no data at all */
    if (!(high - low > 1e-12 * (fabs(low) + fabs(high)))) {
        double pad = fabs(high) > 0 ? fabs(high) : 1;
        low -= pad / 2;
        high += pad / 2;
    }
    a.step = round_step(high - low);
    a.low = floor(low / a.step + 1e-9) * a.step; /* 1e-9: a bound on a tick, up to rounding */
    a.high = ceil(high / a.step - 1e-9) * a.step;
    a.start = start;
    a.finish = finish;
    return a;
}

static double place(const axis *a, double value)
{
    return a->start + (a->finish - a->start) * (value - a->low) / (a->high - a->low);
}

/* Finite data of all series: x if is_x, else y. */
static void find_range(const plot *p, int is_x, double *low, double *high)
{
    int s, i;
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (s = 0; s < p->series_count; s++)
        for (i = 0; i < p->series[s].count; i++) {
            double value = is_x ? p->series[s].x[i] : p->series[s].y[i];
            if (!isfinite(value)) continue;
            if (value < *low) *low = value;
            if (value > *high) *high = value;
        }
}

static void write_text(FILE *file, double x, double y, const char *attributes, const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    for (; *text != 0; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            putc(*text, file);
    }
    fputs("</text>\n", file);
}

static void write_line(FILE *file, double x0, double y0, double x1, double y1, const char *colour)
{
    fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x0, y0,
            x1, y1, colour);
}

static void write_ticks(FILE *file, const axis *a, const axis *across, int is_x)
{
    int i, count = (int)floor((a->high - a->low) / a->step + 0.5);
    for (i = 0; i <= count; i++) {
        double value = a->low + i * a->step, at = place(a, value);
        char text[32];
        if (fabs(value) < 1e-9 * a->step) value = 0; /* not -0, nor what rounding left of it */
        snprintf(text, sizeof text, "%.6g", value);
        if (is_x) {
            write_line(file, at, across->start, at, across->finish, "#e4e4e4");
            write_text(file, at, across->start + 20, "text-anchor=\"middle\"", text);
        } else {
            write_line(file, across->start, at, across->finish, at, "#e4e4e4");
            write_text(file, across->start - 8, at + 4, "text-anchor=\"end\"", text);
        }
    }
}

static void write_series(FILE *file, const plot_series *s, const axis *x, const axis *y)
{
    int i, is_drawing = 0;
    fprintf(
        file,
        "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"%s d=\"",
        s->colour, s->is_dashed ? " stroke-dasharray=\"6 4\"" : "");
    for (i = 0; i < s->count; i++) {
        int is_there = isfinite(s->x[i]) && isfinite(s->y[i]);
        if (is_there)
            fprintf(file, "%c%.1f %.1f", is_drawing ? 'L' : 'M', place(x, s->x[i]),
                    place(y, s->y[i]));
        is_drawing = is_there;
    }
    fputs("\"/>\n", file);
}

static void write_legend(FILE *file, const plot *p)
{
    double x = WIDTH - RIGHT + 14, y = TOP + 10;
    int s;
    for (s = 0; s < p->series_count; s++, y += LEGEND_LINE) {
        fprintf(file,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"2.5\"%s/>\n",
                x, y, x + 24, y, p->series[s].colour,
                p->series[s].is_dashed ? " stroke-dasharray=\"6 4\"" : "");
        write_text(file, x + 32, y + 4, "", p->series[s].label);
    }
}

static void write_labels(FILE *file, const plot *p, const axis *x, const axis *y)
{
    char turned[96];
    double middle = (y->start + y->finish) / 2;
    write_text(file, LEFT, TOP - 20, "font-size=\"16\" font-weight=\"bold\"", p->title);
    write_text(file, (x->start + x->finish) / 2, HEIGHT - 16, "text-anchor=\"middle\"", p->x_label);
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 20 %.1f)\"",
             middle);
    write_text(file, 20, middle, turned, p->y_label);
}

static void write_plot(FILE *file, const plot *p)
{
    axis x, y;
    double low, high;
    int s;
    find_range(p, 1, &low, &high);
    x = make_axis(low, high, LEFT, WIDTH - RIGHT);
    find_range(p, 0, &low, &high);
    y = make_axis(low, high, HEIGHT - BOTTOM, TOP);
    write_ticks(file, &x, &y, 1);
    write_ticks(file, &y, &x, 0);
    write_line(file, x.start, y.start, x.finish, y.start, "#404040");
    write_line(file, x.start, y.start, x.start, y.finish, "#404040");
    for (s = 0; s < p->series_count; s++) write_series(file, &p->series[s], &x, &y);
    write_legend(file, p);
    write_labels(file, p, &x, &y);
}

int plot_write_column(const char *path, const plot *plots, int count, failure *why)
{
    output out;
    int i;
    if (!output_open(&out, path, why)) return 0;
    fprintf(out.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, count * HEIGHT, WIDTH, count * HEIGHT);
    for (i = 0; i < count; i++) {
        fprintf(out.file, "<g transform=\"translate(0 %.0f)\">\n", i * HEIGHT);
        write_plot(out.file, &plots[i]);
        fputs("</g>\n", out.file);
    }
    fputs("</svg>\n", out.file);
    return output_close(&out, why);
}

int plot_write_svg(const char *path, const plot *p, failure *why)
{
    return plot_write_column(path, p, 1, why);
}
