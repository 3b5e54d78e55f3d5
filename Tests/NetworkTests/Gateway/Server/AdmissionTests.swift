import Testing

@testable import Network

struct AdmissionTests {
  private static let far = Peer.four(0x0A00_0001)
  private static let farther = Peer.four(0x0A00_0002)

  private static func admission(clientsMax: Int = 64) -> Admission<Int> {
    Admission(AdmissionPlaces(clientsMax: clientsMax))
  }

  @Test(arguments: [
    (1, 64, 1, 48, 16, 1), (8, 64, 8, 48, 16, 8), (10, 64, 10, 48, 16, 8),
    (64, 64, 64, 48, 16, 32), (1_000, 1_000, 1_000, 750, 250, 500),
  ])
  func `One address can use part of the places, and this computer a larger part`(
    clientsMax: Int, requests: Int, clientsHere: Int, requestsHere: Int, requestsThere: Int,
    clientsThere: Int
  ) {
    let places = AdmissionPlaces(clientsMax: clientsMax)
    #expect(places.requests == requests)
    #expect(places.clients(from: .loopback) == clientsHere)
    #expect(places.requests(from: .loopback) == requestsHere)
    #expect(places.requests(from: Self.far) == requestsThere)
    #expect(places.clients(from: Self.far) == clientsThere)
  }

  @Test func `The oldest request of an address gives way to its newest`() {
    var admission = Self.admission()
    for id in 1...16 { #expect(admission.enter(id, from: Self.far, as: .request) == nil) }
    #expect(admission.enter(17, from: Self.far, as: .request) == 1)
    #expect(admission.enter(18, from: Self.farther, as: .request) == nil)
    #expect(admission.enter(19, from: Self.far, as: .request) == 2)
    // One that has left makes room.
    admission.leave(10)
    #expect(admission.enter(20, from: Self.far, as: .request) == nil)
    #expect(admission.enter(21, from: Self.far, as: .request) == 3)
  }

  @Test func `If all places are taken, the oldest request gives way, whatever its address`() {
    var admission = Self.admission()
    for id in 0..<64 {
      #expect(admission.enter(id, from: .four(UInt32(id / 10)), as: .request) == nil)
    }
    #expect(admission.enter(64, from: Self.far, as: .request) == 0)
    #expect(admission.enter(65, from: .loopback, as: .request) == 1)
  }

  @Test func `An incomplete request gives way before one that is answered`() {
    var admission = Self.admission()
    for id in 1...16 { _ = admission.enter(id, from: Self.far, as: .request) }
    for id in [1, 2, 4] { admission.answered(id) }
    #expect(admission.enter(17, from: Self.far, as: .request) == 3)
    #expect(admission.enter(18, from: Self.far, as: .request) == 5)
    for id in 6...18 { admission.answered(id) }
    // Answered requests that do not close lose their places, too.
    #expect(admission.enter(19, from: Self.far, as: .request) == 1)
  }

  @Test func `A client never gives way, however many requests arrive`() {
    var admission = Self.admission()
    #expect(admission.enter(0, from: .loopback, as: .client) == nil)
    for id in 1...1_000 {
      #expect(admission.enter(id, from: .loopback, as: .request) == (id > 48 ? id - 48 : nil))
    }
    // A client takes no request's place.
    for id in 1_001...1_063 { #expect(admission.enter(id, from: .loopback, as: .client) == nil) }
    #expect(admission.enter(1_064, from: Self.far, as: .request) == nil)
  }

  @Test func `A request that becomes a client frees its place for another`() {
    var admission = Self.admission()
    for id in 1...16 { _ = admission.enter(id, from: Self.far, as: .request) }
    #expect(admission.enter(1, from: Self.far, as: .client) == nil)
    admission.answered(1)
    #expect(admission.enter(17, from: Self.far, as: .request) == nil)
    #expect(admission.enter(18, from: Self.far, as: .request) == 2)
  }

  @Test func `The number of clients is limited, and one address can have half of it`() {
    var admission = Self.admission()
    for id in 1...32 {
      #expect(admission.refusal(from: Self.far) == nil)
      _ = admission.enter(id, from: Self.far, as: .client)
    }
    #expect(admission.refusal(from: Self.far) == .tooManyFromThere)
    #expect(admission.refusal(from: Self.farther) == nil)
    for id in 33...64 { _ = admission.enter(id, from: .loopback, as: .client) }
    for peer in [Self.far, Self.farther, .loopback] {
      #expect(admission.refusal(from: peer) == .tooMany)
    }
    admission.leave(1)
    #expect(admission.refusal(from: Self.far) == nil)
  }

  @Test func `A connection without a place changes nothing`() {
    var admission = Self.admission(clientsMax: 1)
    admission.leave(1)
    admission.answered(1)
    #expect(admission.enter(1, from: Self.far, as: .client) == nil)
    admission.leave(1)
    admission.leave(1)
    #expect(admission.refusal(from: Self.far) == nil)
  }
}
