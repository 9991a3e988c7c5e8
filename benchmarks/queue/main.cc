#include "common/program.h"
#include "workload.h"

/// A linked queue.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::queue::QueueWorkload>::run(argc, argv);
}
