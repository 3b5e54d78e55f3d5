// A stand-in for Pololu's Maestro: its compact, Pololu and Mini SSC protocols, for two channels.
// Targets are in quarters of a microsecond.
#include <Servo.h>

const uint8_t channels = 2;
const uint8_t device = 12;

Servo servos[channels];
unsigned int targets[channels];
uint8_t errors = 0;

enum { command, pololuDevice, pololuCommand, sscChannel, sscTarget, channel, low, high } state;
uint8_t current;
uint8_t number;
uint8_t lowBits;

void setTarget(uint8_t number, unsigned int target) {
  if (number >= channels) {
    errors |= 0x10;
    return;
  }
  targets[number] = target;
  servos[number].writeMicroseconds(target / 4);
}

void begin(uint8_t byte) {
  current = byte;
  state = command;
  switch (byte) {
    case 0x84:  // Set Target
    case 0x87:  // Set Speed
    case 0x89:  // Set Acceleration
    case 0x90:  // Get Position
      state = channel;
      break;
    case 0xA1:  // Get Errors
      Serial.write(errors);
      Serial.write(static_cast<uint8_t>(0));
      errors = 0;
      break;
    case 0xA2:  // Go Home
      for (uint8_t i = 0; i < channels; i++) setTarget(i, 6000);
      break;
    default: errors |= 0x10;
  }
}

void take(uint8_t byte) {
  switch (state) {
    case pololuDevice: state = byte == device ? pololuCommand : command; return;
    case pololuCommand: begin(byte | 0x80); return;
    case sscChannel:
      number = byte;
      state = sscTarget;
      return;
    case sscTarget:
      // 127 is 1500 us, and a step 3.75 us.
      setTarget(number, 6000 + 15 * (byte - 127));
      state = command;
      return;
    default: break;
  }
  if (byte == 0xAA) {
    state = pololuDevice;
  } else if (byte == 0xFF) {
    state = sscChannel;
  } else if (byte & 0x80) {
    begin(byte);
  } else if (state == channel) {
    number = byte;
    state = low;
    if (current != 0x90) return;
    state = command;
    if (number >= channels) return;
    Serial.write(lowByte(targets[number]));
    Serial.write(highByte(targets[number]));
  } else if (state == low) {
    lowBits = byte;
    state = high;
  } else if (state == high) {
    if (current == 0x84) setTarget(number, lowBits | byte << 7);
    state = command;
  }
}

void setup() {
  Serial.begin(9600);
  servos[0].attach(9);
  servos[1].attach(10);
}

void loop() {
  if (Serial.available()) take(Serial.read());
}
