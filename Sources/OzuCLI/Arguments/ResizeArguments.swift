import Ozu

/// The options that make a recipe: `--size`, `--mode`, `--crop`, `--upscale`, `--fast`, `--kernel`,
/// `--linear`, `--embedded`.
enum ResizeArguments {
  static let options = [
    OptionSpecification(name: "size", letter: "s", value: "WxH", help: "The size to make, in pixels."),
    OptionSpecification(
      name: "mode", letter: "m", value: "MODE",
      help: "fit: inside the size (default). fill: cover it. stretch: exactly it. none: as it is."),
    OptionSpecification(
      name: "crop",
      help:
        "With fill: cut off what is outside the size, centred. A smaller picture is cut to the shape of the size."
    ),
    OptionSpecification(name: "upscale", help: "Enlarge pictures that are smaller than the size."),
    OptionSpecification(
      name: "fast",
      help: "Look at less of the file: thumbnails of JPEG in two thirds of the time, less sharp."),
    OptionSpecification(
      name: "kernel", value: "KERNEL",
      help:
        "The filter: \(ResamplingKernel.allCases.map(\.rawValue).joined(separator: ", ")); lanczos3 by default."
    ),
    OptionSpecification(name: "linear", help: "Weigh pixels by their light, not by their values. Slower."),
    OptionSpecification(
      name: "embedded", help: "Take the camera's own thumbnail where it is large enough."),
  ]

  private static let modes: [(String, ScaleMode)] = [
    ("fit", .aspectFit), ("fill", .aspectFill), ("stretch", .fill), ("none", .none),
  ]

  private static let kernels = ResamplingKernel.allCases.map { ($0.rawValue, $0) }

  static func resize(_ arguments: ParsedArguments) throws(UsageError) -> Resize? {
    let mode = try arguments.choice("mode", among: modes)
    guard let text = arguments.value("size") else {
      if let mode, mode != .none {
        throw UsageError("--mode needs a size", hint: "For example: --size 320x240 --mode fill")
      }
      if arguments.has("crop") {
        throw UsageError("--crop needs a size", hint: "For example: --size 320x240 --mode fill --crop")
      }
      return nil
    }
    if arguments.has("crop"), let mode, mode != .aspectFill {
      throw UsageError("--crop goes with --mode fill: the other modes leave nothing to cut")
    }
    return Resize(
      try size(text), mode: mode ?? (arguments.has("crop") ? .aspectFill : .aspectFit),
      crops: arguments.has("crop"), allowsUpscaling: arguments.has("upscale"),
      kernel: try arguments.choice("kernel", among: kernels) ?? .lanczos3,
      quality: arguments.has("fast") ? .fast : .balanced,
      light: arguments.has("linear") ? .linear : .asStored,
      allowsEmbeddedThumbnail: arguments.has("embedded"))
  }

  static func size(_ text: String) throws(UsageError) -> PixelSize {
    let sides = text.split(whereSeparator: { "xX×".contains($0) }).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1] else {
      throw UsageError("--size \(text): a width and a height are needed", hint: "For example: --size 320x240")
    }
    let size = PixelSize(width, height)
    guard !size.isEmpty, max(width, height) <= maximumSide else {
      throw UsageError(
        "--size \(text): both sides must be from 1 to \(maximumSide) pixels",
        hint: "For example: --size 320x240")
    }
    return size
  }

  private static let maximumSide = 65_535
}
