#ifndef PERDURE_PLUGIN_TESTS_ELSEWHERE_H
#define PERDURE_PLUGIN_TESTS_ELSEWHERE_H

#include <cstdint>
#include <map>
#include <string>

// Defined in another file, without a mark.
namespace elsewhere {

struct Account {
  explicit Account(std::uint64_t balance);
  virtual ~Account();
  virtual std::uint64_t interest(unsigned percent) const;
  void book(const std::string& text, std::int64_t amount);

  std::map<std::string, std::int64_t> entries;
  std::uint64_t balance;
};

Account* make_savings(std::uint64_t balance);
std::uint64_t checksum(const unsigned char* bytes, std::size_t size);
using Operation = std::uint64_t (*)(std::uint64_t&, std::uint64_t);
Operation operation(unsigned number);
std::uint64_t next_number();
/// Its own file takes its address nowhere.
std::uint64_t square(std::uint64_t& total, std::uint64_t number);

}  // namespace elsewhere

#endif
