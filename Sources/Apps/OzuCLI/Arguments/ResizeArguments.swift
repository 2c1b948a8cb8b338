import Ozu

/// The options about how a command resizes, both to a size (`SizeArgument`) and for `--crop`: `--mode`, `--upscale`, `--fast`,
/// `--kernel`, `--linear`, `--embedded`.
struct ResizeArguments {
  static let options =
    SizeArgument.options + [
      OptionSpecification(
        name: "mode", letter: "m", value: modes.map(\.0).joined(separator: "|"), kind: .words(modes.map(\.0)),
        help: """
          fit: inside the size (default). cover: exactly the size; the parts outside it are cut off. outside: cover the size \
          and cut off nothing. stretch: exactly the size, whatever the proportions. none: as it is.
          """),
      OptionSpecification(name: "upscale", help: "Enlarge pictures that are smaller than the size."),
      OptionSpecification(
        name: "fast",
        help: "Read less of the file: thumbnails of JPEG in two thirds of the time, less sharp."),
      OptionSpecification(
        name: "kernel", value: "KERNEL", kind: .words(kernels.map(\.0)),
        help: "The filter: \(kernels.map(\.0).joined(separator: ", ")); lanczos3 by default."),
      OptionSpecification(
        name: "linear", help: "Resize in linear light instead of the stored values. Slower."),
      OptionSpecification(
        name: "embedded", help: "Take the camera's own thumbnail where it is large enough."),
    ]

  private static let modes: [(String, (mode: ScaleMode, crops: Bool))] = [
    ("fit", (.aspectFit, false)), ("cover", (.aspectFill, true)), ("outside", (.aspectFill, false)),
    ("stretch", (.fill, false)), ("none", (.none, false)),
  ]

  private static let kernels = ResamplingKernel.allCases.map { ($0.rawValue, $0) }

  let mode: (mode: ScaleMode, crops: Bool)
  private let kernel: ResamplingKernel
  private let quality: DecodingQuality
  private let light: ResamplingLight
  private let allowsUpscaling: Bool
  private let allowsEmbeddedThumbnail: Bool

  init(_ arguments: ParsedArguments) throws(UsageError) {
    let mode = try arguments.choice("mode", among: Self.modes)
    if let mode, mode.mode != .none, !arguments.given.contains(where: { SizeArgument.isName($0.name) }) {
      throw UsageError("--mode needs a size", hint: "For example: --size 320x240 --mode cover")
    }
    self.mode = mode ?? (.aspectFit, false)
    kernel = try arguments.choice("kernel", among: Self.kernels) ?? .lanczos3
    quality = arguments.has("fast") ? .fast : .balanced
    light = arguments.has("linear") ? .linear : .asStored
    allowsUpscaling = arguments.has("upscale")
    allowsEmbeddedThumbnail = arguments.has("embedded")
  }

  /// The step that makes a part of the sides of a picture, more than 1 of them too.
  func resize(_ picture: PixelSize, times fraction: Double) -> Resize {
    func side(_ side: Int) -> Int {
      Int(clamping: min(max(1, (Double(side) * fraction).rounded()), Double(Resize.openSide)))
    }
    var resize = resize(to: PixelSize(side(picture.width), side(picture.height)), .fill, crops: false)
    resize.allowsUpscaling = allowsUpscaling || fraction > 1
    return resize
  }

  /// The step that covers a size, before a part of it is cut out.
  func covering(_ size: PixelSize) -> Resize { resize(to: size, .aspectFill, crops: false) }

  /// The step that makes a picture this wide; narrower pictures stay as they are.
  func narrowing(to width: Int) -> Resize {
    var resize = resize(to: PixelSize(width, Resize.openSide), .aspectFit, crops: false)
    resize.allowsUpscaling = false
    return resize
  }

  /// The same for a picture that was made narrower before. Its height is that which the source gives it, so that it does not
  /// depend on the widths between.
  func narrowing(to width: Int, from source: PixelSize) -> Resize {
    let size = ResizeGeometry(source: source, resize: narrowing(to: width)).outputSize
    var resize = resize(to: size, .fill, crops: false)
    resize.allowsUpscaling = false
    return resize
  }

  func resize(to size: PixelSize, _ mode: ScaleMode, crops: Bool) -> Resize {
    Resize(
      size, mode: mode, crops: crops, allowsUpscaling: allowsUpscaling, kernel: kernel, quality: quality,
      light: light, allowsEmbeddedThumbnail: allowsEmbeddedThumbnail)
  }

  /// - Parameter option: the name of the option whose value it is.
  static func size(_ text: String, of option: String) throws(UsageError) -> PixelSize {
    let sides = text.split(omittingEmptySubsequences: false, whereSeparator: { "xX×".contains($0) })
      .map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1] else {
      throw UsageError(
        "--\(option) \(text): a width and a height are needed", hint: "For example: --\(option) 320x240")
    }
    let size = PixelSize(width, height)
    guard !size.isEmpty, max(width, height) <= maximumSide else {
      throw UsageError(
        "--\(option) \(text): both sides must be from 1 to \(maximumSide) pixels",
        hint: "For example: --\(option) 320x240")
    }
    return size
  }

  private static let maximumSide = Resize.openSide
}
