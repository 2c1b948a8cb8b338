import Foundation

/// The photographs of the demo of `ozu`, which lie in the checkout.
enum Photographs {
  struct Photo: Sendable {
    let name: String
    let data: Data
  }

  /// The root of the checkout that this program was built from.
  static let checkout = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL

  /// All photographs, by name.
  static func load() throws -> [Photo] {
    let folder = checkout.appending(path: "Sources/Apps/OzuCLI/Resources/Photos")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { ["jpg", "png"].contains($0.pathExtension) }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .map { Photo(name: $0.lastPathComponent, data: try Data(contentsOf: $0)) }
  }
}
