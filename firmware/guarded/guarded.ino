// The turret without the original's faults. Its behaviour is written in Swift (Sources/Guarded), in
// the same source that the bench runs. This sketch connects it to the board.
//
//   X 1 to 3 digits .   aim at that many degrees, 0...180
//   L                   target lost: sweep between 20 and 160 degrees
//   T O C               sound a tone
//   ?                   send the state in one line
//   V                   turn on or off a line for every servo write
//
// 9600 baud, servo on pin 9, buzzer on pin 11. Timers 0 (the clock), 1 (the servo) and 2 (the
// buzzer) are in use.
#include <SentryGuarded.h>

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

// Nothing here waits except rest::until, which returns at the next interrupt.
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
