// A key-value store of others, as the victim of power cuts: rows of three threads, each transaction one synchronised
// batch.
#include "victim.h"

#include "keyvalue/store.h"

#include PERDURE_STORE_HEADER

namespace perdure::outside {
namespace {

using benchmarks::keyvalue::RowKey;
using Store = benchmarks::keyvalue::Store<benchmarks::keyvalue::PERDURE_STORE>;

class Table {
 public:
  explicit Table(const char* path) : store_(path) {}

  std::uint64_t count(std::size_t thread) const { return store_.get<std::uint64_t>(count_key(thread)).value_or(0); }

  void commit(std::size_t thread, std::uint64_t number) {
    Store::Batch batch;
    batch.put(small_key(thread, number % small_rows), Small::with(number));
    if (writes_large(number)) batch.put(large_key(thread, number / 5 % large_rows), Large::with(number));
    batch.put(count_key(thread), number);
    store_.commit(batch);
  }

  std::string fault(std::size_t thread, std::uint64_t number) const {
    for (std::size_t place = 0; place < small_rows; ++place)
      if (!is_right<Small>(small_key(thread, place), last_small(number, place)))
        return "small row " + std::to_string(place);
    for (std::size_t place = 0; place < large_rows; ++place)
      if (!is_right<Large>(large_key(thread, place), last_large(number, place)))
        return "large row " + std::to_string(place);
    return {};
  }

 private:
  static RowKey count_key(std::size_t thread) { return {'c', thread}; }
  static RowKey small_key(std::size_t thread, std::size_t place) { return {'s', thread * small_rows + place}; }
  static RowKey large_key(std::size_t thread, std::size_t place) { return {'l', thread * large_rows + place}; }

  template <class RowType>
  bool is_right(const RowKey& key, std::uint64_t last) const {
    const auto row = store_.get<RowType>(key);
    return last == 0 ? !row : row && *row == RowType::with(last);
  }

  Store store_;
};

}  // namespace
}  // namespace perdure::outside

int main(int argc, char** argv) { return perdure::outside::be_a_victim<perdure::outside::Table>(argc, argv); }
