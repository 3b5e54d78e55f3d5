/// The member `metadata` of a sigrok recording: lines `key=value` in the sections `[global]` and
/// `[device 1]`. Older versions write spaces around `=`, and ` trigger1 = 0` for a probe's trigger.
///
/// Source of the format: libsigrok 0.2 to 0.5.
struct SigrokMetadata: Hashable, Sendable {
  struct Probe: Hashable, Sendable {
    var name: String
    var bit: Int
  }

  /// The version of the program that wrote the file.
  private(set) var version: String?
  private(set) var captureFile: String?
  /// Samples a second; nil if it is missing or cannot be read.
  private(set) var rate: Int64?
  /// Bytes per sample.
  private(set) var unit: Int?
  private(set) var analogCount = 0
  /// The logic channels, in the order of their bits.
  private(set) var probes: [Probe] = []

  init(_ text: String) {
    for line in text.split(whereSeparator: { $0.isNewline }) {
      // Only the first device is converted.
      if line.hasPrefix("[device"), !line.hasPrefix("[device 1]") { break }
      guard let equals = line.firstIndex(of: "=") else { continue }
      let key = Self.trimmed(line[..<equals])
      let value = String(Self.trimmed(line[line.index(after: equals)...]))
      switch key {
      case "sigrok version": version = value
      case "capturefile": captureFile = value
      case "samplerate": rate = LogicRecording.rate(value)
      case "unitsize": unit = Int(value)
      case "total analog": analogCount = max(0, Int(value) ?? 0)
      default:
        guard key.hasPrefix("probe"), let number = Int(key.dropFirst(5)), number > 0,
          number <= LogicLevels.channelsMax
        else { continue }
        probes.append(Probe(name: value, bit: number - 1))
      }
    }
    probes.sort { $0.bit < $1.bit }
    let bits = probes.map { $0.bit }
    // A bit that is named twice keeps its first name.
    probes = probes.indices.filter { $0 == 0 || bits[$0 - 1] != bits[$0] }.map { probes[$0] }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " || text.first == "\t" { text = text.dropFirst() }
    while text.last == " " || text.last == "\t" { text = text.dropLast() }
    return text
  }
}
