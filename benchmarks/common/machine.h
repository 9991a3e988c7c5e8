#ifndef PERDURE_BENCHMARKS_MACHINE_H
#define PERDURE_BENCHMARKS_MACHINE_H

#include <cstddef>
#include <filesystem>
#include <string>

/// Facts about the machine that a result is worth little without.
namespace perdure::benchmarks {

std::string processor_model();
std::string kernel_version();
std::string compiler_version();

/// Cores that this process may run on.
std::size_t usable_cores();

/// Processor time so far, of the calling thread and of all threads.
double thread_processor_seconds();
double processor_seconds();

/// Binds the calling thread to the `index`-th usable core, counted round and round.
/// \throws std::system_error if the operating system refuses.
void pin_to_core(std::size_t index);

/// The file system that `path` lies on: "tmpfs", "ext", …
std::string file_system_of(const std::filesystem::path& path);

}  // namespace perdure::benchmarks

#endif
