// The turret without the original's faults. What it understands and does is decided in Swift
// (Sources/Guarded), the very source that the bench runs; here is what makes a board of it.
//
//   X 1 to 3 digits .   aim: that many degrees, 0...180
//   L                   target lost: sweep between 20 and 160 degrees
//   T O C               tones
//   ? V                 the state in one line; a line for every servo write, or none any more
//
// 9600 baud, the servo on pin 9, a buzzer on pin 11. Timers 0 (the clock), 1 (the servo) and 2
// (the buzzer) are taken.
#include <SentryGuarded.h>
#include <SentryServo.h>

#include "board.h"
#include "port.h"
#include "rest.h"
#include "watchdog.h"

void setup() {
  port::open();
  rest::begin();
  board::attach();
  sentry_begin();
  watchdog::start();
}

// Nothing here waits, but for rest::until, which ends with the next interrupt.
void loop() {
  watchdog::feed();
  for (uint8_t lost = port::takeLost(); lost > 0; lost--) sentry_lost();

  const uint32_t now = micros();
  if (sentry_tick(now)) return;
  if (!port::isEmpty()) {
    sentry_receive(port::take(), now);
    return;
  }
  if (sentry_speak()) return;
  rest::until(now, sentry_wait(now));
}
