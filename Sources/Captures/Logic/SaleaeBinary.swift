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
