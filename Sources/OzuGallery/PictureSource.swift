import Foundation
import Ozu

/// Where the pictures of a gallery come from.
public enum PictureSource {
  /// The image files of a folder, by name.
  case folder(URL)
  /// The addresses in a text file, one a line.
  case list(URL)
  /// A server of our own that draws so many pictures when they are asked for.
  case demo(count: Int)

  /// What the command line should have been.
  public struct Usage: Error, CustomStringConvertible {
    /// A line for people.
    public let description: String
  }

  private static let extensions: Set = [
    "jpg", "jpeg", "png", "gif", "webp", "avif", "heic", "heif", "jxl", "tif", "tiff", "bmp", "ico",
  ]

  /// Reads the command line: a folder, a file of addresses, or nothing for the demo.
  ///
  /// - Throws: `Usage`.
  public init(arguments: [String]) throws(Usage) {
    switch arguments.first {
    case nil: self = .demo(count: 10_000)
    case let path? where arguments.count == 1 && !path.hasPrefix("-"):
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw Usage(description: "there is no folder or file '\(path)'")
      }
      let url = URL(filePath: path)
      self = isFolder.boolValue ? .folder(url) : .list(url)
    default: throw Usage(description: "usage: ozu-gallery [FOLDER | FILE-OF-ADDRESSES]")
    }
  }

  /// What to write over the window.
  public var title: String {
    switch self {
    case .folder(let url), .list(let url): url.lastPathComponent
    case .demo(let count): "\(count) drawn pictures"
    }
  }

  /// The pictures, in order.
  ///
  /// - Throws: when the folder or the file cannot be read, or the server cannot be started.
  public func items() throws -> [PictureItem] {
    switch self {
    case .demo(let count): return try DemoServer(count: count).items
    case .folder(let folder):
      return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { Self.extensions.contains($0.pathExtension.lowercased()) }
        .sorted { $0.lastPathComponent.localizedStandardCompare($1.lastPathComponent) == .orderedAscending }
        .map { PictureItem(name: $0.lastPathComponent, source: .url($0)) }
    case .list(let file):
      let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
      return lines.enumerated().compactMap { number, line in
        let text = line.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty, !text.hasPrefix("#"), let url = URL(string: text) else { return nil }
        return PictureItem(name: "\(number + 1) \(url.lastPathComponent)", source: .url(url))
      }
    }
  }
}
