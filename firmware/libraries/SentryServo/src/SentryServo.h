// One hobby servo on pin 9. It has the functions and the arithmetic of Arduino's Servo library.
// Timer 1 alone generates the pulses, so nothing in the sketch can move their edges.
#pragma once

#include <Arduino.h>

#if defined(__AVR__) && (defined(__AVR_ATmega328P__) || defined(__AVR_ATmega328__) || \
                         defined(__AVR_ATmega168P__) || defined(__AVR_ATmega168__))

class SentryServo {
public:
  // Pulses in microseconds, at 0 and at 180 degrees.
  static constexpr int minimum = 544;
  static constexpr int maximum = 2400;
  // The result of `attach` for a pin that Timer 1 cannot drive.
  static constexpr uint8_t invalid = 255;

  // Occupies Timer 1 and starts the pulses, one every 20 ms, the first after 20 ms. Returns 0 for
  // pin 9, and `invalid` for any other pin.
  uint8_t attach(int pin);
  // Stops the pulses. Waits for the end of the present one, at most 2.4 ms, because half a pulse
  // would make the servo jerk.
  void detach();
  bool attached() const { return isAttached; }

  // Takes degrees, clamped to 0...180. A value of 544 or more is taken as microseconds.
  void write(int value);
  // Takes microseconds, clamped to 544...2400. The next pulse has this width.
  void writeMicroseconds(int value);
  // Returns degrees, rounded down after adding a microsecond: for whole degrees, the value written.
  int read() const;
  int readMicroseconds() const { return pulse; }

private:
  int pulse = 1500;
  bool isAttached = false;
};

#elif defined(__AVR__)
#error "SentryServo supports only Timer 1 of the ATmega168 and ATmega328 (Uno, Nano, Pro Mini)"
#else

// Not an AVR: its timers differ, so Arduino's library is used.
#include <Servo.h>
typedef Servo SentryServo;

#endif
