#ifndef PERDURE_PLUGIN_COMMON_HOST_H
#define PERDURE_PLUGIN_COMMON_HOST_H

namespace perdure::plugin {

/// Whether the program that loaded the plugin is clang, and not opt or a linker, which have no front end.
bool inside_clang();

}  // namespace perdure::plugin

#endif
