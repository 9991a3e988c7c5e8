// A pool that is moved to another address between its transactions.
#include "recovery/relocation.h"

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct Link {
  Link* next;
  Link** place;  ///< where the pointer is that leads here
  std::uint32_t number;
};

struct Chain {
  Link* first = nullptr;
  std::uint64_t length = 0;
};

/// A chain with pointers in both directions, of which a part is made before the move and a part after.
class RelocationWorkload : public Stepped<Chain> {
 public:
  void run(const Paths& paths) override {
    {
      Pool pool = Pool::open(paths.front());
      for (std::uint64_t number = 1; number < steps(); ++number) take(pool, number);
      pool.close();
    }
    recovery::relocate(paths.front());
    Pool pool = Pool::open(paths.front());
    take(pool, steps());
    close(pool);
  }

 protected:
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

 private:
  void take(Pool& pool, std::uint64_t number) {
    begin(client, number);
    step(pool.root<Chain>("workload"), number);
    acknowledge(client, number);
  }
};

}  // namespace

std::unique_ptr<Workload> make_relocation() { return std::make_unique<RelocationWorkload>(); }

}  // namespace perdure::simulate
