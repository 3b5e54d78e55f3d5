package import Traces

/// Why a recording cannot be converted: the place, the cause, and what to do.
package struct CaptureError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// The options do not fit the recording, or the recording leaves more than one choice.
    case usage
    /// The recording is damaged, of no known kind, or cannot contain a session.
    case malformed
    /// The file could not be read.
    case inputOutput
  }

  /// A place in a recording.
  package enum Place: Hashable, Sendable {
    case whole
    /// Both count from 1; column 0 means the whole line.
    case line(Int, column: Int = 1)
    /// An offset into the file, in bytes.
    case byte(Int64)
  }

  package var code: Code
  /// The index of the recording's file, from 0.
  package var file = 0
  package var place: Place
  /// A sentence without the file's name.
  package var message: String

  package init(_ code: Code, at place: Place = .whole, _ message: String) {
    self.code = code
    self.place = place
    self.message = PlainText.of(message, upTo: 800)
  }

  /// Creates the error of a malformed recording.
  package init(at place: Place = .whole, _ message: String) {
    self.init(.malformed, at: place, message)
  }

  /// Returns the same error for another of the recording's files.
  func inFile(_ index: Int) -> CaptureError {
    var error = self
    error.file = index
    return error
  }

  /// Returns the same error for another place.
  func at(_ place: Place) -> CaptureError {
    var error = self
    error.place = place
    return error
  }
}

extension TraceError {
  /// Converts the error of a recording in the files at `paths`.
  package init(_ error: CaptureError, paths: [String]) {
    self.init(error, path: paths.indices.contains(error.file) ? paths[error.file] : paths[0])
  }

  /// Converts the error of a recording in the file at `path`.
  package init(_ error: CaptureError, path: String) {
    let code: Code =
      switch error.code {
      case .usage: .usage
      case .malformed: .malformed
      case .inputOutput: .inputOutput
      }
    switch error.place {
    case .whole: self.init(code, path: path, error.message)
    case .line(let line, let column):
      self.init(code, path: path, line: line, column: column, error.message)
    case .byte(let offset): self.init(code, path: path, "at byte \(offset): \(error.message)")
    }
  }
}
