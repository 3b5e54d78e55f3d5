import Traces
import Turret

/// The lines of --inputs. Each is a level or a voltage, as in a trace, with or without a time.
struct PinInputLines: Hashable, Sendable {
  enum Arrival: Hashable, Sendable {
    case input(BoardInput)
    /// Why a line is ignored.
    case mistake(String)
  }

  private static let expected =
    "expected a level or a voltage, for example [\"set\", \"D2\", 1] or [\"analog\", \"A0\", 2.5]"

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
