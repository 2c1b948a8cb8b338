// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Photos",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "ozu", path: "../..")],
  targets: [
    .executableTarget(name: "Photos", dependencies: [.product(name: "OzuSwiftUI", package: "ozu")])
  ])
