#ifndef PERDURE_CHECKED_PROGRAM_IMAGE_H
#define PERDURE_CHECKED_PROGRAM_IMAGE_H

namespace perdure::checked {

/// Whether a variable of the program itself lies at `address`, and will lie there in each run: the program was linked
/// with -no-pie.
bool is_fixed_variable(const void* address);

}  // namespace perdure::checked

#endif
