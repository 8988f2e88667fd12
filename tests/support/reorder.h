/* A symmetric matrix with its rows in another order. */
#ifndef TEST_REORDER_H
#define TEST_REORDER_H

/* The lower triangle of P A P^T from that of A, into arrays of the same sizes; order[k] is the row
   of A that becomes row k; place (rows) is work. */
static void reorder(const dc_sparse *a, const dc_index *order, dc_index *place, dc_sparse *lower)
{
    dc_index n = a->row_count, i, j, p;
    lower->row_count = lower->column_count = n;
    for (i = 0; i < n; i++) place[order[i]] = i;
    dci_index_fill(lower->start, n + 1, 0);
    for (i = 0; i < n; i++)
        for (p = a->start[i]; p < a->start[i + 1]; p++) {
            j = place[a->column[p]];
            lower->start[place[i] > j ? place[i] : j]++;
        }
    dci_index_offsets(lower->start, n);
    for (i = 0; i < n; i++)
        for (p = a->start[i]; p < a->start[i + 1]; p++) {
            dc_index row = place[i];
            j = place[a->column[p]];
            if (row < j) row = j, j = place[i];
            lower->column[lower->start[row]] = j;
            lower->value[lower->start[row]++] = a->value[p];
        }
    dci_index_rewind(lower->start, n);
}

#endif
