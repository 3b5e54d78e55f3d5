import Sketches
import Testing

@testable import Network

struct TLSLayerTests {
  @Test(arguments: ["--tls cert=", "a wss:// target"])
  func `A program without TLS reports what requires TLS and what to do`(_ what: String) {
    let error = NetworkError.builtWithoutTLS(what)
    #expect(error.code == .usage)
    #expect(error.description.hasPrefix("error: \(what) requires TLS"))
    #expect(error.description.contains("built without TLS"))
    #expect(error.description.contains("wheel"))
    #expect(!error.description.contains("\n"))
  }

  @Test(.enabled(if: !TLSLayer.isBuiltIn, "it is built with TLS"))
  func `Without TLS nothing that requires encryption is served or sent in the clear`() throws {
    let files = TLSFiles(certificates: "/no/such/file", key: "/no/such/file")
    let served = #expect(throws: NetworkError.self) {
      _ = try TLSLayer.serving(files, closeTime: .seconds(1))
    }
    let sent = #expect(throws: NetworkError.self) {
      _ = try SenderStand("wss://127.0.0.1:1/")
    }
    for error in [served, sent] {
      #expect(error?.code == .usage)
      #expect(error?.description.contains("built without TLS") == true)
    }
  }
}
