#include <cerrno>

#include "commands.h"
#include "compaction/compaction.h"
#include "file_space.h"
#include "pool/refuse.h"

namespace perdure::tools {
namespace {

compaction::CompactionReport compact_and_close(const std::filesystem::path& path) {
  opening::OpenPool pool(path, {.wait_for_mark = true});
  const compaction::CompactionReport report = compaction::compact(pool);
  pool.close();
  return report;
}

}  // namespace

Document compact(const std::filesystem::path& path) {
  const FileSpace before = space_of(path);
  const compaction::CompactionReport compacted = compact_and_close(path);
  // Only then is the log idle that the compaction has written.
  trim_and_close(path);
  Document document = {{"file", path.string()},
                       {"blocks_moved", compacted.blocks_moved},
                       {"pointers_rewritten", compacted.pointers_rewritten},
                       {"blocks_pinned", compacted.blocks_pinned},
                       {"superblocks_freed", compacted.superblocks_freed}};
  add_space(before, space_of(path), document);
  document["milliseconds"] = compacted.milliseconds;
  return document;
}

}  // namespace perdure::tools
