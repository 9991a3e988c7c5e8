// std::string and std::vector<bool>.
#include <stdexcept>
#include <string>
#include <vector>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct String {
  using Type = std::string;

  static Seen apply(Type& string, const Step& step) {
    const std::size_t position = step.small % (string.size() + 1);
    if (string.size() > 300) return string.erase(position), string.size();
    switch (step.choice % 14) {
      case 0:
        return seen(string.append(step.text));
      case 1:
        return seen(string.insert(position, step.text));
      case 2:
        return seen(string.replace(position, 5, step.text));
      case 3:
        return seen(string.erase(position, step.small / 4));
      case 4:
        return string.find("xx", position);
      case 5:
        return string.rfind(step.text.front(), position);
      case 6:
        return string.find('1', position);
      case 7:
        return string.compare(step.text) < 0 ? 1 : 0;
      case 8:
        return string.shrink_to_fit(), string.size();
      case 9:
        return seen(string = "short " + string.substr(position / 2, 90) + step.text);
      case 10:
        return string.reserve(step.small * 4), string.size();
      case 11:
        return static_cast<Seen>(string.insert(string.begin() + static_cast<long>(position), 3, 'i') - string.begin());
      case 12:
        return at(string, step.small);
      default:
        return string.push_back(static_cast<char>('a' + step.small % 26)), string.size();
    }
  }

 private:
  static Seen at(Type& string, unsigned index) {
    try {
      return static_cast<Seen>(string.at(index));
    } catch (const std::out_of_range&) {
      return 1000;
    }
  }
};

struct VectorOfBool {
  using Type = std::vector<bool>;

  static Seen apply(Type& bits, const Step& step) {
    if (bits.size() > 200) bits.resize(100);
    if (step.choice % 4 == 0 && !bits.empty()) return bits.back().flip(), bits.back() ? 1 : 0;
    if (step.choice % 4 == 1) return bits.insert(bits.begin(), step.small, step.number % 2 == 0), bits.size();
    if (step.choice % 4 == 2 && !bits.empty()) bits[step.small % bits.size()] = step.number % 2 == 0;
    bits.push_back(step.number % 3 == 0);
    return bits.size();
  }
};

using Subjects = ::testing::Types<String, VectorOfBool>;
INSTANTIATE_TYPED_TEST_SUITE_P(Strings, Containers, Subjects);

}  // namespace
}  // namespace perdure::containers
