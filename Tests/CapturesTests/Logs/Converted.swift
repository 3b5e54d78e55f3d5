import Captures
import Sketches
import Traces

/// A log converted in memory, for comparison with what was expected.
struct Converted {
  var capture: Capture
  /// One line for each event: the time in seconds, the kind, and bytes as text.
  var lines: [String] = []

  init(_ bytes: [UInt8], _ options: CaptureOptions = .init(), named name: String = "log") throws {
    try self.init([CaptureFile(name: name, bytes: bytes)], options)
  }

  init(_ text: String, _ options: CaptureOptions = .init()) throws {
    try self.init(Array(text.utf8), options)
  }

  init(_ files: [CaptureFile], _ options: CaptureOptions = .init()) throws {
    let capture = try Capture(files, options)
    var lines: [String] = []
    try capture.read { (event) throws(CaptureError) in lines.append(Self.line(event)) }
    self.capture = capture
    self.lines = lines
  }

  private static func line(_ event: Event) -> String {
    let time = String(shortest: event.time - .zero)
    switch event.kind {
    case .receive(let bytes): return "\(time) rx \(text(bytes))"
    case .output(.transmit(let byte)): return "\(time) tx \(text([byte]))"
    case .baud(let baud): return "\(time) baud \(baud)"
    default: return "\(time) \(event.text)"
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    bytes.map { (0x21...0x7e).contains($0) ? String(Unicode.Scalar($0)) : "\\" + hex($0) }.joined()
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

/// Returns options changed by a function.
func options(_ change: (inout CaptureOptions) -> Void) -> CaptureOptions {
  var options = CaptureOptions()
  change(&options)
  return options
}
