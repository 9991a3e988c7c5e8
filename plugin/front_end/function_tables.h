#ifndef PERDURE_PLUGIN_FRONT_END_FUNCTION_TABLES_H
#define PERDURE_PLUGIN_FRONT_END_FUNCTION_TABLES_H

#include <clang/AST/ASTConsumer.h>
#include <llvm/ADT/StringSet.h>

#include <memory>

namespace perdure::plugin {

/// The symbols of the file's variables that are tables of functions, though nobody has called them constants: in C the
/// operations of a type are mostly written so. They have pointers to functions and to constants, and nothing else.
struct FunctionTablesOfFile {
  std::unique_ptr<clang::ASTConsumer> consumer;
  std::shared_ptr<const llvm::StringSet<>> symbols;
};
FunctionTablesOfFile make_function_tables();

}  // namespace perdure::plugin

#endif
