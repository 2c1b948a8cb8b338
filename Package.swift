// swift-tools-version: 6.2
import PackageDescription

typealias Dependencies = [Target.Dependency]

/// Traits that each stand for several, and what they lack. Why a package should need one alone: `Documentation/libraries.md`.
let sets: [(name: String, use: String, lacks: Set<String>)] = [
  ("Formats", "WebP, AVIF, HEIF, JXL and TIFF. On by default.", ["SVG", "GTK"]),
  ("AllFormats", "Formats and SVG.", ["GTK"]),
  ("Desktop", "AllFormats and GTK.", []),
]

/// When the parts of a trait are built: with the trait itself, and with each set that has it.
func traits(_ trait: String) -> Set<String> {
  Set([trait] + sets.filter { !$0.lacks.contains(trait) }.map(\.name))
}

// A manifest is compiled for the machine that builds. On Apple platforms ImageIO reads pictures, and `swift build` builds
// what needs no C library; OZU_LIBRARIES adds the rest.
#if os(Linux)
  let isLinux = true
#else
  let isLinux = false
#endif
let buildsLibraries = isLinux || Context.environment["OZU_LIBRARIES"] != nil
let libraryCodecs: Dependencies = buildsLibraries ? ["OzuLibraryCodecs"] : []
// On Linux the large libraries are opened when they are first needed: `Documentation/libraries.md`. OZU_LINK_LIBRARIES
// links them, as on other systems.
let loadsLibraries = isLinux && Context.environment["OZU_LINK_LIBRARIES"] == nil
let loading: [CSetting] = loadsLibraries ? [.define("OZU_LOADS_LIBRARIES")] : []

// MARK: The libraries of the system

/// A C library of the system. `scripts/packages` is the table of all, for scripts that must run before there is a manifest, and
/// says what the columns mean.
struct SystemLibrary {
  var name: String
  var trait: String?
  var use: String?
  var pkgConfig: String?
  var links: [String] = []
  /// Linked too, unless `loadsLibraries`.
  var opens: [String] = []
  var apt: String
  var brew: String

  var linked: [String] { loadsLibraries ? links : links + opens }
  var parts: Set<String>? { trait.map(traits) }

  /// All of them share one empty module map: Swift sees the libraries through `CCodecs` alone. Where no library is built, as
  /// for an app in Xcode, nobody is told to install one. pkg-config would have the linker add what is only opened.
  var target: Target {
    .systemLibrary(
      name: name, path: "Sources/Libraries/SystemLibraries",
      pkgConfig: buildsLibraries && !linked.isEmpty ? pkgConfig : nil,
      providers: [.apt([apt]), .brew([brew])])
  }
  var dependency: Target.Dependency {
    parts.map { .target(name: name, condition: .when(traits: $0)) } ?? .target(name: name)
  }
  var linkerSettings: [LinkerSetting] {
    linked.map { .linkedLibrary($0, parts.map { .when(traits: $0) }) }
  }
}

/// Written by `scripts/documentation/check_packages.py write`. Why SVG is off: `Documentation/libraries.md`.
let systemLibraries = [
  SystemLibrary(name: "CJPEG", pkgConfig: "libjpeg", links: ["jpeg"], apt: "libjpeg-dev", brew: "jpeg-turbo"),
  SystemLibrary(name: "CPNG", pkgConfig: "libpng", links: ["png16", "z"], apt: "libpng-dev", brew: "libpng"),
  SystemLibrary(name: "CISAL", pkgConfig: "libisal", links: ["isal"], apt: "libisal-dev", brew: "isa-l"),
  SystemLibrary(name: "CZstd", pkgConfig: "libzstd", links: ["zstd"], apt: "libzstd-dev", brew: "zstd"),
  SystemLibrary(name: "CZlib", pkgConfig: "zlib", links: ["z"], apt: "zlib1g-dev", brew: "zlib"),
  SystemLibrary(
    name: "CBrotli", pkgConfig: "libbrotlidec", links: ["brotlidec"], apt: "libbrotli-dev", brew: "brotli"),
  SystemLibrary(name: "CLCMS", links: ["lcms2"], apt: "liblcms2-dev", brew: "little-cms2"),
  SystemLibrary(
    name: "CLibcurl", pkgConfig: "libcurl", opens: ["curl"], apt: "libcurl4-openssl-dev", brew: "curl"),
  SystemLibrary(
    name: "CWebP", trait: "WebP", use: "Read and write WebP through libwebp.", pkgConfig: "libwebpmux",
    links: ["webp", "webpmux"], apt: "libwebp-dev", brew: "webp"),
  SystemLibrary(
    name: "CAVIF", trait: "AVIF", use: "Read and write AVIF through libavif.", opens: ["avif"],
    apt: "libavif-dev", brew: "libavif"),
  SystemLibrary(
    name: "CHEIF", trait: "HEIF", use: "Read HEIC and HEIF through libheif.", pkgConfig: "libheif",
    opens: ["heif"], apt: "libheif-dev", brew: "libheif"),
  SystemLibrary(
    name: "CJXL", trait: "JXL", use: "Read and write JPEG XL through libjxl.", opens: ["jxl"],
    apt: "libjxl-dev", brew: "jpeg-xl"),
  SystemLibrary(
    name: "CTIFF", trait: "TIFF", use: "Read TIFF through libtiff.", pkgConfig: "libtiff-4", opens: ["tiff"],
    apt: "libtiff-dev", brew: "libtiff"),
  SystemLibrary(
    name: "CRSVG", trait: "SVG", use: "Draw SVG through librsvg. Off by default.", pkgConfig: "cairo",
    opens: ["rsvg-2", "cairo", "gobject-2.0", "glib-2.0"], apt: "librsvg2-dev", brew: "librsvg"),
]
/// The HTTP client, and what undoes the content codings of HTTP, beside zstd. On Apple platforms `URLSession` is both.
let ofHTTP = ["CZlib", "CBrotli", "CLibcurl"]
let httpLibraries = systemLibraries.filter { ofHTTP.contains($0.name) }
let pictureLibraries = systemLibraries.filter { !ofHTTP.contains($0.name) }
let gtk: Target.Dependency = .target(name: "CGTK", condition: .when(traits: traits("GTK")))
let linux = TargetDependencyCondition.when(platforms: [.linux])

// MARK: The package

/// Every Swift target: `any` is written out, and an `async` function stays on its caller's executor unless it says otherwise.
/// Warnings are errors in Ozu's own checks, except for what a newer library calls deprecated; never for others who build it.
/// `#if AVIF` asks whether the parts of that trait are built, by whichever set.
let strict: [SwiftSetting] =
  (Context.environment["OZU_STRICT"] == nil
    ? [] : [.treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning)])
  + [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]
  + (pictureLibraries.compactMap(\.trait) + ["GTK"]).map { .define($0, .when(traits: traits($0))) }

/// Targets that loop over pixels or bytes stay optimised in debug builds: a hundred times the speed (`CONTRIBUTING.md`). An
/// unsafe flag is the only way, which SwiftPM allows in dependencies by version since tools version 6.2.
let kernel = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
  name: "Ozu",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  traits: Set(
    [
      .default(enabledTraits: ["Formats"]),
      .trait(name: "GTK", description: "Show pictures in GTK 4 widgets."),
    ]
      + sets.map { .trait(name: $0.name, description: $0.use) }
      + pictureLibraries.flatMap { lib in lib.trait.map { [.trait(name: $0, description: lib.use)] } ?? [] }),
  targets: (pictureLibraries + httpLibraries).map(\.target))

/// Adds the targets of a folder, each in a folder of its name unless it has a path.
@MainActor
func add(_ folder: String, _ targets: Target...) {
  for target in targets { target.path = "\(folder)/\(target.path ?? target.name)" }
  package.targets += targets
}

func library(
  _ name: String, _ uses: Dependencies, _ settings: [SwiftSetting] = strict, exclude: [String] = [],
  resources: [Resource]? = nil
) -> Target {
  .target(name: name, dependencies: uses, exclude: exclude, resources: resources, swiftSettings: settings)
}

func tests(_ name: String, _ uses: Dependencies, _ resources: [Resource]? = nil) -> Target {
  .testTarget(name: name, dependencies: uses, resources: resources, swiftSettings: strict)
}

/// A program; those of `Tests` have folders of their own names. One from outside sees what an app sees.
func program(
  _ name: String, _ uses: Dependencies, _ settings: [SwiftSetting] = strict, path: String? = nil,
  exclude: [String] = [], resources: [Resource]? = nil, isOutside: Bool = false
) -> Target {
  .executableTarget(
    name: name, dependencies: uses, path: path, exclude: exclude, resources: resources,
    packageAccess: !isOutside, swiftSettings: settings)
}

// MARK: Modules: a list imports from those above it (`Documentation/architecture.md`)

add("Sources/Base", library("OzuBase", [], kernel))
add(
  "Sources/Libraries",
  .target(name: "CDynamicLibrary", cSettings: loading),
  .target(
    name: "CCodecs", dependencies: ["CDynamicLibrary"] + pictureLibraries.map(\.dependency),
    cSettings: loading
      // `OZU_AVIF` for the trait AVIF.
      + pictureLibraries.compactMap(\.trait).map {
        .define("OZU_\($0.uppercased())", .when(traits: traits($0)))
      },
    linkerSettings: pictureLibraries.flatMap(\.linkerSettings)),
  .target(
    name: "CContentCodings",
    dependencies: ["CZlib", "CBrotli", "CZstd"].map { .target(name: $0, condition: linux) },
    linkerSettings: ["z", "brotlidec", "zstd"].map { .linkedLibrary($0, .when(platforms: [.linux])) }),
  .target(
    name: "CCurl", dependencies: ["CDynamicLibrary", .target(name: "CLibcurl")], cSettings: loading,
    linkerSettings: httpLibraries.filter { $0.name == "CLibcurl" }.flatMap(\.linkerSettings)),
  .target(name: "CIsolation"),
  .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
  library("OzuLibraryCodecs", ["OzuCodecs", "OzuImaging", "OzuBase", "CCodecs"], kernel),
  library("OzuStandardCodecs", ["OzuCodecs", "OzuImaging", "OzuImageIOCodecs"] + libraryCodecs))
// The manifest of what an app must declare to Apple; a bundle elsewhere would be for nobody.
let privacy = "PrivacyInfo.xcprivacy"
add(
  "Sources/Core",
  library("OzuImaging", ["OzuBase"], kernel),
  library(
    "OzuCaching", ["OzuBase"], exclude: isLinux ? [privacy] : [], resources: isLinux ? [] : [.copy(privacy)]),
  library(
    "OzuHTTP", ["OzuBase"] + ["CCurl", "CContentCodings"].map { .target(name: $0, condition: linux) }),
  library("OzuCodecs", ["OzuImaging", "OzuBase"], kernel),
  library("OzuIsolation", ["OzuImaging", "OzuBase", .target(name: "CIsolation", condition: linux)]),
  library(
    "Ozu",
    ["OzuIsolation", "OzuStandardCodecs", "OzuCodecs", "OzuImaging", "OzuCaching", "OzuHTTP", "OzuBase"]
      + libraryCodecs),
  library("OzuMigration", ["Ozu"]))
add(
  "Sources/Toolkits",
  library("OzuImageIOCodecs", ["OzuCodecs", "OzuImaging", "OzuBase"]),
  library("OzuGTK", ["Ozu", gtk]),
  library("OzuUIKit", ["Ozu"]),
  library("OzuAppKit", ["Ozu"]),
  library("OzuSwiftUI", ["Ozu", "OzuUIKit", "OzuAppKit"]))
let below: Dependencies = [
  "OzuStandardCodecs", "OzuCodecs", "OzuImaging", "OzuIsolation", "OzuHTTP", "OzuBase",
]
// Linux alone: the connections of the service and of levels that machines share are made of poll(2), epoll(7) and eventfd(2).
let service: Dependencies = isLinux ? ["OzuServer", "OzuSharedStores"] : []
add(
  "Sources/Service", .target(name: "CListener"),
  library("OzuSharedStores", ["Ozu", "OzuCaching", "OzuHTTP", "OzuBase"]),
  library(
    "OzuServer", ["CListener", "OzuSharedStores", "Ozu"] + below,
    resources: ["html", "css", "js"].map { .embedInCode("Playground/playground.\($0)") }))
// The fuzzer brings its own `main`, so it is only built when asked for: `make fuzz`. It reads the arguments of `ozu`, which is
// a library for it.
let fuzzes = Context.environment["OZU_FUZZ"] != nil
let command = ["Ozu", "OzuHTTP", "OzuDemonstration", "OzuBase"] + service
let photos: [Resource] = [.copy("Resources/Photos")]
add(
  "Sources/Apps",
  library("OzuDemonstration", ["Ozu", "OzuHTTP", "OzuBase"]),
  library("OzuGallery", ["OzuGTK", "Ozu", "OzuDemonstration", gtk]),
  program("OzuGalleryApp", ["OzuGallery"]),
  fuzzes
    ? library("OzuCLI", command, exclude: ["main.swift"], resources: photos)
    : program("OzuCLI", command, resources: photos),
  program("OzuDecode", ["OzuIsolation", "OzuStandardCodecs"]))
add("Sources/Testing", library("OzuTesting", ["Ozu", "OzuHTTP", "OzuDemonstration"]))

// MARK: Tests, and programs that are run by hand

add("Tests/Base", tests("OzuBaseTests", ["OzuBase"]))
add(
  "Tests/Core",
  tests("OzuImagingTests", ["OzuImaging", "OzuTesting"]),
  tests("OzuCachingTests", ["OzuCaching", "OzuTesting", "OzuDiskDrills"]),
  tests("OzuHTTPTests", ["OzuHTTP", "OzuTesting", "OzuBase"]),
  tests("OzuIsolationTests", below + ["OzuTesting", "OzuIsolationDrills", "OzuDecode", "CIsolationDrills"]),
  tests(
    "OzuTests",
    ["Ozu", "OzuMigration", "OzuTesting", "OzuBase", "OzuSchedulerDrills", "OzuDecode", "OzuIsolationDrills"]),
  program("OzuDiskDrills", ["OzuCaching", "OzuTesting"], path: "DiskDrills"),
  program("OzuSchedulerDrills", ["Ozu", "OzuHTTP", "OzuTesting"], kernel, path: "SchedulerDrills"),
  .target(name: "CIsolationDrills"),
  program(
    "OzuIsolationDrills",
    ["OzuIsolation", "OzuImaging", "OzuStandardCodecs", "CIsolation", "CIsolationDrills"],
    path: "IsolationDrills"))
add(
  "Tests/Apps",
  tests("OzuCLITests", ["OzuCLI", "OzuStandardCodecs", "OzuTesting"] + libraryCodecs),
  program("OzuGalleryDrills", ["OzuGallery", "OzuGTK", "OzuTesting", gtk], path: "Gallery"))
add(
  "Tests/Libraries",
  tests(
    "OzuCodecsTests",
    ["OzuCodecs", "OzuStandardCodecs", "OzuTesting", "JPEGOracle", "CDynamicLibrary"] + libraryCodecs,
    [.copy("Fixtures")]),
  // libjpeg as encoder of every variant and as the one who knows the coefficients, for tests and fuzzing.
  .target(name: "CJPEGOracle", dependencies: ["CJPEG"], linkerSettings: [.linkedLibrary("jpeg")]),
  library("JPEGOracle", ["CJPEGOracle", "OzuCodecs", "OzuImaging"], kernel),
  program(
    "OzuConformance", below + libraryCodecs, kernel, path: "Conformance", exclude: ["exceptions.json"]))
add(
  "Tests/Service",
  tests("OzuSharedStoresTests", ["OzuSharedStores", "Ozu", "OzuHTTP", "OzuBase", "OzuTesting"]),
  tests(
    "OzuServerTests",
    service + ["Ozu", "OzuHTTP", "OzuImaging", "OzuBase", "OzuTesting", "OzuIsolationDrills"]))
if fuzzes {
  add(
    "Tests/Core",
    program(
      "OzuFuzz",
      below + libraryCodecs + ["JPEGOracle", "CCodecs", "Ozu", "OzuCaching", "OzuCLI"] + service
        + ["OzuTesting"],
      kernel + [.unsafeFlags(["-parse-as-library"])], path: "Fuzz", exclude: ["Seeds"]))
}

// The benchmarks and their tests: `make bench`, `make test-bench`. They see of Ozu what an app sees. The stores that the
// disk cache is compared with are there where their headers are (`make bench-peers`).
if let benchmarks = Context.environment["OZU_BENCHMARKS"] {
  let peers: Dependencies = benchmarks == "peers" ? ["CBenchPeers"] : []
  let ofPeers: [SwiftSetting] = peers.isEmpty ? [] : [.define("StorePeers")]
  add(
    "Benchmarks/Sources",
    .target(name: "CAllocations"),
    program(
      "OzuBench", ["Ozu", "OzuHTTP", "OzuTesting", "CAllocations"] + peers, strict + ofPeers, isOutside: true),
    program("OzuInstructions", ["OzuImaging", "OzuStandardCodecs"], isOutside: true))
  add(
    "Benchmarks/Tests",
    .testTarget(
      name: "OzuBenchTests", dependencies: ["OzuBench"], packageAccess: false, swiftSettings: strict))
  if !peers.isEmpty { add("Benchmarks/Sources", .systemLibrary(name: "CBenchPeers")) }
}

// MARK: What is not built here

package.targets.removeAll { target in
  !buildsLibraries && ["CCodecs", "OzuLibraryCodecs"].contains(target.name)
    || !buildsLibraries && target.path?.hasPrefix("Tests/Libraries/") == true
    || !isLinux && target.path?.contains("/Service/") == true
}
// The sanitizers run some of the tests. With their names here, only these and what they need are built; with `Tests/File.swift`,
// these files of a target and its folder of support.
if let tests = Context.environment["OZU_TESTS"], !tests.isEmpty {
  var needed: Set<String> = []
  func need(_ name: String) {
    guard needed.insert(name).inserted else { return }
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      if case .targetItem(let name, _) = dependency { need(name) }
      if case .byNameItem(let name, _) = dependency { need(name) }
    }
  }
  for name in tests.split(separator: " ") {
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    need(parts[0])
    if parts.count > 1, let target = package.targets.first(where: { $0.name == parts[0] }) {
      target.sources = (target.sources ?? ["Support"]) + [parts[1]]
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
}

// A product has one target, and is there where that is. What the fuzzer takes as a library is no program.
let kinds = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0.type) })
package.products =
  [
    "Ozu", "OzuMigration", "OzuImaging", "OzuCodecs", "OzuStandardCodecs", "OzuCaching", "OzuHTTP",
    "OzuTesting", "OzuGTK", "OzuUIKit", "OzuAppKit", "OzuSwiftUI", "OzuSharedStores", "OzuServer",
  ].filter { kinds[$0] != nil }.map { .library(name: $0, targets: [$0]) }
  + [
    ("ozu-gallery", "OzuGalleryApp"), ("ozu", "OzuCLI"), ("ozu-decode", "OzuDecode"),
    ("ozu-bench", "OzuBench"),
  ].filter { kinds[$1] == .executable }.map { .executable(name: $0, targets: [$1]) }
