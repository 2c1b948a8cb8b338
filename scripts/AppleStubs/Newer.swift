// Members of the standard library that are newer than the deployment targets of Package.swift. This file is added to every module
// that is checked: a declaration of the module wins, and is deprecated, which is an error there. `ContiguousArray`, `Data` and
// buffers have a `span` on every system that Swift 6 has.

extension Array {
  @available(*, deprecated, message: "Array.span needs iOS 26")
  internal var span: Span<Element> { @_lifetime(borrow self) borrowing get { fatalError() } }
  @available(*, deprecated, message: "Array.mutableSpan needs iOS 26")
  internal var mutableSpan: MutableSpan<Element> { @_lifetime(&self) mutating get { fatalError() } }
}

extension ArraySlice {
  @available(*, deprecated, message: "ArraySlice.span needs iOS 26")
  internal var span: Span<Element> { @_lifetime(borrow self) borrowing get { fatalError() } }
  @available(*, deprecated, message: "ArraySlice.mutableSpan needs iOS 26")
  internal var mutableSpan: MutableSpan<Element> { @_lifetime(&self) mutating get { fatalError() } }
}

extension String {
  @available(*, deprecated, message: "String.utf8Span needs iOS 26")
  internal var utf8Span: UTF8Span { @_lifetime(borrow self) borrowing get { fatalError() } }
}

extension String.UTF8View {
  @available(*, deprecated, message: "String.UTF8View.span needs iOS 26")
  internal var span: Span<UInt8> { @_lifetime(borrow self) borrowing get { fatalError() } }
}
