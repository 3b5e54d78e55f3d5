import Engine
import Platform
import Sketches
import SystemPackage
import Traces

/// The FIFO or file of --inputs, whose reads never block.
final class PinInputs {
  /// The maximum number of bytes read in one turn.
  private static let readMax = 1 << 14

  private let file: FileDescriptor
  private var lines: PinInputLines
  /// Whether there is nothing more to read.
  private var isAtEnd = false

  init(_ path: String) throws(Failure) {
    do {
      // Opened for writing too, so that a FIFO does not end when its writer leaves.
      file = try FileDescriptor.open(path, .readWrite, options: [.nonBlocking, .closeOnExec])
    } catch {
      throw Failure(
        .noInput,
        "\(path): error: cannot be read: \(Errno.of(error)); create it with mkfifo")
    }
    lines = PinInputLines(path: path)
  }

  deinit { try? file.close() }

  /// Becomes readable when something has arrived; nil if nothing more will.
  var descriptor: FileDescriptor? { isAtEnd ? nil : file }

  /// Returns what has arrived since the last call.
  func look() -> [PinInputLines.Arrival] {
    guard !isAtEnd else { return [] }
    var bytes = [UInt8](repeating: 0, count: Self.readMax)
    do {
      let count = try bytes.withUnsafeMutableBytes {
        try file.read(into: $0, retryOnInterrupt: true)
      }
      isAtEnd = count == 0
      return lines.take(bytes[..<count])
    } catch Errno.wouldBlock {
      return []
    } catch {
      isAtEnd = true
      return [.mistake("--inputs can no longer be read: \(error)")]
    }
  }
}

/// The lines of --inputs. Each is an input as in a trace, with or without a time.
struct PinInputLines: Hashable, Sendable {
  enum Arrival: Hashable, Sendable {
    case input(BoardInput)
    /// Why a line is ignored.
    case mistake(String)
  }

  private static let expected =
    "expected an input, for example [\"set\", \"D2\", 1], [\"analog\", \"A0\", 2.5] or "
    + "[\"part\", \"hc-sr04@D7:D8\", 0.35]"

  /// For messages.
  private let path: String
  private var lines = APILines()
  private var number = 0

  init(path: String) { self.path = path }

  /// Takes more bytes. Returns what the complete lines contain.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [Arrival] {
    lines.take(bytes).map { line in
      number += 1
      guard case .text(let text) = line else {
        return mistake("expected a line of at most \(APILines.lengthMax) bytes")
      }
      return parse(text)
    }
  }

  private func mistake(_ message: String) -> Arrival {
    .mistake("\(path): input \(number) is ignored: \(message)")
  }

  private func parse(_ text: [UInt8]) -> Arrival {
    do throws(TraceError) {
      let event = try Event(untimed: text, path: path)
      guard case .input(let input) = event.kind else { return mistake(Self.expected) }
      return .input(input)
    } catch {
      return mistake("column \(error.column): \(error.message)")
    }
  }
}

/// The view's keys 1 to 9. Each changes the level of one of the pins of --set.
struct PinKeys: Hashable, Sendable {
  private static let countMax = 9
  /// In the order of the keys.
  private var pins: [BoardPin] = []
  private var isHigh: [Bool] = []

  init(_ inputs: [BoardInput]) {
    for case .level(let pin, let isHigh) in inputs where !pins.contains(pin) {
      guard pins.count < Self.countMax else { return }
      pins.append(pin)
      self.isHigh.append(isHigh)
    }
  }

  /// Returns the input that a key causes; nil if the key has no pin.
  mutating func press(_ key: UInt8) -> BoardInput? {
    let index = Int(key) - Int(UInt8(ascii: "1"))
    guard pins.indices.contains(index) else { return nil }
    isHigh[index].toggle()
    return .level(pins[index], isHigh[index])
  }

  static func notice(_ input: BoardInput) -> String {
    guard case .level(let pin, let isHigh) = input else { return "" }
    return "\(pin.name) is now \(isHigh ? 1 : 0)."
  }

  /// Returns the view's description of the keys; nil if there are none.
  static func help(_ inputs: [BoardInput]) -> String? {
    let keys = PinKeys(inputs)
    guard !keys.pins.isEmpty else { return nil }
    return keys.pins.enumerated().map { "\($0 + 1): \($1.name)" }.joined(separator: ", ")
  }
}
