#include "perdure/roots.h"

#include "commands.h"
#include "pool/refuse.h"
#include "pool_file.h"

namespace perdure::tools {

Document roots(const std::filesystem::path& path) {
  const opening::OpenPool pool = open_for_reading(path);
  Document table = Document::array();
  for (const auto& root : pool.root_table().roots) {
    if (root.object == nullptr) continue;
    table.push_back({{"name", root.name.data()},
                     {"type", root.type_name.data()},
                     {"size_bytes", root.size},
                     {"alignment", root.alignment},
                     {"address", pool::spell_address(reinterpret_cast<std::uintptr_t>(root.object))}});
  }
  return {{"file", path.string()}, {"state", spell_state(pool.report())}, {"roots", table}};
}

}  // namespace perdure::tools
