import Guarded
import Testing
import Turret

@Suite struct ServoPulseTests {
  @Test(
    "the chip's 16-bit arithmetic is the servo library's, for every degree",
    arguments: 0...UInt8(180))
  func same(_ degrees: UInt8) {
    #expect(ServoPulse.microseconds(of: degrees) == ServoLibrary.pulse(writing: Int16(degrees)))
  }
}
