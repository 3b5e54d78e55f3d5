/// The system that the tests run on.
package enum OperatingSystem {
  package static let isLinux: Bool = {
    #if os(Linux)
      true
    #else
      false
    #endif
  }()
}
