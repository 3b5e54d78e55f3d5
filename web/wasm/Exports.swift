import Pages

// The functions that a page calls. They pass requests to a part of the bench and return its
// answers, both as bytes. web/wasm/link adds the type of the part: `Part`.

// One call at a time, on one thread.
nonisolated(unsafe) private var part = Part()
nonisolated(unsafe) private var input: [UInt8] = []
nonisolated(unsafe) private var output: [UInt8] = []

/// Allocates memory for a request of `count` bytes and returns its address.
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
  // The memory of a large request is not kept after its answer.
  let request = input
  input = []
  let answer = part.answer(request)
  output = answer.bytes
  return answer.kind.rawValue
}

/// Returns the answer's address.
@_expose(wasm, "output")
@_cdecl("sentry_output")
public func outputAddress() -> UnsafeRawPointer? { output.withUnsafeBytes { $0.baseAddress } }

/// Returns the answer's length in bytes.
@_expose(wasm, "count")
@_cdecl("sentry_count")
public func outputCount() -> Int { output.count }
