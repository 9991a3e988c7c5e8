#ifndef PERDURE_ENTRY_CODE_ADDRESSES_H
#define PERDURE_ENTRY_CODE_ADDRESSES_H

namespace perdure::entry {

/// The program's function behind one that is in no table of clones, since it was loaded from a pool; otherwise the
/// same. Ends the program if a pool has it and the program does not.
void* function_behind(void* function);

}  // namespace perdure::entry

#endif
