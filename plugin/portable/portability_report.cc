#include "portable/portability_report.h"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "discover/boundary.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr char pass_name[] = "perdure";

/// Where the programmer wrote it: not in the header that the code was inlined from.
const DILocation* users_location(const Instruction& instruction) {
  const DILocation* location = instruction.getDebugLoc();
  while (location != nullptr && location->getInlinedAt() != nullptr &&
         is_header_of_library(point_of(DebugLoc(location)).file))
    location = location->getInlinedAt();
  return location;
}

SourcePoint users_point(const Instruction& instruction) {
  const DILocation* const location = users_location(instruction);
  return location == nullptr || location->getLine() == 0 ? point_of(*instruction.getFunction())
                                                         : point_of(DebugLoc(location));
}

json::Array locals_of(const Captures& captures) {
  json::Array locals;
  for (const Captures::Local& local : captures.locals)
    locals.push_back(json::Object{{"bytes", local.bytes}, {"written", local.is_written}});
  return locals;
}

json::Array others_of(const Captures& captures) {
  json::Array others;
  for (const Captures::Other& other : captures.others)
    others.push_back(json::Object{{"in", other.holder}, {"offset", other.holder_offset}, {"origin", other.origin}});
  return others;
}

json::Value obstacle_of(const Operation& operation) {
  if (!operation.obstacle) return nullptr;
  return json::Object{{"kind", operation.obstacle->kind},
                      {"what", operation.obstacle->what},
                      {"place", place(users_point(*operation.obstacle->at))}};
}

}  // namespace

json::Array report_of(ArrayRef<Operation> operations) {
  json::Array blocks;
  for (const Operation& operation : operations)
    blocks.push_back(json::Object{{"place", place(users_point(*operation.run))},
                                  {"function", source_name(*operation.run->getFunction())},
                                  {"portable", !operation.obstacle.has_value()},
                                  {"obstacle", obstacle_of(operation)},
                                  {"locals", locals_of(operation.captures)},
                                  {"pointers", others_of(operation.captures)}});
  return blocks;
}

void remark_on(ArrayRef<Operation> operations) {
  for (const Operation& operation : operations) {
    const DiagnosticLocation location(DebugLoc(users_location(*operation.run)));
    const BasicBlock* const block = operation.run->getParent();
    OptimizationRemarkEmitter emitter(operation.run->getFunction());
    if (operation.obstacle)
      emitter.emit([&] {
        return OptimizationRemarkMissed(pass_name, "NotPortable", location, block)
               << "block is not portable: " << operation.obstacle->what;
      });
    else
      emitter.emit([&] { return OptimizationRemark(pass_name, "Portable", location, block) << "block is portable"; });
  }
}

void warn_of(ArrayRef<Operation> operations, Reporter& reporter) {
  for (const Operation& operation : operations)
    if (operation.obstacle)
      reporter.warning({users_point(*operation.run), "this block is not portable: only its own thread can run it"},
                       {{users_point(*operation.obstacle->at), operation.obstacle->what}});
}

}  // namespace perdure::plugin
