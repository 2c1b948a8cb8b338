import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs

/// Decodes a JPEG to planes, with scales (and for a progressive file, the lowest bit) that are computed from the
/// file.
///
/// Every file gives an error or planes, and strips give the same picture. If libjpeg reports no error, the planes are compared with its coefficients;
/// a difference ends the process like a crash.
func fuzzPlanes(of file: Data) {
  let limits = DecodingLimits(pixelCount: 4 << 20, cpuTime: .seconds(20))
  guard let header = try? JPEGDecoder().open(file, limits: limits).header, (try? limits.check(header)) != nil
  else {
    return
  }
  // The scales are computed from the file, so that all of them are used.
  let choice = file.reduce(UInt8(0), &+)
  let offered = [1, 2, 3, 4, 5, 6, 8, 2]
  let scales = (luma: offered[Int(choice & 7)], chroma: offered[Int(choice >> 3 & 7)])
  let lowestBit = Int(choice >> 6)
  for allowsTruncation in [true, false] {
    let context = DecodingContext(limits: limits, allowsTruncation: allowsTruncation)
    let made = try? ReducedJPEGDecoder.planes(
      of: file, eighths: scales, lowestBit: lowestBit, context: context)
    compareHalves(of: file, with: made, scales, allowsTruncation: allowsTruncation, lowestBit: lowestBit)
    compareStrips(of: file, header, choice, context)
    guard let planes = made else { continue }
    if allowsTruncation {
      let region = PixelRegion(x: 0, y: 0, width: 1, height: 1)
      _ = Resampler().resample(planes, region: region, to: PixelSize(17, 13))
    } else {
      compare(planes, file, header, scales, lowestBit)
    }
  }
}

/// Makes a thumbnail of a size that is computed from the file, once while it is decoded, in strips, and once from whole planes.
private func compareStrips(of file: Data, _ header: ImageHeader, _ choice: UInt8, _ context: DecodingContext)
{
  let part = 2 + Int(choice % 13)
  let size = PixelSize(max(1, header.size.width / part), max(1, header.size.height / part))
  let plan = DecodePlan(header: header, resize: Resize(size, mode: .fill))
  guard let reduction = plan.reduction, let outline = try? JPEGOutline(file, limits: context.limits) else {
    return
  }
  let strips = try? ReducedJPEGDecoder.render(file, outline, header: header, plan: plan, context: context)
  let planes = try? ReducedJPEGDecoder.planes(
    of: file, outline, eighths: (reduction.luma, reduction.chroma), context: context
  ).map { try plan.rendered($0, header: header, context: context) }
  guard strips == planes else { fatalError("strips give another picture than planes") }
  let division = ScanDivision(
    smallestByteCount: 8, share: Double(choice) / 256, batchByteCount: Int(choice) << 4)
  let assisted = DecodingContext(
    limits: context.limits, allowsTruncation: context.allowsTruncation
  ).assisted(by: .immediate)
  let halves = try? ReducedJPEGDecoder.render(
    file, outline, header: header, plan: plan, division: division, context: assisted)
  guard halves == strips else { fatalError("two threads give another picture than one") }
}

extension DecodingAssistant {
  /// Does all work at once.
  fileprivate static let immediate = DecodingAssistant { work in
    work()
    return true
  }
}

/// Decodes the file again with a second thread that begins at a place computed from the file: the result must be
/// the same.
private func compareHalves(
  of file: Data, with whole: PlanarPicture?, _ scales: (luma: Int, chroma: Int), allowsTruncation: Bool,
  lowestBit: Int
) {
  let context = DecodingContext(
    limits: DecodingLimits(pixelCount: 4 << 20, cpuTime: .seconds(20)), allowsTruncation: allowsTruncation
  ).assisted(by: .immediate)
  let share = Double(file.reduce(UInt8(0)) { $0 &* 31 &+ $1 }) / 256
  let halves = try? ReducedJPEGDecoder.planes(
    of: file, eighths: scales, lowestBit: lowestBit,
    division: ScanDivision(smallestByteCount: 8, share: share), context: context)
  guard halves?.planes.map({ Array($0.samples) }) == whole?.planes.map({ Array($0.samples) }) else {
    fatalError("two halves of a scan give other samples than the whole")
  }
}

private func compare(
  _ planes: PlanarPicture, _ file: Data, _ header: ImageHeader, _ scales: (luma: Int, chroma: Int),
  _ lowestBit: Int
) {
  let all = planes.planes
  // If libjpeg-turbo meets a fill byte, it decodes a group of blocks again over its previous result: coefficients
  // that are zero keep their old values.
  guard file.firstRange(of: [0xFF, 0xFF]) == nil else { return }
  guard let oracle = PlaneOracle(file, componentCount: all.count) else { return }
  defer { oracle.close() }
  guard let identifiers = (try? JPEGHeader(file.span))?.components.map(\.identifier) else { return }
  for (index, plane) in all.enumerated() {
    let scale = index == 0 ? scales.luma : scales.chroma
    // In squares above 2, sums of coefficients that no picture has wrap (`SquareTransform`). The model computes them too.
    let reference: PlaneOracle.Reference = scale > 2 ? .model : .exact
    let difference = oracle.difference(
      of: plane, component: index, identifier: identifiers[index], scale: scale,
      isProgressive: header.isProgressive, lowestBit: lowestBit, reference: reference)
    guard difference.largest <= (reference == .model ? 0 : PlaneOracle.tolerance(scale: scale)) else {
      let words = "component \(index) at \(scale)/8 to bit \(lowestBit) differs by \(difference.largest)/64\n"
      FileHandle.standardError.write(Data(words.utf8))
      fatalError("planes differ from libjpeg's coefficients")
    }
  }
}
