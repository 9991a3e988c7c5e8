#include "allocated_types.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/CharInfo.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <map>
#include <utility>
#include <vector>

#include "allocation_search.h"
#include "element_layout.h"
#include "type_words.h"

namespace perdure::plugin {
namespace {

using namespace clang;

using Places = llvm::SmallVector<const Allocation*>;

/// Within other functions things without a name, and those of one name, are numbered as they are come upon, here in
/// another order than where code is made.
bool may_have_numbers(llvm::StringRef symbol) {
  return symbol.drop_front(std::min<std::size_t>(symbol.size(), 2)).contains('Z') || symbol.contains("$_");
}

std::string without_numbers(llvm::StringRef symbol) {
  if (!may_have_numbers(symbol)) return symbol.str();
  std::string result;
  for (const char letter : symbol)
    if (!isDigit(letter) || !llvm::StringRef(result).ends_with("_")) result += letter;
  return result;
}

/// Whether its code may be made several times from the same source, each time with other types.
bool is_in_template(const DeclContext* context) {
  for (; context != nullptr; context = context->getParent()) {
    if (llvm::isa<ClassTemplateSpecializationDecl>(context)) return true;
    const auto* const function = llvm::dyn_cast<FunctionDecl>(context);
    if (function != nullptr && function->isTemplateInstantiation()) return true;
  }
  return false;
}

class TypesOfFile : public AllocatedTypes {
 public:
  TypesOfFile(CompilerInstance& compiler, bool has_self_relative_pointers)
      : compiler_(compiler), has_self_relative_pointers_(has_self_relative_pointers) {}

  std::optional<std::string> layout_at(llvm::StringRef symbol, const SourcePoint& place) override {
    if (!compiler_.hasASTContext()) return std::nullopt;
    if (!is_searched_) search();
    const Places here = at(place);
    const std::string name = without_numbers(symbol);
    Places of_function;
    for (const Allocation* const allocation : here)
      if (is_in(*allocation, name)) of_function.push_back(allocation);
    if (!of_function.empty()) return common_layout(of_function);
    // Of what has a symbol of its own (asm), the place is enough if code is made from the source there once.
    const bool is_certain =
        place.line != 0 && !may_have_numbers(symbol) &&
        llvm::none_of(here, [](const Allocation* allocation) { return is_in_template(allocation->function); });
    return is_certain ? common_layout(here) : std::nullopt;
  }

 private:
  ASTContext& context() { return compiler_.getASTContext(); }

  void search() {
    is_searched_ = true;
    allocations_ = allocations_in(context());
    const SourceManager& sources = context().getSourceManager();
    for (const Allocation& allocation : allocations_) {
      add(allocation, sources.getExpansionLoc(allocation.location));
      // Of what is an argument of a macro, that is where it is written.
      add(allocation, sources.getFileLoc(allocation.location));
    }
  }

  void add(const Allocation& allocation, SourceLocation location) {
    const PresumedLoc place = context().getSourceManager().getPresumedLoc(location);
    if (place.isInvalid()) return;
    by_line_[place.getLine()].push_back({&allocation, place});
  }

  Places at(const SourcePoint& place) const {
    Places result;
    if (place.line == 0) {
      for (const Allocation& allocation : allocations_) result.push_back(&allocation);
      return result;
    }
    const auto line = by_line_.find(place.line);
    if (line == by_line_.end()) return result;
    for (const auto& [allocation, position] : line->second)
      if ((place.column == 0 || position.getColumn() == place.column) &&
          llvm::sys::path::filename(position.getFilename()) == llvm::sys::path::filename(place.file))
        result.push_back(allocation);
    return result;
  }

  bool is_in(const Allocation& allocation, const std::string& name) {
    return allocation.function != nullptr && llvm::is_contained(names_of(*allocation.function), name);
  }

  const std::vector<std::string>& names_of(const FunctionDecl& function) {
    const auto [position, is_new] = names_.try_emplace(&function);
    if (!is_new) return position->second;
    ASTNameGenerator names(context());
    const bool has_several = llvm::isa<CXXConstructorDecl>(function) || llvm::isa<CXXDestructorDecl>(function);
    position->second = has_several ? names.getAllManglings(&function) : std::vector{names.getName(&function)};
    for (std::string& name : position->second) name = without_numbers(name);
    return position->second;
  }

  std::optional<std::string> common_layout(const Places& places) {
    std::optional<std::string> common;
    for (const Allocation* const place : places) {
      auto layout = layout_of_elements(*place);
      if (!layout || (common && *common != *layout)) return std::nullopt;
      common = std::move(layout);
    }
    return common;
  }

  std::optional<std::string> layout_of_elements(const Allocation& allocation) {
    if (allocation.type.isNull() || allocation.type->isIncompleteType()) return std::nullopt;
    const QualType type = allocation.type.getCanonicalType().getUnqualifiedType();
    const auto [position, is_new] = layouts_.try_emplace({type.getAsOpaquePtr(), allocation.first_element});
    if (!is_new) return position->second;
    const auto bytes = static_cast<std::uint64_t>(context().getTypeSizeInChars(type).getQuantity());
    if (const auto layout = layout_of(words_of_block(type, bytes), bytes, allocation.first_element))
      position->second = to_text(has_self_relative_pointers_ ? ElementLayout() : *layout);
    return position->second;
  }

  /// A class that is there to be aligned, and has nothing in it, stands for other things.
  Words words_of_block(QualType type, std::uint64_t bytes) {
    const CXXRecordDecl* const record = type->getAsCXXRecordDecl();
    Words words = words_of(type, context());
    if (record != nullptr && record->isEmpty() && record->hasAttr<AlignedAttr>()) words.put_unsure(0, bytes);
    return words;
  }

  CompilerInstance& compiler_;
  const bool has_self_relative_pointers_;
  bool is_searched_ = false;
  std::vector<Allocation> allocations_;
  llvm::DenseMap<unsigned, llvm::SmallVector<std::pair<const Allocation*, PresumedLoc>>> by_line_;
  std::map<const FunctionDecl*, std::vector<std::string>> names_;
  std::map<std::pair<const void*, std::uint64_t>, std::optional<std::string>> layouts_;
};

}  // namespace

std::unique_ptr<AllocatedTypes> make_allocated_types(CompilerInstance& compiler, bool has_self_relative_pointers) {
  return std::make_unique<TypesOfFile>(compiler, has_self_relative_pointers);
}

}  // namespace perdure::plugin
