// swift-tools-version: 6.2
import AppleProductTypes
import PackageDescription

let package = Package(
  name: "Photos",
  platforms: [.iOS("18.0")],
  products: [
    .iOSApplication(
      name: "Photos", targets: ["AppModule"], displayVersion: "1.0", bundleVersion: "1",
      appIcon: .placeholder(icon: .images), accentColor: .presetColor(.blue),
      supportedDeviceFamilies: [.pad, .phone],
      supportedInterfaceOrientations: [.portrait, .landscapeLeft, .landscapeRight],
      capabilities: [.outgoingNetworkConnections()])
  ],
  dependencies: [.package(name: "ozu", path: "../..")],
  targets: [
    .executableTarget(
      name: "AppModule", dependencies: [.product(name: "OzuSwiftUI", package: "ozu")], path: "Sources")
  ])
