#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import Accessibility
  import AppKit
  import Ozu

  /// The settings for animated images and for reduced motion.
  @MainActor
  enum Motion {
    static let settings = MotionSettings(changes: [
      (.default, AccessibilitySettings.animatedImagesEnabledDidChangeNotification),
      (
        NSWorkspace.shared.notificationCenter, NSWorkspace.accessibilityDisplayOptionsDidChangeNotification
      ),
    ]) {
      AccessibilitySettings.animatedImagesEnabled
        && !NSWorkspace.shared.accessibilityDisplayShouldReduceMotion
    }
  }
#endif
