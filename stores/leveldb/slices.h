#ifndef PERDURE_STORES_LEVELDB_SLICES_H
#define PERDURE_STORES_LEVELDB_SLICES_H

#include <string_view>

#include <leveldb/slice.h>

namespace perdure::stores {

inline std::string_view view(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }
inline leveldb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace perdure::stores

#endif
