#ifndef PERDURE_TESTS_SIMULATOR_CHAIN_H
#define PERDURE_TESTS_SIMULATOR_CHAIN_H

#include <cstdint>

#include "stepped.h"

namespace perdure::simulate {

struct Link {
  Link* next;
  Link** place;  ///< where the pointer is that leads here
  std::uint32_t number;
};

struct Chain {
  Link* first = nullptr;
  std::uint64_t length = 0;
};

/// A chain with pointers in both directions, to which each step adds a link. What comes between the steps is said by
/// the derived workload: something that moves the links.
class ChainWorkload : public Stepped<Chain> {
 protected:
  /// Takes a step and says so.
  void take(Chain& chain, std::uint64_t number) {
    begin(client, number);
    step(chain, number);
    acknowledge(client, number);
  }

  void step(Chain& chain, std::uint64_t number) override {
    TM_BEGIN {
      chain.first = new Link{chain.first, &chain.first, static_cast<std::uint32_t>(number)};
      if (chain.first->next != nullptr) chain.first->next->place = &chain.first->next;
      ++chain.length;
    } TM_END;
  }

  std::uint64_t steps_taken(Chain& chain) override {
    return execute([&] { return chain.length; });
  }

  void check(Chain& chain, std::uint64_t taken) override {
    Link* const* place = &chain.first;
    for (std::uint64_t number = taken; number != 0; --number, place = &(*place)->next) {
      require(*place != nullptr && alloc::heap_of(&chain)->is_block(*place), "a link is not in the pool");
      require((*place)->number == number && (*place)->place == place, "a link is not as it was made");
    }
    require(*place == nullptr, "there are more links than were made");
  }

  std::size_t blocks(Chain&, std::uint64_t taken) const override { return taken; }
};

}  // namespace perdure::simulate

#endif
