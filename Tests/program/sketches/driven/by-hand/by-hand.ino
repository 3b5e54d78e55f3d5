// Two servos and a lamp, driven by lines: P120, T45, F for 40 ms of light. Each is answered, until
// H halts the sketch.
#include <Servo.h>

Servo pan;
Servo tilt;
char line[16];
byte length = 0;

void obey() {
  int value = atoi(line + 1);
  switch (line[0]) {
    case 'P': pan.write(constrain(value, 0, 180)); break;
    case 'T': tilt.write(constrain(value, 20, 160)); break;
    case 'F':
      digitalWrite(7, HIGH);
      delay(40);
      digitalWrite(7, LOW);
      break;
    case 'H':
      for (;;) {}
    default:
      Serial.println("?");
      return;
  }
  Serial.println("ok");
}

void setup() {
  Serial.begin(115200);
  pinMode(7, OUTPUT);
  pan.attach(9);
  tilt.attach(10);
  pan.write(90);
  tilt.write(90);
  Serial.println("ready");
}

void loop() {
  while (Serial.available()) {
    char c = Serial.read();
    if (c == '\n') {
      line[length] = 0;
      if (length) obey();
      length = 0;
    } else if (c != '\r' && length < sizeof line - 1) {
      line[length++] = c;
    }
  }
}
