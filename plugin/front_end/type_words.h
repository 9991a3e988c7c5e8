#ifndef PERDURE_PLUGIN_FRONT_END_TYPE_WORDS_H
#define PERDURE_PLUGIN_FRONT_END_TYPE_WORDS_H

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Type.h>

#include "layouts/words.h"

namespace perdure::plugin {

/// Where the pointers of a type are, which must be complete and not dependent: otherwise it gives up.
///
/// References are pointers, and so are pointers to member functions, unless they are odd; the pointer to a table of
/// virtual functions, other pointers to members and integers of less than pointer size are none. Integers of pointer
/// size are unsure. So is memory for anything: an array of characters that is aligned to words on purpose, or is in a
/// union with pointers.
Words words_of(clang::QualType type, const clang::ASTContext& context);

/// The class without its virtual bases, if it is not complete, but part of a derived one.
Words words_of(const clang::RecordDecl& declaration, bool is_complete, const clang::ASTContext& context);

/// Whether it is an array of characters or bytes, of any number of dimensions.
bool is_characters(clang::QualType type, const clang::ASTContext& context);

}  // namespace perdure::plugin

#endif
