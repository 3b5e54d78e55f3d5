package import Traces
import Turret

extension Header {
  /// The header of a session that is driven in the page, on a sketch of any name.
  package static func driven(_ sketch: String, baud: Int, on source: String) -> Header {
    var header = Header(
      firmware: .classic, baud: baud, duration: nil, title: "Driven in the playground")
    header.set(sketch: sketch)
    header.set(source: "sentrybench playground, \(source)")
    return header
  }
}
