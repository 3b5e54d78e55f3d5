import AVR

/// A sketch whose main loop hangs when it receives a certain byte.
///
/// No sender can make it hang, so one instruction is replaced by a jump to itself: one that the
/// main loop executes only for this byte. Interrupts continue.
struct Hang {
  private static let jumpToItself: [UInt8] = [0xFF, 0xCF]

  let byte: UInt8
  /// The replaced instruction's byte address.
  let address: UInt16

  init?(of image: ProgramImage, at byte: UInt8, unlike others: String) {
    self.byte = byte
    let elsewhere = Set(others.utf8.flatMap { Self.path(image, taking: $0) })
    guard let address = Self.path(image, taking: byte).first(where: { !elsewhere.contains($0) })
    else { return nil }
    self.address = address
  }

  func flash(of image: ProgramImage) -> [(address: Int, bytes: [UInt8])] {
    image.flash + [(address: Int(address), bytes: Self.jumpToItself)]
  }

  /// The path of the processor in the 2 ms after a byte.
  private static func path(_ image: ProgramImage, taking byte: UInt8) -> [UInt16] {
    var chip = ATmega328P(flash: image.flash)
    chip.run(until: 1_000_000)
    chip.receive(byte)
    var path: [UInt16] = []
    while chip.cycle < 1_032_000 {
      path.append(chip.programCounter)
      chip.run(until: chip.cycle + 1)
    }
    return path
  }
}
