#include "life.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <sstream>
#include <stdexcept>
#include <thread>

extern char** environ;  // NOLINT: of POSIX

namespace perdure::outside {
namespace {

pid_t spawn(const std::vector<std::string>& words, int output) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + words[0]);
  return child;
}

std::string listen(int input, pid_t child) {
  constexpr int longest_ms = 60'000;
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    pollfd wanted{input, POLLIN, 0};
    if (poll(&wanted, 1, longest_ms) == 0) {
      kill(child, SIGKILL);
      return text + "\nbroken: nothing happens any more\n";
    }
    const ssize_t got = read(input, buffer.data(), buffer.size());
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Story story_of(const std::string& text) {
  Story story;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    if (line.starts_with("refused") || line.starts_with("broken")) {
      story.complaint = line;
    } else if (line.starts_with("failed")) {
      story.has_failed = true;
    } else if (line.starts_with("found")) {
      words >> line;
      for (std::uint64_t& count : story.found) words >> count;
      story.acknowledged = story.found;
      story.has_found = true;
    } else if (std::size_t thread = 0; words >> thread && thread < victim_threads) {
      words >> story.acknowledged[thread];
    }
  }
  return story;
}

}  // namespace

Story live(LosingFiles& files, const std::vector<std::string>& words, std::size_t calls, LosingFiles::End end) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::atomic<pid_t> child{0};
  if (calls != 0)
    files.end_in(calls, end, [&child] {
      while (child.load() == 0) std::this_thread::yield();
      kill(child, SIGKILL);
    });
  child = spawn(words, pipe_ends[1]);
  close(pipe_ends[1]);
  Story story = story_of(listen(pipe_ends[0], child));
  close(pipe_ends[0]);
  waitpid(child, &story.status, 0);
  story.was_ended = files.has_ended();
  return story;
}

}  // namespace perdure::outside
