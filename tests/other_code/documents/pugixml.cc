// A document of pugixml: nodes and attributes are added, moved, copied and removed; texts are parsed, into the document
// and into others; XPath finds and sorts.
#include <pugixml.hpp>

#include <iterator>

#include "steps.h"

namespace {

struct Text : pugi::xml_writer {
  void write(const void* data, std::size_t size) override { text.append(static_cast<const char*>(data), size); }
  std::string text;
};

std::string print(const pugi::xml_node& node) {
  Text writer;
  node.print(writer, "", pugi::format_raw);
  return writer.text;
}

std::string add(pugi::xml_node& root, int number) {
  pugi::xml_node item = number % 2 == 0 ? root.append_child("item") : root.prepend_child("item");
  item.append_attribute("number") = number;
  item.append_attribute("share").set_value(1.0 / number);
  item.append_child(pugi::node_pcdata).set_value(("the text of <" + std::to_string(number) + "> & more").c_str());
  return print(item);
}

std::string change(pugi::xml_node& root, int number) {
  std::string changed;
  for (pugi::xml_node item : root.children("item")) {
    pugi::xml_attribute share = item.attribute("share");
    if (item.attribute("number").as_int() % 3 == number % 3) share = share.as_double() * 1.5;
    if (number % 5 == 0) item.remove_attribute("note");
    if (number % 5 == 1 && !item.attribute("note")) item.insert_attribute_after("note", share) = "a note, & a long one";
    changed += share.value()[0];
  }
  return changed;
}

std::string find(const pugi::xml_node& root, int number) {
  pugi::xpath_variable_set variables;
  variables.set("bound", static_cast<double>(number) / 2);
  const pugi::xpath_query query("item[@number > $bound and position() < 10]/@number", &variables);
  pugi::xpath_node_set found = query.evaluate_node_set(root);
  found.sort(true);
  std::string text = std::to_string(found.size());
  for (const pugi::xpath_node& each : found) text = text + ' ' + each.attribute().value();
  return text + ' ' + pugi::xpath_query("concat(name(item[1]), sum(item/@number))").evaluate_string(root);
}

std::string parse(pugi::xml_node& root, int number) {
  const std::string text = "<list size='" + std::to_string(number) + "'><e>1</e><e>2 &amp; 3</e><!-- none --></list>";
  pugi::xml_document other;
  if (!other.load_buffer(text.data(), text.size(), pugi::parse_full)) return "not read";
  root.append_copy(other.first_child());
  root.append_buffer(text.data(), text.size());
  const pugi::xml_parse_result wrong = other.load_string("<a><b></a>");
  return wrong.description() + std::to_string(wrong.offset) + print(root.last_child());
}

std::string shrink(pugi::xml_node& root, int number) {
  for (auto children = std::distance(root.begin(), root.end()); children > number % 64; --children)
    if (!root.remove_child(root.first_child())) return "not removed";
  if (pugi::xml_node item = root.child("item")) root.prepend_move(root.last_child());
  try {
    (void)pugi::xpath_query("item[");
    return "read";
  } catch (const pugi::xpath_exception& error) {
    return error.what();
  }
}

std::string step(pugi::xml_document& document, int number) {
  if (!document.document_element()) document.append_child("root");
  pugi::xml_node root = document.document_element();
  switch (number % 8) {
    case 1:
      return change(root, number);
    case 3:
      return find(root, number);
    case 5:
      return parse(root, number);
    case 7:
      return shrink(root, number);
    default:
      return add(root, number) + std::to_string(print(root).size());
  }
}

}  // namespace

int main(int, char** arguments) { return run_steps<pugi::xml_document>(arguments, step); }
