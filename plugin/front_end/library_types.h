#ifndef PERDURE_PLUGIN_FRONT_END_LIBRARY_TYPES_H
#define PERDURE_PLUGIN_FRONT_END_LIBRARY_TYPES_H

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <optional>

#include "layouts/words.h"

namespace perdure::plugin {

/// Whether it is libstdc++'s or libc++'s.
bool is_of_library(const clang::Decl& declaration);

/// The words of a type of libstdc++ or libc++ whose members alone do not tell them: memory for a value, strings and
/// variants. Nothing for all others.
std::optional<Words> words_of_library_type(const clang::RecordDecl& record, const clang::ASTContext& context);

}  // namespace perdure::plugin

#endif
