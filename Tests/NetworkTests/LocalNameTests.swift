import Testing

@testable import Network

struct LocalNameTests {
  @Test(arguments: [
    ("turret", "turret.local"), ("Turret", "turret.local"), ("turret.lan", "turret.local"),
    ("turret.local", "turret.local"), ("a-b.c.d", "a-b.local"), ("", nil), (".lan", nil),
    ("localhost", nil), ("LOCALHOST.localdomain", nil),
  ])
  func `The local name is the first part of the system's host name`(hostName: String, name: String?)
  {
    #expect(LocalName.named(hostName) == name)
  }

  @Test func `The local name of this computer has one label`() {
    guard let name = LocalName.ofThisComputer else { return }
    #expect(name.split(separator: ".").count == 2 && name.hasSuffix(".local"))
  }
}
