#include "open/log_beside_pool.h"

#include <string>

#include "disk/make_log.h"
#include "disk/medium.h"
#include "perdure/error.h"
#include "persist/domain.h"
#include "persist/instance.h"
#include "pool/file.h"
#include "pool/refuse.h"

namespace perdure::opening {

void require_records(const std::filesystem::path& path) {
  if (instance.facts.records) return;
  pool::refuse(PoolError::Kind::usage, path,
               std::string("cannot survive power failures on a disk: this program is linked with ") + instance.name +
                   ". Link a library of the mode 'fast', such as orec_lazy_fast, norec_fast or lock_lazy_fast.");
}

bool is_to_get_log(const std::filesystem::path& path, const OpenOptions& options) {
  if (options.durability == Durability::process || options.read_only) return false;
  const bool must = options.durability == Durability::power;
  const persistence::Files files = persistence::Domain::files();
  if (files == persistence::Files::simulated_memory && !must) return false;
  switch (files == persistence::Files::simulated_disk ? disk::Below::disk : disk::what_lies_below(path)) {
    case disk::Below::memory:
      return false;
    case disk::Below::network:
      if (!must) return false;
      if (options.trust_network) break;
      pool::refuse(PoolError::Kind::usage, path,
                   "lies on a network file system, and what that keeps when power fails is not known here. Put it on a "
                   "disk of this machine, open it with Durability::process, or set OpenOptions::trust_network.");
    case disk::Below::disk:
      break;
  }
  if (must) require_records(path);
  return instance.facts.records;
}

void make_log(const std::filesystem::path& path, const OpenOptions& options) {
  const auto locked = pool::File::open(path, pool::File::Access::writing);
  // (A simulated disk is small: its files are written anew for each crash.)
  const std::size_t least = persistence::Domain::files() == persistence::Files::simulated_disk ? 1 : 0;
  disk::make_log(path, {options.log_bytes == 0 ? least : options.log_bytes, options.size_limit, options.log_folder});
}

void take_log_away(const std::filesystem::path& path) {
  const auto locked = pool::File::open(path, pool::File::Access::writing);
  disk::remove_log(path);
}

}  // namespace perdure::opening
