#include "program.h"

uint64_t in_c(struct Shared* shared) {
  shared->real += 1;
  shared->precise += 2;
  return (uint64_t)shared->real;
}
