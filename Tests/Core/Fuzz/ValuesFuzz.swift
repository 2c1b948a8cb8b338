import Foundation
import OzuImaging

@testable import OzuCodecs

/// Reads blocks of metadata as they are in a file: EXIF data, IPTC-IIM, an XMP packet and a profile, between bytes of 0x1E.
/// Every block is also read as each of the others.
@Sendable
func fuzzValues(_ input: Data) {
  let parts = input.split(separator: 0x1E, maxSplits: 3, omittingEmptySubsequences: false).map { Data($0) }
  let blocks = (0..<4).map { $0 < parts.count ? parts[$0] : parts[0] }
  check(blocks)
  check([Data](repeating: input, count: 4))
}

private func check(_ blocks: [Data]) {
  for digest in [nil, [UInt8](repeating: 0, count: 16)] {
    let values = MetadataValues(exif: blocks[0], iptc: blocks[1], iptcDigest: digest, xmp: blocks[2])
    precondition(values.flaw == nil, "values that are impossible")
  }
  var metadata = ImageMetadata()
  metadata.add(exif: blocks[0].span)
  metadata.add(xmp: blocks[2].span)
  metadata.add(iptc: blocks[1])
  for policy in MetadataPolicy.allCases {
    var notes: [String] = []
    _ = metadata.encoded(
      policy: policy, size: PixelSize(20, 10), colorSpace: .icc(name: "its own"), notes: &notes)
  }
  if let block = try? EXIFBlock(blocks[0].span) {
    guard let again = try? EXIFBlock(block.serialized().span) else {
      preconditionFailure("EXIF data that cannot be read again")
    }
    precondition(
      again.serialized() == block.serialized(), "EXIF data that change when they are written again")
  }
  _ = EXIFMetadata.find(in: blocks[0].span)
  _ = EXIFMetadata.resolution(in: blocks[0].span)
  _ = EXIFMetadata.iptc(inTIFF: blocks[0].span)
  _ = EXIFThumbnail.range(inJPEG: blocks[0].span)
  _ = IPTCRecords.block(blocks[1], without: IPTCRecords.placeNumbers)
  let resources = PhotoshopResources(PhotoshopResources.written(blocks[1]).span)
  precondition(resources.iptc == blocks[1], "data sets that cannot be read again")
  _ = PhotoshopResources(blocks[1].span)
  _ = ICCProfileName.find(in: blocks[3].span)
}
