// What examples/memo computes, remembered by this process alone: no pool, and no plugin.
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "memo/digits.h"

namespace {

class Fibonacci {
 public:
  const Digits& operator()(unsigned number) {
    if (const auto found = remembered_.find(number); found != remembered_.end()) return found->second;
    Digits result = number < 2 ? Digits{number} : sum((*this)(number - 1), (*this)(number - 2));
    return remembered_.emplace(number, std::move(result)).first->second;  // references stay when others come
  }

  std::size_t size() const { return remembered_.size(); }

 private:
  std::unordered_map<unsigned, Digits> remembered_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: memo_plain <number>\n", stderr);
    return 2;
  }
  const auto number = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  Fibonacci fibonacci;
  constexpr unsigned step = 1000;  // as the example
  for (unsigned next = step; next < number; next += step) fibonacci(next);
  print(fibonacci(number));
  std::fprintf(stderr, "evaluated %zu, of %zu that are remembered\n", fibonacci.size(), fibonacci.size());
}
