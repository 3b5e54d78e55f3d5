#include "board.h"

#include <SentryGuarded.h>
#include <SentryPulse.h>

#include "buzzer.h"
#include "port.h"

namespace {
SentryPulse servo;
}

void board::attach() {
  servo.attach(9);
  buzzer::attach();
}

void sentry_action(uint16_t pulse_us, int32_t hertz) {
  if (pulse_us != 0) servo.writeMicroseconds(pulse_us);
  if (hertz >= 0) buzzer::sound(hertz);
}

uint8_t sentry_room() { return port::room(); }

void sentry_send(uint8_t byte) { port::send(byte); }
