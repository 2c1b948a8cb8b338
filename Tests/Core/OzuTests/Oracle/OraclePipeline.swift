import Foundation
import OzuTesting

@testable import Ozu

/// A pipeline in its shortest form: from a file and a request to the answer, without caches, joining, deriving, levels and
/// isolation. `OracleWorld` says from which files a load may be answered.
struct OraclePipeline {
  /// The limits of the pipeline under test too. Sizes of requests are far below or far above them.
  static let limits = DecodingLimits(decodedByteCount: 1 << 20)

  /// The end of a load.
  enum Answer: Sendable {
    case picture(Picture)
    case failure(ImageError.Kind)
  }

  private struct Key: Hashable {
    let file: Int
    let recipe: OracleRequest
  }

  private var made: [Key: Answer] = [:]

  /// The picture of a request, made from a file.
  mutating func answer(_ request: OracleRequest, file: Int) -> Answer {
    var recipe = request.recipe
    recipe.source = .data(file)
    let key = Key(file: file, recipe: recipe)
    if let answer = made[key] { return answer }
    if let kind = Self.refusal(of: request) { return .failure(kind) }
    let answer = Self.make(recipe, OracleBody.all[file].data)
    made[key] = answer
    return answer
  }

  /// The encoded file of a request, made from a file: of the converted picture, without a gain map if the format could not say how
  /// bright it is.
  mutating func encoded(_ request: OracleRequest, as output: OracleOutput, file: Int) -> Result<
    Data, OracleFailure
  > {
    var converted = request
    converted.colorPolicy = .convertToSRGB
    if !output.mayBeBright { converted.headroom = nil }
    switch answer(converted, file: file) {
    case .failure(let kind): return .failure(OracleFailure(kind: kind))
    case .picture(let picture):
      var options = output.format.options
      options.metadata.resolution = output.format.resolution
      options.metadata.lightLevels = picture.keptLightLevels
      let type = output.type(isOpaque: picture.bitmap.isOpaque)
      let data =
        moving(converted, as: output, options, file: file)
        ?? (try? CodecRegistry.standard.encode(picture, as: type, options: options))
      return data.map { .success($0) } ?? .failure(OracleFailure(kind: .encodingFailed))
    }
  }

  /// The file of an animation, whose frames are processed one by one; `nil` for a still picture.
  private mutating func moving(
    _ request: OracleRequest, as output: OracleOutput, _ options: EncodingOptions, file: Int
  ) -> Data? {
    var plain = request
    plain.processors = []
    let types = output.format.types.filter(CodecRegistry.standard.encodableAnimationTypes.contains)
    guard let type = types.first, output.format.keepsAnimation, request.format != .hooked,
      case .picture(let picture) = answer(plain, file: file), let animation = picture.animation
    else { return nil }
    return try? CodecRegistry.standard.encode(
      animation, as: type, options: options,
      transforming: { frame, _ in
        try Picture(frame).processed(by: request.processors, context: ProcessingContext(limits: Self.limits))
          .bitmap
      })
  }

  /// The header of a file.
  static func header(file: Int) -> Result<ImageHeader, OracleFailure> {
    do throws(ImageDecodingError) {
      return .success(try CodecRegistry.standard.header(of: OracleBody.all[file].data, limits: limits))
    } catch {
      return .failure(OracleFailure(kind: ImageError(error, source: "").kind))
    }
  }

  /// Why a request fails before anything is asked.
  static func refusal(of request: OracleRequest) -> ImageError.Kind? {
    guard let resize = request.effectiveResize else { return nil }
    return resize.size.isEmpty || resize.region?.size.isEmpty == true ? .invalidSize : nil
  }

  private static func make(_ recipe: OracleRequest, _ data: Data) -> Answer {
    var context = DecodingContext(
      limits: limits, allowsTruncation: recipe.allowsTruncation, colorPolicy: recipe.colorPolicy,
      pixelFormats: recipe.colorPolicy.pixelFormats)
    if let headroom = recipe.headroom { context = context.brightened(toStops: headroom) }
    let hooks = recipe.format?.hooks ?? (before: nil, after: nil)
    let resize = recipe.effectiveResize
    var steps: [any ImageProcessing] = recipe.processors
    if let before = hooks.before { steps = [before] + (resize.map { [$0] } ?? []) + steps }
    if let after = hooks.after { steps.append(after) }
    do throws(ImageDecodingError) {
      let picture = try CodecRegistry.standard.picture(
        from: data, resize: hooks.before == nil ? resize : nil, context: context)
      return process(picture, steps)
    } catch {
      return .failure(ImageError(error, source: "").kind)
    }
  }

  static func process(_ picture: Picture, _ steps: [any ImageProcessing]) -> Answer {
    do throws(ProcessingError) {
      return .picture(try picture.processed(by: steps, context: ProcessingContext(limits: limits)))
    } catch {
      return .failure(.processingFailed)
    }
  }

  /// The picture of a request, made from the larger picture of another one, where that is allowed: every field that changes
  /// pixels must agree, and the larger picture must have half as many pixels again on each side.
  static func derived(_ request: OracleRequest, from larger: OracleRequest, _ picture: Picture) -> Answer? {
    guard let resize = request.effectiveResize, request.format != .hooked, larger.format != .hooked,
      larger.processors.isEmpty, larger.effectiveResize?.region == nil,
      [request, larger].allSatisfy({
        $0.colorPolicy.pixelFormats == .bgra8 && $0.headroom == nil && !$0.allowsTruncation
      }), request.colorPolicy == larger.colorPolicy, let header = picture.header, header.frameCount <= 1,
      isFineEnough(larger.effectiveResize, for: resize)
    else { return nil }
    let from = ResizeGeometry(source: header.size, resize: larger.effectiveResize)
    let to = ResizeGeometry(source: header.size, resize: resize)
    guard from.outputSize == picture.size else { return nil }
    let (x, y) = (
      Double(picture.size.width) / from.region.width, Double(picture.size.height) / from.region.height
    )
    let shown = PixelRegion(
      x: to.region.x - from.region.x, y: to.region.y - from.region.y, width: to.region.width,
      height: to.region.height
    ).scaled(horizontal: x, vertical: y)
    let isSource = x == 1 && y == 1
    let edge = 1e-6
    guard x <= 1, y <= 1, shown.x >= -edge, shown.y >= -edge,
      shown.x + shown.width <= Double(picture.size.width) + edge,
      shown.y + shown.height <= Double(picture.size.height) + edge,
      isSource || shown.width >= 1.5 * Double(to.outputSize.width),
      isSource || shown.height >= 1.5 * Double(to.outputSize.height),
      to.outputSize.bitmapByteCount(as: .bgra8) <= limits.decodedByteCount
    else { return nil }
    if to.outputSize == picture.size, shown == PixelRegion(picture.size) {
      return process(picture, request.processors)
    }
    let smaller = Resampler(kernel: resize.kernel, light: resize.light).resample(
      picture.bitmap, region: shown, to: to.outputSize)
    return process(Picture(smaller, header: header, notes: picture.notes), request.processors)
  }

  private static func isFineEnough(_ larger: Resize?, for resize: Resize) -> Bool {
    guard let larger else { return true }
    return resize.kernel != .nearest && [resize.kernel, .lanczos3].contains(larger.kernel)
      && [resize.quality, .balanced].contains(larger.quality)
      && larger.light == resize.light && (!larger.allowsEmbeddedThumbnail || resize.allowsEmbeddedThumbnail)
  }

  /// The picture of a request, made from the picture of one with the first of its processors.
  static func continued(_ request: OracleRequest, from prefix: OracleRequest, _ picture: Picture) -> Answer? {
    var same = request.recipe
    // The formats of requests have the same steps as a plain resize, and share its pictures.
    (same.processors, same.format) = (prefix.processors, nil)
    let count = prefix.processors.count
    guard same == prefix.recipe, request.format != .hooked, count < request.processors.count,
      request.processors.starts(with: prefix.processors)
    else { return nil }
    return process(picture, Array(request.processors[count...]))
  }
}

struct OracleFailure: Error {
  let kind: ImageError.Kind
}
