import AVR
import Devices
import Sketches
import Traces

// What a debugger shows of a board, as lines. Showing it changes nothing.
extension AVRDevice {
  /// `D0 high  D1 low  ...`
  package var pinLines: [String] {
    let pins = (0..<Findings.pinCount).compactMap { number -> String? in
      guard let pin = Pin(arduino: number), let name = BoardPin(arduino: number)?.name else {
        return nil
      }
      return "\(name) \(chip.level(of: pin) ? "high" : "low")"
    }
    return [Array(pins.prefix(8)), Array(pins[8..<14]), Array(pins.dropFirst(14))].map {
      $0.joined(separator: "  ")
    }
  }

  /// What each servo was told last.
  package var servoLines: [String] {
    let servos = reader.found.servos
    let told = (0..<Findings.pinCount).compactMap { number -> String? in
      let pulse = servos[number].reported
      guard pulse > 0, let name = BoardPin(arduino: number)?.name else { return nil }
      return "\(name): \(pulse) us" + (servos.pulsing.contains(number) ? "" : ", detached")
    }
    return told.isEmpty ? ["No servo has been told anything that can be seen."] : told
  }

  /// USART0, and the bytes that have arrived and wait for the program.
  package var serialLines: [String] {
    guard let baud = chip.usartBaud else { return ["The serial port is off."] }
    var lines = ["\(baud) baud, \(LineFormat(chip.usartFormat))"]
    lines.append("\(String(counting: chip.unreadCount, "byte")) in the UART")
    if let ring = SerialRing(in: chip) {
      let bytes = ring.unread(in: chip)
      let text = bytes.isEmpty ? "" : ": \(ByteText.quoted(bytes))"
      lines.append("\(String(counting: bytes.count, "byte")) in the program's ring\(text)")
    }
    return lines
  }
}

extension SerialRing {
  /// The bytes that wait in the ring, the oldest first. They are behind the head and tail of the
  /// other ring, which follow the tail.
  fileprivate func unread(in chip: ATmega328P) -> [UInt8] {
    let first = chip[data: tail] ?? 0
    return (0..<unreadCount(in: chip)).map {
      chip[data: tail + 3 + UInt16((Int(first) + $0) & 63)] ?? 0
    }
  }
}
