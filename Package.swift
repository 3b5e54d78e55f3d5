// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// Optimized as a whole even in debug builds: devices run minutes of emulated and simulated time.
let core =
  settings + [
    .unsafeFlags(
      ["-O", "-wmo", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))
  ]

/// Also optimized for the tests, which verify hours of sessions. `make run` shows only one session,
/// and is built in half the time without this.
let optimized = Context.environment["SENTRY_QUICK_BUILD"] == nil ? core : settings

/// The command line is not optimized even in releases: it runs once, and the many generic options
/// would take most of the compile time.
let unhurried = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// The tests start the program more than a thousand times: see `UncheckedOptions.c`. If the parser
/// has no such function, this has no effect. `make run` is without it, and there `.ci/check` has
/// every option checked.
let uncheckedOptions: [LinkerSetting] =
  Context.environment["SENTRY_QUICK_BUILD"] != nil
  ? []
  : [
    .unsafeFlags(
      [
        "-Xlinker",
        "--wrap=$s14ArgumentParser17ParsableArgumentsPAAE9_validate6parentyAA8InputKeyVSg_tKFZ",
      ], .when(platforms: [.linux], configuration: .debug))
  ]

let package = Package(
  name: "SentryBench",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "sentrybench", targets: ["sentrybench"]),
    .library(name: "Aim", targets: ["Aim"]),
    .library(name: "SentryBenchTesting", targets: ["SentryBenchTesting"]),
  ],
  traits: [
    .trait(name: "TLS", description: "Serves and speaks wss://, with BoringSSL."),
    .default(enabledTraits: ["TLS"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
  ],
  targets: [
    .target(name: "Aim", swiftSettings: settings),
    .target(name: "ComPort", dependencies: ["Turret"], swiftSettings: settings),
    .target(name: "Guarded", swiftSettings: core),
    .target(name: "Turret", dependencies: ["Guarded"], swiftSettings: core),
    .target(
      name: "Platform",
      dependencies: ["Turret", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: settings),
    .target(name: "Traces", dependencies: ["Turret"], swiftSettings: optimized),
    .target(name: "Captures", dependencies: ["Traces", "Turret"], swiftSettings: optimized),
    .target(name: "AVR", swiftSettings: core),
    .target(name: "Devices", dependencies: ["Turret", "Traces"], swiftSettings: core),
    .target(
      name: "ChipDevice", dependencies: ["AVR", "Devices", "Turret", "Traces"],
      swiftSettings: core),
    .target(
      name: "States", dependencies: ["AVR", "ChipDevice", "Devices", "Turret", "Traces"],
      swiftSettings: optimized),
    .target(
      name: "Verification", dependencies: ["Devices", "Turret", "Traces"],
      swiftSettings: optimized),
    .target(
      name: "Engine",
      dependencies: ["Devices", "Turret", "Traces", "TurretProtocol", "Verification"],
      swiftSettings: optimized),
    .target(
      name: "Pictures", dependencies: ["Devices", "Turret", "Traces", "Verification"],
      exclude: ["Report/Page"], swiftSettings: optimized),
    .target(name: "PageRequests", dependencies: ["Traces"], swiftSettings: settings),
    .target(
      name: "Observations", dependencies: ["Aim", "Traces", "Turret"], swiftSettings: settings),
    .target(
      name: "PhoneAim", dependencies: ["Aim", "Observations", "PageRequests", "Traces", "Turret"],
      swiftSettings: settings),
    .target(
      name: "Playground",
      dependencies: [
        "Aim", "Devices", "Engine", "PageRequests", "Pictures", "Traces", "Turret", "Verification",
      ],
      swiftSettings: settings),
    .target(
      name: "Emulation",
      dependencies: [
        "AVR", "ChipDevice", "Devices", "Engine", "PageRequests", "Playground", "Traces", "Turret",
      ],
      swiftSettings: settings),
    .target(
      name: "Waveforms", dependencies: ["Captures", "Devices", "Traces", "Turret"],
      swiftSettings: optimized),
    .target(
      name: "Conversion",
      dependencies: [
        "Captures", "Devices", "PageRequests", "Playground", "Traces", "Turret", "Waveforms",
      ],
      swiftSettings: settings),
    .systemLibrary(
      name: "CYAML", pkgConfig: "yaml-0.1",
      providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(
      name: "Files",
      dependencies: [
        "CYAML", "CZlib", "Captures", "Platform", "Traces", "Turret", "Verification",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .systemLibrary(
      name: "CSerialPort", pkgConfig: "libserialport",
      providers: [.apt(["libserialport-dev"]), .brew(["libserialport"])]),
    .target(
      name: "Serial",
      dependencies: [
        "CSerialPort", "Devices", "Platform", "Traces", "Turret",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(name: "TurretProtocol", dependencies: ["Turret"], swiftSettings: settings),
    .target(
      name: "Log",
      dependencies: [
        "Platform", "Traces", "Turret", "TurretProtocol",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "Networking",
      dependencies: [
        "Log", "Platform", "Turret",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "RemotePorts",
      dependencies: [
        "ComPort", "Networking", "Platform", "Serial", "Turret",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "Clients",
      dependencies: [
        "Networking", "Platform", "Traces", "Turret", "TurretProtocol",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "Gateway",
      dependencies: [
        "Clients", "Engine", "Log", "Networking", "Platform", "Traces", "Turret", "TurretProtocol",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "Sessions",
      dependencies: [
        "AVR", "Aim", "Captures", "ChipDevice", "Clients", "ComPort", "Devices", "Engine", "Files",
        "Gateway", "Log", "Networking", "Observations", "Pictures", "Platform", "RemotePorts",
        "Serial", "States", "Traces", "Turret", "TurretProtocol", "Verification", "Waveforms",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "sentrybench",
      dependencies: [
        "AVR", "Aim", "Captures", "ChipDevice", "Clients", "Devices", "Engine", "Files", "Gateway",
        "Log", "Networking", "Platform", "RemotePorts", "Serial", "Sessions", "Traces", "Turret",
        "TurretProtocol", "Verification", "Waveforms",
        "UncheckedOptions",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: unhurried, linkerSettings: uncheckedOptions),
    .target(name: "UncheckedOptions", path: "Tests/UncheckedOptions"),
    .target(
      name: "SentryBenchTesting",
      dependencies: [
        "Devices", "Engine", "Files", "Platform", "Sessions", "Traces", "Turret", "Verification",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "TestSupport",
      dependencies: [
        "Platform", "Traces", "Turret", .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/TestSupport", swiftSettings: settings),
    .target(
      name: "NetworkTestSupport",
      dependencies: [
        "Clients", "Engine", "Gateway", "Log", "Networking", "Platform", "Turret",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Tests/NetworkTestSupport", swiftSettings: settings),
    .testTarget(name: "AimTests", dependencies: ["Aim", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ComPortTests", dependencies: ["ComPort", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "RemotePortsTests",
      dependencies: [
        "ComPort", "Devices", "Networking", "Platform", "RemotePorts", "Serial", "TestSupport",
        "Traces", "Turret",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "GuardedTests", dependencies: ["Guarded", "Turret"], swiftSettings: settings),
    .testTarget(
      name: "TurretTests", dependencies: ["Turret", "Guarded", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "TracesTests", dependencies: ["Traces", "Turret", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "CapturesTests", dependencies: ["Captures", "Traces", "Turret", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "FilesTests",
      dependencies: ["Captures", "Files", "Traces", "Turret", "TestSupport", "Verification"],
      swiftSettings: settings),
    .testTarget(name: "AVRTests", dependencies: ["AVR", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "FirmwareTests", dependencies: ["AVR", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "DevicesTests",
      dependencies: ["AVR", "ChipDevice", "Devices", "Traces", "Turret", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ChipDeviceTests",
      dependencies: ["AVR", "ChipDevice", "Devices", "Engine", "Traces", "Turret", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "StatesTests",
      dependencies: ["AVR", "ChipDevice", "Devices", "States", "Traces", "Turret", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "VerificationTests",
      dependencies: ["Devices", "Traces", "Turret", "TestSupport", "Verification"],
      swiftSettings: settings),
    .testTarget(
      name: "EngineTests",
      dependencies: [
        "AVR", "ChipDevice", "Devices", "Engine", "TestSupport", "Traces", "Turret",
        "TurretProtocol", "Verification",
      ],
      exclude: ["Simulation/simulate"], swiftSettings: settings),
    .testTarget(
      name: "PicturesTests",
      dependencies: ["Devices", "Pictures", "Traces", "Turret", "TestSupport", "Verification"],
      swiftSettings: settings),
    .testTarget(
      name: "WaveformsTests", dependencies: ["Devices", "Traces", "Turret", "Waveforms"],
      swiftSettings: settings),
    .testTarget(
      name: "PlaygroundTests",
      dependencies: [
        "Conversion", "Emulation", "PageRequests", "Playground", "Traces", "TestSupport", "Turret",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PhoneAimTests", dependencies: ["PageRequests", "PhoneAim", "Traces", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "BinaryTests",
      dependencies: [
        "AVR", "ChipDevice", "Devices", "Files", "Guarded", "Traces", "Turret", "TestSupport",
        "Verification",
      ],
      exclude: ["Symbols", "Timings"], swiftSettings: settings),
    .testTarget(
      name: "SerialTests",
      dependencies: [
        "Devices", "Engine", "Platform", "Serial", "TestSupport", "Traces", "Turret",
        "Verification",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["ModemShim"], swiftSettings: settings),
    .testTarget(
      name: "TurretProtocolTests", dependencies: ["Turret", "TurretProtocol", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LogTests",
      dependencies: [
        "Log", "Platform", "Turret", "TurretProtocol",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "NetworkingTests",
      dependencies: [
        "Devices", "Log", "NetworkTestSupport", "Networking", "Platform", "TestSupport", "Turret",
        "TurretProtocol",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ClientsTests",
      dependencies: [
        "Clients", "Engine", "Gateway", "NetworkTestSupport", "Networking", "Platform",
        "TestSupport", "Turret", "TurretProtocol",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "GatewayTests",
      dependencies: [
        "Clients", "Engine", "Gateway", "Log", "NetworkTestSupport", "Networking", "Platform",
        "TestSupport", "Traces", "Turret", "TurretProtocol",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SessionsTests",
      dependencies: [
        "Aim", "Captures", "ComPort", "Devices", "Engine", "Gateway", "Networking", "Pictures",
        "Platform", "RemotePorts", "Serial", "Sessions", "TestSupport", "Traces", "Turret",
        "TurretProtocol", "Verification", "Waveforms",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SentryBenchTestingTests",
      dependencies: [
        "Devices", "Platform", "SentryBenchTesting", "Sessions", "TestSupport", "Turret",
        "Verification",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "Files", "Gateway", "Networking", "PageRequests", "PhoneAim", "Platform", "TestSupport",
        "Traces", "Turret", "sentrybench",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Aim/Observations"], swiftSettings: settings),
  ]
)

// Only `make docs` needs the plugin.
if Context.environment["SENTRY_DOCS"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"))
}
