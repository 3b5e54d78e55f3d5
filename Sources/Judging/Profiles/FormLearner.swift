import Devices
import Sketches

/// Finds the form of commands that are alike, by trying other bytes in one of them.
struct FormLearner<D: Device> {
  /// How many numbers of a command are tried.
  private static var fieldsMax: Int { 8 }
  /// Bytes that are tried in place of one of a binary command.
  private static var otherBytes: [UInt8] { [0, 1, 2, 16, 64, 90, 100, 127, 180, 255] }
  /// How many commands are used to find the places of digits.
  private static var basesMax: Int { 3 }
  /// How long a last answer, and the end of a blocking command, are awaited.
  private static var answerMax: Interval { .seconds(5) }

  private let commands: [LearnedCommand<D>]
  private let own: BoardPin
  /// The pause that ends commands; nil if none does.
  private let pause: Interval?
  /// The checksum that lines have; nil if they have none.
  private let textChecksum: CommandChecksum?

  /// `commands` have the same key. `own` is the pin of the servo whose events name none.
  init(
    _ commands: [LearnedCommand<D>], own: BoardPin, pause: Interval? = nil,
    textChecksum: CommandChecksum? = nil
  ) {
    self.commands = commands
    self.own = own
    self.pause = pause
    self.textChecksum = textChecksum
  }

  /// What commands that are alike have in common: the bytes between their numbers, or the first
  /// byte and the length of a binary command.
  enum Key: Hashable {
    case text([CommandShape.Part])
    case binary(UInt8?, Int)

    /// `checksum`: what ends lines, of which the digits differ.
    init(_ bytes: [UInt8], checksum: CommandChecksum? = nil) {
      if CommandShape.isText(bytes) {
        let body = bytes.dropLast(CommandShape.lineEndCount(of: bytes))
        self = .text(CommandShape(text: Array(body.dropLast(checksum?.count ?? 0))).parts)
      } else {
        self = .binary(bytes.first ?? 0, bytes.count)
      }
    }
  }

  /// The command on which numbers are tried.
  private var example: LearnedCommand<D>? {
    commands.first { $0.moves } ?? commands.first { $0.isSeen } ?? commands.first
  }

  /// Whether the first byte of a binary command is a number: other values move something, too.
  var beginsWithNumber: Bool {
    guard let example, example.moves, !CommandShape.isText(example.bytes) else { return false }
    let after = example.trial.after(example.bytes).trial
    let moving = Self.otherBytes.count { byte in
      byte != example.bytes[0] && after.moves([byte] + example.bytes.dropFirst())
    }
    return moving >= 5
  }

  /// `firstIsNumber`: the first byte of binary commands can be a number.
  func learn(firstIsNumber: Bool = false) -> LearnedForm? {
    guard let example else { return nil }
    // What the example moves is already in place, so only another number moves it again.
    let after = example.trial.after(example.bytes).trial
    var notes: [String] = []
    let isText = CommandShape.isText(example.bytes)
    let body =
      isText
      ? textParts(of: example, after) : binaryParts(of: example, after, firstIsNumber, &notes)
    let end = isText ? lineEnd(of: example) : LineEnd(tried: [], stated: [])
    let template = CommandForm(body + end.tried.map { .byte($0) })
    func plain(_ bytes: [UInt8]) -> [UInt8] {
      isText ? bytes.dropLast(CommandShape.lineEndCount(of: bytes)) + end.tried : bytes
    }
    guard let values = template.values(of: plain(example.bytes)) else { return nil }
    let all = commands.map { ($0, template.values(of: plain($0.bytes))) }
    var fields: [LearnedForm.Field] = []
    for (index, field) in template.fields.enumerated() {
      let seen = all.compactMap { $0.1?[index] }
      var learned = LearnedForm.Field(seen: Self.range(of: seen) ?? values[index]...values[index])
      learned.decimals = field.decimals
      learned.moved = Self.range(of: all.filter { $0.0.moves }.compactMap { $0.1?[index] })
      if example.moves, index < Self.fieldsMax, field.range.contains(values[index]) {
        learned.tried = tried(template, index, values, example, after)
      }
      fields.append(learned)
    }
    var parts = Self.parts(body, with: fields.map { $0.range }) + end.stated
    if let pause { parts.append(.pause(pause)) }
    var form = CommandForm(parts)
    if isText, ignoresCase(example, end) { form = form.ignoringCase }
    let answer = answer(fields, all)
    form.answer = answer.answer
    notes += answer.notes
    if let note = blocking(template, values, fields, after) { notes.append(note) }
    if !example.moves {
      notes.append(
        example.isSeen
          ? "Not certain: nothing moved, so other bytes could not be tried."
          : "Not certain: nothing observable followed, so this can be no command at all.")
    }
    return LearnedForm(
      form: form, fields: fields, count: commands.count, example: example.bytes,
      effect: example.isSeen ? example.effect.sentence(own: own) : nil, moves: example.moves,
      notes: notes)
  }

  private static func range(of values: [Int32]) -> ClosedRange<Int32>? {
    guard let low = values.min(), let high = values.max() else { return nil }
    return low...high
  }

  /// The parts with these ranges in their numbers.
  private static func parts(
    _ parts: [CommandForm.Part], with ranges: [ClosedRange<Int32>]
  ) -> [CommandForm.Part] {
    var rest = ranges[...]
    return parts.map { part in
      func ranged(_ field: CommandField) -> CommandField {
        CommandField(field.name, rest.popFirst() ?? field.range, decimals: field.decimals)
      }
      switch part {
      case .number(let field): return .number(ranged(field))
      case .digits(let field, let width): return .digits(ranged(field), width: width)
      case .single(let field): return .single(ranged(field))
      case .packed(let field, let packing): return .packed(ranged(field), packing)
      default: return part
      }
    }
  }

  /// The numbers for which outputs follow.
  private func tried(
    _ template: CommandForm, _ index: Int, _ values: [Int32], _ example: LearnedCommand<D>,
    _ after: SketchTrial<D>
  ) -> ClosedRange<Int32> {
    let field = template.fields[index]
    var known: [Int32: RangeSearch.Response] = [:]
    let search = RangeSearch(within: field.range, decimals: field.decimals) { number in
      if let response = known[number] { return response }
      var values = values
      values[index] = number
      let effect = after.effect(of: template.bytes(values))
      let response = (follows: effect.moves != after.silence.moves, effect: effect.withoutAnswer)
      known[number] = response
      return response
    }
    return search.range(around: values[index], at: example.effect.position)
  }
}

// MARK: - Text

extension FormLearner {
  /// How the lines of a session end.
  struct LineEnd {
    /// The bytes that end a line when it is tried.
    var tried: [UInt8]
    /// The end as the form states it.
    var stated: [CommandForm.Part]
  }

  /// Whether other bytes have the same effect as the example had.
  private func isSame(_ bytes: [UInt8], as example: LearnedCommand<D>) -> Bool {
    let effect = example.trial.effect(of: bytes)
    return example.moves ? effect.moves == example.effect.moves : effect == example.effect
  }

  private func lineEnd(of example: LearnedCommand<D>) -> LineEnd {
    let count = CommandShape.lineEndCount(of: example.bytes)
    let body = Array(example.bytes.dropLast(count))
    let end = Array(example.bytes.suffix(count))
    guard end.last == 0x0A else {
      return LineEnd(tried: end, stated: end.map { .byte($0) })
    }
    let others = Set(
      commands.map { Array($0.bytes.suffix(CommandShape.lineEndCount(of: $0.bytes))) })
    let isPlain = end == [0x0A]
    let canDiffer =
      example.isSeen
      ? isSame(body + (isPlain ? [0x0D, 0x0A] : [0x0A]), as: example) : others.count > 1
    if pause != nil, example.isSeen, isSame(body, as: example) {
      return LineEnd(tried: [], stated: [.optional(0x0D), .optional(0x0A)])
    }
    if canDiffer { return LineEnd(tried: [0x0A], stated: [.optional(0x0D), .byte(0x0A)]) }
    return LineEnd(tried: end, stated: end.map { .byte($0) })
  }

  /// Whether letters of the other case have the same effect.
  private func ignoresCase(_ example: LearnedCommand<D>, _ end: LineEnd) -> Bool {
    let swapped = example.bytes.map { byte in
      (0x41...0x5A).contains(byte & ~0x20) ? byte ^ 0x20 : byte
    }
    return swapped != example.bytes && textChecksum == nil && example.isSeen
      && isSame(swapped, as: example)
  }

  /// Divides a line into bytes and numbers.
  private func textParts(
    of example: LearnedCommand<D>, _ after: SketchTrial<D>
  ) -> [CommandForm.Part] {
    let bytes = example.bytes
    let lineEnd = CommandShape.lineEndCount(of: bytes)
    let end = bytes.count - lineEnd - (textChecksum?.count ?? 0)
    var parts: [CommandForm.Part] = []
    var count = 0
    func field(_ range: ClosedRange<Int32>, decimals: Int = 0) -> CommandField {
      defer { count += 1 }
      return CommandField(CommandShape.name(count), range, decimals: decimals)
    }
    var index = 0
    while index < end {
      let digits = CommandShape.digits(at: index, in: bytes[..<end])
      let stop = digits.upperBound
      guard !digits.isEmpty, digits.count <= 18 else {
        parts.append(.byte(bytes[index]))
        index += 1
        continue
      }
      var fraction = stop
      if stop + 1 < end, bytes[stop] == UInt8(ascii: ".") {
        fraction = stop + 1
        while fraction < end, CommandShape.digits.contains(bytes[fraction]) { fraction += 1 }
      }
      if fraction > stop + 1, isDecimal(example, until: fraction) {
        let decimals = fraction - stop - 1
        // In units of the last decimal. Nine more digits are always too many.
        let limit = Int32(
          clamping: (0..<min(decimals, 9)).reduce(Int64(32_767)) { limit, _ in limit * 10 })
        parts.append(.number(field(-limit...limit, decimals: decimals)))
        index = fraction
        continue
      }
      // Without an end of its own, or where it is read by place, a number has a fixed width.
      let hasEnd = stop < bytes.count - (textChecksum == nil ? 0 : lineEnd) || pause != nil
      if digits.lowerBound == index,
        let widths = widths(digits, of: example, after, hasEnd: hasEnd)
      {
        for width in widths {
          let high = (0..<width).reduce(Int32(1)) { power, _ in power * 10 } - 1
          parts.append(.digits(field(0...high), width: width))
        }
      } else {
        parts.append(.number(field(-32_768...32_767)))
      }
      index = stop
    }
    if let textChecksum { parts.append(.checksum(textChecksum)) }
    return parts
  }

  /// Whether the digits after a point are decimals: another 0 changes nothing.
  private func isDecimal(_ example: LearnedCommand<D>, until end: Int) -> Bool {
    guard example.moves, textChecksum == nil else { return true }
    var bytes = example.bytes
    bytes.insert(UInt8(ascii: "0"), at: end)
    return isSame(bytes, as: example)
  }

  /// Returns the widths of the numbers in a run of digits that are read by their place; nil if the
  /// run is one number of any width.
  private func widths(
    _ run: Range<Int>, of example: LearnedCommand<D>, _ after: SketchTrial<D>, hasEnd: Bool
  ) -> [Int]? {
    let alike = commands.filter { $0.bytes.count == example.bytes.count }
    guard example.moves else { return hasEnd ? nil : [run.count] }
    if run.count > 9 || hasEnd && (alike.count < commands.count || run.count < 2) {
      return hasEnd ? nil : [min(run.count, 9)]
    }
    func isFixed() -> Bool {
      for place in [run.lowerBound, run.upperBound - 1] {
        var bytes = example.bytes
        bytes.remove(at: place)
        if after.moves(bytes) { return false }
      }
      return true
    }
    if run.count < 4, hasEnd { return isFixed() ? [run.count] : nil }
    let places = NumberPlaces(after) { bytes, place, value in
      var bytes = bytes
      bytes[place] = value
      return bytes
    }
    var zero = example.bytes
    for place in run { zero[place] = UInt8(ascii: "0") }
    let bases = [example.bytes, zero] + alike.filter { $0.moves }.map { $0.bytes }
    let roles = places.digits(run, of: Array(bases.prefix(Self.basesMax)))
    let widths = NumberPlaces<D>.widths(roles)
    return widths.count > 1 || !hasEnd || isFixed() ? widths : nil
  }
}

// MARK: - Bytes

extension FormLearner {
  private func binaryParts(
    of example: LearnedCommand<D>, _ after: SketchTrial<D>, _ firstIsNumber: Bool,
    _ notes: inout [String]
  ) -> [CommandForm.Part] {
    let bytes = example.bytes
    let all = commands.map { $0.bytes }
    func differs(_ place: Int) -> Bool { all.contains { $0[place] != bytes[place] } }
    let checksum = example.moves ? checksum(in: all, example, after) : nil
    let places = NumberPlaces(after) { bytes, place, value in
      var bytes = bytes
      bytes[place] = value
      if let checksum, checksum.place != place {
        bytes[checksum.place] = checksum.checksum.value(after: bytes[..<checksum.place])
      }
      return bytes
    }
    typealias Role = NumberPlaces<D>.Role
    let roles = bytes.indices.map { place -> Role in
      guard example.moves, place > 0 || firstIsNumber, place != checksum?.place else {
        return .fixed
      }
      let value = bytes[place]
      let near = [1, 2, 16].flatMap { [value &+ $0, value &- $0] }
      return places.role(of: place, in: bytes, near + Self.otherBytes)
    }
    var parts: [CommandForm.Part] = []
    var count = 0
    func field(_ range: ClosedRange<Int32>) -> CommandField {
      defer { count += 1 }
      return CommandField(CommandShape.name(count), range)
    }
    var place = 0
    while place < bytes.count {
      defer { place += 1 }
      if let checksum, place == checksum.place {
        parts.append(.checksum(checksum.checksum))
        continue
      }
      if place + 1 < bytes.count, place + 1 != checksum?.place,
        let packing = packing(roles[place], roles[place + 1], place, differs, all)
      {
        parts.append(.packed(field(packing.limits), packing))
        place += 1
        continue
      }
      guard roles[place] == .fixed else {
        parts.append(.single(field(0...255)))
        continue
      }
      guard place > 0 || firstIsNumber, differs(place) else {
        parts.append(.byte(bytes[place]))
        continue
      }
      notes.append(
        "Not certain: byte \(place + 1) differs between commands, but nothing followed other "
          + "values. It is not one of these checksums of the bytes before it: sum, xor, "
          + "complement, negative."
      )
      parts.append(.single(field(0...255)))
    }
    return parts
  }

  /// How two places are a number of 16 bits; nil if they are not.
  private func packing(
    _ first: NumberPlaces<D>.Role, _ second: NumberPlaces<D>.Role, _ place: Int,
    _ differs: (Int) -> Bool, _ all: [[UInt8]]
  ) -> CommandForm.Packing? {
    switch (first, second) {
    case (.moves(let channel, let high), .moves(let other, let low)):
      guard channel == other, place > 0 else { return nil }
      if high > low * 16 { return .u16be }
      return low > high * 16 ? .u16le : nil
    // A high byte that differs, and of which no other value alone is in range.
    case (.fixed, .moves) where place > 0 && differs(place): return .u16be
    case (.moves, .fixed) where differs(place + 1): return .u16le
    default: return nil
    }
  }

  /// Finds the place of a checksum: without the right value there, another number moves nothing.
  private func checksum(
    in all: [[UInt8]], _ example: LearnedCommand<D>, _ after: SketchTrial<D>
  ) -> (place: Int, checksum: CommandChecksum)? {
    let moving = commands.filter { $0.moves }.map { $0.bytes }
    guard Set(moving).count > 1 else { return nil }
    let bytes = example.bytes
    for place in bytes.indices.dropFirst().reversed()
    where moving.contains(where: { $0[place] != bytes[place] }) {
      for checksum in ChecksumSearch.binary(in: moving, at: place) {
        for changed in bytes.indices[1..<max(1, place)].reversed() {
          for value in [bytes[changed] &- 1, bytes[changed] &+ 1, bytes[changed] &- 5] {
            var variant = bytes
            variant[changed] = value
            if checksum.value(after: variant[..<place]) == bytes[place] { continue }
            if after.moves(variant) { continue }
            variant[place] = checksum.value(after: variant[..<place])
            if after.moves(variant) { return (place, checksum) }
          }
        }
      }
    }
    return nil
  }
}

// MARK: - Answers

extension FormLearner {
  private func answer(
    _ fields: [LearnedForm.Field], _ all: [(LearnedCommand<D>, [Int32]?)]
  ) -> (answer: CommandAnswer?, notes: [String]) {
    let moving = commands.contains { $0.moves }
    let used = all.filter { moving ? $0.0.moves : $0.0.isSeen }.prefix(4)
    guard let first = used.first else { return (nil, []) }
    let quiet = first.0.trial.answer(to: [], within: Self.answerMax)
    if !quiet.isEmpty {
      return (nil, ["Not certain: the sketch also sends without a command, so no answer is known."])
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
      return (nil, ["Not certain: its answers differ: \"\(text)\", for example."])
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
        notes.append("Not certain: the range of \(CommandShape.name(index)) in its answer.")
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
  private func blocking(
    _ template: CommandForm, _ values: [Int32], _ fields: [LearnedForm.Field],
    _ after: SketchTrial<D>
  ) -> String? {
    guard pause == nil, let range = fields.first?.tried, range.count > 2 else { return nil }
    let ends = [range.lowerBound, range.upperBound].filter { $0 != values[0] }
    guard let one = ends.first, let other = ([values[0]] + ends.dropFirst()).first else {
      return nil
    }
    let first = template.bytes([one] + values.dropFirst())
    let second = template.bytes([other] + values.dropFirst())
    guard let latency = after.reaction(to: first, for: Self.answerMax)?.first else { return nil }
    let times = after.moveTimes(of: first, then: (.milliseconds(1), second), for: Self.answerMax)
    guard times.count > 1, let last = times.last else { return nil }
    let busy = (last - latency).nanoseconds / 1_000_000
    guard busy >= 50, last < Self.answerMax - .milliseconds(200) else { return nil }
    return "The sketch is busy for \(busy) ms after it, and takes the next command then."
  }
}
