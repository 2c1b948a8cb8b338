// The clock of the screen: iOS 18, tvOS 18, visionOS 2; neither on watchOS nor on Mac Catalyst.

#if !OZU_CHECK_CATALYST

  import Foundation
  import QuartzCore

  @MainActor open class UIUpdateInfo: NSObject {
    open var modelTime: TimeInterval { fatalError() }
  }

  @MainActor open class UIUpdateLink: NSObject {
    public init(view: UIView) { fatalError() }

    open func addAction(handler: @escaping (UIUpdateLink, UIUpdateInfo) -> Void) { fatalError() }

    open var isEnabled: Bool {
      get { fatalError() }
      set { fatalError() }
    }
    open var requiresContinuousUpdates: Bool {
      get { fatalError() }
      set { fatalError() }
    }
    open var preferredFrameRateRange: CAFrameRateRange {
      get { fatalError() }
      set { fatalError() }
    }
  }

#endif
