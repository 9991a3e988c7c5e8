#ifndef PERDURE_TESTS_GENERATOR_PROGRAM_H
#define PERDURE_TESTS_GENERATOR_PROGRAM_H

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#include "perdure/attributes.h"
#include "perdure/transaction.h"

/// What generated programs are written with (generator.py). With the plugin, `run` is a transaction.
namespace generated {

union Union {
  std::uint64_t wide = 0;
  std::uint32_t words[2];
  std::uint16_t narrow[3];
};

/// By value: members of packed structs and bit-fields cannot be referred to.
template <class T>
std::uint64_t U(T value) {
  return static_cast<std::uint64_t>(value);
}

template <class T>
T load(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// For the control: writes that the plugin overlooks.
#ifdef GENERATED_STORES_ESCAPE
#define GENERATED_STORE PERDURE_PURE
#else
#define GENERATED_STORE
#endif

template <class T>
GENERATED_STORE void store(unsigned char* to, std::uint64_t value) {
  const T narrowed = static_cast<T>(value);
  std::memcpy(to, &narrowed, sizeof(T));
}

inline unsigned char* bytes_of(Union& value) { return reinterpret_cast<unsigned char*>(&value); }

/// Reals stay where everything is defined and no sign of a NaN can differ.
inline double bounded(double value) { return value > -1e6 && value < 1e6 ? value : 1.5; }

inline std::int64_t whole(double value) { return static_cast<std::int64_t>(bounded(value)); }

/// A sum over values, without the padding between them.
class Digest {
 public:
  void add(std::uint64_t value) { value_ = value_ * 6364136223846793005U + value + 1; }
  void add(double value) { add_bytes_of(value); }
  void add(float value) { add_bytes_of(value); }
  void add(const Union& value) { add_bytes_of(value); }

  template <class T>
    requires std::is_integral_v<T>
  void add(T value) {
    add(static_cast<std::uint64_t>(value));
  }

  template <class T, std::size_t count>
  void add(const T (&values)[count]) {
    for (const T& value : values) add(value);
  }

  std::uint64_t value() const { return value_; }

 private:
  template <class T>
  void add_bytes_of(const T& value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    add(bits);
  }

  std::uint64_t value_ = 1;
};

/// Called before and after each transaction.
void before_transaction();
void after_transaction();

template <class Body>
auto transact(Body&& body) {
#ifdef __PERDURE__
  before_transaction();
  const auto result = perdure::execute(body);
  after_transaction();
  return result;
#else
  return body();
#endif
}

struct Program {
  const char* name;
  void (*run)(const char* name);
};

/// Ends with a null name.
extern const Program programs[];

/// Prints what each of two runs returned and left.
template <class State, std::uint64_t (*run)(State&), std::uint64_t (*digest)(const State&)>
void run_program(const char* name) {
  State* const state = transact([] { return new State{}; });
  for (int round = 0; round < 2; ++round) {
    std::uint64_t result = 0;
    try {
      result = transact([&] { return run(*state); });
    } catch (const std::uint32_t thrown) {
      result = thrown;
    }
    std::printf("%s %d %016lx %016lx\n", name, round, result, digest(*state));
  }
}

}  // namespace generated

#endif
