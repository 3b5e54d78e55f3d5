// An ultrasonic sensor: "M" sends a pulse of 10 us on D2 and measures the echo on D3 with pulseIn,
// for at most 30 ms. A centimetre is 58 us. A target within 50 cm turns the servo to 45.
#include <Servo.h>

const uint8_t trigger = 2;
const uint8_t echo = 3;

Servo servo;

void setup() {
  Serial.begin(9600);
  pinMode(trigger, OUTPUT);
  pinMode(echo, INPUT);
  servo.attach(9);
  servo.write(90);
}

void loop() {
  if (Serial.read() != 'M') return;
  digitalWrite(trigger, HIGH);
  delayMicroseconds(10);
  digitalWrite(trigger, LOW);
  const unsigned long length = pulseIn(echo, HIGH, 30000);
  if (length == 0) {
    Serial.print("-\n");
    servo.write(90);
    return;
  }
  const unsigned int distance = length / 58;
  Serial.print(distance);
  Serial.print('\n');
  servo.write(distance <= 50 ? 45 : 90);
}
