import Foundation
import Ozu
import OzuBase

/// `ozu sheet`: many pictures, small, on one.
enum SheetCommand: Command {
  static let specification = CommandSpecification(
    name: "sheet",
    summary: "Put many pictures, small, on one: a contact sheet.",
    synopsis: OptionSpecification.synopsis("SOURCE…", options),
    examples: [
      Example("All pictures of a folder", "ozu sheet -r photos -o sheet.jpg"),
      Example(
        "Whole pictures, eight in a row, on black",
        "ozu sheet *.jpg --columns 8 --mode fit --background black -o sheet.png"),
      Example("With the names of the files", "ozu sheet -r photos --captions -o sheet.jpg"),
      Example("Sheets of 5 by 7", "ozu sheet -r photos --columns 5 --rows 7 -o 'sheet-{index}.jpg'"),
    ],
    discussion: """
      Each picture fills a cell, or lies in the middle of it with --mode fit. The pictures stand in rows, in the order of the
      sources; those that cannot be read are left out, and make the command fail at the end. With --rows there are several
      sheets when one is full; then their names need {index} or {counter}, the number of the sheet. A SOURCE is the same as
      for "ozu load".
      """,
    options: options,
    positional: 1...Int.max - 1,
    operands: .file)

  private static let modes: [(String, ScaleMode)] = [("cover", .aspectFill), ("fit", .aspectFit)]
  private static let options: [OptionSpecification] =
    [
      OptionSpecification(
        name: "output", letter: "o", value: "FILE|TEMPLATE|-", kind: .file,
        help: "The sheet; its ending says the format. Several sheets need {index}."),
      OptionSpecification(
        name: "columns", value: "N", help: "Pictures beside each other, 1 to 1000; 5 by default."),
      OptionSpecification(
        name: "rows", value: "N", help: "Rows of a sheet; by default one sheet has all pictures."),
      OptionSpecification(
        name: "cell", value: "WxH|N", help: "The size of a cell in pixels; 200x200 by default."),
      OptionSpecification(
        name: "mode", letter: "m", value: modes.map(\.0).joined(separator: "|"), kind: .words(modes.map(\.0)),
        help:
          "cover: fill the cell and cut off what is outside (default). fit: the whole picture in the cell."),
      OptionSpecification(
        name: "gap", value: "N", help: "Pixels around and between them, up to 1000; 12 by default."),
      OptionSpecification(
        name: "background", value: "COLOR", help: "white by default; \(ColorArgument.notation)."),
      OptionSpecification(
        name: "captions", help: "Write the name of each source below its picture, shortened to a line."),
      .recursive, .from, .jobs(concurrentPictures), .quiet,
    ] + EncodingArguments.drawings + PipelineArguments.options

  private static let concurrentPictures = 8

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    guard let path = arguments.value("output") else {
      throw UsageError("sheet needs -o", hint: "For example: -o sheet.jpg")
    }
    let configuration = try PipelineArguments.configuration(arguments)
    let pictures = try layout(arguments)
    let layout = arguments.has("captions") ? pictures.withRoom(below: SheetMaker.captionHeight) : pictures
    let mode = try arguments.choice("mode", among: modes) ?? .aspectFill
    let perSheet = try arguments.integer("rows", in: 1...65_535).map { $0 * layout.columns }
    let jobs = try arguments.integer("jobs", in: 1...64) ?? concurrentPictures
    let listing = try await SourceListing(arguments, output: nil, configuration, console)
    listing.problems.flatMap(\.errorLines).forEach(console.printError)
    guard !listing.sources.isEmpty else { return .failed }
    let pages = try pages(of: listing.sources.count, perSheet, layout, configuration.decoding.limits)
    let target = try target(path, arguments, listing, sheets: pages.count)
    let format = try EncodingArguments.outputFormat(arguments, target.format)
    let console = target.isStandardOutput ? console.withoutOutput : console
    let pipeline = PipelineArguments.pipeline(configuration, console: console)
    let maker = SheetMaker(layout: layout, picture: pictures.cell, mode: mode, pipeline: pipeline)
    let style: ReportStyle = arguments.has("quiet") ? .quiet : .text
    var hasFailure = !listing.problems.isEmpty
    for (number, page) in pages.enumerated() {
      let sources = Array(listing.sources[page])
      var cells: [Bitmap] = []
      let run = SourceRun(concurrentCount: jobs, console: console, style: style)
      let lostCount = await run.run(sources, problems: []) { text, _, _ in
        try await maker.cell(text)
      } print: { (cell: Bitmap) in
        cells.append(cell)
      }
      hasFailure = hasFailure || lostCount > 0
      guard !cells.isEmpty else { continue }
      do {
        let sheet = try await BlockingWork.run { [cells] in layout.drawn(cells) }
        let type = target.format ?? (sheet.isOpaque ? .jpeg : .png)
        let options = format.encodingOptions
        let data = try await pipeline.encode(Picture(sheet), as: type, options: options)
        let result = OutputTarget.Result(
          data: data, type: type, size: sheet.size, part: number, frame: (number + 1, pages.count))
        let place = try await BlockingWork.run { try target.write(result, forSource: 0) }
        guard style != .quiet else { continue }
        let count = cells.count == 1 ? "1 picture" : "\(cells.count) pictures"
        console.print("\(PrintableText.name(place)): \(count), \(sheet.size), \(Format.bytes(data.count))")
      } catch {
        console.printError("ozu: \(error.reason)")
        hasFailure = true
      }
    }
    await pipeline.end()
    return hasFailure ? .failed : .done
  }

  private static func layout(_ arguments: ParsedArguments) throws(UsageError) -> ContactSheet {
    let text = arguments.value("background") ?? "white"
    guard let background = ColorArgument.color(text) else {
      throw UsageError(
        "--background \(text): a colour is needed: \(ColorArgument.notation)",
        hint: ColorArgument.hint(for: text))
    }
    return ContactSheet(
      columns: try arguments.integer("columns", in: 1...1000) ?? 5, cell: try cell(arguments),
      gap: try arguments.integer("gap", in: 0...1000) ?? 12, background: background)
  }

  private static func cell(_ arguments: ParsedArguments) throws(UsageError) -> PixelSize {
    guard let text = arguments.value("cell") else { return PixelSize(200, 200) }
    guard let side = Int(text) else { return try ResizeArguments.size(text, of: "cell") }
    guard (1...Resize.openSide).contains(side) else {
      throw UsageError("--cell \(text): a side must be from 1 to \(Resize.openSide) pixels")
    }
    return PixelSize(side, side)
  }

  /// The numbers of the sources of each sheet.
  ///
  /// - Throws: for a sheet that would be over a limit.
  private static func pages(
    of count: Int, _ perSheet: Int?, _ layout: ContactSheet, _ limits: DecodingLimits
  ) throws(UsageError) -> [Range<Int>] {
    let size = min(perSheet ?? count, count)
    guard let sheet = layout.size(of: size), sheet.width <= limits.pixelCount / sheet.height else {
      throw UsageError(
        "a sheet of \(size == 1 ? "1 picture" : "\(size) pictures") would be too large",
        hint: "--rows makes several, and --cell smaller pictures; --max-pixels raises the limit.")
    }
    return stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
  }

  private static func target(
    _ path: String, _ arguments: ParsedArguments, _ listing: SourceListing, sheets count: Int
  ) throws(UsageError) -> OutputTarget {
    let format = try EncodingArguments.format(arguments)
    if format == .keep { throw UsageError("--format keep: a sheet has several sources") }
    var isNumbered = false
    if OutputTemplate.isTemplate(path) {
      let template = try OutputTemplate(path)
      isNumbered = template.has(.index) || template.has(.counter) || template.has(.hash)
      let known: [OutputTemplate.Field] = [.index, .counter, .width, .height, .ext, .hash]
      if let field = OutputTemplate.Field.allCases.first(where: { template.has($0) && !known.contains($0) }) {
        throw UsageError("-o \(path): a sheet has no {\(field.rawValue)}; it has several sources")
      }
    }
    guard count <= 1 || isNumbered else {
      throw UsageError("-o \(path): \(count) sheets need {index} in their names")
    }
    let target = try OutputTarget(
      path: path, format: format, sources: Array(listing.sources.prefix(1)),
      files: listing.sources.map(\.source), overwritesSources: nil,
      allowsAnyEnding: arguments.has("force"))
    try target.refuseFolder(suggesting: "sheet.jpg")
    return target
  }
}

/// Makes the pictures of a sheet.
private struct SheetMaker: Sendable {
  /// The room below a picture for a line of text, in pixels.
  static let captionHeight = 24
  private static let captionSize = 13.0

  let layout: ContactSheet
  /// The part of a cell that a picture fills; the rest is for its caption.
  let picture: PixelSize
  let mode: ScaleMode
  let pipeline: ImagePipeline

  /// A picture that fills a cell, with its caption.
  func cell(_ text: String) async throws -> Bitmap {
    let source = try await SourceArgument.read(text, for: pipeline)
    var request = ImageRequest(
      source,
      resize: Resize(
        picture, mode: mode, crops: mode == .aspectFill, allowsUpscaling: mode == .aspectFill),
      // Without a colour: the sheet puts each cell on its background, which may be transparent in part.
      processors: [.pad(to: picture)])
    if picture != layout.cell {
      let caption = try await pipeline.picture(of: caption(text)).bitmap
      request.processors += [
        .pad(to: layout.cell, anchor: .top),
        .watermark(caption, at: .bottom, margin: 2),
      ]
    }
    // Other commands have no use for a rendition of this size.
    request.writeLayers = .originals
    return try await pipeline.image(for: request).bitmap
  }

  /// The name of a source without its folders, dark on a light ground and light on a dark one.
  private func caption(_ text: String) -> Label {
    let name = text.split(separator: "/").last.map(String.init) ?? text
    let ground = layout.background
    let luma = (299 * Int(ground.red) + 587 * Int(ground.green) + 114 * Int(ground.blue)) / 1000
    let isDark = ground.alpha >= 128 && luma < 128
    var label = Label(
      PrintableText.oneLine(name), size: Self.captionSize, color: isDark ? .white : .black,
      width: max(8, picture.width - 4))
    label.maximumLineCount = 1
    label.ellipsis = .middle
    label.alignment = .center
    return label
  }
}
