#ifndef PERDURE_SIMULATE_IMAGES_H
#define PERDURE_SIMULATE_IMAGES_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulate/line.h"

namespace perdure::simulate {

/// The files of the pools under test, seen from outside: each is mapped a second time, so that the durable image can be
/// read and laid out while the program has no pool open.
class Images {
 public:
  /// \param paths  pools that are closed.
  explicit Images(const std::vector<std::filesystem::path>& paths);
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;
  ~Images();

  /// Puts the files back to what they were at first.
  void restore();

  /// By the addresses that the program knows the pools by. Behind the end of a file there are zeros.
  Content line(std::uintptr_t address) const;
  bool contains(std::uintptr_t address) const;
  void set_line(std::uintptr_t address, const Content& content);

  /// Remembers what a line and the files' sizes are now, until `undo` puts them back.
  void keep(std::uintptr_t address);
  void undo();

  std::uint64_t file_size(std::uintptr_t address) const { return image_of(address).bytes; }
  void set_file_size(std::uintptr_t address, std::uint64_t bytes);

  /// The first address from `address` on at which the pool's file has data, or `end`. Between them is a hole: zeros, of
  /// which reading by a mapping would make pages.
  std::uintptr_t next_data(std::uintptr_t address, std::uintptr_t end) const;

  /// The first byte of the pool whose file `descriptor` leads to; 0 if it is none of these.
  std::uintptr_t pool_of(int descriptor) const;
  std::vector<std::uintptr_t> pools() const;

  /// A number for an address that is the same in every run, and how messages spell it.
  std::uint64_t portable(std::uintptr_t address) const;
  std::string describe(std::uintptr_t address) const;

 private:
  struct Image {
    std::filesystem::path path;
    std::uintptr_t address;  // of the pool's first byte, for the program
    int descriptor;
    std::byte* view;
    std::uint64_t bytes;
    std::vector<std::byte> original;
  };

  static Image open(const std::filesystem::path& path);
  const Image& image_of(std::uintptr_t address) const;
  Image& image_of(std::uintptr_t address);
  static void resize(const Image& image);

  std::vector<Image> images_;
  std::unordered_map<std::uintptr_t, Content> kept_;
};

}  // namespace perdure::simulate

#endif
