// Members of class templates that the standard libraries declare as instantiated elsewhere have bodies here, at every level
// of optimisation; programs that use streams, locales and regular expressions still build and run.
// RUN: %clangxx -std=c++17 -O0 -g %s -o %t && %t | FileCheck %s
// RUN: %if libc++ %{ %clangxx -O2 -stdlib=libc++ %s -o %t && %t | FileCheck %s %}
// RUN: %if long %{ %clangxx -O0 %s -o %t && %t | FileCheck %s %}
// RUN: %if long %{ %clangxx -O2 %s -o %t && %t | FileCheck %s %}
// RUN: %clangxx -DFUNCTION -S -emit-llvm %s -o - | FileCheck %s --check-prefix=FUNCTION
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <locale>
#include <regex>
#include <sstream>
#include <string>

template <class T>
struct Box {
  void put(T value);
  virtual ~Box() = default;
  struct Inner {
    int get() { return 3; }
  };
  T content;
};
template <class T>
void Box<T>::put(T value) {
  content = value;
}
extern template struct Box<int>;

#ifdef FUNCTION
// FUNCTION-DAG: define linkonce_odr {{.*}}@_ZN3BoxIiE3putEi(
// FUNCTION-DAG: define linkonce_odr {{.*}}@_ZN3BoxIiE5Inner3getEv(
int use(Box<int>& box) {
  box.put(3);
  return Box<int>::Inner().get();
}
#else
template struct Box<int>;

// CHECK: 1234 0x00ff abc
// CHECK: found 2026
int main() {
  Box<int> box;
  box.put(617);
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  stream << box.content * 2 << " 0x" << std::setfill('0') << std::setw(4) << std::hex << 255;
  std::cout << stream.str() << ' ' << std::string("abc").substr(0, 3) << std::endl;
  std::smatch match;
  const std::string text = "in 2026 or so";
  if (std::regex_search(text, match, std::regex("[0-9]+"))) std::cout << "found " << match[0] << '\n';
  std::ifstream file(std::filesystem::temp_directory_path() / "there is no such file");
  return file.good() ? 1 : 0;
}
#endif
