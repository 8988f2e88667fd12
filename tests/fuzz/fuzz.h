/* What all fuzzers share. A fuzzer is a C file that turns a string of bytes into input for the
   library, and aborts where an invariant, listed at its top, is broken. all.c includes them all: the
   library is compiled once.

   A string that is used up goes on with zeros, so every string means something, and a shorter one
   means something simpler. */
#ifndef FUZZ_H
#define FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fuzz_require(int ok, const char *condition, const char *file, int line)
{
    if (ok) return;
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
    abort();
}
#define REQUIRE(condition) fuzz_require((condition) != 0, #condition, __FILE__, __LINE__)

#define DC_ASSERT(condition) REQUIRE(condition)

/* With AddressSanitizer the library's arenas have a gap behind every array, and only what was taken
   of them may be used. */
#if defined(__SANITIZE_ADDRESS__)
#define FUZZ_HAS_GAPS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_HAS_GAPS 1
#endif
#endif
#ifdef FUZZ_HAS_GAPS
#include <sanitizer/asan_interface.h>
#define DCI_GAP 64
#define DCI_FORBID(address, bytes) __asan_poison_memory_region((address), (bytes))
#define DCI_ALLOW(address, bytes) __asan_unpoison_memory_region((address), (bytes))
#endif

#define DEVCLOTH_STATIC /* what a fuzzer does not call is not compiled */
#define DEVCLOTH_IMPLEMENTATION
#include "../../devcloth.h"

/* ---- Memory ---- */

/* The referees of tests/support ask for it too. */
static void *test_alloc(size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);
    REQUIRE(memory);
    return memory;
}

/* A block of exactly so many bytes, which begins at any address and holds anything: overruns and
   values read before they are set are to show. */
typedef struct fuzz_block {
    unsigned char *base, *memory;
    size_t bytes;
} fuzz_block;

static fuzz_block fuzz_block_new(size_t bytes, unsigned offset, unsigned char fill)
{
    fuzz_block block;
    block.base = (unsigned char *)malloc(bytes + offset + (bytes + offset == 0));
    REQUIRE(block.base);
    block.memory = block.base + offset;
    block.bytes = bytes;
    if (bytes > 0) memset(block.memory, fill, bytes);
    return block;
}

static void fuzz_block_free(fuzz_block *block)
{
#ifdef FUZZ_HAS_GAPS
    if (block->base) DCI_ALLOW(block->memory, block->bytes);
#endif
    free(block->base);
    block->base = block->memory = NULL;
}

/* ---- Bytes ---- */

typedef struct fuzz_bytes {
    const uint8_t *data;
    size_t size;
    int is_from_end; /* the last byte comes next, not the first: two sequences out of one string, of
                        which one may grow and the other keep its meaning                        */
    int is_weird; /* whether fuzz_real() may give numbers that nobody wants                      */
} fuzz_bytes;

static fuzz_bytes fuzz_begin(const uint8_t *data, size_t size)
{
    fuzz_bytes f;
    f.data = data;
    f.size = size;
    f.is_from_end = 0;
    f.is_weird = 0;
    return f;
}

static unsigned fuzz_byte(fuzz_bytes *f)
{
    if (f->size == 0) return 0;
    f->size--;
    return f->is_from_end ? f->data[f->size] : *f->data++;
}

/* A whole number from low to high, which are at most 65535 apart. */
static int fuzz_int(fuzz_bytes *f, int low, int high)
{
    unsigned range = (unsigned)(high - low) + 1, number = fuzz_byte(f);
    if (range > 256) number = 256 * number + fuzz_byte(f);
    return low + (int)(number % range);
}

/* True once in `times`. */
static int fuzz_once_in(fuzz_bytes *f, int times)
{
    return fuzz_int(f, 1, times) == times;
}

static double fuzz_odd(fuzz_bytes *f)
{
    static const double odd[] = {0.0,   -0.0,  1e-320, -1e-300,  1e-30,     1e-12,
                                 -1e-6, -1.0,  -1e3,   1e6,      1e15,      -1e30,
                                 1e38,  1e100, 1e154,  -1e200,   1.7e308,   1e-160,
                                 3e-8,  -0.5,  1e300,  HUGE_VAL, -HUGE_VAL, NAN};
    return odd[fuzz_int(f, 0, (int)(sizeof odd / sizeof odd[0]) - 1)];
}

/* Half of them on a coarse grid, so that some are equal; weird ones are rare. */
static double fuzz_number(fuzz_bytes *f, double low, double high)
{
    unsigned first = fuzz_byte(f);
    if (f->is_weird && first >= 248) return fuzz_odd(f);
    if (first < 128) return low + (high - low) * first / 127.0;
    first = 256 * (first - 128) + fuzz_byte(f);
    return low + (high - low) * first / 32767.0;
}

static dc_real fuzz_real(fuzz_bytes *f, double low, double high)
{
    return (dc_real)fuzz_number(f, low, high);
}

/* From low to high, both positive, evenly by the logarithm. */
static dc_real fuzz_scale(fuzz_bytes *f, double low, double high)
{
    unsigned first = fuzz_byte(f);
    if (f->is_weird && first >= 248) return (dc_real)fuzz_odd(f);
    return (dc_real)(low * pow(high / low, first / 255.0));
}

static dc_vec3 fuzz_vec(fuzz_bytes *f, double low, double high)
{
    dc_vec3 v;
    v.x = fuzz_real(f, low, high);
    v.y = fuzz_real(f, low, high);
    v.z = fuzz_real(f, low, high);
    return v;
}

/* An enum of `count` names; in weird strings sometimes none of them. */
static int fuzz_enum(fuzz_bytes *f, int count)
{
    unsigned byte = fuzz_byte(f);
    if (f->is_weird && byte >= 250) return byte == 255 ? -1 : count;
    return (int)(byte % (unsigned)count);
}

/* ---- What a refusal has to say ---- */

static int fuzz_status_is(dc_status status, const dc_status *allowed, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        if (status == allowed[i]) return 1;
    return 0;
}

/* The status is one of those that devcloth.h names for the call. */
#define ALLOW(status, ...)                                                                         \
    do {                                                                                           \
        const dc_status allowed[] = {__VA_ARGS__};                                                 \
        REQUIRE(fuzz_status_is((status), allowed, sizeof allowed / sizeof allowed[0]));            \
    } while (0)

/* A record as dc_error describes it: of this status, from this function, with a sentence. */
static int fuzz_error_is_good(const dc_error *error, dc_status status, const char *where)
{
    if (error->status != status) return 0;
    if (status == DC_OK) return error->where[0] == 0 && error->what[0] == 0;
    return strcmp(error->where, where) == 0 && strlen(error->what) > 3 &&
           (status != DC_TOO_SMALL || error->needed > error->given) &&
           dc_status_name(status)[0] == 'D';
}

#endif
