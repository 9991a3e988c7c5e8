#include "batch.h"

namespace perdure::stores::rocksdb {
namespace {

constexpr unsigned group_bits = 7, more_bit = 1U << group_bits;

void append_number(std::string& to, std::uint32_t number) {
  for (; number >= more_bit; number >>= group_bits) to.push_back(static_cast<char>(number | more_bit));
  to.push_back(static_cast<char>(number));
}

void append_text(std::string& to, std::string_view text) {
  append_number(to, static_cast<std::uint32_t>(text.size()));
  to.append(text);
}

bool take_number(std::string_view& rest, std::uint32_t& number) {
  number = 0;
  for (unsigned shift = 0; !rest.empty() && shift < 32; shift += group_bits) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    number |= (byte & (more_bit - 1)) << shift;
    if (byte < more_bit) return true;
  }
  return false;
}

bool take_text(std::string_view& rest, std::string_view& text) {
  std::uint32_t size = 0;
  if (!take_number(rest, size) || size > rest.size()) return false;
  text = rest.substr(0, size);
  rest.remove_prefix(size);
  return true;
}

/// RocksDB's number of an operation in a family other than the default one.
constexpr struct {
  Operation operation;
  unsigned char in_family;
} family_operations[] = {{Operation::deletion, 4},
                         {Operation::value, 5},
                         {Operation::merge, 6},
                         {Operation::single_deletion, 8},
                         {Operation::range, 14}};

/// \returns false if there is no such operation.
bool find_operation(unsigned char number, Operation& operation, bool& is_in_family) {
  for (const auto& each : family_operations) {
    is_in_family = number == each.in_family;
    operation = each.operation;
    if (is_in_family || number == static_cast<unsigned char>(each.operation)) return true;
  }
  operation = Operation::log_data;
  return number == static_cast<unsigned char>(Operation::log_data);
}

unsigned char number_of(Operation operation, FamilyId family) {
  for (const auto& each : family_operations)
    if (family != 0 && each.operation == operation) return each.in_family;
  return static_cast<unsigned char>(operation);
}

bool has_value(Operation operation) {
  return operation == Operation::value || operation == Operation::merge || operation == Operation::range;
}

}  // namespace

void Batch::add(const Record& record) {
  bytes_.push_back(static_cast<char>(number_of(record.operation, record.family)));
  if (record.family != 0) append_number(bytes_, record.family);
  append_text(bytes_, record.key);
  if (has_value(record.operation)) append_text(bytes_, record.value);
  if (record.operation != Operation::log_data) set_count(count() + 1);
}

void Batch::clear() {
  bytes_.assign(header_bytes, '\0');
  save_points_.clear();
}

std::uint32_t Batch::count() const {
  std::uint32_t count = 0;
  for (unsigned i = 0; i < 4; ++i) count |= std::uint32_t{static_cast<unsigned char>(bytes_[count_at + i])} << 8 * i;
  return count;
}

void Batch::set_count(std::uint32_t count) {
  for (unsigned i = 0; i < 4; ++i) bytes_[count_at + i] = static_cast<char>(count >> 8 * i);
}

bool Batch::roll_back() {
  if (save_points_.empty()) return false;
  bytes_.resize(save_points_.back().bytes);
  set_count(save_points_.back().count);
  save_points_.pop_back();
  return true;
}

bool Batch::pop_save_point() {
  if (save_points_.empty()) return false;
  save_points_.pop_back();
  return true;
}

bool Batch::take_record(std::string_view& rest, Record& record) {
  const auto number = static_cast<unsigned char>(rest.front());
  rest.remove_prefix(1);
  bool is_in_family = false;
  if (!find_operation(number, record.operation, is_in_family)) return false;
  record.family = 0;
  if (is_in_family && !take_number(rest, record.family)) return false;
  record.value = {};
  return take_text(rest, record.key) && (!has_value(record.operation) || take_text(rest, record.value));
}

}  // namespace perdure::stores::rocksdb
