// swift-tools-version: 6.2
import PackageDescription

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
let environment = Context.environment
let buildsLibraries = isLinux || environment["OZU_LIBRARIES"] != nil
let libraryCodecs = buildsLibraries ? "OzuLibraryCodecs" : ""
// On Linux the large libraries are opened when they are first needed: `Documentation/libraries.md`. OZU_LINK_LIBRARIES
// links them, as on other systems.
let loadsLibraries = isLinux && environment["OZU_LINK_LIBRARIES"] == nil
let loading: [CSetting] = loadsLibraries ? [.define("OZU_LOADS_LIBRARIES")] : []

// MARK: The libraries of the system

/// A row each: the target that finds it, its package in Debian and in Homebrew, its name for pkg-config, what is linked (after a ?
/// it is opened when it is first needed), and the trait that brings it, with what that is for.
/// Why some have no name for pkg-config: `Documentation/adding-a-format.md`. Why SVG is off: `Documentation/libraries.md`.
let libraries = """
  CJPEG     libjpeg-dev           jpeg-turbo   libjpeg       jpeg
  CPNG      libpng-dev            libpng       libpng        png16,z
  CISAL     libisal-dev           isa-l        libisal       isal
  CZstd     libzstd-dev           zstd         libzstd       zstd
  CZlib     zlib1g-dev            zlib         zlib          z
  CBrotli   libbrotli-dev         brotli       libbrotlidec  brotlidec
  CLCMS     liblcms2-dev          little-cms2  -             lcms2
  CLibcurl  libcurl4-openssl-dev  curl         libcurl       ?curl
  CWebP     libwebp-dev           webp         libwebpmux    webp,webpmux  WebP  Read and write WebP through libwebp.
  CAVIF     libavif-dev           libavif      -             ?avif         AVIF  Read and write AVIF through libavif.
  CHEIF     libheif-dev           libheif      libheif       ?heif         HEIF  Read HEIC and HEIF through libheif.
  CJXL      libjxl-dev            jpeg-xl      -             ?jxl          JXL   Read and write JPEG XL through libjxl.
  CTIFF     libtiff-dev           libtiff      libtiff-4     ?tiff         TIFF  Read TIFF through libtiff.
  CRSVG     librsvg2-dev          librsvg      cairo  ?rsvg-2,cairo,gobject-2.0,glib-2.0  SVG  Draw SVG through librsvg. Off by default.
  CGTK      libgtk-4-dev          gtk4         gtk4          gtk-4         GTK   Show pictures in GTK 4 widgets.
  """.split(separator: "\n").map { row in
    let cells = row.split(separator: " ").map(String.init)
    let isOpened = cells[4].hasPrefix("?") && loadsLibraries
    return (
      name: cells[0], apt: cells[1], brew: cells[2], pkgConfig: cells[3] == "-" ? nil : cells[3],
      links: isOpened ? [] : cells[4].split { "?,".contains($0) }.map(String.init),
      trait: cells.dropFirst(5).first, use: cells.dropFirst(6).joined(separator: " ")
    )
  }
// Those of pictures; the others are of HTTP.
let codecs = libraries.filter { !["CZlib", "CBrotli", "CLibcurl", "CGTK"].contains($0.name) }

let package = Package(
  name: "Ozu",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  traits: Set(
    [.default(enabledTraits: ["Formats"])] + sets.map { .trait(name: $0.name, description: $0.use) }
      + libraries.compactMap { row in row.trait.map { .trait(name: $0, description: row.use) } }))

/// Every Swift target: `any` is written out, and an `async` function stays on its caller's executor unless it says otherwise.
/// Warnings are errors in Ozu's own checks, except for what a newer library calls deprecated; never for others who build it.
/// `#if AVIF` asks whether the parts of that trait are built, by whichever set.
let strict: [SwiftSetting] =
  (environment["OZU_STRICT"] == nil
    ? [] : [.treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning)])
  + [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]
  + libraries.compactMap(\.trait).map { .define($0, .when(traits: traits($0))) }

/// Targets that loop over pixels or bytes stay optimised in debug builds: a hundred times the speed (`CONTRIBUTING.md`). An
/// unsafe flag is the only way, which SwiftPM allows in dependencies by version since tools version 6.2.
let optimised: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

// The fuzzer brings its own `main`, so it is only built when asked for: `make fuzz`. It reads the arguments of `ozu`, which is
// a library for it.
let fuzzes = environment["OZU_FUZZ"] != nil
let command = fuzzes ? "library" : "ozu    "
// The stores that the disk cache is compared with are there where their headers are: `make bench-peers`.
let peers = environment["OZU_BENCHMARKS"] == "peers" ? "CBenchPeers" : ""
// Linux alone: the connections of the service and of levels that machines share are made of poll(2), epoll(7) and eventfd(2).
let service = isLinux ? "OzuServer OzuSharedStores" : ""
let below = "OzuStandardCodecs OzuCodecs OzuImaging OzuIsolation OzuHTTP OzuBase"

/// A row each: its kind, its name, the folder around it (or after a = its own) and what it uses. A product is a library for apps;
/// of a program for users the name stands there. Debug builds optimise what has a star. A module imports nothing else, and
/// only from above it (`scripts/check-layering`): `Documentation/architecture.md` has the layers.
let rows = """
  C            CDynamicLibrary       Sources/Libraries
  C            CCodecs               Sources/Libraries  CDynamicLibrary \(codecs.map(\.name).joined(separator: " "))
  C            CContentCodings       Sources/Libraries  CZlib@Linux CBrotli@Linux CZstd@Linux
  C            CCurl                 Sources/Libraries  CDynamicLibrary CLibcurl
  C            CIsolation            Sources/Libraries
  C            CListener             Sources/Service
  library*     OzuBase               Sources/Base
  product*     OzuImaging            Sources/Core       OzuBase
  product*     OzuCodecs             Sources/Core       OzuImaging OzuBase
  library      OzuImageIOCodecs      Sources/Toolkits   OzuCodecs OzuImaging OzuBase
  library*     OzuLibraryCodecs      Sources/Libraries  OzuCodecs OzuImaging OzuBase CCodecs
  product      OzuStandardCodecs     Sources/Libraries  OzuCodecs OzuImaging OzuImageIOCodecs \(libraryCodecs)
  product      OzuCaching            Sources/Core       OzuBase
  product      OzuHTTP               Sources/Core       OzuBase CCurl@Linux CContentCodings@Linux
  library      OzuIsolation          Sources/Core       OzuCodecs OzuImaging OzuBase CIsolation@Linux
  product      Ozu                   Sources/Core       OzuCaching \(below) \(libraryCodecs)
  product      OzuMigration          Sources/Core       Ozu
  product      OzuGTK                Sources/Toolkits   Ozu CGTK
  product      OzuUIKit              Sources/Toolkits   Ozu
  product      OzuAppKit             Sources/Toolkits   Ozu
  product      OzuSwiftUI            Sources/Toolkits   Ozu OzuUIKit OzuAppKit
  product      OzuSharedStores       Sources/Service    Ozu OzuCaching OzuHTTP OzuBase
  product      OzuServer             Sources/Service    CListener OzuSharedStores Ozu OzuCaching \(below)
  library      OzuDemonstration      Sources/Apps       Ozu OzuHTTP OzuBase
  library      OzuGallery            Sources/Apps       OzuGTK Ozu OzuCodecs OzuDemonstration CGTK
  ozu-gallery  OzuGalleryApp         Sources/Apps       OzuGallery
  \(command)     OzuCLI                Sources/Apps       Ozu OzuCodecs OzuCaching OzuHTTP OzuDemonstration OzuBase \(service)
  ozu-decode   OzuDecode             Sources/Apps       OzuIsolation OzuStandardCodecs
  product      OzuTesting            Sources/Testing    Ozu OzuCaching OzuHTTP OzuDemonstration
  tests        OzuBaseTests          Tests/Base         OzuBase
  tests        OzuImagingTests       Tests/Core         OzuImaging OzuTesting
  tests        OzuCachingTests       Tests/Core         OzuCaching OzuTesting OzuDiskDrills OzuBase
  tests        OzuHTTPTests          Tests/Core         OzuHTTP OzuTesting OzuBase
  tests        OzuIsolationTests     Tests/Core         \(below) OzuTesting OzuIsolationDrills OzuDecode CIsolationDrills
  tests        OzuTests              Tests/Core         Ozu OzuMigration OzuTesting OzuBase OzuSchedulerDrills OzuDecode OzuIsolationDrills
  program      OzuDiskDrills         =Tests/Core/DiskDrills  OzuCaching OzuTesting
  program*     OzuSchedulerDrills    =Tests/Core/SchedulerDrills  Ozu OzuHTTP OzuTesting
  program      OzuIsolationDrills    =Tests/Core/IsolationDrills  OzuIsolation OzuCodecs OzuImaging OzuStandardCodecs CIsolation CIsolationDrills
  C            CIsolationDrills      Tests/Core
  program*     OzuFuzz  =Tests/Core/Fuzz  \(below) \(libraryCodecs) JPEGOracle CCodecs Ozu OzuCaching OzuCLI \(service) OzuTesting
  tests        OzuCodecsTests        Tests/Libraries    OzuCodecs OzuStandardCodecs OzuTesting JPEGOracle CDynamicLibrary \(libraryCodecs)
  C            CJPEGOracle           Tests/Libraries    CJPEG
  library*     JPEGOracle            Tests/Libraries    CJPEGOracle OzuCodecs OzuImaging
  program*     OzuConformance        =Tests/Libraries/Conformance  \(below) \(libraryCodecs)
  tests        OzuSharedStoresTests  Tests/Service      OzuSharedStores Ozu OzuHTTP OzuBase OzuTesting
  tests        OzuServerTests        Tests/Service      \(service) Ozu OzuHTTP OzuImaging OzuBase OzuTesting OzuIsolationDrills
  tests        OzuCLITests           Tests/Apps         OzuCLI OzuStandardCodecs OzuTesting \(libraryCodecs)
  program      OzuGalleryDrills      =Tests/Apps/Gallery  OzuGallery OzuGTK OzuTesting CGTK
  C            CAllocations          Benchmarks/Sources
  ozu-bench    OzuBench              Benchmarks/Sources  Ozu OzuHTTP OzuTesting CAllocations \(peers)
  program      OzuInstructions       Benchmarks/Sources  OzuImaging OzuStandardCodecs
  tests        OzuBenchTests         Benchmarks/Tests   OzuBench
  """.split(separator: "\n").map { row in
    let cells = row.split(separator: " ").map(String.init)
    return (kind: cells[0], name: cells[1], folder: cells[2], uses: cells.dropFirst(3))
  }

// The manifest of what an app must declare to Apple; a bundle elsewhere would be for nobody.
let resources: [String: [Resource]] = [
  "OzuCaching": isLinux ? [] : [.copy("PrivacyInfo.xcprivacy")], "OzuCodecsTests": [.copy("Fixtures")],
  "OzuServer": ["html", "css", "js"].map { .embedInCode("Playground/playground.\($0)") },
  "OzuCLI": [.copy("Resources/Photos")],
]
let excluded = [
  "OzuCaching": isLinux ? ["PrivacyInfo.xcprivacy"] : [], "OzuConformance": ["exceptions.json"],
  "OzuCLI": fuzzes ? ["main.swift"] : [], "OzuFuzz": ["Seeds"],
]
let special: [String: [SwiftSetting]] = [
  "OzuBench": peers.isEmpty ? [] : [.define("StorePeers")], "OzuFuzz": [.unsafeFlags(["-parse-as-library"])],
]
let defines: [String: [CSetting]] = [
  "CDynamicLibrary": loading, "CCurl": loading,
  // `OZU_AVIF` for the trait AVIF.
  "CCodecs": loading
    + codecs.compactMap(\.trait).map { .define("OZU_\($0.uppercased())", .when(traits: traits($0))) },
]

/// What a target uses: on Linux alone with `@Linux`, and with its trait alone if it has one.
func dependency(_ use: String) -> Target.Dependency {
  let name = String(use.prefix { $0 != "@" })
  if use != name { return .target(name: name, condition: .when(platforms: [.linux])) }
  let trait = libraries.first { $0.name == name }?.trait
  return trait.map { .target(name: name, condition: .when(traits: traits($0))) } ?? .byName(name: name)
}

/// What C is linked with for it.
func linked(_ use: String) -> [LinkerSetting] {
  guard let library = libraries.first(where: { $0.name == use.prefix { $0 != "@" } }) else { return [] }
  let condition: BuildSettingCondition? =
    use != library.name ? .when(platforms: [.linux]) : library.trait.map { .when(traits: traits($0)) }
  return library.links.map { .linkedLibrary($0, condition) }
}

package.targets = rows.map { kind, name, folder, uses in
  // Benchmarks see of Ozu what an app sees.
  let isInside = !folder.hasPrefix("Benchmarks/")
  let target: Target =
    switch kind {
    case "tests": .testTarget(name: name, packageAccess: isInside)
    case _ where kind.hasPrefix("program") || kind.hasPrefix("ozu"):
      .executableTarget(name: name, packageAccess: isInside)
    default: .target(name: name)
    }
  target.path = folder.hasPrefix("=") ? String(folder.dropFirst()) : "\(folder)/\(name)"
  target.dependencies = uses.map(dependency)
  target.exclude = excluded[name] ?? []
  target.resources = resources[name]
  if kind == "C" {
    target.cSettings = defines[name]
    target.linkerSettings = uses.flatMap(linked)
  } else {
    target.swiftSettings = strict + (kind.hasSuffix("*") ? optimised : []) + (special[name] ?? [])
  }
  return target
}
// All but GTK share one empty module map: Swift sees them through `CCodecs` alone. Where no library is built, as for an app in
// Xcode, nobody is told to install one. pkg-config would have the linker add what is only opened.
package.targets += libraries.map { library in
  let isGTK = library.name == "CGTK"
  return .systemLibrary(
    name: library.name, path: "Sources/Libraries/\(isGTK ? library.name : "SystemLibraries")",
    pkgConfig: (buildsLibraries || isGTK) && !library.links.isEmpty ? library.pkgConfig : nil,
    providers: [.apt([library.apt]), .brew([library.brew])])
}
package.targets += peers.isEmpty ? [] : [.systemLibrary(name: peers, path: "Benchmarks/Sources/\(peers)")]

// What is not built here.
let absent =
  (buildsLibraries ? [] : ["/CCodecs", "/OzuLibraryCodecs", "Tests/Libraries/"])
  + (isLinux ? [] : ["/Service/"]) + (fuzzes ? [] : ["/Fuzz"])
  + (environment["OZU_BENCHMARKS"] == nil ? ["Benchmarks/"] : [])
package.targets.removeAll { target in absent.contains { target.path?.contains($0) == true } }
// The sanitizers run some of the tests. With their names here, only these and what they need are built; with `Tests/File.swift`,
// these files of a target and its folder of support.
if let tests = environment["OZU_TESTS"], !tests.isEmpty {
  let all = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var (needed, open): (Set<String>, [String]) = ([], tests.split(separator: " ").reversed().map(String.init))
  while let word = open.popLast() {
    let (name, file) = (String(word.prefix { $0 != "/" }), word.drop { $0 != "/" }.dropFirst())
    if !file.isEmpty { all[name]?.sources = (all[name]?.sources ?? ["Support"]) + [String(file)] }
    guard needed.insert(name).inserted else { continue }
    open += rows.first { $0.name == name }?.uses.map { String($0.prefix { $0 != "@" }) } ?? []
  }
  package.targets.removeAll { !needed.contains($0.name) }
}

// A product has one target, and is there where that is.
package.products = package.targets.compactMap { target in
  let (name, kind) = (target.name, rows.first { $0.name == target.name }?.kind ?? "")
  if kind.hasPrefix("product") { return .library(name: name, targets: [name]) }
  return kind.hasPrefix("ozu") ? .executable(name: kind, targets: [name]) : nil
}
