// Every library defines the clone of every function that the plugin takes for provided: this program links.
#include <gtest/gtest.h>

#include <version>

#ifdef _LIBCPP_VERSION
#define PERDURE_PROVIDED_LIBSTDCXX(symbol)
#else
#define PERDURE_PROVIDED_LIBCXX(symbol)
#endif

#define PERDURE_PROVIDED(symbol) extern "C" void perdure_tm_##symbol();
#include "abi/provided.def"

#ifdef _LIBCPP_VERSION
#define PERDURE_PROVIDED_LIBSTDCXX(symbol)
#else
#define PERDURE_PROVIDED_LIBCXX(symbol)
#endif

namespace {

using Function = void (*)();

#define PERDURE_PROVIDED(symbol) perdure_tm_##symbol,
constexpr Function clones[] = {
#include "abi/provided.def"
};

TEST(Provided, EveryCloneIsDefined) {
  for (const Function clone : clones) EXPECT_NE(clone, nullptr);
}

}  // namespace
