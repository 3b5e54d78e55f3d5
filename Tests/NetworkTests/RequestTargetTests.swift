import Network
import Testing

struct RequestTargetTests {
  @Test(
    arguments: [
      ("/", "/", nil, nil),
      ("/events", "/events", nil, nil),
      ("/?", "/", "", nil),
      ("/events?token=a&b=c", "/events", "token=a&b=c", nil),
      ("/events?a?b", "/events", "a?b", nil),
      ("/%65vents", "/%65vents", nil, nil),
      ("//a.example/x", "//a.example/x", nil, nil),
      ("*", "*", nil, nil),
      ("http://a.example:80/health?x", "/health", "x", "a.example:80"),
      ("HTTP://a.example", "/", nil, "a.example"),
      ("ws://a.example?token=x", "/", "token=x", "a.example"),
    ] as [(String, String, String?, String?)])
  func `A request target is a path and a query`(
    text: String, path: String, query: String?, authority: String?
  ) throws {
    let target = try #require(RequestTarget(text))
    #expect(target.path == path)
    #expect(target.query == query)
    #expect(target.authority == authority)
  }

  @Test(arguments: [
    ("/", "/"), ("/events", "/events"), ("/tokens", "/tokens"), ("/token", "/token"),
    ("/;token=secret", "/;token=..."), ("/;token=secret/health", "/;token=..."),
    ("/TOKEN=secret", "/TOKEN=..."), ("/a;x=1;Token=secret;y=2", "/a;x=1;Token=..."),
    ("/;%74oken=secret", "/;%74oken=..."),
    ("/;%54%4F%4b%45%4e%3Dsecret", "/;%54%4F%4b%45%4e%3D..."),
    ("/;token%3dsecret", "/;token%3d..."), ("/;toke%256esecret", "/;toke%256esecret"),
    ("/;toke%256e=secret", "/;toke%256e=..."), ("/;%2%35%374oken=secret", "/;%2%35%374oken=..."),
    ("/;token=", "/;token="), ("/%zz;token=secret", "/%zz;token=..."),
    ("/;token=secret?token=secret", "/;token=..."), ("/?token=secret", "/"),
    ("http://a.example/;token=secret", "/;token=..."),
  ])
  func `A printed request target shows no token`(text: String, printed: String) throws {
    let target = try #require(RequestTarget(text))
    #expect("\(target)" == printed)
    #expect(String(reflecting: target) == printed)
    #expect(Mirror(reflecting: target).children.map { "\($0.value)" } == [printed])
  }

  @Test(arguments: [
    "", "health", "?token=x", "/a b", "/a\n", "/\u{0}", "/é", "/#x", "/a#b", "*?x", "ftp://a/b",
    "http://", "http:///x", "http://?x", "a.example:80", "/\u{7F}",
  ])
  func `A target that no client may send is invalid`(text: String) {
    #expect(RequestTarget(text) == nil)
  }

  @Test(arguments: [
    ("/", RequestTarget.Item.absent),
    ("/?", .absent),
    ("/?&&", .absent),
    ("/?tok=a&tokens=b&Token=c&xtoken=d", .absent),
    ("/?x=token=a", .absent),
    ("/?token=abc", .value("abc")),
    ("/?a=b&token=abc&c=d", .value("abc")),
    ("/?token=a%2Bb", .value("a+b")),
    ("/?token=a%2bb", .value("a+b")),
    ("/?token=a+b", .value("a+b")),
    ("/?token=a%20b", .value("a b")),
    ("/?token=a=b==", .value("a=b==")),
    ("/?token=%26%3D%3F", .value("&=?")),
    ("/?%74oken=abc", .value("abc")),
    ("/?token=%C3%A9", .value("é")),
    ("/?token=%00", .value("\u{0}")),
    ("/?token=", .value("")),
    ("/?token", .value("")),
    ("/?token=%", .malformed),
    ("/?token=%4", .malformed),
    ("/?token=abc%zz", .malformed),
    ("/?token=%4g", .malformed),
    ("/?token=%+1", .malformed),
    ("/?token=%FF", .malformed),
    ("/?token=%C3", .malformed),
    ("/?token=%ED%A0%80", .malformed),
    ("/?token=a&token=a", .repeated),
    ("/?token=a&x=1&token=b", .repeated),
    ("/?token=a&%74oken=b", .repeated),
    ("/?token&token", .repeated),
    ("/?token=%&token=a", .repeated),
    // A name that cannot be decoded does not match.
    ("/?%zz=1&token=a", .value("a")),
    ("/?tok%65n=a&toke%6=b", .value("a")),
  ])
  func `An item of the query is decoded once`(text: String, item: RequestTarget.Item) throws {
    #expect(try #require(RequestTarget(text)).item("token") == item)
  }
}
