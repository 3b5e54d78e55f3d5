// The parts of a turret are saved to and read from state files with the standard library's
// `Codable`. Embedded Swift has no `Codable` and needs no state files, so there the two names below
// are empty. All hand-written conformances are here, so that no other file needs a condition.
#if hasFeature(Embedded)
  package protocol Savable {}
  package protocol SavedKey {}
#else
  package typealias Savable = Codable
  package typealias SavedKey = CodingKey

  /// Whole nanoseconds.
  extension Interval: Codable {
    @usableFromInline
    package init(from decoder: any Decoder) throws {
      self.init(nanoseconds: try decoder.singleValueContainer().decode(Int64.self))
    }

    @usableFromInline
    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(nanoseconds)
    }
  }

  /// Whole nanoseconds, or `null` for the distant future.
  extension Instant: Codable {
    /// Far beyond any session in a file, yet small enough that sums of a few do not overflow.
    private static let nanosecondsMax: Int64 = 4_000_000_000_000_000_000

    @usableFromInline
    package init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      guard !container.decodeNil() else {
        self = .distantFuture
        return
      }
      self.init(nanoseconds: try container.decode(Int64.self))
      guard (0...Self.nanosecondsMax).contains(nanoseconds) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "expected nanoseconds from 0 to \(Self.nanosecondsMax)")
      }
    }

    @usableFromInline
    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if self == .distantFuture {
        try container.encodeNil()
      } else {
        try container.encode(nanoseconds)
      }
    }
  }

  /// The waiting elements, as a list.
  extension FIFO: Codable where Element: Codable {
    public init(from decoder: any Decoder) throws { self.init(try Array(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try Array(waiting).encode(to: encoder) }
  }

  /// The waiting bytes, wherever they are in the ring.
  extension RingBuffer: Codable {
    package init(from decoder: any Decoder) throws {
      self.init()
      let bytes = try decoder.singleValueContainer().decode([UInt8].self)
      for byte in bytes where !append(byte) {
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: decoder.codingPath,
            debugDescription: "expected at most \(Self.capacity) bytes, found \(bytes.count)"))
      }
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(waiting)
    }
  }

  /// The one board, under the name of its firmware.
  extension Boards {
    private enum Key: String, CodingKey {
      case classic, buzzer, guarded
    }

    private struct Saved<S: Sketch & Codable>: Codable {
      var _0: Board<S>
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      guard let key = values.allKeys.first, values.allKeys.count == 1 else {
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: decoder.codingPath,
            debugDescription: "expected one board, found \(values.allKeys.count)"))
      }
      switch key {
      case .classic:
        firmware = .classic
        classic = try values.decode(Saved.self, forKey: key)._0
      case .buzzer:
        firmware = .buzzer
        buzzer = try values.decode(Saved.self, forKey: key)._0
      case .guarded:
        firmware = .guarded
        guarded = try values.decode(Saved.self, forKey: key)._0
      }
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      try values.encodeIfPresent(classic.map { Saved(_0: $0) }, forKey: .classic)
      try values.encodeIfPresent(buzzer.map { Saved(_0: $0) }, forKey: .buzzer)
      try values.encodeIfPresent(guarded.map { Saved(_0: $0) }, forKey: .guarded)
    }
  }

  /// The usual abbreviation.
  extension LineFormat: Codable {
    package init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      guard let format = LineFormat(try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "expected a format such as 8N1")
      }
      self = format
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(description)
    }
  }

  extension Sender {
    package init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        baud: try values.decode(Int.self, forKey: .baud),
        format: try values.decodeIfPresent(LineFormat.self, forKey: .format),
        queue: try values.decode(FIFO<Record>.self, forKey: .queue),
        bytes: try values.decode([UInt8].self, forKey: .bytes),
        sent: try values.decode(Int.self, forKey: .sent),
        sendingBaud: try values.decode(Int.self, forKey: .sendingBaud),
        sendingFormat: try values.decodeIfPresent(LineFormat.self, forKey: .sendingFormat),
        faults: try values.decodeIfPresent([Int].self, forKey: .faults),
        low: try values.decodeIfPresent(Interval.self, forKey: .low),
        lastBreak: try values.decodeIfPresent(Break.self, forKey: .lastBreak),
        clock: try values.decode(ByteClock.self, forKey: .clock))
    }
  }
#endif
