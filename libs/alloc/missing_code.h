#ifndef PERDURE_ALLOC_MISSING_CODE_H
#define PERDURE_ALLOC_MISSING_CODE_H

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace perdure::alloc {

/// A name that a pool knows and this program does not, and what stands in its place.
struct MissingCode {
  std::filesystem::path path;  ///< of the pool
  std::string name;            ///< as in alloc/program_code.h
  void* function = nullptr;    ///< whoever calls it is told, and the program ends
  /// What std::type_info of such an object is: a class without bases, of the name that it has in the pool.
  struct {
    const void* table = nullptr;
    const char* name = nullptr;
  } type;
  std::string type_name;
};

/// The same one each time. Stays until the program ends.
const MissingCode& missing_code(const std::filesystem::path& path, std::string_view name);

/// The one whose function that is; null when it is another function.
const MissingCode* missing_code_at(const void* function);

/// Ends the program: it calls what it does not have.
[[noreturn]] void stop_at_missing_code(const MissingCode& code);

}  // namespace perdure::alloc

#endif
