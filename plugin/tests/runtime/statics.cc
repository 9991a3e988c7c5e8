// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2 -g
// RUN: %run_on_deferred_runtime -O2 -fno-exceptions -DNO_EXCEPTIONS
// RUN: %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only

// Static local variables that are first come upon in a transaction are initialised once, in spite of the attempt that is
// rolled back, and in ordinary memory.
#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compare.h"

namespace {

int made = 0;
int destroyed = 0;

struct Resource {
  explicit Resource(int value) : value(value), text("a text that is too long for the string itself") { ++made; }
  Resource(const Resource& other) : value(other.value), text(other.text) { ++made; }
  ~Resource() { ++destroyed; }
  int value;
  std::string text;
};

int checked(int value) {
#ifndef NO_EXCEPTIONS
  if (value < 0) throw std::out_of_range("negative");
#endif
  return value;
}

// With temporaries, which are destroyed when the initialiser throws, too; and with what depends on a parameter.
Resource& resource(int value) {
  static Resource instance = std::pair(Resource(checked(value)), Resource(checked(value + 1))).first;
  return instance;
}

const std::map<std::string, int>& table() {
  static const std::map<std::string, int> names = {{"one", 1}, {"two", 2}, {"three", 3}};
  return names;
}

int several(int value) {
  static const int first = value * 10;
  if (value > 0) {
    static const std::vector<int> numbers(static_cast<std::size_t>(value + 2), 5);
    value += static_cast<int>(numbers.size());
  }
  static const int last = [&] {
    static const int inner = value;
    std::printf("initialising\n");  // allowed here
    return inner + first;
  }();
  return first + last + value;
}

template <class T>
struct Template {
  static inline int count = 0;
  static T& instance() {
    static T value = T(++count);
    return value;
  }
};

thread_local std::string of_thread = "a thread's text that is too long for the string itself";
thread_local int plain_of_thread = 5;

struct Data {
  int sum = 0;
};

int work(Data& data) {
  data.sum += resource(7).value + static_cast<int>(resource(8).text.size());
  data.sum += table().at("three") + static_cast<int>(table().size());
  data.sum += several(3) + several(-1);
  data.sum += Template<int>::instance() + static_cast<int>(Template<long>::instance());
  data.sum += static_cast<int>(of_thread.size());
  of_thread[0] = of_thread[0] == 'a' ? 'b' : 'a';
  plain_of_thread += 1;
  return data.sum;
}

#ifndef NO_EXCEPTIONS
int failing(Data& data, int value) {
  try {
    static const Resource once(checked(value));
    data.sum += once.value;
  } catch (const std::exception& error) {
    data.sum += 1000;  // part of the transaction again
  }
  return data.sum;
}
#endif

}  // namespace

int main() {
  Data plain, shared;
  // The transaction first: it is what initialises.
  int in_transaction = 0;
  TM_BEGIN { in_transaction = work(shared); } TM_END;
  const int made_once = made;
  if (work(plain) != in_transaction || made != made_once || made - destroyed != 1) return 1;
  if (Template<int>::count != 1 || Template<long>::count != 1 || plain_of_thread != 7) return 2;
#ifndef NO_EXCEPTIONS
  made = destroyed = 0;
  for (const int value : {-1, 5, 6}) {
    int result = 0;
    TM_BEGIN { result = failing(shared, value); } TM_END;
    if (result != failing(plain, value)) return 3;
  }
  if (made != 1 || destroyed != 0) return 4;
#endif
}
