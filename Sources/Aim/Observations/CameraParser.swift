import Traces

/// Parses the header of the observation format: the camera. Unknown keys are skipped.
struct CameraParser {
  typealias Failure = LineScanner.Failure

  private static let format = "sentry-observations"
  private static let version = "1"

  private var members: [(key: String, value: JSONValue, offset: Int)] = []
  private var end = 0

  init(_ line: UnsafeRawBufferPointer) throws(Failure) {
    var scanner = LineScanner(line)
    var members = members
    try scanner.expectNext("{", "a header, which starts with '{'")
    try scanner.takeObject { (key, _, scanner) throws(Failure) in
      scanner.skipSpace()
      let offset = scanner.position
      members.append((key, try scanner.takeValue(), offset))
    }
    end = scanner.position - 1
    try scanner.takeEnd()
    self.members = members
  }

  func parse() throws(Failure) -> Camera {
    try checkFormat()
    guard let image = try size("image") else {
      throw Failure(
        offset: end, message: "expected the key \"image\" in the header, found its end")
    }
    var camera = Camera(image: image)
    camera.orientation = try choice("orientation") ?? .up
    camera.crop = try choice("crop") ?? .none
    camera.view = try size("view")
    switch member("mirrored") {
    case nil: break
    case (.bool(let isMirrored), _)?: camera.mirrored = isMirrored
    case let other?: throw unexpected("mirrored", "true or false", other)
    }
    if let fov = member("fov") {
      guard let degrees = number(fov.value), degrees > 0, degrees < 180 else {
        throw unexpected("fov", "degrees above 0 and below 180", fov)
      }
      camera.fov = degrees
    }
    return camera
  }

  private func checkFormat() throws(Failure) {
    let (format, version) = (member("format"), member("version"))
    guard format?.value == .string(Self.format), version?.value == .number(Self.version) else {
      let wrong = format?.value == .string(Self.format) ? version : format
      throw Failure(
        offset: wrong?.offset ?? end,
        message: "expected format \"\(Self.format)\" version \(Self.version), found format "
          + "\(format?.value.noun ?? "none") version \(version?.value.noun ?? "none")")
    }
  }

  private typealias Value = (value: JSONValue, offset: Int)

  private func member(_ key: String) -> Value? {
    members.first { $0.key == key }.map { ($0.value, $0.offset) }
  }

  private func number(_ value: JSONValue) -> Double? {
    guard case .number(let text) = value else { return nil }
    return Double(text)
  }

  private func unexpected(_ key: String, _ expected: String, _ found: Value) -> Failure {
    Failure(
      offset: found.offset,
      message: "expected \"\(key)\" to be \(expected), found \(found.value.noun)")
  }

  private func size(_ key: String) throws(Failure) -> Size? {
    guard let found = member(key) else { return nil }
    if case .array(let items) = found.value, items.count == 2, let width = number(items[0]),
      let height = number(items[1])
    {
      let size = Size(width, height)
      if size.isUsable { return size }
    }
    var noun = found.value.noun
    if case .array(let items) = found.value, items.count <= 4 {
      noun = "[\(items.map { $0.noun }.joined(separator: ", "))]"
    }
    throw Failure(
      offset: found.offset,
      message: "expected \"\(key)\" to be [width, height], each 1 to 1000000, found \(noun)")
  }

  private func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String
  ) throws(Failure) -> Choice? {
    guard let found = member(key) else { return nil }
    if case .string(let word) = found.value, let choice = Choice(rawValue: word) { return choice }
    let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    throw unexpected(key, words, found)
  }
}
