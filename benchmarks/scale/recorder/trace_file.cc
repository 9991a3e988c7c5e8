#include "trace_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace perdure::scale {

namespace {

std::size_t most_transactions() {
  static const std::size_t value = [] {
    const char* const text = std::getenv("RECORD_TRANSACTIONS");
    const long number = text == nullptr ? 0 : std::atol(text);
    return number > 0 ? static_cast<std::size_t>(number) : std::size_t{1000};
  }();
  return value;
}

std::size_t accesses_of(const TransactionShape* begin, const TransactionShape* end) {
  std::size_t sum = 0;
  for (; begin != end; ++begin) sum += begin->accesses;
  return sum;
}

/// Moves what follows the first `count` elements to the front.
template <class Array>
void drop_first(Array& array, std::size_t count) {
  std::memmove(static_cast<void*>(array.begin()), array.begin() + count, (array.size() - count) * sizeof(array[0]));
  for (std::size_t i = 0; i < count; ++i) array.pop_back();
}

class AppendedFile {
 public:
  explicit AppendedFile(const char* path) : path_(path), file_(std::fopen(path, "ab")) {
    if (file_ == nullptr) fail();
  }
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;
  ~AppendedFile() {
    if (std::fclose(file_) != 0) fail();
  }

  template <class T>
  void write(const T* elements, std::size_t count) {
    if (std::fwrite(elements, sizeof(T), count, file_) != count) fail();
  }

 private:
  [[noreturn]] void fail() const {
    std::fprintf(stderr, "perdure: the trace cannot be written to %s: %s; set RECORD_TRACE to a place with room\n",
                 path_, std::strerror(errno));
    std::exit(EXIT_FAILURE);
  }

  const char* path_;
  std::FILE* file_;
};

}  // namespace

void keep_last(Transactions& transactions, Accesses& accesses) {
  const std::size_t most = most_transactions();
  if (transactions.size() < 2 * most) return;
  drop_first(accesses, accesses_of(transactions.begin(), transactions.begin() + most));
  drop_first(transactions, most);
}

void append_to_trace(const Transactions& transactions, const Accesses& accesses) {
  const char* const path = std::getenv("RECORD_TRACE");
  if (path == nullptr || transactions.empty()) return;
  const std::size_t count = std::min(transactions.size(), most_transactions());
  const TransactionShape* const first = transactions.end() - count;
  const std::size_t entries = accesses_of(first, transactions.end());
  static std::mutex one_at_a_time;
  const std::scoped_lock guard(one_at_a_time);
  AppendedFile file(path);
  const StreamHeader header{StreamHeader::right_magic, count, entries};
  file.write(&header, 1);
  file.write(first, count);
  file.write(accesses.end() - entries, entries);
}

}  // namespace perdure::scale
