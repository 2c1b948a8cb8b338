// Members of the standard library that are newer than the deployment targets of Package.swift. This file is added to every module
// that is checked: the more special declaration wins, and is deprecated, which is an error there. `ContiguousArray`, `Data` and
// buffers have a `span` on every system that Swift 6 has.

extension Array where Element == UInt8 {
  @available(*, deprecated, message: "Array.span needs iOS 26")
  internal var span: Span<UInt8> { @_lifetime(borrow self) borrowing get { fatalError() } }
  @available(*, deprecated, message: "Array.mutableSpan needs iOS 26")
  internal var mutableSpan: MutableSpan<UInt8> { @_lifetime(&self) mutating get { fatalError() } }
}

extension Array where Element == Int16 {
  @available(*, deprecated, message: "Array.span needs iOS 26")
  internal var span: Span<Int16> { @_lifetime(borrow self) borrowing get { fatalError() } }
}

extension Array where Element == UInt16 {
  @available(*, deprecated, message: "Array.span needs iOS 26")
  internal var span: Span<UInt16> { @_lifetime(borrow self) borrowing get { fatalError() } }
}

extension Array where Element == UInt32 {
  @available(*, deprecated, message: "Array.span needs iOS 26")
  internal var span: Span<UInt32> { @_lifetime(borrow self) borrowing get { fatalError() } }
}

extension Array where Element == Int {
  @available(*, deprecated, message: "Array.span needs iOS 26")
  internal var span: Span<Int> { @_lifetime(borrow self) borrowing get { fatalError() } }
}

extension String {
  @available(*, deprecated, message: "String.utf8Span needs iOS 26")
  internal var utf8Span: UTF8Span { @_lifetime(borrow self) borrowing get { fatalError() } }
}
