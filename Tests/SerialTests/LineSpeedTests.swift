import Platform
import SystemPackage
import Testing

@testable import Serial

@Suite struct LineSpeedTests {
  /// 13 and 4 098 are codes of other speeds on Linux.
  @Test(arguments: [1, 13, 110, 300, 4_098, 9_600, 31_250, 74_880, 115_200, 250_000, 2_000_000])
  func `A speed stays the same when other settings change`(_ speed: Int) throws {
    let pty = try PseudoTerminal.make(baud: speed)
    let descriptor = pty.descriptor.rawValue
    #expect(LineSpeed.of(descriptor) == speed)
    try pty.makeRaw()
    #expect(LineSpeed.of(descriptor) == speed)
    #expect(LineSpeed.set(19_200, on: descriptor))
    #expect(LineSpeed.of(descriptor) == 19_200)
    #expect(LineSpeed.set(speed, on: descriptor))
    #expect(LineSpeed.of(descriptor) == speed)
  }

  @Test(arguments: [0, -9_600, Int(UInt32.max) + 1])
  func `An invalid speed is refused`(_ speed: Int) throws {
    let pty = try PseudoTerminal.make(baud: 9_600)
    #expect(!LineSpeed.set(speed, on: pty.descriptor.rawValue))
    #expect(LineSpeed.of(pty.descriptor.rawValue) == 9_600)
  }

  #if canImport(Glibc)
    @Test(arguments: [(300, B300), (9_600, B9600), (115_200, B115200), (2_000_000, B2000000)])
    func `A standard speed is also visible as its termios code`(
      _ row: (speed: Int, code: Int32)
    ) throws {
      let pty = try PseudoTerminal.make(baud: 250_000)
      #expect(LineSpeed.set(row.speed, on: pty.descriptor.rawValue))
      var settings = termios()
      #expect(tcgetattr(pty.descriptor.rawValue, &settings) == 0)
      #expect(cfgetospeed(&settings) == speed_t(row.code))
      #expect(cfgetispeed(&settings) == speed_t(row.code))
    }
  #endif

  @Test func `A descriptor that is not a terminal has no speed`() {
    #expect(LineSpeed.of(-1) == nil)
    #expect(!LineSpeed.set(9_600, on: -1))
  }
}
