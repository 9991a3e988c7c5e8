#include "victim.h"

#include <CLI/CLI.hpp>

namespace perdure::testing {

int run_victim(const char* description, int count, char** arguments,
               const std::function<void(const VictimOptions&)>& run) {
  CLI::App app(description);
  VictimOptions options;
  app.add_option("path", options.path, "the pools' files begin with this")->required();
  app.add_option("--threads", options.threads)->check(CLI::Range(std::size_t{1}, most_threads));
  app.add_option("--seconds", options.seconds);
  app.add_option("--acknowledge", options.acknowledge, "a descriptor: who, and the number of each transaction");
  app.add_flag("--check", options.check);
  try {
    app.parse(count, arguments);
    run(options);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", arguments[0], error.what());
    return 1;
  }
}

}  // namespace perdure::testing
