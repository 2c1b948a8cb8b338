public import Foundation
public import OzuHTTP

/// What a service lets addresses ask for.
public struct AddressRules: Sendable {
  /// The keys of which one must have signed an address: the first signs new ones, the others are being replaced. Empty for
  /// none.
  public var keys: [AddressKey]
  /// Whether addresses without a right signature are read. Off by default: without it and without a key no address is.
  public var allowsUnsigned = false
  /// Whether addresses may name presets alone. Off by default.
  public var onlyPresets = false
  /// The beginnings of the addresses that sources may have, such as `https://*.example.com/images/`; `*` stands for any
  /// characters but slashes. Any `http` and `https` address by default.
  public var sources: [String] = []
  /// The largest density that `dpr` may ask for. 4.
  public var largestDensity = 4.0
  /// The largest side of a result, in pixels. 4,096.
  public var largestSide = 4096
  /// The compression quality where an address asks for none, 1 to 100. 80.
  public var quality = 80
  /// The output that is chosen by `Accept` where an address names none. On by default.
  public var negotiatesFormat = true
  /// Whether a client's word on its screen (`Sec-CH-DPR`, `Sec-CH-Width`) counts where an address says nothing. Off by
  /// default: each density is a variant in every cache.
  public var usesClientHints = false
  /// What the names of presets stand for.
  private(set) var presets: [String: [AddressOption]] = [:]

  /// Makes rules.
  public init(keys: [AddressKey] = []) { self.keys = keys }

  /// Defines a preset: options as they stand in an address, such as `rs:fill:320:240/q:70`. The one named `default` counts
  /// for every address.
  ///
  /// - Throws: `AddressRulesError` when the options are not right.
  public mutating func definePreset(_ name: String, _ options: String) throws(AddressRulesError) {
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

  /// Whether pictures may come from an address. Redirects are the client's to check: give `sourceRule` to it.
  public func allows(_ url: URL) -> Bool {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      url.host()?.isEmpty == false, url.user() == nil, url.password() == nil
    else { return false }
    return sourceRule.allows(url)
  }

  /// The same rule for a client, which checks it again at each redirect.
  public var sourceRule: HTTPHostRule { sources.isEmpty ? .any : .addresses(sources) }

  /// Whether anybody may make addresses.
  var isOpen: Bool { allowsUnsigned || !keys.isEmpty }
}

/// What is wrong with rules.
public struct AddressRulesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let description: String

  /// Makes an error.
  public init(_ description: String) { self.description = description }
}
