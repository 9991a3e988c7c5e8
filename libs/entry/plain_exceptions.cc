// Clones of the destructors of the standard exceptions that hold nothing (libs/abi/exceptions.def). Those of the
// library write to the object which class it is of now: a write that no abort would undo.
extern "C" {

void perdure_tm__ZdlPv(void* block);

#define PERDURE_PLAIN_EXCEPTION(library, name, type) \
  void perdure_tm__ZN##name##D1Ev(void*) noexcept {} \
  void perdure_tm__ZN##name##D2Ev(void*) noexcept {} \
  void perdure_tm__ZN##name##D0Ev(void* object) noexcept { perdure_tm__ZdlPv(object); }
#include "abi/exceptions.def"

}  // extern "C"
