#include "pool/fork.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "perdure/error.h"
#include "pool/refuse.h"
#include "pool/window.h"
#include "sched/fork_gate.h"

namespace perdure::pool {
namespace {

struct OpenFiles {
  std::mutex mutex;  // held while the process forks, so that the child finds the rest whole
  std::map<int, std::filesystem::path> paths;
  std::vector<void (*)()> hooks;
  void (*when_used)() = nullptr;
  struct sigaction before{};  // what was to be done about faults when the process was forked
  pid_t process = 0;          // the parent's, as of the last fork
  std::string message;        // for a child that is to end
};

void prepare_fork();
void after_fork_in_parent();
void after_fork_in_child();

/// Never destroyed: a process may fork while it ends.
OpenFiles& open_files() {
  static auto* const all = [] {
    pthread_atfork(prepare_fork, after_fork_in_parent, after_fork_in_child);
    return new OpenFiles;
  }();
  return *all;
}

std::string explain(const OpenFiles& files) {
  return "this process was forked from process " + std::to_string(files.process) + " while that had pool '" +
         files.paths.begin()->second.string() +
         "' open. Fork before pools are opened, or let the child execute a program of its own.";
}

void say_why() {
  const std::string& message = open_files().message;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
}

/// What the program would have done about it.
void pass_on_fault(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = open_files().before;
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  std::signal(signal, SIG_DFL);  // and the access is made again
}

/// If the child has touched memory of its parent's pools, its transaction is left. Outside of transactions it ends as
/// it would have, but not without a word.
void handle_fault(int signal, siginfo_t* info, void* context) {
  if (in_window(info->si_addr)) {
    if (const auto leave = open_files().when_used) leave();
    say_why();
  }
  pass_on_fault(signal, info, context);
}

/// The signal is not blocked by its handler, which may be left by a jump.
void handle_faults() {
  struct sigaction& before = open_files().before;
  if (sigaction(SIGSEGV, nullptr, &before) != 0) return;
  struct sigaction action{};
  action.sa_sigaction = handle_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | (before.sa_flags & SA_ONSTACK);
  sigaction(SIGSEGV, &action, nullptr);
}

void prepare_fork() {
  OpenFiles& files = open_files();
  sched::ForkGate::close();
  files.mutex.lock();
  if (files.paths.empty() || is_forked_child()) return;
  files.process = getpid();
  // Made in the parent: a handler of a signal cannot allocate.
  files.message = "perdure: memory of a pool was accessed in a forked child: " + explain(files) + "\n";
}

void after_fork_in_parent() {
  open_files().mutex.unlock();
  sched::ForkGate::open();
}

void after_fork_in_child() {
  OpenFiles& files = open_files();
  files.mutex.unlock();
  sched::ForkGate::open_in_child();
  if (files.paths.empty() || is_forked_child()) return;
  detail::is_forked_child.store(true, std::memory_order_relaxed);
  // The lock belongs to what parent and child would share.
  for (const auto& [descriptor, path] : files.paths) close(descriptor);
  for (void (*const hook)() : files.hooks) hook();
  handle_faults();
}

}  // namespace

void refuse_in_forked_child(std::filesystem::path path) {
  const OpenFiles& files = open_files();
  if (path.empty()) path = files.paths.begin()->second;
  refuse(PoolError::Kind::in_use, path, "cannot be used here: " + explain(files));
}

void keep_from_children(int descriptor, const std::filesystem::path& path) {
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  files.paths.emplace(descriptor, path);
}

void no_longer_keep_from_children(int descriptor) {
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  files.paths.erase(descriptor);
}

void when_child_uses_pool(void (*function)()) {
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  files.when_used = function;
}

void stop_at_pool_of_parent() {
  if (const auto leave = open_files().when_used) leave();
  say_why();
  std::abort();
}

void add_fork_hook(void (*function)()) {
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  files.hooks.push_back(function);
}

}  // namespace perdure::pool
