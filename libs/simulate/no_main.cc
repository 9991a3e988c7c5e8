// Linked into programs that have no main of their own, since all they are for is perdure-crashtest.
#include <cstdio>

int main(int, char** arguments) {
  std::fprintf(stderr, "%s is a crash test; run it by: perdure-crashtest %s\n", arguments[0], arguments[0]);
  return 2;
}
