import Testing

@testable import Network

struct PhoneInvitationTests {
  private static func invitation(_ token: String?) throws -> PhoneInvitation {
    PhoneInvitation(
      fingerprint: Array(repeating: "0F", count: 32).joined(separator: ":"),
      names: CertificateNames(
        hostName: nil, hosts: ["0.0.0.0"], interfaces: (1...9).map { "10.0.0.\($0)" }),
      token: try token.map { try Token($0.utf8) })
  }

  @Test(arguments: [
    ("0123456789abcdef", "#token=0123456789abcdef"),
    ("0123456789abc+#%", "#token=0123456789abc%2B%23%25"), (nil, ""),
  ])
  func `The address has the token in its fragment`(token: String?, end: String) throws {
    let pages = try Self.invitation(token).pages(at: [Endpoint(host: "10.0.0.3", port: 8_443)])
    #expect(pages == ["https://10.0.0.3:8443/phone\(end)"])
  }

  @Test func `A computer with many addresses has four in the invitation`() throws {
    let pages = try Self.invitation(nil).pages(at: [Endpoint(host: "0.0.0.0", port: 1)])
    #expect(pages.count == 4)
    #expect(pages.first == "https://10.0.0.1:1/phone")
  }

  @Test func `Without the page of the phone, the invitation leads to the dashboard`() throws {
    var invitation = try Self.invitation(nil)
    invitation.path = "/"
    let pages = invitation.pages(at: [Endpoint(host: "10.0.0.3", port: 8_443)])
    #expect(pages == ["https://10.0.0.3:8443/"])
  }

  @Test func `An invitation is not printed by accident`() throws {
    let invitation = try Self.invitation("0123456789abcdef")
    var dumped = ""
    dump(invitation, to: &dumped)
    for text in ["\(invitation)", String(reflecting: invitation), dumped] {
      #expect(!text.contains("0123456789abcdef"))
    }
  }
}
