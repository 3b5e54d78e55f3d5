import Aim
import SentryCore
import SwiftUI

/// The preview with the head-up display over it.
struct TurretView: View {
  let turret: TurretModel
  @Environment(\.scenePhase) private var phase
  @AppStorage("address") private var address = ""
  @AppStorage("token") private var token = ""
  @AppStorage("settings") private var saved = ""
  @State private var settings = SentrySettings()
  @State private var isChanging = false

  var body: some View {
    ZStack {
      GeometryReader { space in
        Preview(session: turret.eye.session)
          .onChange(of: space.size, initial: true) { _, size in turret.layOut(size) }
        Marks(display: turret.display)
      }
      .ignoresSafeArea()
      HeadUp(display: turret.display) { isChanging = true }
    }
    .task { await turret.watch() }
    .onAppear {
      settings = SentrySettings(saved: saved)
      connect()
    }
    .onChange(of: settings) { _, settings in
      turret.change(settings)
      saved = settings.saved
    }
    .onChange(of: phase, initial: true) { _, phase in turret.enter(Lifecycle.Phase(phase)) }
    .sheet(isPresented: $isChanging, onDismiss: connect) {
      SettingsView(turret: turret, settings: $settings, address: $address, token: $token)
    }
  }

  private func connect() {
    guard let address = try? GatewayAddress(address, token: token) else { return }
    turret.connect(to: address)
  }
}

/// The title, both angles, and the connection.
struct HeadUp: View {
  let display: Display
  let change: @MainActor () -> Void

  var body: some View {
    VStack {
      VStack {
        Text(display.title).font(.title)
        Text(display.detail).font(.headline)
      }
      .padding()
      .background(.black.opacity(0.5))
      Spacer()
      if let notice = display.notice { Text(notice).padding() }
      HStack {
        Circle().fill(Color(display.light)).frame(width: 12, height: 12)
        Text(display.connection)
        Spacer()
        Button("Settings", systemImage: "gearshape", action: change)
      }
      .padding()
      .background(.black.opacity(0.5))
    }
    .foregroundStyle(.white)
  }
}

/// The boxes and landmarks. `Aim` has already converted them to points of the preview.
struct Marks: View {
  let display: Display

  var body: some View {
    Canvas { context, _ in
      for outline in display.outlines {
        let rect = CGRect(outline.box)
        let colour = outline.isTarget ? Color.red : .yellow
        context.stroke(Path(rect), with: .color(colour), lineWidth: 3)
        guard let caption = outline.caption else { continue }
        context.draw(
          Text(caption).foregroundStyle(colour), at: CGPoint(x: rect.midX, y: rect.minY - 10))
      }
      for dot in display.dots {
        let place = CGRect(x: dot.x - 1.5, y: dot.y - 1.5, width: 3, height: 3)
        context.fill(Path(ellipseIn: place), with: .color(.white))
      }
    }
  }
}

extension Color {
  init(_ light: Display.Light) {
    switch light {
    case .green: self = .green
    case .yellow: self = .yellow
    case .red: self = .red
    }
  }
}

extension CGRect {
  init(_ box: Box) { self.init(x: box.x, y: box.y, width: box.width, height: box.height) }
}

extension Lifecycle.Phase {
  init(_ phase: ScenePhase) {
    switch phase {
    case .active: self = .active
    case .background: self = .background
    case .inactive: self = .inactive
    // A phase that this version of iOS does not have.
    @unknown default: self = .inactive
    }
  }
}
