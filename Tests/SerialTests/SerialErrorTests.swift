import SystemPackage
import Testing

@testable import Serial

@Suite struct SerialErrorTests {
  @Test func `An error names the port, the failure and the system's reason`() {
    let error = SerialError(
      .unavailable, path: "/dev/ttyACM0", cause: .permissionDenied, "cannot be opened")
    #expect(error.description == "/dev/ttyACM0: error: cannot be opened: Permission denied")
  }
}
