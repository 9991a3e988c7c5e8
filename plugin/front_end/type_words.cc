#include "front_end/type_words.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecordLayout.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include "common/llvm_compat.h"
#include "front_end/library_types.h"

namespace perdure::plugin {

using namespace clang;

namespace {

constexpr std::uint64_t byte_bits = 8;
constexpr std::uint64_t word_bits = word_bytes * byte_bits;
constexpr std::uint64_t narrow_bits =
    word_bits / 2;  // of a bit-field that is taken for a number, as smaller integers are

std::uint64_t bytes_of(QualType type, const ASTContext& context) {
  return static_cast<std::uint64_t>(context.getTypeSizeInChars(type).getQuantity());
}

std::uint64_t offset_in_bits(const FieldDecl& field, const ASTContext& context) {
  return context.getASTRecordLayout(field.getParent()).getFieldOffset(field.getFieldIndex());
}

Words of_unknown() {
  Words words;
  words.give_up();
  return words;
}

Words of_pointer(std::uint64_t bytes) {
  if (bytes != word_bytes) return of_unknown();
  Words words;
  words.put(0, Word{Word::Kind::pointer});
  return words;
}

/// What is wide enough to hold a pointer may do so.
Words of_integer(std::uint64_t bytes) {
  Words words;
  if (bytes < word_bytes)
    words.put_data(0, bytes);
  else
    words.put_unsure(0, bytes);
  return words;
}

Words of_data(std::uint64_t bytes) {
  Words words;
  words.put_data(0, bytes);
  return words;
}

Words of_elements(QualType element, std::uint64_t count, const ASTContext& context) {
  Words words;
  if (count > 0) words.put_array(words_of(element, context), bytes_of(element, context), count);
  return words;
}

bool is_aligned_to_words(const Decl& declaration) {
  return declaration.hasAttr<AlignedAttr>() && declaration.getMaxAlignment() >= word_bits;
}

/// Memory for something else.
bool is_storage(const FieldDecl& field, const ASTContext& context) {
  return is_characters(field.getType(), context) &&
         (is_aligned_to_words(field) || is_aligned_to_words(*field.getParent()));
}

void put_bit_field(Words& words, const FieldDecl& field, const ASTContext& context) {
  const std::uint64_t begin = offset_in_bits(field, context), end = begin + compat::bits_of(field, context);
  if (end - begin > narrow_bits)
    words.put_unsure(begin / word_bits * word_bytes, llvm::divideCeil(end, word_bits) * word_bytes);
  else
    words.put_data(begin / byte_bits, llvm::divideCeil(end, byte_bits));
}

void put_field(Words& words, const FieldDecl& field, const ASTContext& context) {
  if (field.isBitField()) return put_bit_field(words, field, context);
  const std::uint64_t begin = offset_in_bits(field, context) / byte_bits;
  if (is_storage(field, context)) words.put_unsure(begin, begin + bytes_of(field.getType(), context));
  words.put(begin, words_of(field.getType(), context));
}

/// A member that is there only so that the union can be without the others. A byte of a program's own may say
/// something.
bool is_dummy(const FieldDecl& field, const ASTContext& context) {
  const CXXRecordDecl* const record = field.getType()->getAsCXXRecordDecl();
  if (record != nullptr && record->isEmpty()) return true;
  return is_of_library(field) && !field.isBitField() && bytes_of(field.getType(), context) <= 1;
}

Words of_union(const RecordDecl& record, const ASTContext& context) {
  llvm::SmallVector<const FieldDecl*> fields;
  for (const FieldDecl* const field : record.fields())
    if (!is_dummy(*field, context)) fields.push_back(field);
  llvm::SmallVector<Words> members;
  for (const FieldDecl* const field : fields) put_field(members.emplace_back(), *field, context);
  if (members.size() == 1) return members.front();
  // Characters beside pointers are memory for anything.
  const bool has_pointers = llvm::any_of(members, [](const Words& member) { return !member.words().empty(); });
  for (auto [field, member] : llvm::zip(fields, members))
    if (has_pointers && is_characters(field->getType(), context))
      member.put_unsure(0, bytes_of(field->getType(), context));
  return union_of(members);
}

std::uint64_t quantity(CharUnits offset) { return static_cast<std::uint64_t>(offset.getQuantity()); }

void put_bases(Words& words, const CXXRecordDecl& record, bool is_complete, const ASTContext& context) {
  const ASTRecordLayout& layout = context.getASTRecordLayout(&record);
  if (layout.hasOwnVFPtr() || record.getNumVBases() > 0) words.put(0, Word{Word::Kind::pointer});
  for (const CXXBaseSpecifier& base : record.bases()) {
    const CXXRecordDecl* const type = base.getType()->getAsCXXRecordDecl();
    if (!base.isVirtual())
      words.put(quantity(layout.getBaseClassOffset(type)), words_of(*type, /*is_complete=*/false, context));
  }
  if (!is_complete) return;
  for (const CXXBaseSpecifier& base : record.vbases()) {
    const CXXRecordDecl* const type = base.getType()->getAsCXXRecordDecl();
    words.put(quantity(layout.getVBaseClassOffset(type)), words_of(*type, /*is_complete=*/false, context));
  }
}

Words of_builtin(const BuiltinType& type, std::uint64_t bytes) {
  if (type.isNullPtrType()) return of_pointer(bytes);
  if (type.isInteger()) return of_integer(bytes);
  return type.isFloatingPoint() ? of_data(bytes) : of_unknown();
}

/// The address of a function, or an odd number, and then another number.
Words of_member_function(std::uint64_t bytes) {
  Words words = of_data(bytes);
  words.put(0, Word{Word::Kind::conditional, /*test_offset=*/0, /*test_mask=*/1, /*test_value=*/0});
  return words;
}

/// Of what is neither an array nor a class.
Words of_scalar(QualType type, const ASTContext& context) {
  const std::uint64_t bytes = bytes_of(type, context);
  if (type->isAnyPointerType() || type->isReferenceType() || type->isBlockPointerType()) return of_pointer(bytes);
  if (type->isMemberFunctionPointerType()) return of_member_function(bytes);
  if (type->isMemberPointerType()) return of_data(bytes);
  if (type->isEnumeralType() || type->isBitIntType()) return of_integer(bytes);
  if (const auto* const atomic = type->getAs<AtomicType>()) return words_of(atomic->getValueType(), context);
  if (const auto* const complex = type->getAs<ComplexType>()) return of_elements(complex->getElementType(), 2, context);
  if (const auto* const vector = type->getAs<VectorType>())
    return of_elements(vector->getElementType(), vector->getNumElements(), context);
  const auto* const builtin = type->getAs<BuiltinType>();
  return builtin != nullptr ? of_builtin(*builtin, bytes) : of_unknown();
}

/// The size of a reference is that of what it leads to, if one asks the context.
QualType as_stored(QualType type, const ASTContext& context) {
  const QualType canonical = type.getCanonicalType().getUnqualifiedType();
  return canonical->isReferenceType() ? context.VoidPtrTy : canonical;
}

}  // namespace

bool is_characters(QualType type, const ASTContext& context) {
  const ArrayType* const array = context.getAsArrayType(type);
  if (array == nullptr) return false;
  const QualType element = context.getBaseElementType(type);
  return element->isCharType() || element->isStdByteType();
}

Words words_of(const RecordDecl& declaration, bool is_complete, const ASTContext& context) {
  const RecordDecl* const record = declaration.getDefinition();
  if (record == nullptr || record->isInvalidDecl() || record->isDependentType()) return of_unknown();
  if (auto words = words_of_library_type(*record, context)) return *words;
  if (record->isUnion()) return of_union(*record, context);
  Words words;
  if (const auto* const with_bases = llvm::dyn_cast<CXXRecordDecl>(record))
    put_bases(words, *with_bases, is_complete, context);
  for (const FieldDecl* const field : record->fields()) put_field(words, *field, context);
  return words;
}

Words words_of(QualType type, const ASTContext& context) {
  if (type.isNull() || type->isDependentType()) return of_unknown();
  const QualType stored = as_stored(type, context);
  // Elements that are there without being part of the type.
  if (stored->isIncompleteArrayType())
    return words_of(context.getBaseElementType(stored), context).words().empty() ? Words() : of_unknown();
  if (stored->isIncompleteType() || stored->isVariableArrayType() || stored->isFunctionType()) return of_unknown();
  if (const ConstantArrayType* const array = context.getAsConstantArrayType(stored))
    return of_elements(array->getElementType(), array->getSize().getZExtValue(), context);
  if (const RecordDecl* const record = stored->getAsRecordDecl()) return words_of(*record, true, context);
  return of_scalar(stored, context);
}

}  // namespace perdure::plugin
