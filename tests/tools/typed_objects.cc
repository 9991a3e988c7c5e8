// A program that has the types of the roots, for its debug information only.
#include "typed_objects.h"

bank::Account account;
bank::Shares<bank::Shares<long, 1>, 3> shares;

long balance_of_account() { return static_cast<long>(account.balance); }
