import SentryCore
import Testing

@Suite struct GatewayAddressTests {
  static let token = "0123456789abcdef"

  @Test(arguments: [
    ("pi.local", "ws://pi.local:12354/"),
    ("  Pi.Local\n", "ws://pi.local:12354/"),
    ("pi", "ws://pi:12354/"),
    ("192.168.1.20:12399", "ws://192.168.1.20:12399/"),
    ("ws://10.0.0.7/", "ws://10.0.0.7:12354/"),
    ("http://10.0.0.7:12354/phone/", "ws://10.0.0.7:12354/"),
    ("[fe80::1]:12400", "ws://[fe80::1]:12400/"),
    ("[::ffff:10.0.0.7]", "ws://[::ffff:10.0.0.7]:12354/"),
    ("wss://turret.example", "wss://turret.example:12354/"),
    ("HTTPS://turret.example:443/phone", "wss://turret.example:443/"),
  ])
  func `An address is accepted in the forms that people use`(
    _ typed: String, _ expected: String
  ) throws {
    let address = try GatewayAddress(typed)
    #expect(address.text == expected)
    #expect(address.token == nil)
  }

  @Test(arguments: [
    ("pi.local", token),
    ("pi.local", " \(token)\n"),
    ("ws://pi.local:12354/?token=\(token)", ""),
    ("https://pi.local:12354/phone/#token=\(token)", ""),
    ("pi.local?fov=70&token=\(token)#top", ""),
    ("pi.local?token=\(token)", token),
    ("pi.local?token=0123456789%61bcdef", ""),
    ("pi.local?token=", token),
  ])
  func `The token is taken from its field or from the address`(
    _ typed: String, _ field: String
  ) throws {
    #expect(try GatewayAddress(typed, token: field).token == Self.token)
  }

  @Test(
    arguments: [
      ("", "", .empty),
      (" \n", "", .empty),
      ("ftp://pi.local", "", .badScheme("ftp")),
      ("ws://", "", .badHost("")),
      ("ws:///phone", "", .badHost("")),
      ("pi local", "", .badHost("pi local")),
      ("pi..local", "", .badHost("pi..local")),
      ("pï.local", "", .badHost("pï.local")),
      ("[fe80::1", "", .badHost("[fe80::1")),
      ("[fe80::1]x", "", .badHost("[fe80::1]x")),
      ("[pi]", "", .badHost("[pi]")),
      ("fe80::1", "", .badPort(":1")),
      ("pi.local:", "", .badPort("")),
      ("pi.local:0", "", .badPort("0")),
      ("pi.local:65536", "", .badPort("65536")),
      ("pi.local:+80", "", .badPort("+80")),
      ("pi.local:99999999999999999999", "", .badPort("99999999999999999999")),
      ("me:secret@pi.local", "", .hasUser),
      ("pi.local", "0123456789 abcdef", .badToken),
      ("pi.local", "0123456789abcdéf", .badToken),
      ("pi.local?token=%zz", "", .badToken),
      ("pi.local?token=%4", "", .badToken),
      ("pi.local", "short", .badLength(5)),
      ("pi.local?token=0123456789abcdeX", token, .twoTokens),
      ("turret.example", "", .notLocal("turret.example")),
      ("1.2.3", "", .notLocal("1.2.3")),
      ("1.2.3.256", "", .notLocal("1.2.3.256")),
    ] as [(String, String, AddressError)])
  func `An address or a token that cannot work is refused with the reason`(
    _ typed: String, _ field: String, _ expected: AddressError
  ) {
    #expect(throws: expected) { try GatewayAddress(typed, token: field) }
  }

  @Test(arguments: [
    (AddressError.badPort("0"), "The port must be 1 to 65535, not \"0\"."),
    (
      .notLocal("turret.example"),
      "iOS requires encryption for turret.example. Use wss://, or a name in .local, or an IP"
        + " address."
    ),
    (.badLength(5), "A token has 16 to 256 characters, not 5."),
    (.badHost(""), "The address has no host, for example pi.local."),
  ])
  func `A reason says what to do`(_ error: AddressError, _ expected: String) {
    #expect(error.description == expected)
  }
}
