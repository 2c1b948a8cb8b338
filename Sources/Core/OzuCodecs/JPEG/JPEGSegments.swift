import OzuBase
import OzuImaging

/// Writes the metadata of a JPEG as segments (ITU-T T.81 §B.2.4.6).
package enum JPEGSegments {
  /// The most bytes that can follow the length of a segment.
  private static let largestContent = 65_533
  private static let profileName: StaticString = "ICC_PROFILE\0"
  static let largestEXIF = largestContent - JPEGMetadata.exifName.utf8CodeUnitCount - 1
  static let largestXMP = largestContent - JPEGMetadata.xmpName.utf8CodeUnitCount

  /// Inserts segments into a file after its JFIF segment. EXIF data or XMP that need more than one segment are left out, because
  /// few readers join the pieces; a profile may have 255 of them.
  package static func insert(_ metadata: EncodedMetadata, into file: Data) -> Data {
    var segments: [UInt8] = []
    if let exif = metadata.exif { append(0xE1, bytes(JPEGMetadata.exifName) + [0] + exif, to: &segments) }
    if let xmp = metadata.xmp { append(0xE1, bytes(JPEGMetadata.xmpName) + xmp, to: &segments) }
    if let profile = metadata.colorProfile { append(profile: [UInt8](profile), to: &segments) }
    guard !segments.isEmpty else { return file }
    // The start of the image, then the first segment of the encoder.
    let position = file.span.bigEndian(at: 4, bytes: 2).map { 4 + $0 } ?? 2
    return inserting(segments, at: position, into: file)
  }

  static func inserting(_ segments: [UInt8], at position: Int, into file: Data) -> Data {
    var result = Data(capacity: file.count + segments.count)
    result += file.prefix(position)
    result += segments
    result += file.dropFirst(position)
    return result
  }

  static func bytes(_ text: StaticString) -> [UInt8] { text.withUTF8Buffer { Array($0) } }

  private static func append(_ marker: UInt8, _ content: [UInt8], to segments: inout [UInt8]) {
    guard content.count <= largestContent else { return }
    segments += JPEGMarker.segment(marker, content)
  }

  /// Appends a profile in numbered chunks (ICC.1:2022 Annex B.4).
  private static func append(profile: [UInt8], to segments: inout [UInt8]) {
    let name = bytes(profileName)
    let step = largestContent - name.count - 2
    let count = (profile.count + step - 1) / step
    guard 1...255 ~= count else { return }
    for number in 1...count {
      let chunk = profile[(number - 1) * step..<min(number * step, profile.count)]
      append(0xE2, name + [UInt8(number), UInt8(count)] + chunk, to: &segments)
    }
  }
}

extension EncodedMetadata {
  /// Removes EXIF data and XMP for which a file has no place: encoders leave them out without a word.
  ///
  /// - Parameter kept: the blocks that the encoder of the format writes.
  /// - Returns: a note for each.
  package mutating func removeBlocks(withoutPlaceIn type: ImageType, keeping kept: MetadataKinds) -> [String]
  {
    func obstacle(_ kind: MetadataKinds, _ byteCount: Int, _ most: Int) -> String? {
      if !kept.contains(kind) { return "\(type.displayName) is written without metadata" }
      return type == .jpeg && byteCount > most ? "\(byteCount) bytes, and a JPEG has room for \(most)" : nil
    }
    var notes: [String] = []
    if let exif, let reason = obstacle(.exif, exif.count, JPEGSegments.largestEXIF) {
      self.exif = nil
      notes.append("EXIF data are left out: \(reason)")
    }
    if let xmp, let reason = obstacle(.xmp, xmp.count, JPEGSegments.largestXMP) {
      self.xmp = nil
      notes.append("XMP is left out: \(reason)")
    }
    return notes
  }
}
