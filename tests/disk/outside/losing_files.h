#ifndef PERDURE_TESTS_DISK_LOSING_FILES_H
#define PERDURE_TESTS_DISK_LOSING_FILES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <sys/types.h>

namespace perdure::outside {

inline constexpr std::size_t sector_bytes = 512;

/// A file or a folder. What was written since it was last synchronised is known sector by sector, with every value in
/// between: after a power cut each sector has one of them.
struct Inode {
  using Sector = std::array<std::byte, sector_bytes>;

  std::uint64_t number = 0;
  mode_t mode = 0;
  std::vector<std::byte> content;
  std::size_t durable_size = 0;
  std::map<std::size_t, std::vector<Sector>> versions;  // of a sector, from the one that is durable on
};
using File = std::shared_ptr<Inode>;

/// Files in memory that behave as those on a disk with a cache of its own: a power cut loses what was not synchronised,
/// tears what was being written, and lets names go, the youngest first (as a file system with one journal does). A kill
/// loses nothing; nor does it make anything durable.
///
/// Each call that changes or synchronises something is counted. In the one that was chosen the power fails, or
/// whoever makes it is killed: it, and all that come, are errors (EIO). Results are as those of libfuse: a negative
/// errno, or what is wanted.
class LosingFiles {
 public:
  enum class End : std::uint8_t { power_cut, kill };

  LosingFiles();

  /// From now on: the end comes in so many calls. \param on_end  called then, with no lock.
  void end_in(std::size_t calls, End end, std::function<void()> on_end);
  /// The call of this number, from now, fails with `error`, once; 0: none does.
  void fail_in(std::size_t calls, int error);
  std::size_t calls();
  bool has_ended();
  /// What the next process finds. \param seed  decides what is lost.
  void begin_again(std::uint64_t seed);
  /// The same; `choose(count)` decides, each time, with one of 0 … count - 1.
  using Choose = std::function<std::size_t(std::size_t)>;
  void begin_again(const Choose& choose);

  /// All that is known of the files, to come back to.
  struct State;
  std::shared_ptr<const State> state();
  void set(const State& state);
  /// All files are gone.
  void clear();

  File find(const std::string& path);
  int create(const std::string& path, mode_t mode, File& file);
  int remove(const std::string& path);
  int rename(const std::string& from, const std::string& to);
  int read(const Inode& file, char* data, std::size_t bytes, std::size_t offset);
  int write(Inode& file, const char* data, std::size_t bytes, std::size_t offset, bool durably);
  int resize(Inode& file, std::size_t bytes);
  /// Of what there is.
  int zero(Inode& file, std::size_t offset, std::size_t bytes);
  int sync(Inode& file);
  std::vector<std::string> names_in(const std::string& folder);
  /// Empty when it has no name any more.
  std::string path_of(const File& file);
  std::size_t size_of(const Inode& file);

  /// Flips a bit of what the device holds. \returns whether there was anything there but zeros.
  bool damage(const std::string& path, std::size_t offset);

 private:
  using Names = std::map<std::string, File>;
  using Lock = std::unique_lock<std::mutex>;
  using Copies = std::map<File, File>;

  static Names copy_of(const Names& names, Copies& copies);

  /// \returns an error; `is_last` says that the end comes in this call.
  int begin_call(bool& is_last);
  void end(Lock& lock);
  void change_names(const Names& names);
  void put(Inode& file, const char* data, std::size_t bytes, std::size_t offset);
  static Inode::Sector sector_of(const Inode& file, std::size_t number);
  static void lose(Inode& file, const Choose& choose);

  std::mutex mutex_;
  Names names_;
  std::vector<Names> unsynced_names_;  // from the durable ones on
  std::uint64_t next_number_ = 2;
  std::size_t calls_ = 0;
  std::size_t last_call_ = ~std::size_t{0};
  std::size_t failing_call_ = ~std::size_t{0};
  int error_ = 0;
  End how_ = End::power_cut;
  std::function<void()> on_end_;
  bool has_ended_ = false;
};

}  // namespace perdure::outside

#endif
