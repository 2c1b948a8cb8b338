// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "PhotoList",
  platforms: [.iOS(.v18)],
  products: [.library(name: "PhotoList", targets: ["PhotoList"])],
  dependencies: [.package(name: "ozu", path: "../..")],
  targets: [
    .target(name: "PhotoList", dependencies: [.product(name: "OzuUIKit", package: "ozu")])
  ])
