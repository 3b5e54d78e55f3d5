import Traces

/// Saleae's binary export of digital channels, versions 0 and 1: a file for each channel, with the
/// level at the beginning and the instants of the edges, as seconds in 64-bit floating point.
///
/// Saleae, "Binary Export Format", version 0, and "Binary and CSV Export Formats - 2025 Update".
struct SaleaeBinary {
  static var format: CaptureFormat { CaptureFormat(recognize, files: open) }

  private static func recognize(_ head: CaptureHead) -> Recognition {
    head.starts(with: "<SALEAE>") ? .certain : .no
  }

  private static func open(
    _ files: [CaptureFile], _ options: CaptureOptions
  ) throws(CaptureError) -> Capture {
    guard files.count <= LogicLevels.channelsMax else {
      throw CaptureError(
        .usage, "expected at most \(LogicLevels.channelsMax) files, found \(files.count)")
    }
    var readers: [SaleaeEdges] = []
    for (index, file) in files.enumerated() {
      do throws(CaptureError) {
        readers.append(try SaleaeEdges(file))
      } catch {
        throw error.inFile(index)
      }
    }
    let numbers = files.map { number($0.name) }
    let areNumbered = Set(numbers).count == numbers.count && !numbers.contains(nil)
    var channels: [LogicRecording.Channel] = []
    for (index, file) in files.enumerated() {
      let name = file.name.hasSuffix(".bin") ? String(file.name.dropLast(4)) : file.name
      channels.append(.init(name: name, index: areNumbered ? numbers[index] ?? index : index))
    }
    let edges = readers
    let recording = LogicRecording(
      kind: .saleaeBinary, channels: channels, sampleRate: readers.compactMap { $0.rate }.min(),
      source: "Saleae Logic 2", recorded: nil,
      scan: { (take) throws(CaptureError) in try scan(edges, take) })
    return try Capture(recording, options)
  }

  /// Returns the number at the end of a file's name, as in `digital_3.bin`; nil if there is none.
  private static func number(_ name: String) -> Int? {
    let stem = name.hasSuffix(".bin") ? name.dropLast(4) : name[...]
    let digits = stem.reversed().prefix { $0 >= "0" && $0 <= "9" }
    guard digits.count <= 4 else { return nil }
    return Int(String(digits.reversed()))
  }

  /// Merges the edges of all channels.
  private static func scan(
    _ edges: [SaleaeEdges], _ take: LogicRecording.Take
  ) throws(CaptureError) -> LogicRecording.End {
    var edges = edges
    let start = edges.map { $0.start }.min() ?? 0
    var next: [SaleaeEdges.Change?] = []
    for index in edges.indices { next.append(try advance(&edges, index)) }
    var levels = LogicLevels(time: 0, high: 0, unknown: .max)
    var given: LogicLevels?
    while let time = next.compactMap({ $0?.time }).min() {
      for index in edges.indices {
        // Of several changes of a channel at one instant, the last one counts.
        while let change = next[index], change.time == time {
          let bit: UInt64 = 1 << UInt64(index)
          levels.unknown = change.level == nil ? levels.unknown | bit : levels.unknown & ~bit
          levels.high = change.level == true ? levels.high | bit : levels.high & ~bit
          next[index] = try advance(&edges, index)
        }
      }
      levels.time = time - start
      guard given?.high != levels.high || given?.unknown != levels.unknown else { continue }
      given = levels
      guard try take(levels) else { break }
    }
    let end = max(levels.time, (edges.map { $0.end }.max() ?? start) - start)
    let notes = edges.contains { $0.isCut } ? ["the file is cut off; its whole edges are kept"] : []
    return .init(time: end, isKnown: true, notes: notes)
  }

  private static func advance(
    _ edges: inout [SaleaeEdges], _ index: Int
  ) throws(CaptureError) -> SaleaeEdges.Change? {
    do throws(CaptureError) {
      return try edges[index].next()
    } catch {
      throw error.inFile(index)
    }
  }
}

/// The edges of one channel in Saleae's binary format, read in order.
struct SaleaeEdges {
  struct Change: Hashable, Sendable {
    /// In nanoseconds, on the recording's own clock. Can be negative.
    var time: Int64
    /// Nil if the channel is not recorded from here on.
    var level: Bool?
  }

  private static let bufferLength = 64 << 10

  private let file: CaptureFile
  private let isChunked: Bool
  /// Samples a second; nil in version 0.
  private(set) var rate: Int64?
  /// The beginning of the first chunk and the end of the last one that was reached.
  private(set) var start: Int64 = 0
  private(set) var end: Int64 = 0
  /// Whether the file ends before its last edge.
  private(set) var isCut = false

  private var offset: Int64 = 16
  private var chunksLeft: UInt64 = 1
  private var edgesLeft: UInt64 = 0
  private var level = false
  private var last = Int64.min
  private var isInChunk = false
  private var buffer: [UInt8] = []
  private var bufferStart: Int64 = 0

  /// Reads the head, and that of the first chunk.
  init(_ file: CaptureFile) throws(CaptureError) {
    self.file = file
    let head = try file.bytes(at: 0, count: 24)
    guard head.count >= 16, head.starts(with: Array("<SALEAE>".utf8)) else {
      throw CaptureError(at: .byte(0), "expected \"<SALEAE>\"")
    }
    let version = head.u32(8)
    guard version <= 1 else {
      throw CaptureError(at: .byte(8), "expected the version 0 or 1, found \(version)")
    }
    guard head.u32(12) == 0 else {
      throw CaptureError(
        at: .byte(12),
        "expected a digital channel (type 0), found the type \(head.u32(12)); export digital "
          + "channels")
    }
    isChunked = version == 1
    if isChunked {
      chunksLeft = head.u64(16)
      offset = 24
    }
    guard chunksLeft > 0 else {
      throw CaptureError(at: .byte(16), "expected at least one chunk, found none")
    }
    // The head of the first chunk is read here for its times, and again with its edges.
    var first = self
    guard try first.beginChunk() else {
      throw CaptureError(
        at: .byte(offset), "expected the head of a chunk, found the end of the file")
    }
    start = first.last
    end = first.last
    rate = first.rate
  }

  /// Returns the next change; nil at the end.
  mutating func next() throws(CaptureError) -> Change? {
    if !isInChunk {
      guard chunksLeft > 0, !isCut, try beginChunk() else { return nil }
      return Change(time: last, level: level)
    }
    guard edgesLeft > 0 else { return endChunk() }
    guard let index = try take(8) else {
      isCut = true
      edgesLeft = 0
      // What follows the last whole edge is not known.
      end = max(end, last)
      return endChunk(at: last)
    }
    edgesLeft -= 1
    let time = try Self.nanoseconds(buffer.double(index), at: offset - 8)
    guard time >= last else {
      throw CaptureError(
        at: .byte(offset - 8),
        "expected edges in the order of their times, found one before the last")
    }
    last = time
    level.toggle()
    return Change(time: time, level: level)
  }

  private mutating func endChunk(at time: Int64? = nil) -> Change? {
    isInChunk = false
    end = time ?? max(end, last)
    // A complete recording without further chunks ends here.
    guard chunksLeft > 0, !isCut else { return nil }
    last = end
    return Change(time: end, level: nil)
  }

  /// Reads the head of a chunk. Returns false if the file is cut off within it.
  private mutating func beginChunk() throws(CaptureError) -> Bool {
    let place = offset
    guard let head = try take(isChunked ? 36 : 28) else {
      isCut = true
      return false
    }
    chunksLeft -= 1
    var field = 4
    if isChunked {
      let found = buffer.double(head + 4)
      if found >= 1, found <= Double(LogicRecording.sampleRateMax) { rate = Int64(found) }
      field = 12
    }
    let begin = try Self.nanoseconds(buffer.double(head + field), at: place + Int64(field))
    let stop = try Self.nanoseconds(buffer.double(head + field + 8), at: place + Int64(field) + 8)
    guard begin >= last, stop >= begin else {
      throw CaptureError(
        at: .byte(place + Int64(field)),
        "expected times that never decrease, found one before the last")
    }
    edgesLeft = buffer.u64(head + field + 16)
    level = buffer.u32(head) & 1 == 1
    last = begin
    end = stop
    isInChunk = true
    return true
  }

  /// Takes the next bytes, and returns their offset in the buffer; nil if the file ends within
  /// them.
  private mutating func take(_ length: Int) throws(CaptureError) -> Int? {
    if offset < bufferStart || offset + Int64(length) > bufferStart + Int64(buffer.count) {
      buffer = try file.bytes(at: offset, count: Self.bufferLength)
      bufferStart = offset
      guard buffer.count >= length else { return nil }
    }
    defer { offset += Int64(length) }
    return Int(offset - bufferStart)
  }

  private static func nanoseconds(
    _ seconds: Double, at offset: Int64
  ) throws(CaptureError) -> Int64 {
    guard seconds.magnitude < 500_000_000 else {
      throw CaptureError(at: .byte(offset), "expected a time below 500 000 000 s, found \(seconds)")
    }
    return Int64((seconds * 1e9).rounded())
  }
}
