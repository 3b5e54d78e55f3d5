import Devices
import Sessions
import Turret

extension LiveRun {
  /// Creates a session with the options that `run` and `record` share.
  init(
    source: any DeviceSource, firmware: Firmware, baud: Int, options: LiveOptions,
    talk: TalkOptions, recording: String?
  ) {
    self.init(
      source: source, firmware: firmware, baud: baud, verbosity: talk.verbosity,
      recording: recording)
    link = options.link.pty
    end = options.duration.end
    command = options.command
  }
}
