// Boost.MultiIndex, Boost.PropertyTree and Boost.Multiprecision in a pool.
#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index_container.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <boost/property_tree/ptree.hpp>
#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

namespace mi = boost::multi_index;

struct Employee {
  unsigned number;
  std::string name;
  bool operator==(const Employee&) const = default;
};

struct MultiIndex {
  using Type = mi::multi_index_container<
      Employee, mi::indexed_by<mi::ordered_unique<mi::member<Employee, unsigned, &Employee::number>>,
                               mi::hashed_non_unique<mi::member<Employee, std::string, &Employee::name>>>>;
  static Seen apply(Type& employees, const Step& step) {
    if (step.choice % 4 == 0) return employees.erase(step.small);
    if (step.choice % 4 == 1) return employees.get<1>().count(step.text);
    const auto position = employees.find(step.small);
    if (position == employees.end()) return employees.insert({step.small, step.text}).second ? 1 : 0;
    employees.modify(position, [&](Employee& employee) { employee.name = step.text; });
    return employees.size();
  }
};

struct PropertyTree {
  using Type = boost::property_tree::ptree;
  static Seen apply(Type& tree, const Step& step) {
    const std::string path = "a" + std::to_string(step.small % 4) + ".b" + std::to_string(step.small % 7);
    if (step.choice % 3 == 0) return seen(tree.get<long>(path, 0));
    if (step.choice % 3 == 1) return tree.erase("a" + std::to_string(step.small % 4));
    tree.put(path, step.number);
    return tree.size();
  }
};

struct Multiprecision {
  using Type = boost::multiprecision::cpp_int;
  static Seen apply(Type& number, const Step& step) {
    if (number > (Type(1) << 3000)) number >>= 2900;
    if (step.choice % 4 == 0) number *= step.number + 1;
    if (step.choice % 4 == 1) number += Type(1) << step.small * 5;
    if (step.choice % 4 == 2) number = number / (step.small + 1) + step.number;
    if (step.choice % 4 == 3) number *= number;
    return static_cast<Seen>(number & 0xffffffff);
  }
};

using Subjects = ::testing::Types<MultiIndex, PropertyTree, Multiprecision>;
INSTANTIATE_TYPED_TEST_SUITE_P(BoostTrees, Containers, Subjects);

}  // namespace
}  // namespace perdure::containers
