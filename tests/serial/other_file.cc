#include "tests/serial/other_file.h"

#include "tests/serial/unseen.h"

namespace other_file {

void add_and_print(long& to, long value) {
  to += value;
  unseen::print("sum ", to);
}

namespace {

struct Circle : Shape {
  void draw(long& count) const override {
    ++count;
    unseen::print("circle ", count);
  }
};

}  // namespace

const Shape& circle() {
  static const Circle result;
  return result;
}

}  // namespace other_file
