#ifndef PERDURE_STORES_LEVELDB_VERIFY_H
#define PERDURE_STORES_LEVELDB_VERIFY_H

#include <string>

#include "root.h"

namespace perdure::stores {

/// What is wrong with the index, leaf by leaf; empty: nothing. Others may change it meanwhile.
std::string fault_of(const Tree& tree, const KeyOrder& order);

}  // namespace perdure::stores

#endif
