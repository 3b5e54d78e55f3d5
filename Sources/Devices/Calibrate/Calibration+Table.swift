import Traces
import Turret

extension Calibration {
  /// A line for each figure: the measured value, the spread and number of the samples, and the
  /// built-in value.
  package var table: [String] {
    let head = ["microseconds", "measured", "spread", "samples", "built in"]
    let rows = figures.map { figure in
      let (spread, count) =
        figure.samples.map { (Self.text($0.spread), "\($0.count)") } ?? ("-", "not measured")
      return [figure.name, Self.text(figure.value), spread, count, Self.text(figure.builtIn)]
    }
    let all = [head] + rows
    let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }.joined(separator: "  ")
    }
  }

  /// Formats microseconds with three decimal places.
  private static func text(_ interval: Interval) -> String {
    let (whole, part) = interval.nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000)
    let places = String(part + 1_000).dropFirst()
    return (interval < .zero ? "-" : "") + "\(whole).\(places)"
  }
}
