// Commands arrive by SoftwareSerial on D10 at 9600 baud, as from a Bluetooth module: "45\n". The
// serial port is left for messages.
#include <Servo.h>
#include <SoftwareSerial.h>

SoftwareSerial module(10, 11);
Servo servo;
int number = 0;

void setup() {
  Serial.begin(9600);
  module.begin(9600);
  servo.attach(9);
  servo.write(90);
}

void loop() {
  if (!module.available()) return;
  const char c = module.read();
  if (c >= '0' && c <= '9') {
    number = number % 100 * 10 + (c - '0');
  } else {
    if (c == '\n' && number <= 180) servo.write(number);
    if (c != '\n') Serial.write(c);
    number = 0;
  }
}
