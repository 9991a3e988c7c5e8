#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_POOL_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_POOL_H

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "perdure/error.h"
#include "perdure/open_report.h"
#include "perdure/statistics.h"
#include "perdure/transaction.h"
#include "pmemobj/pool_file.h"
#include "pmemobj_fine/logged.h"

namespace perdure {

/// In the place of include/perdure/pool.h: a pool of libpmemobj with one object for its root.
class Pool {
 public:
  static Pool open(const std::filesystem::path& path, const OpenOptions& options = {}) { return Pool(path, options); }
  void close() { opened_.reset(); }

  /// The object named `name`, made in a transaction when it is first asked for.
  /// \throws std::runtime_error if the pool has another.
  template <class T>
  T& root(std::string_view name) {
    Root& root = opened_->root();
    Name wanted{};
    name.copy(wanted.data(), wanted.size());
    if (!root.object.get()) {
      execute([&] {
        auto* const place = peers::FineTransaction::current().allocate_lines(sizeof(T));
        new (place) T();
        root.object = peers::InPool(static_cast<const std::byte*>(place));
        root.name = wanted;
      });
    }
    if (root.name.get() != wanted) throw std::runtime_error(path().string() + ": is the pool of another benchmark");
    return *reinterpret_cast<T*>(root.object.get().get());
  }

  const OpenReport& report() const noexcept { return report_; }
  const OpenReport& wait_for_mark() { return report_; }
  const std::filesystem::path& path() const noexcept { return opened_->path(); }

 private:
  using Name = std::array<char, 16>;

  struct Root {
    std::uint64_t is_open;  // or was, by a process that was killed
    peers::Logged<Name> name;
    peers::Logged<peers::InPool<std::byte>> object;
  };

  /// A pool, and a mark in it while it is open.
  class Opened {
   public:
    Opened(const std::filesystem::path& path, const OpenOptions& options)
        : file_(path, options.size_limit), root_(*file_.root<Root>()), was_open_(root_.is_open != 0) {
      mark(1);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() { mark(0); }

    Root& root() const { return root_; }
    const std::filesystem::path& path() const { return file_.path(); }
    OpenReport::State state() const {
      if (file_.is_new()) return OpenReport::State::created;
      return was_open_ ? OpenReport::State::recovered : OpenReport::State::clean;
    }

   private:
    void mark(std::uint64_t is_open) {
      root_.is_open = is_open;
      pmemobj_persist(file_.handle(), &root_.is_open, sizeof root_.is_open);
    }

    peers::PoolFile file_;
    Root& root_;
    bool was_open_;
  };

  Pool(const std::filesystem::path& path, const OpenOptions& options)
      : opened_(std::make_unique<Opened>(path, options)) {
    report_.state = opened_->state();
  }

  std::unique_ptr<Opened> opened_;
  OpenReport report_;
};

}  // namespace perdure

#endif
