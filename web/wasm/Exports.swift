import PageRequests

// What a page calls: a part of its Swift as a function over bytes. A request goes in; its answer
// comes out. web/wasm/link adds the type of the part: `Part`.

// One call at a time, on one thread.
nonisolated(unsafe) private var part = Part()
nonisolated(unsafe) private var input: [UInt8] = []
nonisolated(unsafe) private var output: [UInt8] = []

/// Makes room for a request of so many bytes and returns where it is.
@_expose(wasm, "input")
@_cdecl("sentry_input")
public func makeInput(_ count: Int) -> UnsafeMutableRawPointer? {
  input = [UInt8](repeating: 0, count: max(0, count))
  return input.withUnsafeMutableBytes { $0.baseAddress }
}

/// Answers the request. Returns the kind of the answer: `PageAnswer.Kind`.
@_expose(wasm, "run")
@_cdecl("sentry_run")
public func run() -> Int32 {
  // The memory of a large request is free for its answer.
  let request = input
  input = []
  let answer = part.answer(request)
  output = answer.bytes
  return answer.kind.rawValue
}

/// Where the answer is.
@_expose(wasm, "output")
@_cdecl("sentry_output")
public func outputAddress() -> UnsafeRawPointer? { output.withUnsafeBytes { $0.baseAddress } }

/// The answer's length.
@_expose(wasm, "count")
@_cdecl("sentry_count")
public func outputCount() -> Int { output.count }
