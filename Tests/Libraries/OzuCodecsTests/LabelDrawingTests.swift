#if SVG && os(Linux)
  import Foundation
  import OzuImaging
  import OzuStandardCodecs
  import OzuTesting
  import Testing

  private enum Fonts {
    static let exist = (try? CodecRegistry.standard.labelDrawing.draw(Label("x"))) != nil
  }

  /// Draws with whatever fonts the system has: what a script looks like is Pango's work, where it goes is checked here.
  @Suite("Labels that are drawn", .enabled(if: Fonts.exist, "no font is installed here"))
  struct LabelDrawingTests {
    private static let drawing = CodecRegistry.standard.labelDrawing

    private static let samples = [
      "The quick brown fox jumps over the lazy dog, and everything is fine",
      "Çà déjà naïve – “quoted” Ångström",
      "a\u{301}e\u{308}o\u{323}\u{302} Z\u{300}\u{301}\u{302}\u{303}\u{304} n\u{303}a\u{30A} x\u{489}",
      "مرحبا بالعالم هذا نص طويل لاختبار التفاف الأسطر", "שלום עולם זהו טקסט ארוך לבדיקת גלישת שורות",
      "नमस्ते दुनिया क्षत्रिय और श्री लंबा पाठ", "日本語の文章は単語の間に空白がないのでどこでも改行できます",
      "Hi \u{1F600} \u{1F44D}\u{1F3FD} \u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467} \u{1F1E9}\u{1F1EA} done",
      "Donaudampfschifffahrtsgesellschaftskapitän", "Hello שלום مرحبا 日本 नमस्ते world\nsecond\n\nfourth",
    ]

    private func label(_ text: String, width: Int? = nil, _ change: (inout Label) -> Void = { _ in }) -> Label
    {
      var label = Label(text, size: 20, width: width)
      change(&label)
      return label
    }

    /// The columns that have ink in some rows, as the first and the last.
    private func inkedColumns(_ bitmap: Bitmap, rows: Range<Int>) -> ClosedRange<Int>? {
      let inked = (0..<bitmap.size.width).filter { x in rows.contains { bitmap[x, $0].alpha > 64 } }
      guard let first = inked.first, let last = inked.last else { return nil }
      return first...last
    }

    /// The rows of the second of two lines.
    private func lowerHalf(_ bitmap: Bitmap) -> Range<Int> {
      bitmap.size.height / 2 + 2..<bitmap.size.height
    }

    @Test("no line is wider than asked, in any script, and the size is known before", arguments: samples)
    func wrapping(text: String) throws {
      for (width, alignment) in zip([40, 75, 130, 240], Label.Alignment.allCases) {
        let label = label(text, width: width) { $0.alignment = alignment }
        let picture = try Self.drawing.picture(of: label, context: DecodingContext())
        let (bitmap, notes) = (picture.bitmap, picture.notes)
        // A character may reach out of its line a little, and the boxes of one that no font has are wide.
        #expect(bitmap.size.width <= width + 10 || !notes.isEmpty, "\(width) \(alignment)")
        #expect(bitmap.size == (try Self.drawing.size(of: label)))
        #expect(inkedColumns(bitmap, rows: 0..<bitmap.size.height) != nil)
      }
    }

    @Test("more lines than allowed are cut off, with an ellipsis as if it had been typed")
    func lines() throws {
      let text = "one\ntwo\nthree"
      let two = label(text) { $0.maximumLineCount = 2 }
      #expect(try Self.drawing.draw(two) == Self.drawing.draw(label("one\ntwo")))
      let separated = label("one\u{2028}two") { $0.maximumLineCount = 1 }
      #expect(try Self.drawing.draw(separated) == Self.drawing.draw(label("one")))
      let marked = label(text) { ($0.maximumLineCount, $0.ellipsis) = (2, .end) }
      #expect(try Self.drawing.draw(marked) == Self.drawing.draw(label("one\ntwo…")))
      let all = label(text) { ($0.maximumLineCount, $0.ellipsis) = (3, .end) }
      #expect(try Self.drawing.draw(all) == Self.drawing.draw(label(text)))
      // Nothing is left out but empty lines.
      let ended = label("one\ntwo\r\n \u{2028}") { ($0.maximumLineCount, $0.ellipsis) = (2, .end) }
      #expect(try Self.drawing.draw(ended) == Self.drawing.draw(label("one\ntwo")))
      // Empty lines before the paragraph that is cut stay.
      for start in ["one\n\n", "one\r\n\r\n", "one\u{2028}\u{2029}", "\n\n"] {
        let cut = label(start + "two\nthree") { ($0.maximumLineCount, $0.ellipsis) = (3, .end) }
        let typed = label(start + "two…")
        #expect(try Self.drawing.size(of: cut).height == Self.drawing.size(of: typed).height, "\(start)")
      }
      let long = String(repeating: "word ", count: 60)
      for count in 1...4 {
        let size = try Self.drawing.size(
          of: label(long, width: 150) { ($0.maximumLineCount, $0.ellipsis) = (count, .end) })
        let expected = try Self.drawing.size(of: label(String(repeating: "\n", count: count - 1)))
        #expect(abs(size.height - expected.height) <= 1 && size.width <= 150)
      }
    }

    @Test(
      "an ellipsis at the start and in the middle keeps the other parts",
      arguments: [Label.Ellipsis.start, .middle])
    func ellipsis(_ ellipsis: Label.Ellipsis) throws {
      let text = "IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII"
      let bitmap = try Self.drawing.draw(
        label(text, width: 120) { ($0.maximumLineCount, $0.ellipsis) = (1, ellipsis) })
      let end = try Self.drawing.draw(
        label(text, width: 120) { ($0.maximumLineCount, $0.ellipsis) = (1, .end) })
      #expect(bitmap.size.width <= 120 && bitmap != end)
    }

    @Test("short lines lie at the start, in the middle and at the end of the longest")
    func alignment() throws {
      func place(_ alignment: Label.Alignment, _ text: String, _ direction: Label.Direction) throws -> Int {
        let bitmap = try Self.drawing.draw(
          label(text) { ($0.alignment, $0.direction) = (alignment, direction) })
        let columns = try #require(inkedColumns(bitmap, rows: lowerHalf(bitmap)))
        return (columns.lowerBound + columns.upperBound) * 100 / (2 * bitmap.size.width)
      }
      let latin = "MMMMMMMMMMMMMMMM\nM"
      #expect(try place(.start, latin, .automatic) < 10)
      #expect(try 45...55 ~= place(.center, latin, .automatic))
      #expect(try place(.end, latin, .automatic) > 90)
      #expect(try place(.start, latin, .rightToLeft) > 90)
      #expect(try place(.end, latin, .rightToLeft) < 10)
    }

    @Test(
      "Hebrew and Arabic begin on the right", arguments: ["שלום עולם שלום עולם\nש", "مرحبا بالعالم مرحبا\nم"])
    func direction(text: String) throws {
      let picture = try Self.drawing.picture(of: label(text), context: DecodingContext())
      guard picture.notes.isEmpty else {
        print("not checked, because no font here has the script: \(picture.notes)")
        return
      }
      let bitmap = picture.bitmap
      let columns = try #require(inkedColumns(bitmap, rows: lowerHalf(bitmap)))
      #expect(columns.lowerBound > bitmap.size.width / 2)
      let forced = try Self.drawing.draw(label(text) { $0.direction = .leftToRight })
      let left = try #require(inkedColumns(forced, rows: lowerHalf(forced)))
      #expect(left.upperBound < forced.size.width / 2)
    }

    @Test("a justified line reaches both sides, and the last one does not")
    func justification() throws {
      let bitmap = try Self.drawing.draw(
        label("a a a a a a a a a a a a a a a", width: 101) { $0.alignment = .justify })
      let whole = try #require(inkedColumns(bitmap, rows: 0..<bitmap.size.height / 2))
      #expect(bitmap.size.width >= 100 && whole.upperBound >= 97)
    }

    @Test("text is drawn as it is, and markup only when asked for")
    func markup() throws {
      let text = "<b>1 < 2 &amp; \"3\"</b>"
      let plain = try Self.drawing.draw(label(text))
      #expect(try Self.drawing.draw(label(Label.escaped(text)) { $0.isMarkup = true }) == plain)
      let bold = try Self.drawing.draw(label("<b>bold</b>") { $0.isMarkup = true })
      #expect(try bold == Self.drawing.draw(label("bold") { $0.weight = 700 }))
    }

    @Test(
      "hostile markup is refused",
      arguments: [
        "<b>", "<script>x</script>", "<span size='99999999'>x</span>", "<span font='Sans 90000'>x</span>",
        "<span letter_spacing='999999999'>x</span>", "<span rise='-999999999'>x</span>",
        "<span line_height='99999'>x</span>",
        String(repeating: "<big>", count: 40) + "x" + String(repeating: "</big>", count: 40),
        "&nope;", "<!DOCTYPE x [<!ENTITY a 'b'>]>&a;",
      ])
    func hostileMarkup(text: String) {
      do throws(LabelError) {
        _ = try Self.drawing.draw(label(text) { $0.isMarkup = true })
        Issue.record("it was drawn")
      } catch {
        guard case .invalid("markup", _) = error else {
          Issue.record("\(error)")
          return
        }
      }
    }

    @Test("a font that is not there is named, and a list with a generic family always has one")
    func missingFont() throws {
      do throws(LabelError) {
        _ = try Self.drawing.draw(label("x") { $0.font = .family("Nowhere Grotesk, 'Elsewhere'") })
        Issue.record("it was drawn")
      } catch {
        guard case .fontNotFound(let reason) = error else { throw error }
        #expect(reason.hasPrefix("none of the families Nowhere Grotesk, Elsewhere is installed"))
      }
      _ = try Self.drawing.draw(label("x") { $0.font = .family("Nowhere Grotesk, sans-serif") })
      for path in ["/nowhere/a.ttf", "/etc", "/etc/passwd"] {
        do throws(LabelError) {
          _ = try Self.drawing.draw(label("x") { $0.font = .file(path) })
          Issue.record("it was drawn")
        } catch {
          guard case .fontNotFound(let reason) = error else { throw error }
          #expect(reason.hasPrefix(path + ": the file"))
        }
      }
    }

    @Test("a font file is drawn by its path, and lends its name to nobody")
    func fontFile() throws {
      let files =
        FileManager.default.enumerator(atPath: "/usr/share/fonts")?.compactMap { $0 as? String } ?? []
      let regular = files.filter { $0.hasSuffix(".ttf") }
      guard let serif = regular.first(where: { $0.contains("Serif") }),
        let other = regular.first(where: { $0 != serif })
      else {
        print("not checked, because there are no two font files here")
        return
      }
      let bitmaps = try [serif, other, serif].map { path in
        try Self.drawing.draw(label("Hamburgefonstiv 0123") { $0.font = .file("/usr/share/fonts/" + path) })
      }
      #expect(bitmaps[0] == bitmaps[2])
      #expect(bitmaps[0] != bitmaps[1])
      #expect(throws: LabelError.self) {
        try Self.drawing.draw(label("x") { $0.font = .family("ozu-font-file") })
      }
    }

    @Test("outline, background and shadow are drawn around and below the text")
    func decoration() throws {
      let plain = try Self.drawing.size(of: label("HHH"))
      let outlined = try Self.drawing.size(
        of: label("HHH") { $0.outline = Label.Outline(width: 8, color: .white) })
      #expect(outlined.width > plain.width + 8)
      let green = ColorValue(red: 0, green: 255, blue: 0)
      let boxed = label("HHH") {
        $0.background = Label.Background(color: green, padding: 10, cornerRadius: 8)
      }
      let bitmap = try Self.drawing.draw(boxed)
      #expect(bitmap.size == PixelSize(plain.width + 20, plain.height + 20))
      #expect(bitmap[0, 0].alpha == 0)
      #expect(bitmap[2, bitmap.size.height / 2] == Pixel(red: 0, green: 255, blue: 0))
      var shaded = boxed
      shaded.shadow = Label.Shadow(x: 30, y: 0, color: ColorValue(red: 255, green: 0, blue: 0))
      let shadow = try Self.drawing.draw(shaded)
      #expect(shadow.size == PixelSize(bitmap.size.width + 30, bitmap.size.height))
      #expect(shadow[shadow.size.width - 4, shadow.size.height / 2] == Pixel(red: 255, green: 0, blue: 0))
      #expect(shadow[2, shadow.size.height / 2] == Pixel(red: 0, green: 255, blue: 0))
    }

    @Test("an outline lies outside of characters that are not opaque too")
    func hollow() throws {
      let bitmap = try Self.drawing.draw(
        label("H") {
          ($0.size, $0.color, $0.outline) = (200, .clear, Label.Outline(width: 4, color: .black))
        })
      // Two stems with a line at both sides of each.
      let row = bitmap.size.height * 3 / 8
      let inked = (0..<bitmap.size.width).filter { bitmap[$0, row].alpha > 128 }.count
      #expect(13...19 ~= inked)
    }

    @Test("the height of lines is a multiple of the font's")
    func lineHeight() throws {
      func height(_ factor: Double) throws -> Int {
        try Self.drawing.size(of: label("a\na\na\na") { $0.lineHeight = factor }).height
      }
      let (one, two) = (try height(1), try height(2))
      #expect(abs(two - 2 * one) <= 4)
    }

    @Test("characters that no font has are noted, and so is a label without text")
    func notes() throws {
      func notes(_ text: String) throws -> [String] {
        try Self.drawing.picture(of: label(text), context: DecodingContext()).notes
      }
      #expect(try notes("abc").isEmpty)
      #expect(try notes("a\u{10FFFD}") == ["1 character has no glyph in any font here: U+10FFFD"])
      #expect(try notes("") == ["the label has no text"])
      #expect(try notes(" \n\u{3000}") == ["the label has no text"])
    }

    @Test("a label that is too large is refused before memory is taken")
    func limits() throws {
      let label = label(String(repeating: "MMMMMMMMMM", count: 20), width: nil) { $0.size = 200 }
      do throws(LabelError) {
        _ = try Self.drawing.draw(label)
        Issue.record("it was drawn")
      } catch {
        guard case .limitExceeded(let violation) = error else { throw error }
        #expect(violation.quantity == .side && violation.limit == 32_767)
      }
      let small = DecodingContext(limits: DecodingLimits(decodedByteCount: 10_000))
      #expect(throws: LabelError.self) {
        try Self.drawing.picture(of: self.label("some words that take more"), context: small)
      }
    }

    @Test("the document of a label is no file that can be read")
    func document() throws {
      let data = try LabelDocument.data(label("x"))
      #expect(
        throws: ImageDecodingError.unsupportedType(
          .label, reason: "a label is drawn from its value, not from a file")
      ) {
        try CodecRegistry.standard.picture(from: data)
      }
    }

    @Test("any values give a bitmap or an error")
    func anything() {
      var random = SeededGenerator(seed: 54)
      for _ in 0..<20 {
        var label = Label("", size: .random(in: 1...60, using: &random))
        let scalars = (0..<Int.random(in: 0...30, using: &random)).compactMap { _ in
          Unicode.Scalar(
            UInt32.random(in: 1...(Bool.random(using: &random) ? 0x3FF : 0x1_FFFF), using: &random))
        }
        label.text.unicodeScalars.append(contentsOf: scalars)
        label.width = Bool.random(using: &random) ? .random(in: 1...300, using: &random) : nil
        label.maximumLineCount = Bool.random(using: &random) ? .random(in: 1...3, using: &random) : nil
        label.ellipsis = Label.Ellipsis.allCases.randomElement(using: &random) ?? .none
        label.alignment = Label.Alignment.allCases.randomElement(using: &random) ?? .start
        label.direction = Label.Direction.allCases.randomElement(using: &random) ?? .automatic
        label.isMarkup = Int.random(in: 0...4, using: &random) == 0
        label.lineHeight = .random(in: 0.25...3, using: &random)
        guard let bitmap = try? Self.drawing.draw(label) else { continue }
        #expect(bitmap.size == (try? Self.drawing.size(of: label)))
      }
    }
  }
#endif
