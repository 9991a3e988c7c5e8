#ifndef PERDURE_BENCHMARKS_PEERS_OPEN_DATABASE_H
#define PERDURE_BENCHMARKS_PEERS_OPEN_DATABASE_H

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace perdure::benchmarks::keyvalue {

/// \throws std::runtime_error with what the store says, unless it succeeded.
template <class Library>
void require(const typename Library::Status& status) {
  if (!status.ok()) throw std::runtime_error(std::string(Library::name) + ": " + status.ToString());
}

/// Opens a database, a folder, or makes it. In its favour: everything fits into its caches, nothing is compressed.
/// \tparam Library  RocksDb or LevelDb
template <class Library>
std::unique_ptr<typename Library::Database> open_database(const std::filesystem::path& path) {
  constexpr std::size_t cache_bytes = std::size_t{256} << 20;
  constexpr std::size_t log_bytes = std::size_t{64} << 20;
  constexpr int filter_bits = 10;
  typename Library::Options options;
  options.create_if_missing = true;
  options.compression = decltype(options.compression){};  // none
  options.write_buffer_size = log_bytes;
  Library::set_cache(options, cache_bytes, filter_bits);
  Library::tune(options);
  typename Library::Database* database = nullptr;
  require<Library>(Library::Database::Open(options, path.string(), &database));
  return std::unique_ptr<typename Library::Database>(database);
}

}  // namespace perdure::benchmarks::keyvalue

#endif
