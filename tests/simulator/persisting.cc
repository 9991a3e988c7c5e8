// Objects of ordinary memory, copied into the pool with what they reach (perdure/persist.h).
#include <memory>

#include "factories.h"
#include "perdure/persist.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct Half {
  virtual ~Half() = default;
  [[perdure::pure]] virtual bool is_first() const = 0;
  Half* other = nullptr;
  Half* before = nullptr;  // of the pair that was copied before: in the pool
  std::uint64_t number = 0;
};
struct First : Half {
  [[perdure::pure]] bool is_first() const override { return true; }
};
struct Second : Half {
  [[perdure::pure]] bool is_first() const override { return false; }
};

struct Pairs {
  Half* last = nullptr;
  std::uint64_t steps = 0;
};

/// Each step makes two objects that lead to each other, and copies them. After a crash a pair is there whole, or not
/// at all.
class PersistingWorkload : public Stepped<Pairs> {
 protected:
  void step(Pairs& root, std::uint64_t number) override {
    First first;
    const auto second = std::make_unique<Second>();
    first.other = second.get();
    second->other = &first;
    second->number = number;
    TM_BEGIN {
      Half* const copy = persist(first);
      copy->before = root.last;
      root.last = copy;
      root.steps = number;
    } TM_END;
  }
  std::uint64_t steps_taken(Pairs& root) override {
    return execute([&] { return root.steps; });
  }
  void check(Pairs& root, std::uint64_t taken) override {
    std::uint64_t number = taken;
    for (const Half* half = root.last; half != nullptr && number != 0; half = half->before, --number) {
      require(half->is_first() && !half->other->is_first(), "a pair has lost its types");
      require(half->other->other == half, "a pair is no pair");
      require(half->other->number == number, "a pair has lost its number");
    }
    require(number == 0, "pairs are missing");
  }
  std::size_t blocks(Pairs&, std::uint64_t taken) const override { return 2 * taken; }
};

}  // namespace

std::unique_ptr<Workload> make_persisting() { return std::make_unique<PersistingWorkload>(); }

}  // namespace perdure::simulate
