#include "common/host.h"

// clang::PluginASTAction's table of virtual functions: a name that every clang with plugin support exports.
[[gnu::weak]] extern const char clang_plugin_action asm("_ZTVN5clang15PluginASTActionE");

namespace perdure::plugin {

bool inside_clang() { return &clang_plugin_action != nullptr; }

}  // namespace perdure::plugin
