/* What the library and the scenes need of <math.h>: an instruction of WebAssembly. */
#ifndef WASM_MATH_H
#define WASM_MATH_H

static inline double sqrt(double x)
{
    return __builtin_sqrt(x);
}

static inline float sqrtf(float x)
{
    return __builtin_sqrtf(x);
}

#endif
