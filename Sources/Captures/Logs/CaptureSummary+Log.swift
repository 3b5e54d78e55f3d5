import Traces
import Turret

extension CaptureSummary {
  /// Lists what a log has when its ports and directions leave a choice, or it is no session.
  init<Reader: LogReader>(listing log: LogExamination<Reader>, doubt: String) {
    let format = Reader.format
    self.init(kind: format.kind)
    if !format.isAnalyzer {
      resolution = Interval(nanoseconds: log.reader.resolution)
      uncertainty = Interval(nanoseconds: log.reader.uncertainty)
    }
    var starts: [Int64] = []
    var ends: [Int64] = []
    for (index, port) in log.reader.ports.enumerated() {
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
        if let start = side.start {
          starts.append(start)
          ends.append(side.end)
        }
      }
    }
    if let start = starts.min(), let end = ends.max(), end > start {
      duration = Interval(nanoseconds: end - start)
    }
    notes = log.reader.notes + [doubt]
  }
}
