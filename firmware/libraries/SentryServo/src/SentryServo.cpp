// Converts between degrees and pulses as Arduino's library does, for any range of pulses.
#include "SentryServo.h"

#if defined(__AVR__)

namespace {

// Arduino's library stores the distance from the usual pulse in steps of 4 us, rounded towards zero.
int rounded(int microseconds, int usual) { return usual - (usual - microseconds) / 4 * 4; }

}  // namespace

// Arduino's library stores the distance in 8 bits, so a `min` over 1056 or a `max` under 1892 wraps
// there. Here it does not.
uint8_t SentryServo::attach(int pin, int min, int max) {
  if (min <= 0 || max > longest) return invalid;
  min = rounded(min, minimum);
  max = rounded(max, maximum);
  if (min >= max || SentryPulse::attach(pin) == invalid) return invalid;
  lowest = min;
  highest = max;
  return 0;
}

// Arduino's library maps with 32-bit integers, so it rounds down.
void SentryServo::write(int value) {
  if (value < minimum) {
    value = constrain(value, 0, 180);
    value = lowest + static_cast<long>(value) * (highest - lowest) / 180;
  }
  writeMicroseconds(value);
}

void SentryServo::writeMicroseconds(int value) { store(constrain(value, lowest, highest)); }

int SentryServo::read() const {
  return (static_cast<long>(pulse) + 1 - lowest) * 180 / (highest - lowest);
}

#endif
