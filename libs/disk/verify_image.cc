#include "disk/verify_image.h"

#include <algorithm>
#include <set>
#include <string>

#include "disk/block_memory.h"
#include "disk/image_file.h"
#include "disk/log_file.h"
#include "disk/recover_image.h"
#include "pool/format.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

using std::filesystem::path;

constexpr std::uint64_t read_at_once = std::uint64_t{256};  // pages

class Verifier {
 public:
  Verifier(BlockFile& image, PageSums& sums, const path& pool) : image_(image), sums_(sums), pool_(pool) {}

  /// Calls `function(page, whether it is right)` for each from `page` up to `end`.
  template <class Function>
  void verify(std::uint64_t page, std::uint64_t end, Function&& function) {
    while (page < end) {
      const std::uint64_t data = std::min(end, image_.next_data(page * block_bytes) / block_bytes);
      for (; page < data; ++page) function(page, 0 == sum_that_it_should_have(page));  // a hole
      const std::uint64_t count = std::min(end - page, read_at_once);
      if (count == 0) return;
      require_done(image_.read(page * block_bytes, memory_.data(), count * block_bytes), pool_, "verifying its pages");
      for (std::uint64_t i = 0; i < count; ++i, ++page) {
        const std::uint64_t sum = sum_of_page(page, memory_.data() + i * block_bytes, sums_.seed());
        function(page, sum == sum_that_it_should_have(page));
      }
    }
  }

 private:
  std::uint64_t sum_that_it_should_have(std::uint64_t page) {
    std::uint64_t sum = 0;
    require_done(sums_.get(page, sum), pool_, "reading the checksums of its pages");
    return sum;
  }

  BlockFile& image_;
  PageSums& sums_;
  const path& pool_;
  BlockMemory memory_{read_at_once * block_bytes};
};

}  // namespace

PageCheck check_pages(const path& pool) {
  const auto image = open_image(pool);
  const auto log = open_log(volume(), log_path(pool), pool);
  Superblocks superblocks = superblocks_of(*image, *log);
  const Superblock superblock = superblocks.find(pool);
  PageSums sums(volume(), pool, superblock);
  PageCheck check;
  check.sums = sums.state();
  std::set<std::uint64_t> in_doubt;
  if (sums.state() == PageSums::State::unknown) return check;
  if (sums.state() == PageSums::State::in_doubt) in_doubt = pages_in_log(*log, superblock, pool);
  check.in_doubt = in_doubt.size();
  if (const auto damaged = sums.damaged_page()) check.damaged.push_back(*damaged);
  Verifier(*image, sums, pool).verify(0, image->size() / block_bytes, [&](std::uint64_t page, bool is_right) {
    if (in_doubt.contains(page)) return;
    ++check.verified;
    if (!is_right) check.damaged.push_back(page);
  });
  return check;
}

void require_sound_pages(BlockFile& image, PageSums& sums, Extent extent, const path& pool) {
  if (sums.state() != PageSums::State::right) return;
  const std::uint64_t end = image.size() / block_bytes;
  const std::uint64_t front = pool::first_superblock * pool::superblock_bytes / block_bytes;
  // (The headers have checksums of their own, and one may be damaged.)
  Verifier(image, sums, pool)
      .verify(pool::header_copies, extent == Extent::all ? end : std::min(end, front),
              [&](std::uint64_t page, bool is_right) {
                if (!is_right) refuse_damaged_page(page, pool);
              });
}

void refuse_damaged_page(std::uint64_t page, const path& pool) {
  pool::refuse(PoolError::Kind::damaged, pool,
               "is damaged: the page at offset " + std::to_string(page * block_bytes) +
                   " is not what was written there last. Restore the pool and its log from a backup. To go on with "
                   "what is there, remove '" +
                   sums_path(pool).string() + "'.");
}

}  // namespace perdure::disk
