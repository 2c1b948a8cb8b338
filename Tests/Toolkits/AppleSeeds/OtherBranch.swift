// Fails with: has no member 'isSatisfied'
import OzuUIKit

#if os(Linux) && !OZU_CHECK_APPLE
  func isReachable() -> Bool { true }
#else
  import Network

  func isReachable(_ path: NWPath) -> Bool { path.isSatisfied }
#endif
