#include "trace.h"

#include <fstream>
#include <stdexcept>
#include <string>

namespace perdure::scale {

namespace {

template <class T>
void read_array(std::ifstream& file, std::vector<T>& array, std::uint64_t count) {
  array.resize(count);
  file.read(reinterpret_cast<char*>(array.data()), static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

std::vector<Stream> read_trace(const std::filesystem::path& path, std::size_t streams) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read; record it first (docs/benchmarks.md)");
  const auto bytes = std::filesystem::file_size(path);
  std::vector<Stream> found;
  for (StreamHeader header; file.read(reinterpret_cast<char*>(&header), sizeof header);) {
    const bool possible = header.magic == StreamHeader::right_magic &&
                          header.transactions <= bytes / sizeof(TransactionShape) &&
                          header.accesses <= bytes / sizeof(Access);
    if (!possible) throw std::runtime_error(path.string() + ": is no trace; record it anew");
    Stream& stream = found.emplace_back();
    read_array(file, stream.transactions, header.transactions);
    read_array(file, stream.accesses, header.accesses);
    std::uint64_t expected = 0;
    for (const TransactionShape& transaction : stream.transactions) expected += transaction.accesses;
    if (!file || expected != header.accesses) throw std::runtime_error(path.string() + ": is cut off; record it anew");
  }
  if (found.size() < streams)
    throw std::runtime_error(path.string() + ": holds " + std::to_string(found.size()) + " streams, not " +
                             std::to_string(streams) + "; record it with more threads");
  found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(streams));
  for (const Stream& stream : found)
    if (stream.transactions.empty())
      throw std::runtime_error(path.string() + ": a thread ran no transaction; record more of them");
  return found;
}

}  // namespace perdure::scale
