import OzuBase
public import OzuHTTP
public import OzuImaging

/// The rules for addresses: the requests that a service accepts.
public struct AddressRules: Sendable {
  /// The keys that sign addresses. The first key signs new addresses; signatures of the others are accepted too, so
  /// that a key can be replaced. Empty for none.
  public var keys: [AddressKey]
  /// Whether addresses without a valid signature are accepted. Default: false; then, without a key, every address
  /// is refused.
  public var allowsUnsigned = false
  /// Whether addresses may use only presets. Default: false.
  public var onlyPresets = false
  /// The beginnings of the addresses that sources may have, such as `https://*.example.com/images/`; `*` stands for
  /// any characters except slashes. Default: any `http` and `https` address.
  public var sources: [String] = []
  /// The names of the folders that `local://` addresses may name: `LocalFolders.names`. Default: none.
  public var folders: Set<String> = []
  /// The buckets that `s3://` addresses may name, and the credentials of origins. Default: none. The pipeline needs the same
  /// value (`ImagePipeline.Configuration.use(_:)`).
  public var access = OriginAccess()
  /// The cards that `card://` addresses may name. Default: none.
  public var cards: CardTemplates?
  /// The address that a source without a scheme is relative to. Default: none.
  public var base: AddressRewrite?
  /// The beginnings of sources that stand for others; the first that matches is replaced, once. The rules apply to the result.
  /// Default: none.
  public var rewrites: [AddressRewrite] = []
  /// The largest value of `dpr`. Default: 4.
  public var largestDensity = 4.0
  /// The largest width and height that an address may ask for, in pixels. Margins are beside it, two opposite ones together no
  /// larger. Without a size a picture keeps its own. Default: 4,096.
  public var largestSide = 4096
  /// The compression quality if an address does not give one, 1 to 100. Default: 80.
  public var quality = 80
  /// The compression qualities of single formats, on the same scale, where they are not `quality`. Addresses change them by
  /// `format_quality`. Default: none.
  public var qualities: [ImageType: Int] = [:]
  /// Whether the output format depends on `Accept` if an address does not name one. Default: true.
  public var negotiatesFormat = true
  /// The formats that are written, beside JPEG and PNG. Empty, the default, for all.
  public var writtenTypes: Set<ImageType> = []
  /// How much time is taken to make files small. Default: low.
  public var effort = EncodingOptions.Effort.low
  /// The efforts for single formats, where they are not `effort`. Default: none.
  public var efforts: [ImageType: EncodingOptions.Effort] = [:]
  /// Whether the client hints `Sec-CH-DPR` and `Sec-CH-Width` are used if an address does not give these values.
  /// Default: false, because each density is a variant in every cache.
  public var usesClientHints = false
  /// The picture that the option `watermark` draws. Default: none, and the option is refused.
  public var watermark: WatermarkPicture?
  /// How the option `watermark_text` draws texts. Default: none, and the option is refused.
  public var watermarkText: WatermarkText?
  /// Whether the artist and the copyright of a source are written into results without its other metadata, if an address does
  /// not say so. Default: false.
  public var keepsCopyright = false
  /// Whether the option `raw` may have the bytes of a source sent as they are, with all their metadata. Default: true.
  public var allowsRaw = true
  /// Which facts about a source `/info/…` answers with. Default: all but EXIF data, IPTC-IIM and XMP.
  public var information = InformationDetail.picture
  /// The names of the options that addresses may have, long and short ones; those in presets are not checked. Empty, the
  /// default, for all.
  public var allowedOptions: Set<String> = []
  private(set) var presets: [String: [AddressOption]] = [:]

  /// Makes rules.
  public init(keys: [AddressKey] = []) { self.keys = keys }

  /// Defines a preset: options as they are written in an address, such as `rs:fill:320:240/q:70`. The preset named
  /// `default` applies to every address. A preset may name others that were defined before (`pr:thumb`).
  ///
  /// - Throws: `AddressRulesError` if the options are invalid.
  public mutating func definePreset(_ name: String, options: String) throws(AddressRulesError) {
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !":/@".utf8.contains($0) }) else {
      throw AddressRulesError("\"\(name)\" cannot be the name of a preset")
    }
    var list: [AddressOption] = []
    for option in options.split(separator: "/").map(AddressOption.init) {
      guard option.isPreset else {
        list.append(option)
        continue
      }
      for nested in option.arguments {
        guard let options = presets[nested] else {
          throw AddressRulesError("the preset \"\(name)\": \(option.text): it must be defined before")
        }
        list += options
      }
    }
    do throws(AddressRefusal) {
      var result = ImageOptions()
      for option in list { try result.apply(option, self) }
    } catch {
      throw AddressRulesError("the preset \"\(name)\": \(error.reason)")
    }
    presets[name] = list
  }

  /// Whether addresses of pictures have an option with a name, long or short.
  public static func hasOption(_ name: String) -> Bool {
    let option = AddressOption(name)
    if option.isPreset { return true }
    do throws(AddressRefusal) {
      var options = ImageOptions()
      try options.apply(option, AddressRules())
    } catch {
      return ![ImageOptions.unknownOption, ImageOptions.optionOfPro].map(option.refusal).contains(error)
    }
    return true
  }

  /// Whether pictures may come from an address. Redirects must be checked by the client: give it `sourceRule`.
  public func allows(_ url: URL) -> Bool {
    if let path = LocalPath(url) { return folders.contains(path.folder) }
    if access.buckets?.address(of: url) != nil || cards?.has(url) == true { return true }
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      url.host()?.isEmpty == false, url.user() == nil, url.password() == nil
    else { return false }
    return sourceRule.allows(url)
  }

  /// The same rule for a client, which checks it also at each redirect.
  public var sourceRule: HTTPHostRule { sources.isEmpty ? .any : .addresses(sources) }

  /// The source that a text in an address stands for.
  ///
  /// - Throws: `AddressRefusal`: 400 for a text that is no address, 403 for one that may not be asked.
  func source(_ text: String) throws(AddressRefusal) -> URL {
    let rewrite = rewrites.first { text.hasPrefix($0.beginning) } ?? (Self.hasScheme(text) ? nil : base)
    guard let source = URL(webAddress: rewrite?.applied(to: text) ?? text), source.scheme != nil else {
      throw AddressRefusal(status: 400, reason: "the source is not an address")
    }
    guard allows(source), rewrite?.leadsTo(source) != false else {
      throw AddressRefusal(status: 403, reason: "this source is not allowed")
    }
    return source
  }

  /// By bytes, in each request: a regular expression took 0.15 ms, as long as all the rest of the address.
  private static func hasScheme(_ text: String) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
    let name = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    return name.count < text.utf8.count && name.first.map(isLetter) == true
      && name.allSatisfy { isLetter($0) || 0x30...0x39 ~= $0 || "+-.".utf8.contains($0) }
  }

  func writes(_ type: ImageType) -> Bool {
    writtenTypes.isEmpty || writtenTypes.contains(type) || type == .jpeg || type == .png
  }

  /// The field `Accept` without the formats that are not written.
  func accepted(_ accept: String?) -> String? {
    guard negotiatesFormat, let accept, !writtenTypes.isEmpty else { return negotiatesFormat ? accept : nil }
    let refused = Set(ImageFormat.written.filter { !writes($0.type) }.flatMap(\.mediaTypes))
    return accept.split(separator: ",").filter { item in
      let type = item.prefix { $0 != ";" }.trimmed.lowercased()
      return !refused.contains(type)
    }.joined(separator: ",")
  }

  /// Whether any address can be accepted.
  var isOpen: Bool { allowsUnsigned || !keys.isEmpty }
}

/// A beginning of sources that stands for another one.
public struct AddressRewrite: Hashable, Sendable {
  /// The beginning in an address; empty for `AddressRules.base`.
  public let beginning: String
  /// The beginning of the source.
  public let replacement: String

  /// Makes a rewrite, such as `cats/` for `https://cdn.example/images/cats/`.
  ///
  /// - Parameter replacement: an address that ends with a slash, so that nothing behind it can change the host.
  /// - Throws: `AddressRulesError` for another replacement, and for one that no source can be below.
  public init(_ beginning: String = "", to replacement: String) throws(AddressRulesError) {
    guard replacement.hasSuffix("/"), let url = URL(string: replacement), let scheme = url.scheme,
      url.query() == nil
    else {
      throw AddressRulesError("\(replacement): an address that ends with a slash is needed")
    }
    // No rule ever allows an address with a login, so no picture would be found. It may be a password.
    guard url.user() == nil, url.password() == nil else {
      throw AddressRulesError("an address without a login is needed")
    }
    switch scheme.lowercased() {
    case "http", "https":
      guard url.host()?.isEmpty == false else { throw AddressRulesError("\(replacement): a host is needed") }
    case "local", "s3", CardTemplates.scheme: break
    default:
      throw AddressRulesError("\(replacement): http, https, local, s3 or card is needed before the colon")
    }
    self.beginning = beginning
    self.replacement = replacement
  }

  func applied(to text: String) -> String {
    replacement + text.dropFirst(beginning.count).drop { $0 == "/" }
  }

  /// Whether an address is below the replacement: `..` leads nowhere else.
  func leadsTo(_ source: URL) -> Bool {
    switch source.scheme?.lowercased() {
    case "http", "https": HTTPHostRule.addresses([replacement]).allows(source)
    // Their rules refuse `..` everywhere.
    default: true
    }
  }
}

/// An error in the rules.
public struct AddressRulesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The description of the error.
  public let description: String

  /// Makes an error.
  public init(_ description: String) { self.description = description }
}
