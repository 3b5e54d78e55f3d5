// The servo on pin 9, and what the state machine calls.
#pragma once

namespace board {

// Before sentry_begin, which aims.
void attach();

}  // namespace board
