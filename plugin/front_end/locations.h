#ifndef PERDURE_PLUGIN_FRONT_END_LOCATIONS_H
#define PERDURE_PLUGIN_FRONT_END_LOCATIONS_H

#include <clang/AST/ASTConsumer.h>

#include <memory>

/// Source locations in the module, which our messages need, where nobody asked for debug information. They prolong the
/// compilation, so a file without transactions gets none: its functions are marked `nodebug`, and the marks are taken
/// back at the first sign of a transaction. With -flto transactions may be in another file, so all files get them.
namespace perdure::plugin {

std::unique_ptr<clang::ASTConsumer> make_locations_consumer();

/// There is a sign: the header, its name in the main file, or an attribute.
void expect_transactions();

}  // namespace perdure::plugin

#endif
