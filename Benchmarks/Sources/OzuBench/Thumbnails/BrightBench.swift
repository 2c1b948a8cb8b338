import Foundation
import Ozu

/// The cost of high dynamic range: a photograph of 12 megapixels as a thumbnail, with PQ and in sRGB.
///
/// The same pixels three times in each format that keeps them: under PQ in more than 8 bits, in sRGB with as many bits, and
/// in sRGB with 8 bits. HEIC by `heif-enc`, where that is installed. The three take turns; their ratios are the figures.
enum BrightBench {
  static let name = "hdr"

  private static let size = PixelSize(width: 4000, height: 3000)
  private static let thumbnail = Resize(PixelSize(width: 320, height: 240), mode: .fill)

  private enum Kind: String, CaseIterable {
    case bright = "pq"
    case deep = "sdr, as many bits"
    case plain = "sdr, 8 bits"
  }

  static func run(_ options: BenchOptions) throws -> BenchReport {
    let codecs = ImagePipeline.Configuration().decoding.codecs
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var report = BenchReport(benchmark: name)
    guard let photo = try Photographs.load().first(where: { $0.name.hasSuffix(".jpg") }) else {
      return report
    }
    // Enlarged in 16 bits, so that all of them are in use.
    let enlarged = try codecs.picture(from: photo.data).bitmap.converted(to: .rgba16)
    let whole = Picture(enlarged).resized(
      Resize(
        options.isSmoke ? PixelSize(width: 800, height: 600) : size, mode: .aspectFill, crops: true,
        allowsUpscaling: true)
    ).bitmap
    for type in [ImageType.png, .avif, .jxl, .heic] where options.wants("\(type)-12mp-320x240") {
      let files = try Kind.allCases.compactMap { kind in
        try file(of: whole, kind, as: type, codecs, folder).map { (kind, $0) }
      }
      guard files.count == Kind.allCases.count else { continue }
      let pool = PixelBufferPool(retainedByteLimit: 64 << 20)
      let limits = DecodingLimits(encodedByteCount: 1 << 30)
      let samples = try Rounds.cpuMilliseconds(
        files.map { kind, data in
          Rounds.Subject(name: kind.rawValue) {
            _ = try codecs.picture(
              from: data, resize: thumbnail, context: DecodingContext(limits: limits, pool: pool))
          }
        }, rounds: options.rounds)
      report.rows += zip(files, samples).map { file, samples in
        BenchReport.Row(
          name: "\(type)-12mp-320x240/\(file.0.rawValue)", subject: "ozu", metric: "cpu_ms", samples: samples)
      }
    }
    return report
  }

  /// A profile that says PQ and BT.2020 by its tag `cicp`: `heif-enc` takes profiles over, and writes no numbers of its own.
  private static let profile: Data = {
    var bytes = [UInt8](repeating: 0, count: 128) + [0, 0, 0, 1] + Array("cicp".utf8)
    bytes += [0, 0, 0, 144, 0, 0, 0, 12] + Array("cicp".utf8) + [0, 0, 0, 0, 9, 16, 0, 1]
    bytes[3] = UInt8(bytes.count)
    bytes.replaceSubrange(16..<20, with: Array("RGB ".utf8))
    bytes.replaceSubrange(36..<40, with: Array("acsp".utf8))
    return Data(bytes)
  }()

  /// The picture as a file; `nil` where nothing here writes the format.
  private static func file(
    of whole: Bitmap, _ kind: Kind, as type: ImageType, _ codecs: CodecRegistry, _ folder: URL
  ) throws -> Data? {
    let bitmap = kind == .plain ? whole.converted(to: .bgra8) : whole
    let tagged = kind == .bright ? bitmap.withColorSpace(.coded(primaries: 9, transfer: 16)) : bitmap
    let options = EncodingOptions(compressionQuality: 0.85, effort: .low)
    guard type == .heic else {
      return codecs.encodableTypes.contains(type)
        ? try codecs.encode(tagged, as: type, options: options) : nil
    }
    let source = folder.appending(path: "\(kind.rawValue).png")
    let target = folder.appending(path: "\(kind.rawValue).heic")
    var described = options
    if kind == .bright { described.metadata.colorProfile = profile }
    try codecs.encode(bitmap, as: .png, options: described).write(to: source)
    let bits = kind == .plain ? "8" : "10"
    return try ThumbnailCase.run(["heif-enc", "-q", "85", "-b", bits, "-o"], source, target)
      .flatMap { try? Data(contentsOf: $0) }
  }
}
