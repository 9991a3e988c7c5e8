#ifndef PERDURE_HTM_TRANSACTION_H
#define PERDURE_HTM_TRANSACTION_H

#include <concepts>
#include <cstdint>

namespace perdure::htm {

/// How an attempt at a hardware transaction has ended: it has committed, or the processor says why it has not. The bits
/// are those of RTM (Intel SDM, volume 1, section 16.3.5).
class Status {
 public:
  static constexpr std::uint32_t started = ~std::uint32_t{0};  ///< not an end; also stands for a commit
  static constexpr std::uint32_t given_up = 1 << 0;            ///< by the transaction itself, with a code
  static constexpr std::uint32_t may_succeed = 1 << 1;         ///< another attempt may
  static constexpr std::uint32_t conflict = 1 << 2;            ///< another thread has accessed the same memory
  static constexpr std::uint32_t capacity = 1 << 3;            ///< it has accessed too much
  static constexpr std::uint32_t other = 0;                    ///< an interrupt, a flush, a system call, a page fault
  static constexpr unsigned code_shift = 24;

  static constexpr Status committed() { return Status(started); }
  static constexpr Status running() { return Status(started); }
  constexpr explicit Status(std::uint32_t bits) : bits_(bits) {}

  constexpr bool has_committed() const { return bits_ == started; }
  constexpr bool is_running() const { return bits_ == started; }
  constexpr bool was_given_up() const { return bits_ != started && (bits_ & given_up) != 0; }
  /// Of an abort.
  constexpr std::uint8_t code() const { return static_cast<std::uint8_t>(bits_ >> code_shift); }
  constexpr bool is_worth_another_attempt() const { return (bits_ & (may_succeed | conflict)) != 0; }
  constexpr std::uint32_t bits() const { return bits_; }

 private:
  std::uint32_t bits_;
};

/// What a processor offers. All functions are static.
/// - `is_offered()`: whether transactions can commit here at all.
/// - `attempt(body)`: runs `body` as a transaction: all that it stores becomes visible at one moment, or nothing does.
///   A commit orders memory as an instruction with a LOCK prefix does (Intel SDM, volume 1, section 16.3.6). Flushing a
///   line aborts. After an abort memory is as it was before; of what only the calling thread uses this is so in
///   hardware, and not in the model: whatever `body` has changed there is to be set anew.
/// - `begin()`, `commit(last)`: the same for a transaction that its caller goes on in: `begin` returns again when it
///   aborts, in hardware; in the model what can abort is run by `within(action, otherwise)`, which hands the status to
///   `otherwise` instead. `last` runs just before the commit.
/// - `is_unharmed()`: whether it will abort for what others have done.
/// - `load(word)`, `store(word, value)`: in `body`, of words of 8 bytes that others use.
/// - `give_up<code>()`: in `body`: aborts with a code.
template <class P>
concept Processor = requires(std::uint64_t word, const std::uint64_t& shared, void (*body)()) {
  { P::is_offered() } -> std::same_as<bool>;
  { P::attempt(body) } -> std::same_as<Status>;
  { P::begin() } -> std::same_as<Status>;
  { P::commit(body) } -> std::same_as<Status>;
  { P::is_unharmed() } -> std::same_as<bool>;
  { P::load(shared) } -> std::same_as<std::uint64_t>;
  { P::store(word, word) } -> std::same_as<void>;
  { P::template give_up<1>() } -> std::same_as<void>;
};

}  // namespace perdure::htm

#endif
