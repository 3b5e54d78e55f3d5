/// Repeats sessions with a board, which depend on real time: if the bench that plays the board gets
/// no processor for a quarter of a second, its answers are that late and the session is a different
/// one. An actual fault fails in every attempt.
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
