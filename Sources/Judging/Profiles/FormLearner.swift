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
  /// How many commands are tried whose numbers are beyond those for which outputs follow.
  static var beyondMax: Int { 20 }
  /// How long a last answer, and the end of a blocking command, are awaited.
  static var answerMax: Interval { .seconds(5) }

  /// What is known about the whole session.
  struct Session {
    /// The pin of the servo whose events name none.
    var own: BoardPin
    /// Whether commands are text.
    var isText = true
    /// The pause that ends commands; nil if none does.
    var pause: Interval?
    /// The checksum that lines have; nil if they have none.
    var textChecksum: CommandChecksum?
    /// Commands that move something.
    var moving: [[UInt8]] = []
    /// How long tries must take.
    var times = SketchTrial<D>.Times()
    /// Whether no more time is left to try.
    var isOver: @Sendable () -> Bool = { false }
  }

  let commands: [LearnedCommand<D>]
  /// The bytes of all commands, including those that were not examined.
  private let all: [[UInt8]]
  let session: Session

  /// All commands have the same key, and some of them were examined.
  init(_ commands: [LearnedCommand<D>], all: [[UInt8]], _ session: Session) {
    self.commands = commands
    self.all = all
    self.session = session
  }

  private var isText: Bool { session.isText }
  var pause: Interval? { session.pause }
  private var textChecksum: CommandChecksum? { session.textChecksum }

  /// What commands that are alike have in common: the bytes between their numbers, or the first
  /// byte and the length of a binary command.
  enum Key: Hashable {
    case text([CommandShape.Part])
    case binary(UInt8?, Int)

    /// `checksum`: what ends lines, of which the digits differ.
    init(_ bytes: [UInt8], isText: Bool, checksum: CommandChecksum? = nil) {
      if isText {
        let body = bytes.dropLast(CommandShape.lineEndCount(of: bytes))
        self = .text(CommandShape(text: Array(body.dropLast(checksum?.count ?? 0))).parts)
      } else {
        self = .binary(bytes.first ?? 0, bytes.count)
      }
    }

    /// The same with decimals as a part of their number.
    var withoutDecimals: Key {
      guard case .text(let parts) = self else { return self }
      var kept: [CommandShape.Part] = []
      for part in parts {
        if part == .number, kept.count > 1, kept.last == .byte(UInt8(ascii: ".")),
          kept[kept.count - 2] == .number
        {
          kept.removeLast()
        } else {
          kept.append(part)
        }
      }
      return .text(kept)
    }
  }

  /// The command on which numbers are tried: of those that move something, the one with the most
  /// bytes between its numbers, such as decimal points.
  private var example: LearnedCommand<D>? {
    let best = commands.filter { $0.moves }.max { one, other in
      CommandShape(text: one.bytes).parts.count < CommandShape(text: other.bytes).parts.count
    }
    return (best ?? commands.first { $0.isSeen } ?? commands.first).map { command in
      let trial = command.trial.with(session.times)
      return LearnedCommand(
        bytes: command.bytes, trial: trial, effect: trial.effect(of: command.bytes))
    }
  }

  /// Whether the first byte of a binary command is a number: other values move something, too.
  var beginsWithNumber: Bool {
    guard let example, example.moves, !isText else { return false }
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
    let body =
      isText
      ? textParts(of: example, after) : binaryParts(of: example, after, firstIsNumber, &notes)
    let end = isText ? lineEnd(of: example) : LineEnd(tried: [], stated: [])
    let template = CommandForm(body + end.tried.map { .byte($0) })
    func plain(_ bytes: [UInt8]) -> [UInt8] {
      isText ? bytes.dropLast(CommandShape.lineEndCount(of: bytes)) + end.tried : bytes
    }
    guard let values = template.values(of: plain(example.bytes)) else { return nil }
    let examined = commands.map { ($0, template.values(of: plain($0.bytes))) }
    let sent = Array(Set(all)).compactMap { template.values(of: plain($0)) }
    let moved = examined.filter { $0.0.moves }.compactMap { $0.1 }
    // With the other values far from those in place, a command that is taken moves something,
    // whichever number is tried.
    func distance(_ other: [Int32]) -> Int64 {
      zip(values, other).reduce(0) { $0 + min(abs(Int64($1.0) - Int64($1.1)), 1_000) }
    }
    let base =
      moved.max { distance($0) < distance($1) }.flatMap {
        after.moves(template.bytes($0)) ? $0 : nil
      } ?? values
    var fields: [LearnedForm.Field] = []
    for (index, field) in template.fields.enumerated() {
      var learned = LearnedForm.Field(seen: Self.range(of: sent.map { $0[index] }) ?? 0...0)
      learned.decimals = field.decimals
      learned.moved = Self.range(of: moved.map { $0[index] })
      if example.moves, index < Self.fieldsMax, field.range.contains(values[index]),
        !session.isOver()
      {
        var base = base
        base[index] = values[index]
        learned.tried = tried(template, index, base, learned.moved, after)
      }
      fields.append(learned)
    }
    widen(&fields, template, sent, after)
    var parts = Self.parts(body, with: fields.map { $0.range }) + end.stated
    if let pause { parts.append(.pause(pause)) }
    var form = CommandForm(parts)
    if isText, ignoresCase(example, end) { form = form.ignoringCase }
    let answer = answer(fields, examined)
    form.answer = answer.answer
    notes += answer.notes
    if let note = blocking(example, after) { notes.append(note) }
    if !example.moves {
      notes.append(
        example.isSeen
          ? "Nothing moved, so other bytes could not be tried."
          : "Not certain: nothing observable followed, so this can be no command at all.")
    }
    return LearnedForm(
      form: form, fields: fields, count: all.count, example: example.bytes,
      effect: example.isSeen ? example.effect.sentence(own: session.own) : nil,
      moves: example.moves, notes: notes)
  }

  /// Adds the numbers of the session that moved something although those between did not, or that
  /// the sketch limits.
  private func widen(
    _ fields: inout [LearnedForm.Field], _ template: CommandForm, _ sent: [[Int32]],
    _ after: SketchTrial<D>
  ) {
    let beyond = sent.filter { values in
      zip(values, fields).contains { value, field in
        field.tried != nil && !field.range.contains(value)
      }
    }
    for values in beyond.sorted(by: { $0.lexicographicallyPrecedes($1) }).prefix(Self.beyondMax)
    where !session.isOver() && after.moves(template.bytes(values)) {
      for index in fields.indices where fields[index].tried != nil {
        let moved = fields[index].moved ?? values[index]...values[index]
        fields[index].moved =
          min(moved.lowerBound, values[index])...max(moved.upperBound, values[index])
      }
    }
  }

  static func range(of values: [Int32]) -> ClosedRange<Int32>? {
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
    _ template: CommandForm, _ index: Int, _ base: [Int32], _ moved: ClosedRange<Int32>?,
    _ after: SketchTrial<D>
  ) -> ClosedRange<Int32> {
    let field = template.fields[index]
    var known: [Int32: RangeSearch.Response] = [:]
    let search = RangeSearch(
      within: field.range, decimals: field.decimals, from: after.positions
    ) { number in
      if let response = known[number] { return response }
      var values = base
      values[index] = number
      let response = after.tried(template.bytes(values))
      known[number] = response
      return response
    }
    return search.range(around: base[index], known: moved ?? base[index]...base[index])
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
    let exact = LineEnd(tried: end, stated: end.map { .byte($0) })
    if !body.isEmpty, example.isSeen, count > 0 {
      if pause != nil, isSame(body, as: example) {
        return LineEnd(tried: [], stated: [.optional(0x0D), .optional(0x0A)])
      }
      if pause == nil, isTaken(body, asSoonAs: example) { return LineEnd(tried: [], stated: []) }
    }
    guard end.last == 0x0A else { return exact }
    let others = Set(all.map { Array($0.suffix(CommandShape.lineEndCount(of: $0))) })
    let canDiffer =
      example.isSeen
      ? isSame(body + (end == [0x0A] ? [0x0D, 0x0A] : [0x0A]), as: example) : others.count > 1
    return canDiffer ? LineEnd(tried: [0x0A], stated: [.optional(0x0D), .byte(0x0A)]) : exact
  }

  /// Whether the sketch does the same without the line end, and does not wait for it.
  private func isTaken(_ body: [UInt8], asSoonAs example: LearnedCommand<D>) -> Bool {
    let window = example.trial.times.window
    guard isSame(body, as: example), let early = example.trial.reaction(to: body, for: window),
      let late = example.trial.reaction(to: example.bytes, for: window)
    else { return false }
    let end = example.trial.duration(of: example.bytes.count - body.count)
    return early.first <= late.first + end + .milliseconds(2)
  }

  /// Whether letters of the other case have the same effect.
  private func ignoresCase(_ example: LearnedCommand<D>, _ end: LineEnd) -> Bool {
    func replaced(_ other: (UInt8) -> UInt8) -> [UInt8] {
      example.bytes.map { (0x41...0x5A).contains($0 & ~0x20) ? other($0) : $0 }
    }
    let swapped = replaced { $0 ^ 0x20 }
    // Letters that are not read at all have no case.
    return swapped != example.bytes && textChecksum == nil && example.isSeen
      && isSame(swapped, as: example)
      && !isSame(replaced { $0 & 0x1F == 0x1A ? $0 - 1 : $0 + 1 }, as: example)
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
    /// Whether a number is read by its place, so that those after it are, too.
    var isPlaced = false
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
        let widths = widths(digits, of: example, after, isPlaced, hasEnd: hasEnd)
      {
        isPlaced = true
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
  /// run is one number of any width. `isPlaced`: a number before it is read by its place.
  private func widths(
    _ run: Range<Int>, of example: LearnedCommand<D>, _ after: SketchTrial<D>, _ isPlaced: Bool,
    hasEnd: Bool
  ) -> [Int]? {
    guard example.moves else { return hasEnd ? nil : [run.count] }
    if run.count > 9 { return hasEnd ? nil : [9] }
    let alike = commands.filter { $0.bytes.count == example.bytes.count }
    if hasEnd {
      let index = Self.digitCounts(in: example.bytes[..<run.lowerBound]).count
      let widths = Set(all.map { Self.digitCounts(in: $0[...]).dropFirst(index).first })
      if widths.count > 1 { return nil }
      let isFixed = isPlaced || isFixed(run, of: example, after)
      if run.count < 4 || !isFixed { return isFixed ? [run.count] : nil }
    }
    let places = NumberPlaces(after) { bytes, place, value in
      var bytes = bytes
      bytes[place] = value
      return bytes
    }
    var zero = example.bytes
    for place in run { zero[place] = UInt8(ascii: "0") }
    let bases = [example.bytes, zero] + alike.filter { $0.moves }.map { $0.bytes }
    return NumberPlaces<D>.widths(places.digits(run, of: Array(bases.prefix(Self.basesMax))))
  }

  /// The number of digits in each number of a line.
  private static func digitCounts(in text: ArraySlice<UInt8>) -> [Int] {
    var counts: [Int] = []
    var index = 0
    while index < text.count {
      let digits = CommandShape.digits(at: index, in: text)
      if !digits.isEmpty { counts.append(digits.count) }
      index = max(digits.upperBound, index + 1)
    }
    return counts
  }

  /// Whether a number is read by its place: the same number without a leading zero has another
  /// effect.
  private func isFixed(
    _ run: Range<Int>, of example: LearnedCommand<D>, _ after: SketchTrial<D>
  ) -> Bool {
    guard run.count > 1 else { return false }
    var padded = example.bytes
    padded[run.lowerBound] = UInt8(ascii: "0")
    var short = padded
    short.remove(at: run.lowerBound)
    for trial in [example.trial, after] {
      let long = trial.tried(padded)
      if long.follows { return long != trial.tried(short) }
    }
    return false
  }
}

// MARK: - Bytes

extension FormLearner {
  private func binaryParts(
    of example: LearnedCommand<D>, _ after: SketchTrial<D>, _ firstIsNumber: Bool,
    _ notes: inout [String]
  ) -> [CommandForm.Part] {
    let bytes = example.bytes
    func differs(_ place: Int) -> Bool { all.contains { $0[place] != bytes[place] } }
    let checksum = example.moves ? checksum(example, after) : nil
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
        let packing = packing(roles[place], roles[place + 1], place, differs)
      {
        let values = all.map { (bytes: [UInt8]) -> Int in
          let (first, second) = (Int(bytes[place]), Int(bytes[place + 1]))
          return packing == .u16be ? first << 8 | second : second << 8 | first
        }
        let word = CommandForm.Packing.signed(packing, ifLikely: values)
        parts.append(.packed(field(word.limits), word))
        place += 1
        continue
      }
      guard roles[place] == .fixed else {
        if all.contains(where: { $0[place] > 0x7F }), places.isSigned(place, in: bytes) {
          parts.append(.packed(field(CommandForm.Packing.i8.limits), .i8))
        } else {
          parts.append(.single(field(0...255)))
        }
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
    _ differs: (Int) -> Bool
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
    _ example: LearnedCommand<D>, _ after: SketchTrial<D>
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

extension CommandForm.Packing {
  /// Returns the signed word if a session's values are small ones of either sign.
  fileprivate static func signed(_ word: Self, ifLikely values: [Int]) -> Self {
    let isSigned =
      values.contains { $0 >= 0x8000 } && values.allSatisfy { $0 < 0x4000 || $0 >= 0xC000 }
    return isSigned ? (word == .u16be ? .i16be : .i16le) : word
  }
}
