import Traces

/// The messages with which a connection to a detector begins (docs/detector.md).
enum DetectorGreeting {
  /// The version of the protocol.
  static let version = "1"

  /// The first message to a detector.
  static let hello = Array(#"{"hello": {"name": "sentrybench"}}"#.utf8)

  /// What is wrong with a detector's first message, in a few words; nil if it is the answer to the
  /// hello.
  static func flaw(in message: [UInt8], _ kind: MessageKind) -> String? {
    guard kind == .text, let answer = try? JSONValue.contents(of: message, path: "hello"),
      case .object? = answer["hello"]
    else { return "it does not answer as a detector" }
    guard case .number(let version)? = answer["hello"]?["protocol"] else {
      return "its answer has no version of the protocol"
    }
    // The text comes from outside and can be long.
    guard version == Self.version else {
      return "it speaks version \(PlainText.of(version, upTo: 20)) of the protocol, not "
        + Self.version
    }
    return nil
  }
}
