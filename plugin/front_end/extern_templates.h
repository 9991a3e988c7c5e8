#ifndef PERDURE_PLUGIN_FRONT_END_EXTERN_TEMPLATES_H
#define PERDURE_PLUGIN_FRONT_END_EXTERN_TEMPLATES_H

#include <clang/AST/ASTConsumer.h>

#include <memory>

namespace perdure::plugin {

/// Undoes `extern template` for member functions: the standard libraries declare those of std::string and others as
/// instantiated elsewhere, because their shared objects have them, but transactions need their bodies.
///
/// Virtual tables and static variables stay where they are. So do function templates that are declared so, because
/// clang does not tell of them.
std::unique_ptr<clang::ASTConsumer> make_extern_templates_consumer();

}  // namespace perdure::plugin

#endif
