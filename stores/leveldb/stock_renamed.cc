// For the library with LevelDB's soname: in its copy of LevelDB's archive these three have other names
// (CMakeLists.txt).
#include "stock.h"

leveldb::Status perdure_stock_open(const leveldb::Options&, const std::string&,
                                   leveldb::DB**) __asm__("perdure_stock_open");
leveldb::Status perdure_stock_destroy(const std::string&, const leveldb::Options&) __asm__("perdure_stock_destroy");
leveldb::Status perdure_stock_repair(const std::string&, const leveldb::Options&) __asm__("perdure_stock_repair");

namespace perdure::stores::stock {

leveldb::Status open(const leveldb::Options& options, const std::string& name, leveldb::DB** result) {
  return perdure_stock_open(options, name, result);
}
leveldb::Status destroy(const std::string& name, const leveldb::Options& options) {
  return perdure_stock_destroy(name, options);
}
leveldb::Status repair(const std::string& name, const leveldb::Options& options) {
  return perdure_stock_repair(name, options);
}

}  // namespace perdure::stores::stock
