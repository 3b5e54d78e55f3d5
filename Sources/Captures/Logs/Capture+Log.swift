import Traces
import Turret

extension Capture {
  /// Examines a log.
  init<Reader: LogReader>(
    log reader: Reader.Type, _ files: [CaptureFile], _ options: CaptureOptions
  ) throws(CaptureError) {
    let log = try LogExamination<Reader>(files, options)
    let outline = try LogOutline(log, options)
    let plan = outline.plan
    self.init(header: outline.header, summary: outline.summary) { (give) throws(CaptureError) in
      var reader = Reader(options)
      var assembler = LogAssembler(plan, Reader.format)
      try reader.read(files) { (record) throws(CaptureError) in try assembler.take(record, give) }
      try assembler.end(give)
    }
  }
}
