#ifndef PERDURE_C_LIBRARY_FORMAT_ARGUMENTS_H
#define PERDURE_C_LIBRARY_FORMAT_ARGUMENTS_H

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "c/library/argument_list.h"
#include "c/library/format.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"

namespace perdure::c {

/// The arguments of a call of printf, read as its format says; texts are copied, and what "%n" writes goes to private
/// memory first.
template <class Character>
class FormatArguments {
 public:
  /// \param format  private; as long as this lives
  FormatArguments(PrivateMemory& memory, const Character* format, std::va_list list) : memory_(memory) {
    for_each_conversion(format, [&](const Conversion<Character>& conversion) { count(conversion); });
    if (!is_possible()) return;
    arguments_ = memory.room_for<Argument>(count_);
    std::fill_n(arguments_, count_, Argument{});
    for_each_conversion(format, [&](const Conversion<Character>& conversion) { note(conversion); });
    read(list);
    for_each_conversion(format, [&](const Conversion<Character>& conversion) { note_limit(conversion); });
    for (Argument* argument = arguments_; argument != arguments_ + count_; ++argument) make_private(*argument);
  }

  bool is_possible() const { return count_ <= most_arguments; }

  /// The values, for a list that is made of them.
  std::uint64_t* words() const { return words_; }

  /// What "%n" has written.
  void write_counts() const {
    for (const Argument* argument = arguments_; argument != arguments_ + count_; ++argument)
      if (argument->use == Use::count) perdure_write_bytes(argument->original, argument->place, argument->bytes);
  }

 private:
  enum class Kind { integer, real, long_real };
  enum class Use { value, text, wide_text, count };
  struct Argument {
    Kind kind = Kind::integer;
    Use use = Use::value;
    std::size_t bytes = 0;  // of what "%n" writes
    std::size_t limit = 0;  // of the text that may be read
    std::uint64_t* word = nullptr;
    void* original = nullptr;
    void* place = nullptr;
  };

  static bool is_any_of(Character specifier, std::string_view characters) {
    return characters.find(static_cast<char>(specifier)) != characters.npos &&
           specifier == static_cast<Character>(static_cast<char>(specifier));
  }

  static bool takes_argument(Character specifier) { return is_any_of(specifier, "diouxXbBcCsSpnaAeEfFgG"); }

  /// Calls `function(conversion)`, in which arguments have their numbers, from 0 on.
  template <class Function>
  static void for_each_conversion(const Character* format, Function&& function) {
    using enum FormatNumber::Kind;
    FormatReader<Character> reader(format, FormatReader<Character>::Family::printf);
    std::size_t next = 0;
    Conversion<Character> conversion;
    while (reader.next(conversion)) {
      for (FormatNumber* const number : {&conversion.width, &conversion.precision}) {
        if (number->kind == next_argument)
          *number = {argument, next++};
        else if (number->kind == argument)
          --number->value;
      }
      if (takes_argument(conversion.specifier))
        conversion.argument = conversion.argument == 0 ? next++ : conversion.argument - 1;
      function(conversion);
    }
  }

  void count(const Conversion<Character>& conversion) {
    for (const FormatNumber& number : {conversion.width, conversion.precision})
      if (number.kind == FormatNumber::Kind::argument) count_ = std::max(count_, number.value + 1);
    if (takes_argument(conversion.specifier)) count_ = std::max(count_, conversion.argument + 1);
  }

  void note(const Conversion<Character>& conversion) {
    const Character specifier = conversion.specifier;
    if (!takes_argument(specifier)) return;
    Argument& argument = arguments_[conversion.argument];
    if (is_any_of(specifier, "aAeEfFgG"))
      argument.kind = conversion.length.is_long_double ? Kind::long_real : Kind::real;
    if (specifier == 's') argument.use = conversion.length.is_wide ? Use::wide_text : Use::text;
    if (specifier == 'S') argument.use = Use::wide_text;
    if (specifier == 'n') argument.use = Use::count;
    argument.bytes = conversion.length.bytes;
  }

  void read(std::va_list list) {
    words_ = memory_.room_for<std::uint64_t>(2 * count_ + 2);
    std::size_t next = 0;
    for (Argument* argument = arguments_; argument != arguments_ + count_; ++argument) {
      if (argument->kind == Kind::long_real) next += next % 2;  // aligned to 16 bytes
      argument->word = &words_[next];
      next += argument->kind == Kind::long_real ? 2 : 1;
      switch (argument->kind) {
        case Kind::integer:
          *argument->word = va_arg(list, std::uint64_t);
          break;
        case Kind::real:
          place<double>(*argument, va_arg(list, double));
          break;
        case Kind::long_real:
          place<long double>(*argument, va_arg(list, long double));
          break;
      }
    }
  }

  template <class T>
  static void place(Argument& argument, T value) {
    std::memcpy(argument.word, &value, sizeof(value));
  }

  /// Of text, as much is read as the precision says, since there may be no terminator.
  void note_limit(const Conversion<Character>& conversion) {
    if (!takes_argument(conversion.specifier)) return;
    Argument& argument = arguments_[conversion.argument];
    std::size_t limit = SIZE_MAX;
    if (conversion.precision.kind == FormatNumber::Kind::constant) limit = conversion.precision.value;
    if (conversion.precision.kind == FormatNumber::Kind::argument) {
      const auto precision = static_cast<int>(*arguments_[conversion.precision.value].word);
      if (precision >= 0) limit = static_cast<std::size_t>(precision);
    }
    argument.limit = std::max(argument.limit, limit);
  }

  void make_private(Argument& argument) {
    if (argument.use == Use::value) return;
    argument.original = reinterpret_cast<void*>(*argument.word);
    if (argument.use == Use::text)
      argument.place = copy_text(memory_, static_cast<const char*>(argument.original), argument.limit);
    else if (argument.use == Use::wide_text)
      argument.place = copy_text(memory_, static_cast<const wchar_t*>(argument.original), argument.limit);
    else
      argument.place = memory_.room_for<std::uint64_t>(1);
    *argument.word = reinterpret_cast<std::uint64_t>(argument.place);
  }

  PrivateMemory& memory_;
  Argument* arguments_ = nullptr;
  std::uint64_t* words_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace perdure::c

#endif
