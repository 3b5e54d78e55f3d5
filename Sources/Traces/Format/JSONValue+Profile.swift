package import Turret

extension JSONValue {
  /// A profile, as a header states it under `profile`.
  package init(_ profile: Profile) {
    func bytes(_ bytes: [UInt8]) -> JSONValue {
      .string(CommandForm(bytes.map { .byte($0) }).description)
    }
    func pins(_ pins: [Profile.NamedPin]) -> JSONValue {
      .object(pins.map { Member($0.name, .string($0.pin.name)) })
    }
    var members = [
      Member("name", .string(profile.name)),
      Member("commands", .array(profile.commands.map { .string($0.description) })),
    ]
    let replaceable = profile.commands.filter { $0.isReplaceable }
    if !replaceable.isEmpty {
      members.append(Member("replaces", .array(replaceable.map { .string($0.description) })))
    }
    let answers = profile.commands.compactMap { form in
      form.answer.map { Member(form.description, .string($0.text)) }
    }
    if !answers.isEmpty { members.append(Member("answers", .object(answers))) }
    if let baud = profile.baud { members.append(Member("baud", .number("\(baud)"))) }
    if !profile.servos.isEmpty { members.append(Member("servos", pins(profile.servos))) }
    if !profile.pins.isEmpty { members.append(Member("pins", pins(profile.pins))) }
    if !profile.boot.isEmpty { members.append(Member("boot", bytes(profile.boot))) }
    if let hold = profile.hold { members.append(Member("hold", bytes(hold))) }
    if let scan = profile.scan { members.append(Member("scan", bytes(scan))) }
    if let centre = profile.centre { members.append(Member("centre", bytes(centre))) }
    self = .object(members)
  }
}

extension Header {
  /// The servos that the header's profile names. Invalid entries are left out; the code that needs
  /// the profile's commands reports them.
  package var namedServos: [Profile.NamedPin] {
    guard case .object(let servos)? = profile?["servos"] else { return [] }
    return servos.compactMap { servo in
      guard ProfileName.isValid(servo.key), case .string(let name) = servo.value,
        let pin = BoardPin(name: name)
      else { return nil }
      return Profile.NamedPin(servo.key, pin)
    }
  }
}
