// perdure: looks at pools, recovers them, and says how much disk space they take up.
#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

#include "commands.h"
#include "perdure/error.h"
#include "persist/environment.h"

namespace perdure::tools {
namespace {

enum ExitStatus { fine = 0, damaged = 1, failed = 2 };

struct Arguments {
  std::string path;
  std::string root;
  TypedDump typed;
  Relocation relocation;
  std::uint64_t size = 0;  // bytes
  bool json = false;
};

class Program {
 public:
  Program() {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", PERDURE_VERSION);
    app_.footer("Exit status: 0 fine, 1 the pool is damaged, 2 the command failed. See perdure(1).");
    add("info", "What the header says, also of a pool in use", [this] { return show(info(arguments_.path)); });
    add("check", "Whether the pool is whole; nothing is written",
        [this] { return show_check(check(arguments_.path)); });
    add("scrub", "Whether every page is what was written there; nothing is written",
        [this] { return show_check(scrub(arguments_.path)); });
    add("roots", "The roots and their types", [this] { return show(roots(arguments_.path)); });
    add("stats", "What the space is used for", [this] { return show(stats(arguments_.path)); });
    add("recover", "Recover the pool after a crash (writes to it)", [this] { return show(recover(arguments_.path)); });
    add("grow", "Reserve disk space ahead (writes to the pool)",
        [this] { return show(grow(arguments_.path, arguments_.size)); })
        .add_option("--size", arguments_.size, "Of the pool: bytes, or with a unit: 500M, 2G")
        ->required()
        ->transform(CLI::AsSizeValue(false));
    add("trim", "Give back the disk space of what is free (writes to the pool)",
        [this] { return show(trim(arguments_.path)); });
    add("compact", "Move objects together, then trim (writes to the pool)",
        [this] { return show(compact(arguments_.path)); });
    add_relocate();
    add_dump();
  }

  int run(int count, char** values) {
    try {
      app_.parse(count, values);
      persistence::require_valid_environment();
      return command_();
    } catch (const CLI::ParseError& error) {
      return app_.exit(error) == 0 ? fine : failed;
    } catch (const std::exception& error) {
      std::cerr << "perdure: " << error.what() << '\n';
      return failed;
    }
  }

 private:
  CLI::App& add(const std::string& name, const std::string& description, std::function<int()> command) {
    CLI::App& added = *app_.add_subcommand(name, description);
    added.add_option("file", arguments_.path, "The pool")->required();
    added.add_flag("--json", arguments_.json, "Print JSON");
    added.callback([this, command = std::move(command)] { command_ = command; });
    return added;
  }

  void add_relocate() {
    CLI::App& added = add("relocate", "Move the pool to another address (writes to it)",
                          [this] { return show(relocate(arguments_.path, arguments_.relocation)); });
    added.add_option("--to", arguments_.relocation.address, "The address; without it, any other than the present one");
    const std::map<std::string, relocate::UnsureWords> answers = {{"refuse", relocate::UnsureWords::refuse},
                                                                  {"keep", relocate::UnsureWords::keep},
                                                                  {"move", relocate::UnsureWords::move}};
    added
        .add_option("--unsure", arguments_.relocation.unsure,
                    "Words that may be pointers and may be not: refuse to move the pool, keep, or move them")
        ->transform(CLI::CheckedTransformer(answers))
        ->default_str("refuse");
  }

  void add_dump() {
    CLI::App& dump = add("dump", "A root's object: its bytes, or by its type", [this] { return show_dump(); });
    dump.add_option("--root", arguments_.root, "Name of the root")->required();
    CLI::Option* const program =
        dump.add_option("--program", arguments_.typed.program, "Program with the root's type, compiled with -g");
    dump.add_option("--depth", arguments_.typed.depth, "How far pointers are followed")
        ->capture_default_str()
        ->needs(program);
    dump.add_option("--elements", arguments_.typed.elements, "Of an array or text that are shown; 0: all")
        ->capture_default_str()
        ->needs(program);
  }

  int show(const Document& document) const {
    if (arguments_.json)
      print_json(document, std::cout);
    else
      print_table(document, std::cout);
    return fine;
  }

  int show_check(const Document& checked) const {
    show(checked);
    return checked["damage"].empty() ? fine : damaged;
  }

  int show_dump() const {
    if (!arguments_.typed.program.empty()) return show_typed_dump();
    const Document dumped = dump(arguments_.path, arguments_.root);
    if (arguments_.json) return show(dumped);
    std::cout << spell_dump(dumped);
    return fine;
  }

  int show_typed_dump() const {
    const Document dumped = dump_typed(arguments_.path, arguments_.root, arguments_.typed);
    if (arguments_.json) return show(dumped);
    std::cout << spell_typed_dump(dumped);
    return fine;
  }

  CLI::App app_{"Looks at Perdure's pools, and recovers them.", "perdure"};
  Arguments arguments_;
  std::function<int()> command_;
};

}  // namespace
}  // namespace perdure::tools

int main(int count, char** values) { return perdure::tools::Program().run(count, values); }
