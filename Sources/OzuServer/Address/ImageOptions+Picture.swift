import Ozu
import OzuImaging
import OzuRecords

extension ImageOptions {
  /// The request for the picture and its output format.
  ///
  /// The steps are in the order of imgproxy: trim, crop, resize, rotate, filters, extension, padding, background.
  /// Without a trim and a crop the resize is first, so that not more is decoded than it needs.
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
    var steps: [any ImageProcessing] = []
    if let trimTolerance { steps.append(.trim(tolerance: UInt8(trimTolerance))) }
    if cropWidth > 0 || cropHeight > 0 {
      let gravity = cropGravity ?? self.gravity
      guard gravity != .attention else {
        throw AddressRefusal(status: 400, reason: "crop: sm is for fill; a crop needs another gravity")
      }
      steps.append(GravityCrop(PixelSize(cropWidth, cropHeight), gravity))
    }
    var resize: Resize?
    if size.width > 0 || size.height > 0 {
      let (first, rest) = try resizing(size, rules)
      if steps.isEmpty { resize = first } else { steps.append(first) }
      steps += rest
    }
    steps += looks(scale)
    if extends, size.width > 0, size.height > 0 { steps.append(.pad(to: size, color: background ?? .clear)) }
    let pads = padding.map { Int(clamping: Double($0) * scale, rounded: .toNearestOrAwayFromZero) }
    if pads.contains(where: { $0 > 0 }) { steps.append(Padding(pads, background ?? .clear)) }
    if let background { steps.append(Backdrop(color: background)) }
    var picture = AddressedPicture(
      request: ImageRequest(source, resize: resize, processors: steps), output: output(accept: accept, rules))
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

  /// The resize, and the crop after it if the gravity is not the centre.
  private func resizing(
    _ size: PixelSize, _ rules: AddressRules
  ) throws(AddressRefusal) -> (Resize, [any ImageProcessing]) {
    let isWhole = size.width > 0 && size.height > 0
    // A side without a value has room for any proportions.
    let box = PixelSize(
      size.width > 0 ? size.width : rules.largestSide, size.height > 0 ? size.height : rules.largestSide)
    switch resizing {
    case .force:
      guard isWhole else { throw AddressRefusal(status: 400, reason: "force needs a width and a height") }
      return (Resize(box, mode: .fill, allowsUpscaling: enlarges), [])
    case .fill where isWhole, .fillDown where isWhole:
      let enlarges = enlarges && resizing == .fill
      if gravity == .anchor(.center, x: 0, y: 0) {
        return (Resize(box, mode: .aspectFill, crops: true, allowsUpscaling: enlarges), [])
      }
      let cover = Resize(box, mode: .aspectFill, crops: false, allowsUpscaling: enlarges)
      if gravity == .attention { return (cover, [.crop(.attention(box))]) }
      return (cover, [GravityCrop(box, gravity, keepsProportions: true)])
    case .fit, .fill, .fillDown:
      return (Resize(box, mode: .aspectFit, allowsUpscaling: enlarges && resizing != .fillDown), [])
    }
  }

  private func looks(_ scale: Double) -> [any ImageProcessing] {
    var steps: [any ImageProcessing] = []
    switch quarterTurns {
    case 1: steps.append(Turn.right)
    case 2: steps.append(Turn.around)
    case 3: steps.append(Turn.left)
    default: break
    }
    if flipsHorizontally { steps.append(Turn.mirror) }
    if flipsVertically { steps.append(Turn.flip) }
    if blur > 0 { steps.append(.gaussianBlur(radius: blur)) }
    if sharpening > 0 { steps.append(.sharpen(amount: 0.5, radius: sharpening)) }
    return steps
  }

  private func output(accept: String?, _ rules: AddressRules) -> OutputFormat {
    var format =
      type.map { OutputFormat($0) }
      ?? .negotiated(accept: rules.negotiatesFormat ? accept : nil)
    let quality = quality ?? format.types.first.flatMap { qualities[$0] } ?? rules.quality
    format.options.compressionQuality = Double(quality) / 100
    format.options.maximumByteCount = byteLimit
    format.options.effort = .low
    format.metadata = keepsMetadata ? .keepWithoutPlace : .strip
    format.colorProfile = keepsProfile ? .embed : .convert
    return format
  }
}
