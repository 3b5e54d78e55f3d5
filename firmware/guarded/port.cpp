// Replaces the core's Serial, which loses bytes without counting them and blocks if it cannot send.
#include "port.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

namespace {

constexpr uint32_t baud = 9600;
// Double speed, as in the core, so that bytes at a wrong speed are sampled in the same way.
constexpr uint16_t divisor = (F_CPU / 4 / baud - 1) / 2;
constexpr uint8_t running = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);

// Holds bytes from `tail` to `head`. One place stays free, because otherwise a full ring would look
// like an empty one. Only one side moves the head and only the other the tail, and both are single
// bytes, so no locking is required.
struct Ring {
  static constexpr uint8_t size = 64;

  volatile uint8_t bytes[size];
  volatile uint8_t head;
  volatile uint8_t tail;

  bool isEmpty() const { return head == tail; }
  bool isFull() const { return after(head) == tail; }
  uint8_t room() const { return static_cast<uint8_t>(tail - head - 1) % size; }

  void put(uint8_t byte) {
    bytes[head] = byte;
    head = after(head);
  }
  uint8_t take() {
    const uint8_t byte = bytes[tail];
    tail = after(tail);
    return byte;
  }

private:
  static uint8_t after(uint8_t place) { return (place + 1) % size; }
};

Ring received;
Ring sending;
volatile uint8_t lost;

}  // namespace

// A byte with a framing error counts as a byte, as in the core.
ISR(USART_RX_vect) {
  // The flags belong to the byte that is read next. This one means that a byte before it was
  // overrun.
  uint8_t missing = UCSR0A & _BV(DOR0) ? 1 : 0;
  const uint8_t byte = UDR0;
  if (received.isFull()) {
    missing++;
  } else {
    received.put(byte);
  }
  if (missing > 0) lost = lost < 255 - missing ? lost + missing : 255;
}

ISR(USART_UDRE_vect) {
  UDR0 = sending.take();
  if (sending.isEmpty()) UCSR0B = running;
}

void port::open() {
  UBRR0 = divisor;
  UCSR0A = _BV(U2X0);
  UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
  UCSR0B = running;
}

bool port::isEmpty() { return received.isEmpty(); }

uint8_t port::take() { return received.take(); }

uint8_t port::takeLost() {
  if (lost == 0) return 0;
  uint8_t count;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
    count = lost;
    lost = 0;
  }
  return count;
}

// A byte waiting in the USART after the one on the line counts as a byte in the ring, so the amount
// that can be sent at once does not depend on when the line was last idle.
uint8_t port::room() {
  const uint8_t waiting = UCSR0A & _BV(UDRE0) ? 0 : 1;
  const uint8_t free = sending.room();
  return free > waiting ? free - waiting : 0;
}

void port::send(uint8_t byte) {
  sending.put(byte);
  UCSR0B = running | _BV(UDRIE0);
}
