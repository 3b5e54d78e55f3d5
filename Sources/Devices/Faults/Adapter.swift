import Sketches
package import Traces

/// What stands between a computer and the board's serial port, with its buffers and habits. Bytes
/// to the board pass it in packets, and wait in its buffer for the wire.
package struct Adapter: Hashable, Sendable {
  /// Its name. Its `isAdapter` is true.
  package let place: FaultStrike.Place
  /// How many bytes wait for the wire at most.
  var bufferSize = 128
  /// How many bytes of a write it takes at once, and the least time between two of these packets.
  var packetSize = 64
  var interval = Interval.milliseconds(1)
  /// Whether packets come only at multiples of `interval`, at a phase that is drawn once.
  var hasSlots = true
  /// Whether bytes that find the buffer full are lost. If not, the computer is held back.
  var overflows = false
  /// The chance that a packet is lost, unless the spec states one; nil if none can be.
  package var packetLoss: Double?
  package let summary: String
  package let losses: String
  package let source: String

  package static let all = [
    Adapter(
      place: .ft232r,
      summary:
        "FTDI FT232R: packets of 64 bytes in slots of 1 ms, a buffer of 128 bytes to the board",
      losses: "loses none to the board, because USB holds the computer back; from the board when "
        + "the computer does not read for long: 256 bytes wait, sent after 16 ms or 62 bytes",
      source: "FTDI data sheet FT232R, FIFO buffers; AN232B-04, latency timer; USB 2.0, 8.4.3"),
    Adapter(
      place: .ch340, bufferSize: 64, packetSize: 32,
      summary: "WCH CH340: packets of 32 bytes in slots of 1 ms, a buffer of 64 (assumed)",
      losses: "loses none to the board as far as is known: its data sheet states no buffer; "
        + "reports of lost bytes on clones are what burst stands for",
      source: "its USB descriptor (bulk endpoints of 32 bytes); USB 2.0, 8.4.3"),
    Adapter(
      place: .cp2102, bufferSize: 640,
      summary:
        "Silicon Labs CP2102: packets of 64 bytes in slots of 1 ms, a buffer of 640 bytes",
      losses: "loses none to the board, because USB holds the computer back; from the board when "
        + "its 576 bytes are full",
      source: "Silicon Labs data sheet CP2102/9, features; USB 2.0, 8.4.3"),
    Adapter(
      place: .usb16u2,
      summary: "the Uno's ATmega16U2: packets of 64 bytes in slots of 1 ms, a ring of 128",
      losses: "loses none to the board, because its firmware takes a byte only if its ring has "
        + "room; from the board it overruns a ring of 128 bytes, sent after 4.1 ms or above 96 "
        + "bytes",
      source: "ArduinoCore-avr, firmwares/atmegaxxu2/arduino-usbserial; USB 2.0, 8.4.3"),
    Adapter(
      place: .hm10, bufferSize: 64, packetSize: 20, interval: .microseconds(7_500),
      packetLoss: 0.01,
      summary:
        "HM-10, Bluetooth LE: packets of 20 bytes, one in each connection interval of 7.5 ms",
      losses: "loses packets of 20 bytes to the board if the phone writes without response; "
        + "loss=1% is assumed",
      source:
        "Bluetooth Core 4.0, volume 3 part F 3.2.9 and volume 6 part B 4.5.1; HM-10 data sheet"),
    Adapter(
      // A byte at 115 200 bits a second.
      place: .bridge, bufferSize: 63, packetSize: 1, interval: ByteClock.byteTime(baud: 115_200),
      hasSlots: false, overflows: true,
      summary:
        "an Arduino that forwards a port at 115200 baud, without flow control, from a ring of 63",
      losses: "loses each byte to the board that finds 63 waiting for the slower port",
      source: "ArduinoCore-avr, HardwareSerial.h: a ring of 64 bytes, one of them unused"),
  ]
}
