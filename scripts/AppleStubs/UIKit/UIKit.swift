// Views, pictures and the application. Everything that draws is the main actor's; `UIImage` is Sendable.

@_exported import CoreGraphics
@_exported import Foundation

// Classes of Objective-C begin without an initialiser of their own here, so that those below can be isolated.
@MainActor open class UIResponder: NSObject {}

extension ProcessInfo {
  public func performExpiringActivity(
    withReason reason: String, using block: @escaping @Sendable (_ expired: Bool) -> Void
  ) {
    fatalError()
  }
}

open class UIImage: NSObject, @unchecked Sendable {
  public enum Orientation: Int, Sendable {
    case up
    case down
    case left
    case right
    case upMirrored
    case downMirrored
    case leftMirrored
    case rightMirrored
  }

  public init?(named name: String) { fatalError() }
  public init?(systemName name: String) { fatalError() }
  public init(cgImage: CGImage) { fatalError() }
  public init(cgImage: CGImage, scale: CGFloat, orientation: UIImage.Orientation) { fatalError() }

  open var cgImage: CGImage? { fatalError() }
  open var size: CGSize { fatalError() }
  open var scale: CGFloat { fatalError() }
  open var imageOrientation: UIImage.Orientation { fatalError() }
}

public struct UIEdgeInsets: Sendable {
  public var top: CGFloat
  public var left: CGFloat
  public var bottom: CGFloat
  public var right: CGFloat
}

public struct NSDirectionalEdgeInsets: Sendable {
  public var top: CGFloat
  public var leading: CGFloat
  public var bottom: CGFloat
  public var trailing: CGFloat
}

// tvOS has no colours for backgrounds.
open class UIColor: NSObject, @unchecked Sendable {
  #if !OZU_CHECK_TVOS
    public class var systemBackground: UIColor { fatalError() }
    public class var secondarySystemBackground: UIColor { fatalError() }
  #endif
}

// Not on visionOS, where a view has no screen.
#if !OZU_CHECK_VISIONOS
  @MainActor open class UIScreen: NSObject {
    public class var main: UIScreen { fatalError() }
    open var scale: CGFloat { fatalError() }
  }
#endif

public struct UILayoutPriority: Hashable, RawRepresentable, Sendable {
  public let rawValue: Float
  public init(rawValue: Float) { self.rawValue = rawValue }
}

@MainActor open class NSLayoutConstraint: NSObject {
  open var priority: UILayoutPriority {
    get { fatalError() }
    set { fatalError() }
  }
  open class func activate(_ constraints: [NSLayoutConstraint]) { fatalError() }
  open class func deactivate(_ constraints: [NSLayoutConstraint]) { fatalError() }
}

@MainActor open class NSLayoutDimension: NSObject {
  open func constraint(equalToConstant c: CGFloat) -> NSLayoutConstraint { fatalError() }
}

public protocol UITraitDefinition {}
public typealias UITrait = any UITraitDefinition.Type
public struct UITraitDisplayScale: UITraitDefinition {}

@MainActor public protocol UITraitEnvironment: NSObjectProtocol {}
public protocol UITraitChangeRegistration: NSObjectProtocol {}

extension UIView: UITraitEnvironment {
  public typealias TraitChangeHandler<TraitEnvironment> = (TraitEnvironment, UITraitCollection) -> Void
  @discardableResult
  public func registerForTraitChanges<Self>(
    _ traits: [UITrait], handler: @escaping UIView.TraitChangeHandler<Self>
  ) -> any UITraitChangeRegistration where Self: UITraitEnvironment {
    fatalError()
  }
}

open class UITraitCollection: NSObject, @unchecked Sendable {
  open var displayScale: CGFloat { fatalError() }
}

@MainActor open class UIApplication: UIResponder {
  nonisolated public class var didReceiveMemoryWarningNotification: NSNotification.Name { fatalError() }
  nonisolated public class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
  nonisolated public class var willEnterForegroundNotification: NSNotification.Name { fatalError() }
}

// Swift sees the functions and constants of this name as members. The documentation isolates the setting, and not the name.
public enum UIAccessibility {
  @MainActor public static var isReduceMotionEnabled: Bool { fatalError() }
  public static var reduceMotionStatusDidChangeNotification: NSNotification.Name { fatalError() }
}

@MainActor open class UIWindow: UIView {}

@MainActor open class UIView: UIResponder {
  public enum ContentMode: Int, Sendable {
    case scaleToFill
    case scaleAspectFit
    case scaleAspectFill
    case redraw
    case center
    case top
    case bottom
    case left
    case right
    case topLeft
    case topRight
    case bottomLeft
    case bottomRight
  }

  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var flexibleWidth: AutoresizingMask { fatalError() }
    public static var flexibleHeight: AutoresizingMask { fatalError() }
  }

  public struct AnimationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var allowUserInteraction: AnimationOptions { fatalError() }
    public static var transitionCrossDissolve: AnimationOptions { fatalError() }
  }

  public init(frame: CGRect) { fatalError() }
  public required init?(coder: NSCoder) { fatalError() }

  open var frame: CGRect {
    get { fatalError() }
    set { fatalError() }
  }
  open var bounds: CGRect {
    get { fatalError() }
    set { fatalError() }
  }
  open var contentMode: UIView.ContentMode {
    get { fatalError() }
    set { fatalError() }
  }
  open var window: UIWindow? { fatalError() }
  open var autoresizingMask: UIView.AutoresizingMask {
    get { fatalError() }
    set { fatalError() }
  }
  open var isUserInteractionEnabled: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  open var isAccessibilityElement: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  open var backgroundColor: UIColor? {
    get { fatalError() }
    set { fatalError() }
  }
  open var isHidden: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  open var clipsToBounds: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  open var translatesAutoresizingMaskIntoConstraints: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  open var traitCollection: UITraitCollection { fatalError() }
  open var widthAnchor: NSLayoutDimension { fatalError() }
  open var heightAnchor: NSLayoutDimension { fatalError() }

  open func addSubview(_ view: UIView) { fatalError() }
  open func insertSubview(_ view: UIView, at index: Int) { fatalError() }
  open func layoutSubviews() { fatalError() }
  open func didMoveToWindow() { fatalError() }

  open class func transition(
    with view: UIView, duration: TimeInterval, options: UIView.AnimationOptions = [],
    animations: (() -> Void)?, completion: ((Bool) -> Void)? = nil
  ) {
    fatalError()
  }
}

@MainActor open class UIImageView: UIView {
  public init(image: UIImage?) { fatalError() }
  public required init?(coder: NSCoder) { fatalError() }
  public override init(frame: CGRect) { fatalError() }

  open var image: UIImage? {
    get { fatalError() }
    set { fatalError() }
  }
}

@MainActor open class UIControl: UIView {
  public struct State: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var normal: State { fatalError() }
    public static var highlighted: State { fatalError() }
    public static var selected: State { fatalError() }
  }

  public enum ContentHorizontalAlignment: Int, Sendable {
    case center
    case left
    case right
    case fill
    case leading
    case trailing
  }

  public enum ContentVerticalAlignment: Int, Sendable {
    case center
    case top
    case bottom
    case fill
  }

  open var contentHorizontalAlignment: UIControl.ContentHorizontalAlignment {
    get { fatalError() }
    set { fatalError() }
  }
  open var contentVerticalAlignment: UIControl.ContentVerticalAlignment {
    get { fatalError() }
    set { fatalError() }
  }
}

@MainActor open class UIButton: UIControl {
  open func setImage(_ image: UIImage?, for state: UIControl.State) { fatalError() }
  open func setBackgroundImage(_ image: UIImage?, for state: UIControl.State) { fatalError() }
  public struct Configuration: Sendable {
    public var contentInsets: NSDirectionalEdgeInsets
  }

  @available(*, deprecated) open var contentEdgeInsets: UIEdgeInsets {
    get { fatalError() }
    set { fatalError() }
  }
  @available(*, deprecated) open var imageEdgeInsets: UIEdgeInsets {
    get { fatalError() }
    set { fatalError() }
  }

  open var configuration: UIButton.Configuration? {
    get { fatalError() }
    set { fatalError() }
  }
}

@MainActor open class UIActivityIndicatorView: UIView {
  open func startAnimating() { fatalError() }
  open func stopAnimating() { fatalError() }
}
