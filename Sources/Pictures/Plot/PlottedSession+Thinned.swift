import Turret

extension PlottedSession {
  /// Returns the session reduced to what a picture of `columns` columns can show.
  func thinned(to columns: Int64) -> PlottedSession {
    func thinned(_ samples: [Sample]) -> [Sample] { self.thinned(samples, to: columns) }
    var bands = ThinnedBands(start...max(start, end), columns: columns / 2)
    for band in modes { bands.append(band.mode, from: band.start, to: band.end) }
    let shown = bands.finished(at: end)
    var copy = self
    (copy.commanded, copy.pulses) = (thinned(commanded), thinned(pulses))
    (copy.shaft, copy.expected) = (thinned(shaft), thinned(expected))
    for index in others.indices {
      copy.others[index].commanded = thinned(others[index].commanded)
      copy.others[index].shaft = thinned(others[index].shaft)
    }
    for index in levels.indices { copy.levels[index].samples = thinned(levels[index].samples) }
    copy.modes = shown.bands
    copy.isThinned =
      isThinned || shown.isThinned || copy.commanded.count < commanded.count
      || copy.pulses.count < pulses.count || copy.shaft.count < shaft.count
      || copy.others != others || copy.levels != levels
    return copy
  }

  /// Returns the levels reduced to what `columns` columns can show, shared equally among them.
  func levels(thinnedTo columns: Int64) -> [PlottedLevel] {
    levels.map { level in
      PlottedLevel(level.name, thinned(level.samples, to: columns / Int64(levels.count)))
    }
  }

  private func thinned(_ samples: [Sample], to columns: Int64) -> [Sample] {
    var series = ThinnedSeries(start...max(start, end), columns: columns)
    for sample in samples { series.append(sample) }
    return series.finished(at: end).samples
  }
}
