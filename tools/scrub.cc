#include "commands.h"
#include "pages.h"
#include "pool/refuse.h"

namespace perdure::tools {

Document scrub(const std::filesystem::path& path) {
  const auto pages = verify_pages(path);
  if (!pages)
    pool::refuse(PoolError::Kind::usage, path,
                 "keeps no checksums of its pages: only pools with a log beside them do. See perdure check.");
  Document document{{"file", path.string()}};
  add_pages(*pages, document);
  Document damage = Document::array();
  for (const std::uint64_t page : pages->damaged) damage.push_back(spell_damaged_page(page));
  document["damage"] = damage;
  return document;
}

}  // namespace perdure::tools
