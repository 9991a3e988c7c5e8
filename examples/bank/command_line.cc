#include "command_line.h"

#include <perdure/perdure.h>
#include <CLI/CLI.hpp>

#include "bank.h"

std::optional<int> read_command_line(int argc, char** argv, Options& options) {
  CLI::App app(std::string("Moves money between accounts in a pool; linked with ") + perdure::library_name());
  app.add_option("pool", options.pool, "the pool's file, made if there is none")->required();
  app.add_option("--threads", options.threads, "tellers")->check(CLI::Range(std::size_t{1}, Bank::most_tellers));
  app.add_option("--accounts", options.accounts, "accounts of a new bank")->check(CLI::Range(2L, 1'000'000L));
  app.add_option("--seconds", options.seconds, "how long")->check(CLI::NonNegativeNumber);
  app.add_option("--seed", options.seed, "of the random choices");
  app.add_option("--acknowledge", options.acknowledge,
                 "write teller and number of each finished transfer, two 64-bit "
                 "integers, to this file descriptor");
  app.add_flag("--check", options.check, "audit the books and do nothing else");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  return std::nullopt;
}
