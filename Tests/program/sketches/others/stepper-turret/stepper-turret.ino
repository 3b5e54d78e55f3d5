// A turret that a stepper turns, with its driver on D2 (direction) and D3 (step); the tilt is a servo.
// "S-40" and a line feed are 40 steps to the left, a step each millisecond; "T45" tilts. It answers
// with its position.
#include <Servo.h>

Servo tilt;
const uint8_t direction = 2, step = 3;
char line[8];
uint8_t length = 0;
int position = 0;

void turn(int steps) {
  digitalWrite(direction, steps < 0);
  for (int left = abs(steps); left > 0; left--) {
    digitalWrite(step, HIGH);
    delayMicroseconds(20);
    digitalWrite(step, LOW);
    delayMicroseconds(980);
    position += steps < 0 ? -1 : 1;
  }
}

void setup() {
  Serial.begin(250000);
  pinMode(direction, OUTPUT);
  pinMode(step, OUTPUT);
  tilt.attach(9);
  tilt.write(60);
}

void loop() {
  const int c = Serial.read();
  if (c < 0) return;
  if (c != '\n') {
    if (length < sizeof line - 1) line[length++] = c;
    return;
  }
  line[length] = 0;
  length = 0;
  if (line[0] == 'S') turn(atoi(line + 1));
  if (line[0] == 'T') tilt.write(atoi(line + 1));
  Serial.println(position);
}
