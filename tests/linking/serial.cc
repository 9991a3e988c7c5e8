#include "serial.h"

#include <perdure/perdure.h>

#include <cstdio>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("%s\n", what);
  ++failures;
}

/// Adds 3 to the first and 2 to the second, and prints 3.
void add_serially(Shared& shared, bool fails) {
  TM_SERIAL {
    const Scope scope(shared);
    add_and_print(shared, 3);
    if (fails) throw 1;
  }
  TM_END;
}

void add_and_become_serial(Shared& shared, bool fails) {
  TM_BEGIN {
    const Scope scope(shared);
    perdure::become_serial();
    add_and_print(shared, 3);
    if (fails) throw 1;
  } TM_END;
}

void check(Shared& shared, void (*add)(Shared&, bool)) {
  const Shared before = shared;
  const std::uint64_t printed_before = printed();
  try {
    add(shared, true);
  } catch (int) {
  }
  expect(shared.first == before.first && shared.second == before.second, "an exception left something");
  add(shared, false);
  expect(shared.first == before.first + 3 && shared.second == before.second + 2, "it had no effect");
  expect(printed() == printed_before + 6, "what was printed was rolled back, or printed again");
}

/// It opens and closes the pool, and its address is taken: serial transactions might call it.
void run(const char* path) {
  auto pool = perdure::Pool::open(path, {.accept_volatile = true});
  Shared& shared = pool.root<Shared>("shared");
  check(shared, add_serially);
  check(shared, add_and_become_serial);

  // Other code stays as it is, though the linker could look into it.
  std::uint64_t outside = 1;
  try {
    TM_SERIAL {
      write_as_it_is(outside, 2);
      throw 1;
    }
    TM_END;
  } catch (int) {
  }
  expect(outside == 2, "other code was made part of a transaction");

  TM_BEGIN {
    const Scope scope(shared);  // ordinary transactions find such a constructor, too
    ++shared.first;
  } TM_END;
  expect(shared.first == 7 && shared.second == 6, "an ordinary transaction had no effect");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  void (*volatile function)(const char*) = run;
  function(argv[1]);
  if (failures == 0) std::printf("done\n");
  return failures;
}
