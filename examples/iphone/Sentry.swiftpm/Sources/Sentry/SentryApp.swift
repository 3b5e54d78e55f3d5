import SwiftUI

@main struct SentryApp: App {
  @State private var turret = TurretModel()

  var body: some Scene {
    WindowGroup { TurretView(turret: turret) }
  }
}
