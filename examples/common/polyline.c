#include "polyline.h"

#include <stdlib.h>
#include <string.h>

#include "vec.h"

enum { POLYLINE_QUOTE_MAX = 24 }; /* [characters] of the file that a failure quotes */

/* What is known while a file is read. */
typedef struct reader {
    const char *path;
    int line;
    polyline *curve;
    dc_index capacity;
    failure *why;
} reader;

static int fail_at(reader *r, const char *reason, const char *text)
{
    return failure_set(r->why, "%s:%d: %s '%.*s'", r->path, r->line, reason, POLYLINE_QUOTE_MAX,
                       text);
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r");
}

static int is_same(dc_vec3 a, dc_vec3 b)
{
    dc_vec3 d = vec_sub(a, b);
    return !(vec_length(d) > 0);
}

/* ---- Lines ---- */

static int read_number(reader *r, const char **text, dc_real *number)
{
    const char *start = skip_blanks(*text);
    char *end;
    if (*start == 0)
        return failure_set(r->why, "%s:%d: a point has three numbers", r->path, r->line);
    *number = (dc_real)strtod(start, &end);
    if (end == start || (*end != 0 && strchr(" \t\r", *end) == NULL))
        return fail_at(r, "this is no number:", start);
    if (!isfinite(*number)) return fail_at(r, "this is not a finite number:", start);
    *text = end;
    return 1;
}

static int add_point(reader *r, dc_vec3 p)
{
    enum { COUNT_MAX = 1 << 24 };
    polyline *curve = r->curve;
    if (curve->count > 0 && is_same(curve->points[curve->count - 1], p))
        return failure_set(r->why, "%s:%d: this point is where the one before it is", r->path,
                           r->line);
    if (curve->count == r->capacity) {
        dc_index wanted = r->capacity > 0 ? 2 * r->capacity : 256;
        dc_vec3 *room =
            wanted > COUNT_MAX ? NULL : realloc(curve->points, (size_t)wanted * sizeof *room);
        if (room == NULL) return failure_set(r->why, "%s: not enough memory", r->path);
        curve->points = room;
        r->capacity = wanted;
    }
    curve->points[curve->count++] = p;
    return 1;
}

/* What follows a word at the start of the text, or NULL. */
static const char *after(const char *text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0) return NULL;
    return text[length] == 0 || strchr(" \t\r", text[length]) != NULL ? text + length : NULL;
}

static int read_border(reader *r, const char *text)
{
    char *end = NULL;
    int i;
    for (i = 0; i < 2; i++, text = end) {
        long number = strtol(text, &end, 10); /* one too large becomes the largest */
        if (end == text || number < 1 || (*end != 0 && strchr(" \t\r", *end) == NULL))
            return fail_at(r, "border wants the numbers of two vertices, not", skip_blanks(text));
        r->curve->border[i] = number;
    }
    if (*skip_blanks(text) != 0)
        return fail_at(r, "border wants two vertices, but here follows", skip_blanks(text));
    r->curve->border_line = r->line;
    return 1;
}

static int read_line(reader *r, const char *text)
{
    const char *rest;
    dc_vec3 p;
    text = skip_blanks(text);
    if (*text == 0) return 1;
    rest = after(text, "border");
    if (rest != NULL) return read_border(r, rest);
    rest = after(text, "closed");
    if (rest != NULL && *skip_blanks(rest) == 0) {
        r->curve->is_closed = 1;
        return 1;
    }
    if (!read_number(r, &text, &p.x) || !read_number(r, &text, &p.y) ||
        !read_number(r, &text, &p.z))
        return 0;
    text = skip_blanks(text);
    if (*text != 0) return fail_at(r, "a point has three numbers, but here follows", text);
    return add_point(r, p);
}

/* ---- Measures ---- */

static dc_index segment_count(const polyline *curve)
{
    return curve->is_closed ? curve->count : curve->count - 1;
}

static dc_vec3 segment(const polyline *curve, dc_index k)
{
    return vec_sub(curve->points[(k + 1) % curve->count], curve->points[k]);
}

double polyline_length(const polyline *curve)
{
    double length = 0;
    dc_index k;
    for (k = 0; k < segment_count(curve); k++) length += vec_length(segment(curve, k));
    return length;
}

dc_vec3 polyline_at(const polyline *curve, double part)
{
    double left = part * polyline_length(curve);
    dc_index k, last = segment_count(curve) - 1;
    for (k = 0; k < last && left > vec_length(segment(curve, k)); k++)
        left -= vec_length(segment(curve, k));
    left /= vec_length(segment(curve, k));
    return vec_axpy(curve->points[k], fmin(1, left), segment(curve, k));
}

/* ---- Files ---- */

static int read_lines(reader *r, char *text, const char *end)
{
    while (text < end) {
        char *stop = memchr(text, '\n', (size_t)(end - text));
        if (stop == NULL) stop = text + strlen(text);
        *stop = 0;
        r->line++;
        text[strcspn(text, "#")] = 0;
        if (!read_line(r, text)) return 0;
        text = stop + 1;
    }
    return 1;
}

static int finish(reader *r)
{
    polyline *curve = r->curve;
    if (curve->is_closed && curve->count > 1 &&
        is_same(curve->points[0], curve->points[curve->count - 1]))
        curve->count--;
    if (curve->count < 2 + (curve->is_closed != 0))
        return failure_set(r->why, "%s:%d: the file ends with %ld points; %s has %d or more",
                           r->path, r->line, (long)curve->count,
                           curve->is_closed ? "a closed curve" : "a curve",
                           2 + (curve->is_closed != 0));
    if (curve->is_closed && curve->border_line > 0)
        return failure_set(r->why, "%s:%d: a closed curve holds a whole border", r->path,
                           curve->border_line);
    if (!isfinite(polyline_length(curve)))
        return failure_set(r->why, "%s: the curve is too long to compute its length", r->path);
    return 1;
}

int polyline_read(const char *path, polyline *curve, failure *why)
{
    reader r = {0};
    char *text;
    size_t bytes;
    int is_read;
    memset(curve, 0, sizeof *curve);
    r.path = path;
    r.curve = curve;
    r.why = why;
    if (!files_read(path, &text, &bytes, why)) return 0;
    is_read = read_lines(&r, text, text + bytes) && finish(&r);
    free(text);
    if (!is_read) polyline_free(curve);
    return is_read;
}

void polyline_free(polyline *curve)
{
    free(curve->points);
    memset(curve, 0, sizeof *curve);
}
