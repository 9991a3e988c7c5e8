#include "front_end/library_types.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>
#include <llvm/ADT/STLExtras.h>

#include "common/llvm_compat.h"
#include "front_end/type_words.h"

namespace perdure::plugin {

using namespace clang;

namespace {

constexpr std::uint64_t byte_bits = 8;

const FieldDecl* field_of(const RecordDecl& record, llvm::StringRef name) {
  const auto position = llvm::find_if(record.fields(), [&](const FieldDecl* field) {
    return field->getIdentifier() != nullptr && field->getName() == name;
  });
  return position != record.field_end() ? *position : nullptr;
}

std::uint64_t offset_in_bits(const FieldDecl& field, const ASTContext& context) {
  return context.getASTRecordLayout(field.getParent()).getFieldOffset(field.getFieldIndex());
}

std::uint64_t bytes_of(const RecordDecl& record, const ASTContext& context) {
  return static_cast<std::uint64_t>(context.getASTRecordLayout(&record).getSize().getQuantity());
}

/// Everything may be anything.
Words of_storage(const RecordDecl& record, const ASTContext& context) {
  Words words;
  words.put_unsure(0, bytes_of(record, context));
  return words;
}

llvm::StringRef name_of(const NamedDecl& declaration) {
  return declaration.getIdentifier() != nullptr ? declaration.getName() : llvm::StringRef();
}

/// libstdc++: as large as the value that it is for, which lies in it or does not.
std::optional<Words> of_buffer(const ClassTemplateSpecializationDecl& buffer, const ASTContext& context) {
  const TemplateArgument& value = buffer.getTemplateArgs()[0];
  if (value.getKind() != TemplateArgument::Type) return std::nullopt;
  return words_of(value.getAsType(), context);
}

/// libstdc++: a pointer and the length, beside characters or the capacity.
std::optional<Words> of_string(const RecordDecl& string, const ASTContext& context) {
  const FieldDecl* const data = field_of(string, "_M_dataplus");
  if (data == nullptr) return std::nullopt;
  Words words;
  words.put(offset_in_bits(*data, context) / byte_bits, words_of(data->getType(), context));
  return words;
}

/// libc++: one bit tells whether a string is long, and has a pointer, or holds its characters.
std::optional<Words> of_long_or_short(const RecordDecl& both, const RecordDecl& with_pointer,
                                      const ASTContext& context) {
  const FieldDecl* const data = field_of(with_pointer, "__data_");
  if (data == nullptr) return of_storage(both, context);
  const IndirectFieldDecl* test = nullptr;
  for (const Decl* const member : with_pointer.decls())
    if (const auto* const indirect = llvm::dyn_cast<IndirectFieldDecl>(member);
        indirect != nullptr && name_of(*indirect) == "__is_long_")
      test = indirect;
  const bool is_first_bit = test != nullptr && context.getFieldOffset(test) == 0 &&
                            test->getAnonField()->isBitField() && compat::bits_of(*test->getAnonField(), context) == 1;
  if (!is_first_bit || !data->getType()->isPointerType()) return of_storage(both, context);
  Words words;
  words.put(offset_in_bits(*data, context) / byte_bits, Word{Word::Kind::conditional, 0, 1, 1});
  return words;
}

/// libc++: the union in a string, or the class with nothing but that.
std::optional<Words> of_representation(const RecordDecl& record, const ASTContext& context) {
  if (!record.isUnion()) return std::nullopt;
  const RecordDecl* with_pointer = nullptr;
  bool has_short = false;
  for (const FieldDecl* const field : record.fields()) {
    const RecordDecl* const member = field->getType()->getAsRecordDecl();
    if (member == nullptr) return std::nullopt;
    if (name_of(*member) == "__long") with_pointer = member->getDefinition();
    has_short = has_short || name_of(*member) == "__short";
  }
  if (with_pointer == nullptr || !has_short) return std::nullopt;
  return of_long_or_short(record, *with_pointer, context);
}

/// Both: the alternatives are the second argument, a pack. They lie at the beginning of a union.
std::optional<Words> of_variant(const ClassTemplateSpecializationDecl& variant, llvm::StringRef data_name,
                                llvm::StringRef index_name, const ASTContext& context) {
  const FieldDecl* const data = field_of(variant, data_name);
  const FieldDecl* const index = field_of(variant, index_name);
  const TemplateArgumentList& arguments = variant.getTemplateArgs();
  if (data == nullptr || index == nullptr || arguments.size() != 2) return std::nullopt;
  if (arguments[1].getKind() != TemplateArgument::Pack) return std::nullopt;
  llvm::SmallVector<Words> alternatives;
  for (const TemplateArgument& alternative : arguments[1].pack_elements())
    alternatives.push_back(words_of(alternative.getAsType(), context));
  const std::uint64_t begin = offset_in_bits(*data, context) / byte_bits;
  if (begin != 0) return std::nullopt;
  return choice_of(alternatives, offset_in_bits(*index, context) / byte_bits);
}

std::optional<Words> of_member(const RecordDecl& record, const ASTContext& context) {
  const auto* const parent = llvm::dyn_cast<ClassTemplateSpecializationDecl>(record.getDeclContext());
  if (parent != nullptr && name_of(*parent) == "aligned_storage" && name_of(record) == "type")
    return of_storage(record, context);
  return of_representation(record, context);
}

}  // namespace

/// The classes of the libraries have their own namespaces within `std`, or lie beside it.
bool is_of_library(const Decl& declaration) {
  if (declaration.isInStdNamespace()) return true;
  for (const DeclContext* scope = declaration.getDeclContext(); scope != nullptr; scope = scope->getParent())
    if (const auto* const space = llvm::dyn_cast<NamespaceDecl>(scope);
        space != nullptr && space->getParent()->isTranslationUnit())
      return space->getName() == "std" || space->getName() == "__gnu_cxx";
  return false;
}

std::optional<Words> words_of_library_type(const RecordDecl& record, const ASTContext& context) {
  if (!is_of_library(record)) return std::nullopt;
  const auto* const specialization = llvm::dyn_cast<ClassTemplateSpecializationDecl>(&record);
  if (specialization == nullptr) return of_member(record, context);
  const llvm::StringRef name = name_of(record);
  if (name == "__aligned_membuf" || name == "__aligned_buffer") return of_buffer(*specialization, context);
  if (name == "basic_string") return of_string(record, context);
  if (name == "_Variant_storage") return of_variant(*specialization, "_M_u", "_M_index", context);
  return name == "__base" ? of_variant(*specialization, "__data", "__index", context) : std::nullopt;
}

}  // namespace perdure::plugin
