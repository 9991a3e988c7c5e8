#include "simulate/images.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "pool/format.h"
#include "pool/window.h"

namespace perdure::simulate {
namespace {

/// The largest pool under test; the view is only address space where the file is shorter.
constexpr std::size_t view_bytes = std::size_t{1} << 30;

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw std::runtime_error("crash simulator: " + path.string() + ": cannot " + what);
}

}  // namespace

Images::Image Images::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status{};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) fail(path, "open the pool");
  void* const view = mmap(nullptr, view_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (view == MAP_FAILED) fail(path, "map the pool");
  auto* const bytes = static_cast<std::byte*>(view);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const auto address = static_cast<std::uintptr_t>(reinterpret_cast<const pool::Header*>(view)->address);
  return {path, address, descriptor, bytes, size, std::vector<std::byte>(bytes, bytes + size)};
}

Images::Images(const std::vector<std::filesystem::path>& paths) {
  for (const auto& path : paths) images_.push_back(open(path));
}

Images::~Images() {
  for (const Image& image : images_) {
    munmap(image.view, view_bytes);
    close(image.descriptor);
  }
}

void Images::restore() {
  for (Image& image : images_) {
    set_file_size(image.address, image.original.size());
    std::memcpy(image.view, image.original.data(), image.original.size());
  }
}

bool Images::contains(std::uintptr_t address) const {
  const Image& image = image_of(address);
  return address - image.address < image.bytes;
}

Content Images::line(std::uintptr_t address) const {
  Content content{};
  const Image& image = image_of(address);
  if (contains(address)) std::memcpy(&content, image.view + (address - image.address), sizeof content);
  return content;
}

void Images::set_line(std::uintptr_t address, const Content& content) {
  const Image& image = image_of(address);
  if (contains(address)) std::memcpy(image.view + (address - image.address), &content, sizeof content);
}

void Images::resize(const Image& image) {
  struct stat status{};
  if (fstat(image.descriptor, &status) == 0 && status.st_size == static_cast<off_t>(image.bytes)) return;
  if (ftruncate(image.descriptor, static_cast<off_t>(image.bytes)) != 0) fail(image.path, "set the size of the file");
}

void Images::set_file_size(std::uintptr_t address, std::uint64_t bytes) {
  Image& image = image_of(address);
  image.bytes = bytes;
  resize(image);
}

void Images::keep(std::uintptr_t address) {
  if (contains(address)) kept_.try_emplace(address, line(address));
}

void Images::undo() {
  // The program may have made a file longer.
  for (const Image& image : images_) resize(image);
  for (const auto& [address, content] : kept_) set_line(address, content);
  kept_.clear();
}

std::uintptr_t Images::next_data(std::uintptr_t address, std::uintptr_t end) const {
  const Image& image = image_of(address);
  const off_t data = lseek(image.descriptor, static_cast<off_t>(address - image.address), SEEK_DATA);
  return data < 0 ? end : std::min(end, image.address + static_cast<std::uintptr_t>(data));
}

std::uintptr_t Images::pool_of(int descriptor) const {
  struct stat asked{};
  if (fstat(descriptor, &asked) != 0) return 0;
  for (const Image& image : images_) {
    struct stat own{};
    if (fstat(image.descriptor, &own) == 0 && own.st_ino == asked.st_ino && own.st_dev == asked.st_dev)
      return image.address;
  }
  return 0;
}

std::vector<std::uintptr_t> Images::pools() const {
  std::vector<std::uintptr_t> addresses;
  for (const Image& image : images_) addresses.push_back(image.address);
  return addresses;
}

const Images::Image& Images::image_of(std::uintptr_t address) const {
  const auto image = std::ranges::find_if(
      images_, [&](const Image& candidate) { return address - candidate.address < pool::slot_bytes; });
  if (image == images_.end()) throw std::runtime_error("crash simulator: a store to a pool that is not under test");
  return *image;
}

Images::Image& Images::image_of(std::uintptr_t address) {
  return const_cast<Image&>(static_cast<const Images&>(*this).image_of(address));
}

std::uint64_t Images::portable(std::uintptr_t address) const {
  const auto number = static_cast<std::uint64_t>(&image_of(address) - images_.data());
  return number * pool::slot_bytes + address % pool::slot_bytes;
}

std::string Images::describe(std::uintptr_t address) const {
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%zx", static_cast<std::size_t>(address % pool::slot_bytes));
  return image_of(address).path.filename().string() + offset;
}

}  // namespace perdure::simulate
