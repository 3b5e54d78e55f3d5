// The pulses for one hobby servo, on pin 9. Timer 1 alone generates them, so nothing in the sketch
// can move their edges.
#pragma once

#include <Arduino.h>

#if defined(__AVR__) && (defined(__AVR_ATmega328P__) || defined(__AVR_ATmega328__) || \
                         defined(__AVR_ATmega168P__) || defined(__AVR_ATmega168__))

#include <util/atomic.h>

class SentryPulse {
public:
  // The usual pulses in microseconds, at 0 and at 180 degrees.
  static constexpr int minimum = 544;
  static constexpr int maximum = 2400;
  // The result of `attach` for pulses that Timer 1 cannot generate.
  static constexpr uint8_t invalid = 255;

  // Occupies Timer 1 and starts the pulses, one every 20 ms, the first after 20 ms. Returns 0 for
  // pin 9, and `invalid` for any other pin.
  uint8_t attach(int pin);
  // Stops the pulses. Waits for the end of the present one, because half a pulse would make the
  // servo jerk.
  void detach();
  bool attached() const { return isAttached; }

  // Takes microseconds, clamped to 544...2400. The next pulse has this width.
  void writeMicroseconds(int value);
  int readMicroseconds() const { return pulse; }

protected:
  // Takes microseconds, more than 0 and less than 20 000.
  void store(int microseconds) {
    pulse = microseconds;
    if (isAttached) setWidth(microseconds);
  }

  int pulse = 1500;
  bool isAttached = false;

private:
  // Returns the timer's count at the end of that many microseconds. It counts half microseconds
  // from 0, and the pin is high from count 0 to count OCR1A, both included.
  static constexpr uint16_t lastCount(uint16_t microseconds) { return 2 * microseconds - 1; }

  // The two halves of Timer 1's registers are written through a shared temporary byte, which an
  // interrupt must not overwrite in between.
  static void setWidth(uint16_t microseconds) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { OCR1A = lastCount(microseconds); }
  }
};

#elif defined(__AVR__)
#error "SentryPulse supports only Timer 1 of the ATmega168 and ATmega328 (Uno, Nano, Pro Mini). \
For any other board, use the sketch firmware/published."
#else

// Not an AVR: its timers differ, so Arduino's library is used.
#include <Servo.h>
typedef Servo SentryPulse;

#endif
