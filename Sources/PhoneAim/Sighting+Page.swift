import Aim
import Traces

extension Sighting {
  /// What the page shows for a frame and what it sends, as one JSON object.
  ///
  /// | member | content |
  /// |---|---|
  /// | `command` | what is to be sent; null if nothing has changed |
  /// | `degrees` | the angle of the turret, 0 to 180; null in sentry mode |
  /// | `title`, `description` | the app's two lines |
  /// | `target` | the box that is aimed at, or null |
  /// | `others` | the other boxes, the largest first |
  ///
  /// A box has `box`: `[x, y, width, height]` in points of the view, origin at the upper left;
  /// `kind`, `label` (or null) and `confidence`.
  var pageText: [UInt8] {
    var text = JSONText()
    text.add("command", .text(command?.text))
    text.add("degrees", .whole(wanted.degrees))
    text.add("title", angles == nil ? "Sentry mode" : "Target found")
    text.add("description", angles == nil ? "No targets" : status)
    text.add("target", target?.pageValue ?? .null)
    text.add("others", .array(others.map { $0.pageValue }))
    return Array(text.text.utf8)
  }
}

extension Mark {
  fileprivate var pageValue: JSONValue {
    var value = JSONText()
    let sides = [box.x, box.y, box.width, box.height]
    value.add("box", .array(sides.map { .shortest(Self.rounded($0)) }))
    value.add("kind", observation.kind.rawValue)
    value.add("label", .text(observation.label))
    value.add("confidence", .shortest(Self.rounded(observation.confidence)))
    return value.value
  }

  /// Rounds to a hundredth: a finer difference cannot be seen.
  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
