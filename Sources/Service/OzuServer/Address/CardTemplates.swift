public import Ozu
import OzuBase
import OzuImaging

/// The cards that a service draws: `card://NAME?title=Hello&photo=https://example.com/ada.jpg` in the place of a source is the
/// template with that name, with the values for its names.
///
/// Pictures in a card obey the rules for sources, those of its template too: `local://` addresses are for its logos. Buckets and
/// origins with credentials are not asked for them.
public struct CardTemplates: Sendable {
  static let scheme = "card"
  private static let ending = ".json"
  private static let largestByteCount = 1 << 20
  /// The most templates of a folder.
  private static let largestCount = 1000

  private let templates: [String: CanvasTemplate]

  /// Makes cards. Names are those of hosts: lower-case letters, digits and hyphens.
  ///
  /// - Throws: `AddressRulesError` for another name.
  public init(_ templates: [String: CanvasTemplate] = [:]) throws(AddressRulesError) {
    for name in templates.keys where !Self.isName(name) {
      throw AddressRulesError("\"\(name)\" cannot be the name of a card: a-z, 0-9 and - are possible")
    }
    self.templates = templates
  }

  /// Reads the files of a folder that end with `.json`, at most a megabyte each; the rest of their names are the names of the cards.
  ///
  /// - Throws: `AddressRulesError` that names the file.
  public init(folder: URL) throws(AddressRulesError) {
    var templates: [String: CanvasTemplate] = [:]
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
      for name in names where name.hasSuffix(Self.ending) && !name.hasPrefix(".") {
        guard templates.count < Self.largestCount else {
          throw AddressRulesError("there are more than \(Self.largestCount) templates")
        }
        do {
          let path = folder.appending(path: name).path(percentEncoded: false)
          let json = try FileReader.bytes(of: path, limit: Self.largestByteCount)
          templates[String(name.dropLast(Self.ending.count))] = try CanvasTemplate(json)
        } catch {
          throw AddressRulesError("\(PrintableText.oneLine(name)): \(error)")
        }
      }
    } catch let error as AddressRulesError {
      throw error
    } catch {
      throw AddressRulesError("the folder cannot be read: \(error.oneLine)")
    }
    try self.init(templates)
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 63 && LocalPath.isName(name)
  }

  /// Whether an address is one of a card, known or not.
  static func isCard(_ url: URL) -> Bool { url.scheme?.lowercased() == scheme }

  func has(_ url: URL) -> Bool { Self.isCard(url) && url.host().map { templates[$0] != nil } ?? false }

  /// The card that an address names.
  ///
  /// - Throws: `AddressRefusal`: 400 for values that do not fit, 403 for a picture that is not allowed.
  func canvas(_ url: URL, _ rules: AddressRules) throws(AddressRefusal) -> Canvas {
    guard let template = url.host().flatMap({ templates[$0] }) else {
      throw AddressRefusal(status: 403, reason: "this source is not allowed")
    }
    // The value would end there without a word.
    guard url.fragment() == nil else {
      throw AddressRefusal(status: 400, reason: "the card: a # in a value is written as %23")
    }
    var values: [String: String] = [:]
    for item in URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? [] {
      guard values.updateValue(item.value ?? "", forKey: item.name) == nil else {
        throw AddressRefusal(status: 400, reason: "the card: \(item.name) is there twice")
      }
    }
    var canvas: Canvas
    do throws(CanvasTemplate.Failure) {
      canvas = try template.canvas(values)
    } catch {
      throw AddressRefusal(status: 400, reason: "the card: \(error)")
    }
    guard max(canvas.size.width, canvas.size.height) <= rules.largestSide else {
      throw AddressRefusal(status: 400, reason: "the card: a side is more than \(rules.largestSide) pixels")
    }
    for index in canvas.elements.indices {
      switch canvas.elements[index] {
      case .picture(var frame, let placement):
        let source = try rules.source(frame.source)
        guard !Self.isCard(source) else {
          throw AddressRefusal(status: 400, reason: "the card: a card in a card is not drawn")
        }
        frame.source = source.absoluteString
        canvas.elements[index] = .picture(frame, placement)
      case .label(let label, _):
        // A value could name any file of the machine.
        if case .file = label.font {
          throw AddressRefusal(status: 400, reason: "the card: fonts are named by their family")
        }
      case .rectangle, .line: continue
      }
    }
    return canvas
  }
}
