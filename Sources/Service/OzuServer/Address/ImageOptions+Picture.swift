import Ozu
import OzuBase
import OzuImaging

extension ImageOptions {
  /// The request for the picture and its output format.
  ///
  /// The order is that of imgproxy: trim, crop, resize, rotate and flip, crop to the size, filters, extension, padding,
  /// background. Sizes, gravities and crops are those of the turned picture. Without a trim and a crop the resize is
  /// first, so that not more is decoded than it needs.
  ///
  /// - Parameters:
  ///   - density: the density from client hints, used if the address has none.
  ///   - accept: the field `Accept`.
  /// - Throws: `AddressRefusal` for an impossible combination, and for a result that is larger than the rules
  ///   allow.
  func picture(
    of source: ImageSource, density: Double, accept: String?, rules: AddressRules
  ) throws(AddressRefusal) -> AddressedPicture {
    let scale = self.density ?? density
    let size = PixelSize(try side(width, scale, rules), try side(height, scale, rules))
    let reached = ReachedDensity(
      wanted: scale, points: PixelSize(width, height), covers: resizing != .fit, enlarges: enlarges)
    let output = output(accept: accept, rules)
    var steps: [any ImageProcessing] = []
    if let trimTolerance { steps.append(.trim(tolerance: UInt8(trimTolerance))) }
    let cropsFirst = cropWidth > 0 || cropHeight > 0
    if cropsFirst {
      let gravity = cropGravity ?? self.gravity
      guard gravity != .attention else {
        throw AddressRefusal(status: 400, reason: "crop: sm is for fill; a crop needs another gravity")
      }
      steps += turns
      steps.append(GravityCrop(PixelSize(cropWidth, cropHeight), gravity))
    }
    var resize: Resize?
    var rest: [any ImageProcessing] = []
    if size.width > 0 || size.height > 0 {
      let first: Resize
      (first, rest) = try resizing(
        size, isTurned: quarterTurns % 2 == 1 && !cropsFirst, reached: reached, rules)
      if steps.isEmpty { resize = first } else { steps.append(first) }
    } else if reached.withoutSize != 1 {
      steps.append(Rescale(by: reached.withoutSize, largestSide: rules.largestSide))
    }
    if !cropsFirst { steps += turns }
    steps += rest
    if blur > 0 { steps.append(.gaussianBlur(radius: blur)) }
    if sharpening > 0 { steps.append(.sharpen(amount: 0.5, radius: sharpening)) }
    // An opaque picture stays opaque for a client that only reads JPEG beside PNG.
    let surround = Surround(color: background, keepsOpaque: output.types.first == .jpeg)
    if extends { steps.append(Extension(reached, surround)) }
    if padding.contains(where: { $0 > 0 }) { steps.append(Padding(padding, reached, surround)) }
    if let background { steps.append(Backdrop(color: background)) }
    var picture = AddressedPicture(
      request: ImageRequest(source, resize: resize, processors: steps), output: output)
    if type == nil, rules.negotiatesFormat { picture.varyingFields.append("Accept") }
    picture.fileName = fileName
    picture.isAttachment = isAttachment
    return picture
  }

  private func side(_ points: Int, _ scale: Double, _ rules: AddressRules) throws(AddressRefusal) -> Int {
    let side =
      points == 0 ? 0 : max(1, Int(clamping: Double(points) * scale, rounded: .toNearestOrAwayFromZero))
    guard side <= rules.largestSide else {
      throw AddressRefusal(
        status: 400, reason: "a side of \(side) pixels is more than the \(rules.largestSide) that are made")
    }
    return side
  }

  /// The resize, and the steps after it in the turned picture.
  ///
  /// - Parameter isTurned: whether the picture is turned by a right angle after the resize.
  private func resizing(
    _ size: PixelSize, isTurned: Bool, reached: ReachedDensity, _ rules: AddressRules
  ) throws(AddressRefusal) -> (Resize, [any ImageProcessing]) {
    let isWhole = size.width > 0 && size.height > 0
    // A side without a value has room for any proportions.
    let box = PixelSize(
      size.width > 0 ? size.width : rules.largestSide, size.height > 0 ? size.height : rules.largestSide)
    let source = isTurned ? PixelSize(box.height, box.width) : box
    switch resizing {
    case .force:
      guard isWhole else { throw AddressRefusal(status: 400, reason: "force needs a width and a height") }
      return (
        Resize(source, mode: .fill, allowsUpscaling: enlarges), enlarges ? [] : [ForcedProportions(box)]
      )
    case .fill where isWhole, .fillDown where isWhole:
      let enlarges = enlarges && resizing == .fill
      if gravity == .anchor(.center, x: 0, y: 0) {
        return (Resize(source, mode: .aspectFill, crops: true, allowsUpscaling: enlarges), [])
      }
      let cover = Resize(source, mode: .aspectFill, crops: false, allowsUpscaling: enlarges)
      if gravity == .attention { return (cover, [.crop(.attention(box))]) }
      return (cover, [GravityCrop(box, gravity, reached)])
    case .fit, .fill, .fillDown:
      return (Resize(source, mode: .aspectFit, allowsUpscaling: enlarges && resizing != .fillDown), [])
    }
  }

  /// The turns and flips, in their order.
  private var turns: [any ImageProcessing] {
    var steps: [any ImageProcessing] = []
    switch quarterTurns {
    case 1: steps.append(Turn.right)
    case 2: steps.append(Turn.around)
    case 3: steps.append(Turn.left)
    default: break
    }
    if flipsHorizontally { steps.append(Turn.mirror) }
    if flipsVertically { steps.append(Turn.flip) }
    return steps
  }

  private func output(accept: String?, _ rules: AddressRules) -> OutputFormat {
    var format =
      type.map { OutputFormat($0) }
      ?? .negotiated(accept: rules.negotiatesFormat ? accept : nil)
    format.options.compressionQuality = Double(quality ?? rules.quality) / 100
    if quality == nil {
      format.options.qualities = rules.qualities.merging(qualities) { $1 }.mapValues { Double($0) / 100 }
    }
    format.options.maximumByteCount = byteLimit
    format.options.targetScore = targetScore
    format.options.enforcesByteLimit = false
    format.options.effort = .low
    format.metadata = keepsMetadata ? .keepWithoutPlace : .strip
    format.colorProfile = keepsProfile ? .embed : .convert
    return format
  }
}
