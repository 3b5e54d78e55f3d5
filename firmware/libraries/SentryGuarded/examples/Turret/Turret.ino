// A turret with the guarded state machine: servo on pin 9, passive buzzer on pin 11, 9600 baud.
// Requires the library SentryServo too.
//
//   X 1 to 3 digits .   aim at that many degrees, 0...180
//   L                   target lost: sweep between 20 and 160 degrees
//   T O C               sound a tone
//   ?                   send the state in one line
//   V                   turn on or off a line for every servo write
//
// Add your own code to loop(). It must not wait: no delay(), no reading until something arrives.
#include <SentryGuarded.h>
#include <SentryPulse.h>

const uint8_t servoPin = 9;
const uint8_t buzzerPin = 11;

SentryPulse servo;

// The state machine calls these three functions.

void sentry_action(uint16_t pulse_us, int32_t hertz) {
  if (pulse_us != 0) servo.writeMicroseconds(pulse_us);
  if (hertz > 0) tone(buzzerPin, hertz);
  if (hertz == 0) noTone(buzzerPin);
}

uint8_t sentry_room() { return Serial.availableForWrite(); }

void sentry_send(uint8_t byte) { Serial.write(byte); }

void setup() {
  Serial.begin(9600);
  servo.attach(servoPin);
  sentry_begin();
}

// Does one thing at a time: first an action that is due, then a received byte, then a byte to send.
void loop() {
  const uint32_t now = micros();
  if (sentry_tick(now)) return;
  if (Serial.available() > 0) {
    sentry_receive(Serial.read(), now);
    return;
  }
  sentry_speak();
}
