import Devices
import Sketches

/// Finds the numbers in bytes whose meaning depends on their place: bytes, words of 16 bits, and
/// digits of fixed width. Changes one place at a time, and sees what moves, and how far.
struct NumberPlaces<D: Device> {
  /// What a place does.
  enum Role: Hashable {
    /// No other value has an effect.
    case fixed
    /// Another value moves this by so much for each step.
    case moves(TrialPositions.Channel, slope: Double)
    /// Another value moves other things.
    case selects
  }

  private let trial: SketchTrial<D>
  /// The bytes with another value at a place.
  private let variant: ([UInt8], Int, UInt8) -> [UInt8]

  init(_ trial: SketchTrial<D>, _ variant: @escaping ([UInt8], Int, UInt8) -> [UInt8]) {
    self.trial = trial
    self.variant = variant
  }

  /// Returns the role of a place in a command. `values` are tried there.
  func role(of place: Int, in bytes: [UInt8], _ values: [UInt8]) -> Role {
    let base = trial.tried(bytes).positions
    var slopes: [TrialPositions.Channel: Double] = [:]
    var others = 0
    var hasEffect = false
    for value in values where value != bytes[place] {
      let tried = trial.tried(variant(bytes, place, value))
      guard tried.follows else { continue }
      hasEffect = true
      let changes = tried.positions.changes(since: base)
      if changes.count > 1 { others += 1 }
      guard changes.count == 1, let change = changes.first else { continue }
      let steps = Double(Int(value) - Int(bytes[place])).magnitude
      slopes[change.key] = max(slopes[change.key] ?? 0, change.value.magnitude / steps)
    }
    if others > 0 || slopes.count > 1 { return .selects }
    guard let slope = slopes.first else { return hasEffect ? .selects : .fixed }
    return .moves(slope.key, slope: slope.value)
  }

  /// Whether a byte is a number with a sign: below 0 its effect continues in the same direction.
  func isSigned(_ place: Int, in bytes: [UInt8]) -> Bool {
    let tried = ([0xF6, 0xFF, 0, 10] as [UInt8]).map { trial.tried(variant(bytes, place, $0)) }
    guard tried.allSatisfy({ $0.follows }) else { return false }
    let near = tried[3].positions.changes(since: tried[2].positions)
    let below = tried[2].positions.changes(since: tried[0].positions)
    return !near.isEmpty && near.allSatisfy { $0.value * (below[$0.key] ?? 0) > 0 }
  }

  /// Returns the roles of the digits in a run, from several commands: the largest slope of each.
  func digits(_ run: Range<Int>, of commands: [[UInt8]]) -> [Role] {
    run.map { place in
      var best = Role.fixed
      for bytes in commands where place < bytes.count {
        let role = role(of: place, in: bytes, Array("0123579".utf8))
        switch (best, role) {
        case (.fixed, _): best = role
        // In another command the same digit can belong to another servo.
        case (.moves(let channel, let slope), .moves(let other, let now)):
          if channel == other, now > slope { best = role }
        default: break
        }
      }
      return best
    }
  }

  /// Divides digits into numbers: the weight of digits falls from left to right within one.
  static func widths(_ roles: [Role]) -> [Int] {
    var widths: [Int] = []
    var known: (channel: TrialPositions.Channel, slope: Double)?
    for role in roles.reversed() {
      var continues = false
      switch (role, known) {
      case (.fixed, .some): continues = true
      case (.moves(let channel, let slope), let last?):
        continues = channel == last.channel && slope >= last.slope * 4
      case (.moves, nil), (.selects, _), (.fixed, nil): break
      }
      if continues, !widths.isEmpty {
        widths[widths.count - 1] += 1
      } else {
        widths.append(1)
        known = nil
      }
      if case .moves(let channel, let slope) = role { known = (channel, slope) }
    }
    return widths.reversed()
  }
}
