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
    if let type, !rules.writes(type) {
      throw AddressRefusal(status: 400, reason: "\(type.fileExtension): this format is not written here")
    }
    let points = zoomedPoints
    let margins = PixelSize(padding[1] + padding[3], padding[0] + padding[2])
    let longest = max(
      points.width, points.height, minimumWidth, minimumHeight, margins.width, margins.height, 1)
    // A hint makes more pixels as far as they may be made: no address is refused because of it.
    let scale = self.density ?? min(density, max(1, Double(rules.largestSide) / Double(longest)))
    let size = PixelSize(try side(points.width, scale, rules), try side(points.height, scale, rules))
    // Margins are beside the size; without a bound they would take a gigabyte.
    for length in [minimumWidth, minimumHeight, margins.width, margins.height] {
      _ = try side(length, scale, rules)
    }
    let reached = ReachedDensity(
      wanted: scale, points: points, covers: ![.fit, .auto].contains(resizing), enlarges: enlarges,
      zoom: max(zoomX, zoomY))
    // A source as it is has one form, whatever the client reads.
    let output = output(accept: isRaw ? nil : accept, rules)
    var steps: [any ImageProcessing] = []
    if let trimTolerance {
      steps.append(BorderTrim(tolerance: UInt8(trimTolerance), color: trimColor, evenAxes: trimEvenAxes))
    }
    let cropsFirst = cropWidth > 0 || cropHeight > 0
    if cropsFirst {
      steps += turns
      steps.append(GravityCrop(width: cropWidth, height: cropHeight, gravity: cropGravity ?? gravity))
    }
    let isTurned = quarterTurns % 2 == 1 && !cropsFirst
    var resize: Resize?
    var rest: [any ImageProcessing] = []
    if let fitting = try fitting(scale, reached, rules) {
      if steps.isEmpty, let cover = fitting.cover {
        resize = Resize(
          isTurned ? PixelSize(cover.height, cover.width) : cover, mode: .aspectFill, crops: false)
      }
      rest.append(fitting)
    } else if size.width > 0 || size.height > 0 {
      let first: Resize
      (first, rest) = resizing(size, isTurned: isTurned, reached: reached, rules)
      if steps.isEmpty { resize = first } else { steps.append(first) }
    } else {
      let largest = enlarges ? 1 : max(1, zoomX * scale, zoomY * scale)
      let (x, y) = (zoomX * scale / largest, zoomY * scale / largest)
      if (x, y) != (1, 1) {
        steps.append(Rescale(x: isTurned ? y : x, y: isTurned ? x : y, largestSide: rules.largestSide))
      }
    }
    if usesThumbnail { resize?.allowsEmbeddedThumbnail = true }
    if !cropsFirst { steps += turns }
    steps += rest
    if blur > 0 { steps.append(.gaussianBlur(radius: blur)) }
    if sharpening > 0 { steps.append(.sharpen(amount: 0.5, radius: sharpening)) }
    if pixelation > 1 { steps.append(.pixelate(blockSide: pixelation)) }
    // An opaque picture stays opaque for a client that only reads JPEG beside PNG.
    let surround = Surround(color: background, keepsOpaque: output.types.first == .jpeg)
    if let extensionGravity {
      steps.append(Extension(reached: reached, gravity: extensionGravity, surround: surround))
    }
    if let proportionsGravity {
      steps.append(
        Extension(reached: reached, gravity: proportionsGravity, surround: surround, isProportions: true))
    }
    if padding.contains(where: { $0 > 0 }) {
      steps.append(Padding(sides: padding, reached: reached, surround: surround))
    }
    if largestResultSide > 0 {
      steps.append(Resize(PixelSize(largestResultSide, largestResultSide), mode: .aspectFit))
    }
    if let background { steps.append(Backdrop(color: background)) }
    if let mark = try mark(reached.around(padding), rules) { steps.append(mark) }
    var picture = AddressedPicture(
      request: ImageRequest(source, resize: resize, processors: steps), output: output)
    if type == nil, !isRaw, rules.negotiatesFormat { picture.varyingFields.append("Accept") }
    picture.fileName = fileName
    picture.isAttachment = isAttachment
    picture.isOriginal = isRaw
    picture.originalTypes = type.map { skippedTypes.intersection([$0]) } ?? skippedTypes
    picture.limits = sourceLimits
    return picture
  }

  /// The step that draws the watermark or the text in its place; `nil` without a place.
  ///
  /// - Throws: `AddressRefusal` for what the rules have not, and for a text that is too long.
  private func mark(
    _ reached: ReachedDensity, _ rules: AddressRules
  ) throws(AddressRefusal) -> (any ImageProcessing)? {
    if let watermarkText {
      guard let texts = rules.watermarkText else {
        throw AddressRefusal(status: 400, reason: "watermark_text: this service draws no texts")
      }
      let label = try texts.label(watermarkText)
      // As in imgproxy, the text is seen where `watermark` has it.
      return watermark.map { PlacedText(label: label, place: $0, reached: reached, drawing: texts.drawing) }
    }
    guard let watermark else { return nil }
    guard let mark = rules.watermark else {
      throw AddressRefusal(status: 400, reason: "watermark: this service has none")
    }
    return PlacedWatermark(picture: mark, place: watermark, reached: reached)
  }

  /// The size with its zoom; 0 for an open side.
  private var zoomedPoints: PixelSize {
    func zoomed(_ side: Int, _ zoom: Double) -> Int {
      side == 0 ? 0 : max(1, side.scaled(by: zoom))
    }
    return PixelSize(zoomed(width, zoomX), zoomed(height, zoomY))
  }

  /// The step for a size that depends on the proportions of the picture, or on its own sides; `nil` where a resize can
  /// do it.
  private func fitting(
    _ density: Double, _ reached: ReachedDensity, _ rules: AddressRules
  ) throws(AddressRefusal) -> Fitting? {
    let hasSize = width > 0 || height > 0
    let hasLeast = minimumWidth > 0 || minimumHeight > 0
    let isOpenForce = resizing == .force && (width == 0) != (height == 0)
    guard hasLeast || hasSize && (resizing == .auto || zoomX != zoomY) || isOpenForce else { return nil }
    return Fitting(
      resizing: resizing, size: PixelSize(width, height), zoomX: zoomX, zoomY: zoomY,
      least: PixelSize(minimumWidth, minimumHeight), density: density, enlarges: enlarges,
      extends: extensionGravity != nil, largestSide: rules.largestSide, gravity: gravity, reached: reached)
  }

  private func side(_ points: Int, _ scale: Double, _ rules: AddressRules) throws(AddressRefusal) -> Int {
    let side = points == 0 ? 0 : max(1, points.scaled(by: scale))
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
  ) -> (Resize, [any ImageProcessing]) {
    let isWhole = size.width > 0 && size.height > 0
    // A side without a value has room for any proportions.
    let box = PixelSize(
      size.width > 0 ? size.width : rules.largestSide, size.height > 0 ? size.height : rules.largestSide)
    let source = isTurned ? PixelSize(box.height, box.width) : box
    switch resizing {
    case .force:
      return (
        Resize(source, mode: .fill, allowsUpscaling: enlarges), enlarges ? [] : [ForcedProportions(size: box)]
      )
    case .fill where isWhole, .fillDown where isWhole:
      // Where a source has too few pixels for the size, `fill` cuts each of its sides, and `fill-down` keeps the proportions.
      let sides = resizing == .fill && !enlarges ? zoomedPoints : nil
      if gravity == .center {
        var resize = Resize(source, mode: .aspectFill, crops: true, allowsUpscaling: enlarges)
        resize.sidesOfSmall = sides.map { isTurned ? PixelSize($0.height, $0.width) : $0 }
        return (resize, [])
      }
      let cover = Resize(source, mode: .aspectFill, crops: false, allowsUpscaling: enlarges)
      let crop = GravityCrop(
        width: Double(box.width), height: Double(box.height), gravity: gravity, reached: reached,
        keepsProportions: true, sidesOfSmall: sides)
      return (cover, [crop])
    case .fit, .fill, .fillDown, .auto:
      return (Resize(source, mode: .aspectFit, allowsUpscaling: enlarges), [])
    }
  }

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
      ?? .negotiated(accept: rules.accepted(accept))
    format.options.compressionQuality = Double(quality ?? rules.quality) / 100
    if quality == nil {
      format.options.qualities = rules.qualities.merging(qualities) { $1 }.mapValues { Double($0) / 100 }
    }
    format.options.maximumByteCount = byteLimit
    format.options.targetScore = targetScore
    format.options.enforcesByteLimit = false
    format.options.effort = rules.effort
    format.options.efforts = rules.efforts
    let restOfMetadata: MetadataPolicy = keepsCopyright ?? rules.keepsCopyright ? .keepCopyright : .strip
    format.metadata = keepsMetadata ? .keepWithoutPlace : restOfMetadata
    format.colorProfile = keepsDepth ? .keep : keepsProfile ? .embed : .convert
    if sourceLimits.frameCount == 1 { format.keepsAnimation = false }
    return format
  }
}
