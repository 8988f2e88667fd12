/*
 * vec.h - vectors for scenes, on the library's own sine, so that a scene is the same everywhere
 */
#ifndef VEC_H
#define VEC_H

#include "../../devcloth.h"

#include <math.h>

static const double VEC_PI = 3.14159265358979323846;

static inline double vec_sin(double angle)
{
    return (double)dc_sin((dc_real)angle);
}

static inline double vec_cos(double angle)
{
    return (double)dc_cos((dc_real)angle);
}

static inline dc_vec3 vec_make(double x, double y, double z)
{
    dc_vec3 v;
    v.x = (dc_real)x;
    v.y = (dc_real)y;
    v.z = (dc_real)z;
    return v;
}

static inline dc_vec3 vec_add(dc_vec3 a, dc_vec3 b)
{
    dc_vec3 v = {a.x + b.x, a.y + b.y, a.z + b.z};
    return v;
}

static inline dc_vec3 vec_sub(dc_vec3 a, dc_vec3 b)
{
    dc_vec3 v = {a.x - b.x, a.y - b.y, a.z - b.z};
    return v;
}

static inline dc_vec3 vec_scale(double factor, dc_vec3 a)
{
    return vec_make(factor * (double)a.x, factor * (double)a.y, factor * (double)a.z);
}

/* a + factor b */
static inline dc_vec3 vec_axpy(dc_vec3 a, double factor, dc_vec3 b)
{
    return vec_add(a, vec_scale(factor, b));
}

static inline double vec_dot(dc_vec3 a, dc_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static inline dc_vec3 vec_cross(dc_vec3 a, dc_vec3 b)
{
    return vec_make((double)a.y * (double)b.z - (double)a.z * (double)b.y,
                    (double)a.z * (double)b.x - (double)a.x * (double)b.z,
                    (double)a.x * (double)b.y - (double)a.y * (double)b.x);
}

static inline double vec_length(dc_vec3 a)
{
    return sqrt((double)(a.x * a.x + a.y * a.y + a.z * a.z));
}

/* Turned about an axis by an angle [rad], counter-clockwise seen against the axis. */
static inline dc_vec3 vec_turn_x(dc_vec3 a, double angle)
{
    double c = vec_cos(angle), s = vec_sin(angle), y = (double)a.y, z = (double)a.z;
    return vec_make((double)a.x, c * y - s * z, s * y + c * z);
}

static inline dc_vec3 vec_turn_y(dc_vec3 a, double angle)
{
    double c = vec_cos(angle), s = vec_sin(angle), x = (double)a.x, z = (double)a.z;
    return vec_make(c * x + s * z, (double)a.y, c * z - s * x);
}

static inline dc_vec3 vec_turn_z(dc_vec3 a, double angle)
{
    double c = vec_cos(angle), s = vec_sin(angle), x = (double)a.x, y = (double)a.y;
    return vec_make(c * x - s * y, s * x + c * y, (double)a.z);
}

/* From 0 at x <= low to 1 at x >= high, smooth at both ends. */
static inline double vec_blend(double low, double high, double x)
{
    double t = x <= low ? 0 : x >= high ? 1 : (x - low) / (high - low);
    return t * t * (3 - 2 * t);
}

/* The integral of vec_blend() from low to x. */
static inline double vec_blend_sum(double low, double high, double x)
{
    double t = x <= low ? 0 : x >= high ? 1 : (x - low) / (high - low);
    return (high - low) * t * t * t * (1 - t / 2) + (x > high ? x - high : 0);
}

#endif
