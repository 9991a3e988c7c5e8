#include <set>

#include "commands.h"
#include "object_reader.h"
#include "pool_file.h"
#include "root_type.h"

namespace perdure::tools {
namespace {

/// Follows pointers, level by level, to each object once.
class Follower {
 public:
  Follower(const ProgramTypes& program, ObjectReader& reader) : program_(program), reader_(reader) {}

  /// \returns false when the object has been read before.
  bool is_new(const ObjectReader::Object& object) {
    return read_.emplace(object.bytes.data(), program_.names().spell(object.type)).second;
  }

  Document follow(std::uint64_t depth) {
    Document objects = Document::array();
    for (std::uint64_t level = 0; level < depth; ++level) {
      const std::vector<ObjectReader::Object> pointees = reader_.take_pointees();
      if (pointees.empty()) break;
      for (const ObjectReader::Object& object : pointees)
        if (is_new(object)) objects.push_back(read(object));
    }
    return objects;
  }

 private:
  Document read(const ObjectReader::Object& object) {
    Document document = reader_.locate(reinterpret_cast<std::uintptr_t>(object.bytes.data()));
    document["type"] = program_.names().spell(object.type);
    document.update(reader_.read(object.type, object.bytes));
    return document;
  }

  const ProgramTypes& program_;
  ObjectReader& reader_;
  std::set<std::pair<const void*, std::string>> read_;  // the first member of an object has the same address
};

}  // namespace

Document dump_typed(const std::filesystem::path& path, const std::string& name, const TypedDump& options) {
  opening::OpenPool pool = open_for_reading(path);
  const roots::Root& root = find_root(pool, name);
  const ProgramTypes program(options.program);
  const Die type = find_type(program, root, path);
  constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  ObjectReader reader(program, pool, options.elements == 0 ? all : options.elements);
  Follower follower(program, reader);
  follower.is_new({type, bytes_of(root)});
  Document document{{"root", name}, {"type", root.type_name.data()}};
  document["offset"] = reader.locate(reinterpret_cast<std::uintptr_t>(root.object))["offset"];
  document.update(reader.read(type, bytes_of(root)));
  document["objects"] = follower.follow(options.depth);
  return document;
}

}  // namespace perdure::tools
