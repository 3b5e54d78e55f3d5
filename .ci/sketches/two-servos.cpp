// Which of two servos is seen, and when. The first is never attached.
#include "Servo.h"

Servo idle;
Servo turning;
Servo tilting;

void setup() {
  idle.write(20);
  // A width from before it is attached is none that is commanded.
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
  // Only the low half of the width differs, and then only the high one.
  turning.writeMicroseconds(1010);
  turning.writeMicroseconds(1010 + 128);
  delay(100);
  turning.detach();
  turning.write(150);
}

void loop() {}
