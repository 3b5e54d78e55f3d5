import TestSupport
import Testing

@testable import Serial

struct TelnetDecoderTests {
  /// All items in bytes that are given in pieces; adjacent data is joined.
  static func items(
    _ pieces: [[UInt8]], isBinary: Bool = true
  ) -> (items: [TelnetDecoder.Item], dropped: Int) {
    var decoder = TelnetDecoder()
    decoder.isBinary = isBinary
    var items: [TelnetDecoder.Item] = []
    for piece in pieces {
      var rest = piece[...]
      while let item = decoder.next(from: &rest) {
        if case .data(let new) = item, case .data(let old) = items.last {
          items[items.count - 1] = .data(old + new)
        } else {
          items.append(item)
        }
      }
      #expect(rest.isEmpty)
    }
    return (items, decoder.droppedCount)
  }

  @Test(
    arguments: [
      ([88, 255, 255, 57], [TelnetDecoder.Item.data([88, 255, 57])]),
      ([255, 251, 0, 65], [.option(.will, 0), .data([65])]),
      ([65, 255, 253, 44], [.data([65]), .option(.request, 44)]),
      ([255, 254, 255], [.option(.forbid, 255)]),
      ([255, 250, 44, 1, 0, 0, 255, 255, 0, 255, 240], [.subnegotiation(44, [1, 0, 0, 255, 0])]),
      ([255, 246, 255, 241], [.command(246), .command(241)]),
      ([255, 240, 66], [.command(240), .data([66])]),
    ] as [([UInt8], [TelnetDecoder.Item])])
  func `Data, options and subnegotiations are told apart`(
    _ bytes: [UInt8], _ expected: [TelnetDecoder.Item]
  ) {
    #expect(Self.items([bytes]).items == expected)
  }

  @Test func `A subnegotiation that is empty, too long or broken off is dropped and counted`() {
    let long = [255, 250, 44] + [UInt8](repeating: 7, count: 1_000) + [255, 240]
    let (items, dropped) = Self.items([
      [255, 250, 255, 240], long, [255, 250, 44, 5, 255, 251, 3], [65],
    ])
    #expect(items == [.option(.will, 3), .data([65])])
    #expect(dropped == 3)
  }

  @Test func `A 0 after a carriage return is dropped unless the connection is binary`() {
    let bytes: [UInt8] = [65, 13, 0, 66, 13, 10, 0, 13, 0, 0]
    #expect(Self.items([bytes]).items == [.data(bytes)])
    #expect(
      Self.items([bytes], isBinary: false).items == [.data([65, 13, 66, 13, 10, 0, 13, 0])])
  }

  @Test(arguments: 0..<200)
  func `Random bytes give the same items however they are split`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = RandomTelnet.bytes(Int.random(in: 0...400, using: &random), using: &random)
    let isBinary = Bool.random(using: &random)
    let whole = Self.items([bytes], isBinary: isBinary)
    let pieces = RandomTelnet.pieces(of: bytes, using: &random)
    let split = Self.items(pieces, isBinary: isBinary)
    #expect(whole == split, "seed \(seed)")
  }

  @Test(arguments: 0..<200)
  func `What the encoder writes, the decoder reads`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let isBinary = Bool.random(using: &random)
    let values: [UInt8] = [0, 10, 13, 65, 240, 250, 255]
    let count = Int.random(in: 1...300, using: &random)
    // The last byte must not be a carriage return, whose 0 would only be sent with the next data.
    let data = (0..<count).map { _ in values.randomElement(using: &random) ?? 0 } + [65]
    var encoder = TelnetEncoder()
    encoder.isBinary = isBinary
    let pieces = RandomTelnet.pieces(of: data, using: &random).map { encoder.encode($0) }
    #expect(
      Self.items(pieces, isBinary: isBinary).items == [.data(data)], "seed \(seed)")
  }
}
