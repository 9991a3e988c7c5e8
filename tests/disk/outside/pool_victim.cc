// A pool as the victim of power cuts: rows of three threads, each transaction one TM_BEGIN … TM_END.
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "victim.h"

namespace perdure::outside {
namespace {

struct Part {
  std::uint64_t count = 0;
  std::array<Small, small_rows> small{};
  std::array<Large*, large_rows> large{};

  void do_transaction(std::uint64_t number) {
    small[number % small_rows] = Small::with(number);
    count = number;
    if (!writes_large(number)) return;
    Large*& place = large[number / 5 % large_rows];
    delete place;
    place = new Large(Large::with(number));
  }
};

struct Root {
  std::array<Part, victim_threads> parts{};
};

/// Relaxed, it promises what it does not keep: a control of the harness.
OpenOptions small_log() {
  OpenOptions options;
  if (std::getenv("VICTIM_IS_RELAXED") != nullptr) options.acknowledgement = Acknowledgement::relaxed;
  options.durability = Durability::power;
  options.log_bytes = std::size_t{1} << 20;
  return options;
}

class Table {
 public:
  explicit Table(const char* path) : pool_(Pool::open(path, small_log())), root_(pool_.root<Root>("root")) {}

  std::uint64_t count(std::size_t thread) const { return root_.parts[thread].count; }

  void commit(std::size_t thread, std::uint64_t number) {
    const PoolScope scope(pool_);
    Part& part = root_.parts[thread];
    TM_BEGIN { part.do_transaction(number); } TM_END;
  }

  std::string fault(std::size_t thread, std::uint64_t number) const {
    const Part& part = root_.parts[thread];
    for (std::size_t place = 0; place < small_rows; ++place) {
      const std::uint64_t last = last_small(number, place);
      if (part.small[place] != (last == 0 ? Small() : Small::with(last))) return "small row " + std::to_string(place);
    }
    for (std::size_t place = 0; place < large_rows; ++place) {
      const std::uint64_t last = last_large(number, place);
      const Large* const row = part.large[place];
      if (last == 0 ? row != nullptr : row == nullptr || *row != Large::with(last))
        return "large row " + std::to_string(place);
    }
    return {};
  }

 private:
  Pool pool_;
  Root& root_;
};

}  // namespace
}  // namespace perdure::outside

int main(int argc, char** argv) { return perdure::outside::be_a_victim<perdure::outside::Table>(argc, argv); }
