import Foundation
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs

extension Examination {
  /// Compares a decoded picture with its record: header, pixels and frames.
  func complaint(about picture: Picture, _ data: Data) throws -> String? {
    guard let header = picture.header else { return "no header" }
    // In containers with turns of their own, either the library or the caller may apply them; whether the picture
    // is upright is checked below.
    let turnsItself = ["avif", "heif", "jxl"].contains(record.format) && record.orientation == nil
    let orientations = record.orientationAny ?? [record.orientation ?? 1]
    guard turnsItself || orientations.contains(header.orientation.rawValue) else {
      return "orientation \(header.orientation.rawValue) instead of \(orientations)"
    }
    if let frames = record.frames, frames != header.frameCount {
      return "\(header.frameCount) frames instead of \(frames)"
    }
    // If several orientations are right, the recorded pixels are those of the first.
    guard turnsItself || header.orientation.rawValue == record.orientation ?? 1 else { return nil }
    if let complaint = complaintAboutSize(of: picture) { return complaint }
    if let complaint = try complaintAfterConversion(data) { return complaint }
    let straight = try Self.straight.picture(from: data, context: Self.context())
    var comparison = PictureComparison(bitmap: picture.bitmap, straight: straight.bitmap)
    if record.format == "jxl", let animation = picture.animation, let raw = straight.animation {
      // The decoders that made the records return the last frame.
      let last = animation.frameCount - 1
      comparison = try PictureComparison(bitmap: animation.frame(at: last), straight: raw.frame(at: last))
    }
    if record.format == "svg", let size = record.referenceSize, size.count == 2 {
      let drawnSize = PixelSize(size[0], size[1])
      comparison = PictureComparison(
        bitmap: try drawing(data, drawnSize, Self.standard),
        straight: try drawing(data, drawnSize, Self.straight))
    }
    // These formats may store premultiplied colours, from which straight colours cannot be computed exactly.
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
    // The recorded grid of a single decoder has less weight than the suite's own reference.
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
      // For a GIF the record has the stored number, which counts repetitions.
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
}
