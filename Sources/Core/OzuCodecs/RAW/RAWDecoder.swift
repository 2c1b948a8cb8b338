import OzuBase
import OzuImaging

/// Decodes the previews of camera RAW files: the JPEGs that the camera developed.
///
/// The picture is the largest preview, turned upright as the RAW says; smaller pictures are made from the smallest
/// preview that is large enough. The pixels of the sensor are not developed, so a file without a preview is refused.
/// A thumbnail of up to 256 pixels a side, as in the first two directories of many files, is not taken for a preview.
public struct RAWDecoder: ImageDecoding {
  private let type: ImageType
  private let jpeg: any ImageDecoding

  /// Makes a decoder.
  ///
  /// - Parameters:
  ///   - type: one of `ImageType.cameraRAW`.
  ///   - jpeg: decodes the previews.
  public init(_ type: ImageType, jpeg: any ImageDecoding) {
    self.type = type
    self.jpeg = jpeg
  }

  /// The format of one maker.
  public var types: [ImageType] { [type] }

  /// Opens a file: reads its directories, and the headers of its previews.
  ///
  /// - Throws: `unsupportedType` for a file without a preview; `corrupt`, `truncated`, `limitExceeded`.
  /// - Complexity: O(header); O(bytes of the largest preview) if that has several scans.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let contents = RAWContents(data, type: type)
    let previews = contents.candidates.compactMap { RAWPreview($0, in: data) }.sorted(by: >)
    guard let best = previews.first, !best.isThumbnail else {
      throw absence(contents, thumbnail: previews.first)
    }
    let picture: any ImageFile
    do throws(ImageDecodingError) {
      picture = try jpeg.open(data.part(best.range), limits: limits)
    } catch {
      throw error.named(type, part: "preview")
    }
    return RAWFile(picture, data, contents, previews, type: type, jpeg: jpeg)
  }

  /// Prepares the decoder of the previews.
  public func prepare() throws(ImageDecodingError) { try jpeg.prepare() }

  private func absence(_ contents: RAWContents, thumbnail: RAWPreview?) -> ImageDecodingError {
    // The file may also end in the header of a preview, which then counts for nothing.
    if contents.isCut || contents.candidates.contains(where: { !$0.isWhole }) {
      return .truncated(type, stage: "preview")
    }
    if let thumbnail {
      return .unsupportedType(
        type,
        reason: "it has no preview, only a thumbnail of \(thumbnail.size), and RAW pixels are not developed")
    }
    return .unsupportedType(type, reason: "it has no JPEG preview, and RAW pixels are not developed")
  }
}

/// A JPEG in a camera RAW file whose header has been read. The best is the greatest.
struct RAWPreview: Comparable {
  private static let thumbnailSide = 256

  let range: Range<Int>
  let size: PixelSize
  let isThumbnail: Bool
  private let isWhole: Bool

  /// `nil` if there is no JPEG, or one that no decoder reads: the pixels of some sensors are a lossless JPEG.
  init?(_ candidate: RAWContents.Candidate, in data: Data) {
    let bytes = data.span.extracting(candidate.range)
    guard bytes.bigEndian(at: 0, bytes: 3) == 0xFF_D8FF, let header = try? JPEGHeader(bytes),
      header.unsupportedReason == nil
    else { return nil }
    range = candidate.range
    size = header.size
    isThumbnail = candidate.isForThumbnail && max(size.width, size.height) <= Self.thumbnailSide
    isWhole = candidate.isWhole
  }

  /// A thumbnail is worse than a preview, and one that the end of the file cuts off worse than a whole one.
  static func < (a: RAWPreview, b: RAWPreview) -> Bool {
    (a.isThumbnail ? 0 : 1, a.isWhole ? 1 : 0, a.size.pixelCount, b.range.lowerBound)
      < (b.isThumbnail ? 0 : 1, b.isWhole ? 1 : 0, b.size.pixelCount, a.range.lowerBound)
  }
}

private final class RAWFile: EnclosingFile {
  let picture: any ImageFile
  let part = "preview"
  private let data: Data
  private let contents: RAWContents
  /// The other previews that may be used, the smallest first.
  private let others: [RAWPreview]
  private let jpeg: any ImageDecoding
  let header: ImageHeader

  convenience init(
    _ picture: any ImageFile, _ data: Data, _ contents: RAWContents, _ previews: [RAWPreview],
    type: ImageType, jpeg: any ImageDecoding
  ) {
    var header = picture.header
    header.type = type
    header.orientation = contents.orientation ?? header.orientation
    if let exif = contents.exif {
      header.metadata = EXIFMetadata.find(in: exif.span) ?? header.metadata
      header.dotsPerInch = EXIFMetadata.dotsPerInch(in: exif.span) ?? header.dotsPerInch
    }
    // Its place is in the preview, and the thumbnail belongs to the preview.
    (header.gainMap, header.missingBytes) = (nil, nil)
    header.metadata?.hasThumbnail = false
    header.cameraRAW = CameraRAW(
      size: contents.size,
      previewSizes: previews.filter { !$0.isThumbnail }.prefix(CameraRAW.mostPreviews).map(\.size),
      isCut: contents.isCut)
    let own = contents.size.map { "; the RAW has \(header.orientation.applied(to: $0)) pixels" } ?? ""
    header.notes = ["preview of a RAW file, \(header.size)" + own]
    if contents.isCut { header.notes.append("\(PictureNotes.cut)it may have had a larger preview") }
    self.init(
      picture, header, data, contents,
      previews.dropFirst().sorted { $0.size.pixelCount < $1.size.pixelCount },
      jpeg)
  }

  private init(
    _ picture: any ImageFile, _ header: ImageHeader, _ data: Data, _ contents: RAWContents,
    _ others: [RAWPreview], _ jpeg: any ImageDecoding
  ) {
    self.picture = picture
    self.header = header
    self.data = data
    self.contents = contents
    self.others = others
    self.jpeg = jpeg
  }

  var scales: [Int] { picture.scales }

  func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    do throws(ImageDecodingError) { return try picture.render(plan, context: context) } catch {
      throw error.named(header.type, part: part)
    }
  }

  /// The smallest preview from which a result may be made. It must have the colours of the picture.
  func smaller(for plan: DecodePlan, limits: DecodingLimits) -> (any ImageFile)? {
    for preview in others
    where plan.mayBegin(at: preview.size, of: header.storedSize, stretch: CameraRAW.largestStretch) {
      guard let file = try? jpeg.open(data.part(preview.range), limits: limits) else { continue }
      let own = file.header
      guard own.storedSize == preview.size, own.colorModel == header.colorModel,
        own.colorEncoding == header.colorEncoding
      else { continue }
      var level = header.level(own)
      level.isProgressive = own.isProgressive
      return RAWFile(file, level, data, contents, [], jpeg)
    }
    return nil
  }

  /// The EXIF data and XMP of the file; those of the preview, if the file has none of its own.
  func readMetadata() -> ImageMetadata {
    let ofPreview = picture.readMetadata()
    var metadata = ImageMetadata()
    if let exif = contents.exif { metadata.add(exif: exif.span) }
    if let xmp = contents.xmp { metadata.add(xmp: data.span.extracting(xmp)) }
    // The values of the preview also have those of extended XMP, which is in no block.
    if metadata.exif == nil, metadata.xmp == nil { return ofPreview }
    metadata.exif = metadata.exif ?? ofPreview.exif
    metadata.xmp = metadata.xmp ?? ofPreview.xmp
    metadata.iptc = ofPreview.iptc
    metadata.resolution = metadata.resolution ?? ofPreview.resolution
    metadata.complete(with: header)
    metadata.colorProfile = ofPreview.colorProfile
    metadata.notes += ofPreview.notes
    return metadata
  }
}
