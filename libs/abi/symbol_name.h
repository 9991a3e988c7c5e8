#ifndef PERDURE_ABI_SYMBOL_NAME_H
#define PERDURE_ABI_SYMBOL_NAME_H

#include <string>

namespace perdure::abi {

/// What the program calls the function at an address ("Circle::area() const"), also when it is not exported; where the
/// symbols were stripped, the file and the offset in it. For messages: it reads the program's file.
std::string name_of_function(const void* address);

}  // namespace perdure::abi

#endif
