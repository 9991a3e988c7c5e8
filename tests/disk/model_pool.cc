#include "model_pool.h"

#include <algorithm>
#include <cstring>

#include "perdure/error.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

const char* const image_path = "pool";
constexpr std::uint64_t most_used = 9;  // blocks: more, and nothing is admitted before a checkpoint
constexpr std::size_t words_in_page = Words::count / ModelPool::pages;

void require_done(int error) {
  if (error != 0) pool::refuse_errno(error, image_path, "the model's call");
}

/// Of very different lengths, so that groups have one block or several, and records lie in two groups.
std::vector<std::uint64_t> payload_of(std::uint64_t transaction) {
  std::vector<std::uint64_t> payload{transaction};
  payload.resize(1 + transaction * 97 % 550, transaction);
  return payload;
}

/// Word i lies in page i % 2: transactions that follow each other change different pages.
void copy_page(std::size_t page, const Words& words, std::byte* copy) {
  for (std::size_t i = 0; i < words_in_page; ++i)
    std::memcpy(copy + i * sizeof(std::uint64_t), &words.values[i * ModelPool::pages + page], sizeof(std::uint64_t));
}

/// Both pages, one at a time, as they are when it comes to them.
template <class Commits>
class AllPages {
 public:
  AllPages(const Words& words, const Commits& commits) : words_(words), commits_(commits), copy_(block_bytes) {}
  void await_write_back() {}
  void written(const PageExtent&) {}
  bool next(PageExtent& run) {
    commits_();
    if (page_ == ModelPool::pages) return false;
    copy_page(page_, words_, copy_.data());
    run = {ModelPool::page_offset + page_++ * block_bytes, copy_.data(), block_bytes};
    return true;
  }

 private:
  const Words& words_;
  const Commits& commits_;
  BlockMemory copy_;
  std::uint64_t page_ = 0;
};

}  // namespace

Words Words::after(std::uint64_t transactions) {
  Words words;
  for (std::uint64_t i = 1; i <= transactions; ++i) words.apply(i);
  return words;
}

void ModelPool::create(Volume& volume, SyncMethod method, Outside& outside) {
  const std::string unfinished = std::string(image_path) + ".creating";
  const auto log = create_log(volume, log_path(image_path), ring_blocks, image_path);
  OpenedFile image = volume.create(unfinished);
  require_done(image.error);
  require_done(image.file->resize(page_offset + pages * block_bytes));
  pool::Uuid uuid{};
  uuid.fill(7);
  require_done(Superblocks({image.file.get(), superblock_offset}, {log.get(), 0})
                   .write(Superblocks::make(uuid, ring_blocks, method)));
  require_done(volume.rename(unfinished, image_path));
  require_done(volume.sync_folder_of(image_path));
  outside.created = true;
}

ModelPool::ModelPool(Volume& volume, Outside& outside) : outside_(outside) {
  OpenedFile image = volume.open(image_path);
  require_done(image.error);
  image_ = std::move(image.file);
  require_done(image_->sync());
  log_ = open_log(volume, log_path(image_path), image_path);
  superblocks_ =
      std::make_unique<Superblocks>(SuperblockPlace{image_.get(), superblock_offset}, SuperblockPlace{log_.get(), 0});
  const Superblock superblock = superblocks_->find(image_path);
  for (std::size_t page = 0; page < pages; ++page) {
    BlockMemory block(block_bytes);
    require_done(image_->read(page_offset + page * block_bytes, block.data(), block_bytes));
    for (std::size_t i = 0; i < words_in_page; ++i) words_.values[i * pages + page] = block.as<std::uint64_t>(i * 8);
  }
  const LogEnd end =
      read_log(*log_, superblock, image_path, [this](const LogRecord& record) { replay(record.payload); });
  transactions_ = first_ = *std::ranges::max_element(words_.values);
  ring_ =
      std::make_unique<LogRing>(*log_, image_path, superblock, end, LogUse{.buffer_bytes = 16384, .group_bytes = 8000});
  require_done(ring_->begin_run());
  outside_.acknowledged = outside_.appended = transactions_;
}

void ModelPool::replay(std::span<const std::uint64_t> payload) {
  words_.apply(payload.front());
  for (const std::uint64_t word : payload)
    if (word != payload.front()) pool::refuse(PoolError::Kind::damaged, image_path, "replays a mixture of records.");
}

void ModelPool::make_room() {
  if (ring_->used_blocks() > most_used) checkpoint(false);
}

std::uint64_t ModelPool::append() {
  ring_->admit();
  outside_.appended = ++transactions_;
  ends_.push_back(ring_->append(1, payload_of(transactions_)));
  words_.apply(transactions_);
  return ends_.back();
}

/// All that the log says is durable, in their order.
void ModelPool::acknowledge() {
  for (std::size_t i = 0; i < ends_.size() && ring_->is_durable(ends_[i]); ++i)
    outside_.acknowledged = std::max(outside_.acknowledged, first_ + i + 1);
}

void ModelPool::commit() {
  make_room();
  ring_->await(append());
  acknowledge();
}

void ModelPool::commit_relaxed() {
  make_room();
  append();
}

void ModelPool::flush() {
  ring_->await(ring_->appended());
  acknowledge();
}

void ModelPool::commit_two_at_once() {
  LogRing::Group* first = nullptr;
  LogRing::Group* second = nullptr;
  make_room();  // for both: a checkpoint would wait for the first
  append();
  ring_->cut(first);
  append();
  if (ring_->cut(second) == LogRing::Cut::made) {  // otherwise the method has one in flight
    ring_->complete(*second, ring_->write(*second));
    acknowledge();
  }
  ring_->complete(*first, ring_->write(*first));
  acknowledge();
}

void ModelPool::checkpoint(bool is_busy) {
  constexpr std::uint64_t most_commits = 8;
  const auto commits = [&] {
    for (std::uint64_t i = 0; is_busy && i < most_commits && ring_->used_blocks() <= most_used; ++i) commit();
  };
  AllPages dirty(words_, commits);
  require_done(write_checkpoint(*ring_, *superblocks_, *image_, dirty));
  acknowledge();
}

}  // namespace perdure::disk
