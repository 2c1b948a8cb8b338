// In place of OzuImaging's CoreFoundationBridging+CoreGraphics.swift, whose casts exist on Apple platforms alone.

@_spi(StandIn) import CoreGraphics
import Foundation

extension String {
  package init(_ text: CFString) { self = text.text }
  package var coreFoundation: CFString { CFString(self) }
}

extension Data {
  package init(_ data: CFData) { self = data.data }
  package var coreFoundation: CFData { CFData(self) }
}

extension NSMutableData {
  package var coreFoundation: CFMutableData { CFMutableData(Data(referencing: self)) }
}

extension [CFString: Any] {
  package var coreFoundation: CFDictionary {
    CFDictionary([String: Any](uniqueKeysWithValues: map { (String($0), $1) }))
  }
}

extension [String: Any] {
  package init(_ dictionary: CFDictionary) { self = dictionary.values }
}

extension [String] {
  package init(_ list: CFArray) { self = list.elements }
}
