import OzuImaging
import OzuTesting
import Testing

/// Renders parts of a picture alone and out of the whole file, each at its own size and reduced, and expects the same
/// pixels, to one step of 8 bits.
///
/// - Parameters:
///   - parts: the parts, which may lie partly outside the picture.
///   - isCheaper: compares the memory of a part with that of the whole.
/// - Returns: the number of renders in which the part was cut out of the file.
func compareParts(
  _ parts: [PixelRectangle], of file: any ImageFile, context: DecodingContext,
  isCheaper: (_ part: Int, _ whole: Int) -> Bool
) throws -> Int {
  var cutCount = 0
  for part in parts {
    let reducedSize = PixelSize(max(1, part.size.width / 3), max(1, part.size.height / 2))
    for resize in [Resize(region: part), Resize(reducedSize, mode: .fill, region: part)] {
      let plan = DecodePlan(of: file, resize: resize, context: context)
      let wholePlan = plan.uncut(of: file, context)
      let own = try file.render(plan, context: context)
      let whole = try file.render(wholePlan, context: context)
      #expect(own.size == whole.size && own.format == whole.format)
      let (ownPixels, wholePixels) = (own.converted(to: .bgra8), whole.converted(to: .bgra8))
      #expect(ownPixels.largestDifference(from: wholePixels) <= 1, "\(part) \(resize.identifier)")
      guard let cut = plan.cut else { continue }
      cutCount += 1
      #expect(isCheaper(plan.byteCount, wholePlan.byteCount), "\(part) \(resize.identifier)")
      #expect(plan.decodedSize == cut.size)
      #expect(try file.decode(plan, context: context).size == cut.size)
    }
  }
  return cutCount
}
