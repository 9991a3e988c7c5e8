// A pool that is moved to another address between its transactions.
#include "relocate/relocation.h"

#include "chain.h"
#include "factories.h"

namespace perdure::simulate {
namespace {

class RelocationWorkload : public ChainWorkload {
 public:
  void run(const Paths& paths) override {
    {
      Pool pool = Pool::open(paths.front());
      for (std::uint64_t number = 1; number < steps(); ++number) take(pool.root<Chain>("workload"), number);
      pool.close();
    }
    relocate::relocate(paths.front());
    Pool pool = Pool::open(paths.front());
    take(pool.root<Chain>("workload"), steps());
    close(pool);
  }
};

}  // namespace

std::unique_ptr<Workload> make_relocation() { return std::make_unique<RelocationWorkload>(); }

}  // namespace perdure::simulate
