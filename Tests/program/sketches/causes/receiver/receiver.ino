// A command receiver on pin 2: SoftwareSerial reads a byte with interrupts off.
#include <Servo.h>
#include <SoftwareSerial.h>

SoftwareSerial module(2, 3);
Servo servo;

void setup() {
  module.begin(9600);
  servo.attach(9);
  servo.write(90);
}

void loop() {
  static int last = 90;
  if (!module.available()) return;
  // The first pulse after a write is not compared.
  int angle = module.read();
  if (angle != last) servo.write(last = angle);
}
