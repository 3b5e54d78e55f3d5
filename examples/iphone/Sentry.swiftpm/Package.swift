// swift-tools-version: 6.2
import PackageDescription

/// A product of the turret's package.
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "sentrybench") }

let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
  name: "Sentry",
  platforms: [.iOS(.v18), .macOS(.v15)],
  dependencies: [
    // In a copy of this folder elsewhere, where OWNER is the account of your copy of SentryBench:
    // .package(url: "https://github.com/OWNER/sentrybench", branch: "main", traits: [])
    .package(name: "sentrybench", path: "../../..", traits: [])
  ],
  targets: [
    .target(
      name: "SentryCore", dependencies: [product("Aim"), product("TurretLink")],
      swiftSettings: settings),
    .testTarget(
      name: "SentryCoreTests",
      dependencies: [
        "SentryCore", product("Aim"), product("SentryBenchModels"), product("TurretLink"),
      ],
      swiftSettings: settings),
  ]
)

#if canImport(AppleProductTypes)
  // Xcode and Swift Playgrounds build the app.
  import AppleProductTypes

  package.products.append(
    .iOSApplication(
      name: "Sentry", targets: ["Sentry"], bundleIdentifier: "org.example.sentry",
      displayVersion: "1.0", bundleVersion: "1", appIcon: .placeholder(icon: .camera),
      accentColor: .presetColor(.red), supportedDeviceFamilies: [.phone],
      // The picture's orientation in `Mounting` is that of a phone held upright.
      supportedInterfaceOrientations: [.portrait],
      capabilities: [
        .camera(purposeString: "The turret aims at what the camera sees."),
        .localNetwork(
          purposeString: "The app sends the turret's commands to its gateway on your network."),
        .outgoingNetworkConnections(),
      ],
      additionalInfoPlistContentFilePath: "Info.plist"))
  package.targets.append(
    .executableTarget(
      name: "Sentry",
      dependencies: ["SentryCore", product("Aim"), product("TurretLink"), product("TurretSocket")],
      swiftSettings: settings))
#else
  // Elsewhere, only what decides is built and tested.
  package.products.append(.library(name: "SentryCore", targets: ["SentryCore"]))
#endif
