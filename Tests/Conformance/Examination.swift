import Foundation
import OzuCodecs
import OzuImaging

/// Decodes one file under the default limits and holds the result against its record.
struct Examination {
  let corpus: URL
  let record: Record

  /// Formats whose decoders are there; `unknown` is what is no image.
  static let formats: Set<String> = ["jpeg", "png", "webp", "unknown"]

  /// What may be spent on a file that must be refused from its header.
  private static let refusalMilliseconds = 50.0
  private static let refusalBytes = 64 << 20
  /// What may be spent on any file.
  private static let hangMilliseconds = 2000.0
  private static let largestBytes = 512 << 20
  /// How far the thumbnail of a reduced decode may be from that of a whole one.
  private static let thumbnailTolerance = 5.0

  func run() throws -> Finding {
    guard Self.formats.contains(record.format) else {
      return finding(.unsupported, "no decoder for \(record.format)", Measurement())
    }
    let data = try Data(contentsOf: corpus.appendingPathComponent(record.path))
    let (result, cost) = Measurement.of {
      Result { () throws(DecodingError) -> Picture in try CodecRegistry.standard.picture(from: data) }
    }
    // What a caller who takes partial pictures gets must be as safe and of the same size.
    let (lenient, lenientCost) = Measurement.of {
      Result { () throws(DecodingError) -> Picture in
        try CodecRegistry.standard.picture(from: data, context: DecodingContext(allowsTruncation: true))
      }
    }
    let complaint =
      try complaint(about: cost) ?? complaint(about: lenientCost) ?? complaint(about: result, data, cost)
      ?? complaint(aboutLenient: lenient, result) ?? complaint(aboutThumbnailOf: result, data)
    return finding(complaint == nil ? .pass : .fail, complaint ?? Self.summary(result), cost)
  }

  private func complaint(about cost: Measurement) -> String? {
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
  private func complaint(aboutThumbnailOf result: Result<Picture, DecodingError>, _ data: Data) -> String? {
    guard record.expect == .decode, case .success(let whole) = result else { return nil }
    let resize = Resize(PixelSize((whole.size.width + 8) / 9, (whole.size.height + 8) / 9), mode: .fill)
    do throws(DecodingError) {
      let thumbnail = try CodecRegistry.standard.picture(from: data, resize: resize)
      let difference = Self.meanDifference(thumbnail.bitmap, whole.resized(resize).bitmap)
      return difference <= Self.thumbnailTolerance ? nil : "the thumbnail differs by \(difference)"
    } catch {
      return "no thumbnail: \(error)"
    }
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
    let orientations = record.orientationAny ?? [record.orientation ?? 1]
    guard orientations.contains(header.orientation.rawValue) else {
      return "orientation \(header.orientation.rawValue) instead of \(orientations)"
    }
    if let frames = record.frames, frames != header.frameCount {
      return "\(header.frameCount) frames instead of \(frames)"
    }
    // Where several orientations are right, the recorded pixels are of the first.
    guard header.orientation.rawValue == record.orientation ?? 1 else { return nil }
    if let complaint = complaintAboutSize(of: picture) { return complaint }
    let straight = try CodecRegistry.straight.picture(from: data)
    let comparison = PictureComparison(bitmap: picture.bitmap, straight: straight.bitmap)
    guard comparison.isRightlyMultiplied else { return "colours wrongly multiplied by alpha" }
    if let digest = record.rgba8SHA256 {
      if comparison.rgba8SHA256 == digest { return nil }
      let grid = gridComplaint(comparison) ?? "grid within tolerance"
      return "pixels not exact (\(grid); \(try referenceDifference(comparison)))"
    }
    return gridComplaint(comparison)
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
    let data = try Data(contentsOf: corpus.appendingPathComponent(name))
    let reference = try CodecRegistry.straight.picture(from: data)
    guard let difference = comparison.difference(from: reference.bitmap) else {
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
