#include "folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "database.h"
#include "open_folder.h"
#include "status.h"
#include "stock.h"

namespace perdure::stores {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view pool_name = "store.pool";
constexpr std::string_view names[] = {"CURRENT", "CURRENT.new", "store.pool", "store.pool.log"};  // NOLINT: a list

bool is_ordinary(const leveldb::Options& options) { return options.env == leveldb::Env::Default(); }

/// A file that is open.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (number_ < 0) fail();
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(number_); }

  void write(std::string_view text) const {
    if (::write(number_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) fail();
  }
  void sync() const {
    if (::fsync(number_) != 0) fail();
  }

 private:
  [[noreturn]] static void fail() { throw std::system_error(errno, std::generic_category()); }

  int number_;
};

/// From when this is durable, the database exists: its pool is whole.
void write_current(const fs::path& folder) {
  {
    const Descriptor file(folder / "CURRENT.new", O_WRONLY | O_CREAT | O_TRUNC);
    file.write(std::string(pool_name) + "\n");
    file.sync();
  }
  fs::rename(folder / "CURRENT.new", folder / "CURRENT");
  Descriptor(folder, O_RDONLY | O_DIRECTORY).sync();
}

/// Whether it may be opened or made, by what there is.
leveldb::Status check(const leveldb::Options& options, const std::string& name, Owner owner,
                      const std::string& foreign) {
  if (owner == Owner::nobody && !options.create_if_missing)
    return leveldb::Status::InvalidArgument(name, "does not exist (create_if_missing is false)");
  if (owner != Owner::nobody && options.error_if_exists)
    return leveldb::Status::InvalidArgument(name, "exists (error_if_exists is true)");
  return owner == Owner::other ? leveldb::Status::InvalidArgument(name, foreign) : leveldb::Status::OK();
}

leveldb::Status lock(const leveldb::Options& options, const std::string& name, std::unique_ptr<FolderLock>& result) {
  leveldb::FileLock* locked = nullptr;
  const leveldb::Status status = options.env->LockFile(name + "/LOCK", &locked);
  if (status.ok()) result = std::make_unique<FolderLock>(*options.env, locked);
  return status;
}

leveldb::Status open_store(const leveldb::Options& options, const std::string& name, Owner owner,
                           const FolderTerms& terms, std::unique_ptr<Store>& result) {
  try {
    const leveldb::Status status = status_of(name, [&] {
      result = std::make_unique<Store>(fs::path(name) / pool_name, terms.order, terms.comparator, OpenOptions(),
                                       terms.recovery);
      if (owner == Owner::nobody) write_current(name);
    });
    if (!status.ok() || !options.paranoid_checks) return status;
  } catch (const Store::OtherOrder& other) {
    return leveldb::Status::InvalidArgument(other.name + " does not match existing comparator ", terms.comparator);
  }
  const std::string broken = result->verify();
  return broken.empty() ? leveldb::Status::OK() : leveldb::Status::Corruption(name, broken);
}

/// leveldb::Log, which Debian's library does not export.
[[gnu::format(printf, 2, 3)]] void write_line(leveldb::Logger& log, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  log.Logv(format, arguments);
  va_end(arguments);
}

void log_opening(const leveldb::Options& options, const Store& store) {
  if (options.info_log == nullptr) return;
  const OpenReport& report = store.report();
  write_line(*options.info_log, "Perdure: opened %s in %.1f ms; %llu transactions were replayed", store.file().c_str(),
             report.milliseconds, static_cast<unsigned long long>(report.transactions_replayed));
}

}  // namespace

Owner owner_of(const leveldb::Options& options, const std::string& name) {
  std::string current;
  if (!leveldb::ReadFileToString(options.env, name + "/CURRENT", &current).ok()) return Owner::nobody;
  return current == std::string(pool_name) + "\n" ? Owner::perdure : Owner::other;
}

leveldb::Status open_folder(const leveldb::Options& options, const std::string& name, const FolderTerms& terms,
                            OpenFolder& result) {
  options.env->CreateDir(name);  // as LevelDB does: if that fails, so does the lock, with the reason
  OpenFolder opened;
  leveldb::Status status = lock(options, name, opened.lock);
  if (!status.ok()) return status;
  const Owner owner = owner_of(options, name);
  status = check(options, name, owner, terms.foreign);
  if (!status.ok()) return status;
  status = open_store(options, name, owner, terms, opened.store);
  if (!status.ok()) return status;
  log_opening(options, *opened.store);
  result = std::move(opened);
  return status;
}

leveldb::Status open(const leveldb::Options& options, const std::string& name, leveldb::DB** result) {
  if (!is_ordinary(options)) return stock::open(options, name, result);
  *result = nullptr;
  OpenFolder opened;
  const leveldb::Status status = open_folder(
      options, name,
      {order_of(*options.comparator), options.comparator->Name(), Store::Recovery::at_once,
       "was written by LevelDB; Perdure's store imports it: perdure-leveldb import " + name + " <new folder>"},
      opened);
  if (status.ok()) *result = new Database(name, options, std::move(opened));
  return status;
}

leveldb::Status destroy(const std::string& name, const leveldb::Options& options) {
  if (!is_ordinary(options) || owner_of(options, name) == Owner::other) return stock::destroy(name, options);
  std::error_code error;
  if (!fs::is_directory(name, error)) return leveldb::Status::OK();
  {
    std::unique_ptr<FolderLock> folder_lock;
    leveldb::Status status = lock(options, name, folder_lock);
    if (!status.ok()) return status;
    for (const std::string_view file : names) {
      fs::remove(fs::path(name) / file, error);
      if (error) return leveldb::Status::IOError(name + "/" + std::string(file), error.message());
    }
  }
  return stock::destroy(name, options);  // the lock, a LOG, and the folder if nothing else is there
}

leveldb::Status repair(const std::string& name, const leveldb::Options& options) {
  if (!is_ordinary(options) || owner_of(options, name) != Owner::perdure) return stock::repair(name, options);
  leveldb::Options checked = options;
  checked.create_if_missing = checked.error_if_exists = false;
  checked.paranoid_checks = true;
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = open(checked, name, &opened);
  delete opened;
  return status;
}

}  // namespace perdure::stores
