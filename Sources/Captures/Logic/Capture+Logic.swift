import Traces
import Turret

extension Capture {
  /// Examines a logic analyser's recording: finds the channels' roles from its beginning, and
  /// counts what they carry.
  init(_ recording: LogicRecording, _ options: CaptureOptions) throws(CaptureError) {
    for baud in [options.baud, options.senderBaud ?? options.baud] {
      guard SerialLine.bauds.contains(baud) else {
        throw CaptureError(
          .usage,
          "expected a speed from \(SerialLine.bauds.lowerBound) to "
            + "\(SerialLine.bauds.upperBound) baud, found \(baud)")
      }
    }
    var log = ChangeLog()
    var isWhole = true
    var end = try recording.scan { (change) throws(CaptureError) in
      isWhole = log.append(change)
      return isWhole
    }
    let examined = LogicExamination(
      recording, log, end: isWhole ? end : .init(time: log.end, isKnown: true), options)
    let roles = try LogicRoles(examined.channels, options)
    try examined.check(roles, options)
    let plan = LogicPlan(roles, examined, options)

    // The closure keeps the log only if it contains the whole recording.
    let kept = isWhole ? log : nil
    var counter = LogicSession(plan)
    if let kept {
      try kept.read { (change) throws(CaptureError) in
        try counter.take(change) { _ in }
        return true
      }
    } else {
      end = try recording.scan { (change) throws(CaptureError) in
        try counter.take(change) { _ in }
        return true
      }
    }
    try counter.finish(end) { _ in }

    let report = LogicReport(
      recording: recording, examined: examined, roles: roles, plan: plan, session: counter,
      end: end, isOtherPolarity: examined.isOtherPolarity(plan.rx, log, counter.rx))
    try report.check(options)
    let found = (rx: counter.rx?.holes ?? [], tx: counter.tx?.holes ?? [])
    self.init(header: report.header, summary: report.summary(options)) {
      (take) throws(CaptureError) in
      var session = LogicSession(plan, found: found)
      let each: LogicRecording.Take = { (change) throws(CaptureError) in
        try session.take(change, take)
        return true
      }
      if let kept { try kept.read(each) } else { _ = try recording.scan(each) }
      try session.finish(end, take)
    }
  }
}
