import Captures
import Devices
import Sketches
import Testing

@Suite struct WaveformPlanTests {
  private static let model = DeviceCapabilities.virtual(
    observing: Set(Output.Kind.allCases).subtracting([.pin]), reportsFates: true)
  private static let chip: DeviceCapabilities = {
    var chip = DeviceCapabilities.virtual(
      observing: [.transmit, .pulse, .tone, .lost, .servo], reportsFates: false)
    chip.showsWires = true
    return chip
  }()

  @Test func `a device adds what a trace does not have`() {
    let plan = WaveformPlan(recorded: [.transmit, .pulse], on: Self.model)
    #expect(plan.added == [.servo, .tone, .lost])
    #expect(!plan.derivesPulses && plan.driven.isEmpty)
    #expect(
      plan.sentence(device: "model")
        == "from the trace: rx, tx, pulse; from the device \"model\": servo, tone, lost")
  }

  @Test func `pulses follow from a trace's servo events, and not from the device`() {
    let plan = WaveformPlan(recorded: [.servo], on: Self.model)
    #expect(plan.added == [.transmit, .tone, .lost] && plan.derivesPulses)
    #expect(
      plan.sentence(device: "model")
        == "from the trace: rx, servo, and the pulses that follow from the servo events; "
        + "from the device \"model\": tx, tone, lost")
  }

  @Test func `a chip shows the levels of its wires, but no state`() {
    let plan = WaveformPlan(recorded: [], on: Self.chip)
    #expect(plan.driven == [.tx, .servo, .tone])
    #expect(plan.notes == [.rxByte, .txByte, .fate, .angle, .tone])
    #expect(WaveformPlan(recorded: [.pulse, .tone], on: Self.chip).driven == [.tx])
  }
}
