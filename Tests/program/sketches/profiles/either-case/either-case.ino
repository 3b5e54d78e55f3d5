// Letters in either case.
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
  char c = toupper(Serial.read());
  if (c != ';') {
    if (count < sizeof line - 1) line[count++] = c;
    return;
  }
  line[count] = 0;
  count = 0;
  if (line[0] == 'P') servo.write(constrain(atoi(line + 1), 0, 180));
  if (!strcmp(line, "ON")) digitalWrite(8, HIGH);
  if (!strcmp(line, "OFF")) digitalWrite(8, LOW);
}
