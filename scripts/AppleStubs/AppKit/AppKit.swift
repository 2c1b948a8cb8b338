// Views and pictures of the Mac. `NSImage` is not Sendable.

@_exported import CoreGraphics
@_exported import Foundation
@_exported import QuartzCore

@MainActor open class NSResponder: NSObject {}

open class NSImage: NSObject {
  public typealias Name = String
  public init?(named name: NSImage.Name) { fatalError() }
  public init(cgImage: CGImage, size: NSSize) { fatalError() }
  open var size: NSSize { fatalError() }
}

@MainActor open class NSLayoutConstraint: NSObject {
  public struct Priority: Hashable, RawRepresentable, Sendable {
    public let rawValue: Float
    public init(rawValue: Float) { self.rawValue = rawValue }
  }

  open var priority: NSLayoutConstraint.Priority {
    get { fatalError() }
    set { fatalError() }
  }
  open class func activate(_ constraints: [NSLayoutConstraint]) { fatalError() }
  open class func deactivate(_ constraints: [NSLayoutConstraint]) { fatalError() }
}

@MainActor open class NSLayoutDimension: NSObject {
  open func constraint(equalToConstant c: CGFloat) -> NSLayoutConstraint { fatalError() }
}

@MainActor open class NSScreen: NSObject {
  public class var main: NSScreen? { fatalError() }
  open var backingScaleFactor: CGFloat { fatalError() }
}

@MainActor open class NSWindow: NSResponder {
  public struct OcclusionState: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var visible: NSWindow.OcclusionState { fatalError() }
  }

  open var occlusionState: NSWindow.OcclusionState { fatalError() }
  open var backingScaleFactor: CGFloat { fatalError() }
}

@MainActor open class NSApplication: NSResponder {
  nonisolated public class var didHideNotification: NSNotification.Name { fatalError() }
  nonisolated public class var didUnhideNotification: NSNotification.Name { fatalError() }
}

open class NSWorkspace: NSObject {
  @MainActor public class var shared: NSWorkspace { fatalError() }
  public class var accessibilityDisplayOptionsDidChangeNotification: NSNotification.Name { fatalError() }
  @MainActor open var notificationCenter: NotificationCenter { fatalError() }
  @MainActor open var accessibilityDisplayShouldReduceMotion: Bool { fatalError() }
}

@MainActor open class NSView: NSResponder {
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var width: AutoresizingMask { fatalError() }
    public static var height: AutoresizingMask { fatalError() }
  }

  public init(frame frameRect: NSRect) { fatalError() }
  public required init?(coder: NSCoder) { fatalError() }

  open var bounds: NSRect {
    get { fatalError() }
    set { fatalError() }
  }
  open var window: NSWindow? { fatalError() }
  open var isHiddenOrHasHiddenAncestor: Bool { fatalError() }
  open var autoresizingMask: NSView.AutoresizingMask {
    get { fatalError() }
    set { fatalError() }
  }
  open var wantsLayer: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  open var isHidden: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  open var needsLayout: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  open var translatesAutoresizingMaskIntoConstraints: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  open var widthAnchor: NSLayoutDimension { fatalError() }
  open var heightAnchor: NSLayoutDimension { fatalError() }
  open var layer: CALayer? {
    get { fatalError() }
    set { fatalError() }
  }

  open func addSubview(_ view: NSView) { fatalError() }
  open func setFrameSize(_ newSize: NSSize) { fatalError() }
  open func layout() { fatalError() }
  open func hitTest(_ point: NSPoint) -> NSView? { fatalError() }
  open func viewDidMoveToWindow() { fatalError() }
  open func viewDidHide() { fatalError() }
  open func viewDidUnhide() { fatalError() }
  open func viewDidChangeBackingProperties() { fatalError() }
}

@MainActor open class NSControl: NSView {}

public enum NSImageScaling: UInt, Sendable {
  case scaleProportionallyDown
  case scaleAxesIndependently
  case scaleNone
  case scaleProportionallyUpOrDown
}

@MainActor open class NSImageView: NSControl {
  open var image: NSImage? {
    get { fatalError() }
    set { fatalError() }
  }
  open var imageScaling: NSImageScaling {
    get { fatalError() }
    set { fatalError() }
  }
}

@MainActor open class NSButton: NSControl {
  open var image: NSImage? {
    get { fatalError() }
    set { fatalError() }
  }
  open var alternateImage: NSImage? {
    get { fatalError() }
    set { fatalError() }
  }
  open var imageScaling: NSImageScaling {
    get { fatalError() }
    set { fatalError() }
  }
}
