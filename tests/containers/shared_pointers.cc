// std::shared_ptr and weak_ptr.
#include <memory>
#include <string>
#include <vector>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

/// Objects with several owners, and those who only watch them. Compared by what they lead to and by how many own it.
class Shares {
 public:
  Seen add(const Step& step) {
    if (owners_.size() > 30) owners_.erase(owners_.begin(), owners_.begin() + 10);
    switch (step.choice % 3) {
      case 0:
        owners_.push_back(std::make_shared<Object>(Object{step.number, step.text}));
        break;
      case 1:
        owners_.emplace_back(new Object{step.number, step.text});
        break;
      default:
        owners_.push_back(owners_.empty() ? nullptr : owners_[step.small % owners_.size()]);
    }
    return static_cast<Seen>(owners_.back().use_count());
  }

  Seen watch(const Step& step) {
    if (owners_.empty()) return 0;
    watchers_.push_back(owners_[step.small % owners_.size()]);
    if (watchers_.size() > 20) watchers_.erase(watchers_.begin());
    return watchers_.front().expired() ? 1 : 2;
  }

  Seen reach(const Step& step) {
    if (watchers_.empty()) return 0;
    const std::shared_ptr<Object> object = watchers_[step.small % watchers_.size()].lock();
    if (object == nullptr) return 1;
    object->text += step.text.substr(0, 3);
    return static_cast<Seen>(object.use_count()) + seen(object->text);
  }

  Seen drop(const Step& step) {
    if (owners_.empty()) return 0;
    const auto dropped = owners_.begin() + static_cast<long>(step.small % owners_.size());
    const Seen result = static_cast<Seen>(dropped->use_count());
    owners_.erase(dropped);
    return result;
  }

  bool operator==(const Shares& other) const {
    const auto same = [](const std::shared_ptr<Object>& a, const std::shared_ptr<Object>& b) {
      return a.use_count() == b.use_count() && (a == nullptr) == (b == nullptr) && (a == nullptr || *a == *b);
    };
    return std::equal(owners_.begin(), owners_.end(), other.owners_.begin(), other.owners_.end(), same) &&
           std::equal(watchers_.begin(), watchers_.end(), other.watchers_.begin(), other.watchers_.end(),
                      [&](const auto& a, const auto& b) { return same(a.lock(), b.lock()); });
  }

 private:
  struct Object {
    long number;
    std::string text;
    bool operator==(const Object&) const = default;
  };
  std::vector<std::shared_ptr<Object>> owners_;
  std::vector<std::weak_ptr<Object>> watchers_;
};

struct SharedPointers {
  using Type = Shares;

  static Seen apply(Type& shares, const Step& step) {
    switch (step.number % 6) {
      case 0:
        return shares.drop(step);
      case 1:
        return shares.watch(step);
      case 2:
        return shares.reach(step);
      default:
        return shares.add(step);
    }
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(SharedPointers, Containers, ::testing::Types<SharedPointers>);

}  // namespace
}  // namespace perdure::containers
