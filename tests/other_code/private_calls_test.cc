// Calls of functions of the standard library on what is private to a transaction, and on what is not
// (libs/entry/private_calls.h).
#include <gtest/gtest.h>

#include <filesystem>
#include <iomanip>
#include <locale>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "perdure/perdure.h"
#include "schedule.h"

namespace perdure {
namespace {

struct Texts {
  std::string in = "a text that is longer than what a string holds itself";
  std::string out;
  long number = 0;
  std::unique_ptr<std::vector<std::filesystem::path>> paths;
};

class PrivateCalls : public ::testing::Test {
 protected:
  ~PrivateCalls() override { std::filesystem::remove(path_); }

  /// How many transactions were serial, of one that aborts at every access in turn.
  template <class Body>
  unsigned long serial_in(Body&& body) {
    const auto before = statistics().serial_transactions;
    schedule::arm_aborts(1, true);
    execute(body);
    schedule::disarm();
    return statistics().serial_transactions - before;
  }

  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("perdure_private_" + std::to_string(getpid()) + ".pool");
  /// What an earlier test left is gone.
  Pool open_anew() {
    std::filesystem::remove(path_);
    return Pool::open(path_, {.accept_volatile = true});
  }
  Pool pool_ = open_anew();
  Texts& texts_ = pool_.root<Texts>("texts");
};

TEST_F(PrivateCalls, ObjectsOfTheBlockNeedNotBeAlone) {
  const unsigned long serial = serial_in([&] {
    std::ostringstream stream;
    stream << texts_.in << 42 << ' ' << 2.5;
    std::filesystem::path path(texts_.in);
    path /= texts_.in;
    texts_.out = stream.str() + path.string();
    std::istringstream("17") >> texts_.number;
  });
  EXPECT_EQ(serial, 0U);
  EXPECT_EQ(texts_.out, texts_.in + "42 2.5" + texts_.in + "/" + texts_.in);
  EXPECT_EQ(texts_.number, 17);
}

TEST_F(PrivateCalls, ObjectsFromOutsideAreChangedOnce) {
  std::ostringstream stream;
  const auto before = statistics().serial_transactions;
  execute([&] {
    texts_.number = 1;
    stream << texts_.in.substr(0, 6) << texts_.number;
  });
  EXPECT_EQ(statistics().serial_transactions, before + 1);
  EXPECT_EQ(stream.str(), "a text1");
}

TEST_F(PrivateCalls, ObjectsInNewBlocksMakeItSerial) {
  EXPECT_GE(serial_in([&] {
              std::vector<std::filesystem::path> paths;
              for (int i = 0; i < 5; ++i) paths.push_back(std::filesystem::path(texts_.in) / std::to_string(i));
              texts_.out.clear();
              for (const auto& path : paths) texts_.out += path.filename().string();
            }),
            1U);
  EXPECT_EQ(texts_.out, "01234");
}

TEST_F(PrivateCalls, StringsThatAreReturnedLieInThePool) {
  execute([&] {
    std::ostringstream stream;
    stream << texts_.in << texts_.in;
    texts_.out = std::move(stream).str();
  });
  const std::string expected = texts_.in + texts_.in;
  pool_.close();
  pool_ = Pool::open(path_, {.accept_volatile = true});
  EXPECT_EQ(pool_.root<Texts>("texts").out, expected);
}

TEST_F(PrivateCalls, ExceptionsKeepTheirText) {
  const auto fail = [&] {
    std::istringstream stream(texts_.in);
    stream.exceptions(std::ios::failbit);
    texts_.number = 5;
    stream >> texts_.number;
  };
  const long before = texts_.number;
  try {
    execute(fail);
    FAIL() << "nothing was thrown";
  } catch (const std::ios_base::failure& failure) {
    EXPECT_NE(std::string(failure.what()), "");
  }
  EXPECT_EQ(texts_.number, before);
}

TEST_F(PrivateCalls, LocalesLieAnywhere) {
  std::locale outside;
  execute([&] {
    const std::locale inside = std::locale::classic();
    outside = inside;
    texts_.out = inside.name();
  });
  EXPECT_EQ(texts_.out, "C");
  EXPECT_TRUE(outside == std::locale::classic());
}

/// Restores the global locale.
class GlobalLocale {
 public:
  explicit GlobalLocale(const std::locale& locale) : before_(std::locale::global(locale)) {}
  GlobalLocale(const GlobalLocale&) = delete;
  GlobalLocale& operator=(const GlobalLocale&) = delete;
  ~GlobalLocale() { std::locale::global(before_); }

 private:
  std::locale before_;
};

std::string formatted(const std::locale* locale) {
  std::ostringstream stream;
  if (locale != nullptr) stream.imbue(*locale);
  stream << 1234567 << ' ' << std::put_money(1234567.0L) << ' ' << true;
  return stream.str();
}

/// The library keeps in the locale, which is shared, what it has worked out when it formats for the first time.
void expect_locale_outlives_aborts(const std::locale* imbued) {
  struct Rollback {};
  EXPECT_THROW(execute([&] {
                 std::ostringstream stream;
                 if (imbued != nullptr) stream.imbue(*imbued);
                 stream << 1234567 << std::put_money(1234567.0L) << std::boolalpha << true;
                 throw Rollback();
               }),
               Rollback);
  // Comes to lie where blocks of the transaction have been.
  std::vector<std::string> others;
  for (std::size_t bytes = 1; bytes < 2000; ++bytes) others.emplace_back(bytes, '\xff');
  EXPECT_EQ(formatted(imbued), "1.234.567 1.234.567 1");
}

class Grouped : public std::numpunct<char> {
 protected:
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};
class GroupedMoney : public std::moneypunct<char> {
 protected:
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

std::locale grouping_locale() { return {std::locale(std::locale::classic(), new Grouped), new GroupedMoney}; }

TEST_F(PrivateCalls, GlobalLocalesOutliveAborts) {
  const GlobalLocale global(grouping_locale());
  expect_locale_outlives_aborts(nullptr);
}

TEST_F(PrivateCalls, ImbuedLocalesOutliveAborts) {
  const std::locale locale = grouping_locale();
  expect_locale_outlives_aborts(&locale);
}

using PrivateCallsDeathTest = PrivateCalls;

TEST_F(PrivateCallsDeathTest, ExistingPoolMemoryIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  execute([&] { texts_.paths = std::make_unique<std::vector<std::filesystem::path>>(1, "old"); });
  EXPECT_EQ(execute([&] { return texts_.paths->front().string(); }), "old");
  EXPECT_DEATH(execute([&] { texts_.paths->front() /= "new"; }),
               "on an object that lies in a pool\n  at .*private_calls_test.cc:[0-9]+");
}

}  // namespace
}  // namespace perdure
