import Devices
import Pictures
import Traces
import Turret
import Verification

// Answers to requests that change nothing.
extension APISession {
  func greeting(_ moment: APIMoment) -> APIGreeting {
    APIGreeting(
      time: moment.now, isVirtual: setting.isVirtual, device: setting.device,
      firmware: setting.header.sketchName, baud: setting.setup.baud,
      shows: setting.setup.observes.sorted { $0.name < $1.name },
      environment: setting.environment.map { .init(name: $0.name, value: $0.value) })
  }

  func state(_ moment: APIMoment) -> APIState {
    let activity = moment.activity ?? record.activity
    let counts = moment.counts
    return APIState(
      time: moment.now, servo: counts.degrees.map { Int($0) },
      pulse: counts.microseconds.map { Int($0) },
      shaft: (record.shaftDegrees * 10).rounded() / 10,
      isSweeping: activity?.isScanning ?? record.isSweeping, activity: activity,
      isReady: isListening(moment), tone: counts.tone, onTheLine: moment.onTheWay,
      waiting: moment.waiting, baud: moment.baud)
  }

  func counts(_ moment: APIMoment) -> APICounts {
    APICounts(
      time: moment.now, counts: moment.counts, commands: moment.commands, events: log.end,
      openRules: rules.openCount)
  }

  func events(from index: Int, max: Int) -> APIEvents {
    let (first, lines) = log.events(from: index, max: max)
    return APIEvents(first: first, lines: lines, lost: Swift.max(0, first - index))
  }

  // MARK: Accounts of the whole session

  /// The maximum number of bytes in an explanation.
  private static let explainedMax = 100_000

  /// Returns the explanation, the picture or the trace of the session so far.
  func account(
    _ request: APIRequest, _ moment: APIMoment
  ) throws(Refusal) -> APIAnswer {
    do throws(TraceError) {
      let text = try whole(until: moment.settled)
      switch request {
      case .trace: return .trace(text)
      case .plot: return .picture(try picture(of: text))
      default:
        guard moment.counts.received <= Self.explainedMax else {
          throw TraceError(
            .tooLong, path: "session",
            "more than \(Self.explainedMax) bytes cannot be explained here; "
              + "use \"sentrybench explain\" on a recording")
        }
        return .explanation(try explanation(of: text))
      }
    } catch {
      throw Refusal(error.description)
    }
  }

  private func explanation(of text: [UInt8]) throws(TraceError) -> APIExplanation {
    let account = try SessionAccount(
      text, path: "session", firmware: setting.setup.firmware, timing: setting.setup.timing)
    let wrongSpeed = record.wrongSpeed.map { [$0.text] } ?? []
    return APIExplanation(lines: wrongSpeed + account.lines, bytes: account.jsonLines)
  }

  private func picture(of text: [UInt8]) throws(TraceError) -> String {
    var reader = try TraceReader(text: text, path: "session")
    let session = try PlottedSession.recorded(
      &reader, firmware: setting.setup.firmware, timing: setting.setup.timing,
      named: setting.device, servo: setting.setup.servo)
    return SessionPicture.svg(of: session)
  }
}
