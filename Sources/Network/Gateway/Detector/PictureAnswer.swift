import Traces

/// The answer to one of a client's pictures: one JSON object. Pictures are numbered from 1 for each
/// client.
enum PictureAnswer: Hashable {
  /// What the detector saw. The members that belong to the client have been set.
  case observation([JSONValue.Member])
  /// The picture was not looked at, because this newer one arrived.
  case replaced(Int, by: Int)
  /// The picture was not looked at, for the reason in this sentence.
  case refused(Int, String)

  var json: [UInt8] {
    var text: [UInt8] = []
    JSONValue.object(members).append(to: &text)
    return text
  }

  private var members: [JSONValue.Member] {
    switch self {
    case .observation(let members): members
    case .replaced(let number, let newer):
      [.init("seq", .whole(number)), .init("replaced_by", .whole(newer))]
    case .refused(let number, let sentence):
      [.init("seq", .whole(number)), .init("error", .string(sentence))]
    }
  }
}
