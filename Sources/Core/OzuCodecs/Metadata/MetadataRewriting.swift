import OzuBase
import OzuImaging

/// Work on a file that writes its metadata again, and decodes no pixel.
package enum MetadataRewriting: Hashable, Sendable {
  /// The file without the metadata that are not kept: `CleanedFile`.
  case file(keeping: KeptMetadata, turns: Bool)
  /// The blocks for a file with a picture that was made from this one: `ImageMetadata.encoded`. A turned picture has the
  /// resolution of the file turned by a quarter.
  case blocks(
    policy: MetadataPolicy, size: PixelSize, colorSpace: ColorSpaceTag, resolution: ImageResolution?,
    isTurned: Bool)

  package struct Outcome: Hashable, Sendable {
    /// The cleaned file; empty if blocks are wanted.
    package var file = Data()
    /// The blocks; none if a file is wanted.
    package var blocks = EncodedMetadata()
    /// The parts that are not in the cleaned file.
    package var dropped: [String] = []
    package var notes: [String] = []

    package init() {}
  }
}

/// A decoder that works in other processes, and writes metadata again there.
package protocol MetadataRewriter: ImageDecoding {
  /// Does the work of `CodecRegistry.rewritten` for a file that the decoder accepts.
  func rewritten(
    _ data: Data, _ task: MetadataRewriting, limits: DecodingLimits
  ) throws(ImageDecodingError) -> MetadataRewriting.Outcome
}

extension CodecRegistry {
  /// Writes the metadata of a file again: in another process if its decoder works there, otherwise in this one.
  ///
  /// - Throws: the errors of `CleanedFile`, or those of opening the file.
  package func rewritten(
    _ data: Data, _ task: MetadataRewriting, limits: DecodingLimits
  ) throws(ImageDecodingError) -> MetadataRewriting.Outcome {
    if let elsewhere = try? decoder(for: data) as? any MetadataRewriter {
      return try elsewhere.rewritten(data, task, limits: limits)
    }
    var outcome = MetadataRewriting.Outcome()
    switch task {
    case .file(let kept, let turns):
      let file = try CleanedFile(data, keeping: kept, turns: turns)
      outcome.file = file.data
      (outcome.dropped, outcome.notes) = (file.dropped, file.notes)
    case .blocks(let policy, let size, let colorSpace, let resolution, let isTurned):
      var source = try metadata(of: data, limits: limits)
      if isTurned { source.resolution = source.resolution?.transposed }
      outcome.blocks = source.encoded(
        policy: policy, size: size, colorSpace: colorSpace, resolution: resolution, notes: &outcome.notes)
    }
    return outcome
  }

  /// The metadata of a file that another file keeps, whose picture was made from it.
  ///
  /// - Parameters:
  ///   - data: the file; `nil` if nothing of it is kept.
  ///   - resolution: dots per inch that replace those of the file.
  ///   - isTurned: whether the picture was turned by a quarter after it was decoded.
  ///   - notes: receives a line for each block that was left out for another reason than the policy.
  package func keptMetadata(
    of data: Data?, policy: MetadataPolicy, size: PixelSize, colorSpace: ColorSpaceTag,
    resolution: ImageResolution?, isTurned: Bool = false, limits: DecodingLimits, notes: inout [String]
  ) -> EncodedMetadata {
    if let data {
      let task = MetadataRewriting.blocks(
        policy: policy, size: size, colorSpace: colorSpace, resolution: resolution, isTurned: isTurned)
      do throws(ImageDecodingError) {
        let outcome = try rewritten(data, task, limits: limits)
        notes += outcome.notes
        return outcome.blocks
      } catch {
        // A file that cannot be opened has no metadata.
        if case .decoderFailed = error { notes.append("metadata are left out: \(error)") }
      }
    }
    return EncodedMetadata(resolution: resolution?.valid)
  }
}
