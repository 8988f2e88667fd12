/* Ways to run the tasks of a dc_parallel_for, which count what they were given. */
#ifndef TEST_PARALLEL_H
#define TEST_PARALLEL_H

typedef enum task_order { TASKS_FORWARD, TASKS_BACKWARD, TASKS_SHUFFLED, TASK_ORDERS } task_order;

typedef struct task_runner {
    task_order order;
    int subtree_runs, share_runs; /* with more than one task: of subtrees, of rows of a front */
    dc_parallel_for inner;        /* who runs them; NULL: this thread, in the order above */
    void *inner_context;
} task_runner;

static void tasks_run(void *context, dc_index count, dc_task task, void *task_context)
{
    task_runner *r = (task_runner *)context;
    dc_index *place = (dc_index *)test_alloc((size_t)count * sizeof *place), i;
    if (count > 1) *(task == dci_cholesky_run_task ? &r->subtree_runs : &r->share_runs) += 1;
    for (i = 0; i < count; i++) place[i] = r->order == TASKS_BACKWARD ? count - 1 - i : i;
    for (i = count - 1; i > 0 && r->order == TASKS_SHUFFLED; i--) {
        dc_index other = (dc_index)(dci_hash32((uint32_t)(i + 7919 * r->share_runs)) % (uint32_t)i);
        dc_index moved = place[i];
        place[i] = place[other];
        place[other] = moved;
    }
    if (r->inner)
        r->inner(r->inner_context, count, task, task_context);
    else
        for (i = 0; i < count; i++) task(task_context, place[i]);
    free(place);
}

static task_runner tasks_in_order(task_order order)
{
    task_runner r;
    memset(&r, 0, sizeof r);
    r.order = order;
    return r;
}

#endif
