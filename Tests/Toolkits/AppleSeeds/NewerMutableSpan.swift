// Fails with: needs iOS 26
import OzuUIKit

func mistake(_ bytes: inout [UInt8]) {
  var span = bytes.mutableSpan
  span[0] = 1
}
