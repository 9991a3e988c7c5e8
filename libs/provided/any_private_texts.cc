// What calls of functions as they are (entry/private_calls.h) write into strings of the transaction. Compiled with the
// plugin.
#include <new>
#include <string>

#include "perdure/attributes.h"

namespace perdure::provided {

[[perdure::implements("perdure_assign_text")]] void assign_text(std::string* to, const std::string* from) {
  to->assign(from->data(), from->size());
}
[[perdure::implements("perdure_construct_text")]] void construct_text(std::string* to, const std::string* from) {
  new (to) std::string(from->data(), from->size());
}
[[perdure::implements("perdure_assign_wide_text")]] void assign_wide_text(std::wstring* to, const std::wstring* from) {
  to->assign(from->data(), from->size());
}
[[perdure::implements("perdure_construct_wide_text")]] void construct_wide_text(std::wstring* to,
                                                                                const std::wstring* from) {
  new (to) std::wstring(from->data(), from->size());
}

}  // namespace perdure::provided
