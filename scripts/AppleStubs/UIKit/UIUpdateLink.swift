// The clock of the screen. iOS 18.

import Foundation

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
}
