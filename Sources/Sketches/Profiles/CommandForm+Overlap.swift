// Whether the end of one command could be the middle of another. A recognizer takes a command as
// complete at its last byte, or at the pause after it, so a profile cannot have both.
extension CommandForm {
  /// A place in a form: before a part, or inside one after some of its bytes.
  private struct Place: Hashable {
    var part: Int
    var inside = 0
  }

  /// What can follow at a place: bytes, or a pause.
  private typealias Symbols = ClosedRange<UInt16>

  private static let pause: Symbols = 0x100...0x100
  private static let digits: Symbols = 0x30...0x39

  private static func symbol(_ byte: UInt8) -> Symbols { UInt16(byte)...UInt16(byte) }

  /// The number of places before each part and at the end.
  private var placesBefore: [Int] {
    var sum = 0
    var places: [Int] = []
    for part in parts {
      places.append(sum)
      if case .number = part { sum += 2 } else { sum += max(1, part.longest) }
    }
    return places + [sum]
  }

  /// Returns what can follow at a place, each with the place after it. The number of digits in a
  /// number of any length is not tracked, and a checksum can have any value.
  private func steps(from place: Place) -> [(symbols: Symbols, to: Place)] {
    guard place.part < parts.count else { return [] }
    let next = Place(part: place.part + 1)
    let within = Place(part: place.part, inside: place.inside + 1)
    switch parts[place.part] {
    case .byte(let byte): return [(Self.symbol(byte), next)]
    case .either(let choices): return choices.map { (Self.symbol($0), next) }
    case .optional(let byte): return [(Self.symbol(byte), next)] + steps(from: next)
    case .single(let field):
      let low = UInt8(clamping: field.range.lowerBound)
      return [(UInt16(low)...UInt16(UInt8(clamping: field.range.upperBound)), next)]
    case .packed(_, let packing):
      return [(0...0xFF, place.inside + 1 < packing.count ? within : next)]
    case .digits(let field, let width):
      let to = place.inside + 1 < width ? within : next
      var steps = [(symbols: Self.digits, to: to)]
      if place.inside == 0, field.range.lowerBound < 0 {
        steps.append((Self.symbol(UInt8(ascii: "-")), to))
      }
      return steps
    case .checksum(let checksum):
      guard checksum.isHexadecimal else { return [(0...0xFF, next)] }
      let to = place.inside == 0 ? within : next
      return [(Self.digits, to), (0x41...0x46, to), (0x61...0x66, to)]
    case .pause: return [(Self.pause, next)]
    case .number(let field):
      let inside = Place(part: place.part, inside: 1)
      var steps = [(symbols: Self.digits, to: inside)]
      if place.inside == 0 {
        if field.range.lowerBound < 0 { steps.append((Self.symbol(UInt8(ascii: "-")), inside)) }
      } else {
        if field.decimals > 0 { steps.append((Self.symbol(UInt8(ascii: ".")), inside)) }
        steps += self.steps(from: next)
      }
      return steps
    }
  }

  /// Whether a command of this form can have the same bytes as another form's command or as the
  /// beginning of one.
  func canEnd(within other: CommandForm) -> Bool {
    let (mineBefore, othersBefore) = (placesBefore, other.placesBefore)
    let width = othersBefore[other.parts.count] + 1
    var isSeen = [Bool](repeating: false, count: (mineBefore[parts.count] + 1) * width)
    var open = [(Place(part: 0), Place(part: 0))]
    while let (mine, others) = open.popLast() {
      if mine.part == parts.count { return true }
      let row = mineBefore[mine.part] + mine.inside
      let index = row * width + othersBefore[others.part] + others.inside
      if isSeen[index] { continue }
      isSeen[index] = true
      for step in steps(from: mine) {
        for otherStep in other.steps(from: others) where step.symbols.overlaps(otherStep.symbols) {
          open.append((step.to, otherStep.to))
        }
      }
    }
    return false
  }

  /// Returns the first two forms of which one can end where the other continues; nil if there are
  /// none.
  package static func overlap(
    in forms: [CommandForm]
  ) -> (ending: Int, other: Int)? {
    for (index, form) in forms.enumerated() {
      for other in forms.indices where other != index && form.canEnd(within: forms[other]) {
        return (index, other)
      }
    }
    return nil
  }
}
