// std::filesystem::path: names of files, on objects of the block's own.
#include <filesystem>
#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Paths {
  using Type = std::string;

  static Seen apply(Type& text, const Step& step) {
    const std::filesystem::path path(text);
    switch (step.choice % 5) {
      case 0:
        text = (path / step.text / "file.txt").string();
        break;
      case 1:
        text = path.parent_path().string();
        break;
      case 2:
        text = path.lexically_normal().string() + "/" + path.filename().string();
        break;
      case 3: {
        std::filesystem::path changed = path;
        changed.replace_extension(".long-extension-of-a-file");
        changed.replace_filename(changed.stem());
        text = changed.string();
        break;
      }
      default: {
        Seen result = 0;
        for (const auto& part : path) result = result * 31 + seen(part.string());
        return result + (path.is_absolute() ? 1 : 0) + (path < std::filesystem::path("m") ? 2 : 0);
      }
    }
    if (text.size() > 300) text.resize(20);
    return seen(text);
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Paths, Containers, ::testing::Types<Paths>);

}  // namespace
}  // namespace perdure::containers
