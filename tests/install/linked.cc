// A list of pointers in a pool. Prints the sum over it.
#include <perdure/perdure.h>

#include <iostream>

struct Node {
  Node* next;
  long value;
};

struct List {
  Node* first = nullptr;
};

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto pool = perdure::Pool::open(argv[1], {.accept_volatile = true});
  auto& list = pool.root<List>("list");
  for (long value = 1; value <= 10; ++value) TM_BEGIN { list.first = new Node{list.first, value}; } TM_END;
  long sum = 0;
  for (const Node* node = list.first; node != nullptr; node = node->next) sum += node->value;
  std::cout << "the sum is " << sum << '\n';
  return 0;
}
