// In place of OzuImaging's CoreFoundationBridging+CoreGraphics.swift, whose casts exist on Apple platforms alone.

import CoreGraphics
import Foundation

extension String {
  package init(_ text: CFString) { fatalError() }
  package var coreFoundation: CFString { fatalError() }
}

extension Data {
  package init(_ data: CFData) { fatalError() }
  package var coreFoundation: CFData { fatalError() }
}

extension NSMutableData {
  package var coreFoundation: CFMutableData { fatalError() }
}

extension [CFString: Any] {
  package var coreFoundation: CFDictionary { fatalError() }
}

extension [String: Any] {
  package init(_ dictionary: CFDictionary) { fatalError() }
}

extension [String] {
  package init(_ list: CFArray) { fatalError() }
}
