#ifndef PERDURE_C_LIBRARY_FORMAT_H
#define PERDURE_C_LIBRARY_FORMAT_H

#include <cstddef>
#include <string>

/// The conversions of formats of printf and scanf, as C23 (7.23.6) and POSIX (fprintf, fscanf) define them, with what
/// glibc adds: what arguments they take, which is all that a call on copies needs to know.
namespace perdure::c {

/// A number in a format: of an argument, a width or a precision.
struct FormatNumber {
  enum class Kind { none, constant, next_argument, argument } kind = Kind::none;
  std::size_t value = 0;  ///< the constant; the number of the argument, from 1 on
};

/// How many bytes an integer has that a length modifier names; `long_double` is told apart.
struct FormatLength {
  std::size_t bytes = sizeof(int);
  bool is_long_double = false;
  bool is_wide = false;  ///< "l" before a character or text
};

template <class Character>
struct Conversion {
  std::size_t argument = 0;  ///< by "%2$", from 1 on; 0: the next
  FormatNumber width;
  FormatNumber precision;
  FormatLength length;
  bool is_suppressed = false;  ///< scanf: "*"
  bool allocates = false;      ///< scanf: "m"
  Character specifier{};       ///< 0 at the end of the format
};

/// Steps through the conversions of a format, which is private.
template <class Character>
class FormatReader {
 public:
  enum class Family { printf, scanf };

  FormatReader(const Character* format, Family family) : next_(format), family_(family) {}

  /// \returns false at the end. "%%" is no conversion.
  bool next(Conversion<Character>& conversion) {
    while (*next_ != Character{}) {
      if (*next_++ != '%') continue;
      conversion = {};
      read(conversion);
      if (conversion.specifier == Character{}) return false;
      if (conversion.specifier != '%') return true;
    }
    return false;
  }

 private:
  bool is_digit() const { return *next_ >= '0' && *next_ <= '9'; }

  bool take(char character) {
    if (*next_ != static_cast<Character>(character)) return false;
    ++next_;
    return true;
  }

  std::size_t take_number() {
    std::size_t value = 0;
    while (is_digit()) value = value * 10 + static_cast<std::size_t>(*next_++ - '0');
    return value;
  }

  /// "5$", or 0 with nothing taken.
  std::size_t take_argument_number() {
    const Character* const before = next_;
    const std::size_t value = take_number();
    if (value > 0 && take('$')) return value;
    next_ = before;
    return 0;
  }

  FormatNumber take_width() {
    using Kind = FormatNumber::Kind;
    if (family_ == Family::printf && take('*')) {
      const std::size_t argument = take_argument_number();
      return {argument == 0 ? Kind::next_argument : Kind::argument, argument};
    }
    if (!is_digit()) return {};
    return {Kind::constant, take_number()};
  }

  void read(Conversion<Character>& conversion) {
    conversion.argument = take_argument_number();
    if (family_ == Family::scanf) {
      while (*next_ == '*' || *next_ == '\'' || *next_ == 'I') conversion.is_suppressed |= *next_++ == '*';
    } else {
      while (is_any_of("-+ #0'I")) ++next_;
    }
    conversion.width = take_width();
    if (family_ == Family::printf && take('.')) {
      conversion.precision = take_width();
      if (conversion.precision.kind == FormatNumber::Kind::none)
        conversion.precision.kind = FormatNumber::Kind::constant;
    }
    read_length(conversion);
    conversion.specifier = *next_;
    if (*next_ != Character{}) ++next_;
    if (family_ == Family::scanf && conversion.specifier == '[') skip_set();
  }

  bool is_any_of(const char* characters) const {
    for (; *characters != 0; ++characters)
      if (*next_ == static_cast<Character>(*characters)) return true;
    return false;
  }

  void read_length(Conversion<Character>& conversion) {
    FormatLength& length = conversion.length;
    if (family_ == Family::scanf && take('m')) conversion.allocates = true;
    if (take('h')) {
      length.bytes = take('h') ? sizeof(char) : sizeof(short);
    } else if (take('l')) {
      length.is_wide = true;
      length.is_long_double = take('l');
      length.bytes = sizeof(long long);
    } else if (take('L') || take('q')) {
      length = {sizeof(long long), true, false};
    } else if (is_any_of("jztZ")) {
      ++next_;
      length.bytes = sizeof(long long);
    } else if (take('w')) {
      const bool is_fast = take('f');
      const std::size_t bits = take_number();
      length.bytes = bits == 8 ? 1 : bits > 32 || is_fast ? sizeof(long long) : bits / 8;
    }
  }

  /// The characters of "%[…]", in which a bracket that comes first is one of them.
  void skip_set() {
    take('^');
    take(']');
    while (*next_ != Character{} && *next_ != ']') ++next_;
    take(']');
  }

  const Character* next_;
  Family family_;
};

}  // namespace perdure::c

#endif
