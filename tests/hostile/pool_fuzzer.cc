// libFuzzer over what opening reads of a pool: the input says how the file of a crashed pool is changed.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "perdure/perdure.h"
#include "pool/header.h"

namespace perdure {
namespace {

/// The file that is changed, and where its versions are put.
struct Ground {
  std::filesystem::path path;
  std::string bytes;

  ~Ground() { std::filesystem::remove_all(path.parent_path()); }
};

struct Node {
  Node* next;
  std::uint64_t value;
};

void fill(Pool& pool) {
  Node*& first = pool.root<Node*>("list");
  for (std::uint64_t value = 0; value < 100; ++value) {
    TM_BEGIN { first = new Node{first, value}; } TM_END;
  }
  char*& large = pool.root<char*>("large");
  TM_BEGIN { large = new char[100'000]; } TM_END;
}

Ground make_ground() {
  std::string folder = "/dev/shm/perdure_fuzzer_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  const std::filesystem::path path = std::filesystem::path(folder) / "fuzzed.pool";
  Pool pool = Pool::open(path);
  fill(pool);
  std::ifstream file(path, std::ios::binary);
  return {path, {std::istreambuf_iterator<char>(file), {}}};
}

/// The input: a byte of flags (1: give the header right checksums), then changes: a place (3 bytes), a length (1 byte,
/// below 32), and so many bytes.
std::string change(std::string bytes, const std::uint8_t* input, std::size_t size) {
  if (size == 0) return bytes;
  const bool seals = (input[0] & 1) != 0;
  for (std::size_t at = 1; at + 4 <= size;) {
    const std::size_t place = (input[at] | input[at + 1] << 8 | input[at + 2] << 16) % bytes.size();
    const std::size_t length = std::min<std::size_t>({input[at + 3] % 32U, size - at - 4, bytes.size() - place});
    std::memcpy(bytes.data() + place, input + at + 4, length);
    at += 4 + length;
  }
  for (std::size_t copy = 0; seals && copy < pool::header_copies; ++copy) {
    pool::Header header;
    std::memcpy(&header, bytes.data() + copy * pool::page_bytes, sizeof header);
    pool::seal(header);
    std::memcpy(bytes.data() + copy * pool::page_bytes, &header, sizeof header);
  }
  return bytes;
}

void open(const std::filesystem::path& path, bool read_only) {
  try {
    const Pool pool = Pool::open(path, {.read_only = read_only});
    static_cast<void>(pool.list_roots());
  } catch (const PoolError&) {  // refused: as good as accepted
  }
}

}  // namespace
}  // namespace perdure

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  static const perdure::Ground ground = perdure::make_ground();
  std::ofstream(ground.path, std::ios::binary | std::ios::trunc) << perdure::change(ground.bytes, input, size);
  perdure::open(ground.path, true);
  perdure::open(ground.path, false);
  return 0;
}
