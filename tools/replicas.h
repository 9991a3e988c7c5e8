#ifndef PERDURE_TOOLS_REPLICAS_H
#define PERDURE_TOOLS_REPLICAS_H

#include "document.h"
#include "pool/format.h"

namespace perdure::tools {

/// Further copies of superblocks that are in a file (log/replica_set.h): of a pool that is in use, or was not closed.
/// \param file  open for reading. Its user may go on meanwhile, or it may be damaged: then they are counted roughly.
void add_replicas(int file, const pool::Header& header, Document& document);

}  // namespace perdure::tools

#endif
