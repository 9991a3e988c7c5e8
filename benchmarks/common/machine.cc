#include "machine.h"

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <linux/magic.h>
#include <sched.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

namespace perdure::benchmarks {

namespace {

constexpr std::int64_t xfs_magic = 0x58465342;  // <linux/magic.h> of older kernels lacks it

cpu_set_t usable_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) CPU_SET(0, &set);
  return set;
}

// As the process was started: threads that are pinned later must not narrow what the others may use.
const cpu_set_t& initial_set() {
  static const cpu_set_t set = usable_set();
  return set;
}

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);  // cannot fail for the caller's own clocks
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

std::string processor_model() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    return colon == std::string::npos ? line : line.substr(colon + 2);
  }
  return "unknown";
}

std::string kernel_version() {
  utsname names{};
  return uname(&names) == 0 ? std::string(names.sysname) + " " + names.release : "unknown";
}

std::string compiler_version() { return __VERSION__; }

std::size_t usable_cores() { return static_cast<std::size_t>(CPU_COUNT(&initial_set())); }

double thread_processor_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

double processor_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

void pin_to_core(std::size_t index) {
  auto remaining = index % usable_cores();
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &initial_set()) || remaining-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof(one), &one) == 0) return;
    throw std::system_error(errno, std::generic_category(),
                            "a thread cannot be pinned to core " + std::to_string(core) + "; run without --pin");
  }
}

std::string file_system_of(const std::filesystem::path& path) {
  struct statfs facts{};
  if (statfs(path.c_str(), &facts) != 0) return "unknown";
  static constexpr std::pair<std::int64_t, std::string_view> known[] = {
      {TMPFS_MAGIC, "tmpfs"},       {EXT4_SUPER_MAGIC, "ext"},          {xfs_magic, "xfs"},
      {BTRFS_SUPER_MAGIC, "btrfs"}, {OVERLAYFS_SUPER_MAGIC, "overlay"}, {NFS_SUPER_MAGIC, "nfs"},
  };
  for (const auto& [magic, name] : known) {
    if (facts.f_type == magic) return std::string(name);
  }
  return "file system " + std::to_string(facts.f_type);
}

}  // namespace perdure::benchmarks
