#include "object_reader.h"

#include <algorithm>

#include "blocks.h"
#include "pool/refuse.h"
#include "scalars.h"

namespace perdure::tools {
namespace {

Document problem(const std::string& text) { return {{"problem", text}}; }

/// Static members are entries, too.
bool is_part(const Die& child) {
  const int tag = tag_of(child);
  return (tag == DW_TAG_member || tag == DW_TAG_inheritance) && !has_flag(child, DW_AT_declaration) &&
         !has_flag(child, DW_AT_external);
}

bool is_empty(const Document& value) { return value.contains("members") && value["members"].empty(); }

/// What is a value and nothing else is that value.
Document as_element(Document value) {
  return value.size() == 1 && value.contains("value") ? value["value"] : std::move(value);
}

std::vector<std::uint64_t> known_counts_of(const Die& array) {
  std::vector<std::uint64_t> counts;
  for (const auto& count : counts_of(array)) counts.push_back(count.value_or(0));
  return counts;
}

}  // namespace

Document ObjectReader::read(const Die& given, Bytes bytes, unsigned nesting) {
  require_nesting(nesting);
  const std::optional<Die> type = program_.strip(given);
  if (type && tag_of(*type) == DW_TAG_unspecified_type) return {{"value", nullptr}};  // std::nullptr_t
  const std::optional<std::uint64_t> size = type ? program_.size_of(*type) : std::nullopt;
  if (!size)
    return problem("the program's debug information does not define the type; compile with -fstandalone-debug");
  if (*size > bytes.size()) return problem("does not fit in the object");
  bytes = bytes.first(*size);
  const int tag = tag_of(*type);
  if (tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type) return read_scalar(*type, bytes);
  if (is_pointer(tag)) return read_pointer(*type, bytes);
  if (is_class(tag)) return read_class(*type, bytes, nesting);
  const std::optional<Die> element = type_of(*type);
  if (tag == DW_TAG_array_type && element) return read_array(*element, known_counts_of(*type), bytes, nesting);
  return {{"bytes", spell_hexadecimal(bytes)}};
}

Document ObjectReader::locate(std::uintptr_t address) const {
  const pool::Mapping& mapping = pool_.mapping();
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(mapping.base());
  if (offset >= mapping.max_bytes() && offset < mapping.max_bytes() + pool::code_area_bytes) {
    const std::string name = pool_.heap().codes().name_at(address);
    if (!name.empty()) return {{"code", alloc::readable_code(name)}};
  }
  if (offset >= mapping.superblocks() * pool::superblock_bytes) return {{"outside", pool::spell_address(address)}};
  Document place{{"offset", offset}};
  for (const roots::Root& root : pool_.root_table().roots)
    if (reinterpret_cast<std::uintptr_t>(root.object) == address) place["root"] = root.name.data();
  return place;
}

Document ObjectReader::read_pointer(const Die& pointer, Bytes bytes) {
  if (bytes.size() != sizeof(std::uintptr_t)) return {{"bytes", spell_hexadecimal(bytes)}};
  const std::uintptr_t address = bits_of(bytes, 0, 8 * sizeof address);
  if (address == 0) return {{"value", nullptr}};
  Document value = locate(address);
  const Bytes block = block_of(pool_.heap(), address);
  const std::optional<Die> target = type_of(pointer);
  const std::optional<Die> type = target ? program_.strip(*target) : std::nullopt;
  if (block.empty() || !type) return value;
  const Bytes behind = block.subspan(address - reinterpret_cast<std::uintptr_t>(block.data()));
  if (is_character(*type))
    value.update(read_text_at(behind));
  else if (program_.size_of(*type).value_or(0) != 0)
    pointees_.push_back({*target, behind});
  return value;
}

/// Up to a zero; at most so long.
Document ObjectReader::read_text_at(Bytes bytes) const {
  const Bytes text = bytes.first(std::min<std::uint64_t>(bytes.size(), max_elements_));
  return {{"text", read_text(text.first(std::ranges::find(text, std::byte{0}) - text.begin()))}};
}

Document ObjectReader::read_class(const Die& type, Bytes bytes, unsigned nesting) {
  Document members = Document::array();
  for (const Die& child : children_of(type)) {
    const std::optional<Die> member_type = is_part(child) ? type_of(child) : std::nullopt;
    if (!member_type) continue;
    const Document value = read_member(child, *member_type, bytes, nesting);
    if (tag_of(child) == DW_TAG_inheritance && is_empty(value)) continue;
    Document member{{"name", name_of(child)}, {"type", program_.names().spell(*member_type)}};
    if (const auto bits = number_of(child, DW_AT_bit_size)) member["bits"] = *bits;
    member.update(value);
    members.push_back(std::move(member));
  }
  return {{"members", std::move(members)}};
}

Document ObjectReader::read_member(const Die& member, const Die& type, Bytes bytes, unsigned nesting) {
  if (const auto count = number_of(member, DW_AT_bit_size)) return read_bit_field(member, type, bytes, *count);
  const bool is_virtual = number_of(member, DW_AT_virtuality).value_or(DW_VIRTUALITY_none) != DW_VIRTUALITY_none;
  if (is_virtual) return problem("only the program knows where a virtual base class is");
  const std::uint64_t offset = number_of(member, DW_AT_data_member_location).value_or(0);
  if (offset > bytes.size()) return problem("does not fit in the object");
  return read(type, bytes.subspan(offset), nesting + 1);
}

Document ObjectReader::read_bit_field(const Die& member, const Die& type, Bytes bytes, std::uint64_t count) const {
  const std::optional<std::uint64_t> first = number_of(member, DW_AT_data_bit_offset);
  const std::optional<Die> stripped = program_.strip(type);
  if (!first || !stripped)
    return problem("the debug information does not say where; compile with -gdwarf-4 or -gdwarf-5");
  const std::uint64_t all = 8 * bytes.size();
  const bool fits = count > 0 && count <= 64 && *first <= all && count <= all - *first;
  if (!fits) return problem("does not fit in the object");
  return read_bits(*stripped, bits_of(bytes, *first, count), count);
}

Document ObjectReader::read_array(const Die& element, std::span<const std::uint64_t> counts, Bytes bytes,
                                  unsigned nesting) {
  if (counts.empty()) return read(element, bytes, nesting + 1);
  const std::uint64_t count = counts.front();
  const std::uint64_t size = count == 0 ? 0 : bytes.size() / count;
  const std::optional<Die> stripped = program_.strip(element);
  if (counts.size() == 1 && stripped && is_character(*stripped)) {
    const std::string text = read_text(bytes);
    return cut({{"value", text.substr(0, max_elements_)}}, text.size());
  }
  Document elements = Document::array();
  for (std::uint64_t i = 0; size != 0 && i < std::min(count, max_elements_); ++i)
    elements.push_back(as_element(read_array(element, counts.subspan(1), bytes.subspan(i * size, size), nesting)));
  return cut({{"elements", std::move(elements)}}, size == 0 ? 0 : count);
}

Document ObjectReader::cut(Document value, std::uint64_t count) const {
  if (count > max_elements_) value["left_out"] = count - max_elements_;
  return value;
}

}  // namespace perdure::tools
