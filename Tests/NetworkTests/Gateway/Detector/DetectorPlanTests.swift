import Sketches
import Testing

@testable import Network

struct DetectorPlanTests {
  @Test(arguments: [
    "ws://127.0.0.1:5900", "ws://localhost:5900/", "ws://[::1]:1", "WS://127.1.2.3:65535",
  ])
  func `A detector on this computer is accepted`(_ text: String) throws {
    #expect(try DetectorPlan(text).warning == nil)
  }

  @Test(arguments: [
    "", "127.0.0.1:5900", "wss://127.0.0.1:5900", "tcp://127.0.0.1:5900", "ws://127.0.0.1",
    "ws://127.0.0.1:0", "ws://127.0.0.1:5900/x", "ws://127.0.0.1:5900/?token=x", "ws://:5900",
    "http://127.0.0.1:5900", "ws://127.0.0.1:99999", "ws://a b:1",
  ])
  func `Anything but ws://HOST:PORT is a usage error`(_ text: String) throws {
    let error = try #require(throws: NetworkError.self) {
      try DetectorPlan(text, allowsRemote: true)
    }
    #expect(error.code == .usage)
    #expect(
      error.description == "error: \"\(text)\" is not the address of a detector; expected "
        + "ws://HOST:PORT, for example ws://127.0.0.1:5900")
  }

  @Test(arguments: ["ws://192.0.2.1:5900", "ws://pi.local:5900", "ws://[2001:db8::1]:5900"])
  func `A detector on another computer requires an option`(_ text: String) throws {
    let error = try #require(throws: NetworkError.self) { try DetectorPlan(text) }
    #expect(error.code == .usage)
    #expect(error.description.contains("give `--allow remote-detector`"))
    #expect(try DetectorPlan(text, allowsRemote: true).warning?.contains("encryption") == true)
  }

  @Test func `No second has more pictures than the limit`() {
    for count in 1...60 {
      var limits = PictureLimits()
      limits.perSecondMax = count
      #expect(limits.period.nanoseconds * Int64(count) >= 1_000_000_000)
    }
  }
}
