#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "program.h"

std::uint64_t called(Shared& shared) {
  shared.byte = static_cast<std::uint8_t>(shared.byte + 1);
  return shared.byte;
}

std::uint64_t apply(Step step, Shared& shared) { return step(shared); }

Shape::~Shape() = default;

namespace {

struct Square : Shape {
  std::uint64_t grow(Shared& shared) override {
    std::vector<std::uint16_t> numbers(3, shared.half);
    numbers.push_back(shared.half++);
    return numbers.size();
  }
};

struct Circle : Shape {
  std::uint64_t grow(Shared& shared) override {
    if (shared.word++ > 1000) throw std::out_of_range("the circle");
    std::memset(shared.text, 'x', sizeof shared.text);
    // (A function that the library has as native code only.)
    return std::string(shared.text, 5).size() + static_cast<std::size_t>(std::strtoll("2x", nullptr, 10));
  }
};

}  // namespace

Shape* make_shape(int kind) {
  if (kind == 1) return new Circle;
  return new Square;
}
