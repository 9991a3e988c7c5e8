// A document of TinyXML-2, which has classes with virtual functions and pools of its own.
#include <tinyxml2.h>

#include "steps.h"

namespace {

using tinyxml2::XMLDocument;
using tinyxml2::XMLElement;

std::string print(const tinyxml2::XMLNode& node) {
  tinyxml2::XMLPrinter printer(nullptr, true);
  node.Accept(&printer);
  return printer.CStr();
}

/// The names of elements, and how deep they lie.
class Outline : public tinyxml2::XMLVisitor {
 public:
  bool VisitEnter(const XMLElement& element, const tinyxml2::XMLAttribute*) override {
    text += element.Name()[0];
    text += std::to_string(++depth_);
    return true;
  }
  bool VisitExit(const XMLElement&) override { return --depth_ >= 0; }
  std::string text;

 private:
  int depth_ = 0;
};

std::string add(XMLElement& root, int number) {
  XMLElement* const item = root.InsertNewChildElement("item");
  item->SetAttribute("number", number);
  item->SetAttribute("share", 1.0 / number);
  item->InsertNewText(("the text of <" + std::to_string(number) + "> & more").c_str());
  item->InsertNewComment("a comment");
  return print(*item);
}

std::string change(XMLElement& root, int number) {
  long sum = 0;
  for (XMLElement* item = root.FirstChildElement("item"); item != nullptr; item = item->NextSiblingElement("item")) {
    sum += item->IntAttribute("number");
    if (sum % 3 == 0) item->SetAttribute("changed", ("in step number " + std::to_string(number)).c_str());
    if (sum % 5 == 0) item->DeleteAttribute("share");
    if (sum % 4 == 0) item->SetName("kept");
  }
  return std::to_string(sum);
}

std::string parse(XMLElement& root, int number) {
  const std::string text = "<list size='" + std::to_string(number) + "'><e>1</e><e>2 &amp; 3</e><!-- none --></list>";
  XMLDocument other;
  if (other.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) return "not read";
  root.InsertFirstChild(other.RootElement()->DeepClone(root.GetDocument()));
  XMLDocument wrong;
  wrong.Parse("<a><b></a>");
  return std::string(wrong.ErrorIDToName(wrong.ErrorID())) + wrong.ErrorStr();
}

std::string shrink(XMLElement& root, int number) {
  int children = 0;
  for (const tinyxml2::XMLNode* child = root.FirstChild(); child != nullptr; child = child->NextSibling()) ++children;
  for (; children > number % 64; --children) root.DeleteChild(root.FirstChild());
  Outline outline;
  root.GetDocument()->Accept(&outline);
  return outline.text;
}

std::string step(XMLDocument& document, int number) {
  if (document.RootElement() == nullptr) document.InsertEndChild(document.NewElement("root"));
  XMLElement& root = *document.RootElement();
  switch (number % 8) {
    case 1:
      return change(root, number);
    case 5:
      return parse(root, number);
    case 7:
      return shrink(root, number);
    default:
      return add(root, number) + std::to_string(print(document).size());
  }
}

}  // namespace

int main(int, char** arguments) { return run_steps<XMLDocument>(arguments, step); }
