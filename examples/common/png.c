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

/* A zlib stream (RFC 1950) of the data, from malloc(). data is NULL if there was no memory. */
static bytes compress(const unsigned char *data, size_t count)
{
    bytes b = {NULL, 0, 1 << 16, 0, 0};
    chains *c = calloc(1, sizeof *c);
    uint32_t sum = 1, sums = 0;
    size_t i;
    if (c == NULL) return b;
    b.data = malloc(b.capacity);
    put_byte(&b, 0x78);
    put_byte(&b, 0x01);
    deflate_all(&b, c, data, count);
    free(c);
    for (i = 0; i < count; i++) {
        sum = (sum + data[i]) % 65521;
        sums = (sums + sum) % 65521;
    }
    put_u32(&b, sums << 16 | sum);
    return b;
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

static int write_file(const char *path, const image *picture, const bytes *body, failure *why)
{
    unsigned char head[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0}; /* size, 8 bits, RGB */
    output out;
    int i;
    for (i = 0; i < 4; i++) {
        head[i] = (unsigned char)(picture->width >> (24 - 8 * i) & 255);
        head[4 + i] = (unsigned char)(picture->height >> (24 - 8 * i) & 255);
    }
    if (!output_open(&out, path, why)) return 0;
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, out.file);
    write_chunk(out.file, "IHDR", head, sizeof head);
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
        body = compress(rows, count);
    }
    free(rows);
    if (body.data == NULL) return failure_set(why, "%s: not enough memory to write it", path);
    is_written = write_file(path, picture, &body, why);
    free(body.data);
    return is_written;
}
