#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "commands.h"
#include "htm/offer.h"
#include "log/decisions.h"
#include "pool/file_view.h"
#include "pool/header.h"
#include "pool/refuse.h"
#include "replicas.h"

namespace perdure::tools {
namespace {

/// A file that is open for reading and not locked: its user may go on meanwhile.
class UnlockedFile {
 public:
  explicit UnlockedFile(const std::filesystem::path& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) pool::refuse_errno(errno, path, "opening the file");
  }
  UnlockedFile(const UnlockedFile&) = delete;
  UnlockedFile& operator=(const UnlockedFile&) = delete;
  ~UnlockedFile() { close(descriptor_); }

  int descriptor() const { return descriptor_; }

  /// Whether somebody has it open for writing. (Readers lock it, too, but share it.)
  bool is_in_use() const {
    if (flock(descriptor_, LOCK_SH | LOCK_NB) != 0) return true;
    flock(descriptor_, LOCK_UN);
    return false;
  }

 private:
  int descriptor_;
};

std::string spell_time(std::uint64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[32] = "";
  if (gmtime_r(&time, &parts) != nullptr) std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string text_of(const std::array<char, 64>& text) { return {text.data(), strnlen(text.data(), text.size())}; }

/// Pools that have yet to be opened since a crash cut short a transaction which is decided here. (Of a pool in use,
/// also those of transactions that are just being decided.)
Document pools_waited_for(const std::filesystem::path& path, const pool::Uuid& own) {
  Document uuids = Document::array();
  const auto file = pool::FileView::open(path);
  if (!file) return uuids;
  for (const log::Decision& decision : log::decision_page(file->base()).decisions) {
    if (!decision.counts()) continue;
    for (std::size_t i = 0; i < decision.participant_count; ++i) {
      const Document uuid = pool::spell_uuid(decision.participants[i].uuid);
      if (decision.participants[i].uuid != own && std::find(uuids.begin(), uuids.end(), uuid) == uuids.end())
        uuids.push_back(uuid);
    }
  }
  return uuids;
}

}  // namespace

Document info(const std::filesystem::path& path) {
  const UnlockedFile file(path);
  const auto [header, copy, repair] = pool::read_header(file.descriptor(), path, pool::Placement::anywhere);
  const bool is_in_use = file.is_in_use();
  const bool is_moving = (header.incompatible_features & pool::moving) != 0;
  const char* const left = is_moving ? "being moved" : header.state == pool::State::clean ? "clean" : "crashed";
  Document document{{"file", path.string()},
                    {"state", is_in_use ? "in use" : left},
                    {"format_version", header.version},
                    {"uuid", pool::spell_uuid(header.uuid)},
                    {"created", spell_time(header.created)},
                    {"created_by", text_of(header.created_by)},
                    {"size_bytes", header.superblocks * pool::superblock_bytes},
                    {"address", pool::spell_address(header.address)},
                    {"granularity", header.granularity},
                    {"header_written", header.generation},
                    {"header_copies_agree", !repair},
                    {"hardware_transactions", htm::name_of(htm::offer())},
                    {"pools_waited_for", pools_waited_for(path, header.uuid)}};
  add_replicas(file.descriptor(), header, document);
  return document;
}

}  // namespace perdure::tools
