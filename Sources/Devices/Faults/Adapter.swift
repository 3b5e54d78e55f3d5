import Sketches
package import Traces

/// What stands between a computer and the board's serial port, with its buffers and habits. Bytes
/// to the board pass it in packets, and wait in its buffer for the wire.
package struct Adapter: Hashable, Sendable {
  /// Its name. Its `isAdapter` is true.
  package let place: FaultStrike.Place
  /// How many bytes wait for the wire at most.
  let bufferSize: Int
  /// How many bytes of a write it takes at once, and the least time between two of these packets.
  let packetSize: Int
  let interval: Interval
  /// Whether packets come only at multiples of `interval`, at a phase that is drawn once.
  let hasSlots: Bool
  /// Whether bytes that find the buffer full are lost. If not, the computer is held back.
  let overflows: Bool
  /// The chance that a packet is lost, unless the spec states one; nil if none can be.
  package let packetLoss: Double?

  /// All adapters.
  package static let all = FaultStrike.Place.allCases.filter { $0.isAdapter }.map { Adapter($0) }

  package init(_ place: FaultStrike.Place) {
    self.place = place
    var size = (buffer: 128, packet: 64)
    var interval = Interval.milliseconds(1)
    var (hasSlots, overflows) = (true, false)
    var loss: Double?
    switch place {
    case .ft232r, .usb16u2: break
    case .ch340: size = (64, 32)
    case .cp2102: size.buffer = 640
    case .hm10:
      size = (64, 20)
      interval = .microseconds(7_500)
      loss = 0.01
    case .bridge:
      size = (63, 1)
      // A byte at 115 200 bits a second.
      interval = ByteClock.byteTime(baud: 115_200)
      (hasSlots, overflows) = (false, true)
    case .wire, .wireBack, .network, .board, .supply: break
    }
    bufferSize = size.buffer
    packetSize = size.packet
    self.interval = interval
    self.hasSlots = hasSlots
    self.overflows = overflows
    packetLoss = loss
  }

  /// What it is, and what is simulated, in words.
  package var summary: String {
    switch place {
    case .ft232r:
      "FTDI FT232R: packets of 64 bytes in slots of 1 ms, a buffer of 128 bytes to the board"
    case .ch340: "WCH CH340: packets of 32 bytes in slots of 1 ms, a buffer of 64 (assumed)"
    case .cp2102:
      "Silicon Labs CP2102: packets of 64 bytes in slots of 1 ms, a buffer of 640 bytes"
    case .usb16u2: "the Uno's ATmega16U2: packets of 64 bytes in slots of 1 ms, a ring of 128"
    case .hm10:
      "HM-10, Bluetooth LE: packets of 20 bytes, one in each connection interval of 7.5 ms"
    case .bridge:
      "an Arduino that forwards a port at 115200 baud, without flow control, from a ring of 63"
    case .wire, .wireBack, .network, .board, .supply: ""
    }
  }

  /// Which bytes it can lose, in words.
  package var losses: String {
    switch place {
    case .ft232r:
      "loses none to the board, because USB holds the computer back; from the board when the "
        + "computer does not read for long: 256 bytes wait, sent after 16 ms or 62 bytes"
    case .ch340:
      "loses none to the board as far as is known: its data sheet states no buffer; reports of "
        + "lost bytes on clones are what burst stands for"
    case .cp2102:
      "loses none to the board, because USB holds the computer back; from the board when its 576 "
        + "bytes are full"
    case .usb16u2:
      "loses none to the board, because its firmware takes a byte only if its ring has room; from "
        + "the board it overruns a ring of 128 bytes, sent after 4.1 ms or above 96 bytes"
    case .hm10:
      "loses packets of 20 bytes to the board if the phone writes without response; loss=1% is "
        + "assumed"
    case .bridge: "loses each byte to the board that finds 63 waiting for the slower port"
    case .wire, .wireBack, .network, .board, .supply: ""
    }
  }

  /// Where the figures come from.
  package var source: String {
    switch place {
    case .ft232r: "FTDI data sheet FT232R, FIFO buffers; AN232B-04, latency timer; USB 2.0, 8.4.3"
    case .ch340: "its USB descriptor (bulk endpoints of 32 bytes); USB 2.0, 8.4.3"
    case .cp2102: "Silicon Labs data sheet CP2102/9, features; USB 2.0, 8.4.3"
    case .usb16u2: "ArduinoCore-avr, firmwares/atmegaxxu2/arduino-usbserial; USB 2.0, 8.4.3"
    case .hm10:
      "Bluetooth Core 4.0, volume 3 part F 3.2.9 and volume 6 part B 4.5.1; HM-10 data sheet"
    case .bridge: "ArduinoCore-avr, HardwareSerial.h: a ring of 64 bytes, one of them unused"
    case .wire, .wireBack, .network, .board, .supply: ""
    }
  }
}
