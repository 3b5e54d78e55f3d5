import Devices
import Testing

@testable import ChipDevice

struct SpeedTests {
  /// The speeds that UBRR can set from 16 MHz, according to the data sheet's table 19-12.
  @Test(arguments: [
    (9_615, 9_600), (117_647, 115_200), (57_143, 57_600), (58_824, 57_600), (250_000, 250_000),
    (1_000_000, 1_000_000), (2_404, 2_400), (31_250, 31_250), (100_000, 100_000),
    (222_222, 222_222),
  ])
  func `A speed within 3 % of a usual one is that one`(set: Int, speed: Int) {
    #expect(AVRProgram.usualSpeed(near: set) == speed)
  }
}
