import Foundation
import Ozu

/// The pictures of a source and, if it is a folder, the folders in it.
struct Listing: Sendable, Equatable {
  var folders: [PictureItem] = []
  var pictures: [PictureItem] = []
  /// The folder that is shown, whose changes are followed; `nil` for files from several places and for addresses.
  var folder: URL?
}

/// Reads the entries of a folder.
struct FolderListing {
  /// The names of the files, without hidden ones.
  private(set) var files: Set<String> = []
  private(set) var folders: [String] = []

  /// - Throws: `CocoaError` when the folder cannot be read.
  init(_ folder: URL) throws {
    let path = folder.path(percentEncoded: false)
    guard let stream = opendir(path) else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard !name.hasPrefix(".") else { continue }
      if Self.isFolder(Int32(entry.pointee.d_type), folder, name) {
        folders.append(name)
      } else {
        files.insert(name)
      }
    }
  }

  /// The type that a directory states, except for links and for file systems that state none.
  private static func isFolder(_ type: Int32, _ folder: URL, _ name: String) -> Bool {
    // DT_DIR, DT_LNK and DT_UNKNOWN: macros of an enumeration without a name.
    guard type == 10 || type == 0 else { return type == 4 }
    var status = stat()
    return stat(folder.appending(path: name).path(percentEncoded: false), &status) == 0
      && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The items of the folder: pictures with their stamps and ratings.
  func listing(of folder: URL) -> Listing {
    let pictures = files.compactMap { name -> PictureItem? in
      let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
      guard ImageFormat.readEndings.contains(ending) else { return nil }
      let file = folder.appending(path: name, directoryHint: .notDirectory)
      var item = PictureItem(name: name, source: .url(file))
      item.stamp = PictureStamp(file)
      if let beside = Sidecar.name(of: name, among: files) {
        item.rating = Sidecar.rating(folder.appending(path: beside))
      }
      return item
    }
    let folders = folders.map { PictureItem(folder: folder.appending(path: $0, directoryHint: .isDirectory)) }
    return Listing(folders: folders, pictures: pictures, folder: folder)
  }
}
