// People and their friends, built in ordinary memory by code that knows no pool, and then kept in one, with all their
// references (N. Krauter et al., “Persistent Software Transactional Memory in Haskell”, ICFP'21, section 3.2: what a
// persistent variable reaches becomes persistent). Each run greets them; how often counts a persistent variable, how
// often in this run a volatile one, in the same transaction.
//   perdure-c++ -O2 friends.cc -o friends && ./friends friends.pool 3
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <perdure/perdure.h>
#include <perdure/persist.h>

namespace {

struct Person {
  std::string name;
  std::vector<Person*> friends;
  long greetings = 0;
};

using People = std::map<std::string, Person*>;

/// Plain C++: everyone is a friend of the two before, and they of him.
People make_people() {
  People people;
  std::vector<Person*> known;
  for (const char* const name : {"Ada", "Barbara", "Edsger", "Grace", "Maurice", "Nir"}) {
    auto* const person = new Person{name, {}, 0};
    for (std::size_t i = known.size(); i-- > 0 && known.size() - i <= 2;) {
      person->friends.push_back(known[i]);
      known[i]->friends.push_back(person);
    }
    known.push_back(person);
    people[name] = person;
  }
  return people;
}

long greetings_of_this_run = 0;

void greet(Person& person) {
  TM_BEGIN {
    for (Person* const one : person.friends) ++one->greetings;
    ++greetings_of_this_run;
  } TM_END;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: friends <pool> <rounds>\n", stderr);
    return 2;
  }
  auto pool = perdure::Pool::open(argv[1]);
  People* people = pool.find_root<People>("people");
  if (people == nullptr) people = &perdure::persist(pool, "people", make_people());
  for (long round = std::strtol(argv[2], nullptr, 10); round > 0; --round)
    for (const auto& [name, person] : *people) greet(*person);
  for (const auto& [name, person] : *people)
    std::printf("%s has %zu friends and was greeted %ld times\n", name.c_str(), person->friends.size(),
                person->greetings);
  std::printf("%ld greetings in this run\n", greetings_of_this_run);
}
