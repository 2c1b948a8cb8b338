// Fails with: needs iOS 26
import OzuUIKit

func mistake(_ bytes: [UInt8]) -> Int { bytes.span.count }
