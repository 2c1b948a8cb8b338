import Foundation
import Ozu

/// The work of `ozu set`: all files of a source at once, so that they share its decode.
struct SetRun: Sendable {
  /// Attributes of the element `picture` beside the files.
  struct Page: Sendable {
    let sizes: String
    let alternative: String
  }

  let recipe: SetRecipe
  /// `nil` when no HTML is wanted.
  let page: Page?
  let writer: ResultWriter

  /// Makes the files of a source. None is written unless all could be made.
  func make(_ text: String, _ index: Int) async throws -> SetReport {
    let request = recipe.request(try await SourceArgument.read(text, for: writer.pipeline))
    let (widths, beyond, source) = try await widths(of: request)
    let images = try await encode(request, widths, of: source)
    // Steps may have made the picture narrower than its file.
    let narrow = widths.enumerated().filter { images.files[$0.offset][0].size.width < $0.element }
    // All of these are left out. If that are all widths, one of them is kept.
    let kept = images.files.prefix(max(widths.count - narrow.count, 1))
    let omitted = widths.count > kept.count ? widths.suffix(widths.count - kept.count) : []
    var files: [ResultWriter.Written] = []
    for format in recipe.formats.indices {
      for row in kept {
        files.append(try await writer.write(row[format], of: request, forSource: index, part: files.count))
      }
    }
    let html = page.map { element(files, rows: kept.count, images.placeholder, $0).html }
    return SetReport(
      source: SourceArgument.shown(text), files: files, omittedWidths: omitted + beyond, html: html)
  }

  /// The widths to make, those that are too large, and the size of the picture from which they are made, if it is known. A
  /// picture narrower than all of them is made in its own width.
  private func widths(
    of request: ImageRequest
  ) async throws(ImageError) -> ([Int], beyond: [Int], source: PixelSize?) {
    // The width after steps is known only when they are done.
    guard request.resize == nil, request.processors.isEmpty else { return (recipe.widths, [], nil) }
    let header = try await writer.pipeline.header(for: request)
    // A drawing is drawn at every width.
    if header.isDrawing { return (recipe.widths, [], nil) }
    let own = header.size.width
    let inside = recipe.widths.filter { $0 <= own }
    return (inside.isEmpty ? [own] : inside, recipe.widths.filter { $0 > own }, header.size)
  }

  // MARK: Encoding

  /// The files, by widths and then by formats.
  private struct Images {
    var files: [[EncodedImage]]
    var placeholder: EncodedImage?
  }

  /// A picture this wide has a few hundred bytes, and enough detail for a blurred background.
  private static let placeholderWidth = 16
  private static let placeholderFormat = {
    var format = OutputFormat.negotiated(
      accept: ImageType.webp.mediaType, options: EncodingOptions(compressionQuality: 0.5))
    format.keepsAnimation = false
    return format
  }()

  /// Starts all requests together, so that they share one decode.
  private func encode(
    _ request: ImageRequest, _ widths: [Int], of source: PixelSize?
  ) async throws(SetFailure) -> Images {
    let requests = recipe.requests(request, widths, of: source)
    var jobs: [(request: ImageRequest, format: OutputFormat, name: String)] = []
    // The widest first, because it takes the longest.
    for (request, width) in zip(requests, widths).reversed() {
      jobs += recipe.formats.map { (request, $0, "\(width) \($0.types[0].rawValue)") }
    }
    if page != nil, let base = requests.last {
      let small = base.with { $0.processors.append(recipe.resizing.narrowing(to: Self.placeholderWidth)) }
      jobs.append((small, Self.placeholderFormat, "placeholder"))
    }
    let pipeline = writer.pipeline
    let results = await withTaskGroup(of: (Int, Result<EncodedImage, ImageError>).self) { group in
      for (number, job) in jobs.enumerated() {
        group.addTask {
          do throws(ImageError) {
            return (number, .success(try await pipeline.encoded(for: job.request, as: job.format)))
          } catch {
            return (number, .failure(error))
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    var images: [EncodedImage] = []
    // A reason that all share is reported once, without the name of a file.
    var reasons: [(name: String, text: String)] = []
    for (number, job) in jobs.enumerated() {
      switch results[number] {
      case .success(let image): images.append(image)
      case .failure(let error): reasons.append((job.name, error.reason))
      case nil: break
      }
    }
    if let first = reasons.first {
      let isOne = reasons.count == jobs.count && reasons.allSatisfy { $0.text == first.text }
      throw SetFailure(reasons: isOne ? [first.text] : reasons.map { "\($0.name): \($0.text)" })
    }
    let placeholder = page != nil ? images.popLast() : nil
    let rows = stride(from: 0, to: images.count, by: recipe.formats.count).map {
      Array(images[$0..<$0 + recipe.formats.count])
    }
    return Images(files: rows.reversed(), placeholder: placeholder)
  }

  // MARK: HTML

  private func element(
    _ files: [ResultWriter.Written], rows: Int, _ placeholder: EncodedImage?, _ page: Page
  ) -> PictureElement {
    let formats = stride(from: 0, to: files.count, by: rows).map { start in
      PictureElement.Format(
        type: files[start].image.type,
        files: files[start..<start + rows].map { PictureElement.File(path: $0.path, size: $0.image.size) })
    }
    // A transparent picture would not cover it.
    let opaque = placeholder.flatMap { image in
      (try? writer.pipeline.configuration.decoding.codecs.header(of: image.data))?.hasAlpha == false
        ? image : nil
    }
    return PictureElement(
      formats: formats, sizes: page.sizes, alternative: page.alternative,
      placeholder: opaque.map { ($0.type, $0.data) })
  }
}

/// The results that `ozu set` makes from each source.
struct SetRecipe: Sendable {
  let steps: Recipe
  let resizing: ResizeArguments
  /// Without duplicates, the narrowest first.
  let widths: [Int]
  /// In the order of preference.
  let formats: [OutputFormat]

  /// The request for the picture from which the widths are made.
  func request(_ source: ImageSource) -> ImageRequest {
    steps.request(source)
  }

  /// A request for each width: the widest is made from the source, the others from the widest.
  ///
  /// - Parameter source: the size of the picture of the request; `nil` if it is not known yet.
  func requests(_ request: ImageRequest, _ widths: [Int], of source: PixelSize? = nil) -> [ImageRequest] {
    guard let widest = widths.last else { return [] }
    let base = request.with {
      let resize = resizing.narrowing(to: widest)
      if $0.resize == nil, $0.processors.isEmpty { $0.resize = resize } else { $0.processors.append(resize) }
    }
    let narrower = widths.dropLast().map { width in
      let resize = source.map { resizing.narrowing(to: width, from: $0) } ?? resizing.narrowing(to: width)
      return base.with { $0.processors.append(resize) }
    }
    return narrower + [base]
  }

  /// The files that would be written for a source that has not been read yet. Some of the widths may be too large for it.
  func planned(_ source: ImageSource, _ index: Int, in target: OutputTarget) -> [OutputPlan.File] {
    let requests = requests(request(source), widths)
    return formats.flatMap { format in
      zip(requests, widths).map { request, width in
        let steps = [request.resize?.identifier].compactMap(\.self) + request.processors.map(\.identifier)
        return OutputPlan.File(
          steps: steps, path: target.plannedPath(forSource: index, type: format.types.first, width: width))
      }
    }
  }
}

/// An HTML element `picture`: the same picture in several formats and widths. A browser takes the first format that it
/// reads (HTML Standard §4.8.1).
struct PictureElement: Sendable {
  /// A file that may be shown.
  struct File: Sendable {
    /// The path that the page names.
    let path: String
    let size: PixelSize
  }

  /// The files of one format, the narrowest first. Not empty.
  struct Format: Sendable {
    let type: ImageType
    let files: [File]
  }

  /// The best first. Browsers that read none of the others show the last.
  let formats: [Format]
  /// The attribute `sizes`: the width of the picture on the page, by conditions on the window.
  let sizes: String
  /// The attribute `alt`: the content of the picture in words.
  let alternative: String
  /// A small picture that is shown until another is loaded: its type and bytes.
  let placeholder: (type: ImageType, data: Data)?

  /// The element; empty without files.
  var html: String {
    guard let fallback = formats.last, let largest = fallback.files.last else { return "" }
    var lines = formats.map { format in
      Self.tag(
        "source",
        [("type", format.type.mediaType), ("srcset", Self.sourceSet(format.files)), ("sizes", sizes)])
    }
    var attributes = [
      ("src", Self.address(largest.path)), ("srcset", Self.sourceSet(fallback.files)), ("sizes", sizes),
      ("width", "\(largest.size.width)"), ("height", "\(largest.size.height)"), ("loading", "lazy"),
      ("decoding", "async"), ("alt", alternative),
    ]
    if let placeholder {
      let data = "data:\(placeholder.type.mediaType);base64,\(placeholder.data.base64EncodedString())"
      attributes.append(("style", "background: url(\(data)) center / cover no-repeat"))
    }
    lines.append(Self.tag("img", attributes))
    return (["<picture>"] + lines.map { "  " + $0 } + ["</picture>"]).joined(separator: "\n")
  }

  private static func sourceSet(_ files: [File]) -> String {
    files.map { "\(address($0.path)) \($0.size.width)w" }.joined(separator: ", ")
  }

  /// A path as an address relative to the page. Spaces and commas would end it within `srcset`; the text before a colon
  /// would be a scheme, and the text after two slashes at the beginning a host.
  static func address(_ path: String) -> String {
    let slashes = path.prefix { $0 == "/" }.count
    let unambiguous = slashes > 1 ? "/" + path.dropFirst(slashes) : path
    return unambiguous.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }

  /// The unreserved characters of RFC 3986 §2.3, and the slash between folders.
  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")

  private static func tag(_ name: String, _ attributes: [(String, String)]) -> String {
    "<\(name)" + attributes.map { " \($0.0)=\"\(escaped($0.1))\"" }.joined() + ">"
  }

  /// A text that is safe as the value of an attribute in quotation marks, and without control characters.
  private static func escaped(_ value: String) -> String {
    let scalars = value.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
    return Label.escaped(String(String.UnicodeScalarView(scalars)))
  }
}
