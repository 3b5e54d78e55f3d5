// A servo without a library: the loop itself generates the pulses on pin 6. "+" and "-" turn it by
// 100 us.
const uint8_t servoPin = 6;
int width = 1500;

void setup() {
  Serial.begin(9600);
  pinMode(servoPin, OUTPUT);
}

void loop() {
  digitalWrite(servoPin, HIGH);
  delayMicroseconds(width);
  digitalWrite(servoPin, LOW);
  delay(18);
  while (Serial.available()) {
    const char c = Serial.read();
    if (c == '+' && width < 2400) width += 100;
    if (c == '-' && width > 600) width -= 100;
  }
}
