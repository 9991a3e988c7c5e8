#ifndef PERDURE_PLUGIN_DISCOVER_PRIVATE_CLASSES_H
#define PERDURE_PLUGIN_DISCOVER_PRIVATE_CLASSES_H

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>

#include <optional>

/// Functions of the C++ libraries that transactions call as they are where what they work on is private to the
/// transaction (private_calls.def).
namespace perdure::plugin {

/// How an argument of such a call is made private, or found to be.
enum class Passing {
  as_it_is,
  object,        ///< a pointer to what the function may change: it must be private
  constant,      ///< a pointer to what it only reads: likewise
  of_library,    ///< a pointer to an object with virtual functions, which must be the library's; its state is constant
  resource,      ///< a pointer to a memory resource: the library's, and private or immutable
  unless_null,   ///< a pointer to something that may call code of the program
  text,          ///< a pointer to a string that the function reads: a copy
  text_back,     ///< a pointer to a string that it changes: a copy, which is copied back
  view,          ///< a pointer to a string_view: a copy, of what it leads to as well
  c_string,      ///< a pointer to characters up to a zero: a copy
  counted,       ///< a pointer to bytes or characters, as many as the next argument says: a copy
  count_before,  ///< a pointer to as many as the argument before says
  range,         ///< a pointer to characters, up to the next argument: a copy
  locale,        ///< a pointer to a locale: a copy
  value_back     ///< a pointer to a number: a copy, which is copied back
};

struct PrivateArgument {
  Passing passing = Passing::as_it_is;
  unsigned bytes = 0;  ///< of a character, or of a number
};

/// One argument of the call each, beginning with that for the result.
using PrivateSignature = llvm::SmallVector<PrivateArgument, 6>;

/// Whether the function is one of these. Independent of its arguments.
bool is_called_privately(const llvm::Function& function);

/// Whether clones call it as it is, whatever it is given.
bool is_harmless_function(llvm::StringRef symbol);

/// Of a function that is called privately.
PrivateSignature private_signature(const llvm::Function& function);

/// Whether a call returns a string by value, and how many bytes its characters have; 0: no.
unsigned character_bytes_of_result(const llvm::Function& function);

}  // namespace perdure::plugin

#endif
