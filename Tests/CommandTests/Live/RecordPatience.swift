/// A board lives in real time, and a bench that plays one needs its share of the processor: where
/// something else had it for a quarter of a second, an answer is as late as that, and the session
/// is another. So a session with a board may be tried again. What is wrong stays wrong.
enum RecordPatience {
  static func attempt<Result>(
    _ deed: () async throws -> Result, until isGood: (Result) throws -> Bool
  ) async throws -> Result {
    for _ in 1..<5 {
      if let result = try? await deed(), try isGood(result) { return result }
    }
    return try await deed()
  }
}
