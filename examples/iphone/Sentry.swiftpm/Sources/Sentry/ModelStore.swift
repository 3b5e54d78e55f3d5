import CoreML
import Foundation
import SentryCore
import Vision

/// The compiled Core ML models, one for each mode that requires one.
nonisolated enum ModelStore {
  private static func place(for mode: Mode) throws -> URL {
    let folder = try FileManager.default.url(
      for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    return folder.appendingPathComponent(ModelFile.compiled(for: mode))
  }

  /// Compiles a model that the user chose, and keeps it in place of the one before.
  @concurrent static func install(_ file: URL, for mode: Mode) async throws(Trouble) {
    try ModelFile.check(file.lastPathComponent)
    // Files from other apps can be read only between these two calls.
    let isForeign = file.startAccessingSecurityScopedResource()
    defer { if isForeign { file.stopAccessingSecurityScopedResource() } }
    do {
      let compiled = try await MLModel.compileModel(at: file)
      let place = try place(for: mode)
      // If there is none yet, there is none to remove.
      try? FileManager.default.removeItem(at: place)
      try FileManager.default.moveItem(at: compiled, to: place)
    } catch {
      throw .failed(error.localizedDescription)
    }
  }

  /// Loads the model of a mode. This blocks, so it is called on the camera's queue.
  static func model(for mode: Mode) throws(Trouble) -> VNCoreMLModel {
    do {
      let place = try place(for: mode)
      guard FileManager.default.fileExists(atPath: place.path) else { throw Trouble.noModel(mode) }
      let model = try MLModel(contentsOf: place, configuration: MLModelConfiguration())
      return try VNCoreMLModel(for: model)
    } catch let trouble as Trouble {
      throw trouble
    } catch {
      throw .failed(error.localizedDescription)
    }
  }
}
