// Clones of what libc++ keeps of std::shared_ptr and std::weak_ptr in its shared object: the counts of owners, which
// are one less than there are owners. Compiled with the plugin.
#include <memory>

namespace perdure::provided {
namespace {

/// A way to members that are not public: explicit instantiations may name them. `granted(Tag())` is the member.
template <class Tag, typename Tag::Member member>
struct Grant {
  friend typename Tag::Member granted(Tag) { return member; }
};

struct Owners {
  using Member = long std::__shared_count::*;
  friend Member granted(Owners);
};
struct WeakOwners {
  using Member = long std::__shared_weak_count::*;
  friend Member granted(WeakOwners);
};
struct OnNoWeakOwner {
  using Member = void (std::__shared_weak_count::*)() noexcept;
  friend Member granted(OnNoWeakOwner);
};
template struct Grant<Owners, &std::__shared_count::__shared_owners_>;
template struct Grant<WeakOwners, &std::__shared_weak_count::__shared_weak_owners_>;
template struct Grant<OnNoWeakOwner, &std::__shared_weak_count::__on_zero_shared_weak>;

constexpr long expired = -1;

}  // namespace

[[perdure::implements("_ZNSt3__119__shared_weak_count14__release_weakEv")]]
void release_weak(std::__shared_weak_count* counts) {
  if (counts->*granted(WeakOwners()) == 0)
    (counts->*granted(OnNoWeakOwner()))();
  else
    counts->*granted(WeakOwners()) -= 1;
}

[[perdure::implements("_ZNSt3__119__shared_weak_count4lockEv")]]
std::__shared_weak_count* lock(std::__shared_weak_count* counts) {
  // The base is private, which only this kind of cast passes over.
  long& owners = ((std::__shared_count*)counts)->*granted(Owners());  // NOLINT(google-readability-casting)
  if (owners == expired) return nullptr;
  owners += 1;
  return counts;
}

// They have nothing to do.
[[perdure::implements("_ZNSt3__119__shared_weak_countD2Ev")]] void destroy(std::__shared_weak_count*) {}
[[perdure::implements("_ZNSt3__114__shared_countD2Ev")]] void destroy(std::__shared_count*) {}

}  // namespace perdure::provided
