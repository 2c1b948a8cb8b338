import Foundation
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs

/// Decodes one file under the default limits and holds the result against its record.
struct Examination {
  let corpus: URL
  let record: Record
  /// Whether time and memory are judged; under a sanitizer they mean nothing.
  var judgesCosts = true

  /// Formats whose decoders are there; `unknown` is what is no image.
  static let formats: Set<String> = [
    "jpeg", "png", "webp", "gif", "bmp", "ico", "avif", "heif", "jxl", "tiff", "svg", "cur", "unknown",
  ]

  /// Drawings too: the corpus is chosen, and what its files do to the process is what is looked for.
  private static let standard = CodecRegistry.standard.withDrawings(alpha: .premultiplied)
  private static let straight = CodecRegistry.straight.withDrawings(alpha: .straight)

  /// What may be spent on a file that must be refused from its header.
  private static let refusalMilliseconds = 50.0
  private static let refusalBytes = 64 << 20
  /// What may be spent on any file.
  private static let hangMilliseconds = 2000.0
  private static let largestBytes = 512 << 20
  /// How far the thumbnail of a reduced decode may be from that of a whole one.
  private static let thumbnailTolerance = 5.0
  /// In how many pieces a file comes when it is shown while it does.
  private static let pieces = 5
  /// How many frames of any animation are played.
  private static let playedFrames = 12

  /// The records have colours as stored.
  private static func context(allowsTruncation: Bool = false) -> DecodingContext {
    DecodingContext(allowsTruncation: allowsTruncation, colorPolicy: .keep)
  }

  func run() throws -> Finding {
    guard Self.formats.contains(record.format) else {
      return finding(.unsupported, "no decoder for \(record.format)", Measurement())
    }
    let data = try Data(contentsOf: corpus.appendingPathComponent(record.path))
    let (result, cost) = Measurement.of {
      Result { () throws(DecodingError) -> Picture in
        try Self.standard.picture(from: data, context: Self.context())
      }
    }
    if case .success(let picture) = result, let animation = picture.animation {
      // Whatever the frames are, playing them must be safe.
      for index in 0..<min(animation.frameCount, Self.playedFrames) { _ = try? animation.frame(at: index) }
    }
    // What a caller who takes partial pictures gets must be as safe and of the same size.
    let (lenient, lenientCost) = Measurement.of {
      Result { () throws(DecodingError) -> Picture in
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
    about result: Result<Picture, DecodingError>, _ data: Data, _ cost: Measurement
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
    aboutLenient lenient: Result<Picture, DecodingError>, _ strict: Result<Picture, DecodingError>
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

  /// A thumbnail, for which decoders take other ways, must be that of the whole picture, if the file is a valid one.
  /// A drawing is drawn anew at each size, and finer than a resize of its pixels.
  private func complaint(aboutThumbnailOf result: Result<Picture, DecodingError>, _ data: Data) -> String? {
    guard record.expect == .decode, case .success(let whole) = result, whole.header?.isDrawing != true else {
      return nil
    }
    let resize = Resize(PixelSize((whole.size.width + 8) / 9, (whole.size.height + 8) / 9), mode: .fill)
    do throws(DecodingError) {
      let thumbnail = try Self.standard.picture(
        from: data, resize: resize, context: Self.context())
      let difference = Self.meanDifference(thumbnail.bitmap, whole.resized(resize).bitmap)
      return difference <= Self.thumbnailTolerance ? nil : "the thumbnail differs by \(difference)"
    } catch {
      return "no thumbnail: \(error)"
    }
  }

  /// What is shown while a file comes must be safe whatever it holds, and in the end the picture itself.
  private func complaint(aboutPreviewsOf data: Data, _ result: Result<Picture, DecodingError>) -> String? {
    let decoder = IncrementalDecoder(codecs: .standard)
    let step = max(1, (data.count + Self.pieces - 1) / Self.pieces)
    var last: Picture?
    for start in stride(from: 0, to: data.count, by: step) {
      decoder.append(data[start..<min(start + step, data.count)])
      do throws(DecodingError) {
        if let preview = try decoder.preview(context: Self.context()) { last = preview }
      } catch {
        guard record.expect == .decode, case .success = result, case .limitExceeded = error else {
          return nil
        }
        return "no previews: \(error)"
      }
    }
    guard record.expect == .decode, case .success(let whole) = result, let last else { return nil }
    // Without its end, a JPEG may be whole and its last scan may not: only the ordinary decode may assume that.
    if record.format == "jpeg", data.suffix(2) != Data([0xFF, 0xD9]) { return nil }
    let difference = Self.meanDifference(last.bitmap, whole.bitmap)
    // libjxl does not say that a picture which was shown on the way ends as one that was not: noise is made anew.
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

  private func complaint(about picture: Picture, _ data: Data) throws -> String? {
    guard let header = picture.header else { return "no header" }
    // Containers with turns of their own leave open who applies them; that the picture is upright shows below.
    let turnsItself = ["avif", "heif", "jxl"].contains(record.format) && record.orientation == nil
    let orientations = record.orientationAny ?? [record.orientation ?? 1]
    guard turnsItself || orientations.contains(header.orientation.rawValue) else {
      return "orientation \(header.orientation.rawValue) instead of \(orientations)"
    }
    if let frames = record.frames, frames != header.frameCount {
      return "\(header.frameCount) frames instead of \(frames)"
    }
    // Where several orientations are right, the recorded pixels are of the first.
    guard turnsItself || header.orientation.rawValue == record.orientation ?? 1 else { return nil }
    if let complaint = complaintAboutSize(of: picture) { return complaint }
    if let complaint = try complaintAfterConversion(data) { return complaint }
    let straight = try Self.straight.picture(from: data, context: Self.context())
    var comparison = PictureComparison(bitmap: picture.bitmap, straight: straight.bitmap)
    if record.format == "jxl", let animation = picture.animation, let raw = straight.animation {
      // The decoders that made the records hand out the last frame.
      let last = animation.frameCount - 1
      comparison = try PictureComparison(bitmap: animation.frame(at: last), straight: raw.frame(at: last))
    }
    if record.format == "svg", let size = record.referenceSize, size.count == 2 {
      let drawnSize = PixelSize(size[0], size[1])
      comparison = PictureComparison(
        bitmap: try drawing(data, drawnSize, Self.standard),
        straight: try drawing(data, drawnSize, Self.straight))
    }
    // These may store multiplied colours, of which the others are not known to the last bit.
    let tolerance = ["jxl", "tiff", "svg"].contains(record.format) ? 1 : 0
    guard comparison.isRightlyMultiplied(tolerance: tolerance) else {
      return "colours wrongly multiplied by alpha"
    }
    if let animation = straight.animation, let complaint = try complaint(about: animation) {
      return complaint
    }
    if let digest = record.rgba8SHA256 {
      if comparison.rgba8SHA256 == digest { return nil }
      let grid = gridComplaint(comparison) ?? "grid within tolerance"
      return "pixels not exact (\(grid); \(try referenceDifference(comparison)))"
    }
    guard let complaint = gridComplaint(comparison) else { return nil }
    // A grid of one decoder has less weight than the suite's own reference.
    if try matchesReference(comparison) { return nil }
    return try "\(complaint); \(referenceDifference(comparison))"
  }

  /// A drawing at the size at which its reference was drawn.
  private func drawing(_ data: Data, _ size: PixelSize, _ codecs: CodecRegistry) throws -> Bitmap {
    let resize = Resize(size, mode: .fill, allowsUpscaling: true)
    return try codecs.picture(from: data, resize: resize).bitmap
  }

  /// Compares the picture in sRGB with its reference.
  private func complaintAfterConversion(_ data: Data) throws -> String? {
    guard let tolerance = record.toleranceAfterConversion, let name = record.references?.first else {
      return nil
    }
    let bitmap = try Self.straight.picture(from: data).bitmap
    let comparison = PictureComparison(bitmap: bitmap, straight: bitmap)
    guard let difference = try difference(comparison, name) else { return "reference of another size" }
    return difference <= tolerance ? nil : "differs by \(difference) in sRGB, tolerance \(tolerance)"
  }

  private func complaint(about animation: PictureAnimation) throws -> String? {
    let milliseconds = animation.delays.map { $0 / .milliseconds(1) }
    if let delays = record.delays, zip(delays, milliseconds).contains(where: { abs($0.0 - $0.1) > 1 }) {
      return "delays \(milliseconds) instead of \(delays)"
    }
    if let loop = record.loop {
      // Of a GIF the record has the number that is stored, which counts repetitions.
      let times = record.format == "gif" && loop > 0 ? loop + 1 : loop
      if times != animation.loopCount { return "played \(animation.loopCount) times instead of \(times)" }
    }
    let references = record.referencesAreFrames == true ? record.references ?? [] : []
    for index in 0..<animation.frameCount {
      let frame = try animation.frame(at: index)
      let comparison = PictureComparison(bitmap: frame, straight: frame)
      let digest = record.frameDigests.flatMap { index < $0.count ? $0[index] : nil }
      if let digest, digest == comparison.rgba8SHA256 { continue }
      var difference: Int?
      if index < references.count { difference = try self.difference(comparison, references[index]) }
      if let difference, difference <= record.referenceTolerance ?? 0 { continue }
      if digest != nil || difference != nil {
        return "frame \(index) not right (reference differs by \(difference.map(String.init) ?? "?"))"
      }
    }
    return nil
  }

  private func matchesReference(_ comparison: PictureComparison) throws -> Bool {
    guard let name = record.references?.first, name.hasSuffix(".png"), record.referencesAreFrames != true,
      record.toleranceAfterConversion == nil
    else { return false }
    return try difference(comparison, name).map { $0 <= record.referenceTolerance ?? 0 } ?? false
  }

  private func difference(_ comparison: PictureComparison, _ name: String) throws -> Int? {
    let data = try Data(contentsOf: corpus.appendingPathComponent(name))
    return comparison.difference(
      from: try Self.straight.picture(from: data, context: Self.context()).bitmap)
  }

  private func gridComplaint(_ comparison: PictureComparison) -> String? {
    guard let grid = record.grid, let size = record.gridSize, size.count == 2 else { return nil }
    let tolerance = record.gridTolerance ?? 2
    guard let difference = comparison.gridDifference(from: grid, columns: size[0], rows: size[1]) else {
      return "grid of another form"
    }
    return difference <= tolerance ? nil : "grid differs by \(difference), tolerance \(tolerance)"
  }

  private func referenceDifference(_ comparison: PictureComparison) throws -> String {
    guard let name = record.references?.first, name.hasSuffix(".png") else { return "no reference" }
    guard let difference = try difference(comparison, name) else {
      return "reference of another size"
    }
    return "reference differs by \(difference)"
  }

  private func complaintAboutSize(of picture: Picture) -> String? {
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

  private static func summary(_ result: Result<Picture, DecodingError>) -> String {
    switch result {
    case .success(let picture): "decoded to \(picture.size)"
    case .failure(let error): "\(error)"
    }
  }
}
