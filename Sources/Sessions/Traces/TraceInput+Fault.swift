import Files
import Traces
import Turret
import Verification

extension TraceInput {
  /// Returns what is wrong with the recording; nil if nothing is, or if it is a pipe that has been
  /// read already.
  func fault(on choice: DeviceChoice) throws(TraceError) -> RecordingFault? {
    try facts(on: choice)?.fault
  }

  /// Returns what shows that; nil if it is a pipe that has been read already.
  func facts(on choice: DeviceChoice) throws(TraceError) -> RecordingFacts? {
    guard var reader = try readerAgain() else { return nil }
    choice.nameSketch(of: &reader)
    return try RecordingFacts(&reader, firmware: choice.firmware)
  }
}

extension Verbosity {
  /// Reports what is wrong with a recording, whatever the verbosity: it is a result.
  func report(_ fault: RecordingFault?, _ hints: RecordingFault.Hints, about path: String) {
    if let fault { Console.report("\(path): error: \(fault.text(hints))") }
  }
}
