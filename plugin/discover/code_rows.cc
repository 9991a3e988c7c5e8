#include "discover/code_rows.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/Path.h>

#include <string>

#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/address_taken.h"
#include "discover/clone.h"
#include "discover/program_constants.h"
#include "discover/registration.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

struct CodeRow {
  std::string name;
  Constant* address;
  std::uint64_t bytes;
};

/// Of types of the C++ ABI itself, which std::type_info objects have.
constexpr StringLiteral prefix_of_runtime = "_ZTVN10__cxxabiv1";

bool is_table(const GlobalVariable& variable) {
  return variable.getName().starts_with("_ZTV") && !variable.getName().starts_with(prefix_of_runtime) &&
         isa<StructType>(variable.getValueType()) && !(variable.isDeclaration() && variable.use_empty());
}

bool is_function(const Function& function) {
  return !function.isIntrinsic() && !is_clone(function) && !is_clone_symbol(function.getName()) &&
         !is_entry_point(function.getName()) && is_address_taken_by_itself(function);
}

Attribute marked_name(const GlobalValue& code) {
  if (const auto* const function = dyn_cast<Function>(&code)) return function->getFnAttribute(code_name_marking);
  return cast<GlobalVariable>(code).getAttribute(code_name_marking);
}

/// What only its file knows may have the name of something else in another one.
std::string name_of(const GlobalValue& code) {
  if (const Attribute name = marked_name(code); name.isValid()) return name.getValueAsString().str();
  if (!code.hasLocalLinkage()) return code.getName().str();
  return (code.getName() + "@" + sys::path::filename(code.getParent()->getSourceFileName())).str();
}

/// A row for each part: a secondary base class has a table of its own behind the first.
void add_parts(GlobalVariable& table, SmallVectorImpl<CodeRow>& rows) {
  const DataLayout& layout = table.getParent()->getDataLayout();
  auto* const type = cast<StructType>(table.getValueType());
  const std::string name = name_of(table);
  Type* const index = Type::getInt32Ty(table.getContext());
  for (unsigned part = 0; part < type->getNumElements(); ++part) {
    if (!isa<ArrayType>(type->getElementType(part))) return;
    Constant* const indices[] = {ConstantInt::get(index, 0), ConstantInt::get(index, part)};
    rows.push_back({part == 0 ? name : name + "#" + std::to_string(part),
                    ConstantExpr::getInBoundsGetElementPtr(type, &table, indices),
                    layout.getTypeAllocSize(type->getElementType(part)).getFixedValue()});
  }
}

bool is_kept_constant(const GlobalVariable& variable) {
  return is_program_constant(variable) && size_of_constant(variable) != 0 &&
         (is_address_kept(variable) || may_be_kept_elsewhere(variable));
}

/// In the linker a constant's own file has named it, and may have offered it.
bool is_offered_constant(const GlobalVariable& variable, Files files) {
  if (files != Files::all) return is_kept_constant(variable);
  return variable.hasAttribute(code_name_marking) && !variable.hasAttribute(offered_marking);
}

/// As pools spell it: alloc/program_code.h.
std::string name_of_constant(const GlobalVariable& variable) {
  return is_text(variable) ? "\"" : "=" + name_of(variable);
}

void add_constant(GlobalVariable& variable, SmallVectorImpl<CodeRow>& rows) {
  rows.push_back({name_of_constant(variable), &variable, size_of_constant(variable)});
  variable.addAttribute(offered_marking);
}

Constant* text_of(const std::string& text, Module& module) {
  Constant* const characters = ConstantDataArray::getString(module.getContext(), text);
  auto* const variable = new GlobalVariable(module, characters->getType(), /*isConstant=*/true,
                                            GlobalValue::PrivateLinkage, characters, "perdure.code_name");
  variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return variable;
}

GlobalVariable& emit(Module& module, ArrayRef<CodeRow> rows) {
  LLVMContext& context = module.getContext();
  auto* const pointer = PointerType::getUnqual(context);
  auto* const row_type = StructType::get(pointer, pointer, Type::getInt64Ty(context));
  SmallVector<Constant*> contents;
  for (const CodeRow& row : rows)
    contents.push_back(ConstantStruct::get(row_type, text_of(row.name, module), row.address,
                                           ConstantInt::get(Type::getInt64Ty(context), row.bytes)));
  auto* const type = ArrayType::get(row_type, contents.size());
  return *new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
                             ConstantArray::get(type, contents), "perdure.code");
}

/// Of the objects that it is a member function of it uses none.
void call_initialisers(ArrayRef<GlobalVariable*> constants, Module& module) {
  SmallVector<std::pair<Function*, GlobalVariable*>> initialisers;
  for (GlobalVariable* const constant : constants)
    if (Function* const function = initialiser_of(*constant)) initialisers.push_back({function, constant});
  if (initialisers.empty()) return;
  Function& caller = make_registration(module, "perdure.initialise_constants");
  IRBuilder<> builder(&caller.getEntryBlock());
  for (const auto& [function, constant] : initialisers)
    builder.CreateCall(function, SmallVector<Value*>(function->arg_size(), constant));
  builder.CreateRetVoid();
  call_at_load(caller);
}

}  // namespace

void offer_code(Module& module, Files files) {
  SmallVector<CodeRow> rows;
  SmallVector<GlobalVariable*> constants;
  for (GlobalVariable& variable : module.globals())
    if (is_table(variable))
      add_parts(variable, rows);
    else if (is_offered_constant(variable, files))
      constants.push_back(&variable);
  for (GlobalVariable* const constant : constants) add_constant(*constant, rows);
  call_initialisers(constants, module);
  for (Function& function : module)
    if (is_function(function)) rows.push_back({name_of(function), &function, 0});
  if (rows.empty()) return;
  EntryPoints entry_points(module);
  register_table(emit(module, rows), rows.size(), entry_points.add_code(), entry_points.remove_code(), "code");
}

void offer_constants(Module& module) {
  SmallVector<GlobalVariable*> constants;
  for (GlobalVariable& variable : module.globals())
    if (may_be_kept_elsewhere(variable) && is_kept_constant(variable)) constants.push_back(&variable);
  if (constants.empty()) return;
  SmallVector<CodeRow> rows;
  for (GlobalVariable* const constant : constants) add_constant(*constant, rows);
  EntryPoints entry_points(module);
  FunctionCallee add = entry_points.add_code();
  FunctionCallee remove = entry_points.remove_code();
  for (FunctionCallee callee : {add, remove})
    cast<Function>(callee.getCallee())->setLinkage(GlobalValue::ExternalWeakLinkage);
  register_table(emit(module, rows), rows.size(), add, remove, "code");
}

namespace {

constexpr StringLiteral names_of_holders = "perdure.code_holders";
constexpr StringLiteral structures_of_holders = "perdure.code_holders_structures";

void list(Module& module, StringRef name, const StringSet<>& types) {
  if (types.empty()) return;
  SmallVector<Metadata*> texts;
  for (const auto& type : types) texts.push_back(MDString::get(module.getContext(), type.getKey()));
  module.getOrInsertNamedMetadata(name)->addOperand(MDTuple::get(module.getContext(), texts));
}

StringSet<> listed(const Module& module, StringRef name) {
  StringSet<> types;
  const NamedMDNode* const lists = module.getNamedMetadata(name);
  if (lists == nullptr) return types;
  for (const MDNode* const list : lists->operands())
    for (const MDOperand& text : list->operands()) types.insert(cast<MDString>(text)->getString());
  return types;
}

}  // namespace

std::unique_ptr<CodeHolders> code_holders_of(const Module& module) {
  auto holders = std::make_unique<CodeHolders>();
  holders->names = listed(module, names_of_holders);
  holders->structures = listed(module, structures_of_holders);
  return holders;
}

void name_code(Module& module, const CodeHolders* holders) {
  if (holders != nullptr) {
    list(module, names_of_holders, holders->names);
    list(module, structures_of_holders, holders->structures);
  }
  for (GlobalVariable& variable : module.globals())
    if (is_table(variable) ? variable.hasLocalLinkage() : is_kept_constant(variable))
      variable.addAttribute(code_name_marking, is_text(variable) ? "" : name_of(variable));
  for (Function& function : module)
    if (function.hasLocalLinkage() && is_function(function)) function.addFnAttr(code_name_marking, name_of(function));
}

}  // namespace perdure::plugin
