/* Every replaceable function replaced; returns 0 if they were called and all went well. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int copied, shifted, cleared, rooted, asserted;

static void *count_copy(void *target, const void *source, size_t bytes)
{
    copied = 1;
    return memcpy(target, source, bytes);
}

static void *count_move(void *target, const void *source, size_t bytes)
{
    shifted = 1;
    return memmove(target, source, bytes);
}

static void *count_clear(void *target, int byte, size_t bytes)
{
    cleared = 1;
    return memset(target, byte, bytes);
}

#ifdef DEVCLOTH_SINGLE
static float count_root(float x)
{
    rooted = 1;
    return sqrtf(x);
}
#else
static double count_root(double x)
{
    rooted = 1;
    return sqrt(x);
}
#endif

#define DC_MEMCPY count_copy
#define DC_MEMMOVE count_move
#define DC_MEMSET count_clear
#define DC_SQRT count_root
#define DC_ASSERT(condition) ((void)(asserted = 1), (condition) ? (void)0 : exit(99))

#define DEVCLOTH_IMPLEMENTATION
#include "use.c"

int main(void)
{
    int result = use_devcloth();
    if (result != 0) return result;
    if (!copied || !shifted || !cleared || !rooted || !asserted) return 20;
    return 0;
}
