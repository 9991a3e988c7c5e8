// nlohmann::json: documents in a pool.
#include <nlohmann/json.hpp>
#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Json {
  using Type = nlohmann::json;

  static Seen apply(Type& document, const Step& step) {
    const std::string key = std::to_string(step.small % 12);
    switch (step.choice % 5) {
      case 0:
        document["list"].push_back(step.number);
        if (document["list"].size() > 20) document["list"].clear();
        return document["list"].size();
      case 1:
        document["map"][key] = {{"text", step.text}, {"numbers", {step.number, 2.5, nullptr, true}}};
        return document["map"].size();
      case 2:
        return document.contains("map") ? document["map"].erase(key) : 0;
      case 3:
        return document.dump().size();
      default:
        document["parsed"] = Type::parse(R"({"a": [1, 2, {"b": null}], "c": "d"})");
        document["parsed"]["c"] = step.text;
        return seen(document["parsed"].dump());
    }
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Json, Containers, ::testing::Types<Json>);

}  // namespace
}  // namespace perdure::containers
