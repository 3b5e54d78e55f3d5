import Turret

extension PlottedSession {
  /// Returns the session reduced to what a picture of `columns` columns can show.
  func thinned(to columns: Int64) -> PlottedSession {
    let window = start...max(start, end)
    func thinned(_ samples: [Sample]) -> [Sample] {
      var series = ThinnedSeries(window, columns: columns)
      for sample in samples { series.append(sample) }
      return series.finished(at: end).samples
    }
    var bands = ThinnedBands(window, columns: columns / 2)
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
}
