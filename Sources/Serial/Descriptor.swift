package import SystemPackage

/// Owns an open descriptor: it is closed when its owner goes.
package struct Descriptor: ~Copyable, Sendable {
  package let value: FileDescriptor

  package init(_ value: FileDescriptor) { self.value = value }

  deinit { try? value.close() }
}
