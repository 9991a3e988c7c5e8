#include "common/program.h"
#include "workload.h"

/// YCSB's core workloads A and F.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::ycsb::Ycsb>::run(argc, argv);
}
