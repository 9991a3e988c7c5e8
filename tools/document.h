#ifndef PERDURE_TOOLS_DOCUMENT_H
#define PERDURE_TOOLS_DOCUMENT_H

#include <nlohmann/json.hpp>
#include <ostream>

namespace perdure::tools {

/// What a command finds: names and values in the order in which they are shown. Values are scalars, lists of texts, or
/// lists of documents that all have the same names: tables.
using Document = nlohmann::ordered_json;

/// For programs: JSON, with numbers as they are.
void print_json(const Document& document, std::ostream& out);

/// For people: a line for each value, then the tables. Names lose an ending `_bytes`; such values are shown in
/// suitable units.
void print_table(const Document& document, std::ostream& out);

}  // namespace perdure::tools

#endif
