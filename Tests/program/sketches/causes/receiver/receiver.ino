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
  if (module.available()) servo.write(module.read());
}
