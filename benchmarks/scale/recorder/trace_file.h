#ifndef PERDURE_BENCHMARKS_SCALE_TRACE_FILE_H
#define PERDURE_BENCHMARKS_SCALE_TRACE_FILE_H

#include "log/growing_array.h"
#include "scale/trace.h"

namespace perdure::scale {

using Transactions = log::GrowingArray<TransactionShape>;
using Accesses = log::GrowingArray<Access>;

/// Forgets the oldest transactions where there are many more than RECORD_TRANSACTIONS (1,000 if it is not set).
void keep_last(Transactions& transactions, Accesses& accesses);

/// Appends the last RECORD_TRANSACTIONS as a stream to the file that RECORD_TRACE names, if it does. Ends the
/// program, with a message, if the file cannot be written.
void append_to_trace(const Transactions& transactions, const Accesses& accesses);

}  // namespace perdure::scale

#endif
