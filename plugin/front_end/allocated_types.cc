#include "front_end/allocated_types.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/CharInfo.h>
#include <clang/Basic/SourceManager.h>

#include <map>
#include <utility>
#include <vector>

#include "front_end/allocation_search.h"
#include "front_end/type_words.h"
#include "layouts/element_layout.h"

namespace perdure::plugin {
namespace {

using namespace clang;

using Places = llvm::SmallVector<const Allocation*>;

/// Within other functions things without a name, and those of one name, are numbered as they are come upon, here in
/// another order than where code is made. So such numbers are taken out of the symbol.
std::string without_numbers(llvm::StringRef symbol) {
  const bool names_local = symbol.drop_front(std::min<std::size_t>(symbol.size(), 2)).contains('Z');
  if (!names_local && !symbol.contains("$_")) return symbol.str();
  std::string result;
  for (const char letter : symbol)
    if (!isDigit(letter) || !llvm::StringRef(result).ends_with("_")) result += letter;
  return result;
}

class TypesOfFile : public AllocatedTypes {
 public:
  TypesOfFile(CompilerInstance& compiler, bool has_self_relative_pointers)
      : compiler_(compiler), has_self_relative_pointers_(has_self_relative_pointers) {}

  std::optional<std::string> layout_at(llvm::StringRef symbol, const SourcePoint& place) override {
    if (!compiler_.hasASTContext()) return std::nullopt;
    if (!is_searched_) search();
    const auto function = by_function_.find(without_numbers(symbol));
    if (function == by_function_.end()) return std::nullopt;
    Places here;
    for (const Allocation* const allocation : function->second)
      if (is_at(*allocation, place)) here.push_back(allocation);
    if (here.empty()) return common_layout(function->second);
    for (const Allocation* const allocation : function->second)
      if (allocation->location.isInvalid()) here.push_back(allocation);
    return common_layout(here);
  }

 private:
  ASTContext& context() { return compiler_.getASTContext(); }

  void search() {
    is_searched_ = true;
    allocations_ = allocations_in(context());
    for (const Allocation& allocation : allocations_)
      if (allocation.function != nullptr)
        for (const std::string& name : names_of(*allocation.function)) by_function_[name].push_back(&allocation);
  }

  std::vector<std::string> names_of(const FunctionDecl& function) {
    ASTNameGenerator generator(context());
    const bool has_several = llvm::isa<CXXConstructorDecl>(function) || llvm::isa<CXXDestructorDecl>(function);
    auto names = has_several ? generator.getAllManglings(&function) : std::vector{generator.getName(&function)};
    for (std::string& name : names) name = without_numbers(name);
    return names;
  }

  /// What is an argument of a macro may count as being where it is written, or where the macro is used.
  bool is_at(const Allocation& allocation, const SourcePoint& place) {
    const SourceManager& sources = context().getSourceManager();
    return is_at(sources.getExpansionLoc(allocation.location), place) ||
           is_at(sources.getFileLoc(allocation.location), place);
  }

  /// The file need not be compared: all are in one function.
  bool is_at(SourceLocation location, const SourcePoint& place) {
    const PresumedLoc known = context().getSourceManager().getPresumedLoc(location);
    return known.isValid() && known.getLine() == place.line && (known.getColumn() == place.column || place.column == 0);
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
    // Characters that are allocated for themselves may be memory for anything, whole words of it.
    const bool is_memory = type->isCharType() || type->isStdByteType() || is_characters(type, context());
    const auto bytes =
        is_memory ? word_bytes : static_cast<std::uint64_t>(context().getTypeSizeInChars(type).getQuantity());
    if (const auto layout = layout_of(words_of_block(type, is_memory, bytes), bytes, allocation.first_element))
      position->second = to_text(has_self_relative_pointers_ ? ElementLayout() : *layout);
    return position->second;
  }

  /// A class that is there to be aligned, and has nothing in it, stands for other things.
  Words words_of_block(QualType type, bool is_memory, std::uint64_t bytes) {
    const CXXRecordDecl* const record = type->getAsCXXRecordDecl();
    Words words = words_of(type, context());
    const bool is_aligned = record != nullptr && record->isEmpty() && record->hasAttr<AlignedAttr>();
    if (is_memory || is_aligned) words.put_unsure(0, bytes);
    return words;
  }

  CompilerInstance& compiler_;
  const bool has_self_relative_pointers_;
  bool is_searched_ = false;
  std::vector<Allocation> allocations_;
  std::map<std::string, Places> by_function_;
  std::map<std::pair<const void*, std::uint64_t>, std::optional<std::string>> layouts_;
};

}  // namespace

std::unique_ptr<AllocatedTypes> make_allocated_types(CompilerInstance& compiler, bool has_self_relative_pointers) {
  return std::make_unique<TypesOfFile>(compiler, has_self_relative_pointers);
}

}  // namespace perdure::plugin
