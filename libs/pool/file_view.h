#ifndef PERDURE_POOL_FILE_VIEW_H
#define PERDURE_POOL_FILE_VIEW_H

#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

#include "pool/format.h"

namespace perdure::pool {

/// The beginning of a pool's file, up to the roots, as another pool sees it: not locked, and not changed. Its lines may
/// be flushed.
class FileView {
 public:
  /// Nothing when there is no such file, or none that may be read, or it is no pool of this format.
  static std::optional<FileView> open(const std::filesystem::path& path);

  FileView(FileView&& other) noexcept : header_(other.header_), base_(std::exchange(other.base_, nullptr)) {}
  FileView& operator=(FileView&&) = delete;
  ~FileView();

  const Header& header() const { return header_; }
  std::byte* base() const { return base_; }

  /// Memory that holds the same, to be stored to: from now on, this is what is seen.
  std::byte* own_base();

  static constexpr std::size_t bytes = root_table_offset;

 private:
  FileView(const Header& header, std::byte* base) : header_(header), base_(base) {}

  Header header_;
  std::byte* base_;
};

}  // namespace perdure::pool

#endif
