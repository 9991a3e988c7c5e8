// Values of cJSON: C with pointers to the functions that allocate.
#include <cJSON.h>

#include "steps.h"

namespace {

struct Document {
  cJSON* root = nullptr;
};

std::string print(const cJSON* value) {
  char* const printed = cJSON_PrintUnformatted(value);
  std::string text = printed;
  cJSON_free(printed);
  return text;
}

std::string add(cJSON* root, int number) {
  cJSON* const item = cJSON_CreateObject();
  cJSON_AddNumberToObject(item, "number", number);
  cJSON_AddNumberToObject(item, "share", 1.0 / number);
  cJSON_AddStringToObject(item, "text", ("the text of \"" + std::to_string(number) + "\"\n").c_str());
  const double numbers[] = {0.5, 1e100, -3, static_cast<double>(number)};
  cJSON_AddItemToObject(item, "numbers", cJSON_CreateDoubleArray(numbers, 4));
  cJSON_AddItemToArray(cJSON_GetObjectItem(root, "items"), item);
  return print(item);
}

std::string change(cJSON* root, int number) {
  cJSON* const items = cJSON_GetObjectItem(root, "items");
  cJSON_DeleteItemFromObject(root, ("key " + std::to_string((number * 7) % 24)).c_str());
  cJSON_AddItemToObject(root, ("key " + std::to_string(number % 24)).c_str(), cJSON_Duplicate(items->child, 1));
  for (const cJSON* item = items->child; item != nullptr; item = item->next)
    if (cJSON* const share = cJSON_GetObjectItemCaseSensitive(item, "share")) cJSON_SetNumberHelper(share, number);
  return std::to_string(cJSON_GetArraySize(root));
}

std::string parse(cJSON* root, int number) {
  const std::string text = "{\"list\": [1, 2.5e3, \"\\u00e4\\n\", null, true], \"n\": " + std::to_string(number) + "}";
  cJSON* const value = cJSON_Parse(text.c_str());
  if (value == nullptr) return "not read";
  cJSON_ReplaceItemInObject(root, "parsed", value);
  const char* end = nullptr;
  if (cJSON_ParseWithOpts("[1, 2", &end, 1) != nullptr) return "read";
  return print(value) + (cJSON_Compare(value, root, 1) ? "equal" : "other");
}

std::string step(Document& document, int number) {
  if (document.root == nullptr) {
    document.root = cJSON_CreateObject();
    cJSON_AddItemToObject(document.root, "items", cJSON_CreateArray());
    cJSON_AddNullToObject(document.root, "parsed");
  }
  cJSON* const items = cJSON_GetObjectItem(document.root, "items");
  switch (number % 8) {
    case 1:
      return change(document.root, number);
    case 5:
      return parse(document.root, number);
    case 7:
      while (cJSON_GetArraySize(items) > number % 64) cJSON_DeleteItemFromArray(items, 0);
      return std::to_string(print(document.root).size());
    default:
      return add(document.root, number) + std::to_string(print(document.root).size());
  }
}

}  // namespace

int main(int, char** arguments) { return run_steps<Document>(arguments, step); }
