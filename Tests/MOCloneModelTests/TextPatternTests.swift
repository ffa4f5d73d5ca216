import Testing

@testable import MOCloneModel

@Suite("Patterns of attributes")
struct TextPatternTests {
  @Test(arguments: [
    ("[A-Z]{2}\\d{3,5}", "AB1234", true), ("[A-Z]{2}\\d{3,5}", "AB12", false),
    ("\\w+@\\w+\\.(com|org)", "a@b.org", true), ("\\w+@\\w+\\.(com|org)", "a@b.orgs", false),
    ("(?i)straße", "STRASSE", false), ("(?i)abc", "aBC", true), ("[^a-c]+", "xyz", true), ("a{0}", "", true),
    ("|a", "", true), ("(ab){2,}", "ababab", true), ("^a.c$", "a\nc", false), ("^a.c$", "abc", true),
    ("\\p{Lu}\\p{Ll}*", "Émile", true), ("a?b?c?", "ac", true), ("[\\d-]+", "1-2", true),
    ("(?<year>\\d{4})-\\d\\d", "2025-01", true), ("x*?y", "xxy", true), ("", "", true), ("", "a", false),
    ("\\u0041\\x42", "AB", true), ("(?:a|bc)+", "abcbc", true), ("a\\$", "a$", true), ("é", "e\u{301}", true),
    ("\\s*", " \t\n", true), ("[a-]", "-", true), ("a^b", "ab", false), ("(a$|b)c", "bc", true),
  ])
  func wholeStringsMatch(pattern: String, text: String, isMatch: Bool) throws {
    #expect(try TextPattern(pattern).matches(text) == isMatch)
  }

  @Test(
    "Swift's own expressions agree", arguments: ["a", "ab", "aab", "", "b", "ba", "1a", "a1", "A b", "--"])
  func likeSwift(text: String) throws {
    for pattern in [
      "a*b?", "(a|b)+", "[^a]+", "\\w+", "\\d?a", ".*", "(ab|a)(b|)", "a{1,2}", "\\W*", "[a-b1]*",
    ] {
      let expected = try Regex(pattern).wholeMatch(in: text) != nil
      #expect(try TextPattern(pattern).matches(text) == expected, "\(pattern) on '\(text)'")
    }
  }

  @Test(
    "Patterns that others need forever for are matched at once",
    arguments: ["(a+)+$", "(a|a)*", "(a*)*b", "(a|aa)+$", "(.*)*x", "(a?){50}a{50}"])
  func catastrophes(pattern: String) throws {
    #expect(try !TextPattern(pattern).matches(String(repeating: "a", count: 3000) + "!"))
  }

  @Test(arguments: [
    ("a(", "a '(' is not closed"), ("a)", "a ')' has no '('"), ("[a", "a '[' is not closed"),
    ("*a", "nothing stands before '*'"), ("(a)\\1", "'\\1' is not supported"),
    ("(?=a)", "groups that begin with '(?' are not supported, other than '(?:' and names"),
    ("(?<!a)b", "groups that begin with '(?' are not supported, other than '(?:' and names"),
    ("a*+", "possessive repetitions such as '*+' are not supported"),
    ("a{3,2}", "'{3,2}' allows no number of repetitions"), ("a{99999}", "its repetitions are too large"),
    ("(a{1000}){1000}", "its repetitions are too large"), ("a\\", "it ends with a backslash"),
    ("[z-a]", "a range in '[...]' runs backwards"), ("\\p{Greek}", "'\\p{Greek}' is not supported"),
    (String(repeating: "(", count: 5000), "its groups are nested too deep"),
  ])
  func othersAreRefusedWithTheirReason(pattern: String, reason: String) {
    #expect(throws: TextPattern.Fault(reason: reason)) { try TextPattern(pattern) }
  }
}
