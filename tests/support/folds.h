/* How much of a sheet is folded sharply. */
#ifndef TEST_FOLDS_H
#define TEST_FOLDS_H

static dc_vec3 folds_normal(const dc_mesh *mesh, const dc_vec3 *x, dc_index corner)
{
    const dc_index *v = mesh->triangles + 3 * (corner / 3);
    dc_vec3 n = dci_cross(dci_vec_sub(x[v[1]], x[v[0]]), dci_vec_sub(x[v[2]], x[v[0]]));
    return dci_vec_scale(1 / dci_norm(n), n);
}

/* The share of inner edges between triangles whose normals are more than 60 degrees apart. */
static double folds_share(const dc_mesh *mesh, const dc_vec3 *x)
{
    dc_index inner = 0, sharp = 0, e;
    for (e = 0; e < mesh->edge_count; e++) {
        dc_index left = mesh->corner_of_edge[2 * e], right = mesh->corner_of_edge[2 * e + 1];
        if (right == DC_NONE) continue;
        inner++;
        sharp += dci_dot(folds_normal(mesh, x, left), folds_normal(mesh, x, right)) < DCI_R(0.5);
    }
    return (double)sharp / (double)inner;
}

#endif
