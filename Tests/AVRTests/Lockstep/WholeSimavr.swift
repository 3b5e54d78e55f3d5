@testable import AVR

/// All of simavr's ATmega328P. It receives bytes and nothing else.
struct WholeSimavr: ~Copyable {
  private let library: SimavrLibrary
  private let handle: SimavrLibrary.Handle

  init(_ words: [UInt16]) throws(SimavrLibrary.Unavailable) {
    let library = try SimavrLibrary()
    let bytes = words.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    guard let handle = library.createWhole(bytes, UInt32(bytes.count)) else {
      throw SimavrLibrary.Unavailable(description: "simavr knows no ATmega328P")
    }
    self.library = library
    self.handle = handle
  }

  deinit { library.destroyWhole(handle) }

  struct Ended: Error {}

  /// Runs to a cycle.
  func run(until cycle: UInt64) throws(Ended) {
    guard library.runWhole(handle, cycle) != 0 else { throw Ended() }
  }

  /// Sends a byte whose stop bit ends at `cycle`, in order of time.
  func send(_ byte: UInt8, endingAt cycle: UInt64) { library.sendWhole(handle, byte, cycle) }

  var events: [SeenEvent] {
    (0..<library.countWhole(handle)).map { index in
      withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { buffer in
        library.readWhole(handle, index, buffer.baseAddress!)
        let value = buffer.load(fromByteOffset: 8, as: UInt32.self)
        let isCompare = buffer.load(fromByteOffset: 12, as: UInt32.self) != 0
        return SeenEvent(
          cycle: buffer.load(as: UInt64.self),
          // Timer 1 counts half microseconds, which are 8 cycles, in all programs here.
          what: isCompare ? .width((value + 1) * 8) : .level(value != 0))
      }
    }
  }
}
