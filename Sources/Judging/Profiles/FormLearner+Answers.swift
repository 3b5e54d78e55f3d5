import Devices
import Sketches

// What the sketch sends after commands that are alike, and how long it is busy with them.
extension FormLearner {
  func answer(
    _ fields: [LearnedForm.Field], _ all: [(LearnedCommand<D>, [Int32]?)]
  ) -> (answer: CommandAnswer?, notes: [String]) {
    let moving = commands.contains { $0.moves }
    let used = all.filter { moving ? $0.0.moves : $0.0.isSeen }.prefix(4)
    guard let first = used.first else { return (nil, []) }
    if !first.0.trial.answer(to: [], within: Self.answerMax).isEmpty {
      return (nil, ["The sketch also sends without a command, so no answer is known."])
    }
    let lines = used.map { command, _ in
      command.trial.answer(to: command.bytes, within: Self.answerMax)
        .split { $0 == 0x0A || $0 == 0x0D }.first.map { Array($0) } ?? []
    }
    if lines.allSatisfy({ $0.isEmpty }) { return (CommandAnswer.none, []) }
    let shapes = lines.map { CommandShape(text: $0) }
    guard let shape = shapes.first, shapes.allSatisfy({ $0.parts == shape.parts }),
      lines.allSatisfy({ CommandShape.isText($0) })
    else {
      let text = CommandForm.text(of: lines[0].prefix(40))
      return (nil, ["Its answers differ: \"\(text)\", for example."])
    }
    var notes: [String] = []
    var ranges: [ClosedRange<Int32>] = []
    var isFixed: [Bool] = []
    for index in shape.values.indices {
      let seen = shapes.map { $0.values[index] }
      let echoed = fields.indices.first { field in
        zip(used, shapes).allSatisfy { pair in pair.0.1?[field] == pair.1.values[index] }
      }
      ranges.append(
        echoed.map { fields[$0].range } ?? Self.range(of: seen) ?? 0...0)
      isFixed.append(echoed == nil && Set(seen).count == 1)
      if echoed == nil, Set(seen).count > 1 {
        notes.append(
          "The range of \(CommandShape.name(index)) in its answer is that of the session.")
      }
    }
    var index = -1
    let parts = shape.parts.flatMap { part -> [CommandForm.Part] in
      if case .byte(let byte) = part { return [.byte(byte)] }
      index += 1
      if isFixed[index] {
        return Array("\(shape.values[index])".utf8).map { .byte($0) }
      }
      return [.number(CommandField(CommandShape.name(index), ranges[index]))]
    }
    let line = CommandForm(parts + [.byte(UInt8(ascii: "\n"))])
    return line.problem == nil ? (.line(line.parts), notes) : (nil, notes)
  }

  /// Returns how long the sketch is busy with a command: another one is sent right after it.
  func blocking(_ example: LearnedCommand<D>, _ after: SketchTrial<D>) -> String? {
    guard pause == nil, example.moves, !session.isOver() else { return nil }
    let others = commands.filter { $0.moves }.map { $0.bytes } + session.moving
    guard
      let other = others.prefix(Self.beyondMax).first(where: {
        $0 != example.bytes && after.moves($0)
      }),
      let delay = example.trial.delay(of: other, by: example.bytes, for: Self.answerMax)
    else { return nil }
    let busy = delay.nanoseconds / 1_000_000
    guard busy >= 50, delay < Self.answerMax - .milliseconds(200) else { return nil }
    return "The sketch is busy for \(busy) ms after it, and takes the next command then."
  }
}
