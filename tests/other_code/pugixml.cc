// pugixml, of which the headers alone are used: documents of the block's own, parsed, changed and printed.
#define PUGIXML_HEADER_ONLY
#include <pugixml.hpp>

#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Writer : pugi::xml_writer {
  void write(const void* data, std::size_t size) override { text.append(static_cast<const char*>(data), size); }
  std::string text;
};

struct Xml {
  using Type = std::string;

  static Seen apply(Type& text, const Step& step) {
    pugi::xml_document document;
    if (!document.load_string(text.c_str())) document.append_child("root");
    pugi::xml_node root = document.first_child();
    if (step.choice % 3 == 0) root.remove_child(root.first_child());
    pugi::xml_node child = root.append_child("child");
    child.append_attribute("number") = step.number;
    child.text() = step.text.c_str();
    Seen result = 0;
    for (const pugi::xml_node& node : root.children("child"))
      result = result * 31 + static_cast<Seen>(node.attribute("number").as_llong());
    Writer writer;
    document.save(writer, "", pugi::format_raw);
    text = writer.text.size() < 1000 ? writer.text : "";
    return result;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Xml, Containers, ::testing::Types<Xml>);

}  // namespace
}  // namespace perdure::containers
