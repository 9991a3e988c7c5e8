// Threads that hand memory to each other outside of transactions.
#include <atomic>
#include <thread>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct Parcel {
  std::uint64_t number;
  std::array<std::uint64_t, 9> contents{};
};

struct Shelf {
  std::array<Parcel*, 2> parcels{};
  std::uint64_t stored = 0;
};

/// One thread makes parcels in transactions that write nothing else; the other links them in and does not touch them.
class HandoverWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { shelf_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Shelf& shelf = shelf_of(pool);
    std::atomic<Parcel*> counter{nullptr};
    std::thread maker([&] {
      for (std::uint64_t number = 1; number <= 2; ++number) {
        counter.store(make(number));
        while (counter.load() != nullptr) std::this_thread::yield();
      }
    });
    std::thread storer([&] {
      for (std::uint64_t number = 1; number <= 2; ++number) {
        while (counter.load() == nullptr) std::this_thread::yield();
        begin(1, number);
        store(shelf, counter.load(), number);
        acknowledge(1, number);
        counter.store(nullptr);
      }
    });
    maker.join();
    storer.join();
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Shelf& shelf = shelf_of(pools.front());
    const std::uint64_t stored = execute([&] { return shelf.stored; });
    require(notes.allow(1, stored), "an acknowledged parcel is missing");
    require(blocks_in_use(&shelf) == 1 + stored, "other blocks than the parcels are in use");
    for (std::uint64_t number = 1; number <= stored; ++number) {
      const Parcel& parcel = *shelf.parcels[number - 1];
      require(parcel.number == number, "a parcel has another number");
      for (const std::uint64_t word : parcel.contents) require(word == number, "a parcel has other contents");
    }
  }

 private:
  static Shelf& shelf_of(Pool& pool) { return pool.root<Shelf>("shelf"); }

  static Parcel* make(std::uint64_t number) {
    return execute([&] {
      auto* const parcel = new Parcel{number};
      parcel->contents.fill(number);
      return parcel;
    });
  }

  static void store(Shelf& shelf, Parcel* parcel, std::uint64_t number) {
    TM_BEGIN {
      shelf.parcels[number - 1] = parcel;
      shelf.stored = number;
    } TM_END;
  }
};

}  // namespace

std::unique_ptr<Workload> make_handover() { return std::make_unique<HandoverWorkload>(); }

}  // namespace perdure::simulate
