import Foundation
import Ozu

/// The steps that a command line asks for, in the order in which they were given.
struct Recipe: Sendable {
  static let options =
    ResizeArguments.options + StepArguments.options + [OverlayArgument.option] + TextArgument.options + [
      OptionSpecification(
        name: headroom, value: "STOPS",
        help: """
          Apply the gain map of a photograph for a display that is this many stops brighter than white, 0 to 6: the \
          result is PQ in 16 bits. With -o in PNG, AVIF and JPEG XL; other formats get the picture without it.
          """), .partial,
    ]
  private static let headroom = "headroom"

  /// The first step if it is a resize: the decoder does it.
  let resize: Resize?
  let processors: [any ImageProcessing]
  /// Before all steps: the part of the picture's sides that a percentage asks for.
  private let fraction: (sizes: ResizeArguments, part: Double)?
  /// The HDR headroom for which gain maps are applied, in stops.
  let headroomStops: Double?
  /// Whether the part of a truncated file that is there will do.
  let allowsTruncation: Bool
  /// The files that steps read, such as watermarks; no result may replace them.
  let files: [ImageSource]

  /// - Throws: for options that make no sense, and for a watermark that cannot be read.
  init(_ arguments: ParsedArguments) async throws(UsageError) {
    let sizes = try ResizeArguments(arguments)
    // If a size was given several times, the last one counts.
    let last = try SizeArgument.last(in: arguments)
    var steps: [any ImageProcessing] = []
    var files: [ImageSource] = []
    var fraction: Double?
    var (textStyle, unusedStyle): (String?, String?)
    for (index, option) in arguments.given.enumerated() {
      if index == last?.index, let size = last?.size {
        if let resize = try size.resize(sizes) { steps.append(resize) }
        guard case .fraction(let part) = size else { continue }
        guard steps.isEmpty else {
          throw UsageError(
            "--size \(option.value ?? ""): a percentage is of the picture, so it must be the first step")
        }
        fraction = part
      } else if option.name == "watermark", let text = option.value {
        let watermark = try WatermarkArgument(text)
        files.append(.url(URL(fileURLWithPath: watermark.path)))
        steps.append(
          try await watermark.step(
            PipelineArguments.configuration(arguments), allowsTruncation: Self.allowsTruncation(arguments)))
      } else if option.name == OverlayArgument.name, let text = option.value {
        let overlay = try OverlayArgument(text)
        files.append(.url(URL(fileURLWithPath: overlay.path)))
        steps.append(
          try await overlay.step(
            PipelineArguments.configuration(arguments), allowsTruncation: Self.allowsTruncation(arguments)))
      } else if option.name == TextArgument.style {
        textStyle = option.value
        unusedStyle = option.value
      } else if option.name == TextArgument.text, let text = option.value {
        unusedStyle = nil
        let argument = try TextArgument(text, style: textStyle)
        steps.append(try await argument.step(PipelineArguments.configuration(arguments)))
      } else {
        steps += try StepArguments.steps(option.name, option.value, sizes)
      }
    }
    if let unusedStyle {
      throw UsageError(
        "--\(TextArgument.style) \(unusedStyle): no --\(TextArgument.text) follows it")
    }
    steps.removeAll { ($0 as? Resize)?.mode == ScaleMode.none }
    Self.foldCrop(in: &steps)
    resize = steps.first as? Resize
    processors = resize == nil ? steps : Array(steps.dropFirst())
    self.fraction = fraction.map { (sizes, $0) }
    self.files = files
    allowsTruncation = Self.allowsTruncation(arguments)
    headroomStops = try arguments.value(Self.headroom).map { (text) throws(UsageError) in
      try StepArguments.number(
        text, of: Self.headroom, in: 0...6)
    }
  }

  private static func allowsTruncation(_ arguments: ParsedArguments) -> Bool {
    arguments.has(OptionSpecification.partial.name)
  }

  /// Whether the size is a part of each picture's own.
  var isRelative: Bool { fraction != nil }

  /// The request for the picture of a source after all steps. For a percentage it reads the header of the source first.
  func request(_ source: ImageSource, in pipeline: ImagePipeline) async throws(ImageError) -> ImageRequest {
    let request = request(source)
    guard let fraction else { return request }
    let size = try await pipeline.header(for: ImageRequest(source)).size
    return request.with {
      $0.resize = fraction.sizes.resize(size, times: fraction.part)
      $0.processors = (resize.map { [$0] } ?? []) + processors
    }
  }

  /// The request for the picture of a source after all steps, without the percentage.
  func request(_ source: ImageSource) -> ImageRequest {
    ImageRequest(source, resize: resize, processors: processors).with {
      $0.headroomStops = headroomStops
      $0.allowsTruncation = allowsTruncation
    }
  }

  /// Joins a crop to a rectangle and the resize after it into one step, which the decoder does: of most JPEG files it
  /// then reads little more than the rectangle.
  private static func foldCrop(in steps: inout [any ImageProcessing]) {
    guard let crop = steps.first as? Crop, case .rectangle(let part) = crop.area else { return }
    guard steps.count > 1, var resize = steps[1] as? Resize else {
      steps[0] = Resize(region: part)
      return
    }
    resize.region = part
    steps.replaceSubrange(0...1, with: [resize])
  }

  /// The steps in words.
  var identifiers: [String] {
    (fraction.map { ["resize(\($0.part * 100)%)"] } ?? []) + [resize?.identifier].compactMap(\.self)
      + processors.map(\.identifier)
  }
}
