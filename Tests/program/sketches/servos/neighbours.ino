// Two servos among data that look like servos: three, six and twelve bytes, and a structure.
#include <Servo.h>

struct Colour {
  uint8_t red;
  int8_t green, blue;
};

uint8_t message[6];
uint8_t three[3];
uint8_t twelve[12];
Colour colours[2];
Servo pan, tilt;
uint8_t count;

void setup() {
  pan.attach(9, 1000, 2000);
  tilt.attach(10);
  Serial.begin(9600);
}

void loop() {
  if (!Serial.available()) return;
  const uint8_t byte = Serial.read();
  message[count % 6] = byte;
  three[count % 3] = byte;
  twelve[count % 12] = byte;
  colours[count % 2].green = byte;
  if (++count % 6) return;
  pan.write(message[4]);
  tilt.write(message[5]);
}
