import Testing

@testable import Gateway

struct LocalNameTests {
  @Test(arguments: [
    ("turret", "turret.local"), ("Turret", "turret.local"), ("turret.lan", "turret.local"),
    ("turret.local", "turret.local"), ("a-b.c.d", "a-b.local"), ("", nil), (".lan", nil),
    ("localhost", nil), ("LOCALHOST.localdomain", nil),
  ])
  func `It is the first part of what the system is called`(hostName: String, name: String?) {
    #expect(LocalName.named(hostName) == name)
  }

  @Test func `This computer's has one label`() {
    guard let name = LocalName.ofThisComputer else { return }
    #expect(name.split(separator: ".").count == 2 && name.hasSuffix(".local"))
  }
}
