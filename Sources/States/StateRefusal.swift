/// The error for a state file that is valid but belongs to another device.
struct StateRefusal: Error {
  /// A sentence for the user.
  var message: String
}
