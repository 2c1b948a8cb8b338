import OzuBase
import OzuCodecs

extension EncodedFileMaker {
  /// A JPEG as JPEG XL, or the JPEG that a JPEG XL stores, without decoding a pixel: where a lossless file is asked for and
  /// the request changes nothing of the picture. `nil` if the file has to be encoded.
  ///
  /// Metadata that the policy does not keep are taken out of the JPEG, before it is stored or after it was given back. Under
  /// `keepAll` the JPEG is stored whole and given back byte for byte, with its thumbnail and whatever else it has.
  func transcoded() -> EncodedFile? {
    let format = goal.format
    guard format.options.isLossless, let type = format.types.first, let header = loaded.picture.header,
      isUnchanged(header), case .data(let data) = fetched.content
    else { return nil }
    let way: JPEGTranscoding
    switch (header.type, type) {
    case (.jpeg, .jxl): way = .store
    case (.jxl, .jpeg): way = .restore
    default: return nil
    }
    do throws(ImageDecodingError) {
      let limits = configuration.decoding.limits
      let file =
        switch way {
        case .store: try codecs.transcoded(cleaned(data), way, by: .jxl, limits: limits)
        case .restore: try cleaned(codecs.transcoded(data, way, by: .jxl, limits: limits))
        }
      // The bytes may be those of another process, which the file may have taken over.
      guard ContentKind(sniffing: file) == .image(type), file.count <= format.options.maximumByteCount ?? .max
      else { return nil }
      if way == .restore {
        let size = try codecs.header(of: file, limits: limits).storedSize
        guard size == header.storedSize else { return nil }
      }
      return EncodedFile(data: file, type: type, size: header.storedSize, frameCount: 1, notes: [])
    } catch {
      return nil
    }
  }

  /// Whether the wanted picture is that of the source, as it is stored.
  private func isUnchanged(_ header: ImageHeader) -> Bool {
    let (request, format) = (goal.request, goal.format)
    let keepsColors = format.colorProfile != .convert || header.storedColorSpace == .sRGB
    return animation == nil && header.frameCount <= 1 && header.orientation == .up && keepsColors
      && request.decodingResize == nil && request.decodedSteps.isEmpty && request.headroomStops == nil
      && header.gainMap == nil && format.resolution == nil && format.options.metadata.isEmpty
  }

  /// A JPEG without the metadata that the policy does not keep.
  private func cleaned(_ data: Data) throws(ImageDecodingError) -> Data {
    var kept: KeptMetadata
    switch goal.format.metadata {
    case .keepAll: return data
    case .keepCopyright: kept = .copyright
    case .keepWithoutPlace: kept = [.copyright, .details]
    case .strip: kept = []
    }
    if goal.format.colorProfile != .convert { kept.insert(.colorProfile) }
    return try CleanedFile(data, keeping: kept, by: codecs, limits: configuration.decoding.limits).data
  }
}
