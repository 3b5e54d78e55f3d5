// A pan-tilt mount at 115200 baud. "P90,45\n" turns both servos, "F\n" closes the fire relay for
// 100 ms. Each line is answered.
#include <Servo.h>

const uint8_t relay = 7;
const unsigned long fireTime = 100;

Servo pan;
Servo tilt;
char line[16];
uint8_t length = 0;
bool isFiring = false;
unsigned long firedAt = 0;

bool aim(const char *text) {
  char *end;
  const long first = strtol(text, &end, 10);
  if (end == text || *end != ',') return false;
  text = end + 1;
  const long second = strtol(text, &end, 10);
  if (end == text || *end != 0) return false;
  if (first < 0 || first > 180 || second < 20 || second > 160) return false;
  pan.write(first);
  tilt.write(second);
  return true;
}

void fire() {
  digitalWrite(relay, HIGH);
  isFiring = true;
  firedAt = millis();
}

void obey() {
  bool isKnown = true;
  if (line[0] == 'F' && line[1] == 0) {
    fire();
  } else {
    isKnown = line[0] == 'P' && aim(line + 1);
  }
  Serial.print(isKnown ? "ok\n" : "?\n");
}

void setup() {
  Serial.begin(115200);
  pinMode(relay, OUTPUT);
  pan.attach(9);
  tilt.attach(10);
  pan.write(90);
  tilt.write(90);
}

void loop() {
  if (isFiring && millis() - firedAt >= fireTime) {
    digitalWrite(relay, LOW);
    isFiring = false;
  }
  if (!Serial.available()) return;
  const char c = Serial.read();
  if (c == '\n') {
    line[length] = 0;
    length = 0;
    obey();
  } else if (length < sizeof line - 1) {
    line[length++] = c;
  }
}
