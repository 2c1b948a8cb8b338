public import Foundation
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
  /// The largest value of `dpr`. Default: 4.
  public var largestDensity = 4.0
  /// The largest width and height of a result, in pixels. Default: 4,096.
  public var largestSide = 4096
  /// The compression quality if an address does not give one, 1 to 100. Default: 80.
  public var quality = 80
  /// The compression qualities of single formats, on the same scale, where they are not `quality`. Addresses change them by
  /// `format_quality`. Default: none.
  public var qualities: [ImageType: Int] = [:]
  /// Whether the output format depends on `Accept` if an address does not name one. Default: true.
  public var negotiatesFormat = true
  /// Whether the client hints `Sec-CH-DPR` and `Sec-CH-Width` are used if an address does not give these values.
  /// Default: false, because each density is a variant in every cache.
  public var usesClientHints = false
  /// The options of each preset.
  private(set) var presets: [String: [AddressOption]] = [:]

  /// Makes rules.
  public init(keys: [AddressKey] = []) { self.keys = keys }

  /// Defines a preset: options as they are written in an address, such as `rs:fill:320:240/q:70`. The preset named
  /// `default` applies to every address.
  ///
  /// - Throws: `AddressRulesError` if the options are invalid.
  public mutating func definePreset(_ name: String, options: String) throws(AddressRulesError) {
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !":/@".utf8.contains($0) }) else {
      throw AddressRulesError("\"\(name)\" cannot be the name of a preset")
    }
    let list = options.split(separator: "/").map(AddressOption.init)
    if let nested = list.first(where: { $0.isPreset }) {
      throw AddressRulesError("the preset \"\(name)\" names another preset: \(nested.text)")
    }
    do throws(AddressRefusal) {
      var result = ImageOptions()
      for option in list { try result.apply(option, self) }
    } catch {
      throw AddressRulesError("the preset \"\(name)\": \(error.reason)")
    }
    presets[name] = list
  }

  /// Whether pictures may come from an address. Redirects must be checked by the client: give it `sourceRule`.
  public func allows(_ url: URL) -> Bool {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      url.host()?.isEmpty == false, url.user() == nil, url.password() == nil
    else { return false }
    return sourceRule.allows(url)
  }

  /// The same rule for a client, which checks it also at each redirect.
  public var sourceRule: HTTPHostRule { sources.isEmpty ? .any : .addresses(sources) }

  /// Whether any address can be accepted.
  var isOpen: Bool { allowsUnsigned || !keys.isEmpty }
}

/// An error in the rules.
public struct AddressRulesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The description of the error.
  public let description: String

  /// Makes an error.
  public init(_ description: String) { self.description = description }
}
