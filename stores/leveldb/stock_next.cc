// For LD_PRELOAD: what the dynamic linker would have found without this library.
#include <dlfcn.h>

#include "stock.h"

namespace perdure::stores::stock {
namespace {

template <class Function>
Function* next(const char* symbol) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, symbol));
}

leveldb::Status missing(const std::string& name) {
  return leveldb::Status::NotSupported(name, "is LevelDB's own, and libleveldb.so.1d is not loaded");
}

}  // namespace

leveldb::Status open(const leveldb::Options& options, const std::string& name, leveldb::DB** result) {
  static auto* const function = next<leveldb::Status(const leveldb::Options&, const std::string&, leveldb::DB**)>(
      "_ZN7leveldb2DB4OpenERKNS_7OptionsERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPPS0_");
  return function == nullptr ? missing(name) : function(options, name, result);
}

leveldb::Status destroy(const std::string& name, const leveldb::Options& options) {
  static auto* const function = next<leveldb::Status(const std::string&, const leveldb::Options&)>(
      "_ZN7leveldb9DestroyDBERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_7OptionsE");
  return function == nullptr ? missing(name) : function(name, options);
}

leveldb::Status repair(const std::string& name, const leveldb::Options& options) {
  static auto* const function = next<leveldb::Status(const std::string&, const leveldb::Options&)>(
      "_ZN7leveldb8RepairDBERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_7OptionsE");
  return function == nullptr ? missing(name) : function(name, options);
}

}  // namespace perdure::stores::stock
