/// One step of a USB transfer, as usbmon or USBPcap shows it.
struct USBTransfer {
  enum Kind: Hashable {
    case control, bulk, other
  }

  /// Nanoseconds on the recording's clock.
  var stamp: Int64 = 0
  var bus: Int64 = 0
  var device: Int64 = 0
  /// The endpoint's number, without its direction.
  var endpoint: UInt8 = 0
  var isIn = false
  var kind = Kind.other
  /// Whether the computer submits the transfer to the controller; if not, the controller completes
  /// it.
  var isSubmission = false
  /// The bytes of a control transfer's request, if it has one.
  var setup: [UInt8] = []
  /// How many bytes the transfer has. The recording can show fewer.
  var length: Int64 = 0

  /// Whether the step carries data: to a device on submission, from a device on completion.
  var carriesData: Bool { isIn != isSubmission }
}
