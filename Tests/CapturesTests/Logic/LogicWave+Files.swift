@testable import Captures

extension LogicWave {
  /// The formats that a test writes.
  enum Format: String, CaseIterable, Sendable {
    case sr, srOld, vcd, sigrok, sigrokWithTimes, bare, dsview, saleae, saleaeDates, saleaeBinary0
    case saleaeBinary1

    /// What the user states about such a file.
    var options: CaptureOptions {
      var options = CaptureOptions()
      if self == .bare { options.sampleRate = 100_000 }
      return options
    }

    /// Whether its samples are 10 us apart.
    var isCoarse: Bool { [.sigrok, .sigrokWithTimes, .bare].contains(self) }
  }

  func files(_ format: Format) -> [CaptureFile] {
    switch format {
    case .sr: [sr()]
    case .srOld: [srOld()]
    case .vcd: [vcd()]
    case .sigrok: [sigrok(withTimes: false)]
    case .sigrokWithTimes: [sigrok(withTimes: true)]
    case .bare: [bare()]
    case .dsview: [dsview()]
    case .saleae: [saleae(dates: false)]
    case .saleaeDates: [saleae(dates: true)]
    case .saleaeBinary0: saleaeBinary(version: 0)
    case .saleaeBinary1: saleaeBinary(version: 1)
    }
  }

  private var names: [String] { channels.map { $0.name } }

  private func cells(_ high: UInt64) -> String {
    channels.indices.map { high >> UInt64($0) & 1 == 1 ? "1" : "0" }.joined(separator: ",")
  }

  private func text(_ name: String, _ lines: [String]) -> CaptureFile {
    CaptureFile(name: name, bytes: Array((lines.joined(separator: "\n") + "\n").utf8))
  }

  func sr(rate: Int64 = 1_000_000, unit: Int = 1, parts: Int = 2) -> CaptureFile {
    var metadata = "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\n"
    metadata += "total probes=\(channels.count)\nsamplerate=\(rate) Hz\ntotal analog=0\n"
    for (index, name) in names.enumerated() { metadata += "probe\(index + 1)=\(name)\n" }
    metadata += "unitsize=\(unit)\n"
    let bytes = samples(rate: rate).flatMap { sample in
      (0..<unit).map { UInt8(truncatingIfNeeded: sample >> UInt64(8 * $0)) }
    }
    var members = [("version", Array("2".utf8)), ("metadata", Array(metadata.utf8))]
    let size = (bytes.count / parts / unit + 1) * unit
    for part in 0..<parts {
      members.append(("logic-1-\(part + 1)", Array(bytes.dropFirst(part * size).prefix(size))))
    }
    return CaptureFile(name: "capture.sr", bytes: Self.archive(members))
  }

  /// As sigrok 0.2 writes it: one member with samples, and spaces in the metadata.
  func srOld(rate: String = "1 MHz") -> CaptureFile {
    var metadata = "[global]\nsigrok version = 0.2.1\n[device 1]\ndriver = ols\n"
    metadata += "capturefile = logic-1\nunitsize = 1\ntotal probes = 8\nsamplerate = \(rate)\n"
    for (index, name) in names.enumerated() {
      metadata += "probe\(index + 1) = \(name)\n trigger\(index + 1) = 0\n"
    }
    let hertz = LogicRecording.rate(rate) ?? 1_000_000
    let bytes = samples(rate: hertz).map { UInt8(truncatingIfNeeded: $0) }
    let members = [
      ("version", Array("1".utf8)), ("metadata", Array(metadata.utf8)), ("logic-1", bytes),
    ]
    return CaptureFile(name: "old.sr", bytes: Self.archive(members))
  }

  /// Names and levels, without comments.
  func bare(rate: Int64 = 100_000, heading: Bool = true) -> CaptureFile {
    text(
      "bare.csv",
      (heading ? [names.joined(separator: ",")] : []) + samples(rate: rate).map { cells($0) })
  }

  /// A zip with stored members, without checksums.
  static func archive(_ members: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    func le(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var zip: [UInt8] = []
    var directory: [UInt8] = []
    for member in members {
      let name = Array(member.name.utf8)
      let sizes = le(member.bytes.count, 4) + le(member.bytes.count, 4) + le(name.count, 2)
      let common = le(20, 2) + le(0, 2) + le(0, 2) + le(0, 4) + le(0, 4) + sizes + le(0, 2)
      directory += le(0x0201_4B50, 4) + le(20, 2) + common + le(0, 10) + le(zip.count, 4) + name
      zip += le(0x0403_4B50, 4) + common + name + member.bytes
    }
    let count = members.count
    let end = le(0, 4) + le(count, 2) + le(count, 2) + le(directory.count, 4) + le(zip.count, 4)
    return zip + directory + le(0x0605_4B50, 4) + end + le(0, 2)
  }

  func vcd(unit: String = "1 ns") -> CaptureFile {
    var lines = ["$timescale \(unit) $end", "$scope module top $end"]
    let ids = (0..<channels.count).map {
      $0 == 1 ? "long%id" : String(UnicodeScalar(UInt8(33 + $0)))
    }
    for (name, id) in zip(names, ids) { lines.append("$var wire 1 \(id) \(name) $end") }
    lines += ["$upscope $end", "$enddefinitions $end"]
    var last: UInt64?
    for (time, high) in changes {
      lines.append("#\(time)")
      for (bit, id) in ids.enumerated() {
        let level = high >> UInt64(bit) & 1
        if last.map({ $0 >> UInt64(bit) & 1 == level }) ?? false { continue }
        lines.append(bit == 2 ? "b\(level) \(id)" : "\(level)\(id)")
      }
      last = high
    }
    return text("dump", lines + ["#\(length)"])
  }

  func sigrok(withTimes: Bool, rate: Int64 = 100_000) -> CaptureFile {
    var lines = [
      "; CSV generated by libsigrok 0.5.2", "; Channels (3/3): \(names.joined(separator: ", "))",
      "; Samplerate: \(rate / 1_000) kHz",
      withTimes
        ? "Time,\(names.joined(separator: ","))"
        : channels.map { _ in "logic" }.joined(separator: ","),
    ]
    for (index, sample) in samples(rate: rate).enumerated() {
      let time = withTimes ? "\((Int64(index) + 1) * 1_000_000 / rate)," : ""
      lines.append(time + cells(sample))
    }
    return text("table", lines)
  }

  func dsview() -> CaptureFile {
    let head = [
      "; CSV, generated by DSView, sampled on Sun Nov 22 03:40:00 2026",
      "; Channels (\(channels.count)/16)", "; Sample rate: 1 MHz",
      "; Sample count: \(Double(length) / 1e9) M Samples",
      "Time(s), \(names.joined(separator: ", "))",
    ]
    return text("table", head + changes.map { "\(Double($0.time) / 1e9),\(cells($0.high))" })
  }

  func saleae(dates: Bool, offset: Int64 = -500_000_000) -> CaptureFile {
    text(
      "digital.csv",
      ["Time [s],\(names.joined(separator: ","))"]
        + changes.map { change in
          let nanoseconds = change.time + (dates ? 40_000_000_000 : offset)
          let (whole, part) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
          let fraction = String(String(1_000_000_000 + part).dropFirst())
          return (dates ? "2026-11-22T03:40:" : nanoseconds < 0 ? "-" : "")
            + "\(whole).\(fraction)\(dates ? "+00:00" : ""),\(cells(change.high))"
        })
  }

  /// A file for each channel.
  func saleaeBinary(version: Int) -> [CaptureFile] {
    channels.map { channel in
      func le(_ value: UInt64, _ count: Int = 8) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
      }
      func seconds(_ time: Int64) -> [UInt8] { le((Double(time) / 1e9 + 0.25).bitPattern) }
      var bytes = Array("<SALEAE>".utf8) + le(UInt64(version), 4) + le(0, 4)
      if version == 1 { bytes += le(1) }
      bytes += le(channel.levels[0].isHigh ? 1 : 0, 4)
      if version == 1 { bytes += le(24_000_000.0.bitPattern) }
      bytes += seconds(0) + seconds(length) + le(UInt64(channel.levels.count - 1))
      for level in channel.levels.dropFirst() { bytes += seconds(level.time) }
      return CaptureFile(name: channel.name + ".bin", bytes: bytes)
    }
  }
}
