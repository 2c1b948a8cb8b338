// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Srcset",
  dependencies: [.package(name: "ozu", path: "../..")],
  targets: [
    .executableTarget(name: "Srcset", dependencies: [.product(name: "Ozu", package: "ozu")])
  ])
