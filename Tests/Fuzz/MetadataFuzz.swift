import Foundation
import OzuCodecs
import OzuImaging

/// Reads the blocks of a file and makes those of a written one. Whatever a file holds, they say that it is upright, and are
/// no larger than blocks may be.
func fuzzMetadata(of file: Data) {
  guard let metadata = try? fuzzCodecs.metadata(of: file, limits: fuzzLimits) else { return }
  for policy in MetadataPolicy.allCases {
    var notes: [String] = []
    let written = metadata.encoded(
      policy: policy, size: PixelSize(20, 10), colorSpace: .icc(name: "its own"), notes: &notes)
    guard let exif = written.exif else { continue }
    // What was changed is a few values, and a maker note may leave a gap.
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
