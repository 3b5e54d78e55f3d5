package import Traces

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
    case .byte(let offset):
      self.init(code, path: path, "at byte \(offset): \(error.message)")
    }
  }
}
