import Foundation
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs

/// Decodes one file under the default limits and compares the result with its record.
struct Examination {
  let corpus: URL
  let record: Record
  /// Whether time and memory are checked; with a sanitizer they are meaningless.
  var judgesCosts = true

  /// The formats that have decoders; `unknown` is for files that are not images.
  static let formats: Set<String> = [
    "jpeg", "png", "webp", "gif", "bmp", "ico", "avif", "heif", "jxl", "tiff", "svg", "cur", "unknown",
  ]

  /// With drawings: the corpus was chosen deliberately, and crashes are what the examination looks for.
  static let standard = CodecRegistry.standard.withDrawings()
  static let straight = CodecRegistry.straight.withDrawings()

  /// The most time and memory for a file that must be refused by its header.
  private static let refusalMilliseconds = 50.0
  private static let refusalBytes = 64 << 20
  /// The most time and memory for any file.
  private static let hangMilliseconds = 2000.0
  private static let largestBytes = 512 << 20
  /// The largest difference between the thumbnail of a reduced decode and that of a whole one.
  private static let thumbnailTolerance = 5.0
  /// The number of pieces in which a file arrives for previews.
  private static let pieces = 5
  /// How many frames of any animation are played.
  private static let playedFrames = 12

  /// The records have straight colours as stored.
  static func context(allowsTruncation: Bool = false) -> DecodingContext {
    DecodingContext(allowsTruncation: allowsTruncation, colorPolicy: .keep)
  }

  func run() throws -> Finding {
    guard Self.formats.contains(record.format) else {
      return finding(.unsupported, "no decoder for \(record.format)", Measurement())
    }
    let data = try Data(contentsOf: corpus.appendingPathComponent(record.path))
    let (result, cost) = Measurement.of {
      Result { () throws(ImageDecodingError) -> Picture in
        try Self.standard.picture(from: data, context: Self.context())
      }
    }
    if case .success(let picture) = result, let animation = picture.animation {
      // Playing the frames must be safe, whatever they are.
      for index in 0..<min(animation.frameCount, Self.playedFrames) { _ = try? animation.frame(at: index) }
    }
    // The result for a caller who accepts truncated pictures must be as safe and have the same size.
    let (lenient, lenientCost) = Measurement.of {
      Result { () throws(ImageDecodingError) -> Picture in
        try Self.standard.picture(from: data, context: Self.context(allowsTruncation: true))
      }
    }
    let complaint =
      try complaint(about: cost) ?? complaint(about: lenientCost) ?? complaint(about: result, data, cost)
      ?? complaint(aboutLenient: lenient, result) ?? complaint(aboutThumbnailOf: result, data)
      ?? complaint(aboutPreviewsOf: data, result)
    return finding(complaint == nil ? .pass : .fail, complaint ?? Self.summary(result), cost)
  }

  private func complaint(about cost: Measurement) -> String? {
    guard judgesCosts else { return nil }
    if cost.milliseconds > Self.hangMilliseconds { return "took \(cost.milliseconds) ms" }
    return cost.peakBytes > Self.largestBytes ? "\(cost.peakBytes) bytes of memory" : nil
  }

  private func complaint(
    about result: Result<Picture, ImageDecodingError>, _ data: Data, _ cost: Measurement
  ) throws -> String? {
    switch (record.expect, result) {
    case (.decode, .success(let picture)): return try complaint(about: picture, data)
    case (.decode, .failure(let error)): return "not decoded: \(error)"
    case (.reject, .success(let picture)), (.limit, .success(let picture)),
      (.limitOrReject, .success(let picture)):
      return "decoded to \(picture.size)"
    case (.limit, .failure(let error)):
      guard case .limitExceeded = error else { return "refused, but not for a limit: \(error)" }
      guard judgesCosts else { return nil }
      guard cost.milliseconds <= Self.refusalMilliseconds else {
        return "refused after \(cost.milliseconds) ms"
      }
      guard cost.peakBytes <= Self.refusalBytes else { return "refused after \(cost.peakBytes) bytes" }
      return nil
    case (.decodeOrReject, .success(let picture)), (.decodeOrUnsupported, .success(let picture)),
      (.truncated, .success(let picture)):
      return complaintAboutSize(of: picture)
    case (.decodeOrUnsupported, .failure(let error)):
      guard case .unsupportedType = error else { return "not decoded: \(error)" }
      return nil
    case (.reject, _), (.limitOrReject, _), (.decodeOrReject, _), (.truncated, _), (.noCrash, _): return nil
    }
  }

  private func complaint(
    aboutLenient lenient: Result<Picture, ImageDecodingError>, _ strict: Result<Picture, ImageDecodingError>
  ) -> String? {
    switch (strict, lenient) {
    case (.success(let whole), .success(let other)) where whole.bitmap != other.bitmap:
      return "another picture when truncation is allowed"
    case (.success, .failure(let error)): return "only refused when truncation is allowed: \(error)"
    case (.failure, .success(let picture)):
      if record.expect == .reject, case .failure(let error) = strict, case .truncated = error { return nil }
      return record.expect == .truncated ? complaintAboutSize(of: picture) : nil
    default: return nil
    }
  }

  /// A thumbnail, for which decoders use other code, must show the whole picture, if the file is valid. A drawing
  /// is drawn again at each size, and finer than a resize of its pixels.
  private func complaint(aboutThumbnailOf result: Result<Picture, ImageDecodingError>, _ data: Data)
    -> String?
  {
    guard record.expect == .decode, case .success(let whole) = result, whole.header?.isDrawing != true else {
      return nil
    }
    let resize = Resize(PixelSize((whole.size.width + 8) / 9, (whole.size.height + 8) / 9), mode: .fill)
    do throws(ImageDecodingError) {
      let thumbnail = try Self.standard.picture(
        from: data, resize: resize, context: Self.context())
      let difference = Self.meanDifference(thumbnail.bitmap, whole.resized(resize).bitmap)
      return difference <= Self.thumbnailTolerance ? nil : "the thumbnail differs by \(difference)"
    } catch {
      return "no thumbnail: \(error)"
    }
  }

  /// Previews must be safe for any file, and the last one must be the picture itself.
  private func complaint(aboutPreviewsOf data: Data, _ result: Result<Picture, ImageDecodingError>) -> String?
  {
    let decoder = IncrementalDecoder(codecs: .standard)
    let step = max(1, (data.count + Self.pieces - 1) / Self.pieces)
    var last: Picture?
    for start in stride(from: 0, to: data.count, by: step) {
      decoder.append(data[start..<min(start + step, data.count)])
      do throws(ImageDecodingError) {
        if let preview = try decoder.preview(context: Self.context()) { last = preview }
      } catch {
        guard record.expect == .decode, case .success = result, case .limitExceeded = error else {
          return nil
        }
        return "no previews: \(error)"
      }
    }
    guard record.expect == .decode, case .success(let whole) = result, let last else { return nil }
    // A JPEG without its end marker may be complete although its last scan may not be: only the ordinary decode may
    // assume that.
    if record.format == "jpeg", data.suffix(2) != Data([0xFF, 0xD9]) { return nil }
    let difference = Self.meanDifference(last.bitmap, whole.bitmap)
    // libjxl does not report that the final picture differs from the last preview: noise is computed again.
    let tolerance = record.format == "jxl" ? 2.0 : 0
    return difference <= tolerance ? nil : "the last preview differs by \(difference)"
  }

  /// The mean difference of a channel; 256 for pictures of different sizes.
  private static func meanDifference(_ a: Bitmap, _ b: Bitmap) -> Double {
    guard a.size == b.size else { return 256 }
    var sum = 0
    a.withUnsafeBytes { left in
      b.withUnsafeBytes { right in
        for y in 0..<a.size.height {
          let row = y * a.bytesPerRow
          for x in row..<row + a.size.width * 4 { sum += abs(Int(left[x]) - Int(right[x])) }
        }
      }
    }
    return Double(sum) / Double(a.size.pixelCount * 4)
  }

  func complaintAboutSize(of picture: Picture) -> String? {
    let size = record.sizeIfDecoded ?? record.headerSize
    guard let width = record.width ?? size?.first, let height = record.height ?? size?.last else {
      return nil
    }
    let wanted = PixelSize(width, height)
    return picture.size == wanted ? nil : "\(picture.size) instead of \(wanted)"
  }

  private func finding(_ outcome: Finding.Outcome, _ detail: String, _ cost: Measurement) -> Finding {
    Finding(
      path: record.path, expect: record.expect.rawValue, outcome: outcome, detail: detail,
      ms: (cost.milliseconds * 1000).rounded() / 1000, peakBytes: cost.peakBytes)
  }

  private static func summary(_ result: Result<Picture, ImageDecodingError>) -> String {
    switch result {
    case .success(let picture): "decoded to \(picture.size)"
    case .failure(let error): "\(error)"
    }
  }
}
