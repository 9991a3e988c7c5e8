#include "common/diagnose.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/Twine.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/WithColor.h>
#include <llvm/Support/raw_ostream.h>

#include "common/runtime_interface.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

std::string path_of(const DIFile* file) {
  if (file == nullptr) return {};
  if (sys::path::is_absolute(file->getFilename())) return file->getFilename().str();
  SmallString<128> path(file->getDirectory());
  sys::path::append(path, file->getFilename());
  return path.str().str();
}

std::string prefix(const SourcePoint& point) { return point.line == 0 ? std::string() : place(point) + ": "; }

void show_notes(ArrayRef<Message> notes) {
  for (const Message& note : notes) {
    errs() << prefix(note.point);
    WithColor::note(errs()) << note.text << '\n';
  }
}

}  // namespace

CallBase& with_location(CallBase& call) {
  DISubprogram* const subprogram = call.getFunction()->getSubprogram();
  if (subprogram != nullptr && !call.getDebugLoc())
    call.setDebugLoc(DILocation::get(call.getContext(), /*Line=*/0, /*Column=*/0, subprogram));
  return call;
}

std::string place(const SourcePoint& point) {
  if (point.line == 0) return "<unknown place>";
  return point.file + ":" + std::to_string(point.line) + ":" + std::to_string(point.column);
}

SourcePoint point_of(const DebugLoc& location) {
  if (!location) return {};
  return {path_of(location->getFile()), location.getLine(), location.getCol()};
}

SourcePoint point_of(const Function& function) {
  const DISubprogram* const subprogram = function.getSubprogram();
  if (subprogram == nullptr) return {};
  return {path_of(subprogram->getFile()), subprogram->getLine(), 1};
}

std::string source_name(const Function& function) {
  StringRef symbol = function.getName();
  symbol.consume_front(clone_symbol(""));
  return demangle(symbol);
}

void Reporter::error(const Message& message, ArrayRef<Message> notes) {
  has_errors_ = true;
  const bool is_new = shown_.insert(prefix(message.point) + message.text).second;
  if (is_new || message.point.line == 0) show(message, notes);
}

void Reporter::finish(LLVMContext& context) {
  if (has_errors_) fail(context);
}

void StandardErrorReporter::show(const Message& message, ArrayRef<Message> notes) {
  errs() << prefix(message.point);
  WithColor::error(errs()) << message.text << '\n';
  show_notes(notes);
}

void StandardErrorReporter::warning(const Message& message, ArrayRef<Message> notes) {
  errs() << prefix(message.point);
  WithColor::warning(errs()) << message.text << '\n';
  show_notes(notes);
}

void StandardErrorReporter::fail(LLVMContext& context) {
  context.emitError("transactions of this module cannot be compiled: see the errors above");
}

}  // namespace perdure::plugin
