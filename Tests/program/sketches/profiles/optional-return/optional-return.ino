// Lines end with LF; a CR before it is ignored.
#include <Servo.h>

Servo servo;
char line[12];
byte count = 0;

void setup() {
  Serial.begin(9600);
  pinMode(8, OUTPUT);
  servo.attach(9);
}

void loop() {
  if (!Serial.available()) return;
  char c = Serial.read();
  if (c == '\r') return;
  if (c != '\n') {
    if (count < sizeof line - 1) line[count++] = c;
    return;
  }
  line[count] = 0;
  count = 0;
  if (line[0] == 'P' && line[1]) {
    int angle = atoi(line + 1);
    if (angle >= 0 && angle <= 180) servo.write(angle);
  } else if (!strcmp(line, "FIRE")) {
    digitalWrite(8, !digitalRead(8));
  }
}
