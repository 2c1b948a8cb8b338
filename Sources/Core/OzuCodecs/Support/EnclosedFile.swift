import OzuImaging

/// A file whose picture is a file of another format, such as a PNG in an icon.
final class EnclosedFile: ImageFile {
  private let picture: any ImageFile
  let header: ImageHeader

  /// - Parameter notes: notes about the outer file.
  init(_ picture: any ImageFile, as type: ImageType, notes: [String] = []) {
    self.picture = picture
    var header = picture.header
    header.type = type
    header.frameCount = 1
    header.notes += notes
    // Only the pixels of the enclosed file are asked for, whole.
    header.planeLayout = nil
    header.regionUnit = nil
    header.hasParts = false
    self.header = header
  }

  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
    picture.demand(of: plan, context: context)
  }

  func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result? {
    do throws(ImageDecodingError) { return try picture.withRows(plan, context: context, body) } catch {
      throw error.named(header.type, part: "picture")
    }
  }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    do throws(ImageDecodingError) { return try picture.decode(plan, context: context) } catch {
      throw error.named(header.type, part: "picture")
    }
  }
}
