// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Shrink",
  dependencies: [.package(name: "ozu", path: "../..", traits: [])],
  targets: [
    .executableTarget(name: "Shrink", dependencies: [.product(name: "Ozu", package: "ozu")])
  ])
