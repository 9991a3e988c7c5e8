#include <cerrno>

#include "commands.h"
#include "open/open_pool.h"
#include "pool/refuse.h"

namespace perdure::tools {

Document recover(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) pool::refuse_errno(ENOENT, path, "looking for the file");
  opening::OpenPool pool(path, {.wait_for_mark = true});
  const OpenReport report = pool.report();
  pool.close();
  const bool is_recovered = report.state == OpenReport::State::recovered;
  return {{"file", path.string()},
          {"recovered", is_recovered},
          {"header_repaired", report.header_repaired},
          {"transactions_replayed", report.transactions_replayed},
          {"transactions_rolled_back", report.transactions_rolled_back},
          {"replayed_bytes", report.bytes_replayed},
          {"blocks_reclaimed", report.blocks_reclaimed},
          {"milliseconds", report.milliseconds}};
}

}  // namespace perdure::tools
