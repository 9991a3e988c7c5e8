#ifndef PERDURE_PLUGIN_FRONT_END_NAMED_REPLACEMENTS_H
#define PERDURE_PLUGIN_FRONT_END_NAMED_REPLACEMENTS_H

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Decl.h>

#include <memory>

#include "discover/replacements.h"

namespace perdure::plugin {

/// Takes note of what [[perdure::replace]] says, while the file is parsed.
void note_replacement(const clang::FunctionDecl& replaced, const clang::FunctionDecl& replacement);

/// At the end of the file, when all attributes are known, puts what was noted into the table for the passes.
std::unique_ptr<clang::ASTConsumer> make_replacements_consumer(std::shared_ptr<Replacements> table);

}  // namespace perdure::plugin

#endif
