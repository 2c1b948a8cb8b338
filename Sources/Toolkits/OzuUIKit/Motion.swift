#if canImport(UIKit)
  import Accessibility
  import Ozu
  import UIKit

  /// The settings for animated images and for reduced motion.
  @MainActor
  enum Motion {
    static let settings = MotionSettings(changes: [
      (.default, AccessibilitySettings.animatedImagesEnabledDidChangeNotification),
      (.default, UIAccessibility.reduceMotionStatusDidChangeNotification),
    ]) {
      AccessibilitySettings.animatedImagesEnabled && !UIAccessibility.isReduceMotionEnabled
    }
  }
#endif
