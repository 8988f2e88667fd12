/*
 * curves.h - what contact after the step and contact inside it make of the same scene, as curves
 */
#ifndef CURVES_H
#define CURVES_H

#include <signal.h>

#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct curves_desc {
    const char *directory;
    const char *scene;
    int cells;  /* 0: the scene's own */
    int frames; /* parts of the scene's story: a curve has a point at the end of each */
    const volatile sig_atomic_t *is_stopped; /* looked at before each frame */
} curves_desc;

/* Runs the scene twice and writes curves.csv and curves.svg: the largest strain of an edge and the
   bending energy of all cloths over time, as [Wan12] figures 4.2 and 4.3. Where a run is stopped or a
   step fails nothing is written. */
int curves_write(const curves_desc *desc, failure *why);

#ifdef __cplusplus
}
#endif

#endif
