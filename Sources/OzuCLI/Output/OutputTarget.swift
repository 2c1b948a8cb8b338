import Foundation
import Ozu
import OzuSynchronization

/// Where `-o` puts the results: a file, or a folder in which each result is named for its source.
final class OutputTarget: Sendable {
  private enum Place {
    case file(String)
    case folder(String)
  }

  private let place: Place
  private let format: ImageType?
  /// Names that are given away, so that two sources of one name do not overwrite each other.
  private let taken = Mutex(Set<String>())

  /// - Parameters:
  ///   - path: what `-o` says. A folder when it ends in a slash, when it is one, or for several sources.
  ///   - format: what `--format` says; else the ending of the file decides, else the picture.
  init(path: String, format: ImageType?, sourceCount: Int) throws(UsageError) {
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    if path.hasSuffix("/") || sourceCount > 1 || (exists && isDirectory.boolValue) {
      if exists && !isDirectory.boolValue {
        throw UsageError("-o \(path): this is a file; several results need a folder")
      }
      place = .folder(path)
      self.format = format
    } else {
      place = .file(path)
      self.format = if let format { format } else { try Self.format(ofFile: path) }
    }
  }

  private static func format(ofFile path: String) throws(UsageError) -> ImageType? {
    let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
    guard !ending.isEmpty else { return nil }
    guard let type = OutputFormats.type(ofEnding: ending) else {
      throw UsageError(
        "-o \(path): files ending in .\(ending) cannot be written",
        hint: "--format says \(OutputFormats.list).")
    }
    return type
  }

  /// The format for a picture: opaque pictures are JPEG unless something else was asked for.
  func type(for picture: Picture) -> ImageType {
    format ?? (picture.bitmap.isOpaque ? .jpeg : .png)
  }

  /// The path for a result. Two sources never get the same.
  func path(for source: ImageSource, type: ImageType) -> String {
    switch place {
    case .file(let path): return path
    case .folder(let folder):
      let base = Self.baseName(of: source)
      let name = taken.withLock { taken in
        var name = "\(base).\(type.fileExtension)"
        var number = 2
        while !taken.insert(name).inserted {
          name = "\(base)-\(number).\(type.fileExtension)"
          number += 1
        }
        return name
      }
      return URL(fileURLWithPath: folder).appending(path: name).path(percentEncoded: false)
    }
  }

  /// The last part of an address without its ending, made harmless as a file name.
  static func baseName(of source: ImageSource) -> String {
    guard case .url(let url) = source, url.scheme?.lowercased() != "data" else { return "image" }
    let last = url.deletingPathExtension().lastPathComponent
    let harmless = last.map { $0 == "/" || $0 == "\\" || $0 == "\0" || $0.isNewline ? "-" : $0 }
    let name = String(harmless.drop { $0 == "." }.prefix(120))
    return name.isEmpty || name.allSatisfy({ $0 == "-" }) ? (url.host() ?? "image") : name
  }

  /// Writes a file whole or not at all, and makes the folders on its way.
  static func write(_ data: Data, to path: String) throws {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url, options: .atomic)
  }
}
