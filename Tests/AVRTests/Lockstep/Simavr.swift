@testable import AVR

/// The CPU of simavr's ATmega328P. Its I/O registers read the values of `source`.
struct Simavr: ~Copyable {
  /// Answers the program's reads of I/O registers.
  final class Source {
    var read: (UInt16) -> UInt8 = { _ in 0 }
  }

  /// The state that is compared after every instruction.
  struct State {
    var cycle: UInt64
    var pc: UInt16
    var sp: UInt16
    var sreg: UInt8
    var registers: [UInt8]
  }

  let source = Source()
  private let library: SimavrLibrary
  private let handle: SimavrLibrary.Handle

  init() throws(SimavrLibrary.Unavailable) {
    let library = try SimavrLibrary()
    let read: SimavrLibrary.Read = { context, address in
      Unmanaged<Source>.fromOpaque(context!).takeUnretainedValue().read(address)
    }
    guard let handle = library.create(read, Unmanaged.passUnretained(source).toOpaque()) else {
      throw SimavrLibrary.Unavailable(description: "simavr knows no ATmega328P")
    }
    self.library = library
    self.handle = handle
  }

  deinit { library.destroy(handle) }

  func program(_ word: UInt16, at wordAddress: UInt16) {
    library.program(handle, wordAddress, word)
  }

  /// Copies registers and SRAM from another chip's data space.
  func load(_ data: [UInt8]) { library.load(handle, data) }

  func step() { library.step(handle) }

  func interrupt(to vector: UInt16, at cycle: UInt64) { library.interrupt(handle, vector, cycle) }

  /// Continues at another address, to correct known faults of simavr.
  func correct(to pc: UInt16, at cycle: UInt64) { library.correct(handle, pc, cycle) }

  /// Compares registers, SREG, SP, PC and cycle count.
  func agrees(with chip: borrowing ATmega328P) -> Bool {
    library.agrees(
      handle, chip.data, chip.core.sreg, chip.core.sp, chip.core.byteAddress, chip.core.cycle) != 0
  }

  var state: State {
    withUnsafeTemporaryAllocation(byteCount: 48, alignment: 8) { buffer in
      library.readState(handle, buffer.baseAddress!)
      return State(
        cycle: buffer.load(as: UInt64.self),
        pc: buffer.load(fromByteOffset: 8, as: UInt16.self),
        sp: buffer.load(fromByteOffset: 10, as: UInt16.self),
        sreg: buffer[12], registers: Array(buffer[13..<45]))
    }
  }

  /// The first address of SRAM at which the two hold different bytes.
  func firstDifference(inSRAMOf chip: borrowing ATmega328P) -> Int? {
    let address = library.compareSRAM(handle, chip.data)
    return address < 0 ? nil : Int(address)
  }
}
