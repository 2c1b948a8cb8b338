#ifndef OZU_STATUS_H
#define OZU_STATUS_H

/// How a step of a codec ended.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// Done.
  OzuStatusDone = 0,
  /// There is more to do: call again.
  OzuStatusMore = 1,
  /// The data ends before the picture does. What was decoded so far stands; some decoders can go on.
  OzuStatusTruncated = 2,
  /// The library gave up; the message says why.
  OzuStatusFailed = 3,
} OzuStatus;

#endif
