import AVR
import Sketches

/// The bytes that USART0 receives and sends, and what the program does with those that it received.
struct ByteObserver: ChipObserver {
  /// A receive ring. The program writes to its tail when it takes a byte. It writes the tail to the
  /// head when it empties the ring, as `Serial.end()` does; a byte that is put into the ring never
  /// makes them equal.
  struct Ring: Hashable, Sendable {
    var addresses: SerialRing
    var tail: UInt8
  }

  /// Bytes read by code from this address on are the bootloader's; nil if there is none.
  private let bootSection: UInt16?
  /// Whether the bytes that USART0 sends are on another line than the host's.
  private let hidesUSART: Bool
  /// The receive ring of the program; nil if unknown.
  var ring: Ring?

  init(bootSection: UInt16?, hidesUSART: Bool) {
    self.bootSection = bootSection
    self.hidesUSART = hidesUSART
  }

  mutating func take(
    _ event: ChipEvent, at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    switch event {
    case .transmit(let byte, _):
      if !hidesUSART { found.put(.transmit(byte), at: cycle) }
    case .overrun(let byte):
      recorder.mark(.uartOverrun)
      found.put(.lost(byte, .uartOverrun), at: cycle)
    case .dropped(let byte, let hasParityError):
      // An interrupt of the program's own can obey a byte at once. Only Arduino's is known to drop
      // one for want of room.
      guard hasParityError || ring != nil else { return }
      let why: Output.Loss = hasParityError ? .parity : .ringFull
      recorder.lostRead(why)
      found.put(.lost(byte, why), at: cycle)
    case .received(let byte, let address):
      recorder.readUART(at: found.clock.instant(of: cycle), intoRing: ring != nil)
      guard let bootSection, address >= bootSection else { return }
      recorder.lostRead(.booting, .bootloader)
      found.put(.lost(byte, .booting), at: cycle)
    case .stored(let value, let address):
      if address == ring?.addresses.tail {
        ring?.tail = value
        recorder.tookFromRing(at: found.clock.instant(of: cycle))
      } else if address == ring?.addresses.head, value == ring?.tail {
        recorder.clearReads()
      }
    default: break
    }
  }

  mutating func restart(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {
    recorder.clearedRing()
  }
}
