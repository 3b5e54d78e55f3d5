/// Separates data from commands in the bytes of a telnet connection, however they are split.
///
/// The caller carries out each item before it asks for the next, because a command can change the
/// meaning of the bytes after it:
///
///     var rest = bytes[...]
///     while let item = decoder.next(from: &rest) { ... }
struct TelnetDecoder: Hashable, Sendable {
  enum Item: Hashable, Sendable {
    case data([UInt8])
    case option(TelnetVerb, UInt8)
    /// An option's parameters, without the option itself.
    case subnegotiation(UInt8, [UInt8])
    /// Any other command, such as Are You There.
    case command(UInt8)
  }

  private enum State: Hashable {
    case data, command, subnegotiation, commandInSubnegotiation
    case option(TelnetVerb)
  }

  /// The longest subnegotiation, with its option. RFC 2217's longest is a text that identifies a
  /// program.
  static let lengthMax = 256

  /// Whether the other end sends every byte as data. Otherwise it sends a 0 after a carriage return
  /// that no line feed follows, and the 0 is dropped here.
  var isBinary = false
  /// The number of subnegotiations that were dropped because they were empty, too long or broken
  /// off.
  private(set) var droppedCount = 0
  private var state = State.data
  private var parameters: [UInt8] = []
  private var isTooLong = false
  private var followsReturn = false

  /// Returns the next item, and removes its bytes from the front of `input`. Returns nil when the
  /// input is used up. The next input continues an incomplete item.
  mutating func next(from input: inout ArraySlice<UInt8>) -> Item? {
    var data: [UInt8] = []
    while let byte = input.first {
      switch state {
      case .data: takeData(byte, into: &data)
      case .command where byte == TelnetByte.interpretAsCommand:
        data.append(byte)
        followsReturn = false
        state = .data
      case .command:
        // The data before a command comes first; the command is taken by the next call.
        guard data.isEmpty else { return .data(data) }
        input.removeFirst()
        if let item = takeCommand(byte) { return item }
        continue
      case .option(let verb):
        input.removeFirst()
        state = .data
        return .option(verb, byte)
      case .subnegotiation: takeParameter(byte)
      case .commandInSubnegotiation:
        switch byte {
        case TelnetByte.interpretAsCommand:
          state = .subnegotiation
          append(byte)
        case TelnetByte.subnegotiationEnd:
          input.removeFirst()
          if let item = endSubnegotiation() { return item }
          continue
        default:
          // The end is missing. The byte is a command of its own.
          droppedCount += 1
          state = .command
          continue
        }
      }
      input.removeFirst()
    }
    return data.isEmpty ? nil : .data(data)
  }

  private mutating func takeData(_ byte: UInt8, into data: inout [UInt8]) {
    if byte == TelnetByte.interpretAsCommand {
      state = .command
      return
    }
    defer { followsReturn = byte == 13 }
    if byte == 0, followsReturn, !isBinary { return }
    data.append(byte)
  }

  private mutating func takeCommand(_ byte: UInt8) -> Item? {
    state = .data
    if let verb = TelnetVerb(rawValue: byte) {
      state = .option(verb)
      return nil
    }
    guard byte == TelnetByte.subnegotiation else { return .command(byte) }
    state = .subnegotiation
    parameters = []
    isTooLong = false
    return nil
  }

  private mutating func takeParameter(_ byte: UInt8) {
    if byte == TelnetByte.interpretAsCommand {
      state = .commandInSubnegotiation
    } else {
      append(byte)
    }
  }

  private mutating func append(_ byte: UInt8) {
    guard parameters.count < Self.lengthMax else {
      isTooLong = true
      return
    }
    parameters.append(byte)
  }

  private mutating func endSubnegotiation() -> Item? {
    state = .data
    guard let option = parameters.first, !isTooLong else {
      droppedCount += 1
      return nil
    }
    return .subnegotiation(option, Array(parameters.dropFirst()))
  }
}

/// The bytes of telnet commands (RFC 854).
enum TelnetByte {
  static let subnegotiationEnd: UInt8 = 240
  static let subnegotiation: UInt8 = 250
  /// Begins every command. As data it is sent twice.
  static let interpretAsCommand: UInt8 = 255
}

/// Writes data for a telnet connection: doubles each 255 and, unless the connection is binary, adds
/// a 0 to each carriage return that no line feed follows.
struct TelnetEncoder: Hashable, Sendable {
  /// Whether the other end has agreed to receive every byte as data.
  var isBinary = false
  private var followsReturn = false

  /// Returns the bytes to send. A 0 that belongs to the last carriage return is sent with the next
  /// data.
  mutating func encode(_ data: some Sequence<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in data {
      if followsReturn, byte != 10, !isBinary { bytes.append(0) }
      followsReturn = byte == 13 && !isBinary
      bytes.append(byte)
      if byte == TelnetByte.interpretAsCommand { bytes.append(byte) }
    }
    return bytes
  }

  /// Returns a subnegotiation of an option with these parameters.
  static func subnegotiation(_ option: TelnetOption, _ parameters: [UInt8]) -> [UInt8] {
    let start = [TelnetByte.interpretAsCommand, TelnetByte.subnegotiation, option.rawValue]
    var encoder = TelnetEncoder()
    encoder.isBinary = true
    return start + encoder.encode(parameters)
      + [TelnetByte.interpretAsCommand, TelnetByte.subnegotiationEnd]
  }
}
