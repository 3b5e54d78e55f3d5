/// The last few lines of one side, for the report of a divergence.
struct Neighbourhood: Sendable {
  private static let count = 16

  private var ring: [Divergence.Neighbour] = []
  private var next = 0

  @inline(__always)
  mutating func append(_ neighbour: Divergence.Neighbour) {
    if ring.count < Self.count {
      ring.append(neighbour)
    } else {
      ring[next] = neighbour
    }
    next = (next + 1) % Self.count
  }

  var inOrder: [Divergence.Neighbour] {
    ring.count < Self.count ? ring : Array(ring[next...] + ring[..<next])
  }
}
