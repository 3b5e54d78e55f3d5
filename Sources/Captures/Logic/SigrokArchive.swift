import Traces

/// The format of sigrok and PulseView, `.sr`: a zip with a text file, `metadata`, and the samples
/// of the logic channels in `logic-1`, or split into `logic-1-1`, `logic-1-2` and so on.
struct SigrokArchive {
  private static let metadataMax: Int64 = 1 << 20
  /// How many bytes of samples are read at a time.
  private static let pieceLength = 256 << 10

  private let file: CaptureFile
  private let inflate: Inflation?
  private var parts: [ZipDirectory.Member] = []
  private var rate: UInt64 = 1
  private var unit = 1
  /// The bits of the channels in a sample, in the order of the channels.
  private var bits: [Int] = []

  static var format: CaptureFormat { CaptureFormat(recognize, file: open) }

  private static func recognize(_ head: CaptureHead) -> Recognition {
    // The first member is `version`. A session of Saleae's Logic 2 is a zip as well.
    guard head.starts(with: "PK\u{3}\u{4}"), head.bytes.count > 40 else { return .no }
    let name = head.bytes[30...]
    let names: [StaticString] = ["version", "metadata", "logic-1"]
    let isNamed = names.contains { text in
      name.starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
    return isNamed ? .certain : .possible
  }

  private static func open(
    _ file: CaptureFile, _ options: CaptureOptions, _ inflate: Inflation?
  ) throws(CaptureError) -> Capture {
    var archive = SigrokArchive(file: file, inflate: inflate)
    return try Capture(archive.recording(), options)
  }

  private init(file: CaptureFile, inflate: Inflation?) {
    self.file = file
    self.inflate = inflate
  }

  private mutating func recording() throws(CaptureError) -> LogicRecording {
    let directory = try ZipDirectory(file)
    guard let metadata = directory.members.first(where: { $0.name == "metadata" }) else {
      throw CaptureError("expected a member \"metadata\" in the zip, as sigrok writes it")
    }
    guard metadata.length <= Self.metadataMax else {
      throw CaptureError(at: .byte(metadata.header), "expected \"metadata\" below 1 MiB")
    }
    var text: [UInt8] = []
    try read(metadata) { (piece) throws(CaptureError) in
      text += piece
      return true
    }
    let values = SigrokMetadata(String(decoding: text, as: UTF8.self))
    try take(values, directory)
    let channels = values.probes.prefix(LogicLevels.channelsMax)
    bits = channels.map { $0.bit }
    var recording = LogicRecording(
      kind: .sr,
      channels: channels.enumerated().map { .init(name: $1.name, index: $0) },
      sampleRate: Int64(rate),
      source: values.version.map { "sigrok \($0)" } ?? "sigrok", recorded: nil,
      scan: { [self] (take) throws(CaptureError) in try scan(take) })
    if values.analogCount > 0 {
      recording.notes.append(
        "\(String(counting: values.analogCount, "analogue channel")) left out: only logic channels "
          + "are converted")
    }
    return recording
  }

  private mutating func take(
    _ values: SigrokMetadata, _ directory: ZipDirectory
  ) throws(CaptureError) {
    guard let name = values.captureFile else {
      throw CaptureError(
        values.analogCount > 0
          ? "expected logic channels, found only analogue ones; in PulseView, add a logic channel "
            + "that is converted from the analogue one, or record with a logic analyser"
          : "expected \"capturefile=\" in the zip's member \"metadata\"")
    }
    guard let rate = values.rate else {
      throw CaptureError(
        "expected \"samplerate=\" with a rate from 1 Hz to 10 GHz in the zip's member "
          + "\"metadata\"")
    }
    self.rate = UInt64(rate)
    unit = values.unit ?? max(1, ((values.probes.map { $0.bit }.max() ?? 0) + 8) / 8)
    guard (1...8).contains(unit), values.probes.allSatisfy({ $0.bit < unit * 8 }) else {
      throw CaptureError(
        "expected a unitsize from 1 to 8 bytes that holds every probe, found \(unit)")
    }
    guard !values.probes.isEmpty else {
      throw CaptureError("expected a logic channel (\"probe1=\") in \"metadata\"")
    }
    let numbered = directory.members.compactMap { member -> (Int, ZipDirectory.Member)? in
      guard member.name.hasPrefix(name + "-"),
        let number = Int(member.name.dropFirst(name.count + 1))
      else { return nil }
      return (number, member)
    }
    parts = numbered.sorted { $0.0 < $1.0 }.map { $0.1 }
    if parts.isEmpty { parts = directory.members.filter { $0.name == name } }
    guard !parts.isEmpty else {
      throw CaptureError(
        "expected a member \(PlainText.quoted(name)) in the zip, which has the samples")
    }
    for (index, part) in numbered.sorted(by: { $0.0 < $1.0 }).enumerated()
    where part.0 != index + 1 {
      throw CaptureError(
        at: .byte(part.1.header),
        "expected the member \(PlainText.quoted("\(name)-\(index + 1)")), found "
          + "\(PlainText.quoted(part.1.name)); a part of the recording is missing")
    }
  }

  private func scan(_ take: LogicRecording.Take) throws(CaptureError) -> LogicRecording.End {
    let mask = bits.reduce(UInt64(0)) { $0 | 1 << UInt64($1) }
    // Usually channel n is bit n of a sample.
    let isStraight = bits.indices.allSatisfy { bits[$0] == $0 }
    var scanner = SampleScanner(unit: unit, mask: mask)
    var goesOn = true
    func change(_ index: UInt64, _ sample: UInt64) throws(CaptureError) -> Bool {
      var high = sample
      if !isStraight {
        high = 0
        for (channel, bit) in bits.enumerated() {
          high |= (sample >> UInt64(bit) & 1) << UInt64(channel)
        }
      }
      goesOn = try take(LogicLevels(time: try time(index), high: high))
      return goesOn
    }
    for part in parts where goesOn {
      try read(part) { (piece) throws(CaptureError) in try scanner.take(piece, change) }
    }
    var notes: [String] = []
    if scanner.bytesLeft > 0, goesOn {
      notes.append(
        "the last sample is cut off after \(String(counting: scanner.bytesLeft, "byte"))")
    }
    return LogicRecording.End(time: try time(scanner.count), isKnown: true, notes: notes)
  }

  private func time(_ index: UInt64) throws(CaptureError) -> Int64 {
    guard let time = LogicRecording.time(ofSample: index, rate: rate) else {
      throw CaptureError("expected less than 1 000 000 000 s of samples")
    }
    return time
  }

  /// Passes a member's bytes to `take` until it returns false.
  private func read(
    _ member: ZipDirectory.Member,
    _ take: (UnsafeRawBufferPointer) throws(CaptureError) -> Bool
  ) throws(CaptureError) {
    let start = try ZipDirectory.data(of: member, in: file)
    guard !member.isEncrypted, member.method == 0 || member.method == 8 else {
      throw CaptureError(
        at: .byte(member.header),
        "expected \(PlainText.quoted(member.name)) to be stored or deflated, found "
          + (member.isEncrypted ? "an encrypted member" : "the method \(member.method)"))
    }
    let end = start + member.compressedLength
    var offset = start
    var count: Int64 = 0
    var goesOn = true
    func next(_ buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int {
      let room = Int(min(Int64(buffer.count), end - offset))
      guard room > 0, goesOn else { return 0 }
      let added = try file.read(offset, UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
      offset += Int64(added)
      return added
    }
    func give(_ piece: UnsafeRawBufferPointer) throws(CaptureError) {
      guard goesOn, !piece.isEmpty else { return }
      count += Int64(piece.count)
      guard count <= member.length else { throw mismatch(member, "more") }
      goesOn = try take(piece)
    }
    if member.method == 8 {
      guard let inflate else {
        throw CaptureError(.usage, "expected a way to inflate the zip's members")
      }
      do throws(CaptureError) {
        try inflate(next, give)
      } catch {
        // The reader has stopped on purpose, which looks like a truncated member.
        guard !goesOn else { throw error.place == .whole ? error.at(.byte(offset)) : error }
      }
    } else {
      let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Self.pieceLength, alignment: 16)
      defer { buffer.deallocate() }
      while true {
        let added = try next(buffer)
        guard added > 0 else { break }
        try give(UnsafeRawBufferPointer(rebasing: buffer[..<added]))
      }
    }
    guard !goesOn || count == member.length else { throw mismatch(member, "fewer") }
  }

  private func mismatch(_ member: ZipDirectory.Member, _ found: String) -> CaptureError {
    CaptureError(
      at: .byte(member.header),
      "expected \(member.length) bytes in \(PlainText.quoted(member.name)), found \(found); the "
        + "zip is damaged")
  }
}

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
