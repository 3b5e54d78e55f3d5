package import Sketches
import Traces

/// The command with which a sketch aims: bytes, and the numbers `pan` and `tilt` in braces.
///
///     X{pan}.                          the sketches of the bench
///     P{pan},T{tilt}\n                 both angles in digits, and the end of a line
///     0xFF {pan:u8} {tilt:u8} {sum}    in bytes, as in a profile
///
/// The numbers are whole degrees, 0 to 180; 90 is straight ahead. In a range with negative numbers,
/// 0 is straight ahead. A number outside its range is sent as the nearest one within it.
public struct CommandTemplate: Hashable, Sendable {
  /// The command of the bench's sketches: `X90.`
  public static let bench = CommandTemplate([
    CommandForm([.byte(UInt8(ascii: "X")), .number(known[0]), .byte(UInt8(ascii: "."))])
  ])

  private static let known = [CommandField("pan", 0...180), CommandField("tilt", 0...180)]

  /// Several if the sketch has a command for each angle.
  package let forms: [CommandForm]

  private init(_ forms: [CommandForm]) { self.forms = forms }

  /// Reads a command as a profile states it. `{pan}` and `{tilt}` without a range are numbers from
  /// 0 to 180 in digits. `{pan}` is required.
  public init(_ text: String) throws(CommandTextError) {
    let form: CommandForm
    do throws(CommandForm.Mistake) {
      form = try CommandForm(text, known: Self.known)
    } catch {
      throw CommandTextError(error, in: text)
    }
    if let problem = form.problem ?? Self.problem(of: form) { throw CommandTextError(problem) }
    guard form.fields.contains(where: { $0.name == "pan" }) else {
      throw CommandTextError("expected {pan} in the command, for example X{pan}.")
    }
    self.init([form])
  }

  /// Takes the command with `pan` and `tilt` from a profile, or the one with `pan`, followed by the
  /// one with `tilt` if there is one.
  package init(_ profile: Profile) throws(CommandTextError) {
    func form(_ names: Set<String>) -> CommandForm? {
      profile.commands.first { Set($0.fields.map { $0.name }) == names }
    }
    let forms = [form(["pan", "tilt"]) ?? form(["pan"])].compactMap { $0 }
    guard let pan = forms.first else {
      throw CommandTextError(
        "expected a command with the number pan in the profile \(profile.name), and with no others "
          + "but tilt; it has \(profile.list)")
    }
    let tilt = pan.fields.count == 1 ? form(["tilt"]) : nil
    if tilt != nil, pan.pause != nil {
      throw CommandTextError("expected \(pan) and \(tilt ?? pan) to end without a pause")
    }
    self.init(forms + [tilt].compactMap { $0 })
    if let problem = self.forms.compactMap(Self.problem).first { throw CommandTextError(problem) }
  }

  /// Returns the reason why a form cannot aim; nil if it can.
  private static func problem(of form: CommandForm) -> String? {
    for field in form.fields {
      guard known.contains(where: { $0.name == field.name }) else {
        return "expected only the numbers {pan} and {tilt}, found {\(field.name)}"
      }
      guard field.range.lowerBound <= 180 * scale(of: field) else {
        return "expected {\(field.name)} in degrees, found \(field.rangeText)"
      }
    }
    return form.fields.isEmpty ? "expected {pan} in the command, for example X{pan}." : nil
  }

  /// Whether it has the number `tilt`.
  public var tilts: Bool { forms.contains { $0.fields.contains { $0.name == "tilt" } } }

  /// For how long nothing must follow it; nil if it is complete at its last byte.
  package var pause: Interval? { forms.last?.pause }

  /// Returns the bytes that aim at these angles.
  public func bytes(_ angles: Angles) -> [UInt8] {
    forms.flatMap { form in
      form.bytes(
        form.fields.map { Self.value(of: $0, $0.name == "tilt" ? angles.y : angles.x) })
    }
  }

  /// Returns the angles that the bytes for these angles state.
  func nearest(_ angles: Angles) -> Angles {
    func stated(_ name: String, _ degrees: Int) -> Int {
      let fields = forms.flatMap { $0.fields }
      guard let field = fields.first(where: { $0.name == name }) else {
        return min(max(degrees, 0), 180)
      }
      let value = Int(Self.value(of: field, degrees) / Self.scale(of: field))
      return min(max(value + (field.range.lowerBound < 0 ? 90 : 0), 0), 180)
    }
    return Angles(x: stated("pan", angles.x), y: stated("tilt", angles.y))
  }

  private static func value(of field: CommandField, _ degrees: Int) -> Int32 {
    let degrees = Int32(min(max(degrees, 0), 180)) - (field.range.lowerBound < 0 ? 90 : 0)
    return min(max(degrees * scale(of: field), field.range.lowerBound), field.range.upperBound)
  }

  /// How many of the field's units are a degree.
  private static func scale(of field: CommandField) -> Int32 {
    (0..<field.decimals).reduce(1) { scale, _ in scale * 10 }
  }

  /// Reads a command without numbers, with escapes such as `\n`.
  public static func bytes(of text: String) throws(CommandTextError) -> [UInt8] {
    do throws(CommandForm.Mistake) {
      return try CommandForm.bytes(text)
    } catch {
      throw CommandTextError(error, in: text)
    }
  }
}

/// Why a text is not a command, or not a condition for firing: a sentence that names the place.
public struct CommandTextError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  init(_ mistake: CommandForm.Mistake, in text: String) {
    self.init("\(mistake.message), at character \(mistake.column) of \(PlainText.quoted(text))")
  }
}
