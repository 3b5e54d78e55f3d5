import AVR
import Foundation
import Testing

@Suite("The watchdog of guarded")
struct WatchdogTests {
  /// 60 ms nominally, which is 8 192 periods of 128 kHz (data sheet, "Watchdog Timer").
  private static let timeOut = 64 * GuardedBoard.cyclesPerMillisecond

  private struct Stage {
    var board: GuardedBoard
    private(set) var resets: [UInt64] = []
    private(set) var writes: [(cycle: UInt64, microseconds: UInt32)] = []
    /// The last rising edge of the pin.
    private(set) var lastPulse: UInt64 = 0

    init(hangingAt byte: Character, bootloader: ProgramImage?) throws {
      let image = try SketchImage.prebuilt("guarded")
      let hang = try #require(Hang(of: image, at: byte.asciiValue!, unlike: "OC?VLX5.j"))
      let boot = bootloader?.flash ?? []
      let chip = ATmega328P(
        flash: hang.flash(of: image) + boot, bootloader: boot.map(\.address).min())
      board = GuardedBoard(chip, landmarks: nil)
      // A bootloader waits for a second at power-on.
      run(forMilliseconds: bootloader == nil ? 50 : 2_500)
      resets = []
      writes = []
    }

    mutating func run(forMilliseconds duration: UInt64) {
      board.run(for: duration * GuardedBoard.cyclesPerMillisecond)
      for event in board.takeEvents() {
        if case .reset(let cause) = event.event {
          #expect(cause == .watchdog || event.cycle == 0)
          resets.append(event.cycle)
        }
        if let width = event.servoCycles { writes.append((event.cycle, width / 16)) }
        if event.servoPin == true { lastPulse = event.cycle }
      }
    }

    mutating func send(_ text: String) {
      board.send(text)
      run(forMilliseconds: 20)
    }
  }

  /// A bootloader in Intel HEX, optiboot for example.
  private static let bootloader = ProcessInfo.processInfo.environment["SENTRY_BOOTLOADER"]

  @Test
  func `A hung sketch is reset after 64 ms and starts again at 90 degrees`() throws {
    try hangTwice(bootloader: nil)
  }

  @Test(.enabled(if: bootloader != nil))
  func `A hung sketch is also reset behind a bootloader that starts it at once`() throws {
    try hangTwice(bootloader: try SketchImage.read(URL(filePath: Self.bootloader!)))
  }

  private func hangTwice(bootloader: ProgramImage?) throws {
    var stage = try Stage(hangingAt: "T", bootloader: bootloader)
    stage.send("X45.L")
    #expect(stage.writes.first?.microseconds == 1008)
    stage.run(forMilliseconds: 300)
    #expect(stage.resets == [])

    for count in 1...2 {
      stage.send("X30.T")
      let hung = try #require(stage.board.times.last).arrival
      stage.run(forMilliseconds: 200)
      #expect(stage.resets.count == count)
      let reset = try #require(stage.resets.last)
      // It was fed for the last time just before it took the byte.
      #expect((Self.timeOut...Self.timeOut + 3_200).contains(reset - hung + 1_600))
      let aimed = try #require(stage.writes.last)
      #expect(aimed.microseconds == 1472)
      #expect(aimed.cycle > reset)
      print(
        "watchdog: reset \((Double(reset) - Double(hung)) / 16_000) ms after the byte it hung at,",
        "aimed at 90 \(Double(aimed.cycle - reset) / 16) us later")

      // There is no loop of resets, and pulses continue.
      stage.run(forMilliseconds: 5_000)
      #expect(stage.resets.count == count)
      #expect(stage.board.cycle - stage.lastPulse <= 320_000)
      stage.send("X45.")
      #expect(stage.writes.last?.microseconds == 1008)
    }
    #expect(stage.board.chip.fault == nil)
  }

  @Test
  func `Five idle minutes and the longest answers cause no reset`() throws {
    let image = try SketchImage.prebuilt("guarded")
    var board = GuardedBoard(ATmega328P(flash: image.flash), landmarks: nil)
    board.run(for: 300_000 * GuardedBoard.cyclesPerMillisecond)
    board.send("VL????????")
    board.run(for: 5_000 * GuardedBoard.cyclesPerMillisecond)
    let resets = board.takeEvents().filter { if case .reset = $0.event { true } else { false } }
    #expect(resets.count <= 1)
  }
}
