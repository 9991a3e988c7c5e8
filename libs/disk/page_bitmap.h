#ifndef PERDURE_DISK_PAGE_BITMAP_H
#define PERDURE_DISK_PAGE_BITMAP_H

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace perdure::disk {

/// A bit for each page of an image. It takes up memory where bits are set: an image may have a terabyte.
class PageBitmap {
 public:
  explicit PageBitmap(std::uint64_t pages)
      // (Zeros are a valid atomic.)
      : words_(static_cast<Word*>(std::calloc(pages / 64 + 1, sizeof(Word)))) {
    if (words_ == nullptr) throw std::bad_alloc();
  }

  bool is_set(std::uint64_t page) const { return (word_of(page).load(std::memory_order_relaxed) & bit_of(page)) != 0; }

  /// Release: what was done before is seen by who takes the bit. Only looks where it is set already.
  void set(std::uint64_t page) {
    if (!is_set(page)) word_of(page).fetch_or(bit_of(page), std::memory_order_release);
  }

  /// \returns whether it was set. Acquire: pairs with `set`.
  bool take(std::uint64_t page) {
    return (word_of(page).fetch_and(~bit_of(page), std::memory_order_acq_rel) & bit_of(page)) != 0;
  }

  /// The first page from `page` on whose bit is set; `end` if there is none before.
  std::uint64_t first_set(std::uint64_t page, std::uint64_t end) const {
    while (page < end) {
      const std::uint64_t rest = word_of(page).load(std::memory_order_relaxed) >> page % 64;
      if (rest != 0) return page + static_cast<unsigned>(std::countr_zero(rest));
      page = (page / 64 + 1) * 64;
    }
    return end;
  }

 private:
  using Word = std::atomic<std::uint64_t>;
  struct Free {
    void operator()(Word* words) const { std::free(words); }
  };

  static std::uint64_t bit_of(std::uint64_t page) { return std::uint64_t{1} << page % 64; }
  Word& word_of(std::uint64_t page) const { return words_[page / 64]; }

  std::unique_ptr<Word[], Free> words_;
};

}  // namespace perdure::disk

#endif
