import Traces

/// Parses the header of the observation format: the camera. Unknown keys are skipped.
struct CameraParser {
  typealias Failure = LineScanner.Failure

  static let format = "sentry-observations"
  static let version = "1"

  private let line: HeaderLine

  init(_ line: UnsafeRawBufferPointer) throws(Failure) {
    var scanner = LineScanner(line)
    self.line = try HeaderLine(&scanner, format: Self.format, version: Self.version)
  }

  func parse() throws(Failure) -> Camera {
    guard let image = try size("image") else {
      throw Failure(
        offset: line.end, message: "expected the key \"image\" in the header, found its end")
    }
    var camera = Camera(image: image)
    camera.orientation = try choice("orientation") ?? .up
    camera.crop = try choice("crop") ?? .none
    camera.view = try size("view")
    switch line["mirrored"] {
    case nil: break
    case (.bool(let isMirrored), _)?: camera.mirrored = isMirrored
    case let other?: throw unexpected("mirrored", "true or false", other)
    }
    if let fov = line["fov"] {
      guard let degrees = number(fov.value), degrees > 0, degrees < 180 else {
        throw unexpected("fov", "degrees above 0 and below 180", fov)
      }
      camera.fov = degrees
    }
    return camera
  }

  private typealias Value = (value: JSONValue, offset: Int)

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
    guard let found = line[key] else { return nil }
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
    guard let found = line[key] else { return nil }
    if case .string(let word) = found.value, let choice = Choice(rawValue: word) { return choice }
    let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    throw unexpected(key, words, found)
  }
}
