#if SVG
  import CCodecs
  import OzuBase
  import OzuImaging

  /// Draws the documents of labels (`LabelDocument`) through Pango and cairo, which come with librsvg.
  ///
  /// No file is read but fonts and the files of fontconfig, and the font file that a label names.
  struct LabelDecoder: ImageDecoding {
    var types: [ImageType] { [.label] }

    /// Lays a label out; no pixels are drawn.
    ///
    /// - Throws: `ImageDecodingError`, as `LabelError.decodingError` makes it.
    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      let label = try LabelDocument.label(in: data)
      do throws(LabelError) {
        try label.check(limits)
        try Self.checkFamilies(of: label)
        return try LabelFile(label)
      } catch {
        throw error.decodingError
      }
    }

    /// Loads Pango, and the table of fonts, which no process can load once it is confined.
    ///
    /// - Throws: `unsupportedType` if Pango is not installed.
    func prepare() throws(ImageDecodingError) {
      var message = LabelMessage()
      let status = message.receive { ozu_label_prepare($0, $1) }
      do throws(LabelError) { try message.check(status) } catch { throw error.decodingError }
    }

    /// Refuses a font that is not there: otherwise some other font would be taken, and nobody would know.
    private static func checkFamilies(of label: Label) throws(LabelError) {
      let families = label.families
      guard !families.isEmpty, !label.hasGenericFamily else { return }
      for family in families {
        var exists = false
        var message = LabelMessage()
        let status = message.receive { ozu_label_find_family(family, &exists, $0, $1) }
        try message.check(status)
        if exists { return }
      }
      let names = families.map { PrintableText.oneLine($0) }.joined(separator: ", ")
      let reason =
        families.count == 1
        ? "the family \(names) is not installed" : "none of the families \(names) is installed"
      throw .fontNotFound(reason: reason + "; a list that ends with sans-serif always has one")
    }
  }

  /// A label that is laid out.
  ///
  /// `@unchecked Sendable`: what Pango has made belongs to no thread, and calls come one at a time.
  final class LabelFile: ImageFile, @unchecked Sendable {
    let header: ImageHeader
    private let label: Label
    private let layout: OpaquePointer
    private let geometry: LabelGeometry

    /// Surfaces of cairo have sides of 16 bits.
    private static let largestSide = 32_767

    init(_ label: Label) throws(LabelError) {
      let (layout, box) = try Self.layOut(label)
      let geometry = LabelGeometry(
        label,
        lines: LabelGeometry.Box(
          left: Int(box.left), top: Int(box.top), right: Int(box.right), bottom: Int(box.bottom)),
        ink: LabelGeometry.Box(
          left: Int(box.ink_left), top: Int(box.ink_top), right: Int(box.ink_right),
          bottom: Int(box.ink_bottom)))
      let side = max(geometry.size.width, geometry.size.height)
      guard side <= Self.largestSide else {
        ozu_label_free(layout)
        throw .limitExceeded(DecodingLimits.Violation(.side, value: side, limit: Self.largestSide))
      }
      var header = ImageHeader(type: .label, storedSize: geometry.size, hasAlpha: true)
      header.notes = Self.notes(label, box)
      self.header = header
      self.label = label
      self.layout = layout
      self.geometry = geometry
    }

    deinit {
      ozu_label_free(layout)
    }

    func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
      let bitmap = header.storedSize.bitmapByteCount(as: .bgra8)
      // An outline of characters that are not opaque has a surface of its own.
      let copies = label.shadow != nil ? 3 : label.outline != nil && label.color.alpha < 255 ? 1 : 0
      return DecodingDemand(byteCount: bitmap.saturatingProduct(copies))
    }

    func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      let size = geometry.size
      try context.checkpoint()
      let colors = OzuLabelColors(
        text: label.color.number, outline: label.outline.map(\.color.number) ?? 0)
      var background = OzuLabelBackground()
      if let box = geometry.background, let style = label.background {
        background = OzuLabelBackground(
          x: Double(box.left), y: Double(box.top), width: Double(box.right - box.left),
          height: Double(box.bottom - box.top), corner_radius: style.cornerRadius, color: style.color.number)
      }
      let bitmap = try Bitmap(size: size, isOpaque: false, pool: context.pool) {
        (bytes, bytesPerRow) throws(ImageDecodingError) in
        let rows = OzuRows(bytes, bytesPerRow: bytesPerRow, size: size)
        guard
          ozu_label_draw(
            layout, rows, Double(geometry.origin.x), Double(geometry.origin.y), colors, background)
        else { throw .corrupt(.label, stage: "pixels", reason: "cairo has not drawn it") }
      }
      guard let shadow = label.shadow, let offset = geometry.shadowOffset else { return bitmap }
      try context.checkpoint()
      do throws(ProcessingError) {
        return try BGRABitmap(bitmap).over(shadow, offset: offset, pool: context.pool).bitmap
      } catch {
        throw .corrupt(.label, stage: "shadow", reason: "\(error)")
      }
    }

    private static func layOut(_ label: Label) throws(LabelError) -> (OpaquePointer, OzuLabelBox) {
      var layout: OpaquePointer?
      var box = OzuLabelBox()
      var message = LabelMessage()
      let file: String? = if case .file(let path) = label.font { path } else { nil }
      // C reads the texts during the call alone.
      let status = label.text.withCString { text in
        label.families.joined(separator: ",").withCString { families in
          withOptionalCString(file) { file in
            withOptionalCString(label.language) { language in
              var request = OzuLabelText(label)
              (request.text, request.text_size) = (text, label.text.utf8.count)
              (request.families, request.file, request.language) = (families, file, language)
              return message.receive { ozu_label_lay_out(&request, &layout, &box, $0, $1) }
            }
          }
        }
      }
      try message.check(status, file: file)
      guard let layout else { throw .unavailable(reason: "out of memory") }
      return (layout, box)
    }

    private static func notes(_ label: Label, _ box: OzuLabelBox) -> [String] {
      if label.text.allSatisfy(\.isWhitespace) { return ["the label has no text"] }
      guard box.missing_count > 0 else { return [] }
      let first = [box.missing.0, box.missing.1, box.missing.2, box.missing.3].prefix(Int(box.missing_count))
      let names = first.map { code in
        let digits = String(code, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      }
      let rest = box.missing_count > 4 ? " and others" : ""
      let count = box.missing_count == 1 ? "1 character has" : "\(box.missing_count) characters have"
      return ["\(count) no glyph in any font here: \(names.joined(separator: ", "))\(rest)"]
    }
  }

  /// Room for a message of C.
  private struct LabelMessage {
    private var characters = [CChar](repeating: 0, count: 256)

    mutating func receive(_ body: (UnsafeMutablePointer<CChar>?, Int) -> OzuLabelStatus) -> OzuLabelStatus {
      characters.withUnsafeMutableBufferPointer { body($0.baseAddress, $0.count) }
    }

    func check(_ status: OzuLabelStatus, file: String? = nil) throws(LabelError) {
      if status == .done { return }
      let reason = PrintableText.oneLine(characters.text)
      switch status {
      case .done: return
      case .unavailable: throw .unavailable(reason: reason)
      case .font: throw .fontNotFound(reason: (file.map { PrintableText.oneLine($0) + ": " } ?? "") + reason)
      case .markup: throw .invalid("markup", reason: reason)
      case .size: throw .invalid("text", reason: reason)
      }
    }
  }

  extension OzuLabelText {
    /// Everything but the texts.
    fileprivate init(_ label: Label) {
      self.init()
      size = label.size
      line_height = label.lineHeight
      outline = label.outline?.width ?? 0
      weight = Int32(clamping: label.weight)
      width = label.width.map { Int32(clamping: $0) } ?? -1
      line_limit = label.maximumLineCount.map { Int32(clamping: $0) } ?? 0
      is_italic = label.isItalic
      is_markup = label.isMarkup
      alignment =
        switch label.alignment {
        case .start: .start
        case .center: .center
        case .end: .end
        case .justify: .justify
        }
      ellipsis =
        switch label.ellipsis {
        case .none: .none
        case .start: .start
        case .middle: .middle
        case .end: .end
        }
      direction =
        switch label.direction {
        case .automatic: .automatic
        case .leftToRight: .leftToRight
        case .rightToLeft: .rightToLeft
        }
    }
  }

  extension ColorValue {
    /// 0xRRGGBBAA.
    fileprivate var number: UInt32 {
      UInt32(red) << 24 | UInt32(green) << 16 | UInt32(blue) << 8 | UInt32(alpha)
    }
  }

  private func withOptionalCString<Result>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
  ) -> Result {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
  }
#endif
