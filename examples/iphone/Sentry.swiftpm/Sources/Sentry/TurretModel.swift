import Foundation
import Observation
import SentryCore
import TurretLink
import TurretSocket
import UIKit

/// Connects the camera, the decisions and the gateway. All of it runs on the main actor; only the
/// camera and its detector do not.
///
/// This file does not import `Aim`: its type `Observation` would hide the module that `@Observable`
/// requires.
@MainActor @Observable final class TurretModel {
  private(set) var display = Display()
  let eye = Eye()
  private var shooter = Shooter()
  private var lifecycle = Lifecycle()
  private var address: GatewayAddress?
  private var socket: TurretSocket?
  private var isPermitted = false

  /// Watches until the task that calls this is cancelled.
  func watch() async {
    isPermitted = await Eye.isPermitted()
    guard isPermitted else { return fail(.noPermission) }
    let pictures = eye.pictures()
    eye.start(shooter.settings)
    for await picture in pictures {
      if let command = shooter.see(picture) { socket?.send(command) }
      display = shooter.display
    }
  }

  func layOut(_ size: CGSize) { shooter.layOut(width: size.width, height: size.height) }

  /// Connects to another gateway.
  func connect(to new: GatewayAddress) {
    guard new != address, let url = URL(string: new.text) else { return }
    socket?.stop()
    let socket = TurretSocket(to: url, token: new.token) { [weak self] status in
      self?.link(status)
    }
    (address, self.socket) = (new, socket)
    socket.start()
  }

  func change(_ settings: SentrySettings) {
    shooter.change(settings)
    display = shooter.display
    eye.change(settings)
  }

  /// Compiles a model for a mode and uses it from then on. Returns why that is not possible.
  func use(_ file: URL, for mode: Mode) async -> Trouble? {
    do {
      try await ModelStore.install(file, for: mode)
      eye.reload(shooter.settings)
      return nil
    } catch {
      return error
    }
  }

  func enter(_ phase: Lifecycle.Phase) {
    switch lifecycle.enter(phase) {
    case .sleep:
      socket?.send(shooter.sleep())
      socket?.sleep()
      eye.stop()
    case .wake:
      shooter.wake()
      socket?.wake()
      if isPermitted { eye.start(shooter.settings) }
    case nil: break
    }
    // A phone that locks itself would stop the turret.
    UIApplication.shared.isIdleTimerDisabled = phase == .active
    display = shooter.display
  }

  private func link(_ status: TurretLink.Status) {
    shooter.link(status)
    display = shooter.display
  }

  private func fail(_ trouble: Trouble) {
    shooter.fail(trouble)
    display = shooter.display
  }
}
