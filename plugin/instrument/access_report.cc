#include "instrument/access_report.h"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

#include <system_error>
#include <utility>

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr char pass_name[] = "perdure";

void remark_instrumented(const Instruction& access, AccessKind kind) {
  OptimizationRemarkEmitter emitter(access.getFunction());
  emitter.emit(
      [&] { return OptimizationRemarkMissed(pass_name, "Instrumented", &access) << name_of(kind) << " instrumented"; });
}

/// What the programmer may have meant by it, it does not do here: it does not reach memory at once.
void remark_volatile(const Instruction& access, AccessKind kind) {
  OptimizationRemarkEmitter emitter(access.getFunction());
  emitter.emit([&] {
    return OptimizationRemark(pass_name, "Volatile", &access)
           << "volatile " << name_of(kind) << " is an ordinary access of the transaction";
  });
}

void remark_left(const Instruction& access, AccessKind kind, StringRef elision) {
  OptimizationRemarkEmitter emitter(access.getFunction());
  emitter.emit([&] {
    return OptimizationRemark(pass_name, "Left", &access)
           << name_of(kind) << " left as it is: " << ore::NV("Elision", elision);
  });
}

}  // namespace

void AccessReport::begin(const Function& clone) {
  if (path_.empty()) return;
  functions_.push_back({source_name(clone), clone.getName().str(), place(point_of(clone)), {}});
}

void AccessReport::add(const Instruction& access, AccessKind kind, StringRef elision) {
  if (access.isVolatile() && elision.empty()) remark_volatile(access, kind);
  if (elision.empty())
    remark_instrumented(access, kind);
  else
    remark_left(access, kind, elision);
  if (path_.empty()) return;
  functions_.back().accesses.push_back(json::Object{{"place", place(point_of(access.getDebugLoc()))},
                                                    {"kind", name_of(kind)},
                                                    {"left", elision.empty() ? json::Value(nullptr) : elision}});
}

void AccessReport::finish(Reporter& reporter) {
  if (path_.empty()) return;
  json::Array functions;
  for (OfFunction& function : functions_)
    functions.push_back(json::Object{{"function", function.name},
                                     {"symbol", function.symbol},
                                     {"place", function.place},
                                     {"accesses", std::move(function.accesses)}});
  functions_.clear();
  std::error_code failure;
  raw_fd_ostream file(path_, failure);
  if (failure)
    reporter.error({{}, "the report cannot be written to " + path_ + ": " + failure.message()}, {});
  else
    file << formatv("{0:2}",
                    json::Value(json::Object{{"blocks", std::move(blocks_)}, {"functions", std::move(functions)}}))
         << '\n';
}

}  // namespace perdure::plugin
