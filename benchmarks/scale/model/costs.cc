#include "costs.h"

#include <istream>
#include <map>
#include <stdexcept>
#include <string>

namespace perdure::scale {

Costs read_costs(std::istream& in) {
  Costs costs;
  const std::map<std::string, double*> fields = {
      {"outside", &costs.outside},
      {"body", &costs.body},
      {"transaction", &costs.transaction},
      {"read", &costs.read},
      {"read_stripe", &costs.read_stripe},
      {"write", &costs.write},
      {"write_chunk", &costs.write_chunk},
      {"flush", &costs.flush},
      {"shared_flush", &costs.shared_flush},
      {"fence", &costs.fence},
      {"transfer", &costs.transfer},
      {"next_transfer", &costs.next_transfer},
      {"pause", &costs.pause},
      {"wake", &costs.wake},
      {"validate", &costs.validate},
      {"filter", &costs.filter},
      {"flush_factor", &costs.flush_factor},
      {"fence_factor", &costs.fence_factor},
      {"retired_lines", &costs.retired_lines},
  };
  std::string name;
  double value = 0;
  while (in >> name) {
    const auto field = fields.find(name);
    if (field == fields.end()) throw std::runtime_error("'" + name + "' is not the name of a cost");
    if (!(in >> value) || value < 0) throw std::runtime_error("the cost '" + name + "' is not a number from 0");
    *field->second = value;
  }
  if (costs.pause == 0) throw std::runtime_error("the cost 'pause' is 0: nobody could wait");
  return costs;
}

}  // namespace perdure::scale
