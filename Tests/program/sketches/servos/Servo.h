// Servos with ranges of their own. Behaves like Arduino's Servo library, and its objects and its
// table have the same layout.
#pragma once

#include <Arduino.h>

class Servo {
public:
  // Occupies the next place in the table, with a width of 1500 us. A servo after the 12th does
  // nothing.
  Servo();
  // Starts pulses on this pin. 0 degrees are 544 us and 180 degrees 2400 us.
  uint8_t attach(int pin);
  // The same with other widths at 0 and at 180 degrees, in steps of 4 us.
  uint8_t attach(int pin, int shortest, int longest);
  // Stops the pulses. One that is under way does not end.
  void detach();
  // Takes degrees, clamped to 0...180. A value of 544 or more is taken as microseconds.
  void write(int value);
  // Takes microseconds, clamped to the range.
  void writeMicroseconds(int value);

private:
  int lowest() const { return 544 - below * 4; }
  int highest() const { return 2400 - above * 4; }

  uint8_t index;
  // How far the range differs from the usual one at each end, in steps of 4 us.
  int8_t below;
  int8_t above;
};
