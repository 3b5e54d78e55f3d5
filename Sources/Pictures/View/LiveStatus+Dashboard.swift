import Sketches
package import Traces

extension LiveStatus {
  /// The maximum number of commands that a dashboard lists.
  private static var commandsMax: Int { 12 }

  /// What a dashboard shows of the session except its commands, as members of a JSON object.
  /// Unknown values are null, because a dashboard keeps the last value of a missing member.
  package var dashboardMembers: [JSONValue.Member] {
    [
      .init("device", deviceJSON), .init("servos", .array(servos)),
      .init("sketch", .text(activity?.description)), .init("tone", .shortest(toneHertz)),
      .init("bytes", bytes), .init("commands_taken", .whole(counts.commands)),
    ]
  }

  /// The last commands as the sketch understood them or, with a profile, as they were sent; newest
  /// last.
  package var dashboardCommands: JSONValue {
    let found = RecentCommand.find(in: self, each: true)
    let commands = found.suffix(Self.commandsMax)
    return .array(
      commands.map { command in
        .object([
          .init("time", .seconds(command.time)), .init("text", .string(command.text)),
          .init("outcome", .string(command.outcome)),
          .init("standing", .string(command.standing.name)),
        ])
      })
  }

  private var deviceJSON: JSONValue {
    .object([
      .init("name", .string(device)), .init("firmware", .string(sketch ?? firmware.rawValue)),
      .init("profile", .text(describesCommands ? profile?.name : nil)),
      .init("baud", .whole(baud)), .init("sender_baud", .whole(senderBaud)),
    ])
  }

  private var bytes: JSONValue {
    let lost = counts.lost.values.reduce(0) { $0 + $1 }
    return .object([
      .init("received", .whole(counts.received)), .init("on_line", .whole(counts.waitingOnLine)),
      .init("in_ring", .whole(counts.waitingInRing)), .init("lost", .whole(lost)),
      .init("from_board", .whole(counts.transmitted)),
    ])
  }

  private var servos: [JSONValue] {
    var servos: [JSONValue] = []
    if let degrees = commandedDegrees {
      servos.append(
        servo(
          ownPin, degrees, commandedMicroseconds, shaft: shaftDegrees, isMoving: isShaftMoving))
    }
    for other in others {
      servos.append(
        servo(
          other.pin, other.commandedDegrees, other.commandedMicroseconds,
          shaft: other.shaftDegrees, isMoving: other.isShaftMoving))
    }
    return servos
  }

  private func servo(
    _ pin: BoardPin?, _ degrees: UInt8, _ pulse: UInt16?, shaft: Double?, isMoving: Bool
  ) -> JSONValue {
    let pulseDegrees = pulse.map { Shaft.degrees(of: Double($0)) }
    return .object([
      .init("pin", .text(pin?.name)), .init("label", .text(pin.map { label(ofServoOn: $0) })),
      .init("commanded", .whole(degrees)),
      .init("pulse", .whole(pulse)), .init("pulse_degrees", Self.tenths(pulseDegrees)),
      .init("shaft", Self.tenths(shaft)), .init("moving", .bool(isMoving)),
    ])
  }

  /// A tenth of a degree is less than a dial can show.
  private static func tenths(_ angle: Double?) -> JSONValue {
    .shortest(angle.map { ($0 * 10).rounded() / 10 })
  }
}
