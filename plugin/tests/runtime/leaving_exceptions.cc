// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O2 -flto -fuse-ld=lld %}

// An exception that leaves a transaction rolls it back and goes on, with what it holds; one that is caught in it does not.
#include <cstdint>
#include <stdexcept>
#include <string>

#include "compare.h"

namespace {

struct Data {
  std::uint64_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::uint64_t destroyed = 0;
};

struct Counted {
  Data& data;
  ~Counted() { data.destroyed += 1; }
};

struct Report {
  std::uint64_t sum;
  const Data* data;
};

[[gnu::noinline]] std::uint64_t add(Data& data, std::uint64_t limit) {
  const Counted counted{data};
  std::uint64_t sum = 0;
  for (std::uint64_t& word : data.words) {
    sum += word += 10;
    if (sum > limit) throw Report{sum, &data};
  }
  return sum;
}

bool is_untouched(const Data& data) {
  for (std::uint64_t i = 0; i < 8; ++i)
    if (data.words[i] != i + 1) return false;
  return data.destroyed == 0;
}

int require(bool holds, int status) { return holds ? 0 : status; }

int leaves(Data& data) {
  try {
    TM_BEGIN { add(data, 30); } TM_END;
  } catch (const Report& report) {
    return require(report.sum == 36 && report.data == &data && is_untouched(data), 1);
  }
  return 2;
}

int leaves_the_outer_one(Data& data) {
  try {
    TM_BEGIN {
      data.words[7] = 0;
      TM_BEGIN { add(data, 20); } TM_END;
    } TM_END;
  } catch (const Report& report) {
    return require(report.sum == 23 && is_untouched(data), 3);
  }
  return 4;
}

int is_thrown_again(Data& data) {
  try {
    TM_BEGIN {
      try {
        add(data, 40);
      } catch (const Report& report) {
        data.words[0] = report.sum;
        throw;
      }
    } TM_END;
  } catch (const Report& report) {
    return require(report.sum == 50 && is_untouched(data), 5);
  }
  return 6;
}

int is_of_the_library(Data& data) {
  try {
    TM_BEGIN {
      data.words[1] = 99;
      throw std::out_of_range("a text that is too long to be kept in place");
    } TM_END;
  } catch (const std::exception& error) {
    return require(error.what() == std::string("a text that is too long to be kept in place") && is_untouched(data), 7);
  }
  return 8;
}

int is_caught_within(Data& data) {
  std::uint64_t caught = 0;
  TM_BEGIN {
    try {
      add(data, 30);
    } catch (const Report& report) {
      caught = report.sum;
    }
  } TM_END;
  return require(caught == 36 && data.words[0] == 11 && data.words[2] == 13 && data.destroyed == 1, 9);
}

int ends_within(Data& data) {
  std::uint64_t ended = 0;
  TM_BEGIN {
    try {
      throw Counted{data};
    } catch (const Counted& counted) {
      counted.data.words[3] += data.destroyed;
    }
    ended = data.destroyed;
  } TM_END;
  return require(ended == 2 && data.destroyed == 2 && data.words[3] == 5, 11);
}

}  // namespace

int main() {
  Data data;
  for (const auto test : {leaves, leaves_the_outer_one, is_thrown_again, is_of_the_library, is_caught_within, ends_within})
    if (const int status = test(data)) return status;
  return deferred_runtime::aborted_attempts() < 20;
}
