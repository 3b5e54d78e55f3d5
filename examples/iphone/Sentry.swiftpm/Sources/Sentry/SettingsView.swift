import SentryCore
import SwiftUI
import UniformTypeIdentifiers

/// The gateway's address, the mode and its thresholds.
struct SettingsView: View {
  let turret: TurretModel
  @Binding var settings: SentrySettings
  @Binding var address: String
  @Binding var token: String
  @Environment(\.dismiss) private var dismiss
  @State private var isImporting = false
  @State private var modelResult = ""

  var body: some View {
    NavigationStack {
      Form {
        Section("Gateway") {
          TextField("Address", text: $address)
            .textInputAutocapitalization(.never)
            .autocorrectionDisabled()
          SecureField("Token", text: $token)
          Text(addressProblem ?? "The address can be used.").font(.footnote)
        }
        Section("Aim") {
          Picker("Mode", selection: $settings.mode) {
            ForEach(Mode.allCases, id: \.self) { Text($0.title) }
          }
          Picker("Camera", selection: $settings.side) {
            ForEach(CameraSide.allCases, id: \.self) { Text($0.title) }
          }
          Toggle("Turn the other way", isOn: $settings.reversed)
          if settings.mode == .face { Toggle("Landmarks", isOn: $settings.landmarks) }
        }
        if settings.mode.needsModel { modelSection }
      }
      .toolbar {
        ToolbarItem(placement: .confirmationAction) { Button("Done") { dismiss() } }
      }
    }
    .fileImporter(isPresented: $isImporting, allowedContentTypes: modelTypes) { result in
      install(result)
    }
  }

  private var modelSection: some View {
    Section("Model") {
      Button("Choose a Core ML model") { isImporting = true }
      if !modelResult.isEmpty { Text(modelResult).font(.footnote) }
      TextField("Label", text: $settings.label).textInputAutocapitalization(.never)
      Slider(value: $settings.confidence, in: 0...1) { Text("Confidence") }
      Text(settings.confidenceText)
      if settings.mode == .object {
        Slider(value: $settings.overlap, in: 0...1) { Text("Overlap") }
        Text(settings.overlapText)
      }
    }
  }

  /// nil if the address can be used.
  private var addressProblem: String? {
    do {
      _ = try GatewayAddress(address, token: token)
      return nil
    } catch {
      return error.description
    }
  }

  private var modelTypes: [UTType] { ModelFile.types.compactMap { UTType(filenameExtension: $0) } }

  private func install(_ result: Result<URL, any Error>) {
    guard case .success(let file) = result else { return }
    let mode = settings.mode
    modelResult = "Compiling \(file.lastPathComponent)"
    Task {
      let trouble = await turret.use(file, for: mode)
      modelResult = trouble?.description ?? "\(file.lastPathComponent) is in use."
    }
  }
}
