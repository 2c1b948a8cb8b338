// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Album",
  dependencies: [.package(name: "ozu", path: "../..", traits: ["Desktop"])],
  targets: [
    .executableTarget(
      name: "Album",
      dependencies: [
        .product(name: "Ozu", package: "ozu"), .product(name: "OzuGTK", package: "ozu"),
      ])
  ])
