package import Engine
package import Judging
import Network
import Platform
import Sketches
import Traces

extension ProfileChoice {
  /// Reads what the option states: `none`, the name of a sketch of the bench, or a file.
  package init(_ text: String) throws(Failure) {
    if text == "none" {
      self = .bytes
    } else if let firmware = Firmware(rawValue: text) {
      self = .ours(firmware)
    } else {
      self = .own(
        try SuiteFiles.read(text, wanting: "a profile") { (_, documents) throws(NotationError) in
          try ProfileParser(path: text).profile(documents)
        })
    }
  }

  /// Reads what a scenario states. `path` is the path of the scenario's file.
  package init(_ stated: Scenario.ProfileSource, besides path: String) throws(Failure) {
    switch stated {
    case .own(let profile): self = .own(profile)
    case .file(let text):
      let isFile = text != "none" && Firmware(rawValue: text) == nil
      try self.init(isFile ? RuleFile.path(text, besides: path) : text)
    }
  }

  /// Chooses the commands that a gateway passes on. Throws if they do not include the one that
  /// `onDisconnect` requires.
  package func apply(to settings: inout ArbiterSettings) throws(Failure) {
    switch self {
    case .ours(let firmware): settings.firmware = firmware
    case .own(let profile): settings.profile = profile
    case .bytes: settings.isRaw = true
    }
    let action = settings.onDisconnect
    guard profile.map({ action.isDeclared(by: $0) }) ?? (action == .hold) else {
      let found = profile.map { "the profile \($0.name)" } ?? "a sketch without a profile"
      throw Failure(
        .usage,
        "error: --on-disconnect \(action.rawValue) requires a profile that says which command that "
          + "is; \(found) has none. Add it as \"\(action.rawValue): ...\", or use "
          + "--on-disconnect hold")
    }
  }
}
