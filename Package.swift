// swift-tools-version: 6.2
import PackageDescription

/// Traits that each stand for several: SwiftPM up to 6.3 passes the traits that are on to the compiler in the order of a
/// hash table, so a package that asks for two of them may have all of Ozu built again each time. One trait has one order.
let sets = [
  TraitSet(name: "Formats", use: "WebP, AVIF, HEIF, JXL and TIFF. On by default."),
  TraitSet(name: "AllFormats", use: "Formats and SVG.", hasSVG: true),
  TraitSet(name: "Desktop", use: "AllFormats and GTK.", hasSVG: true, hasGTK: true),
]

struct TraitSet {
  var name: String
  var use: String
  var hasSVG = false
  var hasGTK = false
}

/// When the parts of a trait are built: with the trait itself, and with each set that has it.
func traits(_ trait: String) -> Set<String> {
  let standing = sets.filter { trait == "GTK" ? $0.hasGTK : trait == "SVG" ? $0.hasSVG : true }
  return Set([trait] + standing.map(\.name))
}

/// Every Swift target: `any` is written out, and an `async` function stays on its caller's executor unless it says otherwise.
/// In Ozu's own checks warnings are errors, except for what a newer version of a library calls deprecated; never for others
/// who build it, by path or on a system whose SDK is newer than Ozu. `#if AVIF` asks whether the parts of that trait are
/// built, by whichever set.
let strict: [SwiftSetting] =
  (Context.environment["OZU_STRICT"] == nil
    ? [] : [.treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning)])
  + [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + ["WebP", "AVIF", "HEIF", "JXL", "TIFF", "SVG", "GTK"].map { .define($0, .when(traits: traits($0))) }

/// Targets that loop over pixels or bytes stay optimised in debug builds. There is no setting for that but `-O` as an
/// unsafe flag, which SwiftPM allows in dependencies by version since tools version 6.2.
///
/// The flags are for the apps that use Ozu as much as for its tests: without them, a debug build takes 11.7 s of
/// processor time instead of 0.09 for a picture of 1280 x 720 from a JPEG of 8.3 megapixels, 1.06 s instead of 0.02 for
/// a thumbnail of it, and 0.75 s instead of 0.03 for one of a small PNG (`OzuInstructions` in debug builds of both kinds).
/// C has no such flag: the libraries are optimised already, and the glue around them is a tenth of a decode at most. Nor
/// has `OzuCaching`, whose tests take 37 s of processor time without it instead of 13.
///
/// Optimised code is not without the standard library's debug preconditions: `make test-asan` asks for them.
let kernel = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// A C library of the system that formats are read or written with.
struct SystemLibrary {
  /// The target that finds it.
  var name: String
  /// The trait that switches it on, and what the trait is for; `nil` for a library that every build takes.
  var trait: String?
  var use: String?
  /// The name for pkg-config. `nil` where Debian's answer has flags that SwiftPM refuses with a warning in every build:
  /// `-DAVIF_DLL` of libavif, and `-pthread` of Little CMS from 2.16 on. Their headers are where the compiler looks, and
  /// the glue in C says what to install (`avif_library.h`, `color.c`).
  var pkgConfig: String?
  /// Whether the trait is on unless a package says otherwise.
  var isDefault = true
  /// The libraries for the linker, also where pkg-config is not installed.
  var links: [String]
  /// Whether it is opened when it is first needed, where `loadsLibraries` says so: what is large, or needs much else, and
  /// is for one format. The glue in C then says what to install, for pkg-config would have the linker add it.
  var isLoaded = false
  /// The package to install, for the message of SwiftPM.
  var apt: String
  var brew: String

  /// All of them share one empty module map: Swift sees the libraries through `CCodecs` alone.
  var target: Target {
    .systemLibrary(
      name: name, path: "Sources/Libraries/SystemLibraries", pkgConfig: isLinked ? pkgConfig : nil,
      providers: [.apt([apt]), .brew([brew])])
  }

  var dependency: Target.Dependency {
    guard let trait else { return .target(name: name) }
    return .target(name: name, condition: .when(traits: traits(trait)))
  }

  var isLinked: Bool { !isLoaded || !loadsLibraries }

  var linkerSettings: [LinkerSetting] {
    isLinked ? links.map { .linkedLibrary($0, trait.map { .when(traits: traits($0)) }) } : []
  }

  var packageTrait: Trait? {
    trait.map { .trait(name: $0, description: use) }
  }

  /// `OZU_AVIF` for the trait AVIF.
  var cSettings: [CSetting] {
    trait.map { [.define("OZU_\($0.uppercased())", .when(traits: traits($0)))] } ?? []
  }
}

// A manifest is compiled for the machine that builds. On Apple platforms Ozu reads pictures through ImageIO, and
// `swift build` there builds what needs no C library; OZU_LIBRARIES adds the rest.
#if os(Linux)
  let isLinux = true
#else
  let isLinux = false
#endif
let buildsLibraries = isLinux || Context.environment["OZU_LIBRARIES"] != nil

// On Linux the large libraries are opened when they are first needed (`CDynamicLibrary`), so that a program that meets
// no file of their formats neither waits for them nor needs them. OZU_LINK_LIBRARIES links them, as on other systems.
#if os(Linux)
  let loadsLibraries = Context.environment["OZU_LINK_LIBRARIES"] == nil
#else
  let loadsLibraries = false
#endif
/// Seen by the C of `CDynamicLibrary` and of the targets that use it.
let loading: [CSetting] = loadsLibraries ? [.define("OZU_LOADS_LIBRARIES")] : []

let libraryCodecs: [Target.Dependency] = buildsLibraries ? ["OzuLibraryCodecs"] : []

let systemLibraries = [
  SystemLibrary(name: "CJPEG", pkgConfig: "libjpeg", links: ["jpeg"], apt: "libjpeg-dev", brew: "jpeg-turbo"),
  SystemLibrary(name: "CPNG", pkgConfig: "libpng", links: ["png16", "z"], apt: "libpng-dev", brew: "libpng"),
  SystemLibrary(name: "CISAL", pkgConfig: "libisal", links: ["isal"], apt: "libisal-dev", brew: "isa-l"),
  SystemLibrary(name: "CZstd", pkgConfig: "libzstd", links: ["zstd"], apt: "libzstd-dev", brew: "zstd"),
  SystemLibrary(name: "CLCMS", links: ["lcms2"], apt: "liblcms2-dev", brew: "little-cms2"),
  SystemLibrary(
    name: "CWebP", trait: "WebP", use: "Read and write WebP through libwebp.", pkgConfig: "libwebpmux",
    links: ["webp", "webpmux"], apt: "libwebp-dev", brew: "webp"),
  SystemLibrary(
    name: "CAVIF", trait: "AVIF", use: "Read and write AVIF through libavif.", links: ["avif"],
    isLoaded: true,
    apt: "libavif-dev", brew: "libavif"),
  SystemLibrary(
    name: "CHEIF", trait: "HEIF", use: "Read HEIC and HEIF through libheif.", pkgConfig: "libheif",
    links: ["heif"], isLoaded: true, apt: "libheif-dev", brew: "libheif"),
  SystemLibrary(
    name: "CJXL", trait: "JXL", use: "Read and write JPEG XL through libjxl.", links: ["jxl"], isLoaded: true,
    apt: "libjxl-dev", brew: "jpeg-xl"),
  SystemLibrary(
    name: "CTIFF", trait: "TIFF", use: "Read TIFF through libtiff.", pkgConfig: "libtiff-4", links: ["tiff"],
    isLoaded: true, apt: "libtiff-dev", brew: "libtiff"
  ),
  // Off by default: its headers bring 120 packages of Debian, X11 and pango among them, and SVG is read in isolation or on
  // request only. `make` switches it on. Cairo is what is compiled against; librsvg's own answer has `-pthread`, which SwiftPM refuses.
  SystemLibrary(
    name: "CRSVG", trait: "SVG", use: "Draw SVG through librsvg. Off by default.", pkgConfig: "cairo",
    isDefault: false,
    links: ["rsvg-2", "cairo", "gobject-2.0", "glib-2.0"], isLoaded: true,
    apt: "librsvg2-dev", brew: "librsvg"),
]

/// The libraries that undo the content codings of HTTP, beside zstd. On Apple platforms `URLSession` undoes them.
let codingLibraries = [
  SystemLibrary(name: "CZlib", pkgConfig: "zlib", links: ["z"], apt: "zlib1g-dev", brew: "zlib"),
  SystemLibrary(
    name: "CBrotli", pkgConfig: "libbrotlidec", links: ["brotlidec"], apt: "libbrotli-dev", brew: "brotli"),
]

/// The HTTP client on Linux.
let curl = SystemLibrary(
  name: "CLibcurl", pkgConfig: "libcurl", links: ["curl"], isLoaded: true, apt: "libcurl4-openssl-dev",
  brew: "curl")

// The image service is for Linux: `ozu serve` is there alone.
#if os(Linux)
  let serverModules: [Target.Dependency] = ["OzuServer", "OzuSharedStores"]
#else
  let serverModules: [Target.Dependency] = []
#endif

let package = Package(
  name: "Ozu",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Ozu", targets: ["Ozu"]),
    .library(name: "OzuMigration", targets: ["OzuMigration"]),
    .library(name: "OzuImaging", targets: ["OzuImaging"]),
    .library(name: "OzuCodecs", targets: ["OzuCodecs"]),
    .library(name: "OzuStandardCodecs", targets: ["OzuStandardCodecs"]),
    .library(name: "OzuCaching", targets: ["OzuCaching"]),
    .library(name: "OzuHTTP", targets: ["OzuHTTP"]),
    .library(name: "OzuTesting", targets: ["OzuTesting"]),
    .library(name: "OzuGTK", targets: ["OzuGTK"]),
    .library(name: "OzuUIKit", targets: ["OzuUIKit"]),
    .library(name: "OzuAppKit", targets: ["OzuAppKit"]),
    .library(name: "OzuSwiftUI", targets: ["OzuSwiftUI"]),
    .executable(name: "ozu-gallery", targets: ["OzuGalleryApp"]),
    .executable(name: "ozu", targets: ["OzuCLI"]),
    .executable(name: "ozu-decode", targets: ["OzuDecode"]),
  ],
  traits: Set(systemLibraries.compactMap(\.packageTrait)).union([
    .default(enabledTraits: ["Formats"]),
    .trait(name: "GTK", description: "Show pictures in GTK 4 widgets."),
  ]).union(sets.map { .trait(name: $0.name, description: $0.use) }),
  targets: [
    // Layer 0: glue.
    .target(name: "CDynamicLibrary", cSettings: loading),
    .target(
      name: "CCodecs",
      dependencies: ["CDynamicLibrary"] + systemLibraries.map(\.dependency),
      cSettings: loading + [.define("OZU_ISAL")] + systemLibraries.flatMap(\.cSettings),
      linkerSettings: systemLibraries.flatMap(\.linkerSettings)),
    .target(
      name: "CContentCodings",
      dependencies: ["CZlib", "CBrotli", "CZstd"].map {
        .target(name: $0, condition: .when(platforms: [.linux]))
      },
      linkerSettings: ["z", "brotlidec", "zstd"].map { .linkedLibrary($0, .when(platforms: [.linux])) }),
    .target(
      name: "CCurl", dependencies: ["CDynamicLibrary", curl.dependency], cSettings: loading,
      linkerSettings: curl.linkerSettings),
    .target(name: "CIsolation"),
    .target(name: "CListener"),
    .systemLibrary(
      name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
    .target(name: "OzuBase", swiftSettings: kernel),

    // Layer 1: they do not import each other.
    .target(
      name: "OzuImaging", dependencies: ["OzuBase"], swiftSettings: kernel
    ),
    // The manifest of what an app must declare to Apple; a bundle elsewhere would be for nobody.
    .target(
      name: "OzuCaching", dependencies: ["OzuBase"],
      exclude: isLinux ? ["PrivacyInfo.xcprivacy"] : [],
      resources: isLinux ? [] : [.copy("PrivacyInfo.xcprivacy")], swiftSettings: strict),
    .target(
      name: "OzuHTTP",
      dependencies: ["OzuBase"]
        + ["CCurl", "CContentCodings"].map { .target(name: $0, condition: .when(platforms: [.linux])) },
      swiftSettings: strict),

    // Layer 2.
    .target(name: "OzuCodecs", dependencies: ["OzuImaging", "OzuBase"], swiftSettings: kernel),

    // Layer 3: they do not import each other.
    .target(
      name: "OzuLibraryCodecs", dependencies: ["OzuCodecs", "OzuImaging", "OzuBase", "CCodecs"],
      swiftSettings: kernel),
    .target(
      name: "OzuImageIOCodecs", dependencies: ["OzuCodecs", "OzuImaging", "OzuBase"],
      swiftSettings: strict),
    .target(
      name: "OzuIsolation",
      dependencies: [
        "OzuImaging", "OzuBase",
        .target(name: "CIsolation", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),

    // Layer 4: the codecs of the platform.
    .target(
      name: "OzuStandardCodecs",
      dependencies: ["OzuCodecs", "OzuImaging", "OzuImageIOCodecs"] + libraryCodecs, swiftSettings: strict),

    // Layer 5.
    .target(
      name: "Ozu",
      dependencies: [
        "OzuIsolation", "OzuStandardCodecs", "OzuCodecs", "OzuImaging", "OzuCaching", "OzuHTTP", "OzuBase",
      ] + libraryCodecs,
      swiftSettings: strict),

    // Layer 6.
    .target(name: "OzuMigration", dependencies: ["Ozu"], swiftSettings: strict),
    .target(name: "OzuTesting", dependencies: ["Ozu", "OzuHTTP"], swiftSettings: strict),
    .executableTarget(
      name: "OzuDecode", dependencies: ["OzuIsolation", "OzuStandardCodecs"], swiftSettings: strict),
    .target(
      name: "OzuGTK", dependencies: ["Ozu", .target(name: "CGTK", condition: .when(traits: traits("GTK")))],
      swiftSettings: strict),
    .target(name: "OzuUIKit", dependencies: ["Ozu"], swiftSettings: strict),
    .target(name: "OzuAppKit", dependencies: ["Ozu"], swiftSettings: strict),
    // For the events of the app.
    .target(name: "OzuSwiftUI", dependencies: ["Ozu", "OzuUIKit", "OzuAppKit"], swiftSettings: strict),
    // The gallery without its `main`, so that a program of the tests can drive it.
    .target(
      name: "OzuGallery",
      dependencies: [
        "OzuGTK", "Ozu", "OzuTesting", .target(name: "CGTK", condition: .when(traits: traits("GTK"))),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "OzuGalleryApp", dependencies: ["OzuGallery"], swiftSettings: strict),
    .executableTarget(
      name: "OzuCLI",
      dependencies: [
        "Ozu", "OzuHTTP", "OzuTesting", "OzuBase",
      ] + serverModules,
      resources: [.copy("Resources/Photos")],
      swiftSettings: strict),

    .testTarget(name: "OzuBaseTests", dependencies: ["OzuBase"], swiftSettings: strict),
    .testTarget(
      name: "OzuImagingTests", dependencies: ["OzuImaging", "OzuTesting"], swiftSettings: strict),
    .testTarget(
      name: "OzuCachingTests", dependencies: ["OzuCaching", "OzuTesting", "OzuDiskDrills"],
      swiftSettings: strict),
    .executableTarget(
      name: "OzuDiskDrills", dependencies: ["OzuCaching", "OzuTesting"], path: "Tests/DiskDrills",
      swiftSettings: strict),
    .testTarget(
      name: "OzuHTTPTests", dependencies: ["OzuHTTP", "OzuTesting", "OzuBase"], swiftSettings: strict),
    .testTarget(
      name: "OzuCodecsTests",
      dependencies: ["OzuCodecs", "OzuStandardCodecs", "OzuTesting", "JPEGOracle", "CDynamicLibrary"]
        + libraryCodecs,
      resources: [.copy("Fixtures")], swiftSettings: strict),
    // libjpeg as encoder of every variant and as the one who knows the coefficients, for tests and fuzzing.
    .target(
      name: "CJPEGOracle", dependencies: ["CJPEG"], path: "Tests/CJPEGOracle",
      linkerSettings: [.linkedLibrary("jpeg")]),
    .target(
      name: "JPEGOracle", dependencies: ["CJPEGOracle", "OzuCodecs", "OzuImaging"], path: "Tests/JPEGOracle",
      swiftSettings: kernel),
    .executableTarget(
      name: "OzuConformance",
      dependencies: ["OzuCodecs", "OzuStandardCodecs", "OzuHTTP", "OzuImaging", "OzuIsolation"]
        + libraryCodecs,
      path: "Tests/Conformance",
      exclude: ["exceptions.json"], swiftSettings: kernel),
    .executableTarget(
      name: "OzuGalleryDrills",
      dependencies: ["OzuGallery", "OzuGTK", .target(name: "CGTK", condition: .when(traits: traits("GTK")))],
      path: "Tests/Gallery", swiftSettings: strict),
    .testTarget(
      name: "OzuTests",
      dependencies: [
        "Ozu", "OzuMigration", "OzuTesting", "OzuBase", "OzuSchedulerDrills", "OzuDecode",
        "OzuIsolationDrills",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "OzuSchedulerDrills", dependencies: ["Ozu", "OzuHTTP", "OzuTesting"],
      path: "Tests/SchedulerDrills",
      swiftSettings: kernel),
    .testTarget(
      name: "OzuIsolationTests",
      dependencies: [
        "OzuIsolation", "OzuImaging", "OzuBase", "OzuStandardCodecs", "OzuTesting",
        "OzuIsolationDrills", "OzuDecode", "CIsolationDrills",
      ],
      swiftSettings: strict),
    .target(name: "CIsolationDrills", path: "Tests/CIsolationDrills"),
    .executableTarget(
      name: "OzuIsolationDrills",
      dependencies: ["OzuIsolation", "OzuImaging", "OzuStandardCodecs", "CIsolation", "CIsolationDrills"],
      path: "Tests/IsolationDrills", swiftSettings: strict),
    .testTarget(
      name: "OzuCLITests", dependencies: ["OzuCLI", "OzuStandardCodecs", "OzuTesting"] + libraryCodecs,
      swiftSettings: strict),
  ]
)

// The fuzzer brings its own `main`, so it is only built when asked for: `make fuzz`. It reads the arguments of `ozu`, which is
// a library for it.
if Context.environment["OZU_FUZZ"] != nil {
  package.products.removeAll { $0.name == "ozu" }
  if let index = package.targets.firstIndex(where: { $0.name == "OzuCLI" }) {
    let tool = package.targets[index]
    package.targets[index] = .target(
      name: tool.name, dependencies: tool.dependencies, exclude: ["main.swift"], resources: tool.resources,
      swiftSettings: tool.swiftSettings)
  }
  package.targets.append(
    .executableTarget(
      name: "OzuFuzz",
      dependencies: [
        "OzuCodecs", "OzuStandardCodecs", "OzuImaging", "JPEGOracle", "CCodecs", "Ozu", "OzuCaching",
        "OzuCLI", "OzuHTTP", "OzuIsolation", "OzuServer", "OzuSharedStores", "OzuBase",
        "OzuTesting",
      ] + libraryCodecs,
      path: "Tests/Fuzz", exclude: ["Seeds"],
      swiftSettings: kernel + [.unsafeFlags(["-parse-as-library"])]))
}

package.targets += (systemLibraries + codingLibraries + [curl]).map(\.target)

if !buildsLibraries {
  let needLibraries: Set = [
    "CCodecs", "OzuLibraryCodecs", "CJPEGOracle", "JPEGOracle", "OzuConformance", "OzuCodecsTests",
  ]
  package.targets.removeAll { needLibraries.contains($0.name) }
}

// Levels that machines share and the image service are for servers: their connections are made of poll(2) and eventfd(2).
#if os(Linux)
  package.products.append(.library(name: "OzuSharedStores", targets: ["OzuSharedStores"]))
  package.products.append(.library(name: "OzuServer", targets: ["OzuServer"]))
  package.targets += [
    // Layer 6.
    .target(
      name: "OzuSharedStores",
      dependencies: ["Ozu", "OzuCaching", "OzuHTTP", "OzuBase"],
      swiftSettings: strict),
    .testTarget(
      name: "OzuSharedStoresTests",
      dependencies: ["OzuSharedStores", "Ozu", "OzuHTTP", "OzuBase", "OzuTesting"],
      swiftSettings: strict),
    // Layer 7.
    .target(
      name: "OzuServer",
      dependencies: [
        "CListener", "OzuSharedStores", "Ozu", "OzuCodecs", "OzuHTTP", "OzuImaging", "OzuIsolation",
        "OzuStandardCodecs", "OzuBase",
      ],
      resources: ["html", "css", "js"].map { .embedInCode("Playground/playground.\($0)") },
      swiftSettings: strict),
    .testTarget(
      name: "OzuServerTests",
      dependencies: [
        "OzuServer", "OzuSharedStores", "Ozu", "OzuHTTP", "OzuImaging", "OzuBase", "OzuTesting",
      ],
      swiftSettings: strict),
  ]
#endif

// The benchmarks and their tests: `make bench`, `make test-bench`. They see of Ozu what an app sees. The stores that the
// disk cache is compared with are there where their headers are (`make bench-peers`).
if let benchmarks = Context.environment["OZU_BENCHMARKS"] {
  let hasPeers = benchmarks == "peers"
  let settings = strict + (hasPeers ? [.define("StorePeers")] : [])
  package.targets += [
    .target(name: "CAllocations", path: "Benchmarks/Sources/CAllocations"),
    .executableTarget(
      name: "OzuBench",
      dependencies: ["Ozu", "OzuHTTP", "OzuTesting", "CAllocations"] + (hasPeers ? ["CBenchPeers"] : []),
      path: "Benchmarks/Sources/OzuBench", packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "OzuInstructions", dependencies: ["OzuImaging", "OzuStandardCodecs"],
      path: "Benchmarks/Sources/OzuInstructions", packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "OzuBenchTests", dependencies: ["OzuBench"], path: "Benchmarks/Tests/OzuBenchTests",
      packageAccess: false, swiftSettings: strict),
  ]
  package.products.append(.executable(name: "ozu-bench", targets: ["OzuBench"]))
  if hasPeers {
    package.targets.append(.systemLibrary(name: "CBenchPeers", path: "Benchmarks/Sources/CBenchPeers"))
  }
}

// The folders of the modules. `Tests` has one for each target, beside those of programs.
let folders = [
  "Base": ["OzuBase"],
  "Core": ["OzuImaging", "OzuCodecs", "OzuCaching", "OzuHTTP", "OzuIsolation", "Ozu", "OzuMigration"],
  "Libraries": [
    "OzuLibraryCodecs", "OzuStandardCodecs", "CCodecs", "CContentCodings", "CCurl", "CDynamicLibrary",
    "CIsolation",
    "CGTK",
  ],
  "Toolkits": ["OzuGTK", "OzuUIKit", "OzuAppKit", "OzuSwiftUI", "OzuImageIOCodecs"],
  "Service": ["OzuServer", "OzuSharedStores", "CListener"],
  "Apps": ["OzuCLI", "OzuGallery", "OzuGalleryApp", "OzuDecode"],
  "Testing": ["OzuTesting"],
]
for (folder, names) in folders {
  for target in package.targets where names.contains(target.name) {
    target.path = "Sources/\(folder)/\(target.name)"
  }
}

// The sanitizers run some of the tests. With their names here, only these and what they need are built; with `Tests/File.swift`,
// these files of a target and its folder of support.
if let tests = Context.environment["OZU_TESTS"], !tests.isEmpty {
  var needed: Set<String> = []
  func need(_ name: String) {
    guard needed.insert(name).inserted else { return }
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): need(name)
      default: break
      }
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
  package.products.removeAll { product in
    let targets = (product as? Product.Executable)?.targets ?? (product as? Product.Library)?.targets ?? []
    return !needed.isSuperset(of: targets)
  }
}
