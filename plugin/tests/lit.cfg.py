# Substitutions of the tests:
#   %opt          opt with the plugin; the module is verified after each pass
#   %clangxx      clang++ with the plugin and the public headers
#   %plain_clangxx  the same without the plugin
#   %clang, %plain_clang  the same for C
#   %run_on_deferred_runtime FLAGS…  builds the test with FLAGS, links it with runtime/deferred_runtime.cc and runs it
#   %build_on_deferred_runtime FLAGS…  the same without running it: it is %t.program
import os
import shlex
import shutil

import lit.formats

config.name = "plugin"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".ll", ".cc", ".c"]
config.excludes = ["deferred_runtime.cc", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = config.llvm_tools + os.pathsep + config.environment.get("PATH", "")



def tool(name, *arguments):
    return [os.path.join(config.llvm_tools, name), *arguments]


# Any of the folders may have a space in its name.
includes = [f"-I{config.repository}/include", f"-I{config.repository}/libs"]
clang = tool("clang++", "-std=c++20", *includes)
clang_of_c = tool("clang", *includes)
load_plugin = f"-fplugin={config.plugin}"
config.substitutions += [
    ("%opt", shlex.join(tool("opt", f"-load-pass-plugin={config.plugin}", "-verify-each", "-S"))),
    ("%clangxx", shlex.join([*clang, load_plugin])),
    ("%plain_clangxx", shlex.join(clang)),
    ("%clang ", shlex.join([*clang_of_c, load_plugin]) + " "),
    ("%plain_clang ", shlex.join(clang_of_c) + " "),
    ("%plugin", shlex.quote(config.plugin)),
]
build_and_run = os.path.join(config.test_source_root, "runtime", "build_and_run.sh")
roots = [config.plugin, config.repository, config.test_exec_root]
config.substitutions += [
    (
        f"%{action}_on_deferred_runtime",
        f"sh {shlex.join([build_and_run, action, tool('clang++')[0], *roots])} %s %t",
    )
    for action in ("build", "run")
]
# Before lit puts the names in.
config.substitutions += [(rf"%{letter}\b", f"'%{letter}'") for letter in "sStT"]

# Further levels and flags: %if long %{ … %} with `make test-long`.
if lit_config.params.get("long"):
    config.available_features.add("long")
if shutil.which("gdb"):
    config.available_features.add("gdb")
config.available_features.add(f"llvm-{config.llvm_version}")
if os.path.isdir(os.path.join(config.llvm_tools, "..", "include", "c++", "v1")):
    config.available_features.add("libc++")
