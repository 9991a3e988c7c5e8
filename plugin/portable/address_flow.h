#ifndef PERDURE_PLUGIN_PORTABLE_ADDRESS_FLOW_H
#define PERDURE_PLUGIN_PORTABLE_ADDRESS_FLOW_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <set>

#include "elide/argument_uses.h"

/// Where the addresses of locals go: which values may be such an address, which locals hold it, and of which locals it
/// gets to memory that is not followed. Followed are the frames of functions that run transactions, of the clones that
/// these run, and of what either calls, as far as this module has the bodies. (Andersen's analysis, with offsets: the
/// order of instructions does not matter, nor does who calls, so nothing is optimised before, and -O0 is as good.)
namespace perdure::plugin {

/// What a value may be the address of.
struct Place {
  static constexpr std::int64_t anywhere = INT64_MIN;

  const llvm::Value* object = nullptr;  ///< a local, or an argument passed by value; null: memory not followed
  std::int64_t offset = anywhere;       ///< in the object

  auto operator<=>(const Place&) const = default;
};

/// What is stored in a local. The order is that of the offsets, so that whoever reads it finds the same in each run.
struct Held {
  std::int64_t offset;  ///< in the local; Place::anywhere: it may be any
  std::uint64_t bytes;  ///< as many as the store writes, not the address alone
  Place place;          ///< the address that is stored; without an object: something else
  const llvm::Instruction* store;

  auto operator<=>(const Held&) const = default;
};

class AddressFlow {
 public:
  explicit AddressFlow(const llvm::DataLayout& layout) : layout_(layout) {}

  /// From here on the function's frame is followed. Its arguments come from elsewhere.
  void begin_at(const llvm::Function& function);

  /// Until nothing is found any more.
  void solve();

  /// \returns null when nothing is known of the value.
  const std::set<Place>* places_of(const llvm::Value& value) const;

  const std::set<Held>& contents_of(const llvm::Value& object) const;

  /// The instruction by which the address of the object gets out of the frames that are followed; null: by none.
  const llvm::Instruction* escape_of(const llvm::Value& object) const { return escapes_.lookup(&object); }

  /// Whether a clone may write to the object, by whatever means.
  bool is_written(const llvm::Value& object) const { return written_.contains(&object); }

 private:
  using Places = std::set<Place>;

  /// Bytes that an instruction accesses.
  struct Range {
    Place begin;
    std::uint64_t bytes;
  };

  Places held_by(const llvm::Value& value) const;
  bool may_hold_address(llvm::Type& type) const;
  std::uint64_t size_of(llvm::Type& type) const { return layout_.getTypeStoreSize(&type).getKnownMinValue(); }

  void follow(const llvm::Function& function) { functions_.insert(&function); }
  void add(const llvm::Value& value, const Places& places);
  void add(const llvm::Value& value, Place place);
  void lose(const llvm::Value* object, const llvm::Value& by);
  void escape(const llvm::Value* object, const llvm::Instruction& by);
  bool overlaps(const Held& held, const Range& range) const;

  void visit(const llvm::Instruction& instruction);
  void visit_step(const llvm::Instruction& step, const llvm::GetElementPtrInst& address);
  void visit_load(const llvm::Instruction& instruction, const llvm::Value& pointer);
  void visit_store(const llvm::Instruction& instruction, const llvm::Value& value, const llvm::Value& pointer);
  void visit_transfer(const llvm::MemTransferInst& transfer);
  void visit_call(const llvm::CallBase& call);
  void visit_followed_call(const llvm::CallBase& call, const llvm::Function& callee);
  void visit_run(const llvm::CallBase& run, const llvm::Function& body);
  void visit_other_call(const llvm::CallBase& call);
  void derive(const llvm::Instruction& instruction, bool keeps_offsets);

  void load(const llvm::Instruction& load, const Range& from);
  void store(const llvm::Instruction& by, const Places& values, const Range& to);
  void hold(const llvm::Value& object, Held held);
  void copy(const llvm::Instruction& by, const Place& to, const Range& from);
  ArgumentUse use_of(const llvm::CallBase& call, unsigned argument);
  void give(const llvm::CallBase& call, unsigned argument);
  void note_write(const llvm::Instruction& by, const llvm::Value& object);

  const llvm::DataLayout& layout_;
  ArgumentUses argument_uses_;
  llvm::SetVector<const llvm::Function*> functions_;
  llvm::DenseMap<const llvm::Value*, Places> places_;
  llvm::DenseSet<const llvm::Value*> leads_anywhere_;  // values that lead to too much
  llvm::DenseMap<const llvm::Function*, Places> results_;
  llvm::DenseMap<const llvm::Value*, std::set<Held>> contents_;
  llvm::DenseMap<const llvm::Value*, const llvm::Instruction*> escapes_;
  llvm::DenseSet<const llvm::Value*> written_;
  bool has_changed_ = false;
};

}  // namespace perdure::plugin

#endif
