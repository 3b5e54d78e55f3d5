// Whether the end of one command could be the middle of another. A recognizer takes a command as
// complete at its last byte, so a profile cannot have both.
extension CommandForm {
  /// A place in a form: before a part, or inside a number.
  private struct Place: Hashable {
    var part: Int
    var isInside = false

    var index: Int { part * 2 + (isInside ? 1 : 0) }
  }

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  private static let minus = UInt8(ascii: "-")...UInt8(ascii: "-")

  /// Returns the bytes that can follow at a place, each with the place after it. The number of
  /// digits in a number is not tracked.
  private func steps(from place: Place) -> [(bytes: ClosedRange<UInt8>, to: Place)] {
    guard place.part < parts.count else { return [] }
    switch parts[place.part] {
    case .byte(let byte): return [(byte...byte, Place(part: place.part + 1))]
    case .single(let field):
      let low = UInt8(clamping: field.range.lowerBound)
      return [(low...UInt8(clamping: field.range.upperBound), Place(part: place.part + 1))]
    case .number(let field):
      let inside = Place(part: place.part, isInside: true)
      var steps = [(bytes: Self.digits, to: inside)]
      if !place.isInside {
        if field.range.lowerBound < 0 { steps.append((Self.minus, inside)) }
      } else if place.part + 1 < parts.count, case .byte(let byte) = parts[place.part + 1] {
        steps.append((byte...byte, Place(part: place.part + 2)))
      }
      return steps
    }
  }

  /// Whether a command of this form can have the same bytes as another form's command or as the
  /// beginning of one.
  func canEnd(within other: CommandForm) -> Bool {
    let width = other.parts.count * 2 + 2
    var isSeen = [Bool](repeating: false, count: (parts.count * 2 + 2) * width)
    var open = [(Place(part: 0), Place(part: 0))]
    while let (mine, others) = open.popLast() {
      if mine.part == parts.count { return true }
      let index = mine.index * width + others.index
      if isSeen[index] { continue }
      isSeen[index] = true
      for step in steps(from: mine) {
        for otherStep in other.steps(from: others) where step.bytes.overlaps(otherStep.bytes) {
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
