// The servo on pin 9, and the functions that the state machine calls.
#pragma once

namespace board {

// Must be called before sentry_begin, which aims the servo.
void attach();

}  // namespace board
