// Clones of what libstdc++'s unordered containers keep in its shared object: hashing of bytes and the choice of the
// number of buckets. Compiled with the plugin.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace perdure::provided {

using Policy = std::__detail::_Prime_rehash_policy;

namespace {

constexpr std::uint64_t multiplier = 0xc6a4a7935bd1e995U;

std::uint64_t load_tail(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = (value << 8) + static_cast<unsigned char>(bytes[i]);
  return value;
}

std::uint64_t shift_mix(std::uint64_t value) { return value ^ (value >> 47); }

bool is_prime(std::size_t candidate) {
  for (std::size_t divisor = 3; divisor * divisor <= candidate; divisor += 2)
    if (candidate % divisor == 0) return false;
  return true;
}

/// The smallest odd prime that is at least `wanted`.
std::size_t next_prime(std::size_t wanted) {
  std::size_t candidate = wanted | 1;
  while (!is_prime(candidate)) candidate += 2;
  return candidate;
}

std::size_t floor_of(double value) { return static_cast<std::size_t>(value); }

}  // namespace

/// The same function as in libstdc++ (MurmurHash64A, by Austin Appleby, of public domain), because a hash computed
/// inside a transaction must equal one computed outside.
[[perdure::implements("_ZSt11_Hash_bytesPKvmm")]]
std::size_t hash_bytes(const void* from, std::size_t size, std::size_t seed) {
  const char* bytes = static_cast<const char*>(from);
  std::uint64_t hash = seed ^ (size * multiplier);
  for (; size >= 8; size -= 8, bytes += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, 8);
    hash ^= shift_mix(word * multiplier) * multiplier;
    hash *= multiplier;
  }
  if (size > 0) {
    hash ^= load_tail(bytes, size);
    hash *= multiplier;
  }
  return shift_mix(shift_mix(hash) * multiplier);
}

/// A number of buckets for at least `wanted`; remembers when the next growth is due. libstdc++ takes its primes from a
/// table; any prime serves.
[[perdure::implements("_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm")]]
std::size_t next_bucket_count(const Policy* policy, std::size_t wanted) {
  const std::size_t buckets = wanted <= 2 ? 2 : next_prime(wanted);
  policy->_M_next_resize = floor_of(static_cast<double>(buckets) * static_cast<double>(policy->_M_max_load_factor));
  return buckets;
}

/// Whether `inserted` more elements need more buckets, and how many.
[[perdure::implements("_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm")]]
std::pair<bool, std::size_t> need_rehash(const Policy* policy, std::size_t buckets, std::size_t elements,
                                         std::size_t inserted) {
  constexpr std::size_t growth_factor = 2;
  constexpr std::size_t first_buckets = 11;
  if (elements + inserted <= policy->_M_next_resize) return {false, 0};
  const std::size_t expected =
      policy->_M_next_resize == 0 && elements + inserted < first_buckets ? first_buckets : elements + inserted;
  const double needed = static_cast<double>(expected) / static_cast<double>(policy->_M_max_load_factor);
  if (needed >= static_cast<double>(buckets)) {
    const std::size_t doubled = buckets * growth_factor;
    const std::size_t least = floor_of(needed) + 1;
    return {true, next_bucket_count(policy, least < doubled ? doubled : least)};
  }
  policy->_M_next_resize = floor_of(static_cast<double>(buckets) * static_cast<double>(policy->_M_max_load_factor));
  return {false, 0};
}

}  // namespace perdure::provided
