import Guarded
import Sketches
import Testing

@Suite struct ServoPulseTests {
  @Test(arguments: 0...UInt8(180))
  func `The chip's 16-bit arithmetic matches the servo library for every degree`(_ degrees: UInt8) {
    #expect(ServoPulse.microseconds(of: degrees) == ServoLibrary.pulse(writing: Int16(degrees)))
  }
}
