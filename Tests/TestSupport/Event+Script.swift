import Sketches
import Traces

extension [Event] {
  /// A sender's events from a script such as `"1500 X45. | 2000 L"`: milliseconds and bytes,
  /// or a word for another input and its value: `"1500 break 20"` lasts 20 ms.
  package init(script: String) {
    self = script.split(separator: "|").map { record in
      let words = record.split(separator: " ")
      let time = Instant.zero + .microseconds(Int64(Double(words[0])! * 1_000))
      switch words.dropFirst().first ?? "" {
      case "reset": return Event(time, .reset(.milliseconds(Int64(words[2])!)))
      case "format": return Event(time, .format(LineFormat(String(words[2]))!))
      case "break":
        let nanoseconds = Int64(Double(words[2])! * 1_000_000)
        return Event(time, .senderBreak(.nanoseconds(nanoseconds)))
      case "baud": return Event(time, .baud(Int(words[2])!))
      default:
        return Event(time, .receive(words.dropFirst().flatMap { [UInt8]($0.utf8) }))
      }
    }
  }
}
