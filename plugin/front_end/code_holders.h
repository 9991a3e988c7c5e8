#ifndef PERDURE_PLUGIN_FRONT_END_CODE_HOLDERS_H
#define PERDURE_PLUGIN_FRONT_END_CODE_HOLDERS_H

#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInstance.h>

#include <memory>

#include "layouts/code_addresses.h"

namespace perdure::plugin {

/// The types of the file that hold pointers to functions, as they are defined.
struct CodeHoldersOfFile {
  std::unique_ptr<clang::ASTConsumer> consumer;
  std::shared_ptr<const CodeHolders> holders;
};
CodeHoldersOfFile make_code_holders();

}  // namespace perdure::plugin

#endif
