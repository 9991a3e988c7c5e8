#ifndef PERDURE_TOOLS_PAGES_H
#define PERDURE_TOOLS_PAGES_H

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "alloc/heap.h"
#include "disk/verify_image.h"
#include "document.h"
#include "perdure/roots.h"

namespace perdure::tools {

/// The pages of a pool against their checksums; nothing when it keeps none, having no log beside it.
/// \throws PoolError
std::optional<disk::PageCheck> verify_pages(const std::filesystem::path& path);

/// How many pages were verified, and how many could not be.
void add_pages(const disk::PageCheck& pages, Document& document);

std::string spell_damaged_page(std::uint64_t page);

/// The objects that lie in a page, by their roots or places, with a space in front; at most some.
std::string spell_objects_in(std::uint64_t page, alloc::Heap& heap, const roots::RootTable& roots);

}  // namespace perdure::tools

#endif
