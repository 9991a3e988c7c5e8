# Substitutions of the tests:
#   %opt          opt with the plugin; the module is verified after each pass
#   %clangxx      clang++ with the plugin and the public headers
#   %plain_clangxx  the same without the plugin
#   %clang, %plain_clang  the same for C
#   %run_on_deferred_runtime FLAGS…  builds the test with FLAGS, links it with runtime/deferred_runtime.cc and runs it
#   %build_on_deferred_runtime FLAGS…  the same without running it: it is %t.program
import os
import shutil

import lit.formats

config.name = "plugin"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".ll", ".cc", ".c"]
config.excludes = ["deferred_runtime.cc", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = config.llvm_tools + os.pathsep + config.environment.get("PATH", "")

includes = f"-I{config.repository}/include -I{config.repository}/libs"
clang = os.path.join(config.llvm_tools, "clang++") + f" -std=c++20 {includes}"
clang_of_c = os.path.join(config.llvm_tools, "clang") + f" {includes}"
config.substitutions += [
    ("%opt", os.path.join(config.llvm_tools, "opt") + f" -load-pass-plugin={config.plugin} -verify-each -S"),
    ("%clangxx", f"{clang} -fplugin={config.plugin}"),
    ("%plain_clangxx", clang),
    ("%clang ", f"{clang_of_c} -fplugin={config.plugin} "),
    ("%plain_clang ", f"{clang_of_c} "),
    ("%plugin", config.plugin),
]
config.substitutions += [
    (
        f"%{action}_on_deferred_runtime",
        f"sh {config.test_source_root}/runtime/build_and_run.sh {action} '{clang}' {config.plugin} "
        f"{config.repository} {config.test_exec_root} %s %t",
    )
    for action in ("build", "run")
]

# Further levels and flags: %if long %{ … %}.
if lit_config.params.get("long"):
    config.available_features.add("long")
if shutil.which("gdb"):
    config.available_features.add("gdb")
config.available_features.add(f"llvm-{config.llvm_version}")
if os.path.isdir(os.path.join(config.llvm_tools, "..", "include", "c++", "v1")):
    config.available_features.add("libc++")
