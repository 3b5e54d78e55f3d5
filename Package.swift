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

/// The packages of the products that are not a module of the same name.
let packages = [
  "ArgumentParser": "swift-argument-parser", "Logging": "swift-log",
  "SystemPackage": "swift-system", "NIOCore": "swift-nio", "NIOEmbedded": "swift-nio",
  "NIOHTTP1": "swift-nio", "NIOPosix": "swift-nio", "NIOTLS": "swift-nio",
  "NIOWebSocket": "swift-nio", "NIOSSL": "swift-nio-ssl",
]

/// What a target imports, from the names of modules and products, divided by spaces.
func imports(_ names: String) -> [Target.Dependency] {
  names.split(separator: " ").map { name in
    guard let package = packages[String(name)] else { return .byName(name: String(name)) }
    return .product(
      name: String(name), package: package,
      condition: name == "NIOSSL" ? .when(traits: ["TLS"]) : nil)
  }
}

func module(
  _ name: String, _ names: String = "", built: [SwiftSetting] = settings, exclude: [String] = []
) -> Target {
  .target(name: name, dependencies: imports(names), exclude: exclude, swiftSettings: built)
}

/// A module that only tests import.
func support(_ name: String, _ names: String) -> Target {
  .target(
    name: name, dependencies: imports(names), path: "Tests/\(name)", swiftSettings: settings)
}

/// The tests of a module: that of their name, unless another is given.
func tests(
  _ name: String, of module: String? = nil, _ names: String = "", exclude: [String] = []
) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: imports("\(module ?? name) TestSupport \(names)"),
    exclude: exclude, swiftSettings: settings)
}

/// A C library of the system.
func library(_ name: String, _ pkgConfig: String, apt: String, brew: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

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
    module("Aim"),
    module("ComPort", "Turret"),
    module("Guarded", built: core),
    module("Turret", "Guarded", built: core),
    module("Platform", "Turret SystemPackage"),
    module("Traces", "Turret", built: optimized),
    module("Captures", "Traces Turret", built: optimized),
    module("AVR", built: core),
    module("Devices", "Turret Traces", built: core),
    module("ChipDevice", "AVR Devices Turret Traces", built: core),
    module("States", "AVR ChipDevice Devices Turret Traces", built: optimized),
    module("Verification", "Devices Turret Traces", built: optimized),
    module("Engine", "Devices Turret Traces TurretProtocol Verification", built: optimized),
    module(
      "Pictures", "Devices Turret Traces Verification", built: optimized, exclude: ["Report/Page"]),
    module("PageRequests", "Traces"),
    module("Observations", "Aim Traces Turret"),
    module("PhoneAim", "Aim Observations PageRequests Traces Turret"),
    module("Playground", "Aim Devices Engine PageRequests Pictures Traces Turret Verification"),
    module("Emulation", "AVR ChipDevice Devices Engine PageRequests Playground Traces Turret"),
    module("Waveforms", "Captures Devices Traces Turret", built: optimized),
    module("Conversion", "Captures Devices PageRequests Playground Traces Turret Waveforms"),
    library("CYAML", "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
    library("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
    module("Files", "CYAML CZlib Captures Platform Traces Turret Verification SystemPackage"),
    library("CSerialPort", "libserialport", apt: "libserialport-dev", brew: "libserialport"),
    module("Serial", "CSerialPort Devices Platform Traces Turret SystemPackage"),
    module("TurretProtocol", "Turret"),
    module("Log", "Platform Traces Turret TurretProtocol Logging SystemPackage"),
    module(
      "Networking",
      "Log Platform Turret Logging NIOCore NIOHTTP1 NIOPosix NIOSSL SystemPackage"),
    module("RemotePorts", "ComPort Networking Platform Serial Turret NIOCore SystemPackage"),
    module(
      "Clients",
      "Networking Platform Traces Turret TurretProtocol Logging NIOCore NIOHTTP1 NIOPosix "
        + "NIOWebSocket SystemPackage"),
    module(
      "Gateway",
      "Clients Engine Log Networking Platform Traces Turret TurretProtocol Logging NIOCore "
        + "NIOHTTP1 NIOPosix NIOTLS NIOWebSocket SystemPackage"),
    module(
      "Sessions",
      "AVR Aim Captures ChipDevice Clients ComPort Devices Engine Files Gateway Log "
        + "Networking Observations Pictures Platform RemotePorts Serial States Traces Turret "
        + "TurretProtocol Verification Waveforms Logging SystemPackage"),
    .executableTarget(
      name: "sentrybench",
      dependencies: imports(
        "AVR Aim Captures ChipDevice Clients Devices Engine Files Gateway Log Networking "
          + "Platform RemotePorts Serial Sessions Traces Turret TurretProtocol Verification "
          + "Waveforms UncheckedOptions ArgumentParser Logging"),
      swiftSettings: unhurried, linkerSettings: uncheckedOptions),
    .target(name: "UncheckedOptions", path: "Tests/UncheckedOptions"),
    module(
      "SentryBenchTesting",
      "Devices Engine Files Platform Sessions Traces Turret Verification SystemPackage"),
    support("TestSupport", "Platform Traces Turret SystemPackage"),
    support(
      "NetworkTestSupport",
      "Clients Engine Gateway Log Networking Platform Turret Logging NIOCore NIOPosix"),
    tests("Aim"),
    tests("ComPort"),
    tests("RemotePorts", "ComPort Devices Networking Platform Serial Traces Turret SystemPackage"),
    tests("Guarded", "Turret"),
    tests("Turret", "Guarded"),
    tests("Traces", "Turret"),
    tests("Captures", "Traces Turret"),
    tests("Files", "Captures Traces Turret Verification"),
    tests("AVR"),
    tests("Firmware", of: "AVR"),
    tests("Devices", "AVR ChipDevice Traces Turret"),
    tests("ChipDevice", "AVR Devices Engine Traces Turret"),
    tests("States", "AVR ChipDevice Devices Traces Turret"),
    tests("Verification", "Devices Traces Turret"),
    tests(
      "Engine",
      "AVR ChipDevice Devices Traces Turret TurretProtocol Verification",
      exclude: ["Simulation/simulate"]),
    tests("Pictures", "Devices Traces Turret Verification"),
    tests("Waveforms", "Devices Traces Turret"),
    tests("Playground", "Conversion Emulation PageRequests Traces Turret"),
    tests("PhoneAim", "PageRequests Traces"),
    tests(
      "Binary", of: "AVR",
      "ChipDevice Devices Files Guarded Traces Turret Verification",
      exclude: ["Symbols", "Timings"]),
    tests(
      "Serial",
      "Devices Engine Platform Traces Turret Verification SystemPackage", exclude: ["ModemShim"]),
    tests("TurretProtocol", "Turret"),
    tests("Log", "Platform Turret TurretProtocol Logging SystemPackage"),
    tests(
      "Networking",
      "Devices Log NetworkTestSupport Platform Turret TurretProtocol Logging NIOCore "
        + "NIOEmbedded NIOPosix SystemPackage"),
    tests(
      "Clients",
      "Engine Gateway NetworkTestSupport Networking Platform Turret TurretProtocol Logging "
        + "NIOCore NIOEmbedded NIOHTTP1 NIOPosix"),
    tests(
      "Gateway",
      "Clients Engine Log NetworkTestSupport Networking Platform Traces Turret "
        + "TurretProtocol Logging NIOCore NIOEmbedded NIOHTTP1 NIOPosix NIOSSL"),
    tests(
      "Sessions",
      "Aim Captures ComPort Devices Engine Gateway Networking Pictures Platform RemotePorts "
        + "Serial Traces Turret TurretProtocol Verification Waveforms SystemPackage"),
    tests("SentryBenchTesting", "Devices Platform Sessions Turret Verification SystemPackage"),
    tests(
      "Command", of: "sentrybench",
      "Files Gateway Networking PageRequests PhoneAim Platform Traces Turret ArgumentParser",
      exclude: ["Aim/Observations"]),
  ]
)

// Only `make docs` needs the plugin.
if Context.environment["SENTRY_DOCS"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"))
}
