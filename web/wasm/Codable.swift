// Embedded Swift has no `Codable`, and neither a page nor the chip saves a state. There the name
// requires nothing, so that no source distinguishes the two. It is compiled into each module.
public protocol Codable {}
