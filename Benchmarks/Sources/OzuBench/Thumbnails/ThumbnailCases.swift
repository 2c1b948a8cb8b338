import Foundation
import Ozu

/// One thumbnail to make: a file, and the size it becomes.
struct ThumbnailCase: Sendable {
  let name: String
  let file: URL
  let data: Data
  let size: PixelSize

  /// Whether the file is a JPEG, for which there is a fast mode.
  var isJPEG: Bool { ["jpg", "jpeg"].contains(file.pathExtension.lowercased()) }

  /// Whether the whole picture is too much to be decoded for comparison.
  var isHuge: Bool { name.hasPrefix("100mp") }

  /// The recipe: exactly the size, so that all subjects make the same picture.
  var resize: Resize { Resize(size, mode: .fill) }

  private static let standard = PixelSize(320, 240)

  /// The cases of the bundled photographs: brought to 12 megapixels and to 1600 × 1200 and encoded in 4:2:0; the
  /// large ones again as PNG, WebP and AVIF, as far as this build writes them, and as progressive files where
  /// `jpegtran` is installed; of one, 100 megapixels. Files go into `folder`.
  static func bundled(in folder: URL) throws -> [ThumbnailCase] {
    let codecs = ImagePipeline.Configuration().codecs
    var cases: [ThumbnailCase] = []
    for photo in try Photographs.load() where photo.name.hasSuffix(".jpg") {
      let name = String(photo.name.dropLast(4))
      let picture = try codecs.picture(from: photo.data)
      let pixels = enlarged(picture, to: PixelSize(4000, 3000))
      let large = try write(pixels, to: folder.appending(path: "\(name)-12mp.jpg"))
      for size in [standard, PixelSize(160, 120), PixelSize(640, 480), PixelSize(1280, 960)] {
        cases.append(try ThumbnailCase("12mp-420-\(size)/\(name)", large, size))
      }
      if let progressive = try transform(large, to: folder.appending(path: "\(name)-12mp-progressive.jpg")) {
        for size in [standard, PixelSize(640, 480), PixelSize(1280, 960)] {
          cases.append(try ThumbnailCase("12mp-progressive-\(size)/\(name)", progressive, size))
        }
      }
      for type in [ImageType.png, .webp, .avif] where codecs.encodableTypes.contains(type) {
        let other = try write(pixels, as: type, to: folder.appending(path: "\(name)-12mp.\(type)"))
        cases.append(try ThumbnailCase("12mp-\(type)-\(standard)/\(name)", other, standard))
      }
      if cases.count(where: \.isHuge) == 0 {
        let huge = try write(
          enlarged(picture, to: PixelSize(11_600, 8700)), to: folder.appending(path: "100mp.jpg"))
        if let progressive = try transform(huge, to: folder.appending(path: "100mp-progressive.jpg")) {
          cases.append(try ThumbnailCase("100mp-progressive-\(standard)/\(name)", progressive, standard))
        }
      }
      let web = try write(
        enlarged(picture, to: PixelSize(1600, 1200)), to: folder.appending(path: "\(name)-web.jpg"))
      cases.append(try ThumbnailCase("1600x1200-420-\(standard)/\(name)", web, standard))
      if let progressive = try transform(web, to: folder.appending(path: "\(name)-web-progressive.jpg")) {
        cases.append(try ThumbnailCase("1600x1200-progressive-\(standard)/\(name)", progressive, standard))
      }
    }
    return cases.sorted { $0.name < $1.name }
  }

  /// A case for each picture of a folder and each size.
  static func corpus(_ folder: URL, sizes: [PixelSize]) throws -> [ThumbnailCase] {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { ["jpg", "jpeg", "png", "webp", "avif"].contains($0.pathExtension.lowercased()) }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    return try sizes.flatMap { size in
      try files.map { try ThumbnailCase("\(size)/\($0.lastPathComponent)", $0, size) }
    }
  }

  private init(_ name: String, _ file: URL, _ size: PixelSize) throws {
    self.name = name
    self.file = file
    self.size = size
    data = try Data(contentsOf: file)
  }

  private static func enlarged(_ picture: Picture, to size: PixelSize) -> Bitmap {
    picture.resized(Resize(size, mode: .aspectFill, crops: true, allowsUpscaling: true)).bitmap
  }

  private static func write(_ bitmap: Bitmap, as type: ImageType = .jpeg, to file: URL) throws -> URL {
    let encoder = try ImagePipeline.Configuration().codecs.encoder(for: type)
    try encoder.encode(bitmap, options: EncodingOptions(compressionQuality: 0.89)).write(to: file)
    return file
  }

  private static func transform(_ file: URL, to target: URL) throws -> URL? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "jpegtran", "-progressive", "-outfile", target.path(percentEncoded: false),
      file.path(percentEncoded: false),
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? target : nil
  }
}
