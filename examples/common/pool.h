/* A pool of threads that work off tasks, made of pthreads, to copy from.

   The threads sleep until there are tasks. The caller of pool_run() works too, so a pool of two has
   one thread of its own. C99 has no atomic counter, so a mutex guards the next task; beside a step
   of a world that is nothing. */
#ifndef POOL_H
#define POOL_H

#include "../../devcloth.h"

#include <pthread.h>

enum { POOL_THREADS_MAX = 64 };

typedef struct pool {
    pthread_mutex_t mutex; /* guards all that follows                                */
    pthread_cond_t begun, ended;
    void (*task)(void *task_context, dc_index i);
    void *task_context;
    dc_index count, next, unfinished; /* tasks; the next one to begin; not yet done             */
    int is_closing;
    int thread_count; /* with the caller's                                      */
    pthread_t thread[POOL_THREADS_MAX - 1];
} pool;

/* Takes task after task until none is left. The mutex is held before and after. */
static void pool_work(pool *p)
{
    while (p->next < p->count) {
        void (*task)(void *, dc_index) = p->task;
        void *context = p->task_context;
        dc_index i = p->next++;
        pthread_mutex_unlock(&p->mutex);
        task(context, i);
        pthread_mutex_lock(&p->mutex);
        if (--p->unfinished == 0) pthread_cond_signal(&p->ended);
    }
}

static void *pool_thread(void *context)
{
    pool *p = (pool *)context;
    pthread_mutex_lock(&p->mutex);
    while (!p->is_closing) {
        pool_work(p);
        if (!p->is_closing) pthread_cond_wait(&p->begun, &p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* Calls task(task_context, i) once for each i from 0 to count - 1, and returns when all are done. */
static void pool_run(pool *p, dc_index count, void (*task)(void *, dc_index), void *task_context)
{
    pthread_mutex_lock(&p->mutex);
    p->task = task;
    p->task_context = task_context;
    p->next = 0;
    p->count = p->unfinished = count;
    if (count > 1) pthread_cond_broadcast(&p->begun);
    pool_work(p);
    while (p->unfinished > 0) pthread_cond_wait(&p->ended, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

/* Starts threads so that there are thread_count with the caller's, or as many as can be had. */
static void pool_open(pool *p, int thread_count)
{
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->begun, NULL);
    pthread_cond_init(&p->ended, NULL);
    p->count = p->next = p->unfinished = 0;
    p->is_closing = 0;
    p->thread_count = 1;
    if (thread_count > POOL_THREADS_MAX) thread_count = POOL_THREADS_MAX;
    while (p->thread_count < thread_count &&
           pthread_create(&p->thread[p->thread_count - 1], NULL, pool_thread, p) == 0)
        p->thread_count++;
}

static void pool_close(pool *p)
{
    int i;
    pthread_mutex_lock(&p->mutex);
    p->is_closing = 1;
    pthread_cond_broadcast(&p->begun);
    pthread_mutex_unlock(&p->mutex);
    for (i = 0; i < p->thread_count - 1; i++) pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->ended);
    pthread_cond_destroy(&p->begun);
    pthread_mutex_destroy(&p->mutex);
}

#endif
