// A shared library that is loaded while the program runs brings its clones along, and takes them away when it goes.
// RUN: %clangxx -O1 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: %build_on_deferred_runtime -O1 -rdynamic
// RUN: %t.program %t.so
#include <dlfcn.h>

#include <cstdio>

#include "entry/clone_table.h"
#include "perdure/attributes.h"
#include "perdure/transaction.h"

struct Counter {
  PERDURE_SAFE virtual long next() = 0;
};

#ifdef LIBRARY
namespace {
struct Steps final : Counter {
  long next() override { return count += 3; }
  long count = 0;
};
Steps steps;
}  // namespace
extern "C" Counter* counter() { return &steps; }
extern "C" PERDURE_SAFE long twice(long value) { return value * 2; }
#else
int main(int, char** arguments) {
  for (int round = 0; round < 3; ++round) {
    void* const library = dlopen(arguments[1], RTLD_NOW);
    if (library == nullptr) return std::puts(dlerror());
    Counter* const counter = reinterpret_cast<Counter* (*)()>(dlsym(library, "counter"))();
    auto* const twice = reinterpret_cast<long (*)(long)>(dlsym(library, "twice"));
    long result = 0;
    for (int i = 0; i < 2; ++i)
      TM_BEGIN { result = twice(counter->next()); } TM_END;
    if (result != 12 || counter->next() != 9) return 1;
    const auto find = [&] { return perdure::entry::clone_table().find(reinterpret_cast<void*>(twice)).clone; };
    if (find() == nullptr) return 2;
    dlclose(library);
    if (find() != nullptr) return 3;
  }
}
#endif
