// The standard exceptions in transactions: thrown, caught by value and by reference, thrown again, copied, read, kept,
// deleted by way of a base class, and leaving the transaction.
#include <perdure/perdure.h>

#include <any>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>
#include <utility>
#include <variant>

namespace {

struct Shared {
  std::uint64_t count = 0;
  char text[200] = {};
};

int failures = 0;

void expect(bool holds, const char* type, const char* what) {
  if (holds) return;
  std::cout << type << ": " << what << '\n';
  ++failures;
}

void keep(Shared& shared, const char* text) {
  shared.count += 1;
  std::size_t size = 0;
  for (; text[size] != '\0' && size < sizeof shared.text - 1; ++size) shared.text[size] = text[size];
  shared.text[size] = '\0';
}

bool holds(const Shared& shared, std::uint64_t count, const std::string& text) {
  return shared.count == count && shared.text == text;
}

/// `make()` makes an exception; outside of transactions it tells what the text is.
template <class Exception, class Make>
void check_handlers(Shared& shared, const char* type, Make make) {
  const std::string text = make().what();

  shared.count = 0;
  TM_BEGIN {
    try {
      throw make();
    } catch (Exception caught) {
      keep(shared, caught.what());
    }
  } TM_END;
  expect(holds(shared, 1, text), type, "by value");

  TM_BEGIN {
    try {
      try {
        throw make();
      } catch (const std::exception& caught) {
        keep(shared, caught.what());
        throw;
      }
    } catch (const Exception& again) {
      Exception copy(again);
      const Exception other = make();
      copy = other;
      const Exception moved(std::move(copy));
      keep(shared, moved.what());
    }
  } TM_END;
  expect(holds(shared, 3, text), type, "thrown again and copied");

  TM_BEGIN {
    std::exception_ptr pointer;
    try {
      throw make();
    } catch (...) {
      pointer = std::current_exception();
    }
    try {
      const std::exception_ptr second = pointer;
      std::rethrow_exception(second);
    } catch (const Exception& again) {
      keep(shared, again.what());
    }
    try {
      std::rethrow_exception(std::make_exception_ptr(make()));
    } catch (const std::exception& again) {
      keep(shared, again.what());
    }
  } TM_END;
  expect(holds(shared, 5, text), type, "by a pointer");
}

/// The same for what does not stay in one handler.
template <class Exception, class Make>
void check_ways_out(Shared& shared, const char* type, Make make) {
  const std::string text = make().what();
  shared.count = 5;
  TM_BEGIN {
    try {
      try {
        throw make();
      } catch (const std::exception& inner) {
        std::throw_with_nested(std::logic_error(std::string("around ") + inner.what()));
      }
    } catch (const std::exception& outer) {
      try {
        std::rethrow_if_nested(outer);
      } catch (const Exception& inner) {
        keep(shared, inner.what());
      }
    }
  } TM_END;
  expect(holds(shared, 6, text), type, "nested");

  bool arrives = false;
  try {
    TM_BEGIN {
      keep(shared, "not this");
      throw make();
    } TM_END;
  } catch (const Exception& caught) {
    arrives = caught.what() == text;
  }
  expect(arrives && holds(shared, 6, text), type, "leaves the transaction");

  const std::exception_ptr kept = TM_BEGIN { return std::make_exception_ptr(make()); } TM_END;
  try {
    std::rethrow_exception(kept);
  } catch (const std::exception& caught) {
    expect(caught.what() == text, type, "outlives the transaction");
  }
}

/// Objects by way of a base class: of one transaction, and of several. What is deleted is there again after an abort.
template <class Exception, class Make>
void check_base_class(Shared& shared, const char* type, Make make) {
  const std::string text = make().what();
  shared.count = 6;
  TM_BEGIN {
    const std::exception* const object = new Exception(make());
    keep(shared, object->what());
    delete object;
  } TM_END;
  expect(holds(shared, 7, text), type, "deleted where it was made");

  std::unique_ptr<std::exception> kept =
      TM_BEGIN { return std::unique_ptr<std::exception>(std::make_unique<Exception>(make())); } TM_END;
  try {
    TM_BEGIN {
      kept.reset();
      throw 1;
    } TM_END;
  } catch (int) {
  }
  expect(kept != nullptr && kept->what() == text, type, "deleted, but not in the end");
  TM_BEGIN {
    dynamic_cast<Exception&>(*kept) = make();
    keep(shared, kept->what());
    kept.reset();
  } TM_END;
  expect(holds(shared, 8, text) && kept == nullptr, type, "deleted in a later transaction");
  std::unique_ptr<std::exception> outer = std::make_unique<Exception>(make());
  TM_BEGIN {
    keep(shared, outer->what());
    outer.reset();
  } TM_END;
  expect(holds(shared, 9, text) && outer == nullptr, type, "made outside");
}

template <class Exception, class Make>
void check(Shared& shared, const char* type, Make make) {
  check_handlers<Exception>(shared, type, make);
  check_ways_out<Exception>(shared, type, make);
  check_base_class<Exception>(shared, type, make);
}

template <class Exception>
void check_default(Shared& shared, const char* type) {
  check<Exception>(shared, type, [] { return Exception(); });
}

template <class Exception>
void check_texts(Shared& shared, const char* type) {
  check<Exception>(shared, type, [] { return Exception("characters"); });
  const std::string text = "a text that is too long for the object itself";
  check<Exception>(shared, type, [&text] { return Exception(text); });
}

struct Own : std::runtime_error {
  explicit Own(int number) : std::runtime_error("number " + std::to_string(number)), number(number) {}
  int number;
};

void check_system_errors(Shared& shared) {
  check<std::system_error>(shared, "system_error", [] {
    return std::system_error(std::make_error_code(std::errc::not_enough_memory), "reading");
  });
  check<std::system_error>(shared, "system_error of the system",
                           [] { return std::system_error(2, std::system_category(), std::string("opening")); });
  const std::string message = std::make_error_code(std::errc::invalid_argument).message();
  bool same = false;
  TM_BEGIN {
    const std::error_code code = std::make_error_code(std::errc::invalid_argument);
    same = code == std::errc::invalid_argument && code != std::errc::io_error &&
           code.default_error_condition() == std::errc::invalid_argument;
    keep(shared, code.message().c_str());
    keep(shared, (shared.text + std::string(code.category().name())).c_str());
  } TM_END;
  expect(same && shared.text == message + "generic", "error_code", "in a transaction");
}

void check_errors_with_codes(Shared& shared) {
  check<std::future_error>(shared, "future_error", [] { return std::future_error(std::future_errc::no_state); });
  check<std::ios_base::failure>(shared, "failure", [] { return std::ios_base::failure("characters"); });
  const std::string text = "a text that is too long for the object itself";
  check<std::ios_base::failure>(shared, "failure",
                                [&text] { return std::ios_base::failure(text, std::io_errc::stream); });
#ifndef _LIBCPP_VERSION  // whose headers make the error's parts, which its shared object destroys
  using std::filesystem::filesystem_error;
  const std::error_code code = std::make_error_code(std::errc::no_such_file_or_directory);
  check<filesystem_error>(shared, "filesystem_error", [&] { return filesystem_error("reading", code); });
  check<filesystem_error>(shared, "filesystem_error",
                          [&] { return filesystem_error("reading", std::filesystem::path("a_folder/a_file"), code); });
  check<filesystem_error>(shared, "filesystem_error", [&] {
    return filesystem_error(text, std::filesystem::path("from"), std::filesystem::path("to"), code);
  });
#endif
}

struct Nested : std::exception, std::nested_exception {};

void check_nested_exceptions(Shared& shared) {
  shared.count = 0;
  TM_BEGIN {
    std::nested_exception* kept = nullptr;
    try {
      throw std::logic_error("inner");
    } catch (...) {
      kept = new Nested;
    }
    try {
      kept->rethrow_nested();
    } catch (const std::exception& inner) {
      keep(shared, inner.what());
    }
    delete kept;
    const std::unique_ptr<std::nested_exception> plain(new std::nested_exception);
    if (plain->nested_ptr() == nullptr) ++shared.count;
  } TM_END;
  expect(holds(shared, 2, "inner"), "nested_exception", "deleted");
}

// What the library itself throws.
void check_throwers(Shared& shared) {
  const std::variant<int, std::string> number(3);
  const std::any any(3L);
  const std::optional<int> none;
  const std::function<void()> nothing;
  shared.count = 0;
  TM_BEGIN {
    try {
      shared.text[0] = std::get<1>(number)[0];
    } catch (std::bad_variant_access caught) {
      keep(shared, caught.what());
    }
    try {
      shared.count += static_cast<std::uint64_t>(std::any_cast<int>(any));
    } catch (std::bad_any_cast caught) {
      keep(shared, caught.what());
    }
    try {
      shared.count += static_cast<std::uint64_t>(none.value());
    } catch (std::bad_optional_access caught) {
      keep(shared, caught.what());
    }
    try {
      nothing();
    } catch (std::bad_function_call caught) {
      keep(shared, caught.what());
    }
  } TM_END;
  expect(shared.count == 4, "exceptions of the library", "by value");
}

// In memory that is there again after the transaction.
void check_shared_objects() {
  std::optional<std::runtime_error> outer(std::in_place, "outer"), made;
  try {
    TM_BEGIN {
      outer.reset();
      made.emplace("made");
      throw 1;
    } TM_END;
  } catch (int) {
  }
  expect(outer && outer->what() == std::string("outer") && !made, "an exception outside", "rolled back");
  TM_BEGIN {
    made = outer;
    outer = std::runtime_error("other");
  } TM_END;
  expect(made->what() == std::string("outer") && outer->what() == std::string("other"), "an exception outside",
         "copied");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto pool = perdure::Pool::open(argv[1], {.accept_volatile = true});
  Shared& shared = pool.root<Shared>("shared");
  check_texts<std::logic_error>(shared, "logic_error");
  check_texts<std::domain_error>(shared, "domain_error");
  check_texts<std::invalid_argument>(shared, "invalid_argument");
  check_texts<std::length_error>(shared, "length_error");
  check_texts<std::out_of_range>(shared, "out_of_range");
  check_texts<std::runtime_error>(shared, "runtime_error");
  check_texts<std::range_error>(shared, "range_error");
  check_texts<std::overflow_error>(shared, "overflow_error");
  check_texts<std::underflow_error>(shared, "underflow_error");
  check_default<std::exception>(shared, "exception");
  check_default<std::bad_exception>(shared, "bad_exception");
  check_default<std::bad_alloc>(shared, "bad_alloc");
  check_default<std::bad_array_new_length>(shared, "bad_array_new_length");
  check_default<std::bad_cast>(shared, "bad_cast");
  check_default<std::bad_typeid>(shared, "bad_typeid");
  check_default<std::bad_weak_ptr>(shared, "bad_weak_ptr");
  check_default<std::bad_function_call>(shared, "bad_function_call");
  check_default<std::bad_optional_access>(shared, "bad_optional_access");
  check_default<std::bad_variant_access>(shared, "bad_variant_access");
  check_default<std::bad_any_cast>(shared, "bad_any_cast");
  check<std::regex_error>(shared, "regex_error", [] { return std::regex_error(std::regex_constants::error_paren); });
  check<Own>(shared, "an exception of the program", [] { return Own(7); });
  check_system_errors(shared);
  check_errors_with_codes(shared);
  check_nested_exceptions(shared);
  check_throwers(shared);
  check_shared_objects();
  if (failures != 0) return 1;
  std::cout << "done\n";
}
