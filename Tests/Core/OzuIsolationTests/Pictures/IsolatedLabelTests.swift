#if os(Linux)
  import Foundation
  import OzuImaging
  import OzuStandardCodecs
  import OzuTesting
  import Testing

  @testable import OzuIsolation

  /// Draws labels in real worker processes, and compares with this process.
  @Suite("Labels that are drawn in processes of their own")
  struct IsolatedLabelTests {
    private static func codecs(
      _ mode: DecoderIsolation.Mode = .preferred, fontFolders: [String] = [], domain: String = #function
    ) throws -> (CodecRegistry, IsolationReport) {
      var codecs = CodecRegistry.standard
      let helper = DecoderIsolation.Helper.program(try builtProgram("ozu-decode").path)
      var settings = DecoderIsolation(mode, helper: helper, processLimit: 1, domain: domain)
      settings.fontFolders = fontFolders
      settings.onDegradation = { Issue.record("not isolated: \($0)") }
      let report = codecs.isolate(settings)
      return (codecs, try #require(report))
    }

    private static var canDraw: Bool { (try? CodecRegistry.standard.labelDrawing.draw(Label("x"))) != nil }

    @Test("a label has the same pixels, notes and errors as in this process")
    func same() throws {
      guard Self.canDraw else { return print("not checked: no labels are drawn here") }
      let here = CodecRegistry.standard.labelDrawing
      let (codecs, report) = try Self.codecs()
      var label = Label("Hello, שלום! \u{10FFFD}\nanother line", size: 24, width: 120)
      label.shadow = Label.Shadow(x: 2, y: 2, blur: 2, color: .black)
      label.background = Label.Background(color: .white, padding: 6, cornerRadius: 4)
      let isolated = try codecs.labelDrawing.picture(of: label, context: DecodingContext())
      let local = try here.picture(of: label, context: DecodingContext())
      #expect(isolated.bitmap == local.bitmap)
      #expect(isolated.notes == local.notes && !isolated.notes.isEmpty)
      #expect(isolated.isIsolated && !local.isIsolated)
      #expect(try codecs.labelDrawing.size(of: label) == local.size)
      #expect(report.status.answerCount >= 2 && report.status.degradation == nil)

      var wrong = Label("<b>")
      wrong.isMarkup = true
      let missing = Label("x", font: .family("Nowhere Grotesk"))
      for label in [wrong, missing, Label("x", size: .nan)] {
        let errors = [here, codecs.labelDrawing].map { drawing in
          do throws(LabelError) {
            _ = try drawing.draw(label)
            return LabelError?.none
          } catch {
            return error
          }
        }
        #expect(errors[0] != nil && errors[0] == errors[1])
      }
    }

    @Test("a font file is read in isolation only from the folders of the settings")
    func fontFolders() throws {
      let fonts =
        FileManager.default.enumerator(atPath: "/usr/share/fonts")?.compactMap { $0 as? String } ?? []
      guard Self.canDraw, let font = fonts.first(where: { $0.hasSuffix(".ttf") }) else {
        return print("not checked: there is no font file here")
      }
      let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-fonts-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let copy = folder.appending(path: "own.ttf")
      try FileManager.default.copyItem(at: URL(filePath: "/usr/share/fonts/" + font), to: copy)
      let label = Label("Own", font: .file(copy.path(percentEncoded: false)), size: 30)
      let (closed, _) = try Self.codecs()
      do throws(LabelError) {
        _ = try closed.labelDrawing.draw(label)
        // With a sanitizer, workers have no restrictions.
      } catch {
        guard case .fontNotFound = error else { throw error }
      }
      let (open, _) = try Self.codecs(fontFolders: [folder.path(percentEncoded: false)], domain: "open")
      #expect(try open.labelDrawing.draw(label) == CodecRegistry.standard.labelDrawing.draw(label))
    }

    @Test("without a helper, required isolation draws nothing, and preferred draws here")
    func degradation() throws {
      guard Self.canDraw else { return print("not checked: no labels are drawn here") }
      for mode in [DecoderIsolation.Mode.required, .preferred] {
        var codecs = CodecRegistry.standard
        var settings = DecoderIsolation(mode, helper: .program("/nowhere"), domain: #function)
        settings.onDegradation = { _ in }
        _ = codecs.isolate(settings)
        if mode == .required {
          #expect(throws: LabelError.self) { try codecs.labelDrawing.draw(Label("x")) }
        } else {
          #expect(
            try codecs.labelDrawing.draw(Label("x")) == CodecRegistry.standard.labelDrawing.draw(Label("x")))
        }
      }
    }
  }
#endif
