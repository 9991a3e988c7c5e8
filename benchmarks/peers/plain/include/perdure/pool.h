#ifndef PERDURE_BENCHMARKS_PEERS_POOL_H
#define PERDURE_BENCHMARKS_PEERS_POOL_H

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/error.h"
#include "perdure/open_report.h"
#include "perdure/statistics.h"

namespace perdure {

/// In the place of include/perdure/pool.h for peers that are compiled without the plugin: roots are objects of the
/// ordinary heap. What a peer keeps in files is its own business; it finds their name in `path`.
class Pool {
 public:
  static Pool open(const std::filesystem::path& path, const OpenOptions& = {}) { return Pool(path); }

  /// The object named `name`, made on first use; not in a transaction, for it can only be while the program starts.
  /// Lives until the process ends: to destroy a database takes longer than to measure it.
  template <class T>
  T& root(std::string_view name) {
    void*& object = roots()[std::string(name)];
    if (object == nullptr) object = new T();
    return *static_cast<T*>(object);
  }

  const OpenReport& report() const noexcept { return report_; }
  const OpenReport& wait_for_mark() { return report_; }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  explicit Pool(std::filesystem::path path) : path_(std::move(path)) {
    const bool exists = std::filesystem::exists(path_);
    report_.state = !library_is_durable() ? OpenReport::State::is_volatile
                    : exists              ? OpenReport::State::clean
                                          : OpenReport::State::created;
    report_.medium = library_is_durable() ? Medium::page_cache : Medium::volatile_memory;
  }

  static std::map<std::string, void*>& roots() {
    static auto* const objects = new std::map<std::string, void*>;  // as long as what it holds
    return *objects;
  }

  std::filesystem::path path_;
  OpenReport report_;
};

}  // namespace perdure

#endif
