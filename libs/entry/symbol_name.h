#ifndef PERDURE_ENTRY_SYMBOL_NAME_H
#define PERDURE_ENTRY_SYMBOL_NAME_H

#include <optional>
#include <string>

namespace perdure::entry {

/// What the program calls the function at an address ("Circle::area() const"), also when it is not exported; where the
/// symbols were stripped, the file and the offset in it. For messages: it reads the program's file.
std::string name_of_function(const void* address);

/// The same for any address in the program or a shared library that it has loaded: a function, a variable, or a table
/// of virtual functions ("vtable for Circle"). Nothing for other addresses.
std::optional<std::string> name_of_symbol(const void* address);

}  // namespace perdure::entry

#endif
