import Foundation
import Ozu

/// The names of results in a folder, one for each source, without their endings.
///
/// They depend only on the sources and their order, not on the duration or success of a load.
struct OutputNames: Sendable {
  /// A unique name for each source, with the folder that it was found in.
  let stems: [String]

  /// The most bytes that file systems take for a name.
  private static let maximumByteCount = 255

  /// - Parameters:
  ///   - folders: for each source, the folder it was found in, relative to the one that was named; none by default.
  ///   - room: the bytes that will be between a name and its ending.
  init(_ sources: [ImageSource], folders: [String] = [], room: Int = 0) {
    var taken = Set<String>()
    var numbers: [String: Int] = [:]
    stems = sources.enumerated().map { index, source in
      let folder = folders.isEmpty || folders[index].isEmpty ? "" : folders[index] + "/"
      let base = Self.baseName(of: source)
      var stem = folder + Self.shortened(base, room: room)
      while !taken.insert(Self.folded(stem)).inserted {
        let number = numbers[folder + base, default: 1] + 1
        numbers[folder + base] = number
        stem = folder + Self.shortened(base, suffix: "-\(number)", room: room)
      }
      return stem
    }
  }

  /// The name by which two names are compared: Apple's file systems ignore case.
  static func folded(_ name: String) -> String {
    #if canImport(Darwin)
      name.lowercased()
    #else
      name
    #endif
  }

  /// The last part of an address without its ending, made safe as a file name.
  static func baseName(of source: ImageSource) -> String {
    guard case .url(let url) = source, url.scheme?.lowercased() != "data" else { return "image" }
    let last = url.deletingPathExtension().lastPathComponent
    let harmless = last.map { $0 == "/" || $0 == "\\" || $0.isControl ? "-" : $0 }
    let name = String(harmless.drop { $0 == "." })
    return name.isEmpty || name.allSatisfy({ $0 == "-" }) ? (url.host() ?? "image") : name
  }

  /// The name, shortened so that a suffix and the longest ending fit. Cut between characters.
  private static func shortened(_ name: String, suffix: String = "", room: Int) -> String {
    let room = maximumByteCount - room - suffix.utf8.count - OutputFormats.longestEnding.utf8.count - 1
    guard name.utf8.count > room else { return name + suffix }
    var count = 0
    let part = name.prefix { character in
      count += character.utf8.count
      return count <= room
    }
    // A single character with many combining marks may be longer than a name.
    return (part.isEmpty ? "image" : String(part)) + suffix
  }
}

extension Character {
  /// Whether it is a line end, an escape or another control character, which no name should have.
  fileprivate var isControl: Bool {
    isNewline || unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
