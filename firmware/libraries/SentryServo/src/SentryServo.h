// One hobby servo on pin 9. The calls and the arithmetic are those of Arduino's Servo library, the
// pulses come from Timer 1 alone: nothing the sketch does moves their edges.
#pragma once

#include <Arduino.h>

#if defined(__AVR__) && (defined(__AVR_ATmega328P__) || defined(__AVR_ATmega328__) || \
                         defined(__AVR_ATmega168P__) || defined(__AVR_ATmega168__))

class SentryServo {
public:
  // Pulses in microseconds, at 0 and at 180 degrees.
  static constexpr int minimum = 544;
  static constexpr int maximum = 2400;
  // What `attach` and `read` answer for a pin that Timer 1 cannot drive.
  static constexpr uint8_t invalid = 255;

  // Takes Timer 1 and starts the pulses, one every 20 ms, the first after 20 ms. Only pin 9 will
  // do; returns 0, for any other pin `invalid`.
  uint8_t attach(int pin);
  // Ends the pulses. Waits for the one that has begun, at most 2.4 ms: half a pulse is a jerk.
  void detach();
  bool attached() const { return isAttached; }

  // Degrees, clamped to 0...180; a value of 544 or more is taken as microseconds.
  void write(int value);
  // Clamped to 544...2400. The width is that of the next pulse that begins.
  void writeMicroseconds(int value);
  // Degrees, rounded down after a microsecond is added: for whole degrees, what was written.
  int read() const;
  int readMicroseconds() const { return pulse; }

private:
  int pulse = 1500;
  bool isAttached = false;
};

#elif defined(__AVR__)
#error "SentryServo knows Timer 1 of the ATmega168 and ATmega328 (Uno, Nano, Pro Mini) only"
#else

// Not an AVR: Timer 1 is another thing there, and Arduino's library knows which.
#include <Servo.h>
typedef Servo SentryServo;

#endif
