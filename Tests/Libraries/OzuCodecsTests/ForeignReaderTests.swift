import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

/// Programs of other projects read the files that Ozu wrote. Tests are skipped if a program is not installed
/// (`scripts/install-test-tools`).
@Suite("Written files, as others read them")
struct ForeignReaderTests {
  private let codecs = CodecRegistry.standard
  private static let types = WrittenMetadataTests.types
  private static let hasExiftool = ForeignReader.exiftool.isInstalled

  /// The file extension by which exiftool recognises a picture.
  private static func fileExtension(_ type: ImageType) -> String {
    [.jpeg: "jpg", .png: "png", .webp: "webp", .avif: "avif", .jxl: "jxl"][type] ?? "bin"
  }

  /// Decodes a file and writes it with the blocks that a policy keeps.
  private func rewritten(
    _ data: Data, as type: ImageType, _ policy: MetadataPolicy, resolution: ImageResolution? = nil,
    colors: ColorProfilePolicy = .convert
  ) throws -> Data {
    let picture = try codecs.picture(from: data, context: DecodingContext(colorPolicy: colors.colorPolicy))
    var notes: [String] = []
    let metadata = try codecs.metadata(of: data).encoded(
      policy: policy, size: picture.size, colorSpace: picture.bitmap.colorSpace, resolution: resolution,
      notes: &notes)
    #expect(notes.isEmpty)
    return try codecs.encode(
      picture, as: type,
      options: EncodingOptions(compressionQuality: 0.95, isLossless: true, metadata: metadata))
  }

  /// A photograph with the blocks of a camera.
  private func photograph(orientation: Int = 6) throws -> Data {
    let options = EncodingOptions(
      metadata: .init(exif: EXIFFile(orientation: orientation).data, xmp: sideways))
    return try codecs.encode(waves(PixelSize(64, 48)), as: .jpeg, options: options)
  }

  @Test("are upright in every orientation", .enabled(if: hasExiftool))
  func orientations() throws {
    let upright = try picture("orientation/upright.png").bitmap
    var files: [String: Data] = [:]
    for orientation in 1...8 {
      var source = try fixture("orientation/jpeg-\(orientation).jpg")
      // EXIF data of a test, which contain the same and more.
      let metadata = EncodedMetadata(exif: EXIFFile(orientation: orientation).data, xmp: sideways)
      var bare = try codecs.metadata(of: source)
      bare.exif = metadata.exif
      let stored = try codecs.open(source)
      let pixels = try stored.decode(DecodePlan(of: stored, resize: nil, context: .init()), context: .init())
      source = try codecs.encode(
        pixels, as: .jpeg, options: EncodingOptions(compressionQuality: 1, metadata: metadata))
      #expect(try codecs.header(of: source).orientation.rawValue == orientation)
      for type in Self.types {
        let name = "\(orientation).\(Self.fileExtension(type))"
        files[name] = try rewritten(source, as: type, .keepAll)
        let again = try codecs.picture(from: #require(files[name]))
        #expect(again.header?.orientation == .up)
        #expect(again.bitmap.meanDifference(from: upright) < 12, "\(name)")
      }
    }
    let tags = try ForeignReader.tags(of: files)
    #expect(tags.count == files.count)
    for (name, tags) in tags {
      #expect(tags["IFD0:Orientation"] as? Int == 1, "\(name)")
      #expect(tags["XMP-tiff:Orientation"] as? Int == 1, "\(name)")
      #expect(tags["File:Error"] == nil && tags["ExifTool:Error"] == nil, "\(name)")
      #expect(tags["ExifTool:Warning"] == nil, "\(name): \(tags["ExifTool:Warning"] ?? "")")
    }
  }

  @Test("have a place, a maker and a thumbnail only where the policy says so", .enabled(if: hasExiftool))
  func policies() throws {
    let source = try photograph()
    var files = ["source.jpg": source]
    for type in Self.types {
      for policy in MetadataPolicy.allCases {
        files["\(policy.rawValue).\(Self.fileExtension(type))"] = try rewritten(source, as: type, policy)
      }
    }
    let tags = try ForeignReader.tags(of: files)
    #expect(tags.count == files.count)
    let original = try #require(tags["source.jpg"])
    #expect(original["IFD1:ThumbnailLength"] != nil && original["GPS:GPSLatitude"] != nil)
    for (name, tags) in tags where name != "source.jpg" {
      let policy = MetadataPolicy(rawValue: String(name.prefix { $0 != "." }))
      let keepsCamera = policy == .keepWithoutPlace || policy == .keepAll
      #expect((tags["GPS:GPSLatitude"] != nil) == (policy == .keepAll), "\(name)")
      #expect((tags["XMP-dc:Source"] != nil) == (policy == .keepAll), "\(name)")
      #expect((tags["IFD0:Model"] as? String == "M1") == keepsCamera, "\(name)")
      #expect((tags["ExifIFD:ExifImageWidth"] as? Int == 48) == keepsCamera, "\(name)")
      #expect(!tags.keys.contains { $0.hasPrefix("IFD1:") }, "\(name)")
      #expect(tags["IFD0:XResolution"] as? Double == (keepsCamera ? 150 : nil), "\(name)")
    }
  }

  @Test("have their own profile byte for byte, and the resolution", .enabled(if: hasExiftool))
  func profiles() throws {
    let source = try fixture("icc/display-p3-two-segments-reversed.jpg")
    let profile = try #require(codecs.metadata(of: source).colorProfile?.data)
    var files: [String: Data] = [:]
    for type in Self.types {
      files["p3.\(Self.fileExtension(type))"] = try rewritten(
        source, as: type, .keepWithoutPlace, resolution: .init(dotsPerInch: 96), colors: .embed)
    }
    let tags = try ForeignReader.tags(
      of: files, ["-b", "-ICC_Profile", "-XResolution", "-PixelsPerUnitX", "-error"])
    #expect(tags.count == files.count)
    for (name, tags) in tags {
      // exiftool does not read the pixels of JPEG XL, where its profile is stored.
      if !name.hasSuffix(".jxl") {
        let found = tags.first { $0.key.hasSuffix("ICC_Profile") }?.value as? String
        #expect(
          found.flatMap { Data(base64Encoded: String($0.dropFirst("base64:".count))) } == profile, "\(name)")
      }
      let resolution = tags["IFD0:XResolution"] ?? tags["JFIF:XResolution"]
      #expect(resolution as? Double == 96 || tags["PNG-pHYs:PixelsPerUnitX"] as? Int == 3780, "\(name)")
    }
  }

  @Test(
    "can also be made from files with blocks that other programs wrote", .enabled(if: hasExiftool),
    arguments: [
      "orientation/jpeg-6.jpg", "orientation/png-6.png", "orientation/tiff-6.tif", "orientation/webp-6.webp",
      "orientation/avif-6.avif", "matrix/heic-420.heic",
    ])
  func written(path: String) throws {
    guard isDecodable(path) else { return }
    let file = FileManager.default.temporaryDirectory
      .appending(path: "ozu-\(UUID().uuidString).\(path.split(separator: ".").last ?? "")")
    defer { try? FileManager.default.removeItem(at: file) }
    try fixture(path).write(to: file)
    _ = try ForeignReader.exiftool.output([
      "-overwrite_original", "-XMP-dc:Source=Berlin", "-XMP-tiff:Orientation#=6", "-EXIF:GPSLatitude=52.5",
      "-EXIF:GPSLatitudeRef=N", "-EXIF:Artist=Somebody", "-EXIF:XResolution=200", "-EXIF:YResolution=100",
      "-EXIF:ResolutionUnit=inches", "-EXIF:UserComment=none", file.path,
    ])
    let source = try Data(contentsOf: file)
    let metadata = try codecs.metadata(of: source)
    #expect(metadata.notes.isEmpty)
    // For a TIFF, not the whole file.
    #expect(metadata.exif != nil && metadata.exif != source)
    #expect(metadata.xmp?.range(of: Data("Berlin".utf8)) != nil)
    #expect(metadata.resolution == ImageResolution(horizontal: 200, vertical: 100))
    let size = try codecs.header(of: source).size
    let tags = try ForeignReader.tags(of: [
      "all.jpg": rewritten(source, as: .jpeg, .keepAll),
      "some.jpg": rewritten(source, as: .jpeg, .keepWithoutPlace),
    ])
    for name in ["all.jpg", "some.jpg"] {
      let tags = try #require(tags[name])
      #expect(tags["IFD0:Artist"] as? String == "Somebody")
      #expect(tags["IFD0:Orientation"] as? Int ?? 1 == 1)
      #expect(tags["ExifIFD:ExifImageWidth"] as? Int == size.width)
      #expect(tags["ExifIFD:ExifImageHeight"] as? Int == size.height)
      let isTurned = metadata.exif.flatMap { EXIFOrientation.find(in: $0.span) }?.swapsAxes ?? false
      #expect(tags["JFIF:XResolution"] as? Int == (isTurned ? 100 : 200))
      #expect(tags["JFIF:YResolution"] as? Int == (isTurned ? 200 : 100))
      #expect((tags["GPS:GPSLatitude"] as? Double == 52.5) == (name == "all.jpg"))
      #expect((tags["XMP-tiff:Orientation"] as? Int == 1) == (name == "all.jpg"))
      #expect(!tags.keys.contains { $0.hasPrefix("IFD1:") || $0.hasPrefix("SubIFD:") })
      // Nothing about the layout of a TIFF's pixels.
      #expect(tags["IFD0:StripOffsets"] == nil && tags["IFD0:Compression"] == nil)
    }
  }

  @Test("are WebP without errors", .enabled(if: ForeignReader.webpinfo.isInstalled))
  func webp() throws {
    guard Self.types.contains(.webp) else { return }
    let folder = FileManager.default.temporaryDirectory
    for (isLossless, isOpaque) in [(true, true), (true, false), (false, true), (false, false)] {
      let options = EncodingOptions(
        isLossless: isLossless,
        metadata: .init(
          exif: EXIFFile().data, xmp: sideways, colorProfile: try WrittenMetadataTests.profile()))
      let file = folder.appending(path: "ozu-\(UUID().uuidString).webp")
      defer { try? FileManager.default.removeItem(at: file) }
      try codecs.encode(waves(PixelSize(33, 17), isOpaque: isOpaque), as: .webp, options: options).write(
        to: file)
      let words = String(decoding: try ForeignReader.webpinfo.output(["-diag", file.path]), as: UTF8.self)
      #expect(words.contains("No error detected."), "\(words)")
      #expect(!words.contains("Warning"), "\(words)")
      for chunk in ["VP8X", "ICCP", "EXIF", "XMP "] { #expect(words.contains("Chunk \(chunk)")) }
      #expect(words.contains("Alpha: \(isOpaque ? 0 : 1)"))
    }
  }
}
