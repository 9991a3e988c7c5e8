#ifndef PERDURE_TESTS_DISK_VICTIM_H
#define PERDURE_TESTS_DISK_VICTIM_H

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace perdure::outside {

inline constexpr std::size_t victim_threads = 3;
inline constexpr std::size_t small_rows = 16;
inline constexpr std::size_t large_rows = 4;

/// What transaction `number` of a thread writes depends on that number alone: a small row each time, a large one now
/// and then, and the thread's count.
template <std::size_t Bytes>
struct Row {
  std::uint64_t number = 0;
  std::array<char, Bytes> text{};

  static Row with(std::uint64_t number) {
    constexpr unsigned letters = 26;
    Row row{number, {}};
    row.text.fill(static_cast<char>('a' + number % letters));
    return row;
  }
  bool operator==(const Row&) const = default;
};
using Small = Row<112>;
using Large = Row<3000>;

inline bool writes_large(std::uint64_t number) { return number % 5 == 0; }

/// The last transaction up to `number` that wrote to the small row `place`; 0: there was none.
inline std::uint64_t last_small(std::uint64_t number, std::size_t place) {
  while (number != 0 && number % small_rows != place) --number;
  return number;
}
inline std::uint64_t last_large(std::uint64_t number, std::size_t place) {
  while (number != 0 && (!writes_large(number) || number / 5 % large_rows != place)) --number;
  return number;
}

/// Lines are for power_harness.cc; one call writes each.
inline void tell(const std::string& line) {
  if (write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::_Exit(3);
}

/// A program that commits and says so, until it is killed or has done its steps.
/// \tparam Table  is made with a path, and has `count(thread)`, `commit(thread, number)`, which returns when it is
///                durable, and `fault(thread, number)`: what is not as so many transactions leave it, or nothing.
template <class Table>
int be_a_victim(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    Table table(argv[1]);
    std::string found = "found";
    std::array<std::uint64_t, victim_threads> counts{};
    for (std::size_t thread = 0; thread < victim_threads; ++thread) {
      counts[thread] = table.count(thread);
      found += " " + std::to_string(counts[thread]);
      if (const std::string fault = table.fault(thread, counts[thread]); !fault.empty())
        return tell("broken: thread " + std::to_string(thread) + " of " + std::to_string(counts[thread]) + ": " +
                    fault + "\n"),
               1;
    }
    tell(found + "\n");
    const std::uint64_t steps = std::strtoull(argv[2], nullptr, 10);
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < victim_threads; ++thread)
      threads.emplace_back([&, thread] {
        for (std::uint64_t number = counts[thread] + 1; number <= counts[thread] + steps; ++number) {
          try {
            table.commit(thread, number);
          } catch (const std::exception& error) {
            return tell(std::string("failed: ") + error.what() + "\n");
          }
          tell(std::to_string(thread) + " " + std::to_string(number) + "\n");
        }
      });
    for (std::thread& thread : threads) thread.join();
  } catch (const std::exception& error) {
    tell(std::string("refused: ") + error.what() + "\n");
    return 1;
  }
  return 0;
}

}  // namespace perdure::outside

#endif
