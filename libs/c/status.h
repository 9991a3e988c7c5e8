#ifndef PERDURE_C_STATUS_H
#define PERDURE_C_STATUS_H

#include <string_view>

/// Exceptions become codes of perdure/c.h, and their texts the thread's last error.
namespace perdure::c {

/// Notes the text as the thread's last error. \returns the status.
int fail(int status, std::string_view text) noexcept;

/// In a handler: that of the exception, whose text is noted.
int status_of_exception() noexcept;

/// Runs `action`, which throws when it fails. \returns PERDURE_OK if it does not.
template <class Action>
int status_of(Action&& action) noexcept {
  try {
    action();
    return 0;
  } catch (...) {
    return status_of_exception();
  }
}

}  // namespace perdure::c

#endif
