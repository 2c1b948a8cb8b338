import Foundation
import OzuCodecs
import OzuImaging

/// Reads the blocks of a file and makes the blocks of a written one. For any file, they must say that it is
/// upright, and be within the size limit of blocks.
func fuzzMetadata(of file: Data) {
  guard let metadata = try? fuzzCodecs.metadata(of: file, limits: fuzzLimits) else { return }
  for policy in MetadataPolicy.allCases {
    var notes: [String] = []
    let written = metadata.encoded(
      policy: policy, size: PixelSize(20, 10), colorSpace: .icc(name: "its own"), notes: &notes)
    guard let exif = written.exif else { continue }
    // Only a few values were changed, and a maker note may leave a gap.
    precondition(exif.count <= ImageMetadata.largestBlock + 70_000, "EXIF data that have grown")
    precondition(EXIFOrientation.find(in: exif.span) ?? .up == .up, "EXIF data that are not upright")
    var again: [String] = []
    let same = ImageMetadata(exif: exif).encoded(
      policy: policy, size: PixelSize(20, 10),
      colorSpace: written.colorProfile == nil ? .sRGB : .icc(name: ""),
      notes: &again)
    precondition(same.exif != nil && again.isEmpty, "EXIF data that cannot be read again")
  }
}
