/// libyaml's problems in plain English.
enum YAMLProblem {
  /// libyaml's message about a character that cannot begin anything, such as a tab that indents.
  static let noText = "found character that cannot start any token"
  static let tab = "a tab cannot indent a line; use spaces"

  /// Our sentence for each of libyaml's messages.
  private static let sentences = [
    "could not find expected ':'": "expected ':' after the key",
    "mapping values are not allowed in this context":
      "':' is not allowed here; a text that contains \": \" requires quotes",
    "mapping keys are not allowed in this context": "a key is not allowed here",
    "block sequence entries are not allowed in this context":
      "'-' is not allowed here; a list begins on a line of its own",
    noText: "no text can begin with this character; put the text in quotes",
    "found a tab character that violates indentation": tab,
    "found a tab character where an indentation space is expected": tab,
    "did not find expected ',' or ']'": "expected ',' or ']'",
    "did not find expected ',' or '}'": "expected ',' or '}'",
    "did not find expected key": "expected a key, indented like those before it",
    "did not find expected '-' indicator": "expected '-', indented like those before it",
    "did not find expected node content": "expected a value",
    "did not find expected <document start>": "expected '---' before another document",
    "found unexpected end of stream": "the quoted text has no end",
    "found unexpected document indicator": "the quoted text has no end",
    "found unknown escape character":
      "there is no such escape after '\\'; in single quotes it is text",
    "did not find expected hexdecimal number": "expected hexadecimal digits in this escape",
    "found invalid Unicode character escape code": "there is no character with this code",
    "control characters are not allowed":
      "control characters are not allowed; write an escape in double quotes, such as \"\\x07\"",
    "found incompatible YAML document": "expected YAML 1.1 or 1.2",
    "found undefined tag handle": "tags are not supported; put a text with '!' in quotes",
  ]

  static func sentence(_ problem: String) -> String {
    if let sentence = sentences[problem] { return sentence }
    if problem.contains("UTF-8") || problem == "invalid Unicode character" {
      return "expected UTF-8"
    }
    return "this is not YAML: \(problem)"
  }

  /// Whether the place to report is where the text, list or mapping begins.
  static func isAboutTheBeginning(_ problem: String) -> Bool {
    switch problem {
    case "could not find expected ':'", "found unexpected end of stream",
      "found unexpected document indicator":
      true
    default: false
    }
  }
}
