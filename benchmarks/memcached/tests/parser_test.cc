#include <string>

#include <gtest/gtest.h>

#include "memcached/base64.h"
#include "memcached/parser.h"

namespace perdure::benchmarks::memcached {
namespace {

Request parsed(std::string_view line) {
  Request request;
  parse_line(line, request);
  return request;
}

std::string refusal_of(std::string_view line) {
  const auto request = parsed(line);
  return request.verb == Verb::refused ? std::string(request.refusal) : "understood";
}

TEST(Line, EndsWithNewlineOrReturnAndNewline) {
  const auto line = first_line("get a\r\nget b\r\n");
  EXPECT_EQ(line.state, Line::State::complete);
  EXPECT_EQ(line.text, "get a");
  EXPECT_EQ(line.bytes, 7);
  EXPECT_EQ(first_line("get a\nx").text, "get a");
  EXPECT_EQ(first_line("\n").text, "");
  EXPECT_EQ(first_line("\r\n").text, "");
}

TEST(Line, IsPartialUntilItsEndIsThere) {
  const std::string whole = "set a 0 0 1\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(first_line(std::string_view(whole).substr(0, size)).state, Line::State::partial) << size;
  }
}

TEST(Line, IsEndlessWhenNoEndComesButForManyKeys) {
  EXPECT_EQ(first_line(std::string(2048, 'x')).state, Line::State::partial);
  EXPECT_EQ(first_line(std::string(2049, 'x')).state, Line::State::endless);
  EXPECT_EQ(first_line(std::string(2049, ' ')).state, Line::State::endless);
  EXPECT_EQ(first_line("get " + std::string(5000, 'x')).state, Line::State::partial);
  EXPECT_EQ(first_line("  gets " + std::string(5000, 'x')).state, Line::State::partial);
  EXPECT_EQ(first_line("get " + std::string(2'000'000, 'x')).state, Line::State::endless);
  EXPECT_EQ(first_line(std::string(5000, 'x') + "\n").state, Line::State::complete);
}

TEST(Parser, ReadsKeysOfGets) {
  const auto request = parsed("gets  a b   c ");
  EXPECT_EQ(request.verb, Verb::get);
  EXPECT_TRUE(request.is_gets);
  EXPECT_EQ(request.words, (std::vector<std::string_view>{"a", "b", "c"}));
  const auto touching = parsed("gat -1 a");
  EXPECT_TRUE(touching.touches);
  EXPECT_EQ(touching.exptime, -1);
  EXPECT_EQ(touching.words, (std::vector<std::string_view>{"a"}));
}

TEST(Parser, ReadsStorageCommands) {
  const auto request = parsed("cas key 4294967295 -7 12 18446744073709551615 noreply");
  EXPECT_EQ(request.verb, Verb::put);
  EXPECT_EQ(request.mode, Mode::cas);
  EXPECT_EQ(request.key.text(), "key");
  EXPECT_EQ(request.flags, 4294967295);
  EXPECT_EQ(request.exptime, -7);
  EXPECT_EQ(request.data_bytes, 12);
  EXPECT_EQ(request.cas, 18446744073709551615U);
  EXPECT_TRUE(request.has_data);
  EXPECT_TRUE(request.is_quiet);
  EXPECT_EQ(parsed("append k 0 0 0").mode, Mode::append);
}

TEST(Parser, ForgetsTheRequestBefore) {
  Request request;
  parse_line("cas k 1 2 3 4 noreply", request);
  parse_line("get a", request);
  EXPECT_FALSE(request.has_data || request.is_quiet || request.has_cas);
  EXPECT_EQ(request.words.size(), 1);
  parse_line("version", request);
  EXPECT_TRUE(request.words.empty());
}

TEST(Parser, ReadsNumbersThatFitOnly) {
  EXPECT_EQ(parsed("incr k 18446744073709551615").delta, 18446744073709551615U);
  for (const auto* number : {"18446744073709551616", "-1", "+1", "1x", "x", "1.5"}) {
    EXPECT_EQ(refusal_of("incr k " + std::string(number)), "CLIENT_ERROR invalid numeric delta argument") << number;
  }
  EXPECT_EQ(refusal_of("set k 4294967296 0 1"), bad_format);
  EXPECT_EQ(refusal_of("set k 0 0 2147483646"), bad_format);
  EXPECT_EQ(refusal_of("set k 0 0 -1"), bad_format);
}

TEST(Parser, RefusesKeysThatAreNone) {
  const std::string longest(longest_key, 'k');
  EXPECT_EQ(parsed("get " + longest).verb, Verb::get);
  for (const auto& key : {longest + "k", std::string("a\tb"), std::string("a\0b", 3), std::string("\x7f")}) {
    for (const auto* command : {"get ", "gat 0 ", "delete ", "mg ", "md ", "ma ", "me "}) {
      EXPECT_EQ(refusal_of(command + key), bad_format) << command;
    }
    EXPECT_EQ(refusal_of("set " + key + " 0 0 1"), bad_format);
    EXPECT_EQ(refusal_of("ms " + key + " 1"), bad_format);
    EXPECT_EQ(refusal_of("get a " + key + " b"), bad_format);
  }
}

TEST(Parser, RefusesCommandsThatAreNone) {
  for (const auto* line : {"",
                           " ",
                           "x",
                           "GET a",
                           "bogus a b",
                           "get",
                           "gat",
                           "set a",
                           "set a 0 0 1 2 3",
                           "cas a 0 0 1",
                           "delete",
                           "incr a",
                           "touch a",
                           "verbosity",
                           "flush_all 1 2 3",
                           "mx a",
                           "mg",
                           "ms",
                           "md",
                           "ma"}) {
    EXPECT_EQ(refusal_of(line), "ERROR") << line;
  }
}

TEST(MetaParser, ReadsFlags) {
  const auto request = parsed("mg key N30 R60 T-1 v q u Oabc k");
  EXPECT_EQ(request.verb, Verb::meta_get);
  EXPECT_TRUE(request.vivifies && request.recaches && request.touches && request.wants_value && request.is_quiet &&
              request.leaves_recency);
  EXPECT_EQ(request.vivified_exptime, 30);
  EXPECT_EQ(request.recache_exptime, 60);
  EXPECT_EQ(request.exptime, -1);
  EXPECT_EQ(request.words.size(), 8);
}

TEST(MetaParser, ReadsModes) {
  EXPECT_EQ(parsed("ms k 1 ME").mode, Mode::add);
  EXPECT_EQ(parsed("ms k 1 MR C3").mode, Mode::cas);
  EXPECT_EQ(parsed("ms k 1 MA C3").mode, Mode::append);
  EXPECT_TRUE(parsed("ma k M-").is_decrement);
  EXPECT_FALSE(parsed("ma k MI").is_decrement);
  EXPECT_EQ(refusal_of("ms k 1 MZ"), "CLIENT_ERROR invalid mode for ms M token");
  EXPECT_EQ(refusal_of("ma k MZ"), "CLIENT_ERROR invalid mode for ma M token");
}

TEST(MetaParser, SkipsTheDataOfARefusedPut) {
  const auto request = parsed("ms k 10 !");
  EXPECT_EQ(request.refusal, "CLIENT_ERROR invalid flag");
  EXPECT_EQ(request.bytes_to_skip, 12);
  EXPECT_EQ(parsed("ms k x").bytes_to_skip, 0);
}

TEST(MetaParser, RefusesFlagsThatAreNone) {
  EXPECT_EQ(refusal_of("mg k v v"), "CLIENT_ERROR duplicate flag");
  EXPECT_EQ(refusal_of("mg k \xff"), "CLIENT_ERROR invalid flag");
  EXPECT_EQ(refusal_of("mg k T"), "CLIENT_ERROR bad token in command line format");
  EXPECT_EQ(refusal_of("mg k O" + std::string(32, 'o')), "CLIENT_ERROR opaque token too long");
  EXPECT_EQ(refusal_of("md k !"), "CLIENT_ERROR invalid or duplicate flag");
  EXPECT_FALSE(parsed("mg k q !").is_quiet);  // an error is always answered
}

TEST(MetaParser, DecodesKeys) {
  EXPECT_EQ(parsed("mg Zm9v b").key.text(), "foo");
  EXPECT_EQ(parsed("me Zm9v b").key.text(), "foo");
  EXPECT_EQ(refusal_of("mg !!! b"), "CLIENT_ERROR error decoding key");
}

TEST(Base64, IsThatOfItsStandard) {  // RFC 4648, section 10
  const std::pair<const char*, const char*> vectors[] = {{"f", "Zg=="},         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},       {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64_of(bytes), text);
    EXPECT_EQ(bytes_of_base64(text), bytes);
  }
  EXPECT_EQ(base64_of("\xff\xfe"), "//4=");
  for (const auto* text : {"", "Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Z g="}) {
    EXPECT_EQ(bytes_of_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace perdure::benchmarks::memcached
