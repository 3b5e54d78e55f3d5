import Testing

@testable import Sketches

@Suite struct ServoLibraryTests {
  @Test(
    arguments: [
      (90, 1_472), (45, 1_008), (1, 554), (0, 544), (180, 2_400), (-1, 544), (-32_768, 544),
      (181, 2_400), (543, 2_400), (544, 544), (999, 999), (2_400, 2_400), (2_401, 2_400),
      (32_767, 2_400),
    ] as [(Int16, UInt16)])
  func `Degrees are clamped and mapped, and a value of 544 or more is a pulse`(
    _ value: Int16, _ pulse: UInt16
  ) {
    #expect(ServoLibrary.pulse(writing: value) == pulse)
  }

  @Test(arguments: 0...UInt8(180))
  func `Reading back gives the degree that was written`(_ degrees: UInt8) {
    #expect(ServoLibrary.degrees(reading: ServoLibrary.pulse(writing: Int16(degrees))) == degrees)
  }
}
