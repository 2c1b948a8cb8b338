import Foundation
import Ozu

/// One thumbnail to make: a file, and the size it becomes.
struct ThumbnailCase: Sendable {
  let name: String
  let file: URL
  let data: Data
  /// The size of the result; `nil` for the whole picture.
  let size: PixelSize?

  /// Whether the file is a JPEG, for which there is a fast mode.
  var isJPEG: Bool { ["jpg", "jpeg"].contains(file.pathExtension.lowercased()) }

  /// Whether results are compared with the whole picture, reduced; of many megapixels that takes too much.
  let isCompared: Bool

  /// The recipe: exactly the size, so that all subjects make the same picture; `nil` for the whole picture.
  var resize: Resize? { size.map { Resize($0, mode: .fill) } }

  private static let standard = PixelSize(width: 320, height: 240)

  /// How a file is made, and the thumbnail of it.
  private struct Recipe {
    /// The name of each case, and its size.
    let cases: [(name: String, size: PixelSize?)]
    let make: () throws -> URL?
  }

  /// The cases of the bundled photographs and of drawn pictures that are wanted.
  ///
  /// Photographs are brought to 12 megapixels and to 1600 × 1200 and encoded in 4:2:0; the large ones again as PNG, WebP,
  /// AVIF and JPEG XL, as far as this build writes them, as HEIC and TIFF by other programs, and as progressive files where `jpegtran` is installed; one of them in 100
  /// megapixels. Drawn pictures have 12 megapixels and are JPEG and PNG. Files go into `folder`; those that no wanted case
  /// needs are not made.
  static func bundled(
    in folder: URL, peers: PeerProcess?, wants: (String) -> Bool
  ) throws -> [ThumbnailCase] {
    var cases: [ThumbnailCase] = []
    let photos = try Photographs.load().filter { $0.name.hasSuffix(".jpg") }
    let all: [Recipe] =
      photos.flatMap { recipes(of: $0, in: folder, peers: peers) }
      + (photos.first.map { huge($0, in: folder, peers: peers) } ?? []) + drawn(in: folder)
    for recipe in all {
      let wanted = recipe.cases.filter { wants($0.name) }
      guard !wanted.isEmpty, let file = try recipe.make() else { continue }
      cases += try wanted.map {
        try ThumbnailCase($0.name, file, $0.size, isCompared: !$0.name.hasPrefix("100mp"))
      }
    }
    return cases.sorted { $0.name < $1.name }
  }

  /// One photograph in many sizes, as baseline and progressive JPEG and as PNG.
  static func growing(
    _ megapixels: [Int], in folder: URL, wants: (String) -> Bool
  ) throws -> [ThumbnailCase] {
    guard let photo = try Photographs.load().first(where: { $0.name.hasSuffix(".jpg") }) else { return [] }
    return try megapixels.flatMap { count -> [ThumbnailCase] in
      let height = Int((Double(count) * 1e6 * 3 / 4).squareRoot())
      let size = PixelSize(width: height * 4 / 3, height: height)
      let baseline = folder.appending(path: "\(count).jpg")
      let recipes: [(kind: String, make: () throws -> URL?)] = [
        ("420", { try write(photo, size, to: baseline) }),
        (
          "progressive",
          {
            try transform(
              write(photo, size, to: baseline), to: folder.appending(path: "\(count)-progressive.jpg"))
          }
        ),
        ("png", { try write(photo, size, as: .png, to: folder.appending(path: "\(count).png")) }),
      ]
      return try recipes.compactMap { kind, make in
        let name = "\(kind)-\(standard)@\(count)"
        guard wants(name), let file = try make() else { return nil }
        return try ThumbnailCase(name, file, standard, isCompared: false)
      }
    }
  }

  private static func recipes(
    of photo: Photographs.Photo, in folder: URL, peers: PeerProcess?
  ) -> [Recipe] {
    let name = String(photo.name.dropLast(4))
    let (large, web) = (PixelSize(width: 4000, height: 3000), PixelSize(width: 1600, height: 1200))
    let sizes = [
      standard, PixelSize(width: 160, height: 120), PixelSize(width: 640, height: 480),
      PixelSize(width: 1280, height: 960), PixelSize(width: 2000, height: 1500),
    ]
    func file(_ ending: String) -> URL { folder.appending(path: "\(name)-\(ending)") }
    func cases(_ kind: String, _ sizes: [PixelSize]) -> [(String, PixelSize?)] {
      sizes.map { ("\(kind)-\($0)/\(name)", $0) }
    }
    let others = [ImageType.png, .webp, .avif, .jxl].map { type in
      Recipe(cases: cases("12mp-\(type)", [standard])) {
        try write(photo, large, as: type, to: file("12mp.\(type)"))
      }
    }
    // Ozu writes neither.
    let foreign = [
      Recipe(cases: cases("12mp-heic", [standard])) {
        try run(["heif-enc", "-q", "85", "-o"], write(photo, large, to: file("12mp.jpg")), file("12mp.heic"))
      },
      Recipe(cases: cases("12mp-tiff", [standard])) {
        try peers?.convert(write(photo, large, to: file("12mp.jpg")), to: file("12mp.tiff"))
      },
    ]
    return [
      Recipe(cases: cases("12mp-420", sizes) + [("12mp-420-whole/\(name)", nil)]) {
        try write(photo, large, to: file("12mp.jpg"))
      },
      Recipe(cases: cases("12mp-progressive", [sizes[0], sizes[2], sizes[3]])) {
        try transform(write(photo, large, to: file("12mp.jpg")), to: file("12mp-progressive.jpg"))
      },
      Recipe(cases: cases("1600x1200-420", [standard])) { try write(photo, web, to: file("web.jpg")) },
      Recipe(cases: cases("1600x1200-progressive", [standard])) {
        try transform(write(photo, web, to: file("web.jpg")), to: file("web-progressive.jpg"))
      },
    ] + others + foreign
  }

  private static func huge(
    _ photo: Photographs.Photo, in folder: URL, peers: PeerProcess?
  ) -> [Recipe] {
    let size = PixelSize(width: 11_600, height: 8700)
    let baseline = folder.appending(path: "100mp.jpg")
    func recipe(_ kind: String, _ make: @escaping () throws -> URL?) -> Recipe {
      Recipe(cases: [("100mp-\(kind)-\(standard)/\(photo.name.dropLast(4))", standard)], make: make)
    }
    let others = [ImageType.png, .webp, .avif].map { type in
      recipe("\(type)") { try write(photo, size, as: type, to: folder.appending(path: "100mp.\(type)")) }
    }
    return [
      recipe("420") { try write(photo, size, to: baseline) },
      recipe("progressive") {
        try transform(write(photo, size, to: baseline), to: folder.appending(path: "100mp-progressive.jpg"))
      },
      // Ozu writes no TIFF.
      recipe("tiff") {
        try peers?.convert(write(photo, size, to: baseline), to: folder.appending(path: "100mp.tiff"))
      },
    ] + others
  }

  private static func drawn(in folder: URL) -> [Recipe] {
    DrawnPicture.allCases.flatMap { kind in
      [ImageType.jpeg, .png].map { type in
        Recipe(cases: [("12mp-drawn-\(type)-\(standard)/\(kind.rawValue)", standard)]) {
          try write(
            kind.bitmap(PixelSize(width: 4000, height: 3000)), as: type,
            to: folder.appending(path: "\(kind.rawValue).\(type)"))
        }
      }
    }
  }

  /// A case for each picture of a folder and each size.
  static func corpus(_ folder: URL, sizes: [PixelSize]) throws -> [ThumbnailCase] {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter {
        ["jpg", "jpeg", "png", "webp", "avif", "heic", "jxl", "tif", "tiff"].contains(
          $0.pathExtension.lowercased())
      }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    return try sizes.flatMap { size in
      try files.map { try ThumbnailCase("\(size)/\($0.lastPathComponent)", $0, size) }
    }
  }

  private init(_ name: String, _ file: URL, _ size: PixelSize?, isCompared: Bool = true) throws {
    self.name = name
    self.isCompared = isCompared && size != nil
    self.file = file
    self.size = size
    data = try Data(contentsOf: file)
  }

  /// Brings a photograph to a size and writes it, unless that was done before; `nil` where this build cannot.
  private static func write(
    _ photo: Photographs.Photo, _ size: PixelSize, as type: ImageType, to file: URL
  ) throws -> URL? {
    let codecs = ImagePipeline.Configuration().decoding.codecs
    guard codecs.encodableTypes.contains(type) else { return nil }
    if FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) { return file }
    let fill = Resize(size, mode: .aspectFill, crops: true, allowsUpscaling: true)
    return try write(codecs.picture(from: photo.data).resized(fill).bitmap, as: type, to: file)
  }

  private static func write(_ photo: Photographs.Photo, _ size: PixelSize, to file: URL) throws -> URL {
    guard let file = try write(photo, size, as: .jpeg, to: file) else {
      throw CocoaError(.featureUnsupported)
    }
    return file
  }

  private static func write(_ bitmap: Bitmap, as type: ImageType, to file: URL) throws -> URL {
    let encoder = try ImagePipeline.Configuration().decoding.codecs.encoder(for: type)
    try encoder.encode(bitmap, options: EncodingOptions(compressionQuality: 0.89)).write(to: file)
    return file
  }

  private static func transform(_ file: URL, to target: URL) throws -> URL? {
    try run(["jpegtran", "-progressive", "-outfile"], file, target)
  }

  /// Runs a program that makes a file of another one; `nil` where it is not installed or fails.
  static func run(_ command: [String], _ file: URL, _ target: URL) throws -> URL? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command + [target.path(percentEncoded: false), file.path(percentEncoded: false)]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? target : nil
  }
}
