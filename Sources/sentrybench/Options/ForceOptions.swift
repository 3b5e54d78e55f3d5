import ArgumentParser
import Sessions
import Sketches

/// A command that states every file that it reads and writes, so that they are checked before any
/// of them is opened.
protocol FileNaming: ParsableCommand {
  /// Whether files that the program did not write can be replaced.
  var isForced: Bool { get }

  func name(in files: inout NamedFiles)
}

extension FileNaming {
  var isForced: Bool { false }

  var files: NamedFiles {
    var files = NamedFiles()
    files.isForced = isForced
    name(in: &files)
    return files
  }
}

/// A command with the option `--force`.
protocol FileForcing: FileNaming {
  var force: ForceOptions { get }
}

extension FileForcing {
  var isForced: Bool { force.force }
}

/// The option of commands that write files.
struct ForceOptions: ParsableArguments {
  @Flag(
    help: """
      Replace an output file even if sentrybench did not write it, or if it is a trace and the \
      output is not. A file that the command reads is never replaced.
      """)
  var force = false
}

extension DeviceOptions {
  /// Adds the files that describe the device.
  func name(in files: inout NamedFiles) {
    files.read(selection.timing, chipPath)
    chip.name(in: &files)
  }
}

extension AVROptions {
  func name(in files: inout NamedFiles) { files.read(bootloader) }
}

extension ProfileOptions {
  func name(in files: inout NamedFiles) {
    guard let profile, profile != "none", Firmware(rawValue: profile) == nil else { return }
    files.read(profile)
  }
}

extension NetworkOptions {
  func name(in files: inout NamedFiles) {
    files.read(access.tokenFile, access.tlsCert, access.tlsKey)
  }
}

extension SessionOptions {
  func name(in files: inout NamedFiles) {
    deviceOptions.name(in: &files)
    profileOptions.name(in: &files)
    files.write(rotation.record, "--record")
    files.isForced = force.force
  }
}
