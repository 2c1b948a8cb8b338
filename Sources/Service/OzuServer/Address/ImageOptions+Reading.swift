import OzuBase
import OzuImaging

extension ImageOptions {
  static let unknownOption = "there is no such option"
  static let optionOfPro = "this option of imgproxy Pro is not supported"
  private static let sides = 0...65_535
  private static let offsets = -65_535.0...65_535.0

  /// Applies an option.
  ///
  /// - Throws: `AddressRefusal` for an option that is unknown, unsupported, or has wrong arguments.
  mutating func apply(_ option: AddressOption, _ rules: AddressRules) throws(AddressRefusal) {
    switch option.name {
    case "resize", "rs":
      try option.check(atMost: 8)
      try readResizing(option, 0)
      try readSize(option, 1)
    case "size", "s":
      try option.check(atMost: 7)
      try readSize(option, 0)
    case "resizing_type", "rt":
      try option.check(atMost: 1)
      try readResizing(option, 0)
    case "width", "w": width = try option.single().integer(0, in: Self.sides) ?? 0
    case "height", "h": height = try option.single().integer(0, in: Self.sides) ?? 0
    case "dpr": density = try option.single().number(0, in: 0.1...rules.largestDensity)
    case "min-width", "min_width", "mw":
      minimumWidth = try option.single().integer(0, in: Self.sides) ?? 0
    case "min-height", "min_height", "mh":
      minimumHeight = try option.single().integer(0, in: Self.sides) ?? 0
    case "zoom", "z":
      try option.check(atMost: 2)
      zoomX = try option.number(0, in: 0.01...100) ?? 1
      zoomY = try option.number(1, in: 0.01...100) ?? zoomX
    case "enlarge", "el": enlarges = try option.single().flag(0) ?? false
    case "extend", "ex": try readExtension(option, 0)
    case "extend_aspect_ratio", "extend_ar", "exar":
      try option.check(atMost: 4)
      proportionsGravity = try Self.extensionGravity(option, 0)
    case "gravity", "g":
      try option.check(atMost: 3)
      gravity = try Self.gravity(option, 0) ?? gravity
    case "crop", "c":
      try option.check(atMost: 5)
      cropWidth = try option.extent(0)
      cropHeight = try option.extent(1)
      cropGravity = try Self.gravity(option, 2)
    case "trim", "t":
      try option.check(atMost: 4)
      trimTolerance = try option.number(0, in: 0...255).map {
        Int(clamping: $0, rounded: .toNearestOrAwayFromZero)
      }
      trimColor = try option[1].map { (text) throws(AddressRefusal) in try Self.hexadecimal(text, of: option)
      }
      trimEvenAxes = try option.flag(2) == true ? .horizontal : []
      if try option.flag(3) == true { trimEvenAxes.insert(.vertical) }
    case "rotate", "rot":
      guard let degrees = try option.single().number(0, in: -36_000...36_000),
        degrees.truncatingRemainder(dividingBy: 90) == 0
      else {
        throw option.refusal("a multiple of 90 is needed")
      }
      quarterTurns = ((Int(clamping: degrees) / 90) % 4 + 4) % 4
    case "flip", "fl":
      try option.check(atMost: 2)
      flipsHorizontally = try option.flag(0) ?? false
      flipsVertically = try option.flag(1) ?? false
    case "auto_rotate", "ar":
      guard try option.single().flag(0) != false else {
        throw option.refusal("pictures are always upright here")
      }
    case "blur", "bl": blur = try option.single().number(0, in: 0...100) ?? 0
    case "sharpen", "sh": sharpening = try option.single().number(0, in: 0...10) ?? 0
    case "pixelate", "pix": pixelation = try option.single().integer(0, in: Self.sides) ?? 0
    case "padding", "pd": try readPadding(option)
    case "background", "bg": background = try Self.color(option)
    case "watermark", "wm": watermark = try WatermarkPlace(option)
    case "watermark_text", "wmt": watermarkText = try WatermarkText.text(option)
    default: try applyOutput(option, rules)
    }
  }

  private mutating func applyOutput(_ option: AddressOption, _ rules: AddressRules) throws(AddressRefusal) {
    switch option.name {
    case "quality", "q":
      let number = try option.single().integer(0, in: 0...100) ?? 0
      quality = number == 0 ? nil : number
    case "format_quality", "fq":
      guard !option.arguments.isEmpty, option.arguments.count % 2 == 0 else {
        throw option.refusal("formats and their qualities are needed, in pairs")
      }
      for index in stride(from: 0, to: option.arguments.count, by: 2) {
        guard let type = Self.type(option.arguments[index]) else {
          throw option.refusal(Self.reasonAgainst(format: option.arguments[index]))
        }
        let number = try option.integer(index + 1, in: 0...100)
        qualities[type] = number == 0 ? nil : number
      }
    case "max_bytes", "mb":
      let number = try option.single().integer(0, in: 0...100_000_000) ?? 0
      byteLimit = number == 0 ? nil : number
    case "autoquality", "aq": try readAutomaticQuality(option)
    case "strip_metadata", "sm": keepsMetadata = try option.single().flag(0) == false
    case "strip_color_profile", "scp": keepsProfile = try option.single().flag(0) == false
    case "keep_copyright", "kcr": keepsCopyright = try option.single().flag(0)
    case "preserve_hdr", "ph": keepsDepth = try option.single().flag(0) ?? false
    case "enforce_thumbnail", "eth": usesThumbnail = try option.single().flag(0) ?? false
    case "raw":
      isRaw = try option.single().flag(0) ?? false
      guard !isRaw || rules.allowsRaw else { throw option.refusal("this service does not pass sources on") }
    case "skip_processing", "skp":
      for word in option.arguments where !word.isEmpty {
        guard let format = ImageFormat.known.first(where: { $0.endings.contains(word) }) else {
          throw option.refusal("there is no format \"\(word)\"")
        }
        skippedTypes.insert(format.type)
      }
    case "max_result_dimension", "mrd":
      largestResultSide = try option.single().integer(0, in: Self.sides) ?? 0
    case "format", "f", "ext":
      try option.check(atMost: 1)
      guard let word = option[0], let type = Self.type(word) else {
        throw option.refusal(Self.reasonAgainst(format: option[0] ?? ""))
      }
      self.type = type
    case "filename", "fn": fileName = try Self.fileName(option)
    case "return_attachment", "att": isAttachment = try option.single().flag(0) ?? false
    case "expires", "exp": expiry = try option.single().integer(0, in: 0...Int.max)
    case "cachebuster", "cb":
      try option.check(atMost: 1)
      cacheBuster = option[0]
    default:
      if try sourceLimits.apply(option) { return }
      throw option.refusal(Self.optionsOfPro.contains(option.name) ? Self.optionOfPro : Self.unknownOption)
    }
  }

  /// Reads how the quality is chosen: a method and its target. imgproxy's least and greatest quality and its error are not
  /// heard here: the search has a tolerance of its own.
  private mutating func readAutomaticQuality(_ option: AddressOption) throws(AddressRefusal) {
    try option.check(atMost: 2)
    switch option[0] {
    case "none": targetScore = nil
    case "size":
      guard let number = try option.integer(1, in: 1...100_000_000) else {
        throw option.refusal("a number of bytes is needed")
      }
      (targetScore, byteLimit) = (nil, number)
    case "ssimulacra2":
      guard let number = try option.number(1, in: 30...100) else {
        throw option.refusal("a score from 30 to 100 is needed")
      }
      targetScore = number
    case "dssim", "ml":
      throw option.refusal("this method is not supported; ssimulacra2 measures the look here")
    default: throw option.refusal("none, size or ssimulacra2 is needed")
    }
  }

  // MARK: Places and sizes

  private mutating func readResizing(_ option: AddressOption, _ index: Int) throws(AddressRefusal) {
    guard let word = option[index] else { return }
    guard let resizing = Resizing(rawValue: word) else {
      throw option.refusal("fit, fill, fill-down, force or auto is needed, not \"\(word)\"")
    }
    self.resizing = resizing
  }

  /// Reads a width, a height, whether to enlarge, and the arguments of `extend`.
  private mutating func readSize(_ option: AddressOption, _ index: Int) throws(AddressRefusal) {
    if let number = try option.integer(index, in: Self.sides) { width = number }
    if let number = try option.integer(index + 1, in: Self.sides) { height = number }
    if let flag = try option.flag(index + 2) { enlarges = flag }
    if option.arguments.count > index + 3 { try readExtension(option, index + 3) }
  }

  private mutating func readExtension(_ option: AddressOption, _ index: Int) throws(AddressRefusal) {
    try option.check(atMost: index + 4)
    extensionGravity = try Self.extensionGravity(option, index)
  }

  /// Where a picture is in its extension; `nil` where the flag is off.
  private static func extensionGravity(_ option: AddressOption, _ index: Int) throws(AddressRefusal)
    -> Gravity?
  {
    let flag = try option.flag(index) ?? false
    let gravity = try gravity(option, index + 1) ?? .center
    guard gravity != .attention else {
      throw option.refusal("sm is not where a picture can be in its extension")
    }
    return flag ? gravity : nil
  }

  private static func gravity(_ option: AddressOption, _ index: Int) throws(AddressRefusal) -> Gravity? {
    guard let word = option[index] else { return nil }
    switch word {
    case "sm":
      guard option[index + 1] == nil, option[index + 2] == nil else {
        throw option.refusal("sm has no offsets")
      }
      return .attention
    case "fp":
      return .point(
        x: try option.number(index + 1, in: 0...1) ?? 0.5, y: try option.number(index + 2, in: 0...1) ?? 0.5)
    default:
      guard let anchor = anchors.first(where: { $0.word == word })?.anchor else {
        throw option.refusal("there is no gravity \"\(word)\"")
      }
      return .anchor(
        anchor, x: try option.number(index + 1, in: offsets) ?? 0,
        y: try option.number(index + 2, in: offsets) ?? 0)
    }
  }

  private mutating func readPadding(_ option: AddressOption) throws(AddressRefusal) {
    try option.check(atMost: 4)
    let top = try option.integer(0, in: Self.sides) ?? 0
    let right = try option.integer(1, in: Self.sides) ?? top
    let bottom = try option.integer(2, in: Self.sides) ?? top
    padding = [top, right, bottom, try option.integer(3, in: Self.sides) ?? right]
  }

  private static func color(_ option: AddressOption) throws(AddressRefusal) -> ColorValue? {
    try option.check(atMost: 3)
    if option.arguments.count == 3 {
      var parts: [UInt8] = []
      for index in 0..<3 { parts.append(UInt8(try option.integer(index, in: 0...255) ?? 0)) }
      return ColorValue(red: parts[0], green: parts[1], blue: parts[2])
    }
    guard let word = option[0] else { return nil }
    try option.check(atMost: 1)
    return try hexadecimal(word, of: option)
  }

  private static func hexadecimal(_ word: String, of option: AddressOption) throws(AddressRefusal)
    -> ColorValue
  {
    let digits = word.count == 3 ? word.map { "\($0)\($0)" }.joined() : word
    guard digits.utf8.count == 6, let parts = [UInt8](hexadecimal: digits) else {
      throw option.refusal("a colour is r:g:b or six hexadecimal digits")
    }
    return ColorValue(red: parts[0], green: parts[1], blue: parts[2])
  }

  /// A file name: plain, or in base64url if the second argument is 1.
  private static func fileName(_ option: AddressOption) throws(AddressRefusal) -> String? {
    try option.check(atMost: 2)
    guard let text = option[0] else { return nil }
    var name = text.percentDecoded
    if try option.flag(1) == true {
      name = Base64URL.bytes(of: text).flatMap { String(validating: $0, as: UTF8.self) }
    }
    guard let name, name.utf8.count <= 255,
      !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0 == "/" || $0 == "\\" })
    else { throw option.refusal("this cannot be the name of a file") }
    return name
  }

  /// Options that only the Pro edition of imgproxy has. They have an error of their own, so that users see why.
  private static let optionsOfPro = Set(
    """
    resizing_algorithm ra objects_position obj_pos op crop_aspect_ratio crop_ar car background_alpha bga adjust a \
    brightness br contrast co saturation sa monochrome mc duotone dt unsharp_masking ush blur_areas ba \
    progressive_blur pbl blur_detections bd draw_detections dd crop_objects colorize col gradient gr \
    watermark_url wmu watermark_size wms watermark_rotate wm_rot wmr watermark_shadow wmsh \
    style st dpi color_profile cp icc jpeg_options jpgo png_options pngo webp_options webpo avif_options avifo \
    page pg pages pgs disable_animation da video_thumbnail_second vts video_thumbnail_keyframes vtk \
    video_thumbnail_tile vtt video_thumbnail_animation vta fallback_image_url fiu bypass_cache bc cache_tags ct \
    hashsum hs
    """.split(separator: " ").map(String.init))
}
