// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: warnings are errors (SwiftPM lifts this for packages that depend on Ozu), `any` is
/// written out, and an `async` function stays on its caller's executor unless it says otherwise.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Targets that loop over pixels or bytes stay optimised in debug builds, where they would otherwise be 15 to
/// 360 times slower and make the tests crawl. `make test-unoptimised` builds them without: only then does the standard
/// library check the bounds of unsafe buffers.
let kernel: [SwiftSetting] =
  Context.environment["OZU_UNOPTIMISED"] == nil
  ? strict + [.unsafeFlags(["-O"], .when(configuration: .debug))] : strict

/// What reads and writes through the C libraries of Linux. Apple platforms have ImageIO in their place.
let codecsOfLibraries = [
  "Codecs.swift",
  "Colour/ColorConverter.swift",
  "Colour/ColorTransform.swift",
  "Colour/ColorTransformStore.swift",
  "Delta",
  "ICO/ICODecoder.swift",
  "JPEG/JPEGDecoder+Incremental.swift",
  "JPEG/JPEGDecoder+Planes.swift",
  "JPEG/JPEGDecoder+Thumbnail.swift",
  "JPEG/JPEGDecoder.swift",
  "JPEG/JPEGEncoder.swift",
  "JPEG/JPEGSession.swift",
  "Library",
  "PNG/PNGDecoder+Incremental.swift",
  "PNG/PNGDecoder.swift",
  "PNG/PNGEncoder.swift",
  "PNG/PNGFrames.swift",
  "PNG/PNGHeader+Color.swift",
  "PNG/PNGSession.swift",
  "PNG/Rows",
  "Support/EncoderMemory.swift",
  "Support/PixelFormat+C.swift",
  "WebP/WebPDecoder+Incremental.swift",
  "WebP/WebPDecoder.swift",
  "WebP/WebPEncoder.swift",
  "WebP/WebPFrames.swift",
  "WebP/WebPPlanes.swift",
  "WebP/WebPSession.swift",
]

// A manifest is compiled for the machine that builds, and code for Apple platforms is built on a Mac.
#if os(Linux)
  let leftOutOfCodecs: [String] = []
  let glueOfCodecs: [Target.Dependency] = ["CCodecs"]
#else
  let leftOutOfCodecs = codecsOfLibraries
  let glueOfCodecs: [Target.Dependency] = []
#endif

let package = Package(
  name: "Ozu",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Ozu", targets: ["Ozu"]),
    .library(name: "OzuImaging", targets: ["OzuImaging"]),
    .library(name: "OzuCaching", targets: ["OzuCaching"]),
    .library(name: "OzuHTTP", targets: ["OzuHTTP"]),
    .library(name: "OzuTesting", targets: ["OzuTesting"]),
    .library(name: "OzuGTK", targets: ["OzuGTK"]),
    .library(name: "OzuUIKit", targets: ["OzuUIKit"]),
    .library(name: "OzuAppKit", targets: ["OzuAppKit"]),
    .library(name: "OzuSwiftUI", targets: ["OzuSwiftUI"]),
    .executable(name: "ozu-gallery", targets: ["OzuGalleryApp"]),
    .executable(name: "ozu", targets: ["OzuCLI"]),
  ],
  traits: [
    .default(enabledTraits: ["WebP", "AVIF", "HEIF", "JXL", "TIFF", "SVG"]),
    .trait(name: "WebP", description: "Read and write WebP through libwebp."),
    .trait(name: "AVIF", description: "Read and write AVIF through libavif."),
    .trait(name: "HEIF", description: "Read HEIC and HEIF through libheif."),
    .trait(name: "JXL", description: "Read and write JPEG XL through libjxl."),
    .trait(name: "TIFF", description: "Read TIFF through libtiff."),
    .trait(name: "SVG", description: "Draw SVG through librsvg."),
    .trait(name: "BenchPeers", description: "Measure SQLite and LMDB beside the disk cache in `ozu bench`."),
    .trait(name: "GTK", description: "Show pictures in GTK 4 widgets."),
  ],
  targets: [
    // Floor 0: glue.
    .target(
      name: "CCodecs",
      cSettings: [
        .define("OZU_ISAL", .when(platforms: [.linux])),
        .define("OZU_WEBP", .when(traits: ["WebP"])),
        .define("OZU_AVIF", .when(traits: ["AVIF"])),
        .define("OZU_HEIF", .when(traits: ["HEIF"])),
        .define("OZU_JXL", .when(traits: ["JXL"])),
        .define("OZU_TIFF", .when(traits: ["TIFF"])),
        .define("OZU_SVG", .when(traits: ["SVG"])),
        .unsafeFlags(["-O2"], .when(configuration: .debug)),
      ],
      linkerSettings: [
        .linkedLibrary("jpeg"),
        .linkedLibrary("png16"),
        .linkedLibrary("z"),
        .linkedLibrary("zstd"),
        .linkedLibrary("isal", .when(platforms: [.linux])),
        .linkedLibrary("lcms2"),
        .linkedLibrary("webp", .when(traits: ["WebP"])),
        .linkedLibrary("avif", .when(traits: ["AVIF"])),
        .linkedLibrary("heif", .when(traits: ["HEIF"])),
        .linkedLibrary("jxl", .when(traits: ["JXL"])),
        .linkedLibrary("tiff", .when(traits: ["TIFF"])),
        .linkedLibrary("rsvg-2", .when(traits: ["SVG"])),
        .linkedLibrary("cairo", .when(traits: ["SVG"])),
        .linkedLibrary("gobject-2.0", .when(traits: ["SVG"])),
        .linkedLibrary("glib-2.0", .when(traits: ["SVG"])),
      ]),
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CBenchPeers"),
    .target(name: "CAllocations"),
    .systemLibrary(name: "CGTK", pkgConfig: "gtk4"),
    .target(name: "OzuSynchronization", swiftSettings: strict),

    // Floor 1: they do not know each other.
    .target(name: "OzuImaging", dependencies: ["OzuSynchronization"], swiftSettings: kernel),
    .target(name: "OzuCaching", dependencies: ["OzuSynchronization"], swiftSettings: kernel),
    .target(
      name: "OzuHTTP",
      dependencies: ["OzuSynchronization", .target(name: "CCurl", condition: .when(platforms: [.linux]))],
      swiftSettings: strict),

    // Floor 2.
    .target(
      name: "OzuCodecs", dependencies: ["OzuImaging"] + glueOfCodecs, exclude: leftOutOfCodecs,
      swiftSettings: kernel),

    // Floor 3.
    .target(
      name: "Ozu", dependencies: ["OzuCodecs", "OzuImaging", "OzuCaching", "OzuHTTP"],
      swiftSettings: strict),

    // Floor 4.
    .target(name: "OzuTesting", dependencies: ["Ozu", "OzuHTTP"], swiftSettings: strict),
    .target(
      name: "OzuGTK", dependencies: ["Ozu", .target(name: "CGTK", condition: .when(traits: ["GTK"]))],
      swiftSettings: strict),
    .target(name: "OzuUIKit", dependencies: ["Ozu"], swiftSettings: strict),
    .target(name: "OzuAppKit", dependencies: ["Ozu"], swiftSettings: strict),
    .target(name: "OzuSwiftUI", dependencies: ["Ozu"], swiftSettings: strict),
    // The gallery without its `main`, so that a program of the tests can drive it.
    .target(
      name: "OzuGallery",
      dependencies: [
        "OzuGTK", "Ozu", "OzuTesting", .target(name: "CGTK", condition: .when(traits: ["GTK"])),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "OzuGalleryApp", dependencies: ["OzuGallery"], swiftSettings: strict),
    .executableTarget(
      name: "OzuCLI",
      dependencies: [
        "Ozu", "OzuCodecs", "OzuHTTP", "OzuTesting", "CAllocations",
        .target(name: "CBenchPeers", condition: .when(traits: ["BenchPeers"])),
      ],
      resources: [.copy("Resources/Photos")],
      swiftSettings: strict),

    .testTarget(
      name: "OzuImagingTests", dependencies: ["OzuImaging", "OzuTesting"], swiftSettings: strict),
    .testTarget(
      name: "OzuCachingTests", dependencies: ["OzuCaching", "OzuTesting", "OzuDiskDrills"],
      swiftSettings: strict),
    .executableTarget(
      name: "OzuDiskDrills", dependencies: ["OzuCaching"], path: "Tests/DiskDrills", swiftSettings: strict),
    .testTarget(
      name: "OzuHTTPTests", dependencies: ["OzuHTTP", "OzuTesting"], swiftSettings: strict),
    .testTarget(
      name: "OzuCodecsTests", dependencies: ["OzuCodecs", "OzuTesting", "JPEGOracle"],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    // libjpeg as encoder of every variant and as the one who knows the coefficients, for tests and fuzzing.
    .target(
      name: "CJPEGOracle", path: "Tests/CJPEGOracle", linkerSettings: [.linkedLibrary("jpeg")]),
    .target(
      name: "JPEGOracle", dependencies: ["CJPEGOracle", "OzuCodecs", "OzuImaging"], path: "Tests/JPEGOracle",
      swiftSettings: kernel),
    .executableTarget(
      name: "OzuConformance", dependencies: ["OzuCodecs", "OzuHTTP", "OzuImaging"], path: "Tests/Conformance",
      exclude: ["exceptions.json"], swiftSettings: kernel),
    .executableTarget(
      name: "OzuGalleryDrills",
      dependencies: ["OzuGallery", "OzuGTK", .target(name: "CGTK", condition: .when(traits: ["GTK"]))],
      path: "Tests/Gallery", swiftSettings: strict),
    .executableTarget(
      name: "OzuInstructions", dependencies: ["OzuCodecs", "OzuImaging"], path: "Benchmarks/Instructions",
      swiftSettings: kernel),
    .testTarget(
      name: "OzuTests", dependencies: ["Ozu", "OzuTesting", "OzuSchedulerDrills"], swiftSettings: strict),
    .executableTarget(
      name: "OzuSchedulerDrills", dependencies: ["Ozu", "OzuTesting"], path: "Tests/SchedulerDrills",
      swiftSettings: kernel),
    .testTarget(
      name: "OzuCLITests", dependencies: ["OzuCLI", "OzuCodecs", "OzuTesting"], swiftSettings: strict),
  ]
)

// The fuzzer brings its own `main`, so it is only built when asked for: `make fuzz`.
if Context.environment["OZU_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "OzuFuzz", dependencies: ["OzuCodecs", "OzuImaging", "JPEGOracle"], path: "Tests/Fuzz",
      swiftSettings: kernel + [.unsafeFlags(["-parse-as-library"])]))
}

// What has nothing to build without the C libraries of Linux.
#if !os(Linux)
  let needsLibraries: Set = ["CCodecs", "CJPEGOracle", "JPEGOracle", "OzuConformance", "OzuCodecsTests"]
  package.targets.removeAll { needsLibraries.contains($0.name) }
#endif
