// One hobby servo on pin 9. It has the functions and the arithmetic of Arduino's Servo library.
#pragma once

#include "SentryPulse.h"

#if defined(__AVR__)

class SentryServo : public SentryPulse {
public:
  // The longest pulse that `attach` accepts, in microseconds.
  static constexpr int longest = 3000;

  // Starts the pulses. 0 degrees are 544 us, and 180 degrees 2400 us. Returns 0 for pin 9, and
  // `invalid` for any other pin.
  uint8_t attach(int pin) { return attach(pin, minimum, maximum); }
  // The same with other pulses at 0 and at 180 degrees. They are rounded to steps of 4 us, as in
  // Arduino's library. Also returns `invalid`, and changes nothing, unless 0 < min < max <= 3000.
  //
  // As in Arduino's library, the pulse stays as it was until a value is written.
  uint8_t attach(int pin, int min, int max);

  // Takes degrees, clamped to 0...180. A value of 544 or more is taken as microseconds.
  void write(int value);
  // Takes microseconds, clamped to the two pulses above. The next pulse has this width.
  void writeMicroseconds(int value);
  // Returns degrees, rounded down after adding a microsecond. For whole degrees it is the value
  // written, if a degree takes a microsecond or more.
  int read() const;

private:
  int lowest = minimum;
  int highest = maximum;
};

#else

typedef Servo SentryServo;

#endif
