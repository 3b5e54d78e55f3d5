import AVFoundation
import SwiftUI
import UIKit

/// The camera's picture. It fills the view, and what does not fit is cut off.
struct Preview: UIViewRepresentable {
  let session: AVCaptureSession

  func makeUIView(context: Context) -> PreviewView {
    let view = PreviewView(frame: .zero)
    view.show(session)
    return view
  }

  func updateUIView(_ view: PreviewView, context: Context) {}
}

final class PreviewView: UIView {
  override class var layerClass: AnyClass { AVCaptureVideoPreviewLayer.self }

  func show(_ session: AVCaptureSession) {
    guard let preview = layer as? AVCaptureVideoPreviewLayer else { return }
    // The front camera's picture is mirrored by the layer itself: see `Mounting`.
    preview.videoGravity = .resizeAspectFill
    preview.session = session
  }
}
