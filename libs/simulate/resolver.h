#ifndef PERDURE_SIMULATE_RESOLVER_H
#define PERDURE_SIMULATE_RESOLVER_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "simulate/images.h"
#include "simulate/line.h"
#include "simulate/persistence.h"
#include "simulate/tracer.h"

namespace perdure::simulate {

/// The decisions that lead to one of several outcomes: at each, which of how many ways was taken. Enumerates them all,
/// depth first.
class Choices {
 public:
  Choices() = default;
  explicit Choices(std::vector<std::size_t> taken) : taken_(std::move(taken)) {}

  /// The next decision among `ways`.
  std::size_t choose(std::size_t ways);

  /// Goes on to the next outcome. \returns false when there is none.
  bool advance();

  const std::vector<std::size_t>& taken() const { return taken_; }

 private:
  std::vector<std::size_t> taken_;
  std::vector<std::size_t> ways_;
  std::size_t position_ = 0;
};

/// Decides what a crash has left in a line only when the program looks at it, word by word, and only as far as the word
/// tells: states that the program cannot tell apart are one. (Jaaru: Gorjiara et al., ASPLOS'21.)
class Resolver : public AccessObserver {
 public:
  /// Lays out the state in the images.
  Resolver(Images& images, const CrashState& state, Choices& choices);

  void before_load(std::uintptr_t address, std::size_t bytes) override;
  void before_store(std::uintptr_t address, std::size_t bytes) override;
  bool is_decided(std::uintptr_t line) const override { return !is_open(line); }

  /// Looks at what system calls look at: the first `bytes` of each pool.
  void resolve_headers(std::size_t bytes);

  /// The state, as far as it is decided now.
  CrashState remaining() const;

 private:
  struct OpenLine {
    std::vector<Content> left;     // what it may still be; the image holds the first, but for what was overwritten
    std::uint8_t overwritten = 0;  // a bit for each word that the program has stored to
  };

  bool is_open(std::uintptr_t line) const { return !open_.empty() && open_.contains(line); }
  void resolve(std::uintptr_t line, std::size_t word);
  void lay_out(std::uintptr_t line, const OpenLine& open);

  Images& images_;
  Choices& choices_;
  std::unordered_map<std::uintptr_t, OpenLine> open_;
  CrashState state_;
};

}  // namespace perdure::simulate

#endif
