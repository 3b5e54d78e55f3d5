import Traces

extension Camera {
  package var headerLine: [UInt8] {
    var members: [JSONValue.Member] = [
      .init("format", .string(CameraParser.format)),
      .init("version", .number(CameraParser.version)),
      .init("image", .array([image.width, image.height].map { Self.number($0) })),
    ]
    if orientation != .up { members.append(.init("orientation", .string(orientation.rawValue))) }
    if mirrored { members.append(.init("mirrored", .bool(true))) }
    if let view {
      members.append(.init("view", .array([view.width, view.height].map { Self.number($0) })))
    }
    if crop != .none { members.append(.init("crop", .string(crop.rawValue))) }
    if let fov { members.append(.init("fov", Self.number(fov))) }
    return JSONValue.object(members).line
  }

  private static func number(_ value: Double) -> JSONValue { .number(String(shortest: value)) }
}

extension Frame {
  /// The frame as a line of observations: its boxes, kinds, labels and confidences. Corners and
  /// landmarks are left out. Boxes are rounded to millionths of the picture.
  package var line: [UInt8] {
    func number(_ value: Double) -> JSONValue {
      .number(String(shortest: (value * 1e6).rounded() / 1e6))
    }
    let found = self.found.map { observation -> JSONValue in
      var members: [JSONValue.Member] = [.init("kind", .string(observation.kind.rawValue))]
      if let box = observation.box {
        members.append(
          .init("box", .array([box.x, box.y, box.width, box.height].map { number($0) })))
      }
      members.append(.init("confidence", number(observation.confidence)))
      if let label = observation.label { members.append(.init("label", .string(label))) }
      return .object(members)
    }
    return JSONValue.object([.init("t", number(time)), .init("found", .array(found))]).line
  }
}

extension JSONValue {
  fileprivate var line: [UInt8] {
    var text: [UInt8] = []
    append(to: &text)
    text.append(UInt8(ascii: "\n"))
    return text
  }
}
