import Devices
import Files
import Traces
import Turret
import Verification

// Carrying out requests.
extension APISession {
  /// Takes a line. Returns the answer and what else to do.
  mutating func handle(_ line: APILines.Line, _ moment: APIMoment) -> [APIAction] {
    do throws(APIRequest.Mistake) {
      guard case .text(let text) = line else {
        throw APIRequest.Mistake(
          id: nil, message: "expected a line of at most \(APILines.lengthMax) bytes")
      }
      let (id, request) = try APIRequest.parse(text)
      return take(request, id, moment)
    } catch {
      return [.write(.refusal(error))]
    }
  }

  /// Takes a request. Returns the answer and what else to do.
  mutating func take(
    _ request: APIRequest, _ id: APIRequest.ID, _ moment: APIMoment
  ) -> [APIAction] {
    do throws(Refusal) {
      return try handle(request, id, moment)
    } catch {
      return [.write(.refusal(APIRequest.Mistake(id: id, message: error.message)))]
    }
  }

  /// The reason why a request is not carried out.
  struct Refusal: Error {
    var message: String

    init(_ message: String) { self.message = message }
  }

  private mutating func handle(
    _ request: APIRequest, _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Refusal) -> [APIAction] {
    if endRequest != nil { throw Refusal("the session is ending") }
    switch request {
    case .hello(let ends):
      endsWithClient = ends
      return [.write(.answer(id, .hello(greeting(moment))))]
    case .ready:
      if isListening(moment) { return [done(id, at: moment.now)] }
      guard !setting.isVirtual else {
        throw Refusal("the sketch is not listening yet; \"run\" lets virtual time pass")
      }
      guard waitingForSketch.count < APIRules.countMax else {
        throw Refusal("\(APIRules.countMax) requests are already waiting for the sketch")
      }
      waitingForSketch.append(id)
      return []
    case .send(let bytes, at: let time):
      guard let time else { return try send(bytes, id, moment) }
      return try schedule(.receive(bytes), at: time, id, moment)
    case .input(let input, at: let time):
      guard setting.takesInputs else {
        throw Refusal(
          "the device \"\(setting.device)\" has no pins to apply a level or a voltage to; start "
            + "the session with --device avr:FILE")
      }
      guard let time else { return [.input(.input(input), at: nil, for: id)] }
      return try schedule(.input(input), at: time, id, moment)
    case .speed(let baud):
      self.baud = baud
      return [.input(.baud(baud), at: nil, for: id)]
    case .format(let format): return [.input(.format(format), at: nil, for: id)]
    case .lineBreak(let length): return [.input(.senderBreak(length), at: nil, for: id)]
    case .lines(let dtr, let rts): return set(dtr: dtr, rts: rts, id, moment)
    case .reset(let dead):
      return [.input(.reset(dead ?? setting.deadTime), at: nil, for: id)]
    case .expect(let rule, let patience): return try expect(rule, patience, id, moment)
    case .state:
      record.advance(to: moment.settled)
      return [.write(.answer(id, .state(state(moment))))]
    case .counts: return [.write(.answer(id, .counts(counts(moment))))]
    case .events(let from, let max):
      return [.write(.answer(id, .events(events(from: from, max: max))))]
    case .subscribe(let from):
      let first = min(from ?? log.end, log.end)
      subscription = first
      return [.write(.answer(id, .subscribed(from: first)))] + events(moment)
    case .unsubscribe:
      subscription = nil
      return [.write(.answer(id, .unsubscribed))]
    case .explain, .plot, .trace:
      return [.write(.answer(id, try account(request, moment)))]
    case .run(let until): return try run(until: until, id, moment)
    case .end:
      endRequest = id
      return [.end]
    }
  }

  // MARK: Inputs

  /// The maximum number of bytes that wait for the line.
  private static let waitingMax = 1 << 14

  private func send(
    _ bytes: [UInt8], _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Refusal) -> [APIAction] {
    guard moment.onTheWay + bytes.count <= Self.waitingMax else {
      throw Refusal(
        "\(moment.onTheWay) bytes are already waiting for the line, and with these there would be "
          + "more than \(Self.waitingMax); send them later")
    }
    return [.input(.receive(bytes), at: nil, for: id)]
  }

  /// The maximum numbers of scheduled bytes, and of requests that schedule something.
  private static let scheduledBytesMax = 1 << 20
  private static let scheduledMax = 10_000

  private mutating func schedule(
    _ input: Event.Kind, at time: Instant, _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Refusal) -> [APIAction] {
    guard time > moment.now else {
      throw Refusal(
        "expected \"at\" to be later than now, \(String(canonical: moment.now)), found "
          + String(canonical: time))
    }
    guard scheduled.count < Self.scheduledMax,
      scheduledBytes + input.byteCount <= Self.scheduledBytesMax
    else {
      throw Refusal(
        "at most \(Self.scheduledMax) requests and \(Self.scheduledBytesMax) bytes can wait for "
          + "their time")
    }
    let index = scheduled.firstIndex { $0.time > time } ?? scheduled.count
    scheduled.insert((time, input), at: index)
    scheduledBytes += input.byteCount
    return [done(id, at: time)]
  }

  /// Sets or releases modem lines. Setting DTR after it was released restarts an Uno.
  private mutating func set(
    dtr: Bool?, rts: Bool?, _ id: APIRequest.ID, _ moment: APIMoment
  ) -> [APIAction] {
    let restarts = !self.dtr && dtr == true
    self.dtr = dtr ?? self.dtr
    self.rts = rts ?? self.rts
    if restarts { return [.input(.reset(setting.deadTime), at: nil, for: id)] }
    return [done(id, at: moment.now)]
  }

  private func run(
    until: Instant, _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Refusal) -> [APIAction] {
    guard setting.isVirtual else {
      throw Refusal("time passes by itself in this session; --virtual starts one in virtual time")
    }
    guard until > moment.now else {
      throw Refusal(
        "expected \"until\" to be later than now, \(String(canonical: moment.now)), found "
          + String(canonical: until))
    }
    let longest = Interval.seconds(86_400)
    guard until - moment.now <= longest else {
      throw Refusal("at most a day can pass in one request, found \(String(canonical: until))")
    }
    return [.run(until: until, for: id)]
  }

  // MARK: Rules

  private mutating func expect(
    _ rule: Rule, _ patience: Interval?, _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Refusal) -> [APIAction] {
    guard rules.openCount < APIRules.countMax else {
      throw Refusal("\(APIRules.countMax) rules are not decided yet; a session can have no more")
    }
    if let objection = rule.objection(in: setting.setup) { throw Refusal(objection) }
    record.advance(to: moment.settled)
    if case .golden = rule.requirement { return [answer(try golden(rule, id))] }
    let watching = watch(rule, moment)
    if let verdict = rules.add(rule, id, record, patience) { return watching + [answer(verdict)] }
    let (answers, others) = rules.decide(record)
    return watching + answers.map(answer) + others.map { .write(.verdict($0)) }
  }

  /// Watches the pins that a rule names and that the session does not show yet, from now on.
  private mutating func watch(_ rule: Rule, _ moment: APIMoment) -> [APIAction] {
    guard setting.setup.observes.contains(.pin) else { return [] }
    let pins = setting.setup.pins(of: [rule]).filter { !record.shows($0) }
    guard !pins.isEmpty else { return [] }
    record.watch(pins, from: moment.now)
    return [.watch(pins)]
  }

  private mutating func golden(
    _ rule: Rule, _ id: APIRequest.ID
  ) throws(Refusal) -> APIVerdict {
    do throws(TraceError) {
      var judge = try SessionRules([rule], setting.setup) { (path) throws(TraceError) in
        var reader = try TraceReader(path: path)
        try reader.limit(
          to: SessionLimit(remedy: "a live session cannot be judged by a longer one"))
        return reader
      }
      var reader = try TraceReader(text: try whole(until: nil), path: "session")
      while let event = try reader.next() { judge.take(event) }
      return rules.add(judge, id)
    } catch {
      throw Refusal(error.description)
    }
  }

  /// Returns the trace so far. With `end`, its header states the session's duration.
  func whole(until end: Instant?) throws(TraceError) -> [UInt8] {
    guard log.isWhole else {
      throw TraceError(
        .tooLong, path: "session",
        "its beginning is no longer kept: it has more than \(log.textMax) bytes of events; "
          + "--record keeps all of it")
    }
    var header = setting.header
    if let end { header.set(duration: end - .zero) }
    return log.trace(header)
  }
}

extension Event.Kind {
  /// The number of bytes that it sends.
  var byteCount: Int {
    if case .receive(let bytes) = self { bytes.count } else { 0 }
  }
}
