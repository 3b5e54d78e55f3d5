// The servo messages of the Firmata protocol at 57600 baud: pin mode, servo configuration, analog
// and extended analog messages, and the version.
#include <Servo.h>

const uint8_t analogMessage = 0xE0;
const uint8_t setPinMode = 0xF4;
const uint8_t reportVersion = 0xF9;
const uint8_t startSysex = 0xF0;
const uint8_t endSysex = 0xF7;
const uint8_t systemReset = 0xFF;
const uint8_t servoConfig = 0x70;
const uint8_t extendedAnalog = 0x6F;
const uint8_t servoMode = 4;
const uint8_t pins = 20;

Servo servos[2];
uint8_t servoPins[2] = {0xFF, 0xFF};
uint8_t message[8];
uint8_t length = 0;
uint8_t command = 0;
bool isInSysex = false;

Servo *servoOn(uint8_t pin) {
  for (uint8_t i = 0; i < 2; i++) {
    if (servoPins[i] == pin) return &servos[i];
  }
  return nullptr;
}

void attach(uint8_t pin) {
  if (pin >= pins || servoOn(pin)) return;
  for (uint8_t i = 0; i < 2; i++) {
    if (servoPins[i] != 0xFF) continue;
    servoPins[i] = pin;
    servos[i].attach(pin);
    return;
  }
}

// A value of 14 bits has 7 bits in each byte, the low ones first.
void move(uint8_t pin, uint8_t low, uint8_t high) {
  Servo *servo = servoOn(pin);
  if (servo) servo->write(low | high << 7);
}

void sendVersion() {
  Serial.write(reportVersion);
  Serial.write(2);
  Serial.write(5);
}

void endOfSysex() {
  if (length == 6 && message[0] == servoConfig) attach(message[1]);
  if (length == 4 && message[0] == extendedAnalog) move(message[1], message[2], message[3]);
}

void take(uint8_t byte) {
  if (isInSysex) {
    if (byte == endSysex) {
      isInSysex = false;
      endOfSysex();
    } else if (length < sizeof message) {
      message[length++] = byte;
    }
    return;
  }
  if (byte & 0x80) {
    length = 0;
    command = byte;
    isInSysex = byte == startSysex;
    if (byte == reportVersion) sendVersion();
    if (byte == systemReset) {
      for (uint8_t i = 0; i < 2; i++) {
        servos[i].detach();
        servoPins[i] = 0xFF;
      }
    }
    return;
  }
  if (length < 2) message[length++] = byte;
  if (length < 2) return;
  if (command == setPinMode && message[1] == servoMode) attach(message[0]);
  if ((command & 0xF0) == analogMessage) move(command & 0x0F, message[0], message[1]);
  command = 0;
}

void setup() {
  Serial.begin(57600);
  sendVersion();
}

void loop() {
  while (Serial.available()) take(Serial.read());
}
