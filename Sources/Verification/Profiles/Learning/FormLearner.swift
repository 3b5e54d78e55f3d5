import Devices
import Turret

/// Finds the form of commands that are alike, by trying other numbers in one of them.
struct FormLearner<D: Device> {
  /// How many numbers of a command are tried.
  private static var fieldsMax: Int { 8 }
  /// Bytes that are tried in place of one of a binary command.
  private static var otherBytes: [UInt8] { [0, 1, 2, 16, 64, 90, 100, 127, 180, 255] }

  private let commands: [LearnedCommand<D>]
  private let own: BoardPin

  /// `commands` have the same key. `own` is the pin of the servo whose events name none.
  init(_ commands: [LearnedCommand<D>], own: BoardPin) {
    self.commands = commands
    self.own = own
  }

  /// What commands that are alike have in common: the bytes between their numbers, or the first
  /// byte and the length of a binary command.
  enum Key: Hashable {
    case text([CommandShape.Part])
    case binary(UInt8, Int)

    init(_ bytes: [UInt8]) {
      if CommandShape.isText(bytes) {
        self = .text(CommandShape(text: bytes).parts)
      } else {
        self = .binary(bytes.first ?? 0, bytes.count)
      }
    }
  }

  /// The command on which numbers are tried.
  private var example: LearnedCommand<D>? {
    commands.first { $0.moves } ?? commands.first { $0.isSeen } ?? commands.first
  }

  func learn() -> LearnedForm? {
    guard let example else { return nil }
    // What the example moves is already in place, so only another number moves it again.
    let after = example.trial.after(example.bytes).trial
    let shapes = shapes(of: example, after)
    guard let shape = shapes.first else { return nil }
    let ranges = shape.values.indices.map { index in
      let seen = shapes.map { $0.values[index] }
      var field = LearnedForm.Field(seen: Self.range(of: seen) ?? 0...0)
      // The first shape is the example's, which is also among the others.
      let moved = zip(shapes.dropFirst(), commands).filter { $0.1.moves }
      field.moved = Self.range(of: moved.map { $0.0.values[index] })
      let limits: ClosedRange<Int32> = shape.kinds[index] == .single ? 0...255 : -32_768...32_767
      guard example.moves, index < Self.fieldsMax, limits.contains(shape.values[index]) else {
        return field
      }
      let search = RangeSearch(within: limits) { number in
        var values = shape.values
        values[index] = number
        let effect = after.effect(of: shape.command(values))
        return RangeSearch.Response(
          follows: effect.moves != after.silence.moves, position: effect.position, effect: effect)
      }
      field.tried = search.range(around: shape.values[index], at: example.effect.position)
      return field
    }
    return LearnedForm(
      shape: shape, fields: ranges, count: commands.count, example: example.bytes,
      effect: example.isSeen ? example.effect.sentence(own: own) : nil, moves: example.moves)
  }

  private static func range(of values: [Int32]) -> ClosedRange<Int32>? {
    guard let low = values.min(), let high = values.max() else { return nil }
    return low...high
  }

  /// Returns the shape of each command, the example's first.
  private func shapes(
    of example: LearnedCommand<D>, _ after: SketchTrial<D>
  ) -> [CommandShape] {
    let all = [example.bytes] + commands.map { $0.bytes }
    if CommandShape.isText(example.bytes) { return all.map { CommandShape(text: $0) } }
    let singles = example.bytes.indices.dropFirst().filter { index in
      if all.contains(where: { $0[index] != example.bytes[index] }) { return true }
      return Self.otherBytes.contains { byte in
        var bytes = example.bytes
        bytes[index] = byte
        let effect = after.effect(of: bytes)
        return byte != example.bytes[index] && effect.moves != after.silence.moves
      }
    }
    return all.map { CommandShape(binary: $0, singles: Set(singles)) }
  }
}
