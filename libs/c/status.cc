#include "c/status.h"

#include <exception>
#include <new>

#include "perdure/c.h"
#include "perdure/error.h"
#include "sched/of_thread.h"
#include "tx/part_results.h"

namespace perdure::c {
namespace {

struct LastError {
  char text[1024] = "";
};

perdure_status status_of(PoolError::Kind kind) {
  switch (kind) {
    case PoolError::Kind::not_a_pool:
      return PERDURE_NOT_A_POOL;
    case PoolError::Kind::truncated:
      return PERDURE_TRUNCATED;
    case PoolError::Kind::damaged:
      return PERDURE_DAMAGED;
    case PoolError::Kind::wrong_version:
      return PERDURE_WRONG_VERSION;
    case PoolError::Kind::in_use:
      return PERDURE_IN_USE;
    case PoolError::Kind::address_taken:
      return PERDURE_ADDRESS_TAKEN;
    case PoolError::Kind::no_permission:
      return PERDURE_NO_PERMISSION;
    case PoolError::Kind::no_space:
      return PERDURE_NO_SPACE;
    case PoolError::Kind::root_type_mismatch:
      return PERDURE_ROOT_TYPE_MISMATCH;
    case PoolError::Kind::no_such_root:
      return PERDURE_NO_SUCH_ROOT;
    case PoolError::Kind::root_exists:
      return PERDURE_ROOT_EXISTS;
    case PoolError::Kind::system:
      return PERDURE_SYSTEM;
    case PoolError::Kind::usage:
      return PERDURE_USAGE;
    case PoolError::Kind::pool_missing:
      return PERDURE_POOL_MISSING;
    case PoolError::Kind::missing_code:
      return PERDURE_MISSING_CODE;
  }
  return PERDURE_FAILED;
}

static_assert(PERDURE_RETRIED == tx::part_retried && PERDURE_TIMED_OUT == tx::timed_out &&
              PERDURE_CANCELLED == tx::cancelled_by_other);

}  // namespace

int fail(int status, std::string_view text) noexcept {
  if (auto* const error = sched::find_of_thread<LastError>())
    error->text[text.copy(error->text, sizeof error->text - 1)] = '\0';
  return status;
}

int status_of_exception() noexcept {
  try {
    throw;
  } catch (const PoolError& error) {
    return fail(status_of(error.kind()), error.what());
  } catch (const DurabilityError& error) {
    return fail(PERDURE_NOT_DURABLE, error.what());
  } catch (const std::bad_alloc&) {
    return fail(PERDURE_OUT_OF_MEMORY,
                "there is no room left: free something, open the pool with a larger limit, or make room on the disk");
  } catch (const std::exception& error) {
    return fail(PERDURE_FAILED, error.what());
  } catch (...) {
    return fail(PERDURE_FAILED, "an exception of C++ that is no std::exception left the transaction");
  }
}

}  // namespace perdure::c

const char* perdure_last_error() {
  const auto* const error = perdure::sched::find_of_thread<perdure::c::LastError>();
  return error == nullptr ? "" : error->text;
}
