#ifndef PERDURE_PLUGIN_FRONT_END_INHERITED_ATTRIBUTES_H
#define PERDURE_PLUGIN_FRONT_END_INHERITED_ATTRIBUTES_H

#include <clang/AST/ASTConsumer.h>

#include <memory>

namespace perdure::plugin {

/// Marks member functions that override one marked [[perdure::safe]] as safe, too, unless they are marked themselves:
/// who calls the overridden one cannot know which it is.
std::unique_ptr<clang::ASTConsumer> make_inherited_attributes_consumer();

}  // namespace perdure::plugin

#endif
