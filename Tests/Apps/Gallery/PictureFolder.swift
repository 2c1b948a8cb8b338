#if GTK
  import Foundation
  import OzuTesting

  /// A folder of files for a drill.
  struct PictureFolder {
    let url: URL

    /// Makes the folder, with numbered pictures called `1.jpg` and so on.
    init(pictureCount: Int = 0) throws {
      url = FileManager.default.temporaryDirectory.appending(
        path: "ozu-pictures-\(UUID())", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for number in 0..<pictureCount {
        try write("\(number + 1).jpg", NumberedPicture(number + 1, size: .init(600, 400)).data())
      }
    }

    func remove() { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appending(path: name) }

    func write(_ name: String, _ data: Data) throws { try data.write(to: file(name)) }

    func has(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: file(name).path(percentEncoded: false))
    }
  }
#endif
