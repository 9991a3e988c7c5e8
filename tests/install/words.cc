// A shared object that counts words in a pool, for programs that know nothing of Perdure.
#include <perdure/perdure.h>

#include <map>
#include <string>

namespace {

struct Root {
  std::map<std::string, long> counts;
};

perdure::Pool& pool_at(const char* path) {
  static perdure::Pool pool = perdure::Pool::open(path);
  return pool;
}

}  // namespace

extern "C" long count_word(const char* path, const char* text) {
  Root& root = pool_at(path).root<Root>("words");
  const std::string word = text;
  return TM_BEGIN { return ++root.counts[word]; } TM_END;
}
