import Traces
import Turret

extension CaptureSummary {
  /// Creates a summary that lists the ports and directions of a log, if these are ambiguous or the
  /// log contains no session.
  init(listing log: LogExamination, doubt: String) {
    let format = log.format
    self.init(kind: format.kind)
    if !format.isAnalyzer {
      resolution = Interval(nanoseconds: log.stamps.resolution)
      uncertainty = Interval(nanoseconds: log.stamps.uncertainty)
    }
    var starts: [Int64] = []
    var ends: [Int64] = []
    for (index, port) in log.ports.enumerated() {
      for direction in Event.Line.allCases {
        let side = log.side(index, direction)
        guard side.records > 0 else { continue }
        let words = direction == .rx ? "to the board" : "from the board"
        var channel = Channel(name: port.name.isEmpty ? words : "\(port.name), \(words)")
        channel.counts = [
          side.bytes == 1 ? "1 byte" : "\(side.bytes) bytes",
          String(counting: side.records, "record"),
        ]
        channels.append(channel)
        framingErrors += side.framingErrors
        holes += side.holes
        starts.append(side.start)
        ends.append(side.end)
      }
    }
    if let start = starts.min(), let end = ends.max(), end > start {
      duration = Interval(nanoseconds: end - start)
    }
    notes = log.notes + [doubt]
  }
}
