import Devices
import Sessions
import Turret

extension LiveRun {
  /// A session with what `run` and `record` have in common.
  init(
    source: any DeviceSource, firmware: Firmware, baud: Int, options: LiveOptions,
    talk: TalkOptions, recording: String?
  ) {
    self.init(
      source: source, firmware: firmware, baud: baud, verbosity: talk.verbosity,
      recording: recording)
    link = options.pty
    end = options.end
    command = options.command
  }
}
