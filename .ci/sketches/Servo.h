// Hobby servos on any pins, their pulses made by an interrupt: behaves as Arduino's Servo library does,
// and keeps what it knows in a table of the same name and shape.
#pragma once

#include <Arduino.h>

class Servo {
public:
  // Takes the next place in the table, with a width of 1500 us there. Past the 12th a servo does nothing.
  Servo();
  // Starts the pulses on this pin.
  uint8_t attach(int pin);
  // Ends them.
  void detach();
  // Degrees, clamped to 0...180; a value of 544 or more is taken as microseconds.
  void write(int value);
  // Clamped to 544...2400.
  void writeMicroseconds(int value);
  int read();
  int readMicroseconds();

private:
  uint8_t index;
};
