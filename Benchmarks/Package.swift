// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// A package of its own, so that packages that depend on Ozu get none of this. `make bench` builds it.
let package = Package(
  name: "OzuBenchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "ozu-bench", targets: ["OzuBench"])
  ],
  traits: [
    .trait(name: "StorePeers", description: "Measure SQLite and LMDB beside the disk cache.")
  ],
  dependencies: [.package(name: "Ozu", path: "..", traits: ["AllFormats"])],
  targets: [
    .systemLibrary(
      name: "CBenchPeers", providers: [.apt(["libsqlite3-dev", "liblmdb-dev"]), .brew(["sqlite", "lmdb"])]),
    .target(name: "CAllocations"),
    .executableTarget(
      name: "OzuBench",
      dependencies: [
        .product(name: "Ozu", package: "Ozu"), .product(name: "OzuHTTP", package: "Ozu"),
        .product(name: "OzuTesting", package: "Ozu"), "CAllocations",
        .target(name: "CBenchPeers", condition: .when(traits: ["StorePeers"])),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "OzuInstructions",
      dependencies: [
        .product(name: "OzuImaging", package: "Ozu"), .product(name: "OzuStandardCodecs", package: "Ozu"),
      ],
      swiftSettings: strict),
    .testTarget(name: "OzuBenchTests", dependencies: ["OzuBench"], swiftSettings: strict),
  ]
)
