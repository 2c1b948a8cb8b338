import Foundation

/// The photographs that come with the program, in the folder SwiftPM puts beside it.
enum DemoPhotos {
  struct Photo: Sendable {
    let name: String
    let data: Data

    var mediaType: String { name.hasSuffix(".png") ? "image/png" : "image/jpeg" }
  }

  struct Missing: Error, CustomStringConvertible {
    let folders: [String]

    var description: String {
      "the photographs of the demo are not beside the program; looked in "
        + folders.joined(separator: " and ")
    }
  }

  /// All photographs, by name.
  ///
  /// Not through `Bundle.module`: that ends the process when the folder is missing.
  static func load() throws -> [Photo] {
    let places = [
      Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent(), Bundle.main.bundleURL,
    ]
    let folders = places.compactMap { $0?.appending(path: "Ozu_OzuCLI.resources").appending(path: "Photos") }
    for folder in folders {
      let files =
        (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
      let photos = files.filter { ["jpg", "png"].contains($0.pathExtension) }
      guard !photos.isEmpty else { continue }
      return try photos.sorted { $0.lastPathComponent < $1.lastPathComponent }.map {
        Photo(name: $0.lastPathComponent, data: try Data(contentsOf: $0))
      }
    }
    throw Missing(folders: folders.map { $0.path(percentEncoded: false) })
  }
}
