#include "pattern.h"

#include <math.h>
#include <stdlib.h>

/* [mm] */
static const double MARGIN = 12, TITLE = 12, LEGEND = 10; /* around, above, below all strips */
static const double LABELS = 11;                          /* above a strip, for its angles */
static const double LABEL_SPACING = 4.5;                  /* from one label to the next at least */

static const double DEGREES = 57.295779513082320877; /* in a radian */
static const double SHARPEST = 0.05;                 /* [degree] what is less is no crease */
static const char MOUNTAIN[] = "#c03020", VALLEY[] = "#2060b0";
static const char MOUNTAIN_DASHES[] = "3 .8 .6 .8", VALLEY_DASHES[] = "1.6 1.2"; /* [mm] */

pattern_strip pattern_strip_of(const dc_world *world, dc_index ribbon, const dc_ribbon_desc *desc)
{
    pattern_strip s;
    s.segment_count = desc->segment_count;
    s.length = (double)desc->length;
    s.width = (double)desc->width;
    s.ends = desc->ends;
    s.creases = dc_ribbon_creases(world, ribbon);
    s.angles = dc_ribbon_angles(world, ribbon);
    return s;
}

/* Where crease j crosses the centre line [mm]. */
static double crease_at(const pattern_strip *s, dc_index j)
{
    return 1e3 * s->length * j / s->segment_count;
}

static double strip_height(const pattern_strip *s)
{
    return LABELS + 1e3 * s->width + MARGIN / 2;
}

static void write_line(FILE *file, double x1, double y1, double x2, double y2, const char *colour,
                       const char *dashes)
{
    fprintf(file,
            "<line x1=\"%.3f\" y1=\"%.3f\" x2=\"%.3f\" y2=\"%.3f\" stroke=\"%s\""
            " stroke-dasharray=\"%s\"/>\n",
            x1, y1, x2, y2, colour, dashes);
}

static void write_text(FILE *file, double x, double y, const char *attributes, const char *text)
{
    fprintf(file, "<text x=\"%.3f\" y=\"%.3f\" stroke=\"none\" fill=\"#303030\" %s>%s</text>\n", x,
            y, attributes, text);
}

/* From x_j at the lower rim to y_j at the upper one. Y goes down in the file. */
static void write_crease(FILE *file, const pattern_strip *s, dc_index j)
{
    double width = 1e3 * s->width, lean = width * (double)s->creases[j] / 2;
    int is_valley = s->angles[j] > 0;
    write_line(file, crease_at(s, j) - lean, width, crease_at(s, j) + lean, 0,
               is_valley ? VALLEY : MOUNTAIN, is_valley ? VALLEY_DASHES : MOUNTAIN_DASHES);
}

static void write_angle(FILE *file, const pattern_strip *s, dc_index j)
{
    double x = crease_at(s, j) + 1e3 * s->width * (double)s->creases[j] / 2;
    fprintf(file,
            "<text transform=\"translate(%.3f -1.2) rotate(-90)\" stroke=\"none\" "
            "fill=\"%s\" font-size=\"2.6\" dominant-baseline=\"central\">%.1f</text>\n",
            x, s->angles[j] > 0 ? VALLEY : MOUNTAIN, DEGREES * fabs((double)s->angles[j]));
}

/* Labels keep their distance: some creases go without where they are dense. */
static void write_creases(FILE *file, const pattern_strip *s)
{
    double last = -LABEL_SPACING;
    dc_index j;
    for (j = 1; j < s->segment_count; j++) {
        double top = crease_at(s, j) + 1e3 * s->width * (double)s->creases[j] / 2;
        if (DEGREES * fabs((double)s->angles[j]) < SHARPEST) continue;
        write_crease(file, s, j);
        if (top - last < LABEL_SPACING) continue;
        write_angle(file, s, j);
        last = top;
    }
}

/* Letters inside the corners; those of a Moebius band change places. */
static void write_joints(FILE *file, const pattern_strip *s)
{
    double length = 1e3 * s->length, width = 1e3 * s->width;
    double size = fmin(5, width / 4), low = width - 0.4 * size, high = 1.1 * size;
    int is_twisted = s->ends == DC_RIBBON_MOEBIUS;
    char start[80], end[80];
    snprintf(start, sizeof start, "font-size=\"%.2f\" font-weight=\"bold\"", size);
    snprintf(end, sizeof end, "font-size=\"%.2f\" font-weight=\"bold\" text-anchor=\"end\"", size);
    write_text(file, 0.3 * size, low, start, "A");
    write_text(file, 0.3 * size, high, start, "B");
    write_text(file, length - 0.3 * size, is_twisted ? high : low, end, "A");
    write_text(file, length - 0.3 * size, is_twisted ? low : high, end, "B");
}

static void write_strip(FILE *file, const pattern_strip *s, double top)
{
    fprintf(file, "<g transform=\"translate(%.3f %.3f)\">\n", MARGIN, top + LABELS);
    fprintf(file, "<rect width=\"%.3f\" height=\"%.3f\" fill=\"none\" stroke=\"#303030\"/>\n",
            1e3 * s->length, 1e3 * s->width);
    write_creases(file, s);
    if (s->ends != DC_RIBBON_OPEN) write_joints(file, s);
    fputs("</g>\n", file);
}

/* Two lines: which line is which, and what the letters want. */
static void write_legend(FILE *file, const pattern_strip *strips, int count, double y)
{
    int has_loop = 0, has_moebius = 0, i;
    for (i = 0; i < count; i++) {
        has_loop |= strips[i].ends == DC_RIBBON_LOOP;
        has_moebius |= strips[i].ends == DC_RIBBON_MOEBIUS;
    }
    write_line(file, MARGIN, y, MARGIN + 12, y, VALLEY, VALLEY_DASHES);
    write_text(file, MARGIN + 14, y + 1.1, "font-size=\"3.2\"",
               "valley: fold towards you, by so many degrees");
    write_line(file, MARGIN + 92, y, MARGIN + 104, y, MOUNTAIN, MOUNTAIN_DASHES);
    write_text(file, MARGIN + 106, y + 1.1, "font-size=\"3.2\"", "mountain: fold away from you");
    if (has_moebius || has_loop)
        write_text(file, MARGIN, y + 6.1, "font-size=\"3.2\"",
                   has_moebius ? "join the ends, A to A and B to B: with half a turn"
                               : "join the ends, A to A and B to B");
}

/* A millimetre of the view is a millimetre of the page. */
static void begin_page(FILE *file, const char *title, double width, double height)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.3fmm\" height=\"%.3fmm\" "
            "viewBox=\"0 0 %.3f %.3f\" font-family=\"sans-serif\" stroke-width=\".3\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
    write_text(file, MARGIN, MARGIN + 4, "font-size=\"5\"", title);
}

int pattern_write_svg(const char *path, const char *title, const pattern_strip *strips, int count,
                      failure *why)
{
    double width = 160, height = 2 * MARGIN + TITLE + LEGEND, top = MARGIN + TITLE; /* the legend */
    output out;
    int i;
    if (!output_open(&out, path, why)) return 0;
    for (i = 0; i < count; i++) {
        width = fmax(width, 1e3 * strips[i].length);
        height += strip_height(&strips[i]);
    }
    width += 2 * MARGIN;
    begin_page(out.file, title, width, height);
    for (i = 0; i < count; i++) {
        write_strip(out.file, &strips[i], top);
        top += strip_height(&strips[i]);
    }
    write_legend(out.file, strips, count, top + LEGEND / 2);
    fputs("</svg>\n", out.file);
    return output_close(&out, why);
}

/* ---- Sheets ---- */

/* Where the pattern is on the page: x = left + 1000 u, y = top - 1000 v [mm]. */
typedef struct page {
    double left, top, width, height;
} page;

static const double BAR = 50, BAR_TICK = 1.5; /* [mm] */
static const double LEAST_WIDTH = 150;        /* [mm] of the page, for the legend */

static page make_page(const dc_mesh *mesh, const dc_vec2 *flat)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    dc_index q;
    page p;
    for (q = 0; q < 3 * mesh->triangle_count; q++) {
        dc_vec2 u = flat[mesh->triangles[q]];
        low[0] = fmin(low[0], 1e3 * (double)u.x), high[0] = fmax(high[0], 1e3 * (double)u.x);
        low[1] = fmin(low[1], 1e3 * (double)u.y), high[1] = fmax(high[1], 1e3 * (double)u.y);
    }
    p.width = fmax(LEAST_WIDTH, high[0] - low[0]) + 2 * MARGIN;
    p.height = high[1] - low[1] + 2 * MARGIN + TITLE + 2 * LEGEND;
    p.left = (p.width - low[0] - high[0]) / 2;
    p.top = MARGIN + TITLE + high[1];
    return p;
}

/* Each border as one closed path. A vertex at which two of them touch is the start of one only, so
   that one goes on with the other. Fails for want of memory. */
static int write_outline(FILE *file, const page *p, const dc_mesh *mesh, const dc_vec2 *flat)
{
    dc_index *next = malloc((size_t)mesh->vertex_count * sizeof *next), v, e;
    if (next == NULL) return 0;
    for (v = 0; v < mesh->vertex_count; v++) next[v] = DC_NONE;
    for (e = 0; e < mesh->edge_count; e++)
        if (mesh->corner_of_edge[2 * e + 1] == DC_NONE)
            next[mesh->edge_vertices[2 * e]] = mesh->edge_vertices[2 * e + 1];
    for (v = 0; v < mesh->vertex_count; v++) {
        dc_index at = v, after;
        if (next[v] == DC_NONE) continue;
        fputs("<path fill=\"none\" stroke=\"#303030\" d=\"M", file);
        while (next[at] != DC_NONE) {
            fprintf(file, " %.3f %.3f", p->left + 1e3 * (double)flat[at].x,
                    p->top - 1e3 * (double)flat[at].y);
            after = next[at];
            next[at] = DC_NONE;
            at = after;
        }
        fputs(" Z\"/>\n", file);
    }
    free(next);
    return 1;
}

static void write_rulings(FILE *file, const page *p, const rulings *lines)
{
    int k;
    fputs("<g stroke-width=\".15\">\n", file);
    for (k = 0; k < lines->count; k++) {
        const ruling *r = &lines->lines[k];
        int is_valley = r->curvature > 0;
        write_line(file, p->left + 1e3 * (double)r->end[0].x, p->top - 1e3 * (double)r->end[0].y,
                   p->left + 1e3 * (double)r->end[1].x, p->top - 1e3 * (double)r->end[1].y,
                   is_valley ? VALLEY : MOUNTAIN, is_valley ? VALLEY_DASHES : MOUNTAIN_DASHES);
    }
    fputs("</g>\n", file);
}

/* Which line is which, and how long the bar has to be. */
static void write_bends(FILE *file, const page *p)
{
    double y = p->height - MARGIN - LEGEND, low = p->height - MARGIN;
    write_line(file, MARGIN, y, MARGIN + 12, y, VALLEY, VALLEY_DASHES);
    write_text(file, MARGIN + 14, y + 1.1, "font-size=\"3.2\"", "bend towards you");
    write_line(file, MARGIN + 60, y, MARGIN + 72, y, MOUNTAIN, MOUNTAIN_DASHES);
    write_text(file, MARGIN + 74, y + 1.1, "font-size=\"3.2\"", "bend away from you");
    fprintf(file,
            "<path fill=\"none\" stroke=\"#303030\" d=\"M %.3f %.3f v %.3f h %.3f v %.3f\"/>\n",
            MARGIN, low - BAR_TICK, BAR_TICK, BAR, -BAR_TICK);
    write_text(file, MARGIN + BAR + 2, low, "font-size=\"3.2\"", "50 mm, if printed at true scale");
}

int pattern_write_sheet(const char *path, const char *title, const dc_mesh *mesh,
                        const dc_vec2 *flat, const rulings *lines, failure *why)
{
    page p = make_page(mesh, flat);
    output out;
    if (!output_open(&out, path, why)) return 0;
    begin_page(out.file, title, p.width, p.height);
    if (!write_outline(out.file, &p, mesh, flat)) {
        output_discard(&out);
        return failure_set(why, "%s: not enough memory for the outline", path);
    }
    write_rulings(out.file, &p, lines);
    write_bends(out.file, &p);
    fputs("</svg>\n", out.file);
    return output_close(&out, why);
}
