// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Cards",
  dependencies: [.package(name: "ozu", path: "../..", traits: ["SVG"])],
  targets: [
    .executableTarget(name: "Cards", dependencies: [.product(name: "Ozu", package: "ozu")])
  ])
