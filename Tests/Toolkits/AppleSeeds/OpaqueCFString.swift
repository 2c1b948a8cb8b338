// Fails with: cannot convert value of type 'String' to
import CoreGraphics
import OzuUIKit

func mistake(_ name: String) -> CGColorSpace? { CGColorSpace(name: name as CFString) }
