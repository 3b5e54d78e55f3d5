package import Devices
package import Traces
package import Turret

extension Header {
  /// Returns the profile that the header states; nil if there is none, or if it names a sketch of
  /// the bench. `path`: the trace's, for messages.
  package func ownProfile(in path: String) throws(TraceError) -> Profile? {
    guard let profile else { return nil }
    do throws(NotationError) {
      let notation = Notation(profile)
      let found = try ProfileParser(name: "profile").profile(notation)
      if case .text = notation { return nil }
      return found
    } catch {
      throw TraceError(.malformed, path: path, line: 1, "\"profile\": \(error.message)")
    }
  }

  /// Sets the profile of a sketch that is not one of the bench's own. A device that executes any
  /// program executes that sketch, so the header names it.
  package mutating func set(_ profile: Profile, on source: some DeviceSource) {
    if profile.hasCommands { set(profile: JSONValue(profile)) }
    if source.runsAnyProgram { set(sketch: profile.name) }
  }
}
