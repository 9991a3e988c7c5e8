// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O3 -march=native
// RUN: %if long %{ %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only %}

// Vectors of every kind of element, loops that become masked accesses, small reals and complex numbers.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "compare.h"

namespace {

template <class T>
using Three = T __attribute__((ext_vector_type(3)));
template <class T>
using Eight = T __attribute__((ext_vector_type(8)));

struct Vectors {
  Eight<bool> bits = {true, false, true, true, false, false, true, false};
  Eight<std::int8_t> bytes = {1, -2, 3, -4, 5, -6, 7, -8};
  Eight<std::uint16_t> words = {1, 2, 3, 4, 5, 6, 7, 8};
  Three<std::int32_t> three = {1, -2, 3};
  Eight<std::int64_t> wide = {1, -2, 3, -4, 5, -6, 7, -8};
  Eight<_Float16> halves = {1, 2, 3, 4, 5, 6, 7, 8};
  Eight<float> floats = {1, 2, 3, 4, 5, 6, 7, 8};
  Eight<double> doubles = {1, 2, 3, 4, 5, 6, 7, 8};
  _Float16 half = 1.5;
  __float128 quadruple = 2.25;
  std::complex<double> complex = {1.5, -0.5};
  std::complex<float> small_complex = {0.5F, 2};
};

std::uint64_t digest(const void* from, std::size_t size) {
  std::uint64_t result = size;
  for (std::size_t i = 0; i < size; ++i) result = result * 31 + static_cast<const unsigned char*>(from)[i];
  return result;
}

std::uint64_t on_vectors(Vectors& vectors) {
  const Eight<bool> bits = vectors.bits;
  vectors.bits[vectors.words.x % 8] = !bits[2];
  vectors.bytes = vectors.bytes * vectors.bytes + std::int8_t{1};
  vectors.words = vectors.words.s76543210 + vectors.words;
  vectors.three = vectors.three.zxy - vectors.three;
  vectors.wide[static_cast<unsigned>(vectors.three.x) % 8] += vectors.wide[3];
  vectors.halves = vectors.halves * _Float16{0.5} + vectors.half;
  vectors.floats = vectors.floats.s10325476 + vectors.floats;
  vectors.doubles /= 3;
  vectors.half += _Float16{0.25};
  vectors.quadruple *= vectors.quadruple;
  vectors.complex = vectors.complex * vectors.complex / std::complex<double>(3, 4) + std::sqrt(vectors.complex);
  vectors.small_complex *= vectors.small_complex;
  std::uint64_t sum = digest(&vectors.bytes, sizeof vectors.bytes) + digest(&vectors.words, sizeof vectors.words);
  for (unsigned i = 0; i < 8; ++i) {
    sum = sum * 3 + (vectors.bits[i] ? 1 : 0);
    sum = sum * 3 + static_cast<std::uint64_t>(vectors.wide[i] + static_cast<int>(vectors.halves[i] * 8));
    sum = sum * 3 + static_cast<std::uint64_t>(vectors.floats[i] * 8 + static_cast<float>(vectors.doubles[i] * 1e6));
  }
  sum += digest(&vectors.complex, sizeof vectors.complex) + digest(&vectors.small_complex, sizeof(std::complex<float>));
  return sum + static_cast<std::uint64_t>(vectors.three.x + vectors.three.y) + static_cast<std::uint64_t>(vectors.quadruple);
}

constexpr std::size_t count = 67;

template <class T>
struct Arrays {
  T from[count];
  T to[count] = {};
  std::uint32_t index[count];

  Arrays() {
    for (std::uint32_t i = 0; i < count; ++i) {
      from[i] = static_cast<T>(i * 5 % 23);
      index[i] = i * 7 % count;
    }
  }
};

/// What the optimiser makes masked loads and stores of, where the processor has them.
template <class T>
[[gnu::noinline]] void add_where(const T* decides, const T* from, T* to, T limit) {
  for (std::size_t i = 0; i < count; ++i)
    if (decides[i] > limit) to[i] = static_cast<T>(from[i] * 3);
}

template <class T>
std::uint64_t on_arrays(Arrays<T>& arrays, T limit) {
  add_where(arrays.from, arrays.from, arrays.to, limit);
  for (std::size_t i = 0; i < count; ++i)
    if (arrays.to[i] < limit) arrays.from[arrays.index[i]] = static_cast<T>(arrays.to[i] + 3);
  return digest(arrays.from, sizeof arrays.from) + digest(arrays.to, sizeof arrays.to);
}

struct State {
  Vectors vectors;
  Arrays<std::int8_t> bytes;
  Arrays<std::uint16_t> words;
  Arrays<std::int32_t> integers;
  Arrays<std::uint64_t> wide;
  Arrays<float> floats;
  Arrays<double> doubles;
};

}  // namespace

int main() {
  State plain, shared;
  for (int round = 0; round < 2; ++round) {
    compare("vectors", plain.vectors, shared.vectors, [](Vectors& vectors) { return on_vectors(vectors); });
    compare("bytes", plain.bytes, shared.bytes, [](auto& arrays) { return on_arrays(arrays, std::int8_t{9}); });
    compare("words", plain.words, shared.words, [](auto& arrays) { return on_arrays(arrays, std::uint16_t{9}); });
    compare("integers", plain.integers, shared.integers, [](auto& arrays) { return on_arrays(arrays, 9); });
    compare("wide", plain.wide, shared.wide, [](auto& arrays) { return on_arrays(arrays, std::uint64_t{9}); });
    compare("floats", plain.floats, shared.floats, [](auto& arrays) { return on_arrays(arrays, 9.0F); });
    compare("doubles", plain.doubles, shared.doubles, [](auto& arrays) { return on_arrays(arrays, 9.0); });
  }
}
