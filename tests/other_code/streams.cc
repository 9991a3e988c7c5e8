// String streams and locales on objects of the block's own: what they do lies in the shared object of the standard
// library. What they make goes into the pool.
#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Streams {
  using Type = std::string;

  static Seen apply(Type& text, const Step& step) {
    switch (step.choice % 9) {
      case 0:
        return format(text, step);
      case 1:
        return words(text);
      case 2:
        return round_trip(text, step);
      case 3:
        return locales(text, step);
      case 4:
        return wide(text, step);
      case 5:
        return positions(text, step);
      case 6:
        return times(text, step);
      case 7:
        return money(text, step);
      default:
        return lines(text, step);
    }
  }

 private:
  static Seen format(Type& text, const Step& step) {
    std::ostringstream stream;
    stream << step.text << ' ' << std::setw(12) << step.number << std::hex << ' ' << step.small << ' '
           << std::setprecision(3) << static_cast<double>(step.number) / 7 << std::boolalpha << (step.small > 30)
           << std::endl;
    for (unsigned i = 0; i < step.small; ++i) stream << text.substr(0, 9) << i;
    text = stream.str().substr(0, 400);
    return seen(text);
  }

  static Seen words(Type& text) {
    std::istringstream stream(text);
    std::string word;
    Seen result = 0;
    while (stream >> word) result = result * 31 + seen(word);
    text += word;
    return text.size() > 500 ? text.clear(), result : result;
  }

  static Seen round_trip(Type& text, const Step& step) {
    std::stringstream stream;
    stream << step.number << ' ' << step.small << ' ' << 2.5;
    long number = 0;
    unsigned small = 0;
    double real = 0;
    stream >> number >> small >> real;
    const std::string was = text;
    stream.clear();
    stream.str(was);
    stream >> text;
    return seen(number) + small + static_cast<Seen>(real * 2) + seen(text);
  }

  static Seen positions(Type& text, const Step& step) {
    std::stringstream stream(text, std::ios::in | std::ios::out | std::ios::ate);
    stream << step.text;
    const auto end = stream.tellp();
    stream.seekg(std::streamoff(step.small % 5), std::ios::beg);
    stream.seekp(stream.tellg());
    stream << step.small % 10;
    stream.seekg(end / 2);
    const auto found = static_cast<Seen>(stream.peek());
    stream.seekg(-1, std::ios::end);
    stream.seekp(0);
    const auto at = static_cast<Seen>(stream.tellg());
    text = stream.str().substr(0, 400);
    return seen(text) + found + at;
  }

  static Seen locales(Type& text, const Step& step) {
    const std::locale locale = std::locale::classic();
    std::locale other;
    other = locale;
    for (char& character : text)
      character = step.small % 2 == 0 ? std::toupper(character, other) : std::tolower(character, other);
    return seen(locale.name()) + (std::isalpha('x', other) ? 1 : 0) + (locale == other ? 2 : 0);
  }

  static Seen wide(Type& text, const Step& step) {
    std::wostringstream stream;
    stream << std::wstring(step.text.begin(), step.text.end()) << L" wide " << step.number;
    const std::wstring result = stream.str();
    text.assign(result.begin(), result.end());
    return seen(text);
  }

  static Seen times(Type& text, const Step& step) {
    std::tm time{};
    std::istringstream stream("2024-05-" + std::to_string(1 + step.small % 28) + " x");
    stream >> std::get_time(&time, "%Y-%m-%d");
    std::ostringstream written;
    written << std::put_time(&time, "%d/%m/%Y") << text.substr(0, 20);
    text = written.str();
    return seen(text) + static_cast<Seen>(time.tm_year) + (stream.fail() ? 1 : 0);
  }

  static Seen money(Type& text, const Step& step) {
    std::stringstream stream;
    stream << std::put_money(static_cast<long double>(step.small));
    long double read = 0;
    stream >> std::get_money(read);
    text = stream.str() + text.substr(0, 100);
    return static_cast<Seen>(read) + seen(text);
  }

  static Seen lines(Type& text, const Step& step) {
    std::istringstream stream(text + "\nsecond\n" + step.text);
    std::string line;
    Seen result = 0;
    while (std::getline(stream, line)) result = result * 7 + seen(line);
    try {
      stream.exceptions(std::ios::failbit);
      stream >> line;
    } catch (const std::ios_base::failure& failure) {
      result += seen(failure.what()) != 0 ? 1 : 0;
    }
    text = line;
    return result;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Streams, Containers, ::testing::Types<Streams>);

}  // namespace
}  // namespace perdure::containers
