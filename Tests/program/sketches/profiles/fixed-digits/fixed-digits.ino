// A frame of eight characters: a, three digits for each servo, one for the relay that fires.
#include <Servo.h>

Servo pan, tilt;
char frame[8];
byte count = 0;

int number(const char *digits) {
  return (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + digits[2] - '0';
}

void setup() {
  Serial.begin(57600);
  pinMode(7, OUTPUT);
  pan.attach(9);
  tilt.attach(10);
}

void loop() {
  if (!Serial.available()) return;
  char c = Serial.read();
  if (count == 0 && c != 'a') return;
  if (count > 0 && (c < '0' || c > '9')) {
    count = 0;
    return;
  }
  frame[count++] = c;
  if (count < 8) return;
  count = 0;
  int x = number(frame + 1), y = number(frame + 4);
  if (x > 180 || y > 180 || frame[7] > '1') return;
  pan.write(x);
  tilt.write(y);
  digitalWrite(7, frame[7] == '1');
}
