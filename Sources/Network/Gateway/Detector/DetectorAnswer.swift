import Traces

/// A detector's answer to a picture, as it arrives (docs/detector.md).
enum DetectorAnswer: Hashable {
  /// A message that is not the answer that was expected, with the reason in a few words.
  struct Flaw: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  case observation([JSONValue.Member])
  /// The detector could not process the picture, for the reason in its sentence.
  case failure(String)

  /// - Parameter number: the number of the picture that waits for its answer, as the detector
  ///   counts.
  init(_ message: [UInt8], _ kind: MessageKind, to number: Int) throws(Flaw) {
    guard kind == .text, let value = try? JSONValue.contents(of: message, path: "answer"),
      case .object(let members) = value
    else { throw Flaw("its answer is not a JSON object") }
    guard value["seq"] == JSONValue.whole(number) else {
      throw Flaw("its answer is not to the picture that was sent")
    }
    if case .string(let sentence)? = value["error"] {
      self = .failure(sentence)
      return
    }
    guard case .number? = value["t"], case .array? = value["found"] else {
      throw Flaw("its answer is not an observation")
    }
    self = .observation(members)
  }
}
