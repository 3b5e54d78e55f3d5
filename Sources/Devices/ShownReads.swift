/// How much a device reveals about how its program takes received bytes.
package enum ShownReads: Hashable, Sendable {
  /// Nothing.
  case none
  /// When the program reads a byte from the UART's data register. An interrupt can do that long
  /// before the program uses the byte.
  case register
  /// When the program takes a byte from the ring into which its interrupt puts them.
  case ring
}
