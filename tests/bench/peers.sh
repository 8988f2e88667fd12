#!/bin/sh
# Which peers of the solver bench this machine has: prints their names. `peers.sh CC CXX`.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

echo '#include <suitesparse/cholmod.h>
void openblas_set_num_threads(int count);
int main(void)
{
    cholmod_common common;
    openblas_set_num_threads(1);
    return !cholmod_start(&common);
}' >"$work/cholmod.c"
$1 -o "$work/cholmod" "$work/cholmod.c" -lopenblas -lcholmod >"$work/log" 2>&1 && echo cholmod

echo '#include <eigen3/Eigen/SparseCholesky>
int main()
{
    return Eigen::Success;
}' >"$work/eigen.cpp"
$2 -c -o "$work/eigen.o" "$work/eigen.cpp" >"$work/log" 2>&1 && echo eigen
exit 0
