// Runs a script of Lua in transactions, one step each, with the interpreter's state in a pool; or, with PLAIN, the same
// without transactions and pool. Prints each step's number and result when it has committed.
#include <cstdio>
#include <cstdlib>
#include <string>

// Lua is compiled as C++, so its headers are included as they are.
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

#ifdef PLAIN
#define TM_BEGIN {
#define TM_END }
#else
#include <perdure/perdure.h>
#endif

namespace {

struct Root {
  lua_State* state = nullptr;
  int steps = 0;
};

/// In a transaction the memory is the pool's.
void* allocate(void*, void* block, std::size_t, std::size_t bytes) {
  if (bytes != 0) return std::realloc(block, bytes);
  std::free(block);
  return nullptr;
}

lua_State* new_state() {
  constexpr luaL_Reg libraries[] = {{"_G", luaopen_base},   {"table", luaopen_table}, {"string", luaopen_string},
                                    {"math", luaopen_math}, {"utf8", luaopen_utf8},   {"coroutine", luaopen_coroutine}};
  lua_State* const state = lua_newstate(allocate, nullptr);
  for (const luaL_Reg& library : libraries) {
    luaL_requiref(state, library.name, library.func, 1);
    lua_pop(state, 1);
  }
  return state;
}

/// \returns whether there was no error; `text` says what came out.
bool call(lua_State* state, int arguments, char (&text)[1000]) {
  const bool is_good = lua_pcall(state, arguments, 1, 0) == LUA_OK;
  std::size_t length = 0;
  const char* const result = luaL_tolstring(state, -1, &length);
  for (std::size_t i = 0; i <= length && i < sizeof text; ++i) text[i] = result[i];
  text[sizeof text - 1] = '\0';
  lua_settop(state, 0);
  return is_good;
}

void load(Root& root, const std::string& script) {
  char text[1000] = "";
  bool is_good = true;
  TM_BEGIN {
    if (root.state == nullptr) {
      lua_State* const state = new_state();
      is_good = luaL_loadbufferx(state, script.data(), script.size(), "=script", "t") == LUA_OK && call(state, 0, text);
      root.state = state;
    }
  } TM_END;
  if (is_good) return;
  std::printf("the script fails: %s\n", text);
  std::exit(1);
}

void run(Root& root, int steps) {
  while (root.steps < steps) {
    char text[1000] = "";
    int step = 0;
    TM_BEGIN {
      step = ++root.steps;
      lua_getglobal(root.state, "step");
      lua_pushinteger(root.state, step);
      call(root.state, 1, text);
    } TM_END;
    std::printf("%d %s\n", step, text);
    std::fflush(stdout);
  }
}

std::string read_file(const char* name) {
  std::string text;
  std::FILE* const file = std::fopen(name, "r");
  if (file == nullptr) return text;
  for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace

/// host <script> <steps> [<pool>]
int main(int, char** arguments) {
  const std::string script = read_file(arguments[1]);
  const int steps = std::atoi(arguments[2]);
#ifdef PLAIN
  Root root;
#else
  perdure::Pool pool = perdure::Pool::open(arguments[3]);
  Root& root = pool.root<Root>("lua");
#endif
  load(root, script);
  run(root, steps);
}
