import Testing

@testable import Network

struct SenderTargetTests {
  @Test(arguments: [
    ("ws://pi:12354", "ws://pi:12354/"), ("WS://pi:12354/", "ws://pi:12354/"),
    ("wss://[::1]:443/a/b", "wss://[::1]:443/a/b"),
    ("ws://pi:1/?token=0123456789abcdef", "ws://pi:1/"),
    ("ws://pi:1?token=0123456789abcdef", "ws://pi:1/"),
    ("ws://pi:1/;token=0123456789abcdef", "ws://pi:1/;token=..."),
    ("tcp://127.0.0.1:12340", "tcp://127.0.0.1:12340"), ("tcp://pi:5/", "tcp://pi:5"),
  ])
  func `A target is parsed, and shown without its query`(text: String, shown: String) throws {
    let target = try SenderTarget(text)
    #expect("\(target)" == shown)
    let query = text.firstIndex(of: "?").map { String(text[$0...].dropFirst()) }
    #expect(target.request.query == query)
  }

  @Test(arguments: [
    "", "pi:12354", "http://pi:1/", "://pi:1", "ws://", "ws://pi", "ws://pi/", "ws://:1/",
    "ws://pi:0/", "ws://pi:70000/", "ws://::1:80/", "ws://pi:1/a b", "ws://pi:1/#top",
    "ws://pi:1/\u{E9}", "ws://me@pi:1/", "ws://p i:1/", "ws://pi\r\n:1/", "ws://pi:1/\r\nX: y",
    "tcp://pi:5/path", "tcp://pi:5?token=0123456789abcdef", "xs://pi:1/?token=0123456789abcdef",
  ])
  func `An invalid target is refused with what is expected and without its token`(text: String) {
    let failure = #expect(throws: NetworkError.self) { try SenderTarget(text) }
    #expect(failure?.code == .usage)
    #expect(failure?.description.hasSuffix(SenderTarget.form) == true)
    #expect(failure?.description.contains("0123") == false)
  }

  @Test func `Certificates require TLS`() throws {
    #expect(try SenderTarget("wss://pi:1/", authorities: "ca.pem").authorities == "ca.pem")
    #expect(throws: NetworkError.self) { try SenderTarget("ws://pi:1/", authorities: "ca.pem") }
  }
}
