import Traces
import Turret

extension Capture {
  /// Examines a log.
  init<Reader: LogReader>(
    log reader: Reader.Type, _ files: [CaptureFile], _ options: CaptureOptions
  ) throws(CaptureError) {
    let log = try LogExamination(by: Reader.self, files, options)
    let outline: LogOutline
    do throws(CaptureError) {
      outline = try LogOutline(log, options)
    } catch {
      guard options.isListing else { throw error }
      self.init(
        header: Header(firmware: options.assumedFirmware, duration: nil, title: nil),
        summary: CaptureSummary(listing: log, doubt: error.message)
      ) { _ throws(CaptureError) in }
      return
    }
    let plan = outline.plan
    self.init(header: outline.header, summary: outline.summary) { (give) throws(CaptureError) in
      var reader = Reader(options)
      var assembler = LogAssembler(plan, log.format)
      try reader.read(files) { (record) throws(CaptureError) in try assembler.take(record, give) }
      try assembler.end(give)
    }
  }
}
