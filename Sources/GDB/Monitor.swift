import AVR
import ChipDevice
import Sketches
import Traces

/// What a `monitor` command waits for.
enum MonitorJob: Sendable {
  /// The session is to begin again. `answering` is whether the client waits for a stop reply.
  case restart(answering: Bool)
  /// The session is to be at a moment, which the text names. The time is one that was asked for.
  case move(String, at: Instant? = nil)
  /// The last write of a variable is looked for.
  case lastWrite(LastWrite)
}

struct LastWrite: Sendable {
  var name: String
  var range: Range<UInt16>
  /// Where the search began.
  var cycle: UInt64
}

extension GDBStub {
  /// More marks are not kept, nor longer names.
  private static let marksMax = 100
  private static let nameMax = 100

  private static let help: [(command: String, text: String)] = [
    ("time", "where in the session this is"),
    ("goto 2.301s", "go to a time"),
    ("event 3", "go to the third event of the session"),
    ("byte 17 [arrived|read|lost]", "go to what became of a byte from the sender"),
    ("lost 1", "go to the first lost byte"),
    ("pulse 2", "go to the beginning of the second pulse of a servo"),
    ("twitch 1", "go to the end of the first pulse that was not as stored"),
    ("mark NAME", "give this moment a name"),
    ("marks", "list the names"),
    ("back to NAME", "go to the moment with this name"),
    ("last write VARIABLE", "go back to before the last write of a global variable or an address"),
    ("pins", "the levels of the pins"),
    ("servo", "what the servos were told last"),
    ("uart", "the serial port, and the bytes that wait"),
    ("why", "what the processor did before, and what went wrong last"),
    ("singlestep [safe|interruptible]", "whether a step can end in an interrupt"),
    ("reset", "go to the beginning"),
  ]

  // MARK: Commands

  mutating func monitor(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    let rest = words.dropFirst().joined(separator: " ")
    switch words.first.map({ String($0) }) ?? "help" {
    case "help":
      let width = Self.help.map { $0.command.utf8.count }.max() ?? 0
      for (command, text) in Self.help { show(command.padded(to: width) + "  " + text) }
    case "time": showPosition()
    case "goto": return go(to: rest)
    case "event", "byte", "lost", "pulse", "twitch": return go(to: words.joined(separator: " "))
    case "mark": mark(rest)
    case "marks": showMarks()
    case "back": return goBack(words.dropFirst())
    case "last": return goToLastWrite(words.dropFirst())
    case "pins": for line in timeline.device.pinLines { show(line) }
    case "servo": for line in timeline.device.servoLines { show(line) }
    case "uart": for line in timeline.device.serialLines { show(line) }
    case "why": return begin(looking: .reasons(before: timeline.now))
    case "singlestep": setSingleStep(rest)
    case "reset": return restart(.move(""))
    case "halt": break
    default: show("There is no such command: `monitor help` lists them.")
    }
    answerMonitor()
  }

  private mutating func answerMonitor() {
    sendConsole()
    reply("OK")
  }

  private mutating func refuse(_ sentence: String) {
    show(sentence)
    answerMonitor()
  }

  /// Ends a command that had to run the program.
  mutating func finish(_ job: MonitorJob, _ stop: ChipTimeline.Stop) {
    forgetStop()
    switch job {
    case .restart(let answering): return answering ? replyStop() : ()
    case .move(let text, let time):
      switch stop {
      case .interrupted:
        timeline.cancel()
        show("Interrupted.")
      case .fault:
        show("The program has crashed before that.")
        tellFault(stop)
      default:
        if !text.isEmpty { show(text) }
        if let time { asked = (timeline.cycle, time) }
      }
    case .lastWrite(let found):
      guard !finish(found, stop) else { return }
    }
    showPosition()
    if !hasToldCache {
      hasToldCache = true
      show("GDB still shows the old place; `maintenance flush register-cache` updates it.")
    }
    answerMonitor()
  }

  // MARK: Moments

  /// A position's time: that which was asked for, or else rounded up like the times of a trace, so
  /// that `goto` does not stop before it.
  private func time(at cycle: UInt64) -> String {
    let last = timeline.instant(of: max(cycle, 1) - 1).roundedUpToMicrosecond
    let time = asked.map { $0.cycle == cycle ? $0.time : last } ?? last
    return String(shortest: time - .zero) + " s"
  }

  private mutating func showPosition() {
    let time = time(at: timeline.cycle)
    let places = map.places(at: UInt32(timeline.programCounter))
    let place = places.first.map { ", in \($0.text)" } ?? ""
    let changed = timeline.isForked ? ", in a session that the debugger has changed" : ""
    show("\(time), cycle \(timeline.cycle)\(place)\(changed)")
  }

  private mutating func go(to text: String) {
    guard let moment = DebugMoment(text) else {
      return refuse(
        "Expected a time such as 2.301s, or event, byte, lost, pulse or twitch with a number from "
          + "1.")
    }
    begin(looking: .moment(moment))
  }

  /// Ends a search, or gives it up.
  mutating func finishLooking(for sought: SessionMoments.Sought, isInterrupted: Bool) {
    moments.stopLooking()
    guard !isInterrupted else { return refuse("Interrupted.") }
    switch sought {
    case .reasons(let end):
      showReasons(before: end)
      answerMonitor()
    case .moment(let moment):
      do throws(NoSuchMoment) {
        let (instant, text) = try moments.find(moment)
        let addition =
          timeline.isForked && !text.isEmpty ? ", in the session without the changes" : ""
        let time: Instant? = if case .time = moment { instant } else { nil }
        begin(.monitor(.move(text + addition, at: time)), .to(cycle: timeline.cycle(at: instant)))
      } catch {
        refuse("There is no such moment: \(error.message).")
      }
    }
  }

  private mutating func mark(_ name: String) {
    guard !name.isEmpty, name.utf8.count <= Self.nameMax else {
      return show("Expected a name of at most \(Self.nameMax) bytes.")
    }
    marks.removeAll { $0.name == name }
    guard marks.count < Self.marksMax else {
      return show("There are \(Self.marksMax) marks, and no more are kept.")
    }
    marks.append((name, timeline.cycle))
    showPosition()
  }

  private mutating func showMarks() {
    for mark in marks.sorted(by: { $0.cycle < $1.cycle }) {
      show("\(time(at: mark.cycle))  \(mark.name)")
    }
    if marks.isEmpty { show("There are no marks: `monitor mark NAME` makes one.") }
  }

  private mutating func goBack(_ words: ArraySlice<Substring>) {
    let words = words.first == "to" ? words.dropFirst() : words
    let name = words.joined(separator: " ")
    guard let mark = marks.first(where: { $0.name == name }) else {
      return refuse("There is no such mark: `monitor marks` lists them.")
    }
    begin(.monitor(.move("")), .to(cycle: mark.cycle))
  }

  // MARK: Variables

  private mutating func goToLastWrite(_ words: ArraySlice<Substring>) {
    let name = (words.first == "write" ? words.dropFirst() : words).joined(separator: " ")
    guard let range = variable(name) else {
      let count = map.objects(named: name).count
      return refuse(
        count > 1
          ? "There are \(count) variables \(name): an address such as 0x800100,2 says which."
          : "Expected a global variable of the program, or an address with a length, such as "
            + "0x800100,2.")
    }
    let search = LastWrite(name: name, range: range, cycle: timeline.cycle)
    begin(.monitor(.lastWrite(search)), .backToWrite(range))
  }

  /// The addresses of a variable: of `0x800100,2`, or of an object of the program.
  private func variable(_ name: String) -> Range<UInt16>? {
    var cursor = PacketCursor(name.utf8)
    guard cursor.take("0x") else { return map.object(named: name) }
    guard let address = cursor.number() else { return nil }
    var length = 1
    if cursor.take(",") { length = cursor.number().map { Int($0) } ?? 0 }
    // An address of the data space, with or without GDB's offset.
    let place = address < ChipMemory.dataStart ? address + ChipMemory.dataStart : address
    guard cursor.isAtEnd, length > 0,
      let (memory, offset, count) = ChipMemory.place(of: place, in: timeline.device.program.part),
      memory == .data, length <= count
    else { return nil }
    return UInt16(offset)..<UInt16(offset + length)
  }

  /// Returns whether the search goes on: back to where it began.
  private mutating func finish(_ search: LastWrite, _ stop: ChipTimeline.Stop) -> Bool {
    if let change = timeline.lastChange(of: search.range, before: search.cycle),
      stop == .begin || change > timeline.cycle, stop != .interrupted
    {
      let text = "The debugger changed \(search.name) here, after the program's last write:"
      begin(.monitor(.move(text)), .to(cycle: change))
      return true
    }
    switch stop {
    case .watch:
      let bytes = timeline.device.chip.bytes(ofData: search.range)
      let text = bytes.prefix(8).map { "0x" + String($0, radix: 16, digits: 2) }
        .joined(separator: " ")
      show("The last write of \(search.name) is next. Its bytes before that: \(text)")
      return false
    case .begin:
      let text = "The program has not written \(search.name) since the beginning."
      begin(.monitor(.move(text)), .to(cycle: search.cycle))
      return true
    default:
      show("Interrupted.")
      return false
    }
  }

  // MARK: The processor

  private mutating func showReasons(before end: Instant) {
    if let crash { show(crash) }
    let reasons = moments.reasons(before: end)
    if timeline.isForked, !reasons.isEmpty {
      show("This is about the session without the debugger's changes:")
    }
    for line in reasons { show(line) }
    let lines = map.hasLines ? timeline.lastLines(map) : []
    if crash == nil, reasons.isEmpty, lines.isEmpty { show("Nothing is known of what was before.") }
    if !lines.isEmpty { show("The last lines that ran, the latest last:") }
    for line in lines {
      let count = line.count > 1 ? " x\(line.count)" : ""
      show("  \(String(readable: line.ago)) before: \(line.place.text)\(count)")
    }
  }

  private mutating func setSingleStep(_ mode: String) {
    switch mode {
    case "interruptible": timeline.stepsIntoInterrupts = true
    case "safe": timeline.stepsIntoInterrupts = false
    case "": break
    default: return show("Expected safe or interruptible.")
    }
    let can = timeline.stepsIntoInterrupts ? "can end" : "does not end"
    show("A step \(can) at the first instruction of an interrupt.")
  }
}
