#include "png.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Bits ---- */

/* Bytes that grow. After a failed allocation `data` is NULL and the rest is without effect. */
typedef struct bytes {
    unsigned char *data;
    size_t count, capacity;
    uint32_t bits; /* not yet written, the first one lowest */
    int bit_count;
} bytes;

static void put_byte(bytes *b, unsigned value)
{
    if (b->data == NULL) return;
    if (b->count == b->capacity) {
        unsigned char *larger =
            b->capacity <= (size_t)-1 / 2 ? realloc(b->data, 2 * b->capacity) : NULL;
        if (larger == NULL) {
            free(b->data);
            b->data = NULL;
            return;
        }
        b->data = larger;
        b->capacity *= 2;
    }
    b->data[b->count++] = (unsigned char)value;
}

/* Up to 16 bits, the lowest first. */
static void put_bits(bytes *b, uint32_t value, int count)
{
    b->bits |= value << b->bit_count;
    for (b->bit_count += count; b->bit_count >= 8; b->bit_count -= 8, b->bits >>= 8)
        put_byte(b, b->bits & 255);
}

/* Huffman codes alone go highest bit first. */
static void put_code(bytes *b, uint32_t code, int count)
{
    uint32_t reversed = 0;
    int i;
    for (i = 0; i < count; i++) reversed |= (code >> i & 1) << (count - 1 - i);
    put_bits(b, reversed, count);
}

static bytes bytes_begin(void)
{
    bytes b = {NULL, 0, 1 << 16, 0, 0};
    b.data = malloc(b.capacity);
    return b;
}

/* ---- Deflate: RFC 1951, one block with the fixed codes ---- */

enum {
    MATCH_MIN = 3,
    MATCH_MAX = 258,
    WINDOW = 1 << 15,
    HASH_SIZE = 1 << 15,
    TRIES = 24, /* earlier places looked at for a match; more gain little */
    LENGTH_CODES = 29,
    DISTANCE_CODES = 30,
    END_OF_BLOCK = 256
};

/* 3.2.6: literals and lengths 0 to 287. */
static void put_symbol(bytes *b, unsigned symbol)
{
    if (symbol < 144)
        put_code(b, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(b, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(b, symbol - 256, 7);
    else
        put_code(b, 0xc0 + symbol - 280, 8);
}

/* 3.2.5: a length or distance is the number of a range, as a code, and a place in it, as bits. */
static void put_match(bytes *b, unsigned length, unsigned distance)
{
    static const unsigned short lengths[LENGTH_CODES] = {
        3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned char length_bits[LENGTH_CODES] = {
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const unsigned short distances[DISTANCE_CODES] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    unsigned code = LENGTH_CODES - 1;
    while (lengths[code] > length) code--;
    put_symbol(b, 257 + code);
    put_bits(b, length - lengths[code], length_bits[code]);
    code = DISTANCE_CODES - 1;
    while (distances[code] > distance) code--;
    put_code(b, code, 5);
    put_bits(b, distance - distances[code], code < 2 ? 0 : (int)code / 2 - 1);
}

/* Where the same three bytes stood before: the last place by hash, and from each place the one
   before it. Places are counted from 1; 0 is none. */
typedef struct chains {
    size_t head[HASH_SIZE];
    size_t before[WINDOW];
} chains;

static void enter(chains *c, const unsigned char *data, size_t place)
{
    uint32_t three = data[place] | (uint32_t)data[place + 1] << 8 | (uint32_t)data[place + 2] << 16;
    uint32_t hash = three * 2654435761u >> 17; /* Knuth's multiplier, the upper 15 bits */
    c->before[place % WINDOW] = c->head[hash];
    c->head[hash] = place + 1;
}

/* The longest earlier run equal to what starts at `place`, which has just been entered. */
static unsigned find_match(const chains *c, const unsigned char *data, size_t place, size_t end,
                           unsigned *distance)
{
    size_t longest = end - place < MATCH_MAX ? end - place : MATCH_MAX, best = 0, length;
    size_t other = c->before[place % WINDOW];
    int tries;
    for (tries = 0; tries < TRIES && other > 0 && place - (other - 1) < WINDOW; tries++) {
        const unsigned char *a = data + other - 1, *b = data + place;
        for (length = 0; length < longest && a[length] == b[length]; length++) continue;
        if (length > best) {
            best = length;
            *distance = (unsigned)(b - a);
        }
        other = c->before[(other - 1) % WINDOW];
    }
    return (unsigned)best;
}

static void deflate_all(bytes *b, chains *c, const unsigned char *data, size_t count)
{
    size_t place = 0, end;
    put_bits(b, 1, 1); /* the last block */
    put_bits(b, 1, 2); /* of fixed codes */
    while (place < count) {
        unsigned distance = 0, length = 0;
        if (place + MATCH_MIN <= count) {
            enter(c, data, place);
            length = find_match(c, data, place, count, &distance);
        }
        end = place + 1;
        if (length < MATCH_MIN) {
            put_symbol(b, data[place]);
        } else {
            put_match(b, length, distance);
            end = place + length;
        }
        for (place++; place < end; place++)
            if (place + MATCH_MIN <= count) enter(c, data, place);
    }
    put_symbol(b, END_OF_BLOCK);
    put_bits(b, 0, 7); /* whole bytes */
}

static void put_u32(bytes *b, uint32_t value) /* the highest byte first, as in all of PNG */
{
    int shift;
    for (shift = 24; shift >= 0; shift -= 8) put_byte(b, value >> shift & 255);
}

/* Appends a zlib stream (RFC 1950) of the data. */
static void compress(bytes *b, const unsigned char *data, size_t count)
{
    chains *c = calloc(1, sizeof *c);
    uint32_t sum = 1, sums = 0;
    size_t i;
    if (c == NULL) {
        free(b->data);
        b->data = NULL;
        return;
    }
    put_byte(b, 0x78);
    put_byte(b, 0x01);
    deflate_all(b, c, data, count);
    free(c);
    for (i = 0; i < count; i++) {
        sum = (sum + data[i]) % 65521;
        sums = (sums + sum) % 65521;
    }
    put_u32(b, sums << 16 | sum);
}

/* ---- Rows ---- */

enum { FILTERS = 5, PIXEL_BYTES = 3 };

static int paeth(int a, int b, int c)
{
    int to_a = abs(b - c), to_b = abs(a - c), to_c = abs(a + b - 2 * c);
    return to_a <= to_b && to_a <= to_c ? a : to_b <= to_c ? b : c;
}

/* What filter 0 to 4 expects of a byte that has a to its left, b above and c above that. */
static int expected(int filter, int a, int b, int c)
{
    switch (filter) {
    case 1: return a;
    case 2: return b;
    case 3: return (a + b) / 2;
    case 4: return paeth(a, b, c);
    default: return 0;
    }
}

/* Writes the filter's number and the row; returns the sum of the bytes taken as signed. */
static long filter_row(int filter, const unsigned char *row, const unsigned char *above,
                       size_t count, unsigned char *to)
{
    size_t i;
    long sum = 0;
    to[0] = (unsigned char)filter;
    for (i = 0; i < count; i++) {
        int a = i < PIXEL_BYTES ? 0 : row[i - PIXEL_BYTES], b = above ? above[i] : 0;
        int c = i < PIXEL_BYTES || !above ? 0 : above[i - PIXEL_BYTES];
        int value = (row[i] - expected(filter, a, b, c)) & 255;
        to[1 + i] = (unsigned char)value;
        sum += value < 128 ? value : 256 - value;
    }
    return sum;
}

/* Each row by the filter of the smallest sum. */
static void filter_rows(const image *picture, unsigned char *to)
{
    size_t count = PIXEL_BYTES * (size_t)picture->width;
    int y, filter;
    for (y = 0; y < picture->height; y++, to += 1 + count) {
        const unsigned char *row = picture->rgb + (size_t)y * count,
                            *above = y ? row - count : NULL;
        long sum, best_sum = 0;
        int best = 0;
        for (filter = 0; filter < FILTERS; filter++) {
            sum = filter_row(filter, row, above, count, to);
            if (filter > 0 && sum >= best_sum) continue;
            best = filter;
            best_sum = sum;
        }
        filter_row(best, row, above, count, to);
    }
}

/* ---- Chunks ---- */

static uint32_t crc32(uint32_t crc, const unsigned char *data, size_t count)
{
    size_t i;
    int bit;
    crc = ~crc;
    for (i = 0; i < count; i++) {
        crc ^= data[i];
        for (bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
    }
    return ~crc;
}

static void write_u32(FILE *file, uint32_t value)
{
    int shift;
    for (shift = 24; shift >= 0; shift -= 8) putc((int)(value >> shift & 255), file);
}

static void write_chunk(FILE *file, const char *name, const unsigned char *data, size_t count)
{
    unsigned char tag[4];
    memcpy(tag, name, sizeof tag);
    write_u32(file, (uint32_t)count);
    fwrite(tag, 1, sizeof tag, file);
    if (count > 0) fwrite(data, 1, count, file);
    write_u32(file, crc32(crc32(0, tag, sizeof tag), data, count));
}

enum { RGB = 2, PALETTE = 3 };

static void write_u32_to(unsigned char *to, uint32_t value)
{
    int i;
    for (i = 0; i < 4; i++) to[i] = (unsigned char)(value >> (24 - 8 * i) & 255);
}

/* The signature and the size, with 8 bits for each channel or index. */
static void write_head(FILE *file, const image *picture, unsigned char kind)
{
    unsigned char head[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0};
    write_u32_to(head, (uint32_t)picture->width);
    write_u32_to(head + 4, (uint32_t)picture->height);
    head[9] = kind;
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
    write_chunk(file, "IHDR", head, sizeof head);
}

static int write_file(const char *path, const image *picture, const bytes *body, failure *why)
{
    output out;
    if (!output_open(&out, path, why)) return 0;
    write_head(out.file, picture, RGB);
    write_chunk(out.file, "IDAT", body->data, body->count);
    write_chunk(out.file, "IEND", NULL, 0);
    return output_close(&out, why);
}

int png_write(const char *path, const image *picture, failure *why)
{
    size_t count = (1 + PIXEL_BYTES * (size_t)picture->width) * (size_t)picture->height;
    unsigned char *rows = malloc(count);
    bytes body = {NULL, 0, 0, 0, 0};
    int is_written;
    if (rows != NULL) {
        filter_rows(picture, rows);
        body = bytes_begin();
        compress(&body, rows, count);
    }
    free(rows);
    if (body.data == NULL) return failure_set(why, "%s: not enough memory to write it", path);
    is_written = write_file(path, picture, &body, why);
    free(body.data);
    return is_written;
}

/* ---- Animations: 255 colours for all frames, and a transparent one ---- */

enum {
    COLOURS = 256,
    STAYS = 0,       /* the transparent colour: the pixel stays as it was */
    SAMPLE_STEP = 7, /* pixels from one that chooses colours to the next */
    SLACK = 4        /* a pixel that is off by no more, in each channel, stays as well */
};

/* Pixels that become one colour. */
typedef struct box {
    unsigned char *first; /* (count, 3) */
    size_t count;
    int channel, low, side; /* its longest side, and where that begins */
} box;

static box box_around(unsigned char *first, size_t count)
{
    box b = {first, count, 0, 0, -1};
    int channel;
    for (channel = 0; channel < PIXEL_BYTES; channel++) {
        int low = 255, high = 0;
        size_t i;
        for (i = 0; i < count; i++) {
            int value = first[PIXEL_BYTES * i + (size_t)channel];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (high - low <= b.side) continue;
        b.channel = channel;
        b.low = low;
        b.side = high - low;
    }
    return b;
}

/* Cuts a box across the middle of its longest side; it keeps the lower half. */
static box box_cut(box *b)
{
    size_t lower = 0, i;
    int middle = b->low + b->side / 2, k;
    box upper;
    for (i = 0; i < b->count; i++) {
        unsigned char *p = b->first + PIXEL_BYTES * i, *q = b->first + PIXEL_BYTES * lower;
        if (p[b->channel] > middle) continue;
        for (k = 0; k < PIXEL_BYTES; k++) {
            unsigned char kept = q[k];
            q[k] = p[k];
            p[k] = kept;
        }
        lower++;
    }
    upper = box_around(b->first + PIXEL_BYTES * lower, b->count - lower);
    *b = box_around(b->first, lower);
    return upper;
}

/* How much is to be gained by cutting a box. */
static double spread(const box *b)
{
    return (double)b->side * b->side * (double)b->count;
}

/* The box of the largest spread is cut until there are enough; each colour is the mean of one. */
static void choose_colours(unsigned char *sample, size_t count,
                           unsigned char colour[COLOURS][PIXEL_BYTES])
{
    box boxes[COLOURS];
    int box_count = STAYS + 1, widest, i, k;
    boxes[box_count++] = box_around(sample, count);
    while (box_count < COLOURS) {
        for (widest = i = STAYS + 1; i < box_count; i++)
            if (spread(&boxes[i]) > spread(&boxes[widest])) widest = i;
        if (boxes[widest].side == 0) break;
        boxes[box_count++] = box_cut(&boxes[widest]);
    }
    memset(colour, 0, COLOURS * sizeof *colour);
    for (i = STAYS + 1; i < box_count; i++)
        for (k = 0; k < PIXEL_BYTES; k++) {
            size_t sum = 0, j;
            for (j = 0; j < boxes[i].count; j++) sum += boxes[i].first[PIXEL_BYTES * j + (size_t)k];
            colour[i][k] = (unsigned char)((sum + boxes[i].count / 2) / boxes[i].count);
        }
}

static int sample_frames(const image *frames, int count, unsigned char colour[COLOURS][PIXEL_BYTES])
{
    size_t pixels = (size_t)frames->width * (size_t)frames->height, all = pixels * (size_t)count;
    size_t samples = (all + SAMPLE_STEP - 1) / SAMPLE_STEP, i;
    unsigned char *sample = malloc(samples * PIXEL_BYTES);
    if (sample == NULL) return 0;
    for (i = 0; i < samples; i++) {
        size_t at = i * SAMPLE_STEP;
        memcpy(sample + PIXEL_BYTES * i, frames[at / pixels].rgb + PIXEL_BYTES * (at % pixels),
               PIXEL_BYTES);
    }
    choose_colours(sample, samples, colour);
    free(sample);
    return 1;
}

/* The largest difference of a channel. */
static int difference(const unsigned char *a, const unsigned char *b)
{
    int largest = 0, k;
    for (k = 0; k < PIXEL_BYTES; k++)
        largest = abs(a[k] - b[k]) > largest ? abs(a[k] - b[k]) : largest;
    return largest;
}

static unsigned char nearest(unsigned char colour[COLOURS][PIXEL_BYTES], const unsigned char *pixel)
{
    int best = STAYS + 1, least = 256, i;
    for (i = STAYS + 1; i < COLOURS && least > 0; i++) {
        int off = difference(colour[i], pixel);
        if (off >= least) continue;
        best = i;
        least = off;
    }
    return (unsigned char)best;
}

/* Rows of indices, each behind its filter 0; `shown` has what is seen before and after. */
static void index_frame(const image *frame, unsigned char colour[COLOURS][PIXEL_BYTES],
                        unsigned char *shown, unsigned char *to)
{
    const unsigned char *pixel = frame->rgb;
    int x, y;
    for (y = 0; y < frame->height; y++) {
        *to++ = 0;
        for (x = 0; x < frame->width; x++, pixel += PIXEL_BYTES, shown++) {
            unsigned char best = *shown;
            if (best == STAYS || difference(colour[best], pixel) > SLACK)
                best = nearest(colour, pixel);
            *to++ = best == *shown ? STAYS : best;
            *shown = best;
        }
    }
}

/* Where the data of frame k goes and how long it is seen, under a running number of such chunks. */
static void write_control(FILE *file, const image *frame, int k, int delay)
{
    unsigned char control[26] = {0};
    write_u32_to(control, k == 0 ? 0 : 2 * (uint32_t)k - 1);
    write_u32_to(control + 4, (uint32_t)frame->width);
    write_u32_to(control + 8, (uint32_t)frame->height);
    write_u32_to(control + 20, (uint32_t)delay << 16 | 1000); /* [s / 1000] */
    control[25] = k > 0;                                      /* over what is there */
    write_chunk(file, "fcTL", control, sizeof control);
}

/* The first frame is also the picture for programs that do not know animations. */
static int write_frame(FILE *file, const unsigned char *rows, size_t count, int k)
{
    bytes body = bytes_begin();
    int is_written;
    if (k > 0) put_u32(&body, 2 * (uint32_t)k);
    compress(&body, rows, count);
    is_written = body.data != NULL;
    if (is_written) write_chunk(file, k > 0 ? "fdAT" : "IDAT", body.data, body.count);
    free(body.data);
    return is_written;
}

static int write_frames(FILE *file, const image *frames, int count, int delay, unsigned char *work)
{
    static const unsigned char transparent[STAYS + 1] = {0};
    const size_t pixels = (size_t)frames->width * (size_t)frames->height;
    unsigned char colour[COLOURS][PIXEL_BYTES], all[8] = {0}, *rows = work + pixels;
    int k, is_fine = sample_frames(frames, count, colour);
    if (!is_fine) return 0;
    memset(work, STAYS, pixels);
    write_u32_to(all, (uint32_t)count); /* then how often to play them; 0: for ever */
    write_head(file, frames, PALETTE);
    write_chunk(file, "acTL", all, sizeof all);
    write_chunk(file, "PLTE", colour[0], sizeof colour);
    write_chunk(file, "tRNS", transparent, sizeof transparent);
    for (k = 0; is_fine && k < count; k++) {
        index_frame(&frames[k], colour, work, rows);
        write_control(file, &frames[k], k, delay);
        is_fine = write_frame(file, rows, pixels + (size_t)frames->height, k);
    }
    write_chunk(file, "IEND", NULL, 0);
    return is_fine;
}

int png_write_frames(const char *path, const image *frames, int count, int delay, failure *why)
{
    unsigned char *work = malloc((2 * (size_t)frames->width + 1) * (size_t)frames->height);
    output out;
    int is_fine;
    if (work == NULL) return failure_set(why, "%s: not enough memory to write it", path);
    if (!output_open(&out, path, why)) {
        free(work);
        return 0;
    }
    is_fine = write_frames(out.file, frames, count, delay, work);
    free(work);
    if (is_fine) return output_close(&out, why);
    output_discard(&out);
    return failure_set(why, "%s: not enough memory to write it", path);
}
