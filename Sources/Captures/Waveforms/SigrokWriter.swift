import Sketches

/// Writes a sigrok session: a zip with a byte for each sample, in members of 4 MiB like those that
/// sigrok itself writes.
package struct SigrokWriter: WaveSink {
  private static let chunk = 4 << 20

  package var bytes: [UInt8] = []
  private let deflate: Deflation
  private var zip = ZipWriter()
  private var levels = WireLevels.atRest
  private var tick: Int64 = 0
  private var samples: [UInt8]
  private var filled = 0
  private var chunks = 0

  package init(rate: SampleRate, deflate: @escaping Deflation) {
    self.deflate = deflate
    samples = Array(repeating: 0, count: Self.chunk)
    var metadata = "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\n"
    metadata += "total probes=\(BoardWire.allCases.count)\nsamplerate=\(rate.text)\n"
    metadata += "total analog=0\n"
    for (index, wire) in BoardWire.allCases.enumerated() {
      metadata += "probe\(index + 1)=\(wire.channelName)\n"
    }
    metadata += "unitsize=1\n"
    for (name, text) in [("version", "2"), ("metadata", metadata)] {
      _ = Array(text.utf8).withUnsafeBytes { zip.append(name, $0, deflate($0), to: &bytes) }
    }
  }

  package mutating func change(
    _ levels: WireLevels, _ notes: [(WaveNote, WaveValue)], at tick: Int64
  ) throws(CaptureError) {
    guard levels != self.levels else { return }
    try pass(to: tick)
    self.levels = levels
  }

  package mutating func pass(to tick: Int64) throws(CaptureError) {
    var rest = tick - self.tick
    guard rest > 0 else { return }
    self.tick = tick
    let level = levels.bits
    while rest > 0 {
      let count = Int(min(rest, Int64(Self.chunk - filled)))
      let run = filled..<filled + count
      samples.withUnsafeMutableBufferPointer {
        UnsafeMutableBufferPointer(rebasing: $0[run]).update(repeating: level)
      }
      filled += count
      rest -= Int64(count)
      if filled == Self.chunk { try flush() }
    }
  }

  package mutating func finish(at tick: Int64) throws(CaptureError) {
    try pass(to: tick)
    if filled > 0 { try flush() }
    zip.finish(&bytes)
  }

  private mutating func flush() throws(CaptureError) {
    chunks += 1
    let name = "logic-1-\(chunks)"
    let fits = samples.withUnsafeBytes { all in
      let chunk = UnsafeRawBufferPointer(rebasing: all[..<filled])
      return zip.append(name, chunk, deflate(chunk), to: &bytes)
    }
    guard fits else {
      throw CaptureError(
        .usage,
        "the session is too long for a file of sigrok at this rate; use a lower --samplerate, or "
          + "--to vcd")
    }
    filled = 0
  }
}
