#if canImport(CoreGraphics)
  import CoreGraphics
  import Foundation

  // Values of Core Foundation and of Swift. Casts with `as` between them exist on Apple platforms alone, so they stand in this
  // file and nowhere else: `make typecheck-apple` has `scripts/AppleStubs/Bridging.swift` in its place, with the same
  // declarations.

  extension String {
    package init(_ text: CFString) { self = text as String }
    package var coreFoundation: CFString { self as CFString }
  }

  extension Data {
    package init(_ data: CFData) { self = data as Data }
    package var coreFoundation: CFData { self as CFData }
  }

  extension NSMutableData {
    package var coreFoundation: CFMutableData { self as CFMutableData }
  }

  extension [CFString: Any] {
    package var coreFoundation: CFDictionary { self as CFDictionary }
  }

  extension [String: Any] {
    /// Empty if a key is no string.
    package init(_ dictionary: CFDictionary) { self = dictionary as? [String: Any] ?? [:] }
  }

  extension [String] {
    /// Empty if an element is no string.
    package init(_ list: CFArray) { self = list as? [String] ?? [] }
  }
#endif
