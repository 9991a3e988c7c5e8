#include "simulate/isolated.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

namespace perdure::simulate {
namespace {

/// What the exploring process tells the waiting one; in memory that both share.
struct Shared {
  Report report;
  char at[4096];
  char violation[4096];
  bool violated;
  std::size_t site_count;
  Site sites[512];
};

class SharedMemory {
 public:
  SharedMemory() {
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    shared_ = new (memory) Shared{};
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { munmap(shared_, sizeof(Shared)); }
  Shared* operator->() const { return shared_; }

 private:
  Shared* shared_;
};

template <std::size_t Size>
void copy(char (&to)[Size], const std::string& from) {
  std::snprintf(to, Size, "%s", from.c_str());
}

void explore(Workload& workload, const Plan& plan, const std::filesystem::path& directory, unsigned seconds,
             SharedMemory& shared) {
  Explorer explorer(workload, plan, directory);
  explorer.on_case = [&](const Case& current) {
    alarm(seconds);
    copy(shared->at, current.spell());
  };
  try {
    shared->report = explorer.explore();
  } catch (const std::exception& error) {
    shared->violated = true;
    copy(shared->violation, error.what());
    copy(shared->at, explorer.current_case().spell());
  }
  for (const Site& site : explorer.sites().all())
    if (shared->site_count < std::size(shared->sites)) shared->sites[shared->site_count++] = site;
}

}  // namespace

void hide_output() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, descriptor);
  close(nowhere);
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "the program does not come to an end";
  if (WIFSIGNALED(status)) return std::string("the program was ended: ") + strsignal(WTERMSIG(status));
  return "the program ended by itself with status " + std::to_string(WEXITSTATUS(status));
}

std::filesystem::path pool_directory(pid_t process) {
  const std::string number = std::to_string(process);
  return std::filesystem::path("/dev/shm") / ("perdure-simulate-" + std::string(10 - number.size(), '0') + number);
}

Verdict explore_isolated(Workload& workload, const Plan& plan, unsigned seconds, Output output) {
  const std::filesystem::path directory = pool_directory(getpid());
  SharedMemory shared;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (output == Output::hidden) hide_output();
    explore(workload, plan, directory, seconds, shared);
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::remove_all(directory);
  Verdict verdict{shared->report, std::nullopt, shared->at, {shared->sites, shared->sites + shared->site_count}};
  if (shared->violated)
    verdict.violation = shared->violation;
  else if (status != 0)
    verdict.violation = describe_end(status);
  return verdict;
}

}  // namespace perdure::simulate
