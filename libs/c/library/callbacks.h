#ifndef PERDURE_C_LIBRARY_CALLBACKS_H
#define PERDURE_C_LIBRARY_CALLBACKS_H

#include "abi/entry_points.h"

namespace perdure::c {

/// The clone of a function that the program has given to a function of the C library, which calls it. Ends the program,
/// with a message, when there is none.
/// \param caller  the name of that function
template <class Function>
Function* clone_of(Function* function, const char* caller) {
  return reinterpret_cast<Function*>(perdure_clone_of(reinterpret_cast<void*>(function), caller));
}

}  // namespace perdure::c

#endif
