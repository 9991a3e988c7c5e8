// Serial transactions and what they call, in files with and without the plugin.
#include <cstdint>

struct Shared {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

/// Defined in another file: compilers make the constructor and the destructor other names of one function each.
class Scope {
 public:
  explicit Scope(Shared& shared);
  ~Scope();

 private:
  Shared& shared_;
};

/// In a file with the plugin, and without a mark.
void add_and_print(Shared& shared, std::uint64_t value);

// In a file without the plugin. What these write is not part of a transaction.
void print(std::uint64_t value);
void write_as_it_is(std::uint64_t& to, std::uint64_t value);
std::uint64_t printed();
