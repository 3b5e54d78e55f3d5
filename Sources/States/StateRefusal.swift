/// Thrown by what is read from a state's file: the file is whole, but is another device's.
struct StateRefusal: Error {
  /// A sentence for people.
  var message: String
}
