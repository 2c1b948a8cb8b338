// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Thumbs",
  dependencies: [.package(name: "ozu", path: "../..")],
  targets: [
    .executableTarget(
      name: "Thumbs",
      dependencies: [
        .product(name: "Ozu", package: "ozu"), .product(name: "OzuServer", package: "ozu"),
        .product(name: "ozu-decode", package: "ozu"),
      ])
  ])
