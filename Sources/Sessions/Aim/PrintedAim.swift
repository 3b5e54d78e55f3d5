package import Aim
import Sketches
import Traces

/// Converts observations to a trace on standard output, without waiting: a header, and each command
/// as an `rx` event at its frame's time.
package struct PrintedAim {
  var input: String
  var options: AimOptions
  /// The maximum number of commands a second; nil to send each with its frame.
  var rate: Double?

  package init(input: String, options: AimOptions, rate: Double?) {
    self.input = input
    self.options = options
    self.rate = rate
  }

  package func run() throws {
    var reader = try ObservationReader(path: input)
    var aimer = try reader.makeAimer(options)
    var pace = CommandPace(rate: rate)
    var tally = AimTally(options)
    var header = Header(firmware: .guarded, duration: nil, title: nil)
    header.set(source: "sentrybench, aim")
    var lines: [UInt8] = []
    lines.appendLine(header)

    while true {
      // Writes what is already known before waiting for the next frame.
      let waits = !reader.hasNext
      if waits || lines.count >= 1 << 14 {
        try Console.write(lines)
        lines.removeAll(keepingCapacity: true)
        if waits { try Console.flush() }
      }
      let frame: Frame?
      do throws(TraceError) {
        frame = try reader.next()
      } catch {
        // Keeps what precedes the error, including the command that was still waiting.
        add(pace.finish(), to: &lines)
        try Console.write(lines)
        throw error
      }
      guard let frame else { break }
      add(pace.advance(to: reader.time), to: &lines)
      let sighting = aimer.sight(frame)
      tally.take(frame, sighting)
      add(pace.take(sighting.wanted, at: reader.time), to: &lines)
    }
    add(pace.finish(), to: &lines)
    try Console.write(lines)
    if let note = tally.note { Console.report("\(input): note: \(note)") }
  }

  private func add(_ sent: CommandPace.Sent?, to lines: inout [UInt8]) {
    guard let sent else { return }
    lines.appendLine(Event(sent.time, .receive(Array(sent.command.text.utf8))))
  }
}
