#ifndef PERDURE_STORES_ROCKSDB_SETTINGS_H
#define PERDURE_STORES_ROCKSDB_SETTINGS_H

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace perdure::stores::rocksdb {

/// What all of RocksDB's objects are that only say how something should be done: options, caches, filter policies. It
/// keeps what a program has set, by the names of RocksDB's functions, whether that has a meaning here or not: programs
/// read it back. What was not set is 0.
class Settings {
 public:
  Settings() : Settings(nullptr, nullptr) {}
  Settings(void* state, void (*destructor)(void*)) : owned_(state, Destructor{destructor}) {}
  /// Without what the other one owns.
  Settings(const Settings& other) : values_(other.values_), owned_(nullptr, Destructor{nullptr}) {}
  Settings& operator=(const Settings&) = delete;

  template <class T>
  void set(std::string_view name, T value) {
    const auto kept = static_cast<Kept<T>>(value);
    values_[std::string(name)].assign(reinterpret_cast<const char*>(&kept), sizeof kept);
  }
  template <class T>
  T get(std::string_view name) const {
    Kept<T> kept{};
    const auto found = values_.find(name);
    if (found != values_.end() && found->second.size() == sizeof kept)
      std::memcpy(&kept, found->second.data(), sizeof kept);
    return static_cast<T>(kept);
  }
  bool has(std::string_view name) const { return get<unsigned char>(name) != 0; }

  /// \param text  null: it is no longer set.
  void set_text(std::string_view name, const char* text, std::size_t size) {
    if (text == nullptr)
      values_.erase(std::string(name));
    else
      values_[std::string(name)].assign(text, size);
  }
  std::optional<std::string_view> text(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  }

 private:
  /// Some are set as one integer type and read as another.
  template <class T>
  using Kept = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;

  struct Destructor {
    void (*function)(void*);
    void operator()(void* state) const {
      if (function != nullptr) function(state);
    }
  };

  std::map<std::string, std::string, std::less<>> values_;
  std::unique_ptr<void, Destructor> owned_;
};

/// Those of RocksDB's types that are Settings are never defined.
template <class Opaque>
Settings& settings(Opaque* object) {
  return *reinterpret_cast<Settings*>(object);
}
template <class Opaque>
const Settings& settings(const Opaque* object) {
  return *reinterpret_cast<const Settings*>(object);
}

}  // namespace perdure::stores::rocksdb

#endif
