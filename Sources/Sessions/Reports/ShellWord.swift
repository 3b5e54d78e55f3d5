/// Words of a command that a message shows for copying.
package enum ShellWord {
  /// Returns a word as a shell requires it, in quotes only if necessary.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=,+@%".contains($0) }
    guard !isPlain || word.isEmpty else { return word }
    let parts = word.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}
