// Layers and transitions.

@_exported import CoreGraphics
@_exported import Foundation

open class CAAnimation: NSObject {
  open var duration: CFTimeInterval {
    get { fatalError() }
    set { fatalError() }
  }
}

open class CATransition: CAAnimation {
  open var type: CATransitionType {
    get { fatalError() }
    set { fatalError() }
  }
}

public struct CATransitionType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let fade = CATransitionType(rawValue: "fade")
}

open class CALayer: NSObject {
  open func add(_ anim: CAAnimation, forKey key: String?) { fatalError() }
}

public typealias CFTimeInterval = Double

public func CACurrentMediaTime() -> CFTimeInterval { fatalError() }

public struct CAFrameRateRange: Sendable {
  public init(minimum: Float, maximum: Float, preferred: Float?) { fatalError() }
}
