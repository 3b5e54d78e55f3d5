package import Devices
package import Traces
import Turret

extension Ledger {
  /// Runs a device through the reader's trace, up to its duration or its last event.
  package init(_ reader: inout TraceReader, _ device: some Device) throws(TraceError) {
    var simulation = Simulation(device, ledger: Ledger(listing: Ledger.listedMax))
    let end = reader.header.end
    while let event = try reader.next() {
      guard event.reachesDevice, event.time <= end ?? event.time else { continue }
      while simulation.step(to: event.time) {}
      simulation.feed(event)
    }
    while simulation.step(to: end ?? reader.time) {}
    self = simulation.finishLedger()
  }
}
