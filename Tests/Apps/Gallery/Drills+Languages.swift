#if GTK
  import CGTK
  import Foundation
  import OzuGTK
  import OzuGallery

  extension Drills {
    /// The gallery in its languages, each in a process of its own: `--help`, and with `--screenshots` the windows.
    func languages() async throws {
      let checks = Checks()
      for (environment, code) in [
        (["LANG": "de_AT.UTF-8"], "de"), (["LANG": "C.UTF-8", "LANGUAGE": "fr"], nil),
        (["LANG": "en_GB.UTF-8", "LANGUAGE": "nl:es:de"], "es"), (["LC_ALL": "en_US", "LANG": "de_DE"], nil),
        (["LANG": "de_DE.UTF-8", "LANGUAGE": "en:de"], nil), ([:], nil),
      ] as [([String: String], String?)] {
        checks.equal(Texts.code(in: environment), code, "the language of \(environment)")
      }
      let mixed = ["LANG": "en_US.UTF-8", "LC_TIME": "de_DE.UTF-8@euro", "LC_NUMERIC": "C"]
      checks.equal(Texts.userLocale("LC_TIME", in: mixed).identifier, "de_DE", "the locale of dates")
      checks.equal(Texts.userLocale("LC_NUMERIC", in: mixed).identifier, "en_US", "the locale of numbers")
      for (code, language) in Texts.all.sorted(by: { $0.key < $1.key }) {
        for (text, translation) in language.table {
          let values = { (text: String) in (1...3).filter { text.contains("%\($0)") } }
          checks.equal(values(translation), values(text), "the values of “\(text)” in \(code)")
        }
        checks.equal(
          Set(language.table.keys), Set(Texts.all["de"]?.table.keys ?? [:].keys), "the texts in \(code)")
        for title in ["Main menu", "Straighten"] {
          checks.expect(language.table[title] != nil, "“\(title)” in \(code)")
        }
      }
      let gallery = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "ozu-gallery")
      guard FileManager.default.isExecutableFile(atPath: gallery.path(percentEncoded: false)) else {
        return output.add("languages", checks, detail: "without the gallery, which is not built")
      }
      for (arguments, language, line, status) in [
        (["--help"], "C", "Usage: ozu-gallery [FOLDER | PICTURE… | FILE]", 0),
        (["--help"], "de_DE.UTF-8", "Aufruf: ozu-gallery [ORDNER | BILD … | DATEI]", 0),
        (["--version"], "fr_FR.UTF-8", "ozu-gallery \(Gallery.version)", 0), (["--nothing"], "C", "", 2),
      ] as [([String], String, String, Int32)] {
        let (process, output) = try Self.start(gallery, arguments, ["LC_ALL": language])
        let text = Self.line(output)
        process.waitUntilExit()
        checks.equal(text, line, "the first line of \(arguments) in \(language)")
        checks.equal(process.terminationStatus, status, "its status")
      }
      output.add("languages", checks, detail: "German, French and Spanish, chosen as gettext does")
    }
  }
#endif
