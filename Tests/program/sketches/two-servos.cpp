// Shows which of two servos the bench observes, and when. The servo `idle` is never attached.
#include "Servo.h"

Servo idle;
Servo turning;
Servo tilting;

void setup() {
  idle.write(20);
  // A width written before the servo is attached does not count as commanded.
  turning.write(30);
  tilting.attach(9);
  tilting.write(120);
  delay(100);
  turning.attach(10);
  delay(100);
  turning.write(45);
  idle.write(60);
  delay(100);
  turning.write(45);
  // First only the low half of the width changes, then only the high half.
  turning.writeMicroseconds(1010);
  turning.writeMicroseconds(1010 + 128);
  delay(100);
  turning.detach();
  turning.write(150);
}

void loop() {}
