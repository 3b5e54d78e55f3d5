// A radar: the servo sweeps from 15 to 165 degrees and back, and at each degree an ultrasonic sensor
// with its trigger on D2 and its echo on D3 is read. It sends "angle,centimetres.".
#include <Servo.h>

Servo head;
const uint8_t trigger = 2, echo = 3;

void look(int angle) {
  head.write(angle);
  delay(30);
  digitalWrite(trigger, HIGH);
  delayMicroseconds(10);
  digitalWrite(trigger, LOW);
  const unsigned long width = pulseIn(echo, HIGH, 20000);
  Serial.print(angle);
  Serial.print(',');
  Serial.print(width / 58);
  Serial.print('.');
}

void setup() {
  Serial.begin(9600);
  pinMode(trigger, OUTPUT);
  head.attach(12);
}

void loop() {
  for (int angle = 15; angle <= 165; angle++) look(angle);
  for (int angle = 165; angle > 15; angle--) look(angle);
}
