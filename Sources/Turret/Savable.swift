// What a turret is made of can be written to a state's file and read again, by the standard
// library's `Codable`. Embedded Swift has no `Codable`, and needs no state's files: there the two
// names below mean nothing. All conformances that are written by hand are here, so that no other
// file asks what it is compiled for.
#if hasFeature(Embedded)
  package protocol Savable {}
  package protocol SavedKey {}
#else
  package typealias Savable = Codable
  package typealias SavedKey = CodingKey

  /// Whole nanoseconds.
  extension Interval: Codable {
    package init(from decoder: any Decoder) throws {
      self.init(nanoseconds: try decoder.singleValueContainer().decode(Int64.self))
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(nanoseconds)
    }
  }

  /// Whole nanoseconds; the distant future is `null`.
  extension Instant: Codable {
    /// No session that is read from a file comes near it, so that sums of a few are numbers still.
    private static let nanosecondsMax: Int64 = 4_000_000_000_000_000_000

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

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if self == .distantFuture {
        try container.encodeNil()
      } else {
        try container.encode(nanoseconds)
      }
    }
  }

  /// A list of what waits.
  extension FIFO: Codable where Element: Codable {
    public init(from decoder: any Decoder) throws { self.init(try Array(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try Array(waiting).encode(to: encoder) }
  }

  /// The bytes that wait, wherever in the ring they lie.
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

  extension Sender {
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        baud: try values.decode(Int.self, forKey: .baud),
        queue: try values.decode(FIFO<Record>.self, forKey: .queue),
        bytes: try values.decode([UInt8].self, forKey: .bytes),
        sent: try values.decode(Int.self, forKey: .sent),
        sendingBaud: try values.decode(Int.self, forKey: .sendingBaud),
        clock: try values.decode(ByteClock.self, forKey: .clock))
    }
  }
#endif
