import ArgumentParser
import Sessions

/// A time zone on the command line.
struct TimeZoneArgument {
  var zone: RecordedZone

  init(_ argument: String) throws {
    guard let zone = RecordedZone(argument) else {
      throw ValidationError(
        "\"\(argument)\" is not a time zone of this computer: Europe/Berlin, UTC or +02:00.")
    }
    self.zone = zone
  }
}
