// A document of yaml-cpp: nodes that share what they refer to, a parser that reads streams, and an emitter.
#include <yaml-cpp/yaml.h>

#include "steps.h"

namespace {

std::string key(int number) { return "key " + std::to_string(number % 13); }

std::string add(YAML::Node& root, int number) {
  root[key(number)] = number;
  root["list"].push_back(number / 2.0);
  root["list"].push_back("text: of # " + std::to_string(number));
  return std::to_string(root.size());
}

/// Both names lead to one node.
std::string share(YAML::Node& root, int number) {
  root["shared"] = root["list"];
  root["shared"][0] = "begins at " + std::to_string(number);
  return root["list"][0].as<std::string>();
}

std::string parse(YAML::Node& root, int number) {
  const std::string text =
      "{a: &x [1, 2.5, ~, true], b: *x, c: \"\\u00e9\\t\", d: |\n  line " + std::to_string(number) + "\n}";
  try {
    root["parsed"] =
        YAML::Load(number % 2 == 0 ? text : "a: &x [1, 2.5, ~, true]\nb: *x\nc: 'it''s'\nd: |\n  a line\n");
  } catch (const YAML::Exception& error) {
    return error.what();
  }
  return root["parsed"]["b"][1].as<std::string>() + root["parsed"]["c"].as<std::string>();
}

std::string shrink(YAML::Node& root, int number) {
  root.remove(key(number + 5));
  if (root["list"].size() > 60) root["list"] = YAML::Node(YAML::NodeType::Sequence);
  try {
    return std::to_string(root[key(number)].as<int>());
  } catch (const YAML::BadConversion& error) {
    return error.what();
  }
}

std::string change(YAML::Node& root, int number) {
  switch (number % 8) {
    case 1:
      return share(root, number);
    case 3:
      return parse(root, number);
    case 4:
      return parse(root, number + 1);
    case 7:
      return shrink(root, number);
    default:
      return add(root, number);
  }
}

std::size_t hash_of(const std::string& text) {
  std::size_t hash = 0;
  for (const char character : text) hash = hash * 31 + static_cast<unsigned char>(character);
  return hash;
}

/// The errors that it tells of have several lines.
std::string step(YAML::Node& root, int number) {
  if (!root.IsDefined() || root.IsNull()) root["list"].push_back(0);
  const std::string result = change(root, number);
  const std::string text = YAML::Dump(root);
  return std::to_string(hash_of(result)) + " " + std::to_string(text.size()) + " " + std::to_string(hash_of(text));
}

}  // namespace

int main(int, char** arguments) { return run_steps<YAML::Node>(arguments, step); }
