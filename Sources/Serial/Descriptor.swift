package import SystemPackage

/// Owns an open descriptor and closes it at the end of its own lifetime.
package struct Descriptor: ~Copyable, Sendable {
  package let value: FileDescriptor

  package init(_ value: FileDescriptor) { self.value = value }

  deinit { try? value.close() }
}
