import AVR
import Devices

/// The receive ring of Arduino's core in a program's memory: the object `Serial` of class
/// `HardwareSerial`.
///
/// It is found without symbols, and so in a `.hex` too, by the six pointers to the registers of
/// USART0 with which its data begin. A flag follows, then the ring's head, where the interrupt puts
/// the next byte, then its tail, which changes whenever the program takes a byte.
struct SerialRing: Hashable {
  /// The addresses of UBRR0H, UBRR0L, UCSR0A, UCSR0B, UCSR0C and UDR0 (data sheet, "Register
  /// Summary"), each as two bytes, the lower one first.
  private static let pointers: [UInt8] = [0xC5, 0xC4, 0xC0, 0xC1, 0xC2, 0xC6].flatMap { [$0, 0] }
  /// The offset of the head from the first pointer, and of the tail, which follows it.
  private static let headOffset: UInt16 = 13
  private static let tailOffset: UInt16 = 14
  /// The ring's size; a sketch can be built with another.
  private static let size: UInt8 = 64
  private static let memory: Range<UInt16> = 0x100..<0x900

  let head: UInt16
  /// The address of the tail, which is the next.
  let tail: UInt16

  /// Finds the ring; nil if there is no such object, or it has not been set up.
  init?(in chip: ATmega328P) {
    let last = Self.memory.upperBound - Self.tailOffset - 1
    for address in Self.memory.lowerBound...last where chip[data: address] == Self.pointers[0] {
      let isHere = Self.pointers.indices.allSatisfy {
        chip[data: address + UInt16($0)] == Self.pointers[$0]
      }
      if isHere {
        head = address + Self.headOffset
        tail = address + Self.tailOffset
        return
      }
    }
    return nil
  }

  /// The number of bytes in the ring, if it has the usual size.
  func unreadCount(in chip: ATmega328P) -> Int {
    Int(((chip[data: head] ?? 0) &- (chip[data: tail] ?? 0)) & (Self.size - 1))
  }
}
