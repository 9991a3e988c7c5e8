#ifndef PERDURE_TESTS_ISOLATION_HISTORY_CHECKER_H
#define PERDURE_TESTS_ISOLATION_HISTORY_CHECKER_H

#include <string>
#include <vector>

#include "history.h"

namespace perdure::history {

/// How a history is not one of opaque, strictly serializable transactions. The names are those of Adya, Liskov, O'Neil
/// (ICDE'00).
struct Anomaly {
  enum class Kind {
    unwritten_value,               ///< a list holds a value that nobody appended, or one twice
    lost_update,                   ///< a committed append is not in the final list
    aborted_read,                  ///< G1a: an append of an aborted attempt was seen, or is in the final list
    intermediate_read,             ///< G1b: a list was seen between two appends of one attempt
    incompatible_order,            ///< a list that was seen is no prefix of the final one
    internal,                      ///< an attempt did not see its own appends
    write_cycle,                   ///< G0: a cycle of writes
    read_cycle,                    ///< G1c: a cycle of writes and reads of them
    single_anti_dependency_cycle,  ///< G-single: ... and one overwritten read (read skew)
    anti_dependency_cycle          ///< G2: ... and several overwritten reads (write skew)
  };
  Kind kind;
  bool in_real_time = false;  ///< a cycle only with the order in real time: serializable, but not strictly
  std::string description;
};

const char* name_of(Anomaly::Kind);

/// Empty if all attempts, also those that aborted, could have seen what they saw in some one order of the committed
/// ones that respects real time. Of cycles one is described, of the strongest kind there is.
std::vector<Anomaly> check(const History&);

}  // namespace perdure::history

#endif
