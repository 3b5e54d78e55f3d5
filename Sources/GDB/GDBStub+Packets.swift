import AVR
import ChipDevice

extension GDBStub {
  /// Answers a packet. What is not known is answered with an empty one.
  mutating func answer(_ data: [UInt8]) {
    var cursor = PacketCursor(data)
    switch cursor.takeByte() {
    case UInt8(ascii: "?"): replyStop()
    case UInt8(ascii: "!"):
      isExtended = true
      reply("OK")
    case UInt8(ascii: "g"): reply(HexText.bytes(registers))
    case UInt8(ascii: "G"): replyOK(write(registers: HexText.decode(cursor.rest)))
    case UInt8(ascii: "p"): replyRegister(&cursor)
    case UInt8(ascii: "P"): replyOK(writeRegister(&cursor))
    case UInt8(ascii: "m"): replyMemory(&cursor, inHex: true)
    case UInt8(ascii: "x"): replyMemory(&cursor, inHex: false)
    case UInt8(ascii: "M"): replyOK(writeMemory(&cursor, inHex: true))
    case UInt8(ascii: "X"): replyOK(writeMemory(&cursor, inHex: false))
    case UInt8(ascii: "Z"): replyPoint(&cursor, isSet: true)
    case UInt8(ascii: "z"): replyPoint(&cursor, isSet: false)
    case UInt8(ascii: "c"): resume(&cursor, .run)
    case UInt8(ascii: "s"): resume(&cursor, .step)
    case UInt8(ascii: "C"): resumeWithSignal(&cursor, .run)
    case UInt8(ascii: "S"): resumeWithSignal(&cursor, .step)
    case UInt8(ascii: "b"):
      switch cursor.text {
      case "s": begin(.run, .stepBack)
      case "c": begin(.run, .runBack)
      default: reply("")
      }
    case UInt8(ascii: "v"): answerLong(&cursor)
    case UInt8(ascii: "q"): answerQuery(&cursor)
    case UInt8(ascii: "Q"):
      let isKnown = cursor.text == "StartNoAckMode"
      reply(isKnown ? "OK" : "")
      if isKnown { stopAcknowledging() }
    case UInt8(ascii: "H"):
      _ = cursor.takeByte()
      replyThread(&cursor)
    case UInt8(ascii: "T"): replyThread(&cursor)
    case UInt8(ascii: "D"):
      reply("OK")
      ending = .detached
    case UInt8(ascii: "k"): if isExtended { restart(answering: false) } else { ending = .killed }
    case UInt8(ascii: "R"): restart(answering: false)
    default: reply("")
    }
  }

  private mutating func replyOK(_ isDone: Bool) { reply(isDone ? "OK" : "E01") }

  /// There is one thread, the program. 0 is any, -1 all.
  private static func isThread(_ text: String) -> Bool { ["", "1", "0", "-1"].contains(text) }

  private mutating func replyThread(_ cursor: inout PacketCursor) {
    replyOK(Self.isThread(cursor.text))
  }

  /// Nothing is answered at once to `R` and `k`.
  private mutating func restart(answering: Bool) { restart(.restart(answering: answering)) }

  /// Goes to the beginning, without what the client has changed but the program.
  mutating func restart(_ job: MonitorJob) {
    if !keepsPast, timeline.forgetChanges() { show("The debugger's changes are forgotten.") }
    begin(.monitor(job), .to(cycle: 0))
  }

  // MARK: Running

  /// `c` and `s`, from an address if there is one.
  private mutating func resume(_ cursor: inout PacketCursor, _ how: ChipTimeline.Resume) {
    guard cursor.isAtEnd || move(to: cursor.number()) else { return reply("") }
    begin(.run, how)
  }

  private mutating func move(to address: UInt32?) -> Bool {
    guard let address, address < timeline.device.program.part.flashSize else { return false }
    return write(
      ChipRegister.counter,
      [
        UInt8(truncatingIfNeeded: address),
        UInt8(truncatingIfNeeded: address >> 8), 0, 0,
      ])
  }

  /// `C` and `S`: the chip takes no signals.
  private mutating func resumeWithSignal(
    _ cursor: inout PacketCursor, _ how: ChipTimeline.Resume
  ) {
    guard cursor.number() != nil else { return reply("") }
    _ = cursor.take(";")
    resume(&cursor, how)
  }

  /// `vCont;ACTION:THREAD;...`, of which the first that is for the thread counts.
  private mutating func resumeThreads(_ cursor: inout PacketCursor) {
    while !cursor.isAtEnd {
      var field = PacketCursor(cursor.field(UInt8(ascii: ";")))
      var action = PacketCursor(field.field(UInt8(ascii: ":")))
      guard Self.isThread(field.text) else { continue }
      switch action.takeByte() {
      case UInt8(ascii: "c"), UInt8(ascii: "C"): return begin(.run, .run)
      case UInt8(ascii: "s"), UInt8(ascii: "S"): return begin(.run, .step)
      case UInt8(ascii: "r"):
        guard let start = action.number(), action.take(","), let end = action.number() else {
          return reply("")
        }
        return begin(.run, start < end ? .range(start..<end) : .step)
      // It stands still already.
      case UInt8(ascii: "t"): return replyStop()
      default: return reply("")
      }
    }
    reply("")
  }

  // MARK: Packets with names

  private mutating func answerLong(_ cursor: inout PacketCursor) {
    if cursor.take("Cont?") { return reply("vCont;c;C;s;S;r;t") }
    if cursor.take("Cont;") { return resumeThreads(&cursor) }
    if cursor.take("FlashErase:") { return replyOK(eraseFlash(&cursor)) }
    if cursor.take("FlashWrite:") { return replyOK(writeFlash(&cursor)) }
    if cursor.take("FlashDone") { return replyOK(finishFlash()) }
    if cursor.take("Kill") {
      reply("OK")
      if !isExtended { ending = .killed }
      return
    }
    if cursor.take("Run") { return restart(answering: true) }
    reply("")
  }

  private mutating func answerQuery(_ cursor: inout PacketCursor) {
    if cursor.take("Supported") {
      (reportsSoftBreaks, reportsHardBreaks) = (false, false)
      _ = cursor.take(":")
      while !cursor.isAtEnd {
        switch String(decoding: cursor.field(UInt8(ascii: ";")), as: UTF8.self) {
        case "swbreak+": reportsSoftBreaks = true
        case "hwbreak+": reportsHardBreaks = true
        default: break
        }
      }
      let size = String(PacketReader.packetMax, radix: 16)
      return reply(
        "PacketSize=\(size);QStartNoAckMode+;qXfer:features:read+;qXfer:memory-map:read+;"
          + "ReverseStep+;ReverseContinue+;vContSupported+;swbreak+;hwbreak+;binary-upload+")
    }
    if cursor.take("Xfer:features:read:target.xml:") {
      return replyPart(of: TargetDescription.target, &cursor)
    }
    if cursor.take("Xfer:memory-map:read::") {
      return replyPart(of: TargetDescription.memoryMap(timeline.device.program.part), &cursor)
    }
    if cursor.take("Rcmd,") {
      guard let text = HexText.decode(cursor.rest) else { return reply("E01") }
      return monitor(String(decoding: text, as: UTF8.self))
    }
    if cursor.take("Symbol:") { return reply("OK") }
    switch cursor.text {
    case "C": reply("QC1")
    case "fThreadInfo": reply("m1")
    case "sThreadInfo": reply("l")
    case "ThreadExtraInfo,1": reply(HexText.bytes("ATmega328P".utf8))
    // It is not GDB that has started the program, so that GDB leaves it alone when it quits.
    case "Attached": reply("1")
    default: reply("")
    }
  }

  /// `OFFSET,LENGTH` of a document.
  private mutating func replyPart(of document: String, _ cursor: inout PacketCursor) {
    guard let (offset, length) = cursor.range() else { return reply("E01") }
    let rest = document.utf8.dropFirst(Int(offset))
    // The documents have no bytes that are escaped.
    let part = rest.prefix(min(length, PacketReader.packetMax - 1))
    reply([UInt8(ascii: part.count < rest.count ? "m" : "l")] + Array(part))
  }
}
