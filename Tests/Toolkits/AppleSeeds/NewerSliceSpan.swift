// Fails with: needs iOS 26
import OzuUIKit

func mistake(_ numbers: ArraySlice<Double>) -> Int { numbers.span.count }
