import Captures
import Devices
import Sketches
import Traces

/// Converts other tools' recordings for the page, and traces for other tools. Separate from
/// `Playground`, because most visits do not need it.
package struct Converter {
  /// The longest file and the longest trace, in bytes.
  private static var sizeMax: Int { 256 << 20 }

  private let work = PageWork()

  package init() {}

  /// Answers a request: `convert NAME`, `vcd NAME` with a trace, or `done` with what the page has
  /// inflated.
  package mutating func answer(_ bytes: [UInt8]) -> PageAnswer {
    let request = PageRequest(bytes)
    let isWork = request.word == "done"
    work.begin(isResult: isWork)
    do throws(PageFailure) {
      if isWork {
        try work.finish(request.payload)
        return PageAnswer(.result, [])
      }
      if request.word == "vcd" {
        return PageAnswer(.result, try draw(request.payload, name: request.argument))
      }
      return PageAnswer(.result, try convert(request.payload, name: request.argument))
    } catch {
      // A conversion also fails if the browser first has to inflate something.
      return work.due ?? PageAnswer(error)
    }
  }

  /// Returns the kind and the notes, a line each, an empty line, and the trace.
  private func convert(_ bytes: [UInt8], name: String) throws(PageFailure) -> [UInt8] {
    guard bytes.count <= Self.sizeMax else {
      throw PageFailure("\(name): error: expected a file of at most 256 MB")
    }
    guard !CaptureKind.candidates(for: CaptureHead(bytes)).isEmpty else {
      throw failureOfTrace(bytes, name: name)
    }
    do throws(CaptureError) {
      let capture = try Capture([CaptureFile(name: name, bytes: bytes)], inflate: inflate)
      var text: [UInt8] = []
      for line in [capture.summary.kind.name] + capture.sentences() { text.append(line + "\n") }
      text.append("\n")
      text.appendLine(capture.header)
      try capture.read { (event) throws(CaptureError) in
        text.appendLine(event)
        guard text.count <= Self.sizeMax else {
          throw CaptureError(.usage, "expected a recording whose trace has at most 256 MB")
        }
      }
      return text
    } catch {
      var error = TraceError(error, path: name)
      if error.code == .usage { error.message += "; sentrybench convert has these options" }
      throw PageFailure(error)
    }
  }

  /// Returns a trace's session as a VCD file, as `convert --to vcd` draws it on the model.
  private func draw(_ text: [UInt8], name: String) throws(PageFailure) -> [UInt8] {
    do throws(TraceError) {
      var reader = try TraceReader(text: text, path: name)
      try reader.limit(to: .page)
      let source = ModelSource()
      let header = reader.header
      let firmware = try source.firmware(of: header, in: name, unless: nil)
      let device = source.makeDevice(for: header, firmware: firmware, showsPulses: true)
      var recorded = header.expects ?? []
      var all = try TraceReader(text: text, path: name)
      while let event = try all.next() {
        if let output = event.output { recorded.insert(output.kind) }
      }
      let plan = WaveformPlan(recorded: recorded, on: device.capabilities)
      let pins = try WavePins.named(
        in: TraceReader(text: text, path: name), on: device, adding: plan.added)
      var file: [UInt8] = []
      _ = try WaveformDrawing(plan, timing: firmware.sketch.timing)
        .drawVCD(&reader, on: device, named: source.name, pins: pins) {
          (bytes) throws(CaptureError) in
          file += bytes
          guard file.count <= Self.sizeMax else {
            throw CaptureError(.usage, "expected a session whose file has at most 256 MB")
          }
        }
      return file
    } catch {
      throw PageFailure(error)
    }
  }

  /// Returns the failure for a file that is not a known recording: that of a trace whose header is
  /// wrong.
  private func failureOfTrace(_ bytes: [UInt8], name: String) -> PageFailure {
    do throws(TraceError) {
      _ = try TraceReader(text: bytes, path: name)
    } catch {
      return PageFailure(error)
    }
    return PageFailure("\(name): error: expected a trace or a recording")
  }

  /// Opens the compressed members of a zip with what the page has inflated.
  private var inflate: Inflation {
    { [work] (read, give) throws(CaptureError) in
      var given: [UInt8] = []
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
      defer { buffer.deallocate() }
      while true {
        let count = try read(buffer)
        if count == 0 { break }
        given += buffer[..<count]
      }
      guard let result = work.result(of: PageAnswer(.inflate, given)) else {
        throw CaptureError(.inputOutput, "the browser has not inflated it")
      }
      var failure: CaptureError?
      result.withUnsafeBytes { bytes in
        do throws(CaptureError) { try give(bytes) } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }
}
