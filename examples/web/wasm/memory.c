/* memcpy and its kin: instructions of WebAssembly, by -mbulk-memory. */
#include "string.h"

void *memcpy(void *to, const void *from, size_t bytes)
{
    return __builtin_memcpy(to, from, bytes);
}

void *memmove(void *to, const void *from, size_t bytes)
{
    return __builtin_memmove(to, from, bytes);
}

void *memset(void *to, int value, size_t bytes)
{
    return __builtin_memset(to, value, bytes);
}
