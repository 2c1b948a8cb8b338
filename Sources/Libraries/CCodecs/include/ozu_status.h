#ifndef OZU_STATUS_H
#define OZU_STATUS_H

/// The result of a step of a codec.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// Done.
  OzuStatusDone = 0,
  /// There is more to do: call again.
  OzuStatusMore = 1,
  /// The data end before the picture does. The pixels decoded so far are valid; some decoders can go on.
  OzuStatusTruncated = 2,
  /// The library failed; the message says why.
  OzuStatusFailed = 3,
} OzuStatus;

#endif
