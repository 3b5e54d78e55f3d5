/// Which options the two ends of a connection use.
///
/// RFC 1143's method, without the states for options that an end turns off itself, because neither
/// does. An answer is sent only if it changes a state, so two ends can never answer each other
/// endlessly.
///
///     off --request--> requested --agreed--> on
///     off --offered--> on, agrees            on --refused--> off, agrees
///                      requested --refused--> off
struct TelnetNegotiation: Hashable, Sendable {
  /// The end that uses an option.
  enum Side: Hashable, Sendable {
    case ours, theirs
  }

  private enum State: Hashable {
    case off, requested, on
  }

  /// Those that are not off.
  private var ours: [TelnetOption: State] = [:]
  private var theirs: [TelnetOption: State] = [:]

  /// Whether an end uses an option.
  func isOn(_ option: TelnetOption, _ side: Side) -> Bool { self[option, side] == .on }

  /// Returns the bytes that request an option; none if it is on or requested already.
  mutating func request(_ option: TelnetOption, _ side: Side) -> [UInt8] {
    guard self[option, side] == .off else { return [] }
    self[option, side] = .requested
    return Self.bytes(true, option.rawValue, side)
  }

  /// Takes a command from the other end. Returns the answer; empty if none is due.
  mutating func take(_ verb: TelnetVerb, _ code: UInt8) -> [UInt8] {
    let side: Side = verb == .will || verb == .wont ? .theirs : .ours
    let isWanted = verb == .will || verb == .request
    guard let option = TelnetOption(rawValue: code) else {
      // An option that is never on is refused, and needs no answer when it is turned off.
      return isWanted ? Self.bytes(false, code, side) : []
    }
    let before = self[option, side]
    self[option, side] = isWanted ? .on : .off
    switch (before, isWanted) {
    case (.off, true), (.on, false): return Self.bytes(isWanted, code, side)
    case (.off, false), (.on, true), (.requested, _): return []
    }
  }

  private static func bytes(_ isOn: Bool, _ code: UInt8, _ side: Side) -> [UInt8] {
    let verb: TelnetVerb =
      switch (side, isOn) {
      case (.ours, true): .will
      case (.ours, false): .wont
      case (.theirs, true): .request
      case (.theirs, false): .forbid
      }
    return verb.bytes(code)
  }

  private subscript(_ option: TelnetOption, _ side: Side) -> State {
    get { (side == .ours ? ours : theirs)[option] ?? .off }
    set { if side == .ours { ours[option] = newValue } else { theirs[option] = newValue } }
  }
}

/// The options that either end may use. All others are refused.
enum TelnetOption: UInt8, Hashable, Sendable, CaseIterable {
  /// Every byte is data (RFC 856).
  case binary = 0
  /// No go-ahead after each transmission (RFC 858).
  case suppressGoAhead = 3
  /// Control of a serial port (RFC 2217).
  case comPort = 44
}

/// The commands that negotiate an option (RFC 854).
enum TelnetVerb: UInt8, Hashable, Sendable {
  /// The other end offers, or refuses, to use an option.
  case will = 251
  case wont = 252
  /// The other end requests, or forbids, that this end uses an option.
  case request = 253
  case forbid = 254

  /// Returns the command's three bytes for an option.
  func bytes(_ option: UInt8) -> [UInt8] { [TelnetByte.interpretAsCommand, rawValue, option] }
}
